/* viewer.h - pictures of traces: the tour of this folder.
 *
 *     trace -> trace_index -> stage_map -> scene or figure -> drawing -> cairo | SVG | TikZ | text
 *                                                `-> terminal
 *
 * A scene (the window) or a figure (paper) is built as a drawing: a flat list of boxes, lines,
 * texts and marks with roles. Every output draws the same list, so that what you see is what you export.
 * This folder knows no kernel; it reads traces (instrument.h).
 *
 * The unit of length is the point (1/72 inch); in the window it is the pixel. x grows to the
 * right, y downwards. Words (bank, lane, round, slot, ways, passes) are those of
 * doc/trace-format.md. A *word* is one bank cell: bank_bytes of shared memory; its bank is
 * word % banks, its column word / banks. A *step* is one (round, slot) of a stage, counted from 0.
 */
#ifndef BANKSCOPE_VIEWER_H
#define BANKSCOPE_VIEWER_H

#include "instrument/instrument.h"

#include <stdatomic.h>

/* As cairo.h has them: only render.c and window.c need that header. */
typedef struct _cairo cairo_t;
typedef struct _cairo_surface cairo_surface_t;

/* ---- theme.c: roles and their colours ------------------------------------------------------ */

/* What a thing is, not what colour it has. */
enum role {
    ROLE_NONE,   /* nothing is drawn */
    ROLE_PAPER,  /* the background */
    ROLE_INK,    /* titles, numbers */
    ROLE_FAINT,  /* secondary text: bank numbers, axis */
    ROLE_GRID,   /* thin lines between cells */
    ROLE_CELL,   /* a word that the stage does not use */
    ROLE_USED,   /* used, belongs to no list */
    ROLE_LIST_A, /* used, list A; the four lists are consecutive */
    ROLE_LIST_B,
    ROLE_LIST_C,
    ROLE_LIST_D,
    ROLE_MUTED, /* used by another warp: the muted form of ROLE_USED and of the lists */
    ROLE_MUTED_A,
    ROLE_MUTED_B,
    ROLE_MUTED_C,
    ROLE_MUTED_D,
    ROLE_MUTED_INK, /* text in a muted cell */
    ROLE_GOOD,      /* accessed now, its bank serves one word */
    ROLE_GOOD_INK,
    ROLE_GOOD_EDGE, /* thin, so that greyscale shows what is accessed */
    ROLE_BAD,       /* accessed now, its bank serves several words: also has a thick edge */
    ROLE_BAD_INK,
    ROLE_BAD_EDGE, /* thick edges, degrees above one */
    ROLE_GREY,     /* figures: of no concern */
    ROLE_BORDER,   /* partition borders: dotted */
    ROLE_BAR,      /* timeline: a pass that is needed */
    ROLE_BAR_BAD,  /* timeline: a pass that conflicts add */
    ROLE_HEAT,     /* overview: accessed without conflicts; worse are the next four */
    ROLE_HEAT_1,
    ROLE_HEAT_2,
    ROLE_HEAT_3,
    ROLE_HEAT_4,
    ROLE_CURSOR,  /* timeline: now; the active panel; the hovered cell */
    ROLE_OVERLAY, /* background of help and notes above the picture */
    ROLE_HALO,    /* around the pointer, for a class; on BLANK */
    ROLE_BLANK,   /* black on every screen */
    ROLE_CURVE_1, /* charts: apart in greyscale and for colour-blind eyes, on PAPER */
    ROLE_CURVE_2,
    ROLE_CURVE_3,
    ROLE_CURVE_4,
    ROLE_CURVE_5,
    ROLE_CURVE_6,
    ROLE_CURVE_7,
    ROLES
};

struct theme {
    const char *name;       /* "light", "print", "dark" */
    uint32_t colour[ROLES]; /* 0xRRGGBB; [ROLE_NONE] unused */
};

extern const struct theme themes[]; /* themes[0] is the default; a NULL name ends the table */
/* NULL: no such theme, *error names those that there are. */
const struct theme *theme_find(const char *name, struct error *error);
extern const char *const role_names[ROLES]; /* as dumps and SVG classes name them */

/* ---- drawing.c: the drawing list ----------------------------------------------------------- */

enum shape { SHAPE_BOX, SHAPE_LINE, SHAPE_TEXT, SHAPE_MARK };
enum mark { MARK_CIRCLE, MARK_SQUARE, MARK_TRIANGLE, MARK_DIAMOND, MARK_WEDGE, MARKS };
enum align { ALIGN_LEFT, ALIGN_CENTRE, ALIGN_RIGHT };
/* FACE_CODE: letters of one width. The marked faces show what stands between backquotes so, and no
 * backquote. FACE_TEX: plain, and in TeX its own words, which are not spelt for it. */
enum face {
    FACE_PLAIN,
    FACE_BOLD,
    FACE_CODE,
    FACE_MARKED,
    FACE_MARKED_BOLD,
    FACE_TEX,
    FACE_TEX_BOLD
};

/* One thing to draw. Lists are drawn from first to last. */
struct drawing_item {
    uint8_t shape; /* enum shape */
    uint8_t role;  /* of the fill, the line or the text */
    uint8_t edge;  /* boxes, marks: role of the edge, or ROLE_NONE */
    uint8_t align; /* texts: which end of the text x names */
    uint8_t face;  /* texts: enum face */
    bool dotted;   /* lines */
    uint8_t mark;  /* marks: enum mark */
    uint8_t turn;  /* texts: degrees that they rise, 0 to 90 */
    float x, y;  /* box: top left; line: start; text: x by align, y of the baseline; mark: middle */
    float w, h;  /* box, mark: size; line: end minus start */
    float thick; /* width of the line or edge (drawn inside the box); size of the font */
    uint32_t text; /* texts: offset into drawing.text */
};

/* Add items with the functions below; the error is sticky, so that only the end needs a check. */
struct drawing {
    double width, height; /* of the page */
    size_t count, room;
    struct drawing_item *item;
    size_t text_count, text_room;
    char *text;      /* NUL-terminated strings, one after another: valid UTF-8, no controls */
    bool unlabelled; /* cells were too small for their text */
    bool cut;        /* a text had no room, and ends in "..." or is not there */
    struct error error;
};

/* Empties the list and sets the page; keeps the memory. Start from {0}. */
void drawing_begin(struct drawing *drawing, double width, double height);
void drawing_free(struct drawing *drawing);
/* A box without area is not added. */
void drawing_box(struct drawing *drawing, enum role fill, double x, double y, double w, double h);
/* A box with an edge of `thick` points inside its border. fill may be ROLE_NONE. */
void drawing_edged(struct drawing *drawing, enum role fill, enum role edge, double thick, double x,
                   double y, double w, double h);
void drawing_line(struct drawing *drawing, enum role role, double thick, bool dotted, double x1,
                  double y1, double x2, double y2);

/* A text's looks. */
struct text_style {
    enum role role;
    double size; /* of the font */
    enum align align;
    enum face face;
};
/* A text with its baseline at y, printf-style. Broken UTF-8 and controls become '?'. */
void drawing_text(struct drawing *drawing, const struct text_style *style, double x, double y,
                  const char *format, ...) __attribute__((format(printf, 5, 6)));
/* The same, shortened with "..." so as not to be wider than `width`. */
void drawing_text_within(struct drawing *drawing, const struct text_style *style, double x,
                         double y, double width, const char *format, ...)
    __attribute__((format(printf, 6, 7)));
/* The same, rising by so many degrees (0 to 90) about its place. */
void drawing_text_turned(struct drawing *drawing, const struct text_style *style, int degrees,
                         double x, double y, const char *format, ...)
    __attribute__((format(printf, 6, 7)));
/* A mark of that size about a point, with an edge of `thick` points inside its border. */
void drawing_mark(struct drawing *drawing, enum mark mark, enum role fill, enum role edge,
                  double thick, double size, double x, double y);
enum { MARK_CORNERS = 4 };
/* The corners of a mark without its edge's outer half; 0: it is a circle. */
int mark_corners(const struct drawing_item *item, double x[MARK_CORNERS], double y[MARK_CORNERS]);
/* Three dots about a point, that far from each other: for what is left out. */
void drawing_dots(struct drawing *drawing, double x, double y, double dx, double dy);
/* Adds all of another list, scaled, with its top left at (x, y). */
void drawing_place(struct drawing *drawing, const struct drawing *other, double x, double y,
                   double scale);
/* A square bracket along an upright or level line, with tips of that length (negative: to the left, or
 * up) at its ends. */
void drawing_bracket(struct drawing *drawing, double x1, double y1, double x2, double y2,
                     double tip);
const char *drawing_string(const struct drawing *drawing, const struct drawing_item *item);

/* From `top` to `bottom`; none where top >= bottom. */
struct rows {
    double top, bottom;
};
/* Those that an item can touch. */
struct rows drawing_rows(const struct drawing_item *item);
/* Those in which two lists may look different: of pages of another size, all. */
struct rows drawing_difference(const struct drawing *before, const struct drawing *drawing);
/* What a reader would miss. */
struct drawing_flaws {
    bool unlabelled; /* cells were too small for their text */
    bool cut;        /* a text had no room */
    double smallest; /* size of the smallest text; 0: there is none */
};
struct drawing_flaws drawing_flaws(const struct drawing *drawing);
/* Generous estimate of a text's width: what the widest of the usual fonts needs, on every machine
 * the same, so that lists can be compared. */
double text_width(const char *text, double size, enum face face);
/* Add to the middle of a line of text to get its baseline: half the height of digits. */
#define TEXT_MIDDLE(size) (0.36 * (size))

/* The list as text, one item a line. What tests compare and `-o FILE.txt` writes.
 *     page 504.57 200
 *     box 10 20 12 12 list-a edge bad-edge 1.5
 *     line 10 20 70 20 border 1 dotted
 *     text 16 28 centre 7 bold ink "12"
 *     mark 16 28 4 square curve-1 edge curve-1 0.8
 * A file ends with a line "# COMMAND; Bankscope 1.0.0". */
bool drawing_dump(const struct drawing *drawing, FILE *file);

/* ---- index.c: a trace prepared for stepping ------------------------------------------------ */

struct trace_step {
    int round, slot;
};

/* Built once in O(trace); read-only afterwards. The trace must be ordered as doc/trace-format.md
 * says (readers and backends see to it) and must outlive the index. */
struct trace_index {
    const struct trace *trace;
    int warps;               /* of a block */
    int words;               /* of a block's shared memory */
    int columns;             /* of its matrix */
    size_t *stage_step;      /* [stages + 1]: stage s has steps stage_step[s] up to, not
                              * including, stage_step[s + 1] */
    struct trace_step *step; /* per stage by (round, slot), each once */
    uint16_t *passes;        /* [trace->count], by access: its passes */
    uint16_t *conflicts;     /* [trace->count], by access: its conflicts */
    uint16_t *sectors;       /* the same: its sectors of global memory; NULL: the trace has none, */
    uint16_t *least;         /* and how many are the least possible */
};

bool trace_index_init(struct trace_index *index, const struct trace *trace, struct error *error);
void trace_index_free(struct trace_index *index);
/* Steps of a stage. */
int trace_index_steps(const struct trace_index *index, int stage);
const struct trace_step *trace_index_step(const struct trace_index *index, int stage, int step);
/* The last step of a stage at or before (round, slot), or -1. */
int trace_index_find(const struct trace_index *index, int stage, int round, int slot);
/* The number (for trace_get) of the warp access of one warp at one step, or NO_ACCESS when the warp
 * does nothing there. */
#define NO_ACCESS ((size_t)-1)
size_t trace_index_access(const struct trace_index *index, int block, int stage, int step,
                          int warp);
/* The first warp access at or after a place in the trace's order; trace->count when none is. */
size_t trace_index_from(const struct trace_index *index, int block, int stage, int round, int slot,
                        int warp);
/* The first warp access of a stage, which need not be in block 0. false: there is none. */
bool trace_index_first(const struct trace_index *index, int stage, struct warp_access *access);
/* The stage with the most conflicts (of those, with the most accesses): what to look at first. */
int trace_index_worst_stage(const struct trace_index *index);

/* ---- stage_map.c: one stage of one block, by word ------------------------------------------ */

/* Who uses each word in one stage of one block, and what each step costs one warp. Setting it
 * costs O(accesses of that stage and block); asking is a binary search. */
struct stage_map {
    const struct trace_index *index;
    int stage, block, warp;     /* warp -1: all warps of the block */
    int steps;                  /* of the stage */
    uint64_t *passes_before;    /* [steps + 1]: passes of the warp before each step */
    uint64_t *conflicts_before; /* [steps + 1] */
    uint64_t *sectors_before;   /* [steps + 1] of global memory; NULL: there is none in the trace */
    uint64_t *least_before;     /* [steps + 1] */
    uint64_t most_sectors;      /* of any one step */
    uint64_t most_passes;       /* of any one step */
    uint32_t first_word, words; /* the words from the lowest to the highest used */
    size_t first_access, end_access; /* of the block and stage, in the trace */
    uint32_t lists;        /* bit 0: words of list A are used, bit 1: of B; bit 26: words of none */
    int warps;             /* of the block, up to the last that uses memory */
    uint32_t *word_use;    /* private: [words + 1] into use */
    struct stage_use *use; /* private: by word, then step, warp, lane */
    bool set;
};

/* How a word is used. */
struct word_use {
    int step, warp, lane, thread; /* thread within the block */
    int sharers;                  /* lanes of the same warp access on this word, itself included */
    enum op op;
    char tag; /* ' ' for none */
    bool has_value;
    int64_t value;
    uint32_t addr; /* the first byte of what the lane uses, */
    int bytes;     /* and how many */
};

/* Points the map at a stage, block and warp. Start from {0}; does nothing when nothing changed. */
bool stage_map_set(struct stage_map *map, const struct trace_index *index, int stage, int block,
                   int warp, struct error *error);
void stage_map_free(struct stage_map *map);
/* The last use of a word at or before `step` (its first use when there is none before), by the
 * map's own warp where it has one at that very step. false: the stage does not use the word. */
bool stage_map_use(const struct stage_map *map, uint32_t word, int step, struct word_use *use);
/* Calls `found` with each word that a thread of the block uses in the stage, in the order of steps. */
void stage_map_thread(const struct stage_map *map, int thread,
                      void (*found)(void *context, uint32_t word, int step), void *context);
/* The step in which the n-th pass (from 0) of the map's warp falls; steps when it is past all. */
int stage_map_step_of_pass(const struct stage_map *map, uint64_t pass);

/* ---- overview.c: the whole run at a glance -------------------------------------------------- */

/* Where a run has its conflicts. Steps are those of all stages, numbered through. Setting it up costs
 * O(accesses). */
struct overview {
    const struct trace_index *index;
    size_t steps;
    uint64_t passes, conflicts; /* of the run */
    size_t bad, *worst;         /* steps that have conflicts: how many, and they, the most first */
    size_t most;                /* so many of them make 80 % of the conflicts */
    int most_conflicts;         /* of a warp access */
    uint64_t *of_stage, *of_block; /* conflicts of each */
    double from, to;               /* the steps that the strip shows */
    int columns, rows;             /* of the strip, as overview_bins made them */
    double made_from, made_to;     /* private */
    struct overview_bin *bin;      /* private: [rows * columns] */
};

/* The index must outlive it. overview_free leaves it empty. */
bool overview_init(struct overview *overview, const struct trace_index *index, struct error *error);
void overview_free(struct overview *overview);
size_t overview_step(const struct overview *overview, int stage, int step);
void overview_place(const struct overview *overview, size_t step, int *stage, int *in_stage);
/* The number of a step's warp access with the most conflicts. O(accesses). */
size_t overview_worst_access(const struct overview *overview, size_t step);
/* All warps, numbered through the blocks. */
int64_t overview_warps(const struct overview *overview);
int64_t overview_warp(const struct overview *overview, int block, int warp);
/* Sums the steps from..to up in a strip of columns (steps) and rows (warps); O(accesses) unless it
 * is the same strip as before. */
bool overview_bins(struct overview *overview, int columns, int rows, struct error *error);
/* -1: nothing is accessed in the bin; 0: without conflicts; 1 to 4: the more, the worse, where `most`
 * is what a warp access may have. */
int overview_level(const struct overview *overview, int most, int column, int row);
/* The worst warp access of the bin, or NO_ACCESS. */
size_t overview_access(const struct overview *overview, int column, int row);
/* Shows fewer steps, about the place (0: left, 1: right), or more. Returns whether it changed. */
bool overview_zoom(struct overview *overview, double factor, double place);

/* ---- source.c: the source beside the picture ------------------------------------------------ */

/* A line that accesses shared memory, and what its accesses cost in the whole run. */
struct source_line {
    int file, number;
    const char *text; /* as the recording has it */
    uint64_t accesses, passes, conflicts;
    int row; /* private */
};

/* The lines that a recording names. Setting it up costs O(accesses). */
struct source {
    const struct trace_index *index;
    int lines;                /* 0: the recording names none */
    struct source_line *line; /* by file, then number */
    uint64_t most;            /* passes of a line */
    int *line_of;             /* private, as are these: [sites] */
    int files, rows;
    struct source_file *file;
    struct source_row *row;
    size_t row_room;
};

/* The index must outlive it. source_free leaves it empty. */
bool source_init(struct source *source, const struct trace_index *index, struct error *error);
void source_free(struct source *source);
/* The line of a warp access, or -1. */
int source_line_of(const struct source *source, size_t access);
/* The name of a file as the recording has it; NULL: there are no more. */
const char *source_file_name(const struct source *source, int file);
/* Gives a file's whole text, to be shown. false: it is not what was recorded, and is not shown. */
bool source_text(struct source *source, int file, const char *text, size_t size);
/* The next access of a line after access `at` (NO_ACCESS: the first), of this warp if it has any; from
 * the end on from the beginning. */
size_t source_next(const struct source *source, int line, size_t at, int block, int warp);

/* Where the source is drawn, and how far it is scrolled. */
struct source_pane {
    double x, y, w, h;
    double scroll;  /* points; source_draw limits it */
    int clicked;    /* a line to bring into sight, or -1; source_draw does it once */
    int shown;      /* private: the line that was brought into sight last, */
    double shown_h; /* and in what height */
};
/* Lines to mark, -1 for none. */
struct source_marks {
    int now;        /* is executed, */
    bool conflicts; /* with conflicts */
    int pointed;    /* that the mouse is about */
    unsigned hide;  /* enum hide */
};
/* Draws the source; a line that is executed anew is scrolled into sight. */
void source_draw(const struct source *source, struct source_pane *pane,
                 const struct source_marks *marks, struct drawing *drawing);
/* The line at a point of the pane, or -1. */
int source_line_at(const struct source *source, const struct source_pane *pane, double x, double y);

/* ---- matrix.c: cells, for scenes and figures ----------------------------------------------- */

enum label { LABEL_THREAD, LABEL_ADDRESS, LABEL_VALUE, LABELS };
extern const char *const label_names[]; /* "thread", "address", "value", NULL */

/* How the cells of a matrix are coloured. */
enum paint {
    PAINT_ROUND,   /* accessed in the round: good or bad by its bank's conflicts */
    PAINT_NONE,    /* by list only */
    PAINT_STALLS,  /* accessed in the round: bad where a thread uses several words in the round */
    PAINT_ALIGNED, /* words in bank (aligned_bank + j) read in round j, 0 <= j < aligned_banks:
                    * bad; others by list (cfmerge Fig. 4) */
    PAINT_ON_TIME, /* the same words good, other words of those banks bad, the rest grey
                    * (worstcase Figs. 1, 3) */
    PAINT_ALIKE,   /* accessed in the round: an edge, whatever the conflicts; others by list */
};

/* What a picture hides while a student has to find it out: bits. */
enum hide {
    HIDE_TOTALS = 1,  /* passes and conflicts, here and in the timeline */
    HIDE_DEGREES = 2, /* at the ends of rows */
    HIDE_COLOURS = 4, /* of conflicts */
    HIDE_REASONS = 8, /* who meets whom in a bank */
    HIDE_COSTS = 15,  /* all of these */
    HIDE_LABELS = 16, /* what cells say, and the mouse of them */
};

/* The words that the map's warp accesses in some steps, and what that costs. */
struct accessed {
    int count;
    size_t room;                /* private */
    struct accessed_word *word; /* by word, each once */
    int accesses;               /* of warps; the next are their sums */
    int passes, conflicts;
    int lanes;
    int requests, sectors, least; /* of global memory: accesses; sectors; the least possible */
    int ways;                     /* the largest */
    bool wide;                    /* lanes of an access are served in groups */
    uint16_t degree[MAX_WARP];    /* per bank: the largest */
    bool bad[MAX_WARP];           /* per bank: serves several words in one go */
};
struct accessed_word {
    uint32_t word;
    int thread;  /* the first that accesses it */
    int sharers; /* how many threads do */
    int second;  /* of two or more, the next */
    bool alone;  /* by an atomic operation: they are served one by one */
    int turn;    /* the pass that serves it first, from 0; of its own warp access */
    bool bad;
};
/* Fills it for the steps from first up to, not including, end. paint: PAINT_STALLS marks as bad
 * the words of threads that use several; otherwise those of bad banks. Start from {0}. */
bool accessed_take(struct accessed *accessed, const struct stage_map *map, int first, int end,
                   enum paint paint, struct error *error);
void accessed_free(struct accessed *accessed);
const struct accessed_word *accessed_find(const struct accessed *accessed, uint32_t word);

/* Neighbouring columns of a matrix, to be drawn. */
struct matrix {
    const struct stage_map *map;
    const struct accessed *accessed; /* NULL: none is marked */
    int step;                        /* users at or before it give the cells their labels */
    enum paint paint;
    int aligned_bank, aligned_banks;
    int pass; /* in a race: the pass of the step, from 1, that serves words now; 0: all are shown */
    enum label label;
    bool plain;   /* no list colours, and unused words look like used ones */
    bool address; /* unused words too are labelled with their address */
    bool blank;   /* no word is labelled */
    enum matrix_layer { MATRIX_ALL, MATRIX_CELLS, MATRIX_LABELS } layer; /* what is drawn of it */
    bool both; /* a word of two threads is labelled with both, and not as 1+ */
    char list; /* only the words of this list; 0: all */
    int first_column, columns, first_row, rows;
    double x, y, cell_w, cell_h; /* of the first cell */
    double least_text;           /* font size below which cells have no text */
};
void matrix_draw(const struct matrix *matrix, struct drawing *drawing);
/* The partition borders between its cells. */
void matrix_borders(const struct matrix *matrix, struct drawing *drawing);
/* Bank numbers, right-aligned at x; degrees, left-aligned at x. */
void matrix_banks(const struct matrix *matrix, double x, struct drawing *drawing);
void matrix_degrees(const struct matrix *matrix, double x, struct drawing *drawing);

/* ---- sectors.c: global memory, below the timeline ------------------------------------------- */

/* The strip's height below the timeline; 0: the trace has no global memory. */
double sectors_height(const struct trace_index *index);
/* The access to global memory that a step is shown with: that of the map's warp; at one to shared memory the
 * one that the same source line has, the n-th with the n-th, so that `tile[i] = in[k]` shows both of its
 * prices. NO_ACCESS: there is none. */
size_t sectors_access(const struct stage_map *map, int step);
struct sectors_strip {
    double x, y, w, wide; /* w: of the bars, as of the timeline; wide: of all */
    int step;
    uint64_t most; /* sectors of a step, in all panels */
    double size;   /* of the font; 0: the window's */
    unsigned hide; /* enum hide */
};
void sectors_draw(const struct stage_map *map, const struct sectors_strip *strip,
                  struct drawing *drawing);
/* The sectors of a step and what they are, without bars: for figures of one round. */
double sectors_step_height(void);
void sectors_draw_step(const struct stage_map *map, const struct sectors_strip *strip,
                       struct drawing *drawing);

/* How a word looks, whatever it is drawn on. */
struct matrix_cell {
    enum role fill, ink, edge;
    bool used;     /* by the stage, or accessed now */
    bool own;      /* by the map's own warp */
    bool now, bad; /* accessed now; with a conflict */
    int thread;
    bool shared; /* by several threads at once */
    int second;  /* of two, where both are to be named; or -1 */
    char tag;    /* the list, ' ' for none */
    bool has_value;
    int64_t value;
    uint32_t addr; /* of the value, and how many */
    int bytes;
};
struct matrix_cell matrix_cell(const struct matrix *matrix, uint32_t word);
/* The fill of words of a list, ' ' for none: lists are told apart as A, B, C, D and again. */
enum role matrix_list_fill(char tag, bool muted);
/* The label of the cell, "" for none. */
void matrix_label(const struct matrix *matrix, uint32_t word, const struct matrix_cell *cell,
                  char *text, size_t size);

/* ---- names.c: what the source calls it --------------------------------------------------------- */

/* A value that is so many bytes from addr on, as the type of its array has it: "0.5", "(1, 2)". */
void name_value(const struct trace_header *header, uint32_t addr, int bytes, int64_t value,
                char *text, size_t size);
/* "tile[3][17]". false: the recording does not name the array. */
bool name_place(const struct trace_header *header, uint32_t addr, char *text, size_t size);
/* A thread of the block: "17", or "(17, 3)" where blocks have several dimensions. */
void name_thread(const struct trace_header *header, int thread, char *text, size_t size);

/* ---- why.c: who, where, when and why, in words -------------------------------------------- */

/* One sentence or part of one, at most size - 1 bytes. `accessed` holds what the map's warp accesses
 * now. */

/* What the accesses cost: "12 lanes, 5 passes, 4 conflicts", without the lanes unless asked. */
void why_cost(const struct accessed *accessed, bool lanes, char *text, size_t size);
/* "word 43, list A, value 12: read by thread 3 in round 4" for a word at or before a step; where the
 * recording names arrays, "tile[3][17], value 0.5: read by thread (17, 3) in round 4". */
void why_word(const struct stage_map *map, uint32_t word, int step, char *text, size_t size);
/* "bank 7: words 43, 55, 67 for threads 3, 8, 11: three passes" */
void why_bank(const struct stage_map *map, const struct accessed *accessed, int bank, char *text,
              size_t size);
/* "round 2, slot 1: 3 passes, 2 conflicts; 9 passes by its end" */
void why_step(const struct stage_map *map, int step, char *text, size_t size);

/* "merge, round 2, block 0, warp 1: 5 passes, 4 conflicts" */
void why_access(const struct trace_index *index, size_t access, char *text, size_t size);

/* ---- view.c: what the window shows, and how it moves --------------------------------------- */

enum { PANELS = 4 };

/* A trace with its index, which a panel may own. */
struct exhibit {
    struct trace trace;
    struct trace_index index;
};
/* Empty; to be filled by trace_memory_sink(&exhibit->trace), and then indexed. */
struct exhibit *exhibit_new(void);
bool exhibit_index(struct exhibit *exhibit, struct error *error);
void exhibit_free(struct exhibit *exhibit); /* NULL: nothing */

/* Where a panel was drawn: filled by scene_draw, read by view_hit and the mouse. */
struct panel_layout {
    double x, y, w, h;                     /* the panel */
    double cells_x, cells_y;               /* top left of the first cell drawn */
    double cell_w, cell_h;                 /* of one cell */
    double cells_w, cells_h;               /* of all cells drawn */
    int first_column, columns;             /* columns drawn */
    int first_row, rows;                   /* banks drawn */
    double bars_x, bars_y, bars_w, bars_h; /* the timeline */
    double over_x, over_y, over_w, over_h; /* the strip of the overview; no height: none */
};

struct view_panel {
    const struct trace_index *index;
    int subject;         /* that it shows, + 1; 0: none, it cannot be recorded anew */
    struct exhibit *own; /* whose index it is; NULL: somebody else's */
    char title[256];     /* instead of the kernel and its parameters; "": those */
    bool advised;        /* it shows the leader's recording in other layouts */
    uint64_t before[2];  /* passes and conflicts of the run that it replaced, */
    bool replaced;       /* if it did */
    int stage, block, warp;
    int step; /* the step drawn: -1 before the stage's first; steps once it has finished (race) */
    struct stage_map map;
    struct overview overview;
    struct source source;
    struct panel_layout layout;
};

/* A place in the picture. */
struct hit {
    enum { HIT_NOTHING, HIT_PANEL, HIT_CELL, HIT_BANK, HIT_TIMELINE, HIT_OVERVIEW } kind;
    int panel;
    int bank, column; /* HIT_CELL; HIT_BANK has the bank only */
    uint32_t word;    /* HIT_CELL */
    int step;         /* HIT_TIMELINE */
    size_t access;    /* HIT_OVERVIEW: the worst warp access there */
};

/* Plain data. Move it with the functions below; label, theme and playing may be set directly. */
struct view {
    int panels; /* 0 to PANELS */
    int active; /* the panel that leads: its stages are the ones that move */
    struct view_panel panel[PANELS];
    struct trace_step at; /* shared (round, slot), when not racing */
    bool race;            /* panels share the pass instead */
    uint64_t pass;        /* shared pass of the stage, when racing, from 0 */
    bool playing;         /* the window calls view_step(view, 1) as time goes by */
    enum label label;
    const struct theme *theme;
    double zoom;                   /* 1: the whole matrix fits */
    double pan_column, pan_row;    /* first column and bank drawn, when zoomed */
    struct hit hover;              /* drawn with its reason in the bottom line */
    unsigned hide;                 /* enum hide: not drawn, not said; */
    unsigned asked;                /* of these, what a question hides: set it with view_hide */
    bool veiled;                   /* and all costs, as a teacher wishes: view_veil */
    bool presenting;               /* to a class */
    const struct pane_block *note; /* for the presenter alone, */
    int notes;                     /* not owned */
    bool no_overview;              /* the strips are hidden */
    bool no_leader;                /* nothing marks the panel that leads */
    /* Only these are drawn, at zoom 1, with dots for what is left out; NULL: all. Such a picture knows
     * no mouse. */
    const struct numbers *only_columns, *only_banks;
    int followed; /* the thread that is followed through the rounds + 1; 0: none */
    size_t worst; /* rank of the step that view_worst has shown */
};

/* Shows one or two indexed traces (second may be NULL) from the start of their first stage. The
 * indexes must outlive the view. first NULL: a view without panels, for view_add. */
bool view_init(struct view *view, const struct trace_index *first, const struct trace_index *second,
               struct error *error);
void view_free(struct view *view);
/* Adds a panel, which owns the recording from then on, and does not lead. */
bool view_add(struct view *view, struct exhibit *exhibit, struct error *error);
/* Shows another recording in a panel, at the same stage, round, block and warp as far as it has them;
 * the panel owns it from then on, and tells the totals before and after if `compare`. */
bool view_replace(struct view *view, int panel, struct exhibit *exhibit, bool compare,
                  struct error *error);
/* Takes a panel away that is not the only one. */
bool view_remove(struct view *view, int panel);

/* Moves. Each returns whether the picture changed; at an end nothing moves. */
bool view_step(struct view *view, int by);  /* steps (passes when racing), over stage ends too */
bool view_stage(struct view *view, int by); /* to the start of a stage */
bool view_warp(struct view *view, int by);  /* warps, over block ends too; in both panels */
bool view_home(struct view *view);          /* first step of the stage; again: of the trace */
bool view_end(struct view *view);           /* last step of the stage; again: of the trace */
bool view_race(struct view *view, bool race);
bool view_hide(struct view *view, unsigned hide); /* and ends the race that would tell the totals */
bool view_veil(struct view *view, bool veiled);   /* the same */
bool view_swap(struct view *view);                /* the next panel leads */
bool view_go(struct view *view, int stage, int round, int slot); /* of the leading panel */
bool view_go_warp(struct view *view, int block, int warp);
bool view_go_access(struct view *view, size_t number); /* of the leading panel's trace */
/* To the step of the leading panel with the most conflicts of all blocks and warps, and to the warp
 * that has the most of them; from there to the next worse. false: no step has conflicts, or they are
 * not to be told. */
bool view_worst(struct view *view);
/* To the worst step of a stage; to its first access when no step of it has conflicts. */
bool view_worst_of(struct view *view, int stage);
/* To a round of the stage, or the last one before it. */
bool view_round(struct view *view, int round);
/* Shows more or less of the run in the strip at a point of the picture. */
bool view_zoom_overview(struct view *view, double factor, double x, double y);
/* Zooms by a factor about a point of the picture; pans by points. */
bool view_zoom(struct view *view, double factor, double x, double y);
bool view_pan(struct view *view, double dx, double dy);
bool view_zoom_reset(struct view *view);
/* Keeps the pan within the layouts drawn last: for scene_draw. */
void view_clamp(struct view *view);
/* What lies at a point of the picture last drawn. */
struct hit view_hit(const struct view *view, double x, double y);
/* What the leading panel's warp accesses now, and the warp access that a hit is about; or NO_ACCESS. */
size_t view_access(const struct view *view);
size_t view_hit_access(const struct view *view, const struct hit *hit);
/* Moves the mouse there; true when the hovered thing changed. */
bool view_hover(struct view *view, double x, double y);
/* Goes to the place of a hit in the timeline or the overview; other hits do nothing. */
bool view_click(struct view *view, const struct hit *hit);
/* Follows the thread that uses a cell, in both panels, and shows its warp; lets it go when it is the
 * one already. Other hits do nothing. */
bool view_follow(struct view *view, const struct hit *hit);
/* Follows a thread of the leading panel's block, or none (-1). */
bool view_follow_thread(struct view *view, int thread);
/* What the thread that is followed does now, and why it takes so long; empty when there is none. */
void view_why_followed(const struct view *view, char *line, size_t size);
/* Writes where the view is, a name and a value on each line ("stage merge"): what pages keep. */
void view_place(const struct view *view, FILE *file);
/* Passes of the stage in the panel that needs most: the length of the race. */
uint64_t view_passes(const struct view *view);
/* Who, where, when and why, in one sentence: "bank 7: words 43, 55, 67 for threads 3, 8, 11:
 * three passes". Empty for HIT_NOTHING. */
void view_why(const struct view *view, const struct hit *hit, char *line, size_t size);

/* ---- legend.c: what the colours mean ------------------------------------------------------------ */

struct legend {
    int count;
    bool tex; /* its words are TeX's own */
    struct legend_sample {
        enum role fill, edge;
        char text[80]; /* "": it is not shown */
    } sample[32];
};
/* lists: as in struct stage_map; others: words of other warps are shown, too; hide: enum hide. */
void legend_make(struct legend *legend, uint32_t lists, bool others, bool race, unsigned hide);
/* Gives the samples own words, one after another, separated by commas. */
void legend_words(struct legend *legend, const char *words);
/* Draws the samples in letters of that size, the first line's baseline at y, in as many lines as
 * needed but at most `most`: of a single line, those that fit. Returns the lines. drawing may be NULL:
 * it only measures. */
int legend_draw(const struct legend *legend, double left, double y, double width, double size,
                int most, struct drawing *drawing);

/* ---- scene.c: the window's picture --------------------------------------------------------- */

/* Draws the view into an empty or used list, for a page of width x height points, and records the
 * layouts in the view. Returns false when the list overflowed (drawing->error). */
bool scene_draw(struct view *view, double width, double height, struct drawing *drawing);

/* The height of a page on which cells come out well, for a page of that width. */
double scene_height(const struct view *view, double width);

/* ---- numbers.c: lists of numbers: of rounds, banks and columns ---------------------------------- */

enum { NUMBER_RANGES = 64 };
/* Made by numbers_read. */
struct numbers {
    int ranges; /* ascending, and none overlap */
    struct number_range {
        int first, last;
    } range[NUMBER_RANGES];
};
/* Reads "3", "2-5", "0,2,4-6" or "all". false: it is none of these. */
bool numbers_read(struct numbers *numbers, const char *text);
bool numbers_have(const struct numbers *numbers, int number);
/* How many from first to last are in the list, and which one is the i-th of these, from 0. */
int numbers_count(const struct numbers *numbers, int first, int last);
int numbers_at(const struct numbers *numbers, int first, int i);

/* Banks or columns with some left out. Lengths are cells; where some are left out there is one with
 * dots. */
#define CROP_DOTS 1.0
struct crop {
    int groups; /* of neighbours */
    struct crop_group {
        int first, count;
        double at; /* its first cell */
    } group[NUMBER_RANGES];
    double size;
};
/* Those of `count`, from 0, that are in the list; NULL: all. false: none of them is. */
bool crop_make(struct crop *crop, const struct numbers *only, int count);

/* ---- moving.c: pictures that move --------------------------------------------------------------- */

/* The window's picture, one frame for each step of a stage, or in a race for each pass. */
struct moving {
    struct view *view;            /* in its stage; a race is one already */
    const struct numbers *rounds; /* only those of which some panel is in one; NULL: all */
    double width;                 /* of the page, in points */
    double scale;                 /* pixels of a point */
    void (*progress)(size_t done, size_t of);
    /* Filled in: */
    size_t frames;
    int wide, high; /* of a frame, in pixels */
    uint32_t
        colour[255]; /* 0xRRGGBB: those of the theme that are in a frame, and then those that */
    int colours;     /* most pixels have */
};
/* Writes the frames as PNG, one after another, of even width and height. Moves the view. */
bool moving_draw(struct moving *moving, FILE *file, struct error *error);

/* ---- figure.c, figure_part.c: pictures for paper -------------------------------------------- */

/* What is written beside cells, as in worstcase-2. Columns are counted as they are shown. */
struct figure_note {
    enum {
        NOTE_TOP,    /* a bracket over columns */
        NOTE_BOTTOM, /* under them */
        NOTE_LEFT,   /* left of banks */
        NOTE_RIGHT,  /* right of them */
        NOTE_FRAME,  /* around columns and banks, without text */
        NOTE_CELL    /* in the cell of a word, instead of its label */
    } kind;
    int first_column, last_column, first_bank, last_bank;
    uint32_t word;
    char text[100];
};

/* The matrices of one stage of one trace: a figure's row of data. {.index = ...} alone is the
 * whole first stage as one matrix for warp 0. */
struct figure_part {
    const struct trace_index *index;
    const char *title; /* above the matrices; NULL: made from the trace; "": none */
    int stage, block;
    int warp;    /* -1: all warps of the block count as accessing */
    bool rounds; /* a matrix for each round from first_round to last_round, titled "round 3", or
                  * several where a thread has several accesses in a round, titled "round 3, slot
                  * 1"; otherwise one matrix of the whole stage */
    int first_round, last_round;
    const struct numbers *only; /* of those, the ones in this list; NULL: all */
    bool one_slot;              /* of each round only this slot */
    int slot;
    enum paint paint;
    int aligned_bank, aligned_banks; /* PAINT_ALIGNED, PAINT_ON_TIME */
    enum label label;
    bool plain;        /* no list colours, unused words look like used ones (cfmerge Fig. 1) */
    bool split;        /* columns by list, with headings "A" and "B" */
    bool degrees;      /* the degree of each bank at its row's end, passes in the round's title */
    bool arrows;       /* from each thread to the cells that it accesses in a round */
    bool tex;          /* title and notes are TeX's own words, where they are written for it */
    bool both;         /* a word of two threads names both, as 1,2; otherwise as 1+ */
    bool borders;      /* the partition borders of the header, where it has them */
    bool used_columns; /* only columns with a word that the warp uses in the stage */
    /* Of the columns that would be shown, counted from 0, and of the banks, only these, with dots for
     * what is left out; NULL: all. */
    const struct numbers *only_columns, *only_banks;
    int notes; /* beside the cells of every matrix */
    const struct figure_note *note;
    unsigned hide; /* enum hide; figures heed only totals and labels */
};

struct figure {
    int parts;
    const struct figure_part *part; /* side by side when each has one matrix and they fit */
    double width;                   /* of the page, in points */
    double height;                  /* at most, in points; 0: a long sheet */
    int per_row;                    /* matrices in a row; 0: as many as fit */
    double cell;                    /* height of a cell, in points; 0: as fits */
    const char *legend;             /* under it all: own words, "" for the usual; NULL: none */
};

/* Points a part, whose index is set, at what to look at first: the stage with the most conflicts, the
 * first block and warp that use memory there, and rounds as below. false: there is none. */
bool figure_choose(struct figure_part *part, struct error *error);
/* Sets the rounds of the parts, whose stage, block and warp are set: all where they are few and the
 * matrices small, otherwise the one round in which the first part's warp needs most passes, or, if that
 * has many slots, the one of them. */
bool figure_choose_rounds(struct figure_part *part, int parts, struct error *error);

/* Neighbouring columns of a part's matrix, of one list or of all. */
struct column_run {
    int first, columns;
    char list; /* 0: all */
    bool first_of_list;
    int number; /* of the first one among those that would be shown */
    bool cut;   /* some are left out before it */
};
/* What a matrix shows: steps from `first` up to, not including, `end`. */
struct figure_matrix {
    int round, first, end;
    int slot, last_slot; /* -1: it is all of the round, or of the stage */
};
/* A part ready to be drawn: its map, its matrices, and the columns that they show. */
struct measured_part {
    const struct figure_part *part;
    struct stage_map map;
    int matrices;
    size_t matrix_room; /* private */
    struct figure_matrix *matrix;
    int runs;
    size_t run_room; /* private */
    struct column_run *run;
    int columns;  /* of all runs */
    bool cut_end; /* some are left out behind the last one */
};
/* Measures a part; figure_release in any case. false: *error says why there is nothing to draw. */
bool figure_measure(struct measured_part *measured, const struct figure_part *part,
                    struct error *error);
void figure_release(struct measured_part *measured);
/* How many rounds the part has; 1 for a whole stage. */
int figure_rounds(const struct figure_part *part);
/* "round 3", or "round 3, slot 1", "round 3, slots 0-1". */
void figure_moment(const struct figure_matrix *matrix, char *text, size_t size);
/* "merge, round 3, block 0, warp 2: 5 passes, 4 conflicts" */
void figure_state(const struct measured_part *measured, char *text, size_t size);
/* title.c: draws a part's title at most that wide, in as many lines as it needs, or without a drawing only
 * measures it. Returns its height. */
double figure_title(const struct measured_part *measured, enum align align, double x, double y,
                    double width, struct drawing *drawing);

/* Draws the figure; the page's height follows. false: *error says what does not fit. */
bool figure_draw(const struct figure *figure, struct drawing *drawing, struct error *error);
/* The labels of one matrix (of rounds: the last) as text, the form of the papers' tables: one row
 * per bank, cells separated by a space, "-" for none. */
bool figure_cells(const struct figure_part *part, FILE *file, struct error *error);

/* ---- figure_data.c: what a figure shows as numbers ---------------------------------------------- */

enum figure_numbers { FIGURE_CSV, FIGURE_JSON };
/* A record for each cell of the figure that the stage uses: recording (from 0), kernel, stage, block, round, slot
 * (of a matrix that is a part of its round), bank, word, list, warp, thread, value, "alone" or "conflict" where
 * it is accessed now, and by how many threads. CSV has them below a comment, "# about", and a line of names; JSON
 * in a list "cells" beside "made_by". */
bool figure_write_numbers(const struct figure *figure, enum figure_numbers form, const char *about,
                          FILE *file, struct error *error);

/* ---- terminal.c: a part's matrices as text -------------------------------------------------- */

/* What a terminal, or a file instead of one, can show. */
struct terminal {
    int width;                 /* characters of a line */
    const struct theme *theme; /* its colours, or NULL: none */
};
/* Of an open file: a terminal's own width, 80 elsewhere; colours only on a terminal, and not when
 * NO_COLOR is set or TERM is "dumb" or missing. `theme` is the one that the user wants. */
struct terminal terminal_of(FILE *file, const struct theme *theme);
/* Prints words wrapped at `width`, with `first` before the first line and as much space before the
 * others; a newline in the text breaks the line. */
void terminal_wrap(const char *first, const char *text, int width, FILE *file);
/* Prints a part as text, every line indented so far: a title, the state, and a matrix for each
 * round (several side by side where they fit), one row per bank and one column per column of words
 * that the warp uses. Accessed words have their label, and '!' after it where they conflict; other
 * words of the warp are the letter of their list, or '.'. Colours only repeat what is written. At
 * the row's end, the words that the bank serves; under a single round, why it costs what it costs. */
bool terminal_print(const struct figure_part *part, const struct terminal *terminal, int indent,
                    FILE *file, struct error *error);

/* ---- libraries.c: cairo with Pango, and SDL ------------------------------------------------- */

/* The functions of a library may be called once it is loaded. Loading it again is cheap. */
bool load_cairo(struct error *error);
bool load_sdl(struct error *error);

/* ---- render.c: a drawing on a cairo surface ------------------------------------------------ */

/* Caches fonts and glyphs between frames; call load_cairo() before. NULL: out of memory. */
struct renderer *renderer_new(void);
void renderer_free(struct renderer *renderer);
/* Draws the list in the theme's colours; the context's matrix maps points to its units. Items above or
 * below its surface, or its clip, cost little. */
void renderer_draw(struct renderer *renderer, cairo_t *cr, const struct drawing *drawing,
                   const struct theme *theme);
/* Draws the list on an image surface that shows the list `before` in the same theme: only the rows in
 * which they differ. *changed: those, in pixels. */
bool renderer_redraw(struct renderer *renderer, cairo_surface_t *surface, double scale,
                     const struct drawing *before, const struct drawing *drawing,
                     const struct theme *theme, struct rows *changed, struct error *error);

/* ---- svg.c: a drawing as SVG ----------------------------------------------------------------- */

/* Returns true: whoever closes the file learns whether all could be written. title and description, of
 * the picture as a whole, may be NULL. */
bool svg_write(const struct drawing *drawing, const struct theme *theme, FILE *file);
bool svg_write_about(const struct drawing *drawing, const struct theme *theme, const char *title,
                     const char *description, FILE *file);

/* ---- export.c: a drawing as a file --------------------------------------------------------- */

/* What a file has beside the drawing. */
struct export_options {
    int dpi;             /* pixels an inch; 0: 300, or fewer where that becomes huge */
    const char *title;   /* of the file; in TeX, the figure's caption; or NULL */
    const char *label;   /* in TeX, of the figure; or NULL */
    bool tex;            /* the title is TeX's own words */
    const char *origin;  /* how it was made, for people who find the file; or NULL */
    const char *program; /* "Bankscope 1.0.0 (1a2b3c4)", or NULL */
};

/* "COMMAND; Bankscope 1.0.0 (1a2b3c4)" in one line, or "". Returns `about`. */
enum { EXPORT_ABOUT = 5000 };
const char *export_about(const struct export_options *options, char *about, size_t size);

/* One file format. write returns whether the whole file was written. */
struct format {
    const char *extension; /* "pdf" */
    const char *what;      /* "vector figure with embedded fonts" */
    bool (*write)(const struct drawing *drawing, const struct theme *theme,
                  const struct export_options *options, FILE *file);
    bool with_cairo;
};

extern const struct format formats[]; /* a NULL extension ends the table */
/* Writes the drawing in the format that the path's extension names ("-": text to standard output).
 * options may be NULL.
 * false: *error says which formats there are, or what went wrong; no half file is left. */
bool export_drawing(const struct drawing *drawing, const struct theme *theme,
                    const struct export_options *options, const char *path, struct error *error);
/* What stands before and behind a picture in TeX, so that it compiles on its own with that package, as a
 * page of width x height points, and can be \input into a document that loads it. Colours are bs-ROLE. */
void tex_begin(const struct export_options *options, const struct theme *theme, const char *package,
               double width, double height, FILE *file);
void tex_end(const struct export_options *options, double width, FILE *file);
/* Gives a PDF its date. */
void export_date(cairo_surface_t *surface);
/* Writes text for TeX, in which none of it is a command. */
void tex_write(const char *text, FILE *file);
/* Checks the extension before work begins. */
bool export_is_format(const char *path, struct error *error);

/* ---- png.c: pixels as a PNG ---------------------------------------------------------------- */

/* Writes an image surface, flushed, and what the options say of it. options NULL: as a frame that is read
 * but once, five times as fast, and larger. */
bool png_write(cairo_surface_t *surface, const struct export_options *options, FILE *file);

/* ---- document.c: several pages ----------------------------------------------------------------- */

/* Start from {0}. */
struct document {
    struct drawing *page;
    int pages;
    size_t room; /* private */
};
/* A new page at its end, empty. */
struct drawing *document_page(struct document *document);
void document_free(struct document *document);
/* Writes the pages, each of its own size, as one PDF. */
bool document_write(const struct document *document, const struct theme *theme, const char *path,
                    struct error *error);

/* ---- pane.c: text beside and above the picture --------------------------------------------- */

enum pane_kind {
    PANE_TEXT,
    PANE_HEADING,
    PANE_ITEM,     /* of a list, with a bullet */
    PANE_NUMBERED, /* the text begins with its number, "3. ", or with a blank */
    PANE_CODE,
    PANE_FIELD,
    PANE_GOOD,
    PANE_BAD,
    PANE_TITLE,
    PANE_QUESTION,
    PANE_NOTE,
    PANE_LISTING /* code in small letters */
};

/* A paragraph. Words are wrapped, a newline breaks the line; code keeps its spaces, a field is a
 * line to type into. */
struct pane_block {
    enum pane_kind kind;
    const char *text;
};

/* A key and what it does, as the help shows them. */
struct key_help {
    const char *key;  /* "Left", "Shift+Tab", "q"; NULL ends a table */
    const char *help; /* NULL: the key joins the row above; "": not shown */
};

/* The text pane of a window: lessons use it. The owner sets it and may change all of it, and the
 * view, in `press`; the window draws and scrolls it. */
struct pane {
    const struct pane_block *block;
    int blocks;
    const char *footer;          /* one line at the bottom, or NULL */
    const struct key_help *keys; /* shown in the help above the window's own, or NULL */
    double scroll;               /* points above the first line shown; 0 for a new page */
    double most;                 /* that it can be: set by pane_draw */
    /* Asked before the window's own keys, with the name of the key: what it types ("a", "7", "?"),
     * or SDL's name of it after "Ctrl+", "Alt+", "Shift+" ("Return", "Shift+Left"). Returns
     * whether it took the key. */
    bool (*press)(void *context, struct view *view, const char *key);
    /* Asked four times a second whether something has changed, or NULL. */
    bool (*look)(void *context, struct view *view);
    void *context;
};

/* Draws a block with the space above it from y on, wrapped to the width. Returns where it ends. */
double pane_block_draw(const struct pane_block *block, double x, double y, double width,
                       struct drawing *drawing);
/* Draws the text into a box; limits pane->scroll. */
void pane_draw(struct pane *pane, double x, double y, double w, double h, struct drawing *drawing);
/* Draws the tables of keys above everything, in letters that fit the drawing's page. */
void help_draw(const struct key_help *const *tables, int count, struct drawing *drawing);
/* The same as text: "Left, Right: one step back, one step on. " */
void help_says(const struct key_help *const *tables, int count, FILE *file);
/* A row of a list: what it is, and a number that a bar shows. */
struct list_row {
    char name[96];
    uint64_t number;
};
/* Draws a list above everything, as many rows as the page has room for, around the chosen one.
 * `row` fills in a row; `most` is the largest number of all. */
void list_draw(const char *title, int rows, int chosen, uint64_t most,
               void (*row)(const void *context, int number, struct list_row *row),
               const void *context, struct drawing *drawing);
/* Draws one line above everything, centred near the bottom of a box. */
void note_draw(const char *text, double x, double y, double w, double h, struct drawing *drawing);

/* ---- dials.c: parameters to turn -------------------------------------------------------------- */

/* A parameter of what was recorded. Recordings that can be made anew are *subjects*, numbered from 0;
 * several may share a dial. */
struct dial {
    char name[32];
    const char *help;         /* lives as long as the subject, as do these: */
    const char *unit;         /* the name of a dial of which it is a multiple, or NULL */
    const char *const *words; /* the value is the index of one of them; or NULL */
    int64_t value, lowest, highest;
    int64_t slider;    /* the end of its slider: at most highest */
    bool turned;       /* it is no longer as the subject came */
    unsigned subjects; /* bits */
};

enum { DIALS = 64 };
struct dials {
    int count;
    struct dial dial[DIALS];
    int chosen;
    bool focus, hidden; /* keys go to the dials; they are not shown */
    bool dragged;       /* the chosen one's slider is */
    char typed[20];
    unsigned turned;   /* subjects of which dials have been turned: bits, for the owner to clear */
    unsigned wrong;    /* subjects that are not as the dials say: bits, set by the owner */
    double x, y, w, h; /* where they are drawn */
    int first;         /* private: the first row drawn */
};
/* Adds a dial of one subject; one that is alike is shared. false: there are too many. */
bool dials_add(struct dials *dials, const struct dial *dial);
/* Only those of these subjects stay. */
void dials_keep(struct dials *dials, unsigned subjects);
/* "17", or the word. */
void dial_text(const struct dial *dial, char *text, size_t size);
/* Turns the chosen dial by so many steps. These return whether something changed or was taken. */
bool dials_turn(struct dials *dials, int by);
bool dials_press(struct dials *dials, const char *key); /* while they have the focus */
bool dials_button(struct dials *dials, double x, double y, bool down);
bool dials_drag(struct dials *dials, double x);
double dials_height(const struct dials *dials);
/* waiting: a recording is being made. There must be at least one dial. */
void dials_draw(struct dials *dials, bool waiting, struct drawing *drawing);

struct job;

/* A launch of a program, as a list shows it. */
struct launch_row {
    char kernel[256], shape[64]; /* "4x4 x 16x16" */
    uint64_t launch, passes, conflicts;
    int number; /* of the workshop's */
};

/* Who can make recordings. `context` is handed to each function. */
struct workshop {
    void *context;
    /* Fills in the dials of a subject as they are now; returns how many. */
    int (*dials)(void *context, int subject, struct dial *dial, int room);
    /* Records job->subject anew as job->dials say, through job_sink or into the result's trace. In
     * any thread, one job at a time, as is open. */
    bool (*record)(void *context, struct job *job);
    /* Loads or records what is called job->name, as one of the subjects job->free; sets
     * job->subject. */
    bool (*open)(void *context, struct job *job);
    /* Writes a web page of job->shown, from job->place on, to the file job->name. May be NULL. */
    bool (*page)(void *context, struct job *job);
    /* Gives a panel that shows the subject what its trace lacks (the source). May be NULL. */
    void (*dress)(void *context, int subject, struct view_panel *panel);
    /* The subjects (bits) whose files have changed since the last call. NULL: none is watched. Not
     * called while open is at work, which changes the subjects. */
    unsigned (*changed)(void *context);
    /* A program as a whole (desk_survey). NULL: there is none; then so are the others. Compiles and runs it, in any
     * thread; job->result is NULL. */
    bool (*survey)(void *context, struct job *job);
    /* In words, what it does at the moment, or has found. At any time, in any thread. */
    void (*doing)(void *context, char *text, size_t room);
    /* Once it is done: how many launches there are to show, and what they are. */
    int (*launches)(void *context);
    void (*launch)(void *context, int number, struct launch_row *row);
    /* Gives job->result the recording of launch job->launch; in any thread. Sets job->subject. */
    bool (*show)(void *context, struct job *job);
};

/* ---- job.c: what takes a while ----------------------------------------------------------------- */

/* Work whose result is a recording to show, or none with *error set; error.text may stay empty if it
 * was stopped. Made by the desk; whoever has threads calls job_run in one. */
struct job {
    bool (*work)(struct job *job); /* whether there is a result */
    const void *context;           /* of work */
    struct dials dials;            /* of job_record: what to record */
    int subject;                   /* of job_record, and what job_open has opened */
    unsigned free;                 /* of job_open: subjects that it may take, and the name, */
    char name[4096];
    bool trace; /* which must be that of a trace's file */
    struct {    /* of job_page: the panels, the leading one among the first two; name is the file */
        const struct trace *trace;
        int subject; /* -1: none */
        char title[256];
    } shown[PANELS];
    int panels;
    char *place;            /* as view_place tells it */
    struct exhibit *result; /* indexed; NULL: work had another purpose */
    char title[256];        /* of its panel; of job_page: the note of what was written before */
    int panel;              /* that it is about */
    int launch;             /* of job_launch */
    bool good;
    atomic_bool stop; /* the result is not wanted any more */
    struct error error;
};
struct job *job_new(bool (*work)(struct job *job), const void *context, int panel);
void job_run(struct job *job);
void job_free(struct job *job);
/* A sink that fills the job's result, and ends what feeds it once the job is to stop. */
struct trace_sink job_sink(struct job *job);
/* Work whose context is a trace: it in the best layouts that advice.h finds. */
bool job_advise(struct job *job);
/* Work whose context is a workshop: to record, to open, to write a page. */
bool job_record(struct job *job);
bool job_open(struct job *job);
bool job_page(struct job *job);
bool job_survey(struct job *job);
bool job_launch(struct job *job);

/* ---- desk.c, desk_keys.c, desk_work.c: what a window does, whatever window it is ------------- */

/* What only the window itself can do. */
enum desk_wish { DESK_NOTHING, DESK_QUIT, DESK_EXPORT, DESK_FULLSCREEN, DESK_PRESENT };

/* What is listed above the picture, to be chosen from. */
enum desk_list { LIST_NONE, LIST_STAGES, LIST_BLOCKS, LIST_LAUNCHES };

/* A view and a pane, independent of the window system: the window passes on its size, keys, pointer
 * and clock, draws the list, and grants wishes. Times are milliseconds of any clock. Members without a
 * function may be read; set `wish` to DESK_NOTHING once it is granted, and `note` to show a message. */
struct desk {
    struct view *view;
    struct pane *pane;           /* or NULL */
    struct drawing drawing;      /* by desk_draw */
    double scale;                /* pixels of a point: text grows with the window, and as wished */
    int larger;                  /* steps by which text is larger than usual */
    int speed;                   /* index of the time between two steps while playing */
    double width, height;        /* in points */
    double picture_w, picture_h; /* of the scene, at the top left */
    double pane_x, pane_y;       /* the rest is the pane, */
    struct source_pane code;     /* and between them the source; no width: it is not shown */
    struct dials dials;          /* above the source; no width: they are not shown */
    int code_pointed;            /* its line that the mouse is about, or -1 */
    bool no_code;                /* it is not wanted */
    double x, y;                 /* the pointer, in points; -1: elsewhere */
    double press_x, press_y;     /* where the button went down */
    enum { DRAG_NOTHING, DRAG_PICTURE, DRAG_TIMELINE, DRAG_OVERVIEW } drag;
    bool in_browser; /* which keeps some keys to itself */
    bool help;
    enum {
        ASK_NOTHING,
        ASK_ROUND,
        ASK_NAME,
        ASK_SEARCH
    } asking; /* for a round, what to open, what is sought */
    enum desk_list list;
    int chosen;                      /* its row */
    int launch_order, launch_chosen; /* of the launches: by which column; the row that was opened */
    char sought[256];
    char typed[1024];
    char note[512]; /* one line above the picture until the next key; "" for none */
    enum desk_wish wish;
    double pixels_w, pixels_h, least_scale; /* of desk_resize */
    uint64_t now, next_step;                /* of the last key; while playing */
    struct job *job;                        /* that is to be done or is being done, or NULL */
    bool job_begun;
    uint64_t job_since; /* when, as far as the keys' times tell */
    struct desk_name {
        char *text; /* NULL: nothing */
        bool trace;
    } names[PANELS];                 /* what is opened next, the first first */
    const struct workshop *workshop; /* or NULL; may be set after desk_init */
    unsigned stale;                  /* subjects to be recorded anew: bits */
    bool same_turn;                  /* the dial that was turned last is being dragged on */
    bool advise_again;               /* once nothing is stale */
    uint64_t next_look;              /* whether files have changed */
    bool blank;                      /* the screen is black until the next key */
    uint64_t present_since;          /* while view->presenting */
    double notes_scroll;             /* points; desk_draw_notes limits it */
};

/* view->panels may be 0: then there is the pane alone. Both must outlive the desk. */
void desk_init(struct desk *desk, struct view *view, struct pane *pane);
void desk_free(struct desk *desk);
/* The window's size, and how many of its pixels a point has at least (more than 1 where a screen
 * has more pixels than the system counts). */
void desk_resize(struct desk *desk, double pixels_w, double pixels_h, double least_scale);
/* These return whether the picture changed. Keys have the names that struct pane's press knows, and
 * "Wheel+Up", "Wheel+Down"; points are those of the drawing. */
bool desk_press(struct desk *desk, const char *key, uint64_t now);
bool desk_button(struct desk *desk, double x, double y, bool down);
bool desk_move(struct desk *desk, double x, double y);
bool desk_leave(struct desk *desk);              /* the pointer is elsewhere */
bool desk_tick(struct desk *desk, uint64_t now); /* call it when desk_wait is over */
/* Milliseconds until there is something to do without an event; -1: never. */
int desk_wait(const struct desk *desk, uint64_t now);
/* Work to begin now, in a thread or at once, or NULL: to be asked after each of the functions above.
 * When job_run has returned, call desk_worked, by the thread that calls the others. */
struct job *desk_work(struct desk *desk);
bool desk_worked(struct desk *desk);
/* Takes over the dials of what the panels show, once the workshop is set. */
void desk_take_dials(struct desk *desk);
/* Begins to survey the workshop's program, whose launches then stand in a list. */
void desk_survey(struct desk *desk);
/* Opens another recording, in a panel of its own or instead of the leading one, once nothing else is
 * being done. trace: it is a trace's file, whatever its name, and nothing is compiled or run. */
bool desk_open(struct desk *desk, const char *name, bool trace);
/* Writes a page of what is shown to that file, where the workshop can and nothing else is being done.
 * The note, which says what else was written, then says this too. */
bool desk_page(struct desk *desk, const char *file);
/* In words, what stands above the picture: the note, the row chosen in a list, the help. Returns
 * whether it stands between the user and the picture. */
bool desk_says(const struct desk *desk, FILE *file);
/* Lays everything out for the size into desk->drawing. */
bool desk_draw(struct desk *desk, struct error *error);

/* ---- present.c: what a teacher has ----------------------------------------------------------- */

/* A ring around the pointer. */
void halo_draw(double x, double y, struct drawing *drawing);
/* The presenter's notes, for a window of their own: the view's, and the numbers that are hidden from
 * the class. false: the list overflowed (drawing->error). */
bool desk_draw_notes(struct desk *desk, double width, double height, struct drawing *drawing);

/* ---- window.c: the window (SDL2) ----------------------------------------------------------- */

/* Shows the view (panels 0: none, the pane alone) and the pane until it is closed. The pane and the
 * workshop may be NULL.
 * false: *error says why, mostly that there is no display.
 *
 * These environment variables are for tests and measurements: BANKSCOPE_DUMP=FILE writes the drawing
 * list (drawing_dump, then a line "frame N") to FILE after each redraw, and that of the notes to
 * FILE.notes; BANKSCOPE_REPLAY=N presses
 * Right N times in a window of 1920 x 1080, prints the milliseconds from key to picture, and of
 * processor time, and ends; BANKSCOPE_TURN=NAME makes it turn that parameter instead. */
bool window_run(const char *title, struct view *view, struct pane *pane,
                const struct workshop *workshop, struct error *error);

#endif
