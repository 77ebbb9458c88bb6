/* split.c - the student's part of a source: the lines between two marks. */
#include "grade/grade.h"

#include <string.h>

static const char begins[] = "[your part begins]", ends[] = "[your part ends]";

static const char *find_text(const char *at, const char *end, const char *what)
{
    const size_t length = strlen(what);
    for (; (size_t)(end - at) >= length; at++)
        if (memcmp(at, what, length) == 0)
            return at;
    return NULL;
}

/* The beginning of the line behind. */
static const char *next_line(const char *at, const char *end)
{
    const char *feed = memchr(at, '\n', (size_t)(end - at));
    return feed ? feed + 1 : end;
}

static const char *this_line(const char *begin, const char *at)
{
    while (at > begin && at[-1] != '\n')
        at--;
    return at;
}

static bool is_of_old(const char *at, const char *end)
{
    return find_text(at, end, "kernels/kernel.h") || find_text(at, end, "SIMT_HOST");
}

bool grade_split(const struct grade_text *source, struct grade_source *split, struct error *error)
{
    const char *text = source->text, *end = text + source->length;
    const char *first = find_text(text, end, begins),
               *last = first ? find_text(first, end, ends) : NULL;
    *split = (struct grade_source){.first_line = 0};
    if (memchr(text, '\0', source->length))
        return error_set(error, "there is a byte 0 in it: hand in the source, as text");
    if (is_of_old(text, end))
        return error_set(error,
                         "it is in the form of old, with LOAD, STORE and DEVICE: copy the lines "
                         "between the marks into a fresh copy of the exercise, and write "
                         "__device__ for DEVICE");
    if (!first || !last)
        return error_set(error,
                         "there is no line '%s'; begin again with a fresh copy of the exercise",
                         first ? ends : begins);
    if (find_text(first + 1, end, begins) || find_text(last + 1, end, ends) ||
        find_text(text, first, ends))
        return error_set(error, "'%s' and '%s' may stand there once", begins, ends);
    const char *part = next_line(first, end), *behind = this_line(text, last);
    if (behind < part)
        return error_set(error, "'%s' and '%s' stand on lines of their own", begins, ends);
    if (behind - part > GRADE_PART)
        return error_set(error, "the part has %zu bytes: at most %d", (size_t)(behind - part),
                         GRADE_PART);
    split->before = (struct grade_text){text, (size_t)(this_line(text, first) - text)};
    split->part = (struct grade_text){part, (size_t)(behind - part)};
    split->first_line = 1;
    for (const char *at = text; at < part; at++)
        split->first_line += *at == '\n';
    return true;
}
