/* percents.c - copies of a program's files in which clang takes what nvcc takes:
 *
 *     asm("mov.u32 %0, %laneid;" : "=r"(lane));         a register of PTX behind one percent sign: %%laneid
 *
 * clang says of each such sign in which file, line and column it is, be it in a macro or a header. So it is asked for
 * that, and these signs, no others, are doubled; a string is refused for one of them at a time, so it is asked until it
 * says no more. It gets the copies under the files' own names (-remap-file), by which it tells of lines, writes them
 * into the PTX and lists what it has read; only columns behind a doubled sign are one higher.
 *
 * Signs that are in no file as such (`#register` of a macro's argument, "\x25laneid") stay as they are, and so does one
 * at a string's end, which nvcc refuses, too: clang says so.
 */
#include "program/compile/compile.h"
#include "system/file.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    MOST_FILES = 24,       /* that get copies */
    MOST_BYTES = 64 << 20, /* of one */
    MOST_ROUNDS = 100,     /* of asking */
};
static const char refusal[] = "error: invalid % escape in inline assembly string";

bool percents_refused(const char *said)
{
    return strstr(said, refusal) != NULL;
}

/* ---- files ------------------------------------------------------------------------------------- */

struct file {
    char path[PATH_MAX]; /* as clang names it first */
    struct stat is;
    char *text;  /* as clang has it by now */
    bool *twice; /* for each byte, whether it is to be doubled */
    size_t length;
    bool copied;
};
struct files {
    struct file file[MOST_FILES];
    int count;
};

/* A file has one copy, whatever names lead to it. NULL: it can have none. */
static struct file *file_of(struct files *files, const char *path)
{
    struct stat is;
    struct file *file = &files->file[files->count];
    if (stat(path, &is))
        return NULL;
    for (int i = 0; i < files->count; i++)
        if (files->file[i].is.st_ino == is.st_ino && files->file[i].is.st_dev == is.st_dev)
            return &files->file[i];
    if (files->count == MOST_FILES || strchr(path, ';'))
        return NULL;
    *file = (struct file){.is = is};
    file->text = file_read(path, MOST_BYTES, &file->length, &(struct error){{0}});
    if (!file->text)
        return NULL;
    snprintf(file->path, sizeof file->path, "%s", path);
    file->twice = memory_new(file->length + 1, sizeof *file->twice);
    files->count++;
    return file;
}

static void free_files(struct files *files)
{
    for (int i = 0; i < files->count; i++) {
        free(files->file[i].text);
        free(files->file[i].twice);
    }
}

/* ---- signs in them ------------------------------------------------------------------------------- */

/* Whether clang refuses the sign at `at`, by what follows it in the same literal; what does not tell, it is asked. */
static bool is_refused(const char *at)
{
    const char next = at[1], last = isalpha((unsigned char)next) ? at[2] : next;
    if (strchr("\"\\\r\n", next) || strchr("\"\\\r\n", last))
        return false;
    return !strchr("%{}=", next) && !isdigit((unsigned char)last) && last != '[';
}

/* Marks a sign, and the others that are refused behind it in its line of the literal. false: it is marked. */
static bool mark(struct file *file, size_t sign)
{
    if (file->twice[sign])
        return false;
    file->twice[sign] = true;
    for (const char *at = file->text + sign + 1; *at && !strchr("\"\r\n", *at); at++) {
        file->twice[at - file->text] = *at == '%' && is_refused(at);
        at += (*at == '\\' || (*at == '%' && at[1] == '%')) && !strchr("\r\n", at[1]);
    }
    return true;
}

/* The sign that clang means by a place of the same literal: it has read the sign, what follows, and if that is a letter,
 * the next one. */
static bool find_direct(const char *text, size_t at, size_t *sign)
{
    const bool letter = at >= 2 && text[at - 2] == '%' && isalpha((unsigned char)text[at - 1]);
    if (!letter && (at < 1 || text[at - 1] != '%'))
        return false;
    *sign = at - (letter ? 2 : 1);
    return true;
}

/* The sign at the end of the literal before the one of the place: "mov.u32 %0, %" #name. */
static bool find_before(const char *text, size_t at, size_t *sign)
{
    for (size_t i = 0; i < 3 && i <= at; i++) {
        size_t end = at - i;
        if (i && text[end] != '"')
            continue;
        while (end && isspace((unsigned char)text[end - 1]))
            end--;
        if (end < 2 || text[end - 1] != '"' || text[end - 2] != '%')
            continue;
        *sign = end - 2;
        return true;
    }
    return false;
}

/* ---- what clang says ------------------------------------------------------------------------------ */

/* A place in a file, as "app.cu:7:24". */
struct spot {
    struct file *file;
    size_t at;
};

/* Where a line and a column, both from 1, are in the text. */
static bool find_column(const struct file *file, long line, long column, size_t *at)
{
    const char *text = file->text;
    while (--line > 0 && text) {
        text = memchr(text, '\n', (size_t)(file->text + file->length - text));
        text += text != NULL;
    }
    *at = text ? (size_t)(text - file->text + column - 1) : file->length;
    return column > 0 && *at < file->length;
}

/* Reads the place before a message's words; `line` is where its line begins. */
static bool read_spot(struct files *files, const char *line, const char *words, struct spot *spot)
{
    char path[PATH_MAX];
    const char *colon[3];
    int colons = 0;
    for (const char *at = words; at > line && colons < 3; at--)
        if (at[-1] == ':')
            colon[colons++] = at;
    if (colons < 3 || colon[2] - line > PATH_MAX)
        return false;
    snprintf(path, sizeof path, "%.*s", (int)(colon[2] - 1 - line), line);
    spot->file = file_of(files, path);
    return spot->file && find_column(spot->file, strtol(colon[2], NULL, 10),
                                     strtol(colon[1], NULL, 10), &spot->at);
}

/* Marks the sign of one error, which its places lead to, the innermost last. */
static bool mark_one(const struct spot *spot, int spots)
{
    size_t sign;
    for (int i = spots; i-- > 0;)
        if (find_direct(spot[i].file->text, spot[i].at, &sign))
            return mark(spot[i].file, sign);
    for (int i = spots; i-- > 0;)
        if (find_before(spot[i].file->text, spot[i].at, &sign))
            return mark(spot[i].file, sign);
    return false;
}

/* Marks the signs of all errors. Whether there is any. */
static bool mark_all(struct files *files, const char *said)
{
    enum { MOST_SPOTS = 64 }; /* a macro within another */
    struct spot spot[MOST_SPOTS];
    int spots = 0;
    bool within = false, any = false;
    for (const char *line = said, *end; *line; line = end + (*end == '\n')) {
        end = line + strcspn(line, "\n");
        const char *error = strstr(line, refusal), *note = strstr(line, "note: expanded from ");
        const bool begins = error && error < end, goes_on = note && note < end;
        if (!goes_on) {
            any |= mark_one(spot, spots);
            spots = 0;
            within = begins;
        }
        if (within && (begins || goes_on) && spots < MOST_SPOTS)
            spots += read_spot(files, line, begins ? error : note, &spot[spots]);
    }
    return mark_one(spot, spots) || any;
}

/* ---- copies ----------------------------------------------------------------------------------------- */

static void name_copy(const struct unit *unit, int number, char *path, size_t room)
{
    snprintf(path, room, "%s.doubled-%d", unit->ptx, number);
}

/* Doubles what is marked, and writes the copy. */
static bool write_copy(struct file *file, const char *path)
{
    size_t length = 0;
    char *text = memory_new(2 * file->length + 1, 1);
    for (size_t i = 0; i < file->length; i++) {
        text[length++] = file->text[i];
        if (file->twice[i])
            text[length++] = file->text[i];
    }
    free(file->text);
    free(file->twice);
    file->text = text;
    file->length = length;
    file->twice = memory_new(length + 1, sizeof *file->twice);
    file->copied = true;
    FILE *copy = fopen(path, "w");
    const bool good = copy && fwrite(text, 1, length, copy) == length;
    return copy && !fclose(copy) && good;
}

static bool write_copies(struct files *files, const struct unit *unit)
{
    bool good = true;
    for (int i = 0; i < files->count; i++) {
        char path[320];
        struct file *file = &files->file[i];
        name_copy(unit, i, path, sizeof path);
        if (memchr(file->twice, true, file->length))
            good = write_copy(file, path) && good;
    }
    return good;
}

static void list_copies(const struct files *files, const struct unit *unit, struct words *copies)
{
    words_free(copies);
    copies->count = 0;
    for (int i = 0; i < files->count; i++) {
        char path[320];
        name_copy(unit, i, path, sizeof path);
        if (files->file[i].copied)
            words_add(copies, "%s;%s", files->file[i].path, path);
    }
}

bool percents_double(const struct compiling *with, const struct unit *unit, struct words *copies)
{
    struct files files = {.count = 0};
    struct compiling asked = *with;
    bool any = true;
    asked.copies = copies;
    copies->count = 0;
    for (int round = 0; any && round < MOST_ROUNDS; round++) {
        char *said = NULL;
        struct words words = {.count = 0};
        clang_question(&asked, unit, &words);
        any = compile_run_and_hear(with, &words, &said, &(struct error){{0}}) > 0 && said &&
              mark_all(&files, said) && write_copies(&files, unit);
        words_free(&words);
        free(said);
        if (any)
            list_copies(&files, unit, copies);
    }
    free_files(&files);
    return copies->count;
}
