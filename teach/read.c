/* read.c - a lesson's file, read with cmark.
 *
 * Paragraphs, headings, list items and code become blocks in the order of the file; a heading of
 * the second level begins a page. Fenced blocks whose info says run or quiz are taken apart here.
 * Emphasis is dropped, code keeps its backquotes. What is evaluated is not looked into yet.
 */
#include "teach/teach.h"
#include "viewer/viewer.h"

#include <cmark.h>
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LESSON = 1 << 20 }; /* bytes of a lesson's file */

/* Stand for the braces of code while {expressions} are filled in. */
#define CODE_OPEN '\x01'
#define CODE_CLOSE '\x02'

/* Reading goes on only while error is empty, so that only the end needs a check. */
struct reader {
    struct lesson *lesson;
    struct error *error;
    int words; /* of text, for the estimate of the time */
};

static __attribute__((format(printf, 3, 4))) bool fail(struct reader *reader, int line,
                                                       const char *format, ...)
{
    char what[384];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return error_set(reader->error, "%s/lesson.md:%d: %s", reader->lesson->folder, line, what);
}

static struct lesson_block *add_block(struct reader *reader, enum lesson_kind kind, int line)
{
    struct lesson *lesson = reader->lesson;
    if (lesson->blocks == lesson->room) {
        int room = lesson->room ? 2 * lesson->room : 32;
        struct lesson_block *grown = realloc(lesson->block, (size_t)room * sizeof *grown);
        if (!grown)
            return fail(reader, line, "out of memory"), NULL;
        lesson->block = grown;
        lesson->room = room;
    }
    struct lesson_block *block = &lesson->block[lesson->blocks++];
    *block = (struct lesson_block){
        .kind = kind, .line = line, .page = lesson->pages ? lesson->pages - 1 : 0};
    return block;
}

/* ---- run ----------------------------------------------------------------------------------- */

static bool is_label(const char *word)
{
    if (!isalpha((unsigned char)*word))
        return false;
    while (isalnum((unsigned char)*word) || *word == '_')
        word++;
    return !*word;
}

/* A whole number from 0 to a million. */
static bool small_number(const char *text, int *number)
{
    char *end;
    long value = strtol(text, &end, 10);
    *number = (int)value;
    return end > text && !*end && value >= 0 && value <= 1000000;
}

static bool read_show(struct reader *reader, struct lesson_run *run, char *text, int line)
{
    int *const numbers[] = {&run->round, &run->slot, &run->block, &run->warp};
    static const char *const names[] = {"round", "slot",  "block",  "warp",
                                        "stage", "label", "beside", NULL};
    for (char *word; (word = strtok_r(text, ", \t", &text));) {
        char *value = strchr(word, '=');
        int i = 0;
        if (value)
            *value++ = '\0';
        while (names[i] && strcmp(names[i], word))
            i++;
        if (!value || !names[i])
            return fail(reader, line,
                        "show takes stage=, round=, slot=, block=, warp=, label= and beside=, "
                        "not '%s'",
                        word);
        if (i < 4 && !small_number(value, numbers[i]))
            return fail(reader, line, "%s is '%s', not a whole number", word, value);
        if (i == 4 && !run->stage)
            run->stage = strdup(value);
        if (i == 6 && !run->beside)
            run->beside = strdup(value);
        if (i != 5)
            continue;
        for (run->cells = 0; label_names[run->cells] && strcmp(label_names[run->cells], value);)
            run->cells++;
        if (!label_names[run->cells])
            return fail(reader, line, "label is '%s'; it must be thread, address or value", value);
    }
    return true;
}

static bool read_run(struct reader *reader, const char *label, char *text, int line)
{
    for (int i = reader->lesson->blocks - 1; i >= 0; i--) {
        const struct lesson_block *before = &reader->lesson->block[i];
        if (before->kind != LESSON_RUN)
            continue;
        if (reader->lesson->pages && before->page == reader->lesson->pages - 1)
            return fail(reader, line, "a page shows one recording; begin another with ##");
        if (!strcmp(before->run.label, label))
            return fail(reader, line, "the label '%s' is taken (line %d)", label, before->line);
    }
    struct lesson_block *block = add_block(reader, LESSON_RUN, line);
    if (!block)
        return false;
    struct lesson_run *run = &block->run;
    if (!is_label(label))
        return fail(reader, line, "a run needs a label: ```run NAME");
    char *command = strtok_r(text, "\n", &text);
    run->label = strdup(label);
    run->command = strdup(command ? command : "");
    if (!run->label || !run->command)
        return fail(reader, line, "out of memory");
    struct error cause = {{0}};
    if (!recipe_words_split(&run->words, run->command, &cause))
        return fail(reader, line + 1, "%s", cause.text);
    if (!run->words.kernel)
        return fail(reader, line + 1, "a run needs a kernel");
    for (char *show; (show = strtok_r(text, "\n", &text));) {
        if (strncmp(show, "show ", 5) != 0)
            return fail(reader, line + 2, "expected 'show NAME=VALUE ...', not '%s'", show);
        if (!read_show(reader, run, show + 5, line + 2))
            return false;
    }
    return true;
}

/* ---- quiz ---------------------------------------------------------------------------------- */

/* Appends a line to a text, with a space between. */
static bool append(char **text, const char *line)
{
    size_t before = *text ? strlen(*text) : 0, more = strlen(line);
    char *grown = realloc(*text, before + more + 2);
    if (!grown)
        return false;
    if (before)
        grown[before++] = ' ';
    memcpy(grown + before, line, more + 1);
    *text = grown;
    return true;
}

static bool read_choice(struct reader *reader, struct lesson_quiz *quiz, char *text, int line)
{
    char *arrow = NULL;
    for (char *at = text; (at = strstr(at, "=> ")); at++)
        arrow = at;
    if (!arrow)
        return fail(reader, line, "a choice is '- TEXT => CONDITION'");
    if (quiz->choices == MAX_CHOICES)
        return fail(reader, line, "more than %d choices", MAX_CHOICES);
    struct lesson_choice *choice = &quiz->choice[quiz->choices++];
    char *end = arrow;
    while (end > text && end[-1] == ' ')
        end--;
    *end = '\0';
    choice->text = strdup(text);
    choice->condition = strdup(arrow + 3);
    return (choice->text && choice->condition) || fail(reader, line, "out of memory");
}

static bool read_quiz(struct reader *reader, char *text, int line)
{
    static const char because[] = "because:";
    struct lesson_block *block = add_block(reader, LESSON_QUIZ, line);
    struct lesson_quiz *quiz = block ? &block->quiz : NULL;
    bool good = block;
    for (char *next = text; good && next;) {
        char *at = next;
        next = strchr(at, '\n');
        if (next)
            *next++ = '\0';
        line++;
        if (quiz->because) {
            good = append(&quiz->because, at);
        } else if (!strncmp(at, because, sizeof because - 1)) {
            at += sizeof because - 1;
            good = append(&quiz->because, at + strspn(at, " "));
        } else if (!strncmp(at, "- ", 2)) {
            good = read_choice(reader, quiz, at + 2, line);
        } else if (!strncmp(at, "= ", 2) && !quiz->answer) {
            good = append(&quiz->answer, at + 2);
        } else if (!quiz->choices && !quiz->answer) {
            good = append(&quiz->question, at);
        } else if (*at) {
            good =
                fail(reader, line, "expected '- CHOICE', '= ANSWER' or 'because:', not '%s'", at);
        }
    }
    if (!good)
        return fail(reader, line, "out of memory");
    if (!quiz->because)
        good = append(&quiz->because, "");
    if (!quiz->question || !*quiz->question)
        return fail(reader, block->line, "the quiz has no question");
    if (!quiz->choices != (quiz->answer != NULL) || quiz->choices == 1)
        return fail(reader, block->line,
                    "a quiz needs either '= EXPRESSION' or two or more '- TEXT => CONDITION'");
    return good || fail(reader, block->line, "out of memory");
}

/* ---- Markdown ------------------------------------------------------------------------------ */

static void count_words(struct reader *reader, const char *text)
{
    for (; *text; text++)
        reader->words += *text != ' ' && (text[1] == ' ' || !text[1]);
}

static void read_code(struct reader *reader, cmark_node *node)
{
    const char *info = cmark_node_get_fence_info(node), *literal = cmark_node_get_literal(node);
    int line = cmark_node_get_start_line(node);
    char first[16] = "", second[256] = "", *text = strdup(literal ? literal : "");
    if (!text) {
        fail(reader, line, "out of memory");
        return;
    }
    sscanf(info ? info : "", "%15s %255s", first, second);
    size_t length = strlen(text);
    if (length && text[length - 1] == '\n')
        text[length - 1] = '\0';
    if (!strcmp(first, "run")) {
        read_run(reader, second, text, line);
    } else if (!strcmp(first, "quiz")) {
        read_quiz(reader, text, line);
    } else {
        struct lesson_block *block = add_block(reader, LESSON_CODE, line);
        if (block) {
            block->text = text;
            block->source = *second ? strdup(second) : NULL;
            return;
        }
    }
    free(text);
}

/* The text of the inline nodes below a paragraph or heading; NULL: out of memory. */
static char *inline_text(cmark_node *parent)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    cmark_iter *iter = out ? cmark_iter_new(parent) : NULL;
    cmark_event_type event;
    while (iter && (event = cmark_iter_next(iter)) != CMARK_EVENT_DONE) {
        cmark_node *node = cmark_iter_get_node(iter);
        const char *literal = cmark_node_get_literal(node);
        switch (cmark_node_get_type(node)) {
        case CMARK_NODE_TEXT:
            fputs(literal, out);
            break;
        case CMARK_NODE_CODE:
            fputc('`', out);
            for (; *literal; literal++)
                fputc(*literal == '{' ? CODE_OPEN : *literal == '}' ? CODE_CLOSE : *literal, out);
            fputc('`', out);
            break;
        case CMARK_NODE_SOFTBREAK:
            fputc(' ', out);
            break;
        case CMARK_NODE_LINEBREAK:
            fputc('\n', out);
            break;
        case CMARK_NODE_LINK:
            if (event == CMARK_EVENT_EXIT)
                fprintf(out, " (%s)", cmark_node_get_url(node));
            break;
        default:
            break;
        }
    }
    if (iter)
        cmark_iter_free(iter);
    if (out && fclose(out)) {
        free(text);
        text = NULL;
    }
    return text;
}

static void read_heading(struct reader *reader, cmark_node *node)
{
    struct lesson *lesson = reader->lesson;
    int level = cmark_node_get_heading_level(node), line = cmark_node_get_start_line(node);
    char *text = inline_text(node);
    if (!text) {
        fail(reader, line, "out of memory");
    } else if (level == 1) {
        if (lesson->title)
            fail(reader, line, "a second title; pages begin with ##");
        free(lesson->title);
        lesson->title = text;
        return;
    } else {
        lesson->pages += level == 2;
        struct lesson_block *block = add_block(reader, LESSON_HEADING, line);
        if (block) {
            block->text = text;
            return;
        }
    }
    free(text);
}

static void read_paragraph(struct reader *reader, cmark_node *node)
{
    int line = cmark_node_get_start_line(node);
    cmark_node *parent = cmark_node_parent(node);
    bool item = parent && cmark_node_get_type(parent) == CMARK_NODE_ITEM;
    struct lesson_block *block = add_block(reader, item ? LESSON_ITEM : LESSON_TEXT, line);
    if (!block)
        return;
    block->text = inline_text(node);
    if (!block->text)
        fail(reader, line, "out of memory");
    else
        count_words(reader, block->text);
}

static void read_document(struct reader *reader, cmark_node *document)
{
    cmark_iter *iter = cmark_iter_new(document);
    cmark_event_type event;
    while (!reader->error->text[0] && (event = cmark_iter_next(iter)) != CMARK_EVENT_DONE) {
        cmark_node *node = cmark_iter_get_node(iter);
        if (event != CMARK_EVENT_ENTER)
            continue;
        switch (cmark_node_get_type(node)) {
        case CMARK_NODE_HEADING:
            read_heading(reader, node);
            break;
        case CMARK_NODE_PARAGRAPH:
            read_paragraph(reader, node);
            break;
        case CMARK_NODE_CODE_BLOCK:
            read_code(reader, node);
            break;
        default:
            break;
        }
    }
    cmark_iter_free(iter);
}

/* ---- the file ------------------------------------------------------------------------------ */

static char *read_file(const char *path, size_t *length, struct error *error)
{
    FILE *file = fopen(path, "rb");
    char *text = file ? malloc(MAX_LESSON + 1) : NULL;
    if (text)
        *length = fread(text, 1, MAX_LESSON + 1, file);
    if (!file || !text || ferror(file))
        error_set(error, "cannot read %s: %s", path, strerror(errno));
    else if (*length > MAX_LESSON)
        error_set(error, "%s is larger than %d bytes; make two lessons of it", path, MAX_LESSON);
    if (file)
        fclose(file);
    return text;
}

bool lesson_load(const char *folder, struct lesson *lesson, struct error *error)
{
    char path[4096];
    size_t length = 0;
    const char *slash = strrchr(folder, '/');
    *lesson = (struct lesson){.name = strdup(slash ? slash + 1 : folder), .folder = strdup(folder)};
    struct reader reader = {.lesson = lesson, .error = error};
    snprintf(path, sizeof path, "%s/lesson.md", folder);
    char *text = read_file(path, &length, error);
    if (text && !error->text[0]) {
        cmark_node *document = cmark_parse_document(text, length, CMARK_OPT_DEFAULT);
        read_document(&reader, document);
        cmark_node_free(document);
    }
    free(text);
    if (!error->text[0] && (!lesson->title || !lesson->pages))
        error_set(error, "%s needs a title (# ...) and a page (## ...)", path);
    int quizzes = 0, runs = 0;
    for (int i = 0; i < lesson->blocks; i++) {
        quizzes += lesson->block[i].kind == LESSON_QUIZ;
        runs += lesson->block[i].kind == LESSON_RUN;
    }
    /* 150 words a minute, half a minute to look at a picture, a minute to answer a question. */
    lesson->minutes = (reader.words + 149) / 150 + runs / 2 + quizzes;
    if (error->text[0])
        lesson_free(lesson);
    return !error->text[0];
}

void lesson_free(struct lesson *lesson)
{
    for (int i = 0; i < lesson->blocks; i++) {
        struct lesson_block *block = &lesson->block[i];
        struct lesson_quiz *quiz = &block->quiz;
        char *const texts[] = {block->text,          block->source,    block->run.label,
                               block->run.command,   block->run.stage, block->run.beside,
                               block->quiz.question, quiz->answer,     quiz->because};
        for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++)
            free(texts[k]);
        recipe_words_free(&block->run.words);
        for (int k = 0; k < quiz->choices; k++) {
            free(quiz->choice[k].text);
            free(quiz->choice[k].condition);
        }
    }
    free(lesson->block);
    free(lesson->name);
    free(lesson->folder);
    free(lesson->title);
    *lesson = (struct lesson){0};
}
