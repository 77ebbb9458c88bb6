/* text.c - a lesson as plain text, in the terminal or through a pipe. */
#include "teach/teach.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEXT_WIDTH = 78 };

/* Prints words wrapped, with `first` before the first line and as much space before the others. */
static void print_wrapped(const char *first, const char *text)
{
    int indent = (int)strlen(first), column = indent;
    printf("%.*s", *text ? indent : indent - (indent > 0 && first[indent - 1] == ' '), first);
    while (*text) {
        bool broken = *text == '\n';
        text += strspn(text, " \n");
        size_t length = strcspn(text, " \n");
        int width = 0;
        for (size_t i = 0; i < length; i++)
            width += ((unsigned char)text[i] & 0xC0) != 0x80; /* characters of UTF-8 */
        if (broken || (column > indent && column + 1 + width > TEXT_WIDTH)) {
            printf("\n%*s", indent, "");
            column = indent;
        } else if (column > indent && length) {
            fputc(' ', stdout);
            column++;
        }
        printf("%.*s", (int)length, text);
        column += width;
        text += length;
    }
    printf("\n");
}

static void print_code(const char *text)
{
    for (const char *line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
        printf("%s%.*s\n", *line == '\n' ? "" : "    ", (int)strcspn(line, "\n"), line);
}

/* ---- the picture as text ------------------------------------------------------------------- */

/* A word of the picture. */
struct cell {
    int sharers; /* lanes that use it; 0: none */
    long long shown;
};

/* What lesson_cells[cells] is for the k-th word of the access's i-th lane. */
static long long cell_number(const struct trace_header *header, const struct warp_access *access,
                             int i, int k, int cells)
{
    const long long numbers[] = {access->warp * header->warp + access->lane[i],
                                 access->addr[i] / (unsigned)header->bank_bytes + k,
                                 access->value ? (long long)access->value[i] : 0};
    return numbers[cells];
}

/* Writes a cell's text; returns its length. */
static int cell_text(const struct cell *cell, char text[32])
{
    if (!cell->sharers)
        return snprintf(text, 32, ".");
    return snprintf(text, 32, "%lld%s", cell->shown, cell->sharers > 1 ? "+" : "");
}

static void print_rows(const struct trace_header *header, const struct cell *cell, int columns,
                       int width, const struct bank_cost *cost)
{
    char text[32];
    for (int bank = 0; bank < header->banks; bank++) {
        printf("    bank %2d |", bank);
        for (int column = 0; column < columns; column++) {
            const struct cell *at = &cell[column * header->banks + bank];
            cell_text(at, text);
            printf(" %*s%c", width, text, at->sharers && cost->busy[bank] ? '!' : ' ');
        }
        printf("|");
        if (cost->degree[bank])
            printf(" %d", cost->degree[bank]);
        printf("\n");
    }
}

/* A row per bank, a column per `banks` words: what is accessed now. */
static void print_matrix(const char *label, const struct trace *trace,
                         const struct warp_access *access, int cells)
{
    const struct trace_header *header = &trace->header;
    int banks = header->banks, bytes = header->bank_bytes, width = 1, shared = 0;
    int words = (header->shared_bytes + bytes - 1) / bytes, columns = (words + banks - 1) / banks;
    struct cell *cell = calloc((size_t)columns * (size_t)banks + 1, sizeof *cell);
    static const char *const meanings[] = {"the thread that uses the word",
                                           "the number of the word", "the word's value"};
    struct bank_cost cost;
    char text[32], legend[160];
    if (!cell)
        return;
    bank_model_cost(banks, bytes, header->warp, access, &cost);
    for (int i = 0; i < access->lanes; i++)
        for (int k = 0; k < (access->bytes + bytes - 1) / bytes; k++) {
            struct cell *at = &cell[access->addr[i] / (uint32_t)bytes + (uint32_t)k];
            if (!at->sharers++)
                at->shown = cell_number(header, access, i, k, cells);
            shared += at->sharers > 1;
            int length = cell_text(at, text);
            width = length > width ? length : width;
        }
    int fit = (TEXT_WIDTH - 18) / (width + 2), shown = columns < fit ? columns : fit;
    printf("  %s (%s): stage %s, round %d, warp %d of block %d\n", label, header->kernel,
           header->stage[access->stage], access->round, access->warp, access->block);
    print_rows(header, cell, shown, width, &cost);
    snprintf(legend, sizeof legend, "cells: %s%s%s; right: the words that the bank serves",
             meanings[cells], shared ? ", +: several threads share it" : "",
             cost.conflicts ? ", !: conflict" : "");
    print_wrapped("    ", legend);
    if (columns > shown)
        printf("    (columns 0 to %d; there are %d)\n", shown - 1, columns);
    printf("    %d lane%s %s in %d pass%s; without conflicts: %d\n", access->lanes,
           access->lanes == 1 ? "" : "s", access->op == OP_LOAD ? "load" : "store", cost.passes,
           cost.passes == 1 ? "" : "es", cost.least);
    free(cell);
}

static void print_picture(const char *label, const struct trace *trace,
                          const struct lesson_run *run)
{
    struct warp_access access;
    if (lesson_picture(run, trace, &access))
        print_matrix(label, trace, &access, run->cells);
}

/* ---- playing as text ----------------------------------------------------------------------- */

enum step { STEP_ON, STEP_LEAVE, STEP_FAILED };

/* Reads a line, without its end. false: the input has ended. A long line comes in pieces. */
static bool read_line(char line[256])
{
    fflush(stdout);
    if (!fgets(line, 256, stdin))
        return false;
    line[strcspn(line, "\r\n")] = '\0';
    return true;
}

static bool is_quit(const char *line)
{
    return !strcmp(line, "q") || !strcmp(line, "quit");
}

static enum step show_run(struct lesson_play *play, const struct lesson_block *block,
                          struct error *error)
{
    const struct lesson_run *run = &block->run;
    if (!lesson_record(play, block, error))
        return STEP_FAILED;
    printf("  $ bankscope run %s\n", run->command);
    if (run->beside)
        print_picture(run->beside, lesson_trace(play, run->beside), run);
    print_picture(run->label, lesson_trace(play, run->label), run);
    return STEP_ON;
}

/* Asks until the answer is right, two were not, or the student gives up with an empty line. */
static enum step ask(struct lesson_play *play, const struct lesson_quiz *quiz, int64_t answer,
                     const char *because)
{
    char line[256], right[256];
    for (int tries = 0; tries < 2; tries++) {
        printf(quiz->choices ? "  a letter (Enter: tell me) > " : "  a number (Enter: tell me) > ");
        if (!read_line(line) || is_quit(line))
            return STEP_LEAVE;
        if (!*line)
            break;
        enum lesson_verdict verdict = lesson_judge(quiz, line, answer);
        play->right += verdict == VERDICT_RIGHT && tries == 0;
        if (verdict == VERDICT_RIGHT) {
            play->asked++;
            print_wrapped("  Right. ", because);
            return STEP_ON;
        }
        if (tries == 0)
            printf("%s\n", verdict == VERDICT_WRONG ? "  Not so. Once more:"
                           : quiz->choices          ? "  Please type one of the letters:"
                                                    : "  Please type a whole number:");
    }
    play->asked++;
    lesson_show_answer(quiz, answer, right, sizeof right);
    printf("  The answer is %s%s", right, quiz->choices ? "\n" : ".\n");
    print_wrapped("  ", because);
    return STEP_ON;
}

static enum step show_quiz(struct lesson_play *play, const struct lesson_block *block,
                           struct error *error)
{
    const struct lesson_quiz *quiz = &block->quiz;
    int64_t answer = 0;
    enum step step = STEP_FAILED;
    char *question = lesson_fill(play, block, quiz->question, error);
    char *because = question ? lesson_fill(play, block, quiz->because, error) : NULL;
    if (because && lesson_answer(play, block, &answer, error)) {
        print_wrapped("? ", question);
        for (int i = 0; i < quiz->choices; i++)
            printf("  %c) %s\n", (char)('a' + i), quiz->choice[i].text);
        step = ask(play, quiz, answer, because);
    }
    free(question);
    free(because);
    return step;
}

static enum step show_text(const struct lesson_play *play, const struct lesson_block *block,
                           struct error *error)
{
    static const char *const first[] = {
        [LESSON_HEADING] = "== ", [LESSON_TEXT] = "", [LESSON_ITEM] = "  - "};
    char *text = lesson_fill(play, block, block->text, error);
    if (text)
        print_wrapped(first[block->kind], text);
    free(text);
    return text ? STEP_ON : STEP_FAILED;
}

static enum step show_block(struct lesson_play *play, const struct lesson_block *block,
                            struct error *error)
{
    switch (block->kind) {
    case LESSON_RUN:
        return show_run(play, block, error);
    case LESSON_QUIZ:
        return show_quiz(play, block, error);
    case LESSON_CODE:
        print_code(block->text);
        return STEP_ON;
    default:
        return show_text(play, block, error);
    }
}

/* At the end of a page a reader at the terminal decides when to go on. */
static enum step turn_page(void)
{
    char line[256];
    if (!isatty(STDIN_FILENO))
        return STEP_ON;
    printf("\n  (Enter: next page, q: leave) ");
    return read_line(line) && !is_quit(line) ? STEP_ON : STEP_LEAVE;
}

bool lesson_text(struct lesson_play *play, const char *farewell, struct error *error)
{
    const struct lesson *lesson = play->lesson;
    enum step step = STEP_ON;
    printf("%s (about %d minutes)\n", lesson->title, lesson->minutes);
    for (int i = 0; i < lesson->blocks && step == STEP_ON; i++) {
        const struct lesson_block *block = &lesson->block[i];
        if (i > 0 && block->page != block[-1].page)
            step = turn_page();
        if (step == STEP_ON) {
            bool list = i > 0 && block->kind == LESSON_ITEM && block[-1].kind == LESSON_ITEM;
            if (!list)
                printf("\n");
            step = show_block(play, block, error);
        }
    }
    if (step == STEP_FAILED)
        return false;
    printf("\n\n");
    if (play->asked)
        printf("%d of %d questions right at once. ", play->right, play->asked);
    printf(step == STEP_LEAVE ? "Until next time.\n" : "That is the end of the lesson.\n");
    if (step == STEP_ON && *farewell)
        print_wrapped("", farewell);
    return true;
}
