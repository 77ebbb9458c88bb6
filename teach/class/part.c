/* part.c - reads what students hand in. */
#include "system/file.h"
#include "teach/class/tokens.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 256 << 10 };

/* ---- files ----------------------------------------------------------------------------------- */

char *part_read(const char *file, struct error *error)
{
    size_t got, length = 0, from = 0;
    char *text = file_read(file, MOST_BYTES, &got, error);
    if (!text && got > MOST_BYTES)
        error_add(error, ": hand in the exercise's own file");
    if (!text)
        return NULL;
    bool good = !memchr(text, '\0', got) ||
                error_set(error, "%s holds zero bytes: hand in a text file", file);
    if (got >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
        from = 3; /* an editor's mark of UTF-8 */
    for (; good && from < got; from++) {
        bool ends = text[from] == '\r';
        if (ends && from + 1 < got && text[from + 1] == '\n')
            continue;
        text[length++] = ends ? '\n' : text[from];
    }
    text[length] = '\0';
    if (good)
        return text;
    free(text);
    return NULL;
}

/* ---- effort ---------------------------------------------------------------------------------- */

int part_effort(const char *exercise, int *lines)
{
    int words = 0;
    struct grade_source source;
    struct error none = {{0}};
    for (const char *at = exercise; *at; at += strcspn(at, " \n")) {
        at += strspn(at, " \n");
        words += *at != '\0';
    }
    *lines = 0;
    if (!grade_split(&(struct grade_text){exercise, strlen(exercise)}, &source, &none))
        return words;
    const char *to = source.part.text + source.part.length;
    bool begun = false; /* the line has code */
    for (struct token token = token_at(source.part.text, to); token.kind != TOKEN_END;
         token = token_at(token.text + token.length, to)) {
        if (token.kind == TOKEN_SPACE || token.kind == TOKEN_COMMENT) {
            begun = begun && !memchr(token.text, '\n', token.length);
        } else if (!strchr("{}", *token.text)) {
            *lines += !begun;
            begun = true;
        }
    }
    return words;
}
