/* error.h - one line that says what went wrong, what was affected and what to do next.
 *
 * Functions that can fail return false (or NULL) and put that line into a struct error of the caller's.
 */
#ifndef BANKSCOPE_BASE_ERROR_H
#define BANKSCOPE_BASE_ERROR_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One line for a person. Empty text: no error so far. The first error stays: later calls of
 * error_set are ignored until text[0] is cleared, so a chain of calls reports its cause. */
struct error {
    char text[512];
};

/* Formats the line (unless one is there already), cleaned by text_clean, so that text out of a file
 * cannot break it. Always returns false, for `return error_set(...)`. */
bool error_set(struct error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Appends to the line that is there. */
void error_add(struct error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Sets "WHAT 'word'; did you mean 'NAME'? (hint)" with the nearest of the names, if one is near;
 * they end with NULL. A hint of NULL lists the names.
 *     error_unknown(error, "there is no stage", "raed", names, NULL)
 *     there is no stage 'raed'; did you mean 'read'? (write, read)
 * Returns false. */
bool error_unknown(struct error *error, const char *what, const char *word,
                   const char *const *names, const char *hint);

#ifdef __cplusplus
}
#endif
#endif
