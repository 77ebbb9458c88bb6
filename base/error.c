/* error.c - one-line errors, and the nearest name. */
#include "base/error.h"
#include "base/text.h"

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
    text_clean(error->text);
    if (!error->text[0])
        strcpy(error->text, "failed");
    return false;
}

void error_add(struct error *error, const char *format, ...)
{
    const size_t used = strlen(error->text);
    va_list list;
    va_start(list, format);
    vsnprintf(error->text + used, sizeof error->text - used, format, list);
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
