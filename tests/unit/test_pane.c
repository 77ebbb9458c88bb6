/* test_pane.c - the text pane, the help and the note, by the items they draw. */
#include "viewer/viewer.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The texts of a drawing, one a line. */
static const char *texts(const struct drawing *drawing)
{
    static char all[8192];
    size_t used = 0;
    all[0] = '\0';
    for (size_t i = 0; i < drawing->count && used < sizeof all; i++)
        if (drawing->item[i].shape == SHAPE_TEXT)
            used += (size_t)snprintf(all + used, sizeof all - used, "%s\n",
                                     drawing_string(drawing, &drawing->item[i]));
    return all;
}

/* Draws the pane alone on a page of this size. */
static void show(struct pane *pane, double w, double h, struct drawing *drawing)
{
    drawing_begin(drawing, w, h);
    pane_draw(pane, 0, 0, w, h, drawing);
    assert_string_equal(drawing->error.text, "");
}

static void words_are_wrapped_within_the_box(void **state)
{
    (void)state;
    static const struct pane_block block[] = {
        {PANE_HEADING, "Banks"},
        {PANE_TEXT, "Shared memory has 32 banks, and each of them serves one word in a pass."},
        {PANE_TEXT, "one\ntwo\n\nfour"},
        {PANE_TEXT, "awordthatislongerthanthewholelineandhasnospacewhereitcouldbebroken"},
    };
    struct pane pane = {.block = block, .blocks = 4};
    struct drawing drawing = {0};
    show(&pane, 200, 600, &drawing);
    for (size_t i = 0; i < drawing.count; i++) {
        const struct drawing_item *item = &drawing.item[i];
        if (item->shape == SHAPE_TEXT)
            assert_true(item->x +
                            text_width(drawing_string(&drawing, item), item->thick, item->face) <=
                        200);
    }
    assert_non_null(strstr(texts(&drawing), "Banks\nShared memory has 32\n"));
    assert_non_null(strstr(texts(&drawing), "\none\ntwo\nfour\naword"));
    drawing_free(&drawing);
}

/* The number stands before the text, whose lines all begin at the same place. */
static void steps_hang_behind_their_numbers(void **state)
{
    (void)state;
    static const struct pane_block block[] = {
        {PANE_NUMBERED, "9. Look at all banks of this warp."},
        {PANE_NUMBERED, " Look twice."},
        {PANE_NUMBERED, "10. Count."},
    };
    struct pane pane = {.block = block, .blocks = 3};
    struct drawing drawing = {0};
    show(&pane, 180, 300, &drawing);
    assert_string_equal(texts(&drawing),
                        "9.\nLook at all banks\nof this warp.\nLook twice.\n10.\nCount.\n");
    double begin = 0;
    for (size_t i = 0; i < drawing.count; i++) {
        const struct drawing_item *item = &drawing.item[i];
        const char *text = item->shape == SHAPE_TEXT ? drawing_string(&drawing, item) : "";
        if (!strcmp(text, "10."))
            assert_true(item->x + text_width(text, item->thick, item->face) < begin);
        else if (isalpha((unsigned char)*text)) {
            assert_true(begin == 0 || begin == item->x);
            begin = item->x;
        }
    }
    assert_true(begin > 0);
    drawing_free(&drawing);
}

static void code_keeps_its_spaces_but_those_of_all_lines(void **state)
{
    (void)state;
    static const struct pane_block block[] = {
        {PANE_CODE, "    if (x)\n        y();\n\n    z();\n"}};
    struct pane pane = {.block = block, .blocks = 1};
    struct drawing drawing = {0};
    show(&pane, 300, 300, &drawing);
    assert_string_equal(texts(&drawing), "if (x)\n    y();\nz();\n");
    for (size_t i = 0; i < drawing.count; i++)
        if (drawing.item[i].shape == SHAPE_TEXT)
            assert_int_equal(drawing.item[i].face, FACE_CODE);

    /* What does not fit goes below, further in than its line. */
    static const struct pane_block wide[] = {
        {PANE_CODE, "if (x)\n    STORE(tile, word, value_of_it);"}};
    pane.block = wide;
    show(&pane, 200, 300, &drawing);
    assert_string_equal(texts(&drawing), "if (x)\n    STORE(tile, word,\nvalue_of_it);\n");
    const struct drawing_item *last = &drawing.item[drawing.count - 2]; /* then the foot's line */
    while (last->shape != SHAPE_TEXT)
        last--;
    assert_true(last->x > 12 + 8 + 4 * 0.6 * last->thick);
    drawing_free(&drawing);
}

static void an_option_stays_with_its_value(void **state)
{
    (void)state;
    static const struct pane_block block[] = {
        {PANE_CODE, "run stride -p w=12 -p s=5\nrun stride --input worst\nrun --race a -p w=1"},
        {PANE_TEXT, "Try `run stride -p s=33` or a - b."}};
    struct pane pane = {.block = block, .blocks = 2};
    struct drawing drawing = {0};
    show(&pane, 190, 300, &drawing);
    assert_string_equal(texts(&drawing),
                        "run stride -p w=12\n-p s=5\nrun stride\n--input worst\n"
                        "run --race a -p w=1\nTry `run stride`\n`-p s=33` or a - b.\n");
    drawing_free(&drawing);
}

static void a_product_stays_on_one_line(void **state)
{
    (void)state;
    static const struct pane_block block[] = {{PANE_TEXT, "Thread t reads words t s here."},
                                              {PANE_TEXT, "Thread t reads words (2 w of them)."},
                                              {PANE_TEXT, "Thread t reads words 2 at once."}};
    struct pane pane = {.block = block, .blocks = 3};
    struct drawing drawing = {0};
    show(&pane, 195, 300, &drawing); /* where "t" and "(2" have room, but not the next letter */
    assert_string_equal(texts(&drawing), "Thread t reads words\nt s here.\n"
                                         "Thread t reads words\n(2 w of them).\n"
                                         "Thread t reads words 2\nat once.\n");
    drawing_free(&drawing);
}

/* The text is broken within the code: each line has its own two backquotes. */
static void code_in_text_is_marked_on_every_line(void **state)
{
    (void)state;
    static const struct pane_block block[] = {
        {PANE_TEXT, "Thread t reads `tile[t * stride % words]` in its round."}};
    struct pane pane = {.block = block, .blocks = 1};
    struct drawing drawing = {0};
    show(&pane, 190, 300, &drawing);
    assert_string_equal(texts(&drawing),
                        "Thread t reads `tile[t`\n`* stride % words]` in\nits round.\n");
    for (size_t i = 0; i < drawing.count; i++)
        if (drawing.item[i].shape == SHAPE_TEXT)
            assert_int_equal(drawing.item[i].face, FACE_MARKED);
    drawing_free(&drawing);
}

static void scrolling_stays_within_the_text(void **state)
{
    (void)state;
    struct pane_block block[30];
    for (int i = 0; i < 30; i++)
        block[i] = (struct pane_block){PANE_TEXT, i == 29 ? "the last" : i ? "more" : "the first"};
    struct pane pane = {.block = block, .blocks = 30, .footer = "page 1", .scroll = -50};
    struct drawing drawing = {0};
    show(&pane, 300, 200, &drawing);
    assert_true(pane.scroll == 0);
    assert_non_null(strstr(texts(&drawing), "the first\n"));
    assert_null(strstr(texts(&drawing), "the last"));
    assert_non_null(strstr(texts(&drawing), "page 1\nPageDown: more\n"));

    pane.scroll = 1e9;
    show(&pane, 300, 200, &drawing);
    assert_true(pane.scroll > 0 && pane.scroll < 2000);
    assert_null(strstr(texts(&drawing), "the first"));
    assert_non_null(strstr(texts(&drawing), "the last\npage 1\n"));
    assert_null(strstr(texts(&drawing), "PageDown"));

    show(&pane, 300, 2000, &drawing); /* all fits: nothing is scrolled away */
    assert_true(pane.scroll == 0);
    drawing_free(&drawing);
}

static const struct key_help keys[] = {
    {"Left", "back, on"}, {"Right", NULL}, {"=", ""}, {"q", "quit"}, {"Escape", NULL}, {NULL, NULL},
};

static void help_joins_keys_and_leaves_out_hidden_ones(void **state)
{
    (void)state;
    static const struct key_help own[] = {{"Enter", "next page"}, {NULL, NULL}};
    const struct key_help *const tables[] = {own, keys, NULL};
    struct drawing drawing = {0};
    drawing_begin(&drawing, 600, 400);
    help_draw(tables, 3, &drawing);
    assert_string_equal(texts(&drawing),
                        "Enter\nnext page\nLeft, Right\nback, on\nq, Escape\nquit\n");
    drawing_free(&drawing);
}

static void help_fits_small_pages(void **state)
{
    (void)state;
    struct key_help many[33] = {{NULL, NULL}};
    for (int i = 0; i < 32; i++)
        many[i] = (struct key_help){"Shift+Left", "something that it does"};
    const struct key_help *const tables[] = {many};
    static const double sizes[][2] = {{400, 300}, {300, 800}, {1000, 200}, {1920, 1080}};
    struct drawing drawing = {0};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        drawing_begin(&drawing, sizes[i][0], sizes[i][1]);
        help_draw(tables, 1, &drawing);
        assert_int_equal(drawing.count, 65);
        const struct drawing_item *box = &drawing.item[0];
        assert_true(box->x >= 0 && box->y >= 0);
        assert_true(box->x + box->w <= sizes[i][0] && box->y + box->h <= sizes[i][1]);
        for (size_t t = 1; t < drawing.count; t++) {
            const struct drawing_item *text = &drawing.item[t];
            assert_true(text->x +
                            text_width(drawing_string(&drawing, text), text->thick, text->face) <=
                        box->x + box->w);
            assert_true(text->y <= box->y + box->h);
        }
    }
    drawing_free(&drawing);
}

/* The widths of texts are taken for the face that they are drawn in: no row's keys reach what they do,
 * and no text the next column. */
static void help_keeps_keys_and_texts_apart(void **state)
{
    (void)state;
    static const struct key_help rows[] = {
        {"Shift+Left", "stage before, stage after"},
        {"Shift+Right", NULL},
        {"MMMMMMMMMMMM", "WWWWWWWWWWWW"},
        {"i", "i"},
        {"Space", "play and pause"},
        {"Home", "first and last"},
        {NULL, NULL},
    };
    const struct key_help *const tables[] = {rows};
    static const double sizes[][2] = {{1000, 160}, {600, 500}};
    for (int s = 0; s < 2; s++) {
        struct drawing drawing = {0};
        drawing_begin(&drawing, sizes[s][0], sizes[s][1]);
        help_draw(tables, 1, &drawing);
        for (size_t i = 1; i < drawing.count; i++)
            for (size_t k = 1; k < drawing.count; k++) {
                const struct drawing_item *left = &drawing.item[i], *right = &drawing.item[k];
                double end = left->x + text_width(drawing_string(&drawing, left), left->thick,
                                                  (enum face)left->face);
                if (left->y == right->y && left->x < right->x)
                    assert_true(end + 0.3 * left->thick < right->x);
            }
        drawing_free(&drawing);
    }
}

static void a_long_note_is_shortened(void **state)
{
    (void)state;
    struct drawing drawing = {0};
    drawing_begin(&drawing, 200, 100);
    note_draw("wrote a-file-with-a-long-name-1.pdf and another-long-name-1.png", 200, 100,
              &drawing);
    assert_non_null(strstr(texts(&drawing), "wrote a-"));
    assert_non_null(strstr(texts(&drawing), "...\n"));
    assert_true(drawing.item[0].x >= 0 && drawing.item[0].x + drawing.item[0].w <= 200);
    drawing_free(&drawing);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_wrapped_within_the_box),
        cmocka_unit_test(steps_hang_behind_their_numbers),
        cmocka_unit_test(code_keeps_its_spaces_but_those_of_all_lines),
        cmocka_unit_test(an_option_stays_with_its_value),
        cmocka_unit_test(a_product_stays_on_one_line),
        cmocka_unit_test(code_in_text_is_marked_on_every_line),
        cmocka_unit_test(scrolling_stays_within_the_text),
        cmocka_unit_test(help_joins_keys_and_leaves_out_hidden_ones),
        cmocka_unit_test(help_fits_small_pages),
        cmocka_unit_test(help_keeps_keys_and_texts_apart),
        cmocka_unit_test(a_long_note_is_shortened),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
