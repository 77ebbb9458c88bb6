/* hand_made.h - what tests of the viewer share: small traces made by hand, and what a drawing has. */
#ifndef BANKSCOPE_TESTS_HAND_MADE_H
#define BANKSCOPE_TESTS_HAND_MADE_H

#include "tests/support/recording.h"
#include "viewer/viewer.h"

/* A warp access of block 0. Lane i of the list reads or writes value 100 + i. */
struct lanes {
    int stage, round, slot, warp;
    enum op op;
    int bytes;
    int count;
    uint8_t lane[8];
    uint32_t word[8]; /* in units of `bytes` */
    const char *tag;  /* or NULL */
};

/* A trace with stages "write", "read" and "rest". */
__attribute__((unused)) static void make(struct trace *trace, int banks, int warp, int threads,
                                         int words, int partition, const struct lanes *list,
                                         int count)
{
    static char *stages[] = {"write", "read", "rest"};
    struct trace_header header = {.kernel = "made <by> hand & \"eye\"",
                                  .backend = "host",
                                  .device = "",
                                  .input = "random",
                                  .banks = banks,
                                  .bank_bytes = 4,
                                  .warp = warp,
                                  .threads = threads,
                                  .blocks = 1,
                                  .shared_bytes = 4 * words,
                                  .partition = partition,
                                  .stages = 3,
                                  .stage = stages};
    struct error error = {{0}};
    memset(trace, 0, sizeof *trace);
    struct trace_sink sink = trace_memory_sink(trace);
    assert_true(sink.header(sink.context, &header, &error));
    for (int i = 0; i < count; i++) {
        uint32_t addr[8];
        int64_t value[8];
        for (int k = 0; k < list[i].count; k++) {
            addr[k] = list[i].word[k] * (uint32_t)list[i].bytes;
            value[k] = 100 + k;
        }
        struct warp_access access = {list[i].stage,
                                     list[i].round,
                                     list[i].slot,
                                     0,
                                     list[i].warp,
                                     list[i].op,
                                     list[i].bytes,
                                     list[i].count,
                                     list[i].lane,
                                     addr,
                                     value,
                                     list[i].tag,
                                     -1,
                                     NULL};
        assert_true(sink.access(sink.context, &access, &error));
    }
    struct trace_end end = {.warp_accesses = (uint64_t)count, .complete = true};
    assert_true(sink.end(sink.context, &end, &error));
}

__attribute__((unused)) static void open_view(struct view *view, struct trace_index *index,
                                              const struct trace *first, const struct trace *second)
{
    struct error error = {{0}};
    if (!trace_index_init(&index[0], first, &error) ||
        (second && !trace_index_init(&index[1], second, &error)) ||
        !view_init(view, &index[0], second ? &index[1] : NULL, &error))
        fail_msg("%s", error.text);
}

__attribute__((unused)) static void close_view(struct view *view, struct trace_index *index)
{
    int panels = view->panels;
    view_free(view);
    for (int p = 0; p < panels; p++)
        trace_index_free(&index[p]);
}

/* A picture of a recording, or of two side by side. */
struct shown {
    struct trace trace[2];
    struct trace_index index[2];
    struct view view;
    struct drawing drawing; /* empty as yet */
};

/* Of a trace that `make` makes. `hide` afterwards. */
__attribute__((unused)) static void show(struct shown *shown, int banks, int warp, int threads,
                                         int words, int partition, const struct lanes *list,
                                         int count)
{
    memset(shown, 0, sizeof *shown);
    make(&shown->trace[0], banks, warp, threads, words, partition, list, count);
    open_view(&shown->view, shown->index, &shown->trace[0], NULL);
}

/* Of two kernels that merge, the first one's worst input, where they begin to. `hide` afterwards. */
__attribute__((unused)) static void show_merges(struct shown *shown)
{
    memset(shown, 0, sizeof *shown);
    record(&shown->trace[0], "thrust-merge", "worst", "w=12 u=12 E=5");
    record(&shown->trace[1], "cf-merge", "worst", "w=12 u=12 E=5");
    open_view(&shown->view, shown->index, &shown->trace[0], &shown->trace[1]);
    view_go(&shown->view, header_stage(&shown->trace[0].header, "merge"), 0, 0);
}

__attribute__((unused)) static void hide(struct shown *shown)
{
    drawing_free(&shown->drawing);
    close_view(&shown->view, shown->index);
    trace_free(&shown->trace[0]);
    trace_free(&shown->trace[1]);
}

__attribute__((unused)) static int count_items(const struct drawing *drawing, enum shape shape,
                                               enum role role)
{
    int count = 0;
    for (size_t i = 0; i < drawing->count; i++)
        count += drawing->item[i].shape == shape && drawing->item[i].role == role;
    return count;
}

__attribute__((unused)) static int count_edges(const struct drawing *drawing, enum role edge)
{
    int count = 0;
    for (size_t i = 0; i < drawing->count; i++)
        count += drawing->item[i].shape == SHAPE_BOX && drawing->item[i].edge == edge;
    return count;
}

__attribute__((unused)) static bool has_text(const struct drawing *drawing, const char *part)
{
    for (size_t i = 0; i < drawing->count; i++)
        if (drawing->item[i].shape == SHAPE_TEXT &&
            strstr(drawing_string(drawing, &drawing->item[i]), part))
            return true;
    return false;
}

/* The middle of a word's cell in a panel last drawn. */
__attribute__((unused)) static void cell_middle(const struct view *view, int panel, uint32_t word,
                                                double *x, double *y)
{
    const struct panel_layout *l = &view->panel[panel].layout;
    int banks = view->panel[panel].index->trace->header.banks;
    *x = l->cells_x + ((int)word / banks - l->first_column + 0.5) * l->cell_w;
    *y = l->cells_y + ((int)word % banks - l->first_row + 0.5) * l->cell_h;
}

#endif
