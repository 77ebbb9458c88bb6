/* read.c - a lesson's file, read with cmark.
 *
 * Paragraphs, headings, list items and code become blocks in the order of the file; a heading of
 * the second level begins a page. Fenced blocks are fence.c's. Emphasis is dropped, code keeps its
 * backquotes. What is evaluated is not looked into yet.
 */
#include "system/file.h"
#include "teach/reader.h"

#include <cmark.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LESSON = 256 * 1024 }; /* bytes of a lesson's file */

bool reader_fail(struct reader *reader, int line, const char *format, ...)
{
    char what[384];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return error_set(reader->error, "%s/lesson.md:%d: %s", reader->lesson->folder, line, what);
}

struct lesson_block *reader_block(struct reader *reader, enum lesson_kind kind, int line)
{
    struct lesson *lesson = reader->lesson;
    if (!memory_grow(&lesson->block, &reader->room, (size_t)lesson->blocks + 1,
                     sizeof *lesson->block, "blocks of a lesson", reader->error))
        return NULL;
    struct lesson_block *block = &lesson->block[lesson->blocks++];
    *block = (struct lesson_block){
        .kind = kind, .line = line, .page = lesson->pages ? lesson->pages - 1 : 0};
    return block;
}

/* ---- Markdown ------------------------------------------------------------------------------ */

static void count_words(struct reader *reader, const char *text)
{
    for (; *text; text++)
        reader->words += *text != ' ' && (text[1] == ' ' || !text[1]);
}

/* Writes text in which a backquote stands for itself: those of the result enclose code. */
static void put_text(FILE *out, const char *text)
{
    for (; *text; text++)
        fputc(*text == '`' ? '\'' : *text, out);
}

/* The text of the inline nodes below a paragraph or heading; the caller frees it. */
static char *inline_text(cmark_node *parent)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (!out)
        memory_exhausted();
    cmark_iter *iter = cmark_iter_new(parent);
    cmark_event_type event;
    while ((event = cmark_iter_next(iter)) != CMARK_EVENT_DONE) {
        cmark_node *node = cmark_iter_get_node(iter);
        switch (cmark_node_get_type(node)) {
        case CMARK_NODE_TEXT:
            put_text(out, cmark_node_get_literal(node));
            break;
        case CMARK_NODE_CODE:
            fputc('`', out);
            put_text(out, cmark_node_get_literal(node));
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
    cmark_iter_free(iter);
    if (fclose(out))
        memory_exhausted();
    return text_clean_lines(text); /* &#27; is a character, too */
}

static void read_heading(struct reader *reader, cmark_node *node)
{
    struct lesson *lesson = reader->lesson;
    int level = cmark_node_get_heading_level(node), line = cmark_node_get_start_line(node);
    if (level == 1 && lesson->title) {
        reader_fail(reader, line, "a second title; pages begin with ##");
    } else if (level == 1) {
        lesson->title = inline_text(node);
    } else {
        lesson->pages += level == 2;
        struct lesson_block *block = reader_block(reader, LESSON_HEADING, line);
        if (block)
            block->text = inline_text(node);
    }
}

/* The number of a list's item, as lesson_block has it. */
static int number_of(struct reader *reader, cmark_node *item, int line)
{
    cmark_node *list = cmark_node_parent(item);
    if (cmark_node_get_list_type(list) != CMARK_ORDERED_LIST)
        return 0;
    int number = cmark_node_get_list_start(list);
    if (number < 1)
        reader_fail(reader, line, "a numbered list begins with 1 or more, not with %d", number);
    while ((item = cmark_node_previous(item)))
        number++;
    return number;
}

static void read_paragraph(struct reader *reader, cmark_node *node)
{
    int line = cmark_node_get_start_line(node);
    cmark_node *parent = cmark_node_parent(node);
    bool item = parent && cmark_node_get_type(parent) == CMARK_NODE_ITEM;
    struct lesson_block *block = reader_block(reader, item ? LESSON_ITEM : LESSON_TEXT, line);
    if (!block)
        return;
    if (item)
        block->number = cmark_node_previous(node) ? -1 : number_of(reader, parent, line);
    block->text = inline_text(node);
    count_words(reader, block->text);
}

static void read_code(struct reader *reader, cmark_node *node)
{
    const char *info = cmark_node_get_fence_info(node), *literal = cmark_node_get_literal(node);
    reader_fence(reader, info ? info : "", literal ? literal : "", cmark_node_get_start_line(node));
}

/* Comments are for the author alone. */
static void read_html(struct reader *reader, cmark_node *node)
{
    const char *text = cmark_node_get_literal(node);
    const char *end = text ? strstr(text, "-->") : NULL;
    int line = cmark_node_get_start_line(node);
    for (cmark_node *up = node; !line && (up = cmark_node_parent(up));)
        line = cmark_node_get_start_line(up);
    text += text ? strspn(text, " \n") : 0;
    if (!text || strncmp(text, "<!--", 4) || !end || end[3 + strspn(end + 3, " \n")])
        reader_fail(reader, line, "HTML is not shown; write Markdown, and < in code or as &lt;");
}

static void read_image(struct reader *reader, cmark_node *node)
{
    int line = cmark_node_get_start_line(node);
    for (cmark_node *up = node; !line && (up = cmark_node_parent(up));)
        line = cmark_node_get_start_line(up);
    reader_fail(reader, line, "images are not shown; the pictures of a lesson are its recordings");
}

static void read_document(struct reader *reader, cmark_node *document)
{
    static const struct {
        cmark_node_type type;
        void (*read)(struct reader *reader, cmark_node *node);
    } readers[] = {{CMARK_NODE_HEADING, read_heading},  {CMARK_NODE_PARAGRAPH, read_paragraph},
                   {CMARK_NODE_CODE_BLOCK, read_code},  {CMARK_NODE_HTML_BLOCK, read_html},
                   {CMARK_NODE_HTML_INLINE, read_html}, {CMARK_NODE_IMAGE, read_image}};
    cmark_iter *iter = cmark_iter_new(document);
    cmark_event_type event;
    while (!reader->error->text[0] && (event = cmark_iter_next(iter)) != CMARK_EVENT_DONE)
        for (size_t i = 0; event == CMARK_EVENT_ENTER && i < sizeof readers / sizeof readers[0];
             i++)
            if (cmark_node_get_type(cmark_iter_get_node(iter)) == readers[i].type)
                readers[i].read(reader, cmark_iter_get_node(iter));
    cmark_iter_free(iter);
}

/* ---- the file ------------------------------------------------------------------------------ */

/* The file's text, which the caller frees. */
static char *read_file(const char *path, size_t *length, struct error *error)
{
    char *text = file_read(path, MAX_LESSON, length, error);
    if (!text && *length > MAX_LESSON)
        error_add(error, "; make two lessons of it");
    for (size_t i = 0; text && i < *length; i++)
        if (((unsigned char)text[i] < ' ' && text[i] != '\n') || text[i] == 127)
            text[i] = ' ';
    return text ? text_clean_lines(text) : NULL;
}

/* The minutes that a student takes to read and to answer: 150 words are read in one, a picture takes half a minute,
 * and a question one. */
static int estimate_minutes(const struct lesson *lesson, int words)
{
    int halves = 0;
    for (int i = 0; i < lesson->blocks; i++)
        halves += lesson->block[i].kind == LESSON_RUN    ? 1
                  : lesson->block[i].kind == LESSON_QUIZ ? 2
                                                         : 0;
    return 1 + (halves + words / 75) / 2;
}

/* The minutes for the exercise, where the author does not say them: it is read, and each line of code in the
 * student's part, but for lone brackets, takes half a minute to think of and to write. */
static int estimate_exercise(const struct lesson *lesson)
{
    char *text[EXERCISE_TEXTS];
    int minutes = 0, lines;
    struct error none = {{0}};
    if (exercise_texts(lesson->folder, NULL, text, &none)) {
        const int words = part_effort(text[EXERCISE_CODE], &lines);
        minutes = 1 + (lines + words / 75) / 2;
    }
    exercise_texts_free(text);
    return minutes;
}

bool lesson_draws(const struct lesson *lesson)
{
    for (int i = 0; i < lesson->blocks; i++)
        if (lesson->block[i].kind == LESSON_DRAW)
            return true;
    return false;
}

void lesson_times(const struct lesson *lesson, char text[LESSON_TIMES])
{
    const bool measured = lesson->measured, one = lesson->minutes == 1;
    snprintf(text, LESSON_TIMES,
             one && measured ? lesson_says(lesson, "%d minute")
             : measured      ? lesson_says(lesson, "%d minutes")
             : one           ? lesson_says(lesson, "%d minute, estimated from its length")
                             : lesson_says(lesson, "%d minutes, estimated from its length"),
             lesson->minutes);
    if (lesson->exercise)
        text_add(text, LESSON_TIMES,
                 measured ? lesson_says(lesson, ", and %d for the exercise")
                 : lesson->exercise_said
                     ? lesson_says(lesson, ", and %d for the exercise, its author's estimate")
                     : lesson_says(lesson, ", and %d for the exercise, estimated likewise"),
                 lesson->exercise);
    if (measured)
        text_add(text, LESSON_TIMES, lesson_says(lesson, " (measured: %s)"), lesson->measured);
}

bool lesson_load(const char *folder, const char *language, struct lesson *lesson,
                 struct error *error)
{
    char path[4096];
    size_t length = 0;
    const char *slash = strrchr(folder, '/');
    *lesson = (struct lesson){.name = text_clean(memory_copy(slash ? slash + 1 : folder)),
                              .folder = memory_copy(folder)};
    struct reader reader = {.lesson = lesson, .error = error};
    snprintf(path, sizeof path, "%s/lesson.md", folder);
    char *text = read_file(path, &length, error);
    if (!error->text[0]) {
        cmark_node *document = cmark_parse_document(text, length, CMARK_OPT_DEFAULT);
        read_document(&reader, document);
        cmark_node_free(document);
    }
    free(text);
    if (!error->text[0] && (!lesson->title || !lesson->pages))
        error_set(error, "%s needs a title (# ...) and a page (## ...)", path);
    if (!error->text[0] && !lesson->measured)
        lesson->minutes = estimate_minutes(lesson, reader.words);
    if (!error->text[0] && !lesson->exercise)
        lesson->exercise = estimate_exercise(lesson);
    if (!error->text[0] && language)
        lesson_translate(lesson, language, error);
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
                               block->quiz.question, quiz->answer,     quiz->idea,
                               quiz->because};
        for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++)
            free(texts[k]);
        for (int k = 0; k < quiz->choices; k++) {
            free(quiz->choice[k].text);
            free(quiz->choice[k].condition);
        }
        free(block->lab.question);
        for (int k = 0; k < block->lab.asks; k++) {
            free(block->lab.ask[k].name);
            free(block->lab.ask[k].example);
            free(block->lab.ask[k].metric);
        }
        for (int k = 0; k < block->lab.says; k++) {
            free(block->lab.say[k].condition);
            free(block->lab.say[k].text);
        }
        for (int k = 0; k < quiz->nudges; k++) {
            free(quiz->nudge[k].when);
            free(quiz->nudge[k].text);
        }
    }
    free(lesson->block);
    free(lesson->name);
    free(lesson->folder);
    free(lesson->title);
    free(lesson->after);
    free(lesson->measured);
    translation_free(&lesson->words);
    *lesson = (struct lesson){0};
}
