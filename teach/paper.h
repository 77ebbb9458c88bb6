/* paper.h - a lesson that is put on paper: what paper.c and paper_figure.c share. */
#ifndef BANKSCOPE_TEACH_PAPER_H
#define BANKSCOPE_TEACH_PAPER_H

#include "teach/teach.h"
#include "viewer/viewer.h"

/* A kind of paper, in points. */
struct look {
    double width, height, scale; /* scale: points of a unit */
    double margin, foot;         /* units */
    double figure, pair, tall;   /* of pictures: the widths of one and two, the height at most */
    double letters;              /* of a picture, on average: smaller ones are hard to read */
};

struct sheet {
    const struct lesson_play *play; /* with the recordings so far; */
    const struct lesson_play *all;  /* with those of the whole lesson */
    const struct look *look;
    bool slides, answers;
    struct document *document;
    int first;    /* page of the document */
    double y;     /* where the next block goes, in units */
    double width; /* of the column */
    double top;   /* of the column */
    double axes;  /* slides: what the picture's axes take at the bottom of the column, in units */
    const char *title; /* of a slide */
    int questions;
    const struct lesson_block *run; /* slides: the picture of the page, or NULL; */
    unsigned hide;                  /* without this */
    bool small; /* slides: beside text the picture's numbers are hard to read, */
    bool alone; /* so that it has this slide for itself, */
    bool seen;  /* or has had one */
    struct error *error;
};

/* ---- paper.c ----------------------------------------------------------------------------------- */

double sheet_width(const struct sheet *sheet);         /* of the page, in units; */
double sheet_bottom(const struct sheet *sheet);        /* of the column; */
struct drawing *sheet_page(const struct sheet *sheet); /* the page itself */
/* Puts a text on the page, in letters of that scale; without a page, only measures it. Returns its height. */
double sheet_put_scaled(enum pane_kind kind, const char *text, double scale, double x, double y,
                        double width, struct drawing *page);

/* ---- paper_figure.c ---------------------------------------------------------------------------- */

/* Places a picture with its top at (x, y), as large as the space allows; takes over what it says in words. Returns its
 * height. */
double sheet_place_figure(const struct sheet *sheet, const struct drawing *figure, char *words,
                          double x, double y, double w, double h);
/* Whether its numbers are hard to read in that space. */
bool sheet_is_small(const struct sheet *sheet, const struct drawing *figure, double w, double h);
/* Draws the picture of a run block, without what `hide` (HIDE_...) says, for a space that is so many times as wide as
 * high, and says what it shows: in the caption, and in *words for those who cannot see it, which the caller frees. */
enum { LESSON_CAPTION = 800 }; /* bytes of what is said below a picture */
bool lesson_figure(const struct lesson_play *play, const struct lesson_run *run, unsigned hide,
                   double aspect, struct drawing *drawing, char caption[LESSON_CAPTION],
                   char **words, struct error *error);
/* Slides: the page's picture, what it shows, and what its rows and cells are. */
void sheet_put_picture(struct sheet *sheet);
/* Slides: whether the picture is small where it stands. */
bool sheet_picture_is_small(const struct sheet *sheet);

#endif
