/* translate.c - lessons in other languages.
 *
 * A translation is a file in gettext's format, LANGUAGE.po: lessons/02-strides/de.po has the texts of a lesson, and
 * lessons/de.po what players say around them and the glossary. Code, recordings, expressions and answers are not in
 * it, so that it cannot change them: it only says what stands in the place of an English text, or drawing. Numbers, `code` and
 * {expressions} of a text must be those of the English one. What gettext calls fuzzy counts as missing.
 */
#include "system/file.h"
#include "teach/teach.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_BYTES = 512 * 1024, MOST_TOKENS = 256 };

bool translation_is_language(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz",
                      capitals[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const size_t length = strspn(name, letters);
    if (length < 2 || length > 3)
        return false;
    return !name[length] ||
           (name[length] == '_' && strspn(name + length + 1, capitals) == 2 && !name[length + 3]);
}

void translation_free(struct translation *translation)
{
    for (int i = 0; i < translation->count; i++) {
        free(translation->entry[i].english);
        free(translation->entry[i].other);
    }
    free(translation->entry);
    *translation = (struct translation){.count = 0};
}

static const struct translation_entry *find_entry(const struct translation *translation,
                                                  const char *english)
{
    for (int i = 0; i < translation->count; i++)
        if (!strcmp(translation->entry[i].english, english))
            return &translation->entry[i];
    return NULL;
}

const char *translation_says(const struct translation *translation, const char *english)
{
    const struct translation_entry *entry = find_entry(translation, english);
    return entry ? entry->other : english;
}

/* ---- the file -------------------------------------------------------------------------------- */

/* Reading goes on only while error is empty. */
struct po_reader {
    struct translation *translation;
    size_t room;
    const char *path;
    int line;
    char *english, *other; /* of the entry that is being read, owned, or NULL */
    int begins;            /* its line */
    bool fuzzy;            /* it, or the one to come */
    struct error *error;
};

static void fail(struct po_reader *reader, int line, const char *what)
{
    error_set(reader->error, "%s:%d: %s", reader->path, line, what);
}

/* Appends what stands between quotes to a text that is owned. */
static void append(struct po_reader *reader, char **text, const char *quoted)
{
    const size_t before = *text ? strlen(*text) : 0;
    char *both = memory_new(before + strlen(quoted) + 1, 1), *to = both + before;
    if (before)
        memcpy(both, *text, before);
    const char *at = quoted;
    for (at += *at == '"'; *at && *at != '"'; at++) {
        if (*at == '\\' && at[1])
            at++, *to++ = (char)(*at == 'n' ? '\n' : *at == 't' ? ' ' : *at);
        else
            *to++ = *at;
    }
    if (*quoted != '"' || *at != '"' || at[1 + strspn(at + 1, " ")])
        fail(reader, reader->line, "expected a text in double quotes");
    free(*text);
    *text = both;
}

/* Ends the entry that is being read. */
static void end_entry(struct po_reader *reader)
{
    struct translation *translation = reader->translation;
    if (!reader->english)
        return;
    if (!reader->other)
        fail(reader, reader->begins, "msgid without msgstr");
    /* The first entry, of an empty text, is about the file. */
    const bool wanted = reader->other && *reader->english && *reader->other && !reader->fuzzy;
    if (wanted && !reader->error->text[0] &&
        memory_grow(&translation->entry, &reader->room, (size_t)translation->count + 1,
                    sizeof *translation->entry, "texts of a translation", reader->error)) {
        translation->entry[translation->count++] = (struct translation_entry){
            reader->english, text_clean_lines(reader->other), reader->begins};
        reader->english = reader->other = NULL;
    }
    free(reader->english);
    free(reader->other);
    reader->fuzzy = false;
    reader->english = reader->other = NULL;
}

static void read_line(struct po_reader *reader, char *line)
{
    if (*line == '#' || !line[strspn(line, " ")]) {
        if (reader->other) /* a comment belongs to the entry after it */
            end_entry(reader);
        reader->fuzzy |= !strncmp(line, "#,", 2) && strstr(line, "fuzzy");
    } else if (!strncmp(line, "msgid ", 6)) {
        if (reader->english)
            end_entry(reader);
        reader->begins = reader->line;
        append(reader, &reader->english, line + 6);
    } else if (!strncmp(line, "msgstr ", 7) && reader->english && !reader->other) {
        append(reader, &reader->other, line + 7);
    } else if (*line == '"' && reader->english) {
        append(reader, reader->other ? &reader->other : &reader->english, line);
    } else {
        fail(reader, reader->line, "expected msgid, msgstr, a text in double quotes, or a comment");
    }
}

/* Reads a file of gettext's format. */
static bool read_po(const char *path, struct translation *translation, struct error *error)
{
    size_t length = 0;
    struct po_reader reader = {.translation = translation, .path = path, .error = error};
    char *text = file_read(path, MOST_BYTES, &length, error);
    for (char *line = text, *next; line && !error->text[0]; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        line[strcspn(line, "\r")] = '\0';
        reader.line++;
        read_line(&reader, line);
    }
    end_entry(&reader);
    free(text);
    if (error->text[0])
        translation_free(translation);
    return !error->text[0];
}

/* ---- what must stay ---------------------------------------------------------------------------- */

/* What a translation may move, but not change: a number, `code`, an {expression}; or what printf takes. */
struct token {
    const char *text;
    size_t length;
};

static size_t token_at(const char *text, bool formats)
{
    if (formats && *text == '%')
        return 1 + strspn(text + 1, "0123456789.*-") + 1;
    if (*text == '`' || *text == '{') {
        const char *end = strchr(text + 1, *text == '`' ? '`' : '}');
        return end ? (size_t)(end - text) + 1 : 1;
    }
    return strspn(text, "0123456789");
}

static int tokens_of(const char *text, bool formats, struct token token[MOST_TOKENS])
{
    int count = 0;
    while (*text) {
        const size_t length = token_at(text, formats), rest = strlen(text);
        if (length && count < MOST_TOKENS)
            token[count++] = (struct token){text, length < rest ? length : rest};
        text += length > rest ? rest : length ? length : 1;
    }
    return count;
}

static int count_token(const struct token *token, int count, const struct token *wanted)
{
    int found = 0;
    for (int i = 0; i < count; i++)
        found += token[i].length == wanted->length &&
                 !strncmp(token[i].text, wanted->text, wanted->length);
    return found;
}

/* Whether both have the same of them; formats: in the same order, too. */
static bool same_tokens(const char *path, const struct translation_entry *entry, bool formats,
                        struct error *error)
{
    struct token ours[MOST_TOKENS], theirs[MOST_TOKENS];
    const int count = tokens_of(entry->english, formats, ours),
              others = tokens_of(entry->other, formats, theirs);
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < (side ? others : count); i++) {
            const struct token *one = side ? &theirs[i] : &ours[i];
            const bool moved = formats && *one->text == '%' && i < count && i < others &&
                               !count_token(&ours[i], 1, &theirs[i]);
            if (moved || count_token(ours, count, one) != count_token(theirs, others, one))
                return error_set(
                    error,
                    "%s:%d: %.*s is not in both texts in the same way; numbers, `code` and "
                    "{expressions} stay as they are",
                    path, entry->line, (int)one->length, one->text);
        }
    return true;
}

bool translation_load(const char *language, struct translation *translation, struct error *error)
{
    char folder[PATH_MAX], path[PATH_MAX + 16];
    *translation = (struct translation){.count = 0};
    if (!data_path("lessons", folder, sizeof folder, error))
        return false;
    snprintf(path, sizeof path, "%s/%s.po", folder, language);
    if (access(path, F_OK) != 0)
        return true;
    bool good = read_po(path, translation, error);
    for (int i = 0; good && i < translation->count; i++)
        good = same_tokens(path, &translation->entry[i], true, error);
    if (!good)
        translation_free(translation);
    return good;
}

/* ---- a lesson ---------------------------------------------------------------------------------- */

/* What is done with each of a lesson's texts. `most`: bytes that it may have. */
typedef bool take_text(void *context, const struct lesson_block *block, char **text, size_t most);

static bool each_of_quiz(struct lesson_block *block, take_text *take, void *context)
{
    struct lesson_quiz *quiz = &block->quiz;
    bool good = take(context, block, &quiz->question, MAX_QUIZ_TEXT);
    for (int i = 0; good && i < quiz->choices; i++)
        good = take(context, block, &quiz->choice[i].text, MAX_QUIZ_TEXT);
    for (int i = 0; good && i < quiz->nudges; i++)
        good = take(context, block, &quiz->nudge[i].text, MAX_QUIZ_TEXT);
    return good && take(context, block, &quiz->idea, MAX_QUIZ_TEXT) &&
           take(context, block, &quiz->because, MAX_QUIZ_TEXT);
}

static bool each_of_lab(struct lesson_block *block, take_text *take, void *context)
{
    struct lesson_lab *lab = &block->lab;
    bool good = take(context, block, &lab->question, MAX_QUIZ_TEXT);
    for (int i = 0; good && i < lab->says; i++)
        good = take(context, block, &lab->say[i].text, MAX_QUIZ_TEXT);
    return good;
}

static bool each_text(struct lesson *lesson, take_text *take, void *context)
{
    const struct lesson_block above = {.line = 1};
    bool good = take(context, &above, &lesson->title, MOST_BYTES);
    for (int i = 0; good && i < lesson->blocks; i++) {
        struct lesson_block *block = &lesson->block[i];
        if (block->kind == LESSON_QUIZ)
            good = each_of_quiz(block, take, context);
        else if (block->kind == LESSON_LAB)
            good = each_of_lab(block, take, context);
        else if (block->kind == LESSON_HEADING || block->kind == LESSON_TEXT ||
                 block->kind == LESSON_ITEM || block->kind == LESSON_NOTE || block->drawn)
            good = take(context, block, &block->text, MOST_BYTES);
    }
    return good;
}

/* Whether there is anything to translate: numbers alone stay. */
static bool has_words(const char *text)
{
    for (; *text; text++)
        if (isalpha((unsigned char)*text))
            return true;
    return false;
}

/* What translate_text needs. */
struct translating {
    const struct translation *translation;
    const char *path; /* of its file */
    struct error *error;
};

/* Puts the translation in the place of a text. */
static bool translate_text(void *context, const struct lesson_block *block, char **text,
                           size_t most)
{
    struct translating *translating = context;
    if (!has_words(*text))
        return true;
    const struct translation_entry *entry = find_entry(translating->translation, *text);
    if (!entry)
        return error_set(translating->error,
                         "%s: there is nothing for line %d of lesson.md, \"%.60s\"",
                         translating->path, block->line, *text);
    if (!same_tokens(translating->path, entry, false, translating->error))
        return false;
    if (strlen(entry->other) > most)
        return error_set(translating->error, "%s:%d: this text is longer than %zu bytes",
                         translating->path, entry->line, most);
    free(*text);
    *text = memory_copy(entry->other);
    return true;
}

bool lesson_has_language(const char *folder, const char *language)
{
    char path[PATH_MAX + 16];
    snprintf(path, sizeof path, "%s/%s.po", folder, language);
    return access(path, F_OK) == 0;
}

bool lesson_translate(struct lesson *lesson, const char *language, struct error *error)
{
    char path[PATH_MAX + 16];
    struct translation texts = {.count = 0};
    if (!lesson_has_language(lesson->folder, language))
        return true;
    snprintf(path, sizeof path, "%s/%s.po", lesson->folder, language);
    const bool good = translation_load(language, &lesson->words, error) &&
                      read_po(path, &texts, error) &&
                      each_text(lesson, translate_text, &(struct translating){&texts, path, error});
    translation_free(&texts);
    if (good)
        snprintf(lesson->language, sizeof lesson->language, "%s", language);
    return good;
}

const char *lesson_says(const struct lesson *lesson, const char *english)
{
    return translation_says(&lesson->words, english);
}

/* ---- a template ---------------------------------------------------------------------------------- */

struct template
{
    FILE *file;
    struct translation written; /* its texts are the lesson's */
    size_t room;
    struct error *error;
};

static void put_string(FILE *file, const char *text)
{
    fputc('"', file);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', file);
        fputs(*text == '\n' ? "\\n" : (const char[]){*text, '\0'}, file);
    }
    fputs("\"\n", file);
}

/* A text that comes twice is one entry: it has one translation. */
static bool write_text(void *context, const struct lesson_block *block, char **text, size_t most)
{
    struct template *template = context;
    struct translation *written = &template->written;
    (void)most;
    if (!has_words(*text) || find_entry(written, *text))
        return true;
    if (!memory_grow(&written->entry, &template->room, (size_t)written->count + 1,
                     sizeof *written->entry, "texts of a lesson", template->error))
        return false;
    written->entry[written->count++] = (struct translation_entry){.english = *text};
    fprintf(template->file, "\n#: lesson.md:%d\nmsgid ", block->line);
    put_string(template->file, *text);
    fputs("msgstr \"\"\n", template->file);
    return true;
}

bool lesson_template(struct lesson *lesson, FILE *file, struct error *error)
{
    struct template template = {.file = file, .error = error};
    fputs("msgid \"\"\nmsgstr \"\"\n\"MIME-Version: 1.0\\n\"\n\"Content-Type: text/plain; "
          "charset=UTF-8\\n\"\n"
          "\"Content-Transfer-Encoding: 8bit\\n\"\n",
          file);
    const bool good = each_text(lesson, write_text, &template);
    free(template.written.entry);
    return good;
}
