/* rounds.c - lists of rounds. */
#include "viewer/viewer.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Reads "N" or "A-B" and moves on behind it. */
static bool read_range(const char **text, struct round_range *range)
{
    char *end;
    if (!isdigit((unsigned char)**text))
        return false;
    long first = strtol(*text, &end, 10), last = first;
    if (*end == '-' && isdigit((unsigned char)end[1]))
        last = strtol(end + 1, &end, 10);
    *range = (struct round_range){first > MAX_ROUNDS ? MAX_ROUNDS : (int)first,
                                  last > MAX_ROUNDS ? MAX_ROUNDS : (int)last};
    *text = end;
    return first <= last;
}

static int by_first(const void *left, const void *right)
{
    const struct round_range *a = left, *b = right;
    return (a->first > b->first) - (a->first < b->first);
}

bool rounds_read(struct rounds *rounds, const char *text)
{
    struct round_range *range = rounds->range;
    int read = 0;
    *rounds = (struct rounds){1, {{0, INT_MAX}}};
    if (strcmp(text, "all") == 0)
        return true;
    do {
        if (read == ROUND_RANGES || !read_range(&text, &range[read++]))
            return false;
    } while (*text == ',' && text++);
    qsort(range, (size_t)read, sizeof *range, by_first);
    for (int i = 1; i < read; i++) { /* those that overlap become one */
        struct round_range *last = &range[rounds->ranges - 1];
        if (range[i].first > last->last)
            range[rounds->ranges++] = range[i];
        else if (range[i].last > last->last)
            last->last = range[i].last;
    }
    return !*text;
}

bool rounds_have(const struct rounds *rounds, int round)
{
    return rounds_count(rounds, round, round) > 0;
}

int rounds_count(const struct rounds *rounds, int first, int last)
{
    int count = 0;
    for (int i = 0; i < rounds->ranges; i++) {
        int from = rounds->range[i].first, to = rounds->range[i].last;
        from = from < first ? first : from;
        to = to > last ? last : to;
        count += to < from ? 0 : to - from + 1;
    }
    return count;
}

int rounds_at(const struct rounds *rounds, int first, int number)
{
    for (int i = 0; i < rounds->ranges; i++) {
        int from = rounds->range[i].first, to = rounds->range[i].last;
        from = from < first ? first : from;
        if (to >= from && number <= to - from)
            return from + number;
        number -= to < from ? 0 : to - from + 1;
    }
    return first;
}
