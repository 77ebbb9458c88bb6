/* drawing.h - what every picture is made of: a list of boxes, lines and texts, whose roles a theme colours. */
#ifndef BANKSCOPE_VIEWER_DRAWING_H
#define BANKSCOPE_VIEWER_DRAWING_H

#include "instrument/instrument.h"

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
/* A text that is shortened with "..." where it would be wider than `width`. */
void drawing_text_within(struct drawing *drawing, const struct text_style *style, double x,
                         double y, double width, const char *format, ...)
    __attribute__((format(printf, 6, 7)));
/* A path that is shortened at its front, by whole folders, before its end is cut: ".../src/sort.cu". */
void drawing_path_within(struct drawing *drawing, const struct text_style *style, double x,
                         double y, double width, const char *path);
/* A text that is set smaller, if not very small, before it is shortened. */
void drawing_text_smaller(struct drawing *drawing, const struct text_style *style, double x,
                          double y, double width, const char *text);
/* A text that rises by so many degrees (0 to 90) about its place. */
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
/* The rows of pixels that an item can touch. */
struct rows drawing_rows(const struct drawing_item *item);
/* The rows in which two lists may look different; all, if their pages differ in size. */
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
/* The size, from `least` to `most`, at which a text is no wider than this, if there is one. */
double text_fit(const char *text, double width, double least, double most, enum face face);
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
/* Keeps the rows or columns 0 to count - 1 that are in the list (NULL: all). false: none of them is. */
bool crop_make(struct crop *crop, const struct numbers *only, int count);

#endif
