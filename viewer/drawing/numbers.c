/* numbers.c - lists of numbers: of rounds, banks and columns. */
#include "viewer/drawing/drawing.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Reads "N" or "A-B" and moves on behind it. */
static bool read_range(const char **text, struct number_range *range)
{
    char *end;
    if (!isdigit((unsigned char)**text))
        return false;
    long first = strtol(*text, &end, 10), last = first;
    if (*end == '-' && isdigit((unsigned char)end[1]))
        last = strtol(end + 1, &end, 10);
    *range = (struct number_range){first > MAX_ROUNDS ? MAX_ROUNDS : (int)first,
                                   last > MAX_ROUNDS ? MAX_ROUNDS : (int)last};
    *text = end;
    return first <= last;
}

static int by_first(const void *left, const void *right)
{
    const struct number_range *a = left, *b = right;
    return (a->first > b->first) - (a->first < b->first);
}

bool numbers_read(struct numbers *numbers, const char *text)
{
    struct number_range *range = numbers->range;
    int read = 0;
    *numbers = (struct numbers){1, {{0, INT_MAX}}};
    if (strcmp(text, "all") == 0)
        return true;
    do {
        if (read == NUMBER_RANGES || !read_range(&text, &range[read++]))
            return false;
    } while (*text == ',' && text++);
    qsort(range, (size_t)read, sizeof *range, by_first);
    for (int i = 1; i < read; i++) { /* those that overlap or touch become one */
        struct number_range *last = &range[numbers->ranges - 1];
        if (range[i].first > last->last + 1)
            range[numbers->ranges++] = range[i];
        else if (range[i].last > last->last)
            last->last = range[i].last;
    }
    return !*text;
}

bool numbers_have(const struct numbers *numbers, int number)
{
    return numbers_count(numbers, number, number) > 0;
}

int numbers_count(const struct numbers *numbers, int first, int last)
{
    int count = 0;
    for (int i = 0; i < numbers->ranges; i++) {
        int from = numbers->range[i].first, to = numbers->range[i].last;
        from = from < first ? first : from;
        to = to > last ? last : to;
        count += to < from ? 0 : to - from + 1;
    }
    return count;
}

int numbers_at(const struct numbers *numbers, int first, int number)
{
    for (int i = 0; i < numbers->ranges; i++) {
        int from = numbers->range[i].first, to = numbers->range[i].last;
        from = from < first ? first : from;
        if (to >= from && number <= to - from)
            return from + number;
        number -= to < from ? 0 : to - from + 1;
    }
    return first;
}

bool crop_make(struct crop *crop, const struct numbers *only, int count)
{
    static const struct numbers all = {1, {{0, INT_MAX}}};
    int end = 0; /* of what is before */
    *crop = (struct crop){.groups = 0};
    only = only ? only : &all;
    for (int i = 0; i < only->ranges && only->range[i].first < count; i++) {
        const struct number_range *range = &only->range[i];
        struct crop_group *group = &crop->group[crop->groups++];
        group->first = range->first;
        group->count = (range->last < count ? range->last + 1 : count) - range->first;
        group->at = crop->size + (range->first > end ? CROP_DOTS : 0);
        crop->size = group->at + group->count;
        end = group->first + group->count;
    }
    crop->size += end < count ? CROP_DOTS : 0;
    return crop->groups > 0;
}
