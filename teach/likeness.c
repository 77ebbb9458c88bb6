/* likeness.c - how alike two students' parts are. */
#include "teach/tokens.h"

#include <stdlib.h>
#include <string.h>

/* ---- likeness -------------------------------------------------------------------------------- */

enum { GRAM = 6 }; /* tokens */

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

void part_prints_of(const struct part *part, const struct part_names *names,
                    struct part_prints *prints)
{
    const char *at = part->text, *end = at + part->length;
    uint64_t last[GRAM] = {0};
    size_t room = 0, seen = 0, kept = 0;
    struct error error = {{0}};
    *prints = (struct part_prints){.count = 0};
    for (struct token token; (token = token_at(at, end)).kind != TOKEN_END;) {
        at = token.text + token.length;
        if (token.kind == TOKEN_SPACE || token.kind == TOKEN_COMMENT)
            continue;
        bool own = token.kind == TOKEN_NAME && !token_is_type(&token) &&
                   !token_is_word(&token, names) && !part_is_name(names, &token);
        uint64_t hash = 14695981039346656037u, gram = 0;
        for (size_t i = 0; !own && i < token.length; i++)
            hash = (hash ^ (unsigned char)token.text[i]) * 1099511628211u;
        memmove(last, last + 1, sizeof last - sizeof *last);
        last[GRAM - 1] = hash;
        if (++seen < GRAM)
            continue;
        for (int i = 0; i < GRAM; i++)
            gram = (gram ^ last[i]) * 1099511628211u + 1;
        if (!memory_grow(&prints->print, &room, prints->count + 1, sizeof gram, "tokens", &error))
            memory_exhausted();
        prints->print[prints->count++] = gram;
    }
    if (prints->count)
        qsort(prints->print, prints->count, sizeof *prints->print, by_number);
    for (size_t i = 0; i < prints->count; i++)
        if (!kept || prints->print[i] != prints->print[kept - 1])
            prints->print[kept++] = prints->print[i];
    prints->count = kept;
}

/* Drops from the prints those that are among others; returns how many were. */
static size_t without(struct part_prints *prints, const struct part_prints *others, bool drop)
{
    size_t kept = 0, common = 0, k = 0;
    for (size_t i = 0; i < prints->count; i++) {
        while (k < others->count && others->print[k] < prints->print[i])
            k++;
        bool both = k < others->count && others->print[k] == prints->print[i];
        common += both;
        if (drop && !both)
            prints->print[kept++] = prints->print[i];
    }
    if (drop)
        prints->count = kept;
    return common;
}

void part_prints_drop(struct part_prints *prints, const struct part_prints *given)
{
    without(prints, given, true);
}

int part_likeness(struct part_prints *a, const struct part_prints *b)
{
    enum { TOO_FEW = 30 };
    if (a->count < TOO_FEW || b->count < TOO_FEW)
        return -1;
    size_t common = without(a, b, false);
    return (int)(100 * common / (a->count + b->count - common));
}
