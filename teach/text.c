/* text.c - a lesson as plain text, in the terminal or through a pipe. */
#include "teach/teach.h"
#include "viewer/viewer.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEXT_WIDTH = 78 };

/* The text, which is the caller's, without backquotes. */
static void print_wrapped(const char *first, const char *text)
{
    char *plain = lesson_plain(memory_copy(text));
    terminal_wrap(first, plain, TEXT_WIDTH, stdout);
    free(plain);
}

static void print_choice(int index, const char *text)
{
    char first[] = "  a) ";
    first[2] = (char)('a' + index);
    print_wrapped(first, text);
}

static void print_code(const char *text)
{
    for (const char *line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
        printf("%s%.*s\n", *line == '\n' ? "" : "    ", (int)strcspn(line, "\n"), line);
}

/* A recording's banks in the round that the run block shows. */
static bool print_picture(const char *label, const struct trace *trace,
                          const struct lesson_run *run, unsigned hide, struct error *error)
{
    struct warp_access access;
    struct trace_index index;
    char title[256];
    if (!lesson_picture(run, trace, &access))
        return true;
    if (!trace_index_init(&index, trace, error))
        return false;
    snprintf(title, sizeof title, "%s (%s)", label, trace->header.kernel);
    struct figure_part part = lesson_part(run, &index, &access, hide);
    part.title = title;
    struct terminal terminal = terminal_of(stdout, &themes[0]);
    bool good = terminal_print(&part, &terminal, 2, stdout, error);
    trace_index_free(&index);
    return good;
}

/* The pictures of a run block that has been recorded. */
static bool print_pictures(const struct lesson_play *play, const struct lesson_block *block,
                           unsigned hide, struct error *error)
{
    const struct lesson_run *run = &block->run;
    bool good = true;
    if (run->beside) {
        good = print_picture(run->beside, lesson_trace(play, run->beside), run, hide, error);
        printf("\n");
    }
    return good && print_picture(run->label, lesson_trace(play, run->label), run, hide, error);
}

/* ---- playing as text ----------------------------------------------------------------------- */

enum step { STEP_ON, STEP_LEAVE, STEP_FAILED };

/* Asks for a line and reads it, without its end; one that does not come from a terminal is shown.
 * false: the input has ended. A long line comes in pieces. */
static bool read_line(const char *prompt, char line[256])
{
    bool terminal = isatty(STDIN_FILENO);
    printf("%s%s", prompt, terminal ? " " : "");
    fflush(stdout);
    if (!fgets(line, 256, stdin))
        return false;
    line[strcspn(line, "\r\n")] = '\0';
    if (!terminal) {
        text_clean(line);
        printf("%s%s\n", *line ? " " : "", line);
    }
    return true;
}

static bool is_quit(const char *line)
{
    return !strcmp(line, "q") || !strcmp(line, "quit");
}

static enum step show_run(struct lesson_play *play, const struct lesson_block *block,
                          struct error *error)
{
    unsigned hide = lesson_hides(play->lesson, block);
    if (!lesson_record(play, block, error))
        return STEP_FAILED;
    printf("  $ bankscope run %s\n", lesson_command(play, block->run.label));
    return print_pictures(play, block, hide, error) ? STEP_ON : STEP_FAILED;
}

/* Asks until the question is done. */
static enum step ask(struct lesson_play *play, const struct lesson_block *block,
                     struct error *error)
{
    struct lesson_tries tries = {0};
    char line[256];
    if (!lesson_restore(play, block, &tries, error))
        return STEP_FAILED;
    if (tries.said[0])
        print_wrapped("  ", tries.said);
    while (!tries.done) {
        char prompt[64];
        const bool hint = lesson_has_hint(block, &tries);
        snprintf(prompt, sizeof prompt, "  %s >",
                 block->quiz.choices
                     ? (hint ? lesson_says(play->lesson, "a letter (h: a hint)")
                             : lesson_says(play->lesson, "a letter (h: the answer)"))
                 : hint ? lesson_says(play->lesson, "a number (h: a hint)")
                        : lesson_says(play->lesson, "a number (h: the answer)"));
        if (!read_line(prompt, line) || is_quit(line))
            return STEP_LEAVE;
        if (!lesson_reply(play, block, &tries, line, error))
            return STEP_FAILED;
        print_wrapped("  ", tries.said);
    }
    return STEP_ON;
}

/* The recording of a page, or NULL. */
static const struct lesson_block *run_of_page(const struct lesson *lesson, int page)
{
    for (int i = 0; i < lesson->blocks; i++)
        if (lesson->block[i].kind == LESSON_RUN && lesson->block[i].page == page)
            return &lesson->block[i];
    return NULL;
}

/* The last question that hides something: then its page's pictures are shown again, whole. */
static enum step reveal(const struct lesson_play *play, const struct lesson_block *quiz,
                        struct error *error)
{
    const struct lesson_block *run = run_of_page(play->lesson, quiz->page);
    if (!quiz->quiz.hide || !run || run > quiz || lesson_hides(play->lesson, quiz))
        return STEP_ON;
    printf("\n");
    return print_pictures(play, run, 0, error) ? STEP_ON : STEP_FAILED;
}

static enum step show_quiz(struct lesson_play *play, const struct lesson_block *block,
                           struct error *error)
{
    const struct lesson_quiz *quiz = &block->quiz;
    char *question = lesson_fill(play, block, quiz->question, error);
    if (!question)
        return STEP_FAILED;
    print_wrapped("? ", question);
    free(question);
    for (int i = 0; i < quiz->choices; i++)
        print_choice(i, quiz->choice[i].text);
    enum step step = ask(play, block, error);
    return step == STEP_ON ? reveal(play, block, error) : step;
}

static enum step show_text(const struct lesson_play *play, const struct lesson_block *block,
                           struct error *error)
{
    char mark[16], first[24] = "";
    if (block->kind == LESSON_ITEM)
        snprintf(first, sizeof first, "  %s", lesson_mark(block, "- ", mark));
    else if (block->kind == LESSON_HEADING)
        snprintf(first, sizeof first, "== ");
    char *text = lesson_fill(play, block, block->text, error);
    if (text)
        print_wrapped(first, text);
    free(text);
    return text ? STEP_ON : STEP_FAILED;
}

/* Asks for what the student has measured, as often as there is something. */
static enum step show_lab(const struct lesson_play *play, const struct lesson_block *block,
                          struct error *error)
{
    const struct lesson_lab *lab = &block->lab;
    struct lesson_numbers numbers = {0};
    char line[256], prompt[512];
    char *question = lesson_fill(play, block, lab->question, error);
    if (!question)
        return STEP_FAILED;
    print_wrapped("? ", question);
    free(question);
    print_wrapped("  ", lesson_says(play->lesson,
                                    "Type each number, the name of a .csv file of ncu's, or h for "
                                    "an example; Enter alone goes on."));
    for (;;) {
        const struct lesson_ask *ask = &lab->ask[numbers.given];
        snprintf(prompt, sizeof prompt, "  %s, %s >", ask->name, ask->metric);
        if (!read_line(prompt, line) || is_quit(line))
            return STEP_LEAVE;
        if (!line[strspn(line, " ")])
            return STEP_ON;
        if (!lesson_measured(play, block, &numbers, line, error))
            return STEP_FAILED;
        if (numbers.said[0])
            print_wrapped("  ", numbers.said);
        if (!strcmp(line, "h"))
            return STEP_ON;
    }
}

static enum step show_block(struct lesson_play *play, const struct lesson_block *block,
                            struct error *error)
{
    switch (block->kind) {
    case LESSON_RUN:
        return show_run(play, block, error);
    case LESSON_QUIZ:
        return show_quiz(play, block, error);
    case LESSON_LAB:
        return show_lab(play, block, error);
    case LESSON_CODE:
        print_code(block->text);
        return STEP_ON;
    case LESSON_DRAW:
        return lesson_record(play, block, error) ? STEP_ON : STEP_FAILED;
    case LESSON_NOTE:
        return STEP_ON;
    default:
        return show_text(play, block, error);
    }
}

/* At the end of a page a reader at the terminal decides when to go on. */
static enum step turn_page(const struct lesson *lesson)
{
    char line[256], prompt[80];
    if (!isatty(STDIN_FILENO))
        return STEP_ON;
    snprintf(prompt, sizeof prompt, "\n  %s", lesson_says(lesson, "(Enter: next page, q: leave)"));
    return read_line(prompt, line) && !is_quit(line) ? STEP_ON : STEP_LEAVE;
}

bool lesson_text(struct lesson_play *play, const char *farewell, struct error *error)
{
    const struct lesson *lesson = play->lesson;
    enum step step = STEP_ON;
    char *title = lesson_plain(memory_copy(lesson->title));
    char times[LESSON_TIMES];
    lesson_times(lesson, times);
    printf("%s\n", title);
    print_wrapped("", times);
    if (play->student && lesson_draws(lesson))
        printf(lesson_says(lesson, "Numbers drawn for %s."), play->student), putchar('\n');
    free(title);
    int first = play->page;
    if (first > 0)
        printf(lesson_says(lesson, "Going on with page %d of %d; --restart begins anew."),
               first + 1, lesson->pages),
            putchar('\n');
    for (int i = 0; i < lesson->blocks && step == STEP_ON; i++) {
        const struct lesson_block *block = &lesson->block[i];
        if (block->page < first) { /* what comes later may speak of its recording */
            bool known = block->kind == LESSON_RUN || block->kind == LESSON_DRAW;
            struct lesson_tries tries = {0};
            if (known && !lesson_record(play, block, error))
                step = STEP_FAILED;
            if (block->kind == LESSON_QUIZ && !lesson_restore(play, block, &tries, error))
                step = STEP_FAILED;
            continue;
        }
        if (block->page > first && block->page != block[-1].page) {
            step = turn_page(lesson);
            if (step == STEP_ON)
                lesson_go(play, block->page, false);
        }
        if (step == STEP_ON) {
            bool list = i > 0 && block->kind == LESSON_ITEM && block[-1].kind == LESSON_ITEM;
            bool shown = block->kind != LESSON_DRAW && block->kind != LESSON_NOTE;
            if (shown && !list)
                printf("\n");
            step = show_block(play, block, error);
        }
    }
    if (step == STEP_ON)
        lesson_go(play, play->page, true);
    if (step == STEP_FAILED)
        return false;
    printf("\n\n");
    if (play->asked)
        printf(lesson_says(lesson, "%d of %d questions right at once."), play->right, play->asked),
            putchar(' ');
    puts(step == STEP_LEAVE ? lesson_says(lesson, "Until next time.")
                            : lesson_says(lesson, "That is the end of the lesson."));
    if (step == STEP_ON && *farewell)
        print_wrapped("", farewell);
    return true;
}
