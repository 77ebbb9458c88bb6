/* gift.c - a lesson's questions in the format GIFT, for Moodle and what else imports it.
 *
 *     ::02-strides 1::[html]<p>How many passes ...?</p>{#
 *     =12:0#because ...
 *     =%0%1:0#That is what a row costs.
 *     ####because ...}
 *
 * A question stands alone there, so it brings along its recording's picture, as text, without what the question
 * hides. */
#include "teach/teach.h"
#include "viewer/export/page.h"
#include "viewer/viewer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Characters in a line of a picture: 32 columns of a matrix fit in. */
enum { WIDE = 140 };

/* Writes what means something in GIFT behind a backslash. */
static void put_escaped(FILE *file, const char *text)
{
    for (; *text; text++) {
        if (strchr("~=#{}:\\", *text))
            fputc('\\', file);
        if (*text == '\n')
            fputs("\\n", file);
        else
            fputc(*text, file);
    }
}

/* As HTML. Feedback has no paragraph. */
static void put_html(FILE *file, const char *text)
{
    char *html = NULL;
    size_t length;
    bool code = false;
    FILE *memory = open_memstream(&html, &length);
    if (!memory)
        memory_exhausted();
    for (const char *at = text; *at;) {
        const size_t span = strcspn(at, "`");
        char *part = memory_copy_of(at, span);
        html_text(memory, part);
        free(part);
        at += span;
        if (*at) {
            code = !code;
            fputs(code ? "<code>" : "</code>", memory);
            at++;
        }
    }
    fclose(memory);
    put_escaped(file, html);
    free(html);
}

static bool put_filled(const struct lesson_play *play, const struct lesson_block *block,
                       const char *before, const char *text, FILE *file, struct error *error)
{
    char *filled = lesson_fill(play, block, text, error);
    if (filled && *filled) {
        fputs(before, file);
        put_html(file, filled);
    }
    free(filled);
    return filled;
}

/* The picture of a run as text; "" where it has none. */
static char *picture_text(const struct lesson_play *play, const struct lesson_block *run,
                          unsigned hide, struct error *error)
{
    struct trace_index index = {.trace = NULL};
    struct figure_part part;
    char *text = NULL;
    size_t length;
    FILE *file = open_memstream(&text, &length);
    if (!file)
        memory_exhausted();
    if (lesson_take_part(&run->run, lesson_trace(play, run->run.label), hide, &index, &part,
                         error)) {
        const struct terminal terminal = {.width = WIDE};
        part.title = lesson_command(play, run->run.label);
        terminal_print(&part, &terminal, 0, file, error);
    }
    trace_index_free(&index);
    fclose(file);
    return text;
}

static bool put_picture(const struct lesson_play *play, const struct lesson_block *run,
                        unsigned hide, FILE *file, struct error *error)
{
    char *picture = run ? picture_text(play, run, hide, error) : NULL;
    if (picture && *picture) {
        fputs("<pre>", file);
        put_html(file, picture);
        fputs("</pre>", file);
    }
    free(picture);
    return !error->text[0];
}

static bool put_nudges(const struct lesson_play *play, const struct lesson_block *block, int choice,
                       FILE *file, struct error *error)
{
    const struct lesson_quiz *quiz = &block->quiz;
    for (int i = 0; i < quiz->nudges; i++) {
        int64_t when;
        struct error cause = {{0}};
        if (!lesson_nudge_for(play, quiz, i, &when, &cause))
            return lesson_at(play->lesson, block, &cause, error);
        if (choice < 0)
            fprintf(file, "\n=%%0%%%" PRId64 ":0", when);
        if ((choice < 0 || choice == when) &&
            !put_filled(play, block, "#", quiz->nudge[i].text, file, error))
            return false;
    }
    return true;
}

static bool put_quiz(const struct lesson_play *play, const struct lesson_block *block,
                     const struct lesson_block *run, int number, FILE *file, struct error *error)
{
    const struct lesson_quiz *quiz = &block->quiz;
    int64_t right;
    if (!lesson_answer(play, block, &right, error))
        return false;
    fputs("::", file);
    put_escaped(file, play->lesson->name);
    fprintf(file, " %d::[html]", number);
    bool good = put_picture(play, run, quiz->hide, file, error) &&
                put_filled(play, block, "<p>", quiz->question, file, error);
    fputs(quiz->choices ? "</p>{" : "</p>{#", file);
    if (good && !quiz->choices) {
        fprintf(file, "\n=%" PRId64 ":0", right);
        good = put_nudges(play, block, -1, file, error);
    }
    for (int i = 0; good && i < quiz->choices; i++) {
        fprintf(file, "\n%c", i == right ? '=' : '~');
        put_html(file, quiz->choice[i].text);
        good = put_nudges(play, block, i, file, error);
    }
    good = good && put_filled(play, block, "\n####", quiz->because, file, error);
    fputs("\n}\n\n", file);
    return good;
}

bool lesson_gift(struct lesson_play *play, FILE *file, struct error *error)
{
    const struct lesson *lesson = play->lesson;
    const struct lesson_block *run = NULL;
    bool good = true;
    int number = 0;
    fputs("$CATEGORY: Bankscope/", file);
    put_escaped(file, lesson->name);
    fputs("\n\n", file);
    for (int i = 0; good && i < lesson->blocks; i++) {
        const struct lesson_block *block = &lesson->block[i];
        if (block->kind == LESSON_RUN || block->kind == LESSON_DRAW)
            good = lesson_record(play, block, error);
        if (block->kind == LESSON_RUN)
            run = block;
        if (block->kind == LESSON_QUIZ)
            good = put_quiz(play, block, run, ++number, file, error);
    }
    return good;
}
