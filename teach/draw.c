/* draw.c - numbers that differ from student to student: "3..9", or "5, 7, 11".
 *
 * The pick depends on the student's name and on what is drawn, on nothing else: the same on every
 * machine and in every lesson.
 */
#include "teach/teach.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Where the next number begins behind a comma (or "..") outside of brackets; NULL: there is none. The
 * separator becomes the end of what is before it. */
static char *part_at(char *text, const char *separator)
{
    int depth = 0;
    for (; *text; text++) {
        depth += *text == '(' ? 1 : *text == ')' ? -1 : 0;
        if (depth == 0 && !strncmp(text, separator, strlen(separator))) {
            *text = '\0';
            return text + strlen(separator);
        }
    }
    return NULL;
}

/* A student's pick among `count` possibilities; 0 for nobody. */
static int64_t pick(const char *name, const char *student, int64_t count)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    bool space = false, begun = false;
    if (!student)
        return 0;
    for (const char *c = student; *c; c++) {
        if (isspace((unsigned char)*c)) {
            space = begun;
            continue;
        }
        if (space)
            hash = (hash ^ ' ') * UINT64_C(1099511628211);
        hash = (hash ^ (uint64_t)tolower((unsigned char)*c)) * UINT64_C(1099511628211);
        space = false;
        begun = true;
    }
    for (hash *= UINT64_C(1099511628211); *name; name++)
        hash = (hash ^ (unsigned char)*name) * UINT64_C(1099511628211);
    return (int64_t)(random_next(&hash) % (uint64_t)count);
}

bool draw_number(const char *name, const char *choices, const char *student,
                 const struct recording *known, int count, int64_t *value, struct error *error)
{
    enum { MOST = 1000000 };
    char *text = memory_copy(choices), *high = part_at(text, ".."), *next;
    int64_t last, number = 0;
    bool good;
    if (high) {
        good = expression_value(text, known, count, value, error) &&
               expression_value(high, known, count, &last, error);
        if (good && (last < *value || last - MOST >= *value))
            good = error_set(error, "%s: %" PRId64 "..%" PRId64 " must be 1 to %d numbers", name,
                             *value, last, MOST);
        if (good)
            *value += pick(name, student, last - *value + 1);
    } else {
        int64_t all = 1, wanted;
        for (char *rest = text; (rest = part_at(rest, ",")); all++)
            ;
        wanted = pick(name, student, all);
        free(text);
        text = next = memory_copy(choices);
        do {
            char *one = next;
            int64_t this = 0;
            next = part_at(one, ",");
            good = expression_value(one, known, count, &this, error);
            *value = number++ == wanted ? this : *value;
        } while (good && next);
    }
    free(text);
    return good;
}

/* ---- exercises ------------------------------------------------------------------------------- */

bool draw_student(const char *text, char *name, size_t room)
{
    return draw_name(text, "student:", name, room);
}

bool draw_name(const char *text, const char *sign, char *name, size_t room)
{
    const char *at = strstr(text, sign), *part = strstr(text, "[your part begins]");
    if (!at || (part && at > part))
        return false;
    at += strlen(sign);
    at += strspn(at, " \t");
    size_t length = strcspn(at, "\n");
    const char *end = strstr(at, "*/");
    length = end && (size_t)(end - at) < length ? (size_t)(end - at) : length;
    while (length > 0 && isspace((unsigned char)at[length - 1]))
        length--;
    snprintf(name, room, "%.*s", (int)(length < room ? length : room - 1), at);
    return length > 0;
}

/* "#define ROW 33" at the line's beginning: where its number is. */
static bool is_define(const char *line, char name[64], const char **number, size_t *length)
{
    int used = 0;
    if (sscanf(line, "#define %63[A-Za-z0-9_] %n", name, &used) != 1 || !used)
        return false;
    *number = line + used;
    *length = strspn(*number, "0123456789");
    return *length > 0;
}

char *draw_exercise(const char *file, const char *text, const char *student, struct error *error)
{
    static const char sign[] = "drawn:";
    struct recording known[32];
    char names[32][64];
    int count = 0, line = 1;
    char *drawn = NULL;
    size_t length;
    FILE *out = open_memstream(&drawn, &length);
    if (!out)
        memory_exhausted();
    bool good = true;
    for (const char *at = text; good && *at; line++) {
        size_t bytes = strcspn(at, "\n"), digits;
        char *one = memory_copy_of(at, bytes), *choices = strstr(one, sign);
        const char *number;
        struct error cause = {{0}};
        int64_t value = 0;
        if (choices && count < 32 && is_define(one, names[count], &number, &digits)) {
            char *end = strstr(choices += strlen(sign), "*/");
            char *wanted = memory_copy_of(choices, end ? (size_t)(end - choices) : strlen(choices));
            good = draw_number(names[count], wanted, student, known, count, &value, &cause) ||
                   error_set(error, "%s:%d: %s", file, line, cause.text);
            if (!student) /* as it is written */
                value = strtoll(number, NULL, 10);
            known[count] = (struct recording){.label = names[count], .number = value};
            count++;
            fprintf(out, "%.*s%" PRId64 "%s", (int)(number - one), one, value, number + digits);
            free(wanted);
        } else {
            fputs(one, out);
        }
        free(one);
        at += bytes;
        if (*at)
            fputc(*at++, out);
    }
    if (fclose(out))
        memory_exhausted();
    if (good)
        return drawn;
    free(drawn);
    return NULL;
}
