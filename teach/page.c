/* page.c - a lesson as a web page: text, pictures, questions to answer.
 *
 * The script of the page (web/page.js) judges the answers as lesson_reply does; what it needs for that
 * is computed here. A picture that would tell the answer of a question comes twice: without it, and
 * whole, for when the question is done. */
#include "program/compile/dialect.h"
#include "teach/teach.h"
#include "viewer/export/page.h"
#include "viewer/viewer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    PICTURE_WIDE = 300,
    BESIDE_WIDE = 260
}; /* points: alone, and one of two, which a phone shows below each other */
/* Pixels of CSS for a point: a picture that stands alone is larger, two have no room for that. */
static const double alone_scale = 5.0 / 3, beside_scale = 4.0 / 3;

/* Code in a line of text, whose options (-p) stay whole where a browser would break the line after a hyphen, and with
 * their values, if these are short. */
static void put_inline_code(FILE *file, const char *code)
{
    for (const char *at = code; *at;) {
        const bool option = *at == '-';
        size_t length = strcspn(at, " ");
        const size_t value =
            option && at[length] && at[length + 1] != '-' && !memchr(at, '=', length)
                ? strcspn(at + length + 1, " ")
                : 0;
        length += value && value < 20 ? 1 + value : 0;
        char *word = memory_copy_of(at, length);
        fputs(option ? "<span>" : "", file);
        html_text(file, word);
        fputs(option ? "</span>" : "", file);
        free(word);
        at += length;
        length = strspn(at, " ");
        fprintf(file, "%.*s", (int)length, at);
        at += length;
    }
}

/* Words, whose products stay on one line. */
static void put_prose(FILE *file, const char *text)
{
    for (size_t from = 0, to = 0; text[from]; from = to) {
        while (text[to] && !(text[to] == ' ' && pane_joins_factors(text, to)))
            to++;
        char *some = memory_copy_of(text + from, to - from);
        html_text(file, some);
        free(some);
        if (text[to])
            fputs("&nbsp;", file), to++;
    }
}

/* Text with `code`. */
static void put_text(FILE *file, const char *text)
{
    bool code = false;
    for (const char *at = text; *at;) {
        size_t length = strcspn(at, "`");
        char *part = memory_copy_of(at, length);
        (code ? put_inline_code : put_prose)(file, part);
        free(part);
        at += length;
        if (*at) {
            code = !code;
            fputs(code ? "<code>" : "</code>", file);
            at++;
        }
    }
}

static bool put_filled(const struct lesson_play *play, const struct lesson_block *block,
                       const char *before, const char *text, const char *after, FILE *file,
                       struct error *error)
{
    char *filled = lesson_fill(play, block, text, error);
    if (filled) {
        fputs(before, file);
        put_text(file, filled);
        fputs(after, file);
    }
    free(filled);
    return filled;
}

/* ---- pictures -------------------------------------------------------------------------------- */

static bool put_image(const struct lesson_run *run, const struct figure_part *part, bool later,
                      FILE *file, struct error *error)
{
    struct figure figure = {
        .parts = 1, .part = part, .width = run->beside ? BESIDE_WIDE : PICTURE_WIDE};
    struct drawing drawing = {.width = 0};
    char *svg = NULL;
    size_t length;
    bool good = figure_draw(&figure, &drawing, error);
    if (good) {
        FILE *memory = open_memstream(&svg, &length);
        if (!memory)
            memory_exhausted();
        svg_write(&drawing, themes, memory);
        fclose(memory);
        const double pixels = run->beside ? beside_scale : alone_scale;
        fprintf(file, "<img%s lang=en width=\"%.0f\" height=\"%.0f\" alt=\"",
                later ? " class=later hidden" : "", drawing.width * pixels,
                drawing.height * pixels);
        char *words = lesson_describe(run, part, 1, error);
        html_text(file, words);
        free(words);
        fputs("\" src=\"data:image/svg+xml;base64,", file);
        html_base64(file, (const unsigned char *)svg, length);
        fputs("\">\n", file);
    }
    free(svg);
    drawing_free(&drawing);
    return good && !error->text[0];
}

/* What opens the recordings beside the text; a page cannot record a program again. */
static void put_button(const struct lesson_play *play, const struct lesson_run *run,
                       const struct figure_part *part, unsigned hide, FILE *file)
{
    const char *beside = run->beside ? lesson_command(play, run->beside) : NULL;
    const char *first = beside ? beside : lesson_command(play, run->label);
    char *kernel = memory_copy_of(first, strcspn(first, " "));
    const bool recorded_here = !dialect_is_file(kernel);
    free(kernel);
    if (!recorded_here)
        return;
    fprintf(file, " <button class=\"live\"%s data-a=\"", hide ? " disabled" : "");
    html_text(file, first);
    fputs("\" data-b=\"", file);
    html_text(file, beside ? lesson_command(play, run->label) : "");
    fputs("\" data-place=\"stage ", file);
    html_text(file, part->index->trace->header.stage[part->stage]);
    fprintf(file, "\nround %d\nslot %d\nblock %d\nwarp %d\nlabel %s\n\">%s</button>", run->round,
            run->slot, run->block, run->warp, label_names[run->cells],
            lesson_says(play->lesson, "step through it"));
}

static bool put_pictures(const struct lesson_play *play, const struct lesson_block *block,
                         FILE *file, struct error *error)
{
    const struct lesson_run *run = &block->run;
    const char *labels[] = {run->beside ? run->beside : run->label, run->label};
    struct trace_index index[2] = {{.trace = NULL}, {.trace = NULL}};
    struct figure_part part[2];
    struct numbers crop[2];
    unsigned hide = lesson_hides(play->lesson, block);
    int parts = run->beside ? 2 : 1;
    bool good = true;
    char title[2][LESSON_TITLE];
    const bool alike = lesson_tell_apart(play, run, title);
    fputs("<figure>\n", file);
    for (int p = 0; p < parts; p++)
        for (int later = 0; good && later <= (hide != 0); later++) {
            trace_index_free(&index[p]);
            good = lesson_take_part(run, lesson_trace(play, labels[p]), later ? 0 : hide, &index[p],
                                    &part[p], error);
            if (good && alike)
                part[p].title = title[p], part[p].state = true;
            if (good)
                lesson_crop(run, &part[p], crop);
            good = good && put_image(run, &part[p], later, file, error);
        }
    if (good) {
        fprintf(file, "<figcaption><span>%s</span>", lesson_axes(play, run, hide));
        if (hide & (HIDE_DEGREES | HIDE_LABELS))
            fprintf(file, "<span class=later hidden>%s</span>", lesson_axes(play, run, 0));
        fputs("<br>", file);
        for (int p = 0; p < parts; p++) {
            fputs(p ? "<br>" : "", file);
            fputs("<code>bankscope run ", file);
            put_inline_code(file, lesson_command(play, labels[p]));
            fputs("</code>", file);
        }
        put_button(play, run, &part[0], hide, file);
        fputs("</figcaption>\n</figure>\n", file);
    }
    for (int p = 0; p < parts; p++)
        trace_index_free(&index[p]);
    return good;
}

static bool put_run(struct lesson_play *play, const struct lesson_block *block, FILE *file,
                    struct error *error)
{
    struct error cause = {{0}};
    if (!lesson_record(play, block, error))
        return false;
    return put_pictures(play, block, file, &cause) || lesson_at(play->lesson, block, &cause, error);
}

/* ---- questions ------------------------------------------------------------------------------- */

static bool put_quiz(const struct lesson_play *play, const struct lesson_block *block, FILE *file,
                     struct error *error)
{
    const struct lesson_quiz *quiz = &block->quiz;
    int64_t right;
    if (!lesson_answer(play, block, &right, error))
        return false;
    fprintf(file, "<form class=\"quiz\" data-answer=\"%" PRId64 "\" data-choices=\"%d\">\n", right,
            quiz->choices);
    bool good =
        put_filled(play, block, "<p class=\"question\">", quiz->question, "</p>\n", file, error);
    for (int i = 0; good && i < quiz->choices; i++) {
        fprintf(file, "<p><label><input type=\"radio\" name=\"choice\" value=\"%d\"> %c) ", i,
                'a' + i);
        put_text(file, quiz->choice[i].text);
        fputs("</label></p>\n", file);
    }
    if (!quiz->choices)
        fprintf(file, "<input class=\"number\" inputmode=\"numeric\" aria-label=\"%s\">\n",
                lesson_says(play->lesson, "your answer"));
    fprintf(file,
            "<button>%s</button> <button type=\"button\" class=\"hint\">%s</button>\n"
            "<p class=\"said\" aria-live=\"polite\"></p>\n",
            lesson_says(play->lesson, "answer"), lesson_says(play->lesson, "hint"));
    for (int i = 0; good && i < quiz->nudges; i++) {
        int64_t when;
        struct error cause = {{0}};
        char before[64];
        if (!lesson_nudge_for(play, quiz, i, &when, &cause))
            return lesson_at(play->lesson, block, &cause, error);
        snprintf(before, sizeof before, "<template data-when=\"%" PRId64 "\">", when);
        good = put_filled(play, block, before, quiz->nudge[i].text, "</template>\n", file, error);
    }
    good = good &&
           put_filled(play, block, "<template class=\"idea\">", quiz->idea, "</template>\n", file,
                      error) &&
           put_filled(play, block, "<template class=\"because\">", quiz->because, "</template>\n",
                      file, error);
    fputs("</form>\n", file);
    return good;
}

/* ---- labs ------------------------------------------------------------------------------------ */

/* A text whose expressions the page's script computes, from what is typed: <data value="C - W">. */
static void put_computed(FILE *file, const char *text)
{
    while (*text) {
        const size_t length = strcspn(text, "{");
        const char *close = text[length] ? strchr(text + length, '}') : NULL;
        char *part = memory_copy_of(text, length);
        put_text(file, part);
        free(part);
        text += length;
        if (!close)
            continue;
        part = memory_copy_of(text + 1, (size_t)(close - text - 1));
        fputs("<data value=\"", file);
        html_text(file, part);
        fputs("\"></data>", file);
        free(part);
        text = close + 1;
    }
}

static bool put_ask(const struct lesson_play *play, const struct lesson_block *block, int i,
                    FILE *file, struct error *error)
{
    const struct lesson_ask *ask = &block->lab.ask[i];
    struct error cause = {{0}};
    int64_t example;
    if (!expression_value(ask->example, play->recording, play->count, &example, &cause))
        return lesson_at(play->lesson, block, &cause, error);
    fprintf(file,
            "<p><label>%s = <input class=\"number\" name=\"%s\" inputmode=\"numeric\" "
            "placeholder=\"%" PRId64 "\" data-metric=\"",
            ask->name, ask->name, example);
    html_text(file, ask->metric);
    fputs("\"> <code>", file);
    html_text(file, ask->metric);
    fputs("</code></label></p>\n", file);
    return true;
}

static bool put_lab(const struct lesson_play *play, const struct lesson_block *block, FILE *file,
                    struct error *error)
{
    const struct lesson_lab *lab = &block->lab;
    bool good = lesson_check_lab(play, block, error) &&
                put_filled(play, block, "<form class=\"lab\">\n<p class=\"question\">",
                           lab->question, "</p>\n", file, error);
    for (int i = 0; good && i < lab->asks; i++)
        good = put_ask(play, block, i, file, error);
    fprintf(
        file,
        "<button>%s</button> <button type=\"button\" class=\"hint\">%s</button> <label>%s <input "
        "type=\"file\" accept=\".csv,text/csv\"></label>\n<div class=\"said\" "
        "aria-live=\"polite\"></div>\n",
        lesson_says(play->lesson, "what it means"), lesson_says(play->lesson, "example"),
        lesson_says(play->lesson, "or a .csv file of ncu's:"));
    for (int i = 0; i < lab->says; i++) {
        fputs("<template class=\"say\" data-if=\"", file);
        html_text(file, lab->say[i].condition);
        fputs("\">", file);
        put_computed(file, lab->say[i].text);
        fputs("</template>\n", file);
    }
    fputs("</form>\n", file);
    return good;
}

/* ---- the lesson ------------------------------------------------------------------------------ */

/* The end of an <li> is where the next one or the list's end is. */
static bool put_item(struct lesson_play *play, const struct lesson_block *block, FILE *file,
                     struct error *error)
{
    char before[32] = "<li>";
    if (block->number > 0)
        snprintf(before, sizeof before, "<li value=\"%d\">", block->number);
    return put_filled(play, block, block->number < 0 ? "<p>" : before, block->text,
                      block->number < 0 ? "</p>\n" : "\n", file, error);
}

/* Ends the list that is open, or NULL, where another one, or NULL, goes on. */
static void change_list(const char **list, const char *wanted, FILE *file)
{
    if (wanted == *list)
        return;
    if (*list)
        fprintf(file, "</%s>\n", *list);
    if (wanted)
        fprintf(file, "<%s>\n", wanted);
    *list = wanted;
}

/* Without the indent that all its lines have: a phone is narrow. */
static void put_code(const char *text, FILE *file)
{
    const size_t indent = pane_indent(text);
    fputs("<pre><code>", file);
    while (*text) {
        const size_t length = strcspn(text, "\n"), spaces = strspn(text, " ");
        const size_t from = spaces < indent ? spaces : indent;
        char *line = memory_copy_of(text + from, length - from);
        html_text(file, line);
        free(line);
        text += length;
        if (*text)
            fputc(*text++, file);
    }
    fputs("</code></pre>\n", file);
}

/* The lessons that come before, each a link where they can be reached. */
static void put_before(const struct lesson_play *play, const char *text, FILE *file)
{
    const char *names = strstr(text, play->lesson->after);
    char *before = memory_copy_of(text, (size_t)(names - text));
    fputs("<p>", file);
    html_text(file, before);
    free(before);
    while (*names) {
        const size_t length = strcspn(names, ", "), between = strspn(names + length, ", ");
        char *name = memory_copy_of(names, length);
        fprintf(file, "<a href=\"%s", play->link[0]);
        html_text(file, name);
        fprintf(file, "%s\">", play->link[1]);
        html_text(file, name);
        fprintf(file, "</a>%s", between ? ", " : "");
        free(name);
        names += length + between;
    }
    fputs("</p>\n", file);
}

static bool put_block(struct lesson_play *play, const struct lesson_block *block, FILE *file,
                      struct error *error)
{
    switch (block->kind) {
    case LESSON_RUN:
        return put_run(play, block, file, error);
    case LESSON_DRAW:
        return lesson_record(play, block, error);
    case LESSON_NOTE:
        return true;
    case LESSON_QUIZ:
        return put_quiz(play, block, file, error);
    case LESSON_LAB:
        return put_lab(play, block, file, error);
    case LESSON_HEADING:
        return put_filled(play, block, "<h3>", block->text, "</h3>\n", file, error);
    case LESSON_ITEM:
        return put_item(play, block, file, error);
    case LESSON_CODE:
        put_code(block->text, file);
        return true;
    default:
        if (play->link[0] && block->page == 0 && play->lesson->after &&
            strstr(block->text, play->lesson->after)) {
            put_before(play, block->text, file);
            return true;
        }
        return put_filled(play, block, "<p>", block->text, "</p>\n", file, error);
    }
}

static void put_template(FILE *file, const char *name, const char *text)
{
    fprintf(file, "<template class=\"%s\">", name);
    html_text(file, text);
    fputs("</template>\n", file);
}

/* The exercise, where the lesson has one: what is handed out, and what the page's script (web/exercise.js) marks it
 * by. data-student: whose numbers it has; where it draws some, a hand-in with another's would get others. */
static bool put_exercise(const struct lesson_play *play, FILE *file, struct error *error)
{
    const struct lesson *lesson = play->lesson;
    char *text[EXERCISE_TEXTS];
    if (!exercise_is_there(lesson->folder))
        return true;
    const bool good = exercise_texts(lesson->folder, play->student, text, error);
    if (good) {
        fputs("<section class=\"exercise\" data-name=\"", file);
        html_text(file, lesson->name);
        fputs("\" data-student=\"", file);
        html_text(file, play->student ? play->student : "");
        fprintf(file, "\">\n<h3>%s</h3>\n<p>", lesson_says(lesson, "Exercise"));
        put_text(file,
                 lesson_says(lesson, "Fill in the marked part of `exercise.cu`. `bankscope check "
                                     "exercise.cu` says what is still missing."));
        fputs("</p>\n<pre class=\"given\" lang=\"en\"><code>", file);
        html_text(file, text[EXERCISE_CODE]);
        fputs("</code></pre>\n", file);
        put_template(file, "table", text[EXERCISE_TABLE]);
        put_template(file, "grading", text[EXERCISE_GRADING]);
        fputs("</section>\n", file);
    }
    exercise_texts_free(text);
    return good;
}

bool lesson_page_glossary(const struct lesson *lesson, FILE *file, struct error *error)
{
    char *text = lesson_glossary(&lesson->words, error);
    if (!text)
        return false;
    fprintf(file, "<details class=\"glossary\"><summary>%s</summary>\n<dl>\n",
            lesson_says(lesson, "Glossary"));
    for (const char *line = text; *line;) {
        const size_t length = strcspn(line, "\n"), name = strcspn(line, ":");
        if (name + 2 < length) {
            char *word = memory_copy_of(line, name),
                 *meaning = memory_copy_of(line + name + 2, length - name - 2);
            fputs("<dt>", file);
            put_text(file, word);
            fputs("</dt><dd>", file);
            put_text(file, meaning);
            fputs("</dd>\n", file);
            free(word);
            free(meaning);
        }
        line += length + (line[length] == '\n');
    }
    fputs("</dl></details>\n", file);
    free(text);
    return true;
}

/* What the page's script says, where the lesson's language is not English. */
static void put_words(const struct lesson *lesson, FILE *file)
{
    static const char *const words[] = {
        "right.",
        "not so.",
        "Choose one.",
        "Type a whole number.",
        "The answer is %s.",
        "forget my answers",
        "Type whole numbers.",
        "This file has no %s.",
        "Run",
        "Check",
        "Hint",
        "Begin again",
        "Save the file",
        "Show where",
        "Run your part, and see its banks",
        "The marks that bankscope check will give",
        "The file to hand in",
        "Your part; Escape, then Tab leaves it",
        "What is wrong",
        "your name",
        ("The marks here are advice: your teacher's check of the saved "
         "file counts. Your text is kept in this browser."),
        "ok:",
        "not yet:",
        "nothing to measure: no run got there",
        "running ...",
        "It does not compile.",
        "All %s goals met, %s of %s points (%s runs). Well done.",
        "%s of %s goals met, %s of %s points. (Seed %s.)",
        "The picture: %s."};
    for (size_t i = 0; *lesson->language && i < sizeof words / sizeof words[0]; i++) {
        fprintf(file, "<template class=\"word\" title=\"%s\">", words[i]);
        html_text(file, lesson_says(lesson, words[i]));
        fputs("</template>\n", file);
    }
}

bool lesson_page(struct lesson_play *play, FILE *file, struct error *error)
{
    static const char numbered[] = "ol", bullets[] = "ul";
    const struct lesson *lesson = play->lesson;
    const char *list = NULL;
    bool good = true;
    fputs("<section class=\"lesson\" id=\"", file);
    html_text(file, lesson->name);
    fprintf(file, "\" lang=\"%s\">\n", *lesson->language ? lesson->language : "en");
    put_words(lesson, file);
    fputs("<h2>", file);
    put_text(file, lesson->title);
    char times[LESSON_TIMES];
    lesson_times(lesson, times);
    fputs("</h2>\n<p>", file);
    html_text(file, times);
    fputc('.', file);
    if (play->student && lesson_draws(lesson)) {
        char drawn[400];
        snprintf(drawn, sizeof drawn, lesson_says(lesson, "Numbers drawn for %s."), play->student);
        fputc(' ', file);
        html_text(file, drawn);
    }
    fputs("</p>\n<section>\n", file);
    for (int i = 0; good && i < lesson->blocks; i++) {
        const struct lesson_block *block = &lesson->block[i];
        change_list(&list,
                    block->kind != LESSON_ITEM ? NULL
                    : block->number < 0        ? list
                    : block->number            ? numbered
                                               : bullets,
                    file);
        if (i > 0 && block->page != block[-1].page)
            fputs("</section>\n<section>\n", file);
        good = put_block(play, block, file, error);
    }
    change_list(&list, NULL, file);
    fputs("</section>\n", file);
    good = good && put_exercise(play, file, error) && lesson_page_glossary(lesson, file, error);
    fputs("</section>\n", file);
    return good;
}
