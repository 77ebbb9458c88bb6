/* names.c - by what lessons are called, today and formerly.
 *
 * The lessons' order has changed once. What was kept, handed out or written down under a folder's first name still
 * finds the lesson. A bare number means today's order; only a hand-in of the first edition, which says "Exercise
 * of lesson 05", means that of then. */
#include "teach/teach.h"

#include <stdlib.h>
#include <string.h>

/* Folders of the first edition, and where their exercises are now. The others have kept their names. */
static const struct {
    const char *was, *is;
} renamed[] = {
    {"04-wide", "08-wide"},
    {"05-merge", "10-merge"},
    {"06-worst-case", "11-worst-case"},
    {"07-cf-merge", "12-cf-merge"},
    {"08-transpose", "04-transpose"},
    {"09-sums", "05-sums"},
    {"10-own-kernel", "06-own-kernel"},
    {"11-profiler", "07-profiler"},
    {"12-search", "09-search"},
    {"14-bcf-sort", "14-colored-scan"}, /* its second half is 15-bcf-sort */
    {"15-fast-sort", "16-fast-sort"},
    {"16-hardest", "17-hardest"},
};
enum { RENAMED = sizeof renamed / sizeof renamed[0] };

/* The name of a lesson by one that it had: "10-merge" of "05-merge"; any other stays as it is. */
static const char *lesson_name_now(const char *name)
{
    for (int i = 0; i < RENAMED; i++)
        if (!strcmp(renamed[i].was, name))
            return renamed[i].is;
    return name;
}

const char *lesson_name_before(const char *name)
{
    for (int i = 0; i < RENAMED; i++)
        if (!strcmp(renamed[i].is, name))
            return renamed[i].was;
    return NULL;
}

const char *lesson_name_of_number(const char *number)
{
    for (int i = 0; i < RENAMED; i++)
        if (strlen(number) == 2 && !strncmp(renamed[i].was, number, 2))
            return renamed[i].is;
    return number;
}

bool lesson_is_called(const char *folder, const char *name)
{
    char *end;
    const long number = strtol(name, &end, 10);
    if (end > name && !*end)
        return number == strtol(folder, NULL, 10);
    name = lesson_name_now(name);
    return !strcmp(folder, name) || !strcmp(folder + 3, name);
}
