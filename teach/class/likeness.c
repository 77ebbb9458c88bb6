/* likeness.c - how alike two students' parts are. */
#include "teach/class/tokens.h"

#include <stdlib.h>
#include <string.h>

/* ---- likeness -------------------------------------------------------------------------------- */

enum { GRAM = 6 }; /* tokens */

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The latest tokens of a statement. */
struct window {
    struct {
        struct token token;
        bool name; /* that could be another */
    } last[GRAM];
    int count;    /* of them, at most GRAM */
    bool printed; /* something of this statement is in the prints */
    struct part_prints *prints;
    size_t room;
};

static uint64_t mix(uint64_t hash, uint64_t value)
{
    return (hash ^ value) * 1099511628211u + 1;
}

/* What the tokens are, with names numbered by their first use among them. */
static void print_gram(struct window *window)
{
    uint64_t gram = 14695981039346656037u;
    struct error error = {{0}};
    for (int i = 0; i < window->count; i++) {
        const struct token *token = &window->last[i].token;
        int first = 0;
        while (first < i &&
               !(window->last[first].name && window->last[first].token.length == token->length &&
                 !memcmp(window->last[first].token.text, token->text, token->length)))
            first++;
        if (window->last[i].name)
            gram = mix(gram, (uint64_t)first);
        for (size_t k = 0; !window->last[i].name && k < token->length; k++)
            gram = mix(gram, (unsigned char)token->text[k]);
        gram = mix(gram, 256);
    }
    struct part_prints *prints = window->prints;
    if (!memory_grow(&prints->print, &window->room, prints->count + 1, sizeof gram, "tokens",
                     &error))
        memory_exhausted();
    prints->print[prints->count++] = gram;
    window->printed = true;
}

static void add_token(struct window *window, const struct token *token, bool name)
{
    if (window->count == GRAM)
        memmove(window->last, window->last + 1, sizeof window->last - sizeof *window->last);
    else
        window->count++;
    window->last[window->count - 1].token = *token;
    window->last[window->count - 1].name = name;
    if (window->count == GRAM)
        print_gram(window);
}

/* A statement ends: one that is shorter than others' pieces makes a print as a whole. */
static void end(struct window *window)
{
    if (window->count > 1 && !window->printed)
        print_gram(window);
    window->count = 0;
    window->printed = false;
}

/* Whether a text has the name. */
static bool is_in(const struct grade_text *text, const struct token *name)
{
    const char *at = text->text, *stop = at + text->length;
    for (struct token token; (token = token_at(at, stop)).kind != TOKEN_END;) {
        if (token.kind == TOKEN_NAME && token.length == name->length &&
            !memcmp(token.text, name->text, name->length))
            return true;
        at = token.text + token.length;
    }
    return false;
}

/* Whether a name could be another one without changing the program: not what the language has, nor members of
 * the exercise's structs, nor its functions. */
static bool is_free(const struct token *token, const struct token *before, const struct token *next,
                    const struct grade_text *before_part)
{
    bool coordinate = token->length == 1 && strchr("xyzw", *token->text);
    if (token->kind != TOKEN_NAME || token_is(before, ".") || token_is(before, "struct"))
        return false;
    if (token_is_type(token) || (token_is_word(token) && !coordinate))
        return false;
    return !token_is(next, "(") || !is_in(before_part, token);
}

/* Statements are told one by one, and in each of them only what a few tokens in a row are, so that it makes no
 * difference in which order they stand and how names are called. */
void part_prints_of(const struct grade_text *part, const struct grade_text *before_part,
                    struct part_prints *prints)
{
    static const char *const ends[] = {";", "{", "}", NULL};
    const char *at = part->text, *stop = at + part->length;
    struct token before = {TOKEN_SPACE, "", 0};
    struct window window = {.prints = prints};
    size_t kept = 0;
    int depth = 0;         /* of parentheses */
    bool declares = false; /* the statement began with a type: each variable is told by itself */
    *prints = (struct part_prints){.count = 0};
    for (struct token token; (token = token_at(at, stop)).kind != TOKEN_END;) {
        at = token.text + token.length;
        if (token.kind == TOKEN_SPACE || token.kind == TOKEN_COMMENT || token_is(&token, "const"))
            continue;
        struct token next = token_next(at, stop);
        bool stops = token_is_one_of(&token, ends);
        depth += token_is(&token, "(") - token_is(&token, ")");
        declares = !stops && (declares || (!window.count && token_is_type(&token)));
        if (stops || (declares && !depth && token_is(&token, ",")))
            end(&window);
        else if (!token_is_type(&token)) /* int or unsigned, it is the same */
            add_token(&window, &token, is_free(&token, &before, &next, before_part));
        before = token;
    }
    end(&window);
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
    enum { TOO_FEW = 8 };
    if (a->count < TOO_FEW || b->count < TOO_FEW)
        return -1;
    size_t common = without(a, b, false);
    return (int)(100 * common / (a->count + b->count - common));
}
