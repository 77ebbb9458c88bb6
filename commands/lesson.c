/* lesson.c - list the lessons, or play one: in the window, or as plain text. */
#include "commands/lesson.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char lesson_help[] =
    "usage: bankscope lesson [NAME] [--text|--window]\n"
    "       bankscope lesson --answers [NAME]\n"
    "\n"
    "Plays a lesson: text, recordings to look at, and questions whose answers are computed from\n"
    "the recordings. NAME is 01-banks, banks, 01 or 1; without it the lessons are listed. Plays "
    "in\n"
    "the window where there is a display, as text elsewhere.\n"
    "\n"
    "  --text             play as text, in the terminal or from a pipe\n"
    "  --window           play in the window, or fail\n"
    "  --answers          for teachers: check the lesson (or all), print every answer\n"
    "\n"
    "examples:\n"
    "  bankscope lesson\n"
    "  bankscope lesson banks --text\n";

enum { TEXT_WIDTH = 78 };

/* ---- finding ------------------------------------------------------------------------------- */

struct folders {
    char root[4096];
    struct dirent **entry;
    int count;
};

/* NN-name */
static int is_lesson(const struct dirent *entry)
{
    return isdigit((unsigned char)entry->d_name[0]) && isdigit((unsigned char)entry->d_name[1]) &&
           entry->d_name[2] == '-';
}

static bool find_folders(struct folders *folders, struct error *error)
{
    if (!data_path("lessons", folders->root, sizeof folders->root, error))
        return false;
    folders->count = scandir(folders->root, &folders->entry, is_lesson, alphasort);
    return folders->count > 0 ||
           error_set(error, "%s holds no lesson (NN-name/lesson.md)", folders->root);
}

static void free_folders(struct folders *folders)
{
    for (int i = 0; i < folders->count; i++)
        free(folders->entry[i]);
    free(folders->entry);
}

/* Whether a folder's name is meant by 01-banks, banks, 01 or 1. */
static bool is_meant(const char *folder, const char *name)
{
    char *end;
    long number = strtol(name, &end, 10);
    if (end > name && !*end)
        return number == strtol(folder, NULL, 10);
    return !strcmp(folder, name) || !strcmp(folder + 3, name);
}

static bool load(const struct folders *folders, int i, struct lesson *lesson, struct error *error)
{
    char folder[4096 + 256];
    snprintf(folder, sizeof folder, "%s/%s", folders->root, folders->entry[i]->d_name);
    return lesson_load(folder, lesson, error);
}

/* The index of the folder, or -1. */
static int choose(const struct folders *folders, const char *name, struct error *error)
{
    enum { ROOM = 100 };
    const char *names[ROOM + 1] = {NULL};
    for (int i = 0; i < folders->count; i++) {
        if (is_meant(folders->entry[i]->d_name, name))
            return i;
        if (i < ROOM)
            names[i] = folders->entry[i]->d_name + 3;
    }
    const char *near = nearest_name(name, names);
    error_set(error, "there is no lesson '%s'%s%s%s ('bankscope lesson' lists them)", name,
              near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    return -1;
}

static bool list_lessons(const struct folders *folders, struct error *error)
{
    for (int i = 0; i < folders->count; i++) {
        struct lesson lesson;
        if (!load(folders, i, &lesson, error))
            return false;
        printf("%-14s about %2d minutes   %s\n", lesson.name, lesson.minutes, lesson.title);
        lesson_free(&lesson);
    }
    printf("\n'bankscope lesson NAME' plays one.\n");
    return true;
}

/* ---- text ---------------------------------------------------------------------------------- */

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

static bool play_text(struct lesson_play *play, const char *farewell, struct error *error)
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

/* ---- for teachers -------------------------------------------------------------------------- */

/* Whether a file that comes with the program holds the text. */
static bool is_quoted(const char *name, const char *text, struct error *error)
{
    char path[4096];
    if (!data_path(name, path, sizeof path, error))
        return false;
    FILE *file = fopen(path, "rb");
    char *all = NULL;
    size_t room = 0;
    bool found = file && getdelim(&all, &room, '\0', file) > 0 && strstr(all, text);
    if (file)
        fclose(file);
    free(all);
    return found || error_set(error, "these lines are not in %s", name);
}

static bool print_answer(struct lesson_play *play, const struct lesson_block *block,
                         struct error *error)
{
    const struct lesson_quiz *quiz = &block->quiz;
    int64_t answer;
    char right[256];
    char *question = lesson_fill(play, block, quiz->question, error);
    char *because = question ? lesson_fill(play, block, quiz->because, error) : NULL;
    bool good = because && lesson_answer(play, block, &answer, error);
    if (good) {
        lesson_show_answer(quiz, answer, right, sizeof right);
        printf("%s, line %d: %s\n  = %s\n", play->lesson->name, block->line, question, right);
    }
    free(question);
    free(because);
    return good;
}

/* Plays without a player: every recording, number, answer and quotation. */
static bool print_answers(struct lesson_play *play, struct error *error)
{
    bool good = true;
    for (int i = 0; good && i < play->lesson->blocks; i++) {
        const struct lesson_block *block = &play->lesson->block[i];
        struct error cause = {{0}};
        char *text;
        switch (block->kind) {
        case LESSON_RUN:
            good = lesson_record(play, block, error);
            break;
        case LESSON_QUIZ:
            good = print_answer(play, block, error);
            break;
        case LESSON_CODE:
            good = !block->source || is_quoted(block->source, block->text, &cause) ||
                   error_set(error, "%s/lesson.md:%d: %s", play->lesson->folder, block->line,
                             cause.text);
            break;
        default:
            text = lesson_fill(play, block, block->text, error);
            good = text;
            free(text);
        }
    }
    return good;
}

/* ---- the command --------------------------------------------------------------------------- */

/* How to go on to the exercise; "" where the lesson has none. */
static void make_farewell(const struct lesson *lesson, char *text, size_t room)
{
    int length = snprintf(text, room, "%s/exercise.cu", lesson->folder);
    if (length < 0 || (size_t)length >= room || access(text, R_OK) != 0)
        *text = '\0';
    else
        snprintf(text, room,
                 "Exercise: copy %s/exercise.cu, fill in the marked part, and type "
                 "'bankscope check' with your copy.",
                 lesson->folder);
}

/* How to play: as text, in the window, or whichever fits. */
enum mode { MODE_FITTING, MODE_TEXT = 't', MODE_WINDOW = 'w', MODE_ANSWERS = 'a' };

static bool has_display(void)
{
#ifdef HAVE_SDL
    const char *x11 = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");
    return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) &&
           ((x11 && *x11) || (wayland && *wayland));
#else
    return false;
#endif
}

static bool play_window(struct lesson_play *play, const char *farewell, struct error *error)
{
#ifdef HAVE_SDL
    return lesson_window(play, farewell, error);
#else
    (void)play, (void)farewell;
    return error_set(error, "this program was built without a window; install SDL2 and build "
                            "again, or use --text");
#endif
}

static bool play_lesson(const struct lesson *lesson, enum mode mode, struct error *error)
{
    struct lesson_play play = {.lesson = lesson};
    char farewell[4096];
    make_farewell(lesson, farewell, sizeof farewell);
    if (mode == MODE_FITTING)
        mode = has_display() ? MODE_WINDOW : MODE_TEXT;
    bool good = mode == MODE_ANSWERS  ? print_answers(&play, error)
                : mode == MODE_WINDOW ? play_window(&play, farewell, error)
                                      : play_text(&play, farewell, error);
    lesson_play_free(&play);
    return good;
}

int command_lesson(int argc, char **argv)
{
    static const struct option longs[] = {{"text", no_argument, NULL, MODE_TEXT},
                                          {"window", no_argument, NULL, MODE_WINDOW},
                                          {"answers", no_argument, NULL, MODE_ANSWERS},
                                          {NULL, 0, NULL, 0}};
    enum mode mode = MODE_FITTING;
    int option;

    while ((option = command_option(argc, argv, ":", longs)) != -1) {
        if (option == '?')
            return 2;
        mode = (enum mode)option;
    }
    if (argc - optind > 1)
        return command_usage(argv[0], "one lesson at a time");
    const char *name = optind < argc ? argv[optind] : NULL;
    struct error error = {{0}};
    struct folders folders = {.count = 0};
    bool good = find_folders(&folders, &error);
    if (good && !name && mode != MODE_ANSWERS) {
        good = list_lessons(&folders, &error);
    } else if (good) {
        int first = name ? choose(&folders, name, &error) : 0;
        int last = name ? first : folders.count - 1;
        good = first >= 0;
        for (int i = first; good && i <= last; i++) {
            struct lesson lesson;
            good = load(&folders, i, &lesson, &error) && play_lesson(&lesson, mode, &error);
            lesson_free(&lesson);
        }
    }
    free_folders(&folders);
    return good ? 0 : command_fail(argv[0], &error);
}
