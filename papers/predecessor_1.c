/* predecessor_1.c - predecessor-1: a drawing of a GPU, with as many banks as the recording has. */
#include "papers/papers.h"

enum { PROCESSORS = 3, CORE_ROWS = 2, BANK_ROWS = 3 };

/* Where a multiprocessor is drawn, in points; k scales what is laid out for one column of a paper. */
struct place {
    double x, y, width, k;
    int banks;
};

/* A row of equal boxes, numbered if `numbers` is an ink. Returns the y below it. */
static double cells(struct drawing *drawing, const struct place *at, double y, double height,
                    enum role fill, enum role numbers)
{
    double inner = at->width - 8 * at->k, cell = inner / at->banks;
    struct text_style style = {numbers, 5 * at->k, ALIGN_CENTRE, FACE_PLAIN};
    for (int i = 0; i < at->banks; i++) {
        double x = at->x + 4 * at->k + i * cell;
        drawing_edged(drawing, fill, ROLE_GRID, 0.4 * at->k, x, y, cell, height);
        if (numbers != ROLE_NONE)
            drawing_text(drawing, &style, x + cell / 2, y + height / 2 + TEXT_MIDDLE(style.size),
                         "%d", i);
    }
    return y + height;
}

/* One multiprocessor. Returns the y of its lower edge. */
static double processor(struct drawing *drawing, const struct place *at, int number, double height)
{
    double k = at->k, x = at->x + 4 * k, inner = at->width - 8 * k, y = at->y;
    struct text_style title = {ROLE_INK, 7 * k, ALIGN_LEFT, FACE_BOLD};
    struct text_style label = {ROLE_INK, 6 * k, ALIGN_LEFT, FACE_PLAIN};
    struct text_style centre = {ROLE_INK, 6 * k, ALIGN_CENTRE, FACE_PLAIN};
    drawing_edged(drawing, ROLE_NONE, ROLE_INK, 0.8 * k, at->x, y, at->width, height);
    drawing_text(drawing, &title, x, y + 9 * k, "SM %d", number);
    drawing_edged(drawing, ROLE_GREY, ROLE_GRID, 0.4 * k, x, y + 13 * k, inner, 11 * k);
    drawing_text(drawing, &centre, x + inner / 2, y + 18.5 * k + TEXT_MIDDLE(centre.size),
                 "control logic");
    drawing_text(drawing, &label, x, y + 33 * k, "cores, registers");
    y += 36 * k;
    for (int i = 0; i < CORE_ROWS; i++)
        y = cells(drawing, at, y, 8 * k, ROLE_LIST_A, ROLE_NONE);
    drawing_text(drawing, &label, x, y + 9 * k, "shared memory, banks");
    y += 12 * k;
    for (int i = 0; i < BANK_ROWS; i++)
        y = cells(drawing, at, y, 8 * k, ROLE_LIST_B, i ? ROLE_NONE : ROLE_INK);
    return at->y + height;
}

bool draw_predecessor_1(const struct trace_index *index, int stage, double width,
                        struct drawing *drawing, struct error *error)
{
    double k = width < 241 ? width / 241 : 1, gap = 8 * k, all = 241 * k, each;
    double left = (width - all) / 2, below = 0, height = 92 * k, page = 140 * k;
    struct text_style centre = {ROLE_INK, 7 * k, ALIGN_CENTRE, FACE_PLAIN};
    (void)stage, (void)error;
    drawing_begin(drawing, width, page);
    drawing_box(drawing, ROLE_PAPER, 0, 0, width, page);
    each = (all - (PROCESSORS + 1) * gap) / PROCESSORS;
    for (int i = 0; i < PROCESSORS; i++) {
        struct place at = {.x = left + gap + i * (each + gap),
                           .y = 4 * k,
                           .width = each,
                           .k = k,
                           .banks = index->trace->header.banks};
        below = processor(drawing, &at, i, height);
        double x = at.x + each / 2;
        drawing_line(drawing, ROLE_INK, 0.8 * k, false, x, below, x, below + 14 * k);
    }
    below += 14 * k;
    drawing_edged(drawing, ROLE_USED, ROLE_INK, 0.8 * k, left + gap, below, all - 2 * gap, 22 * k);
    drawing_text(drawing, &centre, width / 2, below + 11 * k + TEXT_MIDDLE(centre.size),
                 "global memory: large, slow, shared by all");
    return true;
}
