/* plot_tex.c - a chart for pgfplots: the same places, colours, dashes and marks as in the drawing, and the
 * numbers with all their digits, for those who go on working with it.
 */
#include "papers/plot.h"

#include <math.h>
#include <string.h>

static void put_text(const char *name, const char *text, FILE *file)
{
    fprintf(file, ",\n  %s={", name);
    tex_write(text, file);
    fputc('}', file);
}

/* "xtick={1,2}, xticklabels={{1},{2}}" */
static void put_ticks(char name, const struct axis *axis, FILE *file)
{
    fprintf(file, ",\n  %ctick={", name);
    for (int i = 0; i < axis->ticks; i++)
        fprintf(file, "%s%.17g", i ? "," : "", axis->tick[i].at);
    fprintf(file, "}, %cticklabels={", name);
    for (int i = 0; i < axis->ticks; i++) {
        fputs(i ? ",{" : "{", file);
        tex_write(axis->tick[i].label, file);
        fputc('}', file);
    }
    fputc('}', file);
}

static void put_names(const struct plot_panel *panel, FILE *file)
{
    const struct plot *plot = panel->plot;
    fprintf(file, ",\n  xtick={");
    for (int i = 0, some = 0; i < plot->points; i++)
        if (*plot->bar[i])
            fprintf(file, "%s%d", some++ ? "," : "", i);
    fprintf(file, "}, xticklabels={");
    for (int i = 0, some = 0; i < plot->points; i++)
        if (*plot->bar[i]) {
            fputs(some++ ? ",{" : "{", file);
            tex_write(plot->bar[i], file);
            fputc('}', file);
        }
    fprintf(file, "}, xtick style={draw=none}, ybar stacked, bar width=%.6gbp",
            0.8 * panel->width / (panel->x.to - panel->x.from));
    fprintf(file, ",\n  x tick label style={font=\\sffamily\\fontsize{%.6gbp}{%.6gbp}\\selectfont",
            panel->name_font, panel->name_font);
    if (panel->turn)
        fprintf(file, ",rotate=%d,anchor=%s,inner sep=1bp", panel->turn,
                panel->turn == 90 ? "east" : "north east");
    fputc('}', file);
}

static void put_axis(const struct plot_page *page, const struct plot_panel *panel, FILE *file)
{
    const struct plot *plot = panel->plot;
    fprintf(file,
            "\\begin{axis}[bs-axis, at={(%.6gbp,%.6gbp)}, width=%.6gbp, height=%.6gbp,\n"
            "  xmin=%.17g, xmax=%.17g, ymin=%.17g, ymax=%.17g%s%s",
            panel->left, page->height - panel->top - panel->height, panel->width, panel->height,
            panel->x.from, panel->x.to, panel->y.from, panel->y.to,
            panel->x.log ? ", xmode=log, log basis x=2" : "", panel->y.log ? ", ymode=log" : "");
    put_ticks('y', &panel->y, file);
    if (plot->bar)
        put_names(panel, file);
    else
        put_ticks('x', &panel->x, file);
    put_text("xlabel", plot->x_label, file);
    put_text("ylabel", panel->y_label, file);
    /* In parts of the area's width and height. */
    fprintf(file,
            ",\n  xlabel style={at={(0.5,%.6g)},anchor=base},"
            " ylabel style={at={(%.6g,0.5)},anchor=base,"
            "font=\\sffamily\\fontsize{%.6gbp}{%.6gbp}\\selectfont}",
            (panel->top + panel->height - panel->x_label_y) / panel->height,
            (panel->label_x - panel->left) / panel->width, panel->y_font, panel->y_font);
    if (plot->title) {
        put_text("title", plot->title, file);
        fprintf(file, ", title style={at={(0,%.6g)},anchor=base west,inner sep=0pt}",
                1 + 0.5 * page->font / panel->height);
    }
    fprintf(file, "]\n");
}

static void put_look(const struct plot_look *look, FILE *file)
{
    static const char *const marks[] = {"*", "square*", "triangle*", "diamond*", "wedge"};
    static const double sizes[] = {1.8, 1.6, 2.3, 2.3, 2.3};
    const char *colour = role_names[plot_role(look)];
    const double *dash = plot_dashes[look->line];
    int mark = look->alone ? 0 : (int)look->line;
    fprintf(file, "bs-%s%s, line width=1.1bp, mark=%s, mark size=%.6gbp, ", colour,
            look->alone ? ", only marks" : "", mark == MARK_WEDGE ? "triangle*" : marks[mark],
            look->alone ? 2.3 : sizes[mark]);
    fprintf(file, "mark options={solid, line width=0.8bp, fill=bs-%s%s}",
            look->hollow || look->alone ? "paper" : colour,
            mark == MARK_WEDGE ? ", rotate=180" : "");
    for (int i = 0; i < PLOT_DASHES && dash[i] > 0 && !look->alone; i++)
        fprintf(file, "%s %s %.6gbp", i ? "" : ", dash pattern=", i % 2 ? "off" : "on", dash[i]);
}

static void put_point(const struct plot_curve *curve, double x, int i, FILE *file)
{
    if (isnan(curve->y[i])) {
        fprintf(file, " (%.17g,nan)", x);
        return;
    }
    fprintf(file, " (%.17g,%.17g)", x, curve->y[i]);
    if (curve->least)
        fprintf(file, " += (0,%.17g) -= (0,%.17g)", curve->most[i] - curve->y[i],
                curve->y[i] - curve->least[i]);
}

static void put_curve(const struct plot_panel *panel, const struct plot_curve *curve, FILE *file)
{
    const struct plot *plot = panel->plot;
    int every = 1;
    while (every < plot->points && !plot_marked(panel, every))
        every++;
    fprintf(file, "\\addplot[");
    put_look(&curve->look, file);
    if (every > 1)
        fprintf(file, ", mark repeat=%d", every);
    if (curve->least)
        fprintf(file, ", error bars/y dir=both, error bars/y explicit,"
                      " error bars/error bar style={solid,line width=0.7bp},"
                      " error bars/error mark options={rotate=90,mark size=2bp}");
    fprintf(file, "] coordinates {");
    for (int i = 0; i < plot->points; i++)
        put_point(curve, plot->x[i], i, file);
    fprintf(file, " };\n");
}

static void put_bars(const struct plot *plot, int part, FILE *file)
{
    fprintf(file, "\\addplot[fill=bs-%s, draw=none] coordinates {",
            role_names[plot_bar_role(part)]);
    for (int i = 0; i < plot->points; i++)
        put_point(&plot->curve[part], i, i, file);
    fprintf(file, " };\n");
}

/* A sample of the legend, and its words. */
static void put_entry(const struct plot_page *page, const struct plot_entry *entry, FILE *file)
{
    const double y = page->height - entry->y, end = entry->x + page->sample;
    if (entry->bar >= 0) {
        fprintf(file, "\\fill[bs-%s] (%.6gbp,%.6gbp) rectangle +(8bp,6bp);\n",
                role_names[plot_bar_role(entry->bar)], end - 8, y - 3);
    } else {
        fprintf(file, "\\draw[");
        put_look(&entry->look, file);
        fprintf(file,
                ", mark indices={2}] plot coordinates {(%.6gbp,%.6gbp) (%.6gbp,%.6gbp) "
                "(%.6gbp,%.6gbp)};\n",
                entry->x, y, (entry->x + end) / 2, y, end, y);
    }
    fprintf(file, "\\node[bs-words, anchor=base west] at (%.6gbp,%.6gbp) {", end + 0.6 * page->font,
            y - TEXT_MIDDLE(page->font));
    tex_write(entry->title, file);
    fprintf(file, "};\n");
}

void plot_tex(const struct plot_page *page, const struct theme *theme,
              const struct export_options *options, FILE *file)
{
    tex_begin(options, theme, "pgfplots", page->width, page->height, file);
    fprintf(file,
            "\\begin{tikzpicture}[bs-words/.style={text=bs-ink, inner sep=0pt,\n"
            "  font=\\sffamily\\fontsize{%.6gbp}{%.6gbp}\\selectfont}]\n"
            "\\pgfplotsset{compat=1.16, bs-axis/.style={scale only axis, anchor=south west,\n"
            "  axis lines*=left, axis line style={bs-ink,line width=0.6bp}, tick align=outside,\n"
            "  tick style={bs-ink,line width=0.6bp}, major tick length=2.5bp,\n"
            "  minor tick style={draw=none}, ymajorgrids, grid style={bs-grid,line width=0.3bp},\n"
            "  ticklabel style={bs-words,inner sep=2bp}, label style={bs-words},\n"
            "  title "
            "style={bs-words,font=\\sffamily\\bfseries\\fontsize{%.6gbp}{%.6gbp}\\selectfont},\n"
            "  unbounded coords=jump, scaled ticks=false, every axis title shift=0pt, clip "
            "mode=individual, clip=false}}\n"
            "\\path[use as bounding box%s] (0,0) rectangle (%.6gbp,%.6gbp);\n",
            page->font, page->font, page->font, page->font,
            theme->colour[ROLE_PAPER] == 0xFFFFFF ? "" : ", fill=bs-paper", page->width,
            page->height);
    for (int i = 0; i < page->panels; i++) {
        const struct plot *plot = page->panel[i].plot;
        put_axis(page, &page->panel[i], file);
        for (int c = 0; c < plot->curves; c++) {
            if (plot->bar)
                put_bars(plot, c, file);
            else
                put_curve(&page->panel[i], &plot->curve[c], file);
        }
        fprintf(file, "\\end{axis}\n");
    }
    for (int i = 0; i < page->entries; i++)
        put_entry(page, &page->entry[i], file);
    fprintf(file, "\\end{tikzpicture}%%\n");
    tex_end(file);
}
