/* test_fonts.c - texts are no wider than text_width says, in the fonts that this machine has; letters of figures
 * in TeX and PDF. */
#include "viewer/export/export.h"
#include "viewer/viewer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <pango/pangocairo.h>

/* Its width in points at a size of 100; 0: there is no such font here. */
static double measured(PangoContext *context, const char *family, bool bold, const char *text)
{
    PangoFontDescription *description = pango_font_description_new();
    PangoLayout *layout = pango_layout_new(context);
    pango_font_description_set_family(description, family);
    pango_font_description_set_weight(description, bold ? PANGO_WEIGHT_BOLD : PANGO_WEIGHT_NORMAL);
    pango_font_description_set_absolute_size(description, 100 * PANGO_SCALE);
    PangoFont *font = pango_context_load_font(context, description);
    PangoFontDescription *found = pango_font_describe(font);
    double width = 0;
    if (!strcmp(pango_font_description_get_family(found), family)) {
        PangoRectangle extents;
        pango_layout_set_font_description(layout, description);
        pango_layout_set_text(layout, text, -1);
        pango_layout_get_extents(layout, NULL, &extents);
        width = (double)extents.width / PANGO_SCALE;
    }
    pango_font_description_free(found);
    g_object_unref(font);
    g_object_unref(layout);
    pango_font_description_free(description);
    return width;
}

static void no_text_is_wider_than_it_is_taken_for(void **state)
{
    (void)state;
    static const char *const families[] = {"DejaVu Sans", "Liberation Sans", "Noto Sans", "Arial"};
    static const char *const mono[] = {"DejaVu Sans Mono", "Liberation Mono"};
    static const char *const words[] = {"Shift+Left, Shift+Right", "stage before, stage after",
                                        "PageUp, PageDown",        "WWMMmmww@%",
                                        "iljtfrI.,:;|!'",          "thrust-merge w=32 u=512 E=15"};
    struct error error = {{0}};
    assert_true(load_cairo(&error));
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, 10, 10);
    cairo_t *cr = cairo_create(surface);
    PangoContext *context = pango_cairo_create_context(cr);
    cairo_font_options_t *options = cairo_font_options_create();
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    pango_cairo_context_set_font_options(context, options);
    int seen = 0;
    for (int i = 0; i < 95 + (int)(sizeof words / sizeof *words); i++) {
        char letter[2] = {(char)(' ' + i), '\0'};
        const char *text = i < 95 ? letter : words[i - 95];
        double slack = 0.6 * (double)strlen(text); /* a glyph may be rounded to whole points */
        for (size_t f = 0; f < sizeof families / sizeof *families; f++)
            for (int bold = 0; bold < 2; bold++) {
                double width = measured(context, families[f], bold, text);
                double taken = text_width(text, 100, bold ? FACE_BOLD : FACE_PLAIN);
                if (width > taken + slack)
                    fail_msg("\"%s\" in %s%s is %.1f wide, taken for %.1f", text, families[f],
                             bold ? " Bold" : "", width, taken);
                seen += width > 0;
            }
        for (size_t f = 0; f < sizeof mono / sizeof *mono; f++)
            assert_true(measured(context, mono[f], false, text) <=
                        text_width(text, 100, FACE_CODE) + slack);
    }
    assert_true(seen > 0);
    cairo_font_options_destroy(options);
    g_object_unref(context);
    cairo_destroy(cr);
    cairo_surface_destroy(surface);
}

/* TeX has words for what its fonts lack, or "?"; who reads a PDF to a person gets UTF-16. */
static void letters_are_written_for_TeX_and_PDF(void **unused)
{
    (void)unused;
    static const char pdf[] =
        "1 0 obj\n<< /Type /StructTreeRoot\n   /K [ 3 0 R ]\n>>\nendobj\n"
        "2 0 obj\n<< /Type /Catalog\n>>\nendobj\n"
        "3 0 obj\n<< /Type /StructElem\n   /S /Figure\n   /P 1 0 R\n>>\nendobj\n"
        "\ntrailer\n<< /Size 4\n   /Root 2 0 R\n   /Info 2 0 R\n>>\nstartxref\n9\n";
    static const char *const figure[] = {
        "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\xF0\x90\x80\x80\xFFz"};
    char *text = NULL;
    size_t length;
    FILE *file = open_memstream(&text, &length);
    tex_write("\u03B1\u2192\u207D\u1D57<x\u20AC_", file);
    fclose(file);
    assert_string_equal(text, "$\\alpha$?$^($$^t$\\textless{}x?\\_");
    free(text);
    file = open_memstream(&text, &length);
    pdf_put(file, pdf, sizeof pdf - 1, "de", figure, 1);
    fclose(file);
    assert_non_null(strstr(text, "/Lang <FEFF00640065>\n"));
    assert_non_null(strstr(text, "/Alt <FEFF006100E920ACD83DDE00D800DC00003F007A>\n"));
    free(text);
    /* What cairo has made without these objects is left as it is. */
    static const char *const needed[] = {"StructTreeRoot", "/K [",  "Catalog",
                                         "trailer",        "/Size", "startxref"};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        char other[sizeof pdf];
        memcpy(other, pdf, sizeof pdf);
        *strstr(other, needed[i]) = '?';
        file = open_memstream(&text, &length);
        pdf_put(file, other, sizeof pdf - 1, "de", figure, 1);
        fclose(file);
        assert_string_equal(text, other);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_text_is_wider_than_it_is_taken_for),
                                       cmocka_unit_test(letters_are_written_for_TeX_and_PDF)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
