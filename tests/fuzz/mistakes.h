/* mistakes.h - texts with mistakes in them: words that become others, lines that go or come twice, an end that is
 * missing. What test_machine_fuzz.c and test_kernelc_fuzz.c share. */
#ifndef BANKSCOPE_TESTS_MISTAKES_H
#define BANKSCOPE_TESTS_MISTAKES_H

#include <glob.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 1 << 16, FILES = 600 /* of a list at most */ };

/* A number below `below`; the state is the caller's. */
static inline uint32_t draw(uint64_t *state, uint32_t below)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33) % below;
}

struct file {
    char *text;
    size_t length;
};
struct files {
    struct file file[FILES];
    uint32_t count;
    const char *between;        /* the characters that end a word */
    const char *const *numbers; /* ends with NULL */
};

/* Adds those that the pattern finds and that have fewer bytes than `largest`. */
static inline void read_files(struct files *files, const char *pattern, size_t largest)
{
    glob_t found;
    if (glob(pattern, 0, NULL, &found))
        return;
    for (size_t i = 0; i < found.gl_pathc && files->count < FILES; i++) {
        FILE *file = fopen(found.gl_pathv[i], "r");
        char *text = malloc(ROOM);
        const size_t length = file && text ? fread(text, 1, ROOM, file) : 0;
        if (length && length < largest)
            files->file[files->count++] = (struct file){text, length};
        else
            free(text);
        if (file)
            fclose(file);
    }
    globfree(&found);
}

static inline void free_files(struct files *files)
{
    while (files->count)
        free(files->file[--files->count].text);
}

/* The word that begins somewhere behind a place. */
static inline size_t some_word(const struct files *files, const char *text, size_t length,
                               size_t *at, uint64_t *state)
{
    *at = draw(state, (uint32_t)length);
    *at += strcspn(text + *at, files->between);
    *at += strspn(text + *at, files->between);
    return strcspn(text + *at, files->between);
}

/* Puts bytes in the place of others. Returns the new length. */
static inline size_t replace(char *text, size_t length, size_t at, size_t gone, const char *bytes,
                             size_t fresh)
{
    if (at + gone > length || length - gone + fresh >= ROOM)
        return length;
    memmove(text + at + fresh, text + at + gone, length - at - gone);
    memcpy(text + at, bytes, fresh);
    text[length - gone + fresh] = '\0';
    return length - gone + fresh;
}

static inline size_t make_mistake(const struct files *files, char *text, size_t length,
                                  uint64_t *state)
{
    char other[ROOM / 16];
    size_t at, from;
    uint32_t numbers = 0;
    const size_t word = some_word(files, text, length, &at, state);
    size_t bytes = some_word(files, text, length, &from, state);
    bytes = bytes < sizeof other ? bytes : sizeof other;
    memcpy(other, text + from, bytes);
    switch (draw(state, 7)) {
    case 0:
    case 1:
    case 2: /* a word becomes another one of the text */
        return replace(text, length, at, word, other, bytes);
    case 3: /* or a number */
        while (files->numbers[numbers])
            numbers++;
        numbers = draw(state, numbers);
        return replace(text, length, at, word, files->numbers[numbers],
                       strlen(files->numbers[numbers]));
    case 4: /* a line goes, or comes twice */
        at -= at > 0;
        from = at + strcspn(text + at, "\n");
        if (draw(state, 2) || from - at >= sizeof other)
            return replace(text, length, at, from - at, "", 0);
        memcpy(other, text + at, from - at);
        return replace(text, length, at, 0, other, from - at);
    case 5:
        *other = (char)draw(state, 256);
        return replace(text, length, at, 1, other, 1);
    default: /* the end is missing */
        return draw(state, 4) ? replace(text, length, at, word, "", 0)
                              : replace(text, length, at, length - at, "", 0);
    }
}

/* One of the files with a mistake or some. `text` has ROOM. Returns its length. */
static inline size_t mistaken_file(const struct files *files, char *text, uint64_t *state)
{
    const struct file *file = &files->file[draw(state, files->count)];
    size_t length = file->length;
    memcpy(text, file->text, length);
    text[length] = '\0';
    for (uint32_t i = 1 + draw(state, 3); i && length > 20; i--)
        length = make_mistake(files, text, length, state);
    return length;
}

#endif
