/* error.c - one line for a person, and the nearest name to a mistyped one. */
#include "instrument/instrument.h"

#include <ctype.h>
#include <stdarg.h>
#include <string.h>

bool error_set(struct error *error, const char *format, ...)
{
    if (!error || error->text[0])
        return false;
    va_list list;
    va_start(list, format);
    vsnprintf(error->text, sizeof error->text, format, list);
    va_end(list);
    for (char *c = error->text; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127)
            *c = '?';
    if (!error->text[0])
        strcpy(error->text, "failed");
    return false;
}

/* Levenshtein distance of two short words, whatever their case; longer ones count as far apart. */
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

/* Which of the names looks most like the word, or NULL when none is near. */
static const char *nearest_name(const char *word, const char *const *names)
{
    const char *nearest = NULL;
    int least = (int)strlen(word) / 3 + 2; /* further than this is no likeness */
    for (; *names; names++) {
        int distance = word_distance(word, *names);
        if (distance < least) {
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
    for (size_t used = 0; !hint && *names; names++) {
        if (used + strlen(*names) + 8 > sizeof list) {
            snprintf(list + used, sizeof list - used, ", ...");
            break;
        }
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", *names);
    }
    hint = hint ? hint : list;
    return error_set(error, "%s '%.100s'%s%s%s%s%s%s", what, word, near ? "; did you mean '" : "",
                     near ? near : "", near ? "'?" : "", *hint ? " (" : "", hint, *hint ? ")" : "");
}
