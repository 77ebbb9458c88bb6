/* text.c - names and other words of a trace, a program or a file, made fit for where they go: a person's
 * terminal, a spreadsheet, C.
 *
 * What comes from outside is cleaned once, where it enters (a trace by the gate, a program's names where
 * its records and debug information are read), and goes out by text_put, which knows what each reader would
 * take for its own. Pictures, TeX and HTML have spellings of their own.
 */
#include "base/memory.h"
#include "base/text.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Characters without a look of their own that change how others look, or hide: marks and overrides of
 * writing directions, separators of lines, tags. Joiners, which scripts and emoji need, are none. */
static bool is_hidden(uint32_t code)
{
    static const struct {
        uint32_t first, last;
    } hidden[] = {{0x061C, 0x061C}, {0x180E, 0x180E}, {0x200B, 0x200B},
                  {0x200E, 0x200F}, {0x2028, 0x202E}, {0x2060, 0x206F},
                  {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB}, {0xE0000, 0xE007F}};
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++)
        if (code >= hidden[i].first && code <= hidden[i].last)
            return true;
    return false;
}

size_t text_character(const char *text)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000}; /* of as many bytes */
    const unsigned char *byte = (const unsigned char *)text;
    if (byte[0] < 0x80)
        return byte[0] >= ' ' && byte[0] != 0x7F;
    size_t bytes = byte[0] >= 0xF0 ? 4 : byte[0] >= 0xE0 ? 3 : 2;
    uint32_t code = byte[0] & (0x7Fu >> bytes);
    for (size_t i = 1; i < bytes; i++) {
        if ((byte[i] & 0xC0) != 0x80)
            return 0;
        code = code << 6 | (byte[i] & 0x3F);
    }
    bool valid = byte[0] >= 0xC2 && byte[0] <= 0xF4 && code >= least[bytes] && code <= 0x10FFFF &&
                 !(code >= 0xD800 && code < 0xE000); /* half of a UTF-16 pair */
    bool letter = code >= 0xA0 && (code & 0xFFFE) != 0xFFFE && !is_hidden(code);
    return valid && letter ? bytes : 0;
}

int text_characters(const char *text, size_t bytes)
{
    int count = 0;
    for (size_t used = 0; used < bytes && text[used]; count++) {
        const size_t clean = text_character(text + used);
        used += clean ? clean : 1;
    }
    return count;
}

bool text_is_clean(const char *text)
{
    size_t bytes;
    while ((bytes = text_character(text)))
        text += bytes;
    return !*text;
}

/* Keeps bytes that are in `kept`. */
static char *clean(char *text, const char *kept)
{
    for (char *at = text; *at;) {
        size_t bytes = text_character(at);
        if (!bytes && !strchr(kept, *at))
            *at = '?';
        at += bytes ? bytes : 1;
    }
    return text;
}

char *text_clean(char *text)
{
    return clean(text, "");
}

char *text_clean_lines(char *text)
{
    return clean(text, "\n\t");
}

void text_add(char *text, size_t room, const char *format, ...)
{
    const size_t used = strlen(text);
    va_list list;
    va_start(list, format);
    vsnprintf(text + used, room - used, format, list);
    va_end(list);
}

/* a / b toward minus infinity. */
static long long floor_divided(long long a, long long b)
{
    return a / b - (a % b < 0);
}

void text_add_indices(char *text, size_t room, const int *dim, int dims, bool open,
                      long long number)
{
    long long below = 1; /* elements of one index */
    for (int i = open ? 0 : 1; i < dims; i++)
        below *= dim[i] > 0 ? dim[i] : 1;
    for (int i = open ? -1 : 0; i < dims; i++) {
        const long long index = floor_divided(number, below);
        const int next = i + 1 < dims ? dim[i + 1] : 1;
        text_add(text, room, "[%lld]", index);
        number -= index * below;
        below /= next > 0 ? next : 1;
    }
}

void text_add_element(char *text, size_t room, const char *name, const int *dim, int dims,
                      bool open, long long byte, int each)
{
    const long long number = floor_divided(byte, each);
    text_add(text, room, "%s", name);
    text_add_indices(text, room, dim, dims, open, number);
    if (byte != number * each)
        text_add(text, room, ", byte %lld", byte - number * each);
}

char *text_cut(char *text, size_t most)
{
    size_t used = 0;
    while (text[used]) {
        const size_t clean = text_character(text + used), bytes = clean ? clean : 1;
        if (used + bytes > most)
            break;
        used += bytes;
    }
    text[used] = '\0';
    return text;
}

/* ---- where it goes ---------------------------------------------------------------------------- */

/* Writes one character; returns its bytes. */
static size_t put_character(FILE *file, const char *text)
{
    const size_t clean = text_character(text);
    if (clean)
        fwrite(text, 1, clean, file);
    else
        fputc('?', file);
    return clean ? clean : 1;
}

static void put_plain(FILE *file, const char *text)
{
    while (*text)
        if (*text == '\t') {
            fputc(' ', file);
            text++;
        } else {
            text += put_character(file, text);
        }
}

/* Spreadsheets take such a beginning for a formula, unless it is all a number. */
static bool is_formula(const char *text)
{
    char *end;
    if (!*text || !strchr("=+-@\t\r", *text))
        return false;
    strtod(text, &end);
    return end == text || *end;
}

static void put_quoted_cell(FILE *file, const char *text)
{
    fputs(is_formula(text) ? "\"'" : "\"", file);
    while (*text)
        if (strchr("\"\n\t", *text))
            fputs(*text++ == '"' ? "\"\"" : " ", file);
        else
            text += put_character(file, text);
    fputc('"', file);
}

static void put_cell(FILE *file, const char *text)
{
    if (is_formula(text) || text[strcspn(text, ",\"\r\n\t")])
        put_quoted_cell(file, text);
    else
        put_plain(file, text);
}

/* All bytes stay what they are. */
static void put_c(FILE *file, const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7F)
            fprintf(file, "\\%03o", (unsigned)(unsigned char)*text);
        else
            fprintf(file, strchr("\"\\?", *text) ? "\\%c" : "%c", *text);
}

struct spelling {
    char letter;
    const char *spelt;
};

/* Writes it with these letters spelt so; the last row has no spelling. */
static void put_spelt(FILE *file, const char *text, const struct spelling *spelling)
{
    while (*text) {
        const struct spelling *row = spelling;
        while (row->spelt && row->letter != *text)
            row++;
        if (row->spelt)
            fputs(row->spelt, file);
        text += row->spelt ? 1 : put_character(file, text);
    }
}

static void put_html(FILE *file, const char *text)
{
    static const struct spelling spelling[] = {{'&', "&amp;"},  {'<', "&lt;"}, {'>', "&gt;"},
                                               {'"', "&quot;"}, {'\n', "\n"},  {'\t', "\t"},
                                               {0, NULL}};
    put_spelt(file, text, spelling);
}

void text_put(FILE *file, enum text_form form, const char *text)
{
    static void (*const put[])(FILE *, const char *) = {
        [TEXT_PLAIN] = put_plain, [TEXT_CELL] = put_cell, [TEXT_QUOTED_CELL] = put_quoted_cell,
        [TEXT_C] = put_c,         [TEXT_HTML] = put_html,
    };
    put[form](file, text);
}

int text_record(char **at, char **field, int most)
{
    int count = 0;
    char *from = *at, *to = from;
    bool more = true;
    while (more && count < most) {
        field[count++] = to;
        bool quoted = *from == '"';
        from += quoted;
        for (; *from; from++) {
            if (*from == '\n' || *from == '\r' || (!quoted && *from == ','))
                break;
            if (quoted && *from == '"' && strchr(",\r\n", from[1])) {
                quoted = false;
                continue;
            }
            if (quoted && *from == '"' && from[1] == '"')
                from++;
            *to++ = *from;
        }
        more = *from == ',';
        from += *from != '\0';
        *to++ = '\0';
    }
    from += strspn(from, "\r\n");
    *at = from;
    return count;
}
