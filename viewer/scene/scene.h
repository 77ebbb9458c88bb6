/* scene.h - a trace prepared for stepping, and what the window shows of it. */
#ifndef BANKSCOPE_VIEWER_SCENE_H
#define BANKSCOPE_VIEWER_SCENE_H

#include "viewer/drawing/drawing.h"
#include "viewer/scene/source.h"

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

/* Which threads use each word in one stage of one block, and what each step costs one warp. Setting it
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
/* The words that lane i of an access touches: from *first, that many; none of global memory. */
uint32_t access_words(const struct warp_access *access, int i, int bank_bytes, uint32_t *first);
/* Calls `found` with each word that a thread of the block uses in the stage, in the order of steps. */
void stage_map_thread(const struct stage_map *map, int thread,
                      void (*found)(void *context, uint32_t word, int step), void *context);
/* The step in which the n-th pass (from 0) of the map's warp falls; steps when it is past all. */
int stage_map_step_of_pass(const struct stage_map *map, uint64_t pass);

/* ---- fold.c: the columns of a large matrix that are drawn -------------------------------------- */

/* Where all columns would be too narrow, only those in use are drawn, side by side: of the stage, or else of the
 * warp, or else of the step. Columns that are drawn are counted from 0 as *places*. */
struct fold {
    enum fold_level { FOLD_NONE, FOLD_STAGE, FOLD_WARP, FOLD_STEP } level;
    bool large;                      /* there are too many columns for all to be readable */
    int columns;                     /* private, as are these: drawn, unless all are */
    int *column;                     /* their numbers, ascending */
    uint8_t *use;                    /* [columns of the matrix]: who uses each */
    const struct trace_index *index; /* for which `use` was made, as were these */
    int stage, block, warp;
};
/* Chooses columns for a step of the map: all, if there are at most `most` of them; otherwise the most of which there
 * are at most `good`, folded at `least` so far. Start from {0}. All, too, if that is wished or there is no memory. */
void fold_set(struct fold *fold, const struct stage_map *map, int step, int most, int good,
              enum fold_level least, bool all);
void fold_free(struct fold *fold);
/* "those that the warp uses" */
const char *fold_words(const struct fold *fold);
/* How many are drawn; which one is at a place; where one is, or -1. */
int fold_columns(const struct fold *fold, const struct trace_index *index);
int fold_column(const struct fold *fold, int place);
int fold_place(const struct fold *fold, int column);
/* The place of a column, or of the next one that is drawn. */
int fold_near(const struct fold *fold, int column);
/* Whether the stage uses a column; false where nothing was chosen yet. */
bool fold_uses(const struct fold *fold, int column);

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
    size_t access;                /* of the last one to shared memory its number, */
    int groups;                   /* and its groups */
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
    int group; /* of lanes that are served together, its first thread is in: its number in the warp access */
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
    bool both;    /* a word of two threads is labelled with both, and not as 1+ */
    char list;    /* only the words of this list; 0: all */
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

/* ---- sight.c: what of a large matrix is in sight ---------------------------------------------- */

struct view_panel;
/* The height that the map and its line need, below the cells; that of the columns' numbers above them. */
double sight_height(void);
double sight_head(const struct view_panel *panel);
/* Draws the numbers of columns, what is left out, and the map, where the panel's layout has one. `keys`: it may say
 * what to press. */
void sight_draw(const struct view_panel *panel, const struct accessed *accessed, bool keys,
                struct drawing *drawing);
/* Whether a point is in the map, and of which column and bank. */
bool sight_hit(const struct view_panel *panel, double x, double y, int *column, int *bank);

/* ---- sectors.c: global memory, below the timeline ------------------------------------------- */

/* The strip's height below the timeline; 0: the trace has no global memory. */
double sectors_height(const struct trace_index *index);
struct sectors_strip {
    double x, y, w, wide; /* w: of the bars, as of the timeline; wide: of all */
    int step;
    uint64_t most; /* sectors of a step, in all panels */
    double size;   /* of the font; 0: the window's */
    bool alone;    /* without banks above it: there is room for larger boxes */
    unsigned hide; /* enum hide */
};
void sectors_draw(const struct stage_map *map, const struct sectors_strip *strip,
                  struct drawing *drawing);
/* The sectors of a step and what they are, without bars: for figures of one round. */
double sectors_step_height(bool alone);
/* The bars of the steps: how far below the strip's y, and how high. */
double sectors_bars_top(bool alone);
double sectors_bars_height(void);
/* Whether the stage's steps touch global memory only: it has no timeline of passes. */
bool sectors_are_alone(const struct stage_map *map);
void sectors_draw_step(const struct stage_map *map, const struct sectors_strip *strip,
                       struct drawing *drawing);
/* Says them: "... 2 sectors of 32 bytes, 2 at least; words wanted of each sector: 8 8". Empty: there are none. */
void sectors_say_step(const struct stage_map *map, int step, unsigned hide, char *text,
                      size_t size);

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

/* What the accesses cost: "12 lanes, 5 passes, 4 conflicts", "32 lanes in 4 groups, ...", without the lanes unless asked. */
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
    int first_column, columns;             /* columns drawn: places of the fold */
    int first_row, rows;                   /* banks drawn */
    double bars_x, bars_y, bars_w, bars_h; /* the timeline */
    double over_x, over_y, over_w, over_h; /* the strip of the overview; no height: none */
    double map_x, map_y, map_w, map_h;     /* the map of the matrix; no height: none */
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
    struct fold fold;
    struct overview overview;
    struct source source;
    struct panel_layout layout;
};

/* A place in the picture. */
struct hit {
    enum { HIT_NOTHING, HIT_PANEL, HIT_CELL, HIT_BANK, HIT_TIMELINE, HIT_OVERVIEW, HIT_MAP } kind;
    int panel;
    int bank, column; /* HIT_CELL, HIT_MAP; HIT_BANK has the bank only */
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
    double pan_column, pan_row;    /* first column (its place) and bank drawn, when zoomed */
    bool bring;                    /* the step has to come into sight; scene_draw does it once */
    bool unfolded;                 /* all columns are drawn, whether they are used or not */
    struct hit hover;              /* drawn with its reason in the bottom line */
    unsigned hide;                 /* enum hide: not drawn, not said; */
    unsigned asked;                /* of these, what a question hides: set it with view_hide */
    bool veiled;                   /* and all costs, as a teacher wishes: view_veil */
    bool presenting;               /* to a class */
    const struct pane_block *note; /* for the presenter alone, */
    int notes;                     /* not owned */
    bool no_overview;              /* the strips are hidden */
    bool no_leader;                /* nothing marks the panel that leads */
    bool explained; /* for who points and presses: reasons have a line below the legend's */
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
void view_veil(struct view *view, bool veiled);   /* the same */
bool view_swap(struct view *view);                /* the next panel leads */
bool view_go(struct view *view, int stage, int round, int slot); /* of the leading panel */
bool view_go_step(struct view *view, int step); /* of the leading panel's stage; it must be drawn */
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
double scene_height(struct view *view, double width);

#endif
