/* error.c - one-line errors, text that is safe for a terminal, and the nearest name. */
#include "instrument/instrument.h"

#include <ctype.h>
#include <stdarg.h>
#include <string.h>

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
    return valid && code >= 0xA0 && (code & 0xFFFE) != 0xFFFE ? bytes
                                                              : 0; /* controls, no letters */
}

bool text_is_clean(const char *text)
{
    size_t bytes;
    while ((bytes = text_character(text)))
        text += bytes;
    return !*text;
}

char *text_clean(char *text)
{
    for (char *at = text; *at;) {
        size_t bytes = text_character(at);
        if (!bytes)
            *at = '?';
        at += bytes ? bytes : 1;
    }
    return text;
}

static void append(char *text, size_t room, const char *format, va_list list)
{
    size_t used = strlen(text);
    vsnprintf(text + used, room - used, format, list);
}

void text_add(char *text, size_t room, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    append(text, room, format, list);
    va_end(list);
}

bool error_set(struct error *error, const char *format, ...)
{
    if (!error || error->text[0])
        return false;
    va_list list;
    va_start(list, format);
    vsnprintf(error->text, sizeof error->text, format, list);
    va_end(list);
    text_clean(error->text);
    if (!error->text[0])
        strcpy(error->text, "failed");
    return false;
}

void error_add(struct error *error, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    append(error->text, sizeof error->text, format, list);
    va_end(list);
    text_clean(error->text);
}

/* The Levenshtein distance of two short words, ignoring case; longer words count as far apart. */
static int word_distance(const char *a, const char *b)
{
    enum { LONGEST = 64 };
    size_t n = strlen(a), m = strlen(b);
    int row[LONGEST + 1];
    if (n > LONGEST || m > LONGEST)
        return LONGEST;
    for (size_t j = 0; j <= m; j++)
        row[j] = (int)j;
    for (size_t i = 1; i <= n; i++) {
        int diagonal = row[0];
        row[0] = (int)i;
        for (size_t j = 1; j <= m; j++) {
            int best =
                diagonal + (tolower((unsigned char)a[i - 1]) != tolower((unsigned char)b[j - 1]));
            diagonal = row[j];
            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            row[j] = best;
        }
    }
    return row[m];
}

/* The name that is most similar to the word, or NULL if none is similar; one that shares no letter with it
 * is not. The dashes of an option, which all have, say nothing. */
static const char *nearest_name(const char *word, const char *const *names)
{
    const char *nearest = NULL;
    int least =
        (int)strlen(word + strspn(word, "-")) / 3 + 2; /* further than this is no likeness */
    for (; *names; names++) {
        int distance = word_distance(word, *names);
        if (distance < least && distance < (int)strlen(*names)) {
            least = distance;
            nearest = *names;
        }
    }
    return nearest;
}

bool error_unknown(struct error *error, const char *what, const char *word,
                   const char *const *names, const char *hint)
{
    char list[200] = "";
    const char *near = nearest_name(word, names);
    for (; !hint && *names; names++) {
        if (strlen(list) + strlen(*names) + 8 > sizeof list) {
            text_add(list, sizeof list, ", ...");
            break;
        }
        text_add(list, sizeof list, "%s%s", *list ? ", " : "", *names);
    }
    hint = hint ? hint : list;
    return error_set(error, "%s '%.100s'%s%s%s%s%s%s", what, word, near ? "; did you mean '" : "",
                     near ? near : "", near ? "'?" : "", *hint ? " (" : "", hint, *hint ? ")" : "");
}
