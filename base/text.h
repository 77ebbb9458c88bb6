/* text.h - names and other words from outside, made fit for where they go.
 *
 * Words are cleaned once, where they enter the program, and written by text_put, which escapes what the reader (a
 * spreadsheet, a C compiler, a browser) would interpret.
 */
#ifndef BANKSCOPE_BASE_TEXT_H
#define BANKSCOPE_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes, 1 to 4, of the UTF-8 character at `text` if it can be shown; 0: it is a control character, one
 * that changes the look of others (as U+202E, which turns them round) or no UTF-8. A string's end counts
 * as such. */
size_t text_character(const char *text);
/* How many characters its first bytes have, as text_clean leaves them: each that it replaces is one. */
int text_characters(const char *text, size_t bytes);
/* Whether the text is UTF-8 of such characters (a tab is a control character). */
bool text_is_clean(const char *text);
/* Replaces each byte that is not part of such a character by '?', so that no terminal takes it for a command. Returns
 * text. */
char *text_clean(char *text);
/* Cleans several lines: line feeds and tabs stay. */
char *text_clean_lines(char *text);
/* Cuts it to at most so many bytes, between characters. Returns text. */
char *text_cut(char *text, size_t most);

/* Whether a name in C has such characters: an ASCII letter, a digit, an underscore. */
static inline bool text_is_identifier(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}
static inline bool text_ends_with(const char *text, const char *ending)
{
    const size_t length = strlen(text), tail = strlen(ending);
    return length >= tail && !memcmp(text + length - tail, ending, tail);
}

/* Whether a path is the name, or ends with it behind a slash. */
static inline bool text_ends_with_name(const char *path, const char *name)
{
    const size_t length = strlen(path), tail = strlen(name);
    return text_ends_with(path, name) && (length == tail || path[length - tail - 1] == '/');
}

/* Appends what a format says to a text that has room for `room` bytes; what does not fit is cut. */
void text_add(char *text, size_t room, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Appends the indices of an array's element, by its number: "[1][3]" of number 19 where a row has 16. Numbers beyond the
 * array go on in the outermost dimension: "[-1][15]" of -1. open: the outermost dimension is not in `dim`. */
void text_add_indices(char *text, size_t room, const int *dim, int dims, bool open,
                      long long number);
/* Appends the element that a byte of an array, or beyond it, is of: "tile[1][3]", or "tile[1][3], byte 2" within it.
 * each: bytes of an element, more than 0. */
void text_add_element(char *text, size_t room, const char *name, const int *dim, int dims,
                      bool open, long long byte, int each);

/* The fields, `most` at most, of the record of CSV at *at, a line, which become texts of their own; *at is then behind
 * it. Returns how many. A quote is a field's end where a comma or the line's end follows it, since ncu does not double
 * those within. */
int text_record(char **at, char **field, int most);

/* For whom, or for which program, a text is written. */
enum text_form {
    TEXT_PLAIN,       /* a person; what text_clean replaces is '?' */
    TEXT_CELL,        /* CSV (RFC 4180): with quotes where they must be, and not as a formula */
    TEXT_QUOTED_CELL, /* CSV, always with quotes */
    TEXT_C,           /* C, between the quotes of a string: all bytes stay */
    TEXT_HTML         /* HTML, also between the quotes of an attribute; lines and tabs stay */
};
/* Writes a name in the spelling that this reader needs. */
void text_put(FILE *file, enum text_form form, const char *text);

#ifdef __cplusplus
}
#endif
#endif
