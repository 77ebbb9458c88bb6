/* export.c - a drawing as a file: one row of the table and one writer per format. */
#include "system/output.h"
#include "viewer/export/export.h"

#include <cairo-pdf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

static double fmax2(double a, double b)
{
    return a > b ? a : b;
}

/* ---- cairo: PDF and PNG ---- */

static cairo_status_t put_bytes(void *file, const unsigned char *bytes, unsigned length)
{
    return fwrite(bytes, 1, length, file) == length ? CAIRO_STATUS_SUCCESS
                                                    : CAIRO_STATUS_WRITE_ERROR;
}

static void set_paper(cairo_t *cr, const struct theme *theme)
{
    uint32_t paper = theme->colour[ROLE_PAPER];
    cairo_set_source_rgb(cr, (paper >> 16) / 255.0, (paper >> 8 & 255) / 255.0,
                         (paper & 255) / 255.0);
    cairo_paint(cr);
}

/* The date of a PDF is $SOURCE_DATE_EPOCH, if that is set, so that the same figure is the same file. */
void export_date(cairo_surface_t *surface)
{
    const char *epoch = getenv("SOURCE_DATE_EPOCH");
    char *end, date[32];
    time_t seconds = epoch ? (time_t)strtoll(epoch, &end, 10) : 0;
    struct tm parts;
    if (epoch && *epoch && !*end && gmtime_r(&seconds, &parts) &&
        strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &parts))
        cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, date);
}

static bool draw_on(cairo_surface_t *surface, double scale, const struct drawing *drawing,
                    const struct theme *theme)
{
    struct renderer *renderer = renderer_new();
    cairo_t *cr = cairo_create(surface);
    set_paper(cr, theme); /* up to the edges of partial pixels */
    cairo_scale(cr, scale, scale);
    if (renderer)
        renderer_draw(renderer, cr, drawing, theme);
    bool ok = renderer && cairo_status(cr) == CAIRO_STATUS_SUCCESS;
    cairo_destroy(cr);
    renderer_free(renderer);
    return ok;
}

static bool write_pdf(const struct drawing *drawing, const struct theme *theme,
                      const struct export_options *options, FILE *file)
{
    cairo_surface_t *surface =
        cairo_pdf_surface_create_for_stream(put_bytes, file, drawing->width, drawing->height);
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATOR,
                                   options->program ? options->program : "Bankscope");
    export_date(surface);
    if (options->title)
        cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, options->title);
    if (options->origin)
        cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_SUBJECT, options->origin);
    bool ok = draw_on(surface, 1, drawing, theme);
    cairo_surface_finish(surface);
    ok = ok && cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS;
    cairo_surface_destroy(surface);
    return ok;
}

/* 300 pixels an inch, or as asked for; fewer for pages that would become huge. */
static bool write_png(const struct drawing *drawing, const struct theme *theme,
                      const struct export_options *options, FILE *file)
{
    double longest = fmax2(fmax2(drawing->width, drawing->height), 1), scale = options->dpi / 72.0;
    if (!options->dpi)
        scale = longest * 300 / 72 <= 4096 ? 300.0 / 72 : fmax2(4096 / longest, 1);
    cairo_surface_t *surface =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)(drawing->width * scale + 0.5),
                                   (int)(drawing->height * scale + 0.5));
    bool ok = draw_on(surface, scale, drawing, theme);
    cairo_surface_flush(surface);
    ok = ok && png_write(surface, options, file);
    cairo_surface_destroy(surface);
    return ok;
}

/* ---- TikZ ---- */

/* The characters of figures that TeX's own fonts lack, with their spelling there. */
static const struct {
    const char *utf8, *tex;
} tex_letters[] = {
    {"α", "$\\alpha$"}, {"↑", "$\\uparrow$"}, {"↓", "$\\downarrow$"}, {"−", "$-$"},
    {"×", "$\\times$"}, {"⁰", "$^0$"},        {"¹", "$^1$"},          {"²", "$^2$"},
    {"³", "$^3$"},      {"⁴", "$^4$"},        {"⁵", "$^5$"},          {"⁶", "$^6$"},
    {"⁷", "$^7$"},      {"⁸", "$^8$"},        {"⁹", "$^9$"},          {"⁽", "$^($"},
    {"⁾", "$^)$"},      {"⁻", "$^-$"},        {"ᵗ", "$^t$"},          {NULL, NULL},
};

/* Writes the character at s in TeX's spelling. Returns its length in bytes. */
static size_t put_tex(const char *s, FILE *file)
{
    static const char *const special[] = {['\\'] = "\\textbackslash{}",
                                          ['{'] = "\\{",
                                          ['}'] = "\\}",
                                          ['_'] = "\\_",
                                          ['^'] = "\\textasciicircum{}",
                                          ['&'] = "\\&",
                                          ['%'] = "\\%",
                                          ['$'] = "\\$",
                                          ['#'] = "\\#",
                                          ['~'] = "\\textasciitilde{}",
                                          ['<'] = "\\textless{}",
                                          ['>'] = "\\textgreater{}",
                                          ['|'] = "\\textbar{}",
                                          ['"'] = "''"};
    for (int i = 0; tex_letters[i].utf8; i++)
        if (strncmp(s, tex_letters[i].utf8, strlen(tex_letters[i].utf8)) == 0)
            return fputs(tex_letters[i].tex, file), strlen(tex_letters[i].utf8);
    size_t length = 1, c = (unsigned char)*s;
    if (c >= 0x80) { /* another that they lack */
        fputc('?', file);
        while (((unsigned char)s[length] & 0xC0) == 0x80)
            length++;
    } else if (c < sizeof special / sizeof *special && special[c]) {
        fputs(special[c], file);
    } else {
        fputc(*s, file);
    }
    return length;
}

void tex_write(const char *text, FILE *file)
{
    while (*text)
        text += put_tex(text, file);
}

/* A comment: one line, whatever is in the text. */
static void put_comment(const char *text, FILE *file)
{
    if (text) {
        char *line = text_clean(memory_copy(text));
        fprintf(file, "%% %s\n", line);
        free(line);
    }
}

/* The lines around the picture take effect only before \begin{document}. */
void tex_begin(const struct export_options *options, const struct theme *theme, const char *package,
               double w, double h, FILE *file)
{
    put_comment(options->program, file);
    put_comment(options->origin, file);
    put_comment(options->title, file);
    fprintf(file,
            "%% Compile with pdflatex, or \\input into a document that loads %s.\n"
            "\\expandafter\\ifx\\csname @nodocument\\endcsname\\relax\\else\n"
            "\\RequirePackage{fix-cm}\n\\documentclass{article}\n\\usepackage{%s}\n"
            "\\paperwidth=%.6gbp \\paperheight=%.6gbp \\hoffset=-1in \\voffset=-1in\n"
            "\\oddsidemargin=0pt \\topmargin=0pt \\headheight=0pt \\headsep=0pt \\topskip=0pt\n"
            "\\textwidth=%.6gbp \\textheight=%.6gbp \\parindent=0pt \\footskip=0pt "
            "\\pagestyle{empty}\n"
            "\\def\\bankscopealone{}\n\\begin{document}\n\\fi\n",
            package, package, w, h, w + 1, h + 1);
    for (int role = ROLE_NONE + 1; role < ROLES; role++)
        fprintf(file, "\\definecolor{bs-%s}{HTML}{%06X}%%\n", role_names[role],
                theme->colour[role]);
}

void tex_end(FILE *file)
{
    fprintf(file, "\\ifx\\bankscopealone\\undefined\\else\n"
                  "\\end{document}\n\\fi\n");
}

static void put_tex_mark(const struct drawing_item *item, FILE *file)
{
    double x[MARK_CORNERS], y[MARK_CORNERS];
    int corners = mark_corners(item, x, y);
    fprintf(file, "\\path[fill=bs-%s,draw=bs-%s,line width=%.3fbp] ", role_names[item->role],
            role_names[item->edge], item->thick);
    if (!corners)
        fprintf(file, "(%.3f,%.3f) circle[radius=%.3fbp];\n", item->x, item->y,
                (item->w - item->thick) / 2);
    for (int i = 0; i < corners; i++)
        fprintf(file, "(%.3f,%.3f) -- %s", x[i], y[i], i + 1 < corners ? "" : "cycle;\n");
}

/* Compiles on its own, as a page of the picture's size, and can be \input into a document that
 * loads tikz. */
static bool write_tex(const struct drawing *drawing, const struct theme *theme,
                      const struct export_options *options, FILE *file)
{
    static const char *const faces[] = {"", "\\bfseries ", "\\ttfamily ", "", "\\bfseries ",
                                        "", "\\bfseries "};
    static const char sides[] = "lcr"; /* of a text, where its place is */
    double w = drawing->width, h = drawing->height;
    tex_begin(options, theme, "tikz", w, h, file);
    /* What there are hundreds of is said to pgf itself: TikZ takes three times as long. */
    fprintf(file,
            "\\begin{tikzpicture}[x=1bp,y=-1bp]\n"
            "\\def\\bsbox#1#2#3#4#5{\\pgfsetfillcolor{bs-#1}%%\n"
            "\\pgfpathrectangle{\\pgfqpoint{#2bp}{-#3bp}}{\\pgfqpoint{#4bp}{-#5bp}}"
            "\\pgfusepath{fill}}%%\n"
            "\\def\\bsedge#1#2#3#4#5#6{\\pgfsetstrokecolor{bs-#1}\\pgfsetlinewidth{#2bp}%%\n"
            "\\pgfpathrectangle{\\pgfqpoint{#3bp}{-#4bp}}{\\pgfqpoint{#5bp}{-#6bp}}"
            "\\pgfusepath{stroke}}%%\n"
            "\\def\\bstext#1#2#3#4#5{{\\pgftransformshift{\\pgfqpoint{#1bp}{-#2bp}}%%\n"
            "\\setbox0\\hbox{\\pgfinterruptpicture\\hbox to 0pt{\\ifx#4l\\else\\hss\\fi%%\n"
            "\\sffamily\\fontsize{#3bp}{#3bp}\\selectfont#5\\ifx#4r\\else\\hss\\fi}"
            "\\endpgfinterruptpicture}%%\n"
            "\\pgfqboxsynced{0}}}%%\n"
            "\\useasboundingbox (0,0) rectangle (%.6f,%.6f);\n",
            w, h);
    for (size_t i = 0; i < drawing->count; i++) {
        const struct drawing_item *item = &drawing->item[i];
        const char *role = role_names[item->role];
        double x = item->x, y = item->y, inset = item->thick / 2;
        switch ((enum shape)item->shape) {
        case SHAPE_BOX:
            if (item->role != ROLE_NONE)
                fprintf(file, "\\bsbox{%s}{%.3f}{%.3f}{%.3f}{%.3f}\n", role, x, y, item->w,
                        item->h);
            if (item->edge != ROLE_NONE)
                fprintf(file, "\\bsedge{%s}{%.3f}{%.3f}{%.3f}{%.3f}{%.3f}\n",
                        role_names[item->edge], item->thick, x + inset, y + inset,
                        item->w - 2 * inset, item->h - 2 * inset);
            break;
        case SHAPE_LINE:
            fprintf(file, "\\draw[bs-%s,line width=%.3fbp", role, item->thick);
            if (item->dotted)
                fprintf(file, ",dash pattern=on %.3fbp off %.3fbp", 1.2 * item->thick,
                        1.4 * item->thick);
            fprintf(file, "] (%.3f,%.3f) -- +(%.3f,%.3f);\n", x, y, item->w, item->h);
            break;
        case SHAPE_MARK:
            put_tex_mark(item, file);
            break;
        case SHAPE_TEXT:
            if (item->turn)
                fprintf(file, "\\begin{scope}[rotate around={%d:(%.3f,%.3f)}]\n", item->turn, x, y);
            fprintf(file, "\\bstext{%.3f}{%.3f}{%.3f}{%c}{\\color{bs-%s}%s", x, y, item->thick,
                    sides[item->align], role, faces[item->face]);
            if (item->face == FACE_TEX || item->face == FACE_TEX_BOLD)
                fputs(drawing_string(drawing, item), file);
            else
                tex_write(drawing_string(drawing, item), file);
            fprintf(file, "}\n%s", item->turn ? "\\end{scope}\n" : "");
            break;
        }
    }
    fprintf(file, "\\end{tikzpicture}%%\n");
    tex_end(file);
    return true;
}

const char *export_about(const struct export_options *options, char *about, size_t size)
{
    snprintf(about, size, "%s%s%s", options->origin ? options->origin : "",
             options->origin && options->program ? "; " : "",
             options->program ? options->program : "");
    return text_clean(about);
}

static bool write_svg(const struct drawing *drawing, const struct theme *theme,
                      const struct export_options *options, FILE *file)
{
    char about[EXPORT_ABOUT];
    export_about(options, about, sizeof about);
    return svg_write_about(drawing, theme, options->title, *about ? about : NULL, file);
}

/* ---- text ---- */

static bool write_txt(const struct drawing *drawing, const struct theme *theme,
                      const struct export_options *options, FILE *file)
{
    char about[EXPORT_ABOUT];
    (void)theme; /* a dump names roles, not colours */
    bool good = drawing_dump(drawing, file);
    if (*export_about(options, about, sizeof about))
        fprintf(file, "# %s\n", about);
    return good;
}

/* ---- the table ---- */

const struct format formats[] = {
    {"pdf", "vector figure with embedded fonts", write_pdf, true},
    {"svg", "vector picture for the web, with text as text", write_svg, false},
    {"png", "300 pixels an inch", write_png, true},
    {"tex", "TikZ: compiles with pdflatex, or \\input it", write_tex, false},
    {"txt", "the drawing as a list, one item a line", write_txt, false},
    {NULL, NULL, NULL, false},
};

static const struct format *format_of(const char *path, struct error *error)
{
    const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');
    bool extension = dot && (!slash || dot > slash);
    for (const struct format *format = formats; extension && format->extension; format++)
        if (strcasecmp(dot + 1, format->extension) == 0)
            return format;
    char list[128] = "";
    for (const struct format *format = formats; format->extension; format++)
        text_add(list, sizeof list, "%s.%s", *list ? ", " : "", format->extension);
    error_set(error, "%s: unknown format; the name must end in one of %s", path, list);
    return NULL;
}

bool export_is_format(const char *path, struct error *error)
{
    return strcmp(path, "-") == 0 || format_of(path, error) != NULL;
}

bool export_drawing(const struct drawing *drawing, const struct theme *theme,
                    const struct export_options *options, const char *path, struct error *error)
{
    static const struct export_options usual = {.dpi = 0};
    if (drawing->error.text[0])
        return error_set(error, "%s", drawing->error.text);
    if (strcmp(path, "-") == 0) {
        if (!drawing_dump(drawing, stdout) || fflush(stdout) != 0)
            return error_set(error, "standard output: %s", strerror(errno));
        return true;
    }
    const struct format *format = format_of(path, error);
    if (!format || (format->with_cairo && !load_cairo(error)))
        return false;
    struct output output;
    if (!output_open(&output, path, error))
        return false;
    bool good = format->write(drawing, theme, options ? options : &usual, output.file);
    if (!good && !ferror(output.file))
        error_set(error, "cannot write %s: the picture is too large for this format", path);
    return output_close(&output, good, error);
}
