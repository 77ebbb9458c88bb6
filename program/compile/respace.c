/* respace.c - a copy of a source in which clang takes what nvcc takes:
 *
 *     k << < 1, 32 >> > (p);                            the signs of a launch, which an editor has spread
 *     k<<<blocks, {32, 8, 1}>>>(p);                     a grid or a block in braces: dim3{32, 8, 1}
 *     double (*row)[n] = (double (*)[n])p;              types of variable length, no two of which are one for clang:
 *                                                       (decltype(row))p
 */
#include "program/compile/compile.h"
#include "system/file.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SOURCE = 64 << 20 }; /* bytes */

/* Moves the blanks that a launch's sign has in it behind it. */
static void move_blanks(char *text, const char *sign)
{
    char angle = *sign;
    for (char *at = text; (at = strstr(at, sign)) != NULL; at += 2) {
        char *third = at + 2 + strspn(at + 2, " ");
        if (third > at + 2 && *third == angle && (at == text || at[-1] != angle)) {
            *third = ' ';
            at[2] = angle;
        }
    }
}

static const char *behind_blanks(const char *at)
{
    return at + strspn(at, " \t\r\n");
}

static const char *behind_word(const char *at)
{
    while (isalnum((unsigned char)*at) || *at == '_')
        at++;
    return at;
}

/* To the first of the signs that is not in brackets, or to the statement's end. */
static const char *to_sign(const char *at, const char *signs)
{
    for (int depth = 0; *at && *at != ';' && (depth || !strchr(signs, *at)); at++)
        depth += !!strchr("({[", *at) - !!strchr(")}]", *at);
    return at;
}

/* What is written of the text, and up to where. */
struct copy {
    FILE *file;
    const char *from;
};

/* Writes the words instead of what stands between the two. */
static void put_instead(struct copy *copy, const char *at, const char *end, const char *words,
                        size_t length)
{
    if (at < copy->from)
        return;
    fwrite(copy->from, 1, (size_t)(at - copy->from), copy->file);
    fwrite(words, 1, length, copy->file);
    copy->from = end;
}

/* at: behind <<<. */
static void copy_launch(struct copy *copy, const char *at)
{
    for (int argument = 0; argument < 2; argument++) {
        at = behind_blanks(at);
        if (*at == '{')
            put_instead(copy, at, at, "dim3", 4);
        at = to_sign(at, ",>");
        if (*at++ != ',')
            return;
    }
}

/* at: at the asterisk of a declaration, (*name)[n][m] = (type (*)[n][m])... */
static void copy_cast(struct copy *copy, const char *at)
{
    const char *name = behind_blanks(at + 1), *end = behind_word(name);
    const char *is = behind_blanks(end);
    if (end == name || *is != ')' || *(is = behind_blanks(is + 1)) != '[')
        return;
    is = to_sign(is, "=");
    const char *cast = *is == '=' ? behind_blanks(is + 1) : is;
    if (*cast++ != '(')
        return;
    const char *close = to_sign(cast, ")");
    const char *star = strchr(cast, '*');
    if (*close != ')' || !star || star > close || *behind_blanks(star + 1) != ')')
        return;
    put_instead(copy, cast, cast, "decltype(", 9);
    put_instead(copy, cast, close, name, (size_t)(end - name));
    fputc(')', copy->file);
}

static void write_copy(FILE *file, const char *text)
{
    struct copy copy = {file, text};
    for (const char *at = text; (at = strpbrk(at, "<*")) != NULL; at++) {
        if (!strncmp(at, "<<<", 3)) {
            copy_launch(&copy, at + 3);
            at += 2;
        } else if (*at == '*' && at >= copy.from) {
            copy_cast(&copy, at);
        }
    }
    fputs(copy.from, file);
}

bool clang_respace(const char *folder, struct unit *unit, struct error *error)
{
    size_t length;
    struct error none = {{0}};
    char *text = file_read(unit->source, MOST_SOURCE, &length, &none);
    if (!text)
        return true; /* clang has said why */
    move_blanks(text, "<<");
    move_blanks(text, ">>");
    snprintf(unit->spaced, sizeof unit->spaced, "%.250s/%s.cu", folder,
             strrchr(unit->ptx, '/') + 1);
    FILE *file = fopen(unit->spaced, "w");
    bool good = file && fprintf(file, "#line 1 \"%s\"\n", unit->source) > 0;
    if (good) /* a mark of the order of bytes is one at a file's beginning only */
        write_copy(file, strncmp(text, "\xef\xbb\xbf", 3) ? text : text + 3);
    if (file && (ferror(file) | fclose(file)))
        good = false;
    free(text);
    return good || error_set(error, "cannot write %s", unit->spaced);
}
