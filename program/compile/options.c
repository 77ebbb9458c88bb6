/* options.c - what a user tells nvcc, by who understands it. */
#define _GNU_SOURCE /* vasprintf */
#include "program/compile/compile.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- words ------------------------------------------------------------------------------------ */

void words_add(struct words *words, const char *format, ...)
{
    char *text = NULL;
    va_list values;
    if (words->count + 1 == (int)(sizeof words->word / sizeof *words->word))
        return; /* compile_program has counted what the user gave */
    va_start(values, format);
    if (vasprintf(&text, format, values) < 0)
        memory_exhausted();
    va_end(values);
    words->word[words->count++] = text;
}

void words_append(struct words *words, const struct words *more)
{
    for (int i = 0; i < more->count; i++)
        words_add(words, "%s", more->word[i]);
}

void words_free(struct words *words)
{
    for (int i = 0; i < words->count; i++)
        free(words->word[i]);
    *words = (struct words){.count = 0};
}

/* ---- the table --------------------------------------------------------------------------------- */

enum meaning {
    NONE,    /* changes nothing for clang */
    DROPPED, /* neither for clang nor nvcc: how we compile is fixed */
    WARNING, /* clang knows it, nvcc does not */
    BOTH,    /* clang and g++ know it as it is */
    HOST,    /* what the host's compiler is told, between commas */
    LINK,    /* for the linker */
    LINK_OF, /* the value is, between commas */
    PTXAS,   /* what ptxas is told */
    REGISTERS,
    ARCH,
    GENCODE,
    FAST,
    FLUSH,
    DIVISION,
    ROOT,
    FUSING,
    APART,
    LANGUAGE,
};
/* How its value comes: joined to it; as the next word; after '='; either of these. */
enum value { ALONE, JOINED, NEXT = 2, EQUALS = 4, EITHER = NEXT | EQUALS };

/* Names have two dashes or one. A name that ends an option's begin comes behind it: the first row that fits
 * is taken. */
static const struct option {
    const char *name;
    enum value value;
    enum meaning meaning;
} table[] = {
    {"I", NEXT, BOTH},
    {"I", JOINED, BOTH},
    {"D", NEXT, BOTH},
    {"D", JOINED, BOTH},
    {"U", NEXT, BOTH},
    {"U", JOINED, BOTH},
    {"isystem", NEXT, BOTH},
    {"iquote", NEXT, BOTH},
    {"idirafter", NEXT, BOTH},
    {"include", NEXT, BOTH},
    {"std", EITHER, BOTH},
    {"L", NEXT, LINK},
    {"L", JOINED, LINK},
    {"linker-options", EITHER, LINK_OF},
    {"l", NEXT, LINK},
    {"lineinfo", ALONE, NONE},
    {"l", JOINED, LINK},
    {"Wl,", JOINED, LINK},
    {"Xlinker", EITHER, LINK_OF},
    {"Xcompiler", EITHER, HOST},
    {"compiler-options", EITHER, HOST},
    {"Xptxas", EITHER, PTXAS},
    {"ptxas-options", EITHER, PTXAS},
    {"maxrregcount", EITHER, REGISTERS},
    {"arch", EITHER, ARCH},
    {"gpu-architecture", EITHER, ARCH},
    {"code", EITHER, DROPPED},
    {"gpu-code", EITHER, DROPPED},
    {"gencode", EITHER, GENCODE},
    {"generate-code", EITHER, GENCODE},
    {"use_fast_math", ALONE, FAST},
    {"ftz", EITHER, FLUSH},
    {"prec-div", EITHER, DIVISION},
    {"prec-sqrt", EITHER, ROOT},
    {"fmad", EITHER, FUSING},
    {"rdc", EITHER, APART},
    {"relocatable-device-code", EITHER, APART},
    {"dc", ALONE, APART},
    {"device-c", ALONE, APART},
    {"forward-unknown-to-host-compiler", ALONE, NONE},
    {"extended-lambda", ALONE, NONE},
    {"expt-extended-lambda", ALONE, NONE},
    {"expt-relaxed-constexpr", ALONE, NONE},
    {"generate-line-info", ALONE, NONE},
    {"device-debug", ALONE, NONE},
    {"G", ALONE, NONE},
    {"resource-usage", ALONE, NONE},
    {"restrict", ALONE, NONE},
    {"keep", ALONE, DROPPED},
    {"cudart", EITHER, DROPPED},
    {"cudadevrt", EITHER, NONE},
    {"ccbin", EITHER, NONE},
    {"compiler-bindir", EITHER, NONE},
    {"Xcudafe", EITHER, NONE},
    {"diag-suppress", EITHER, NONE},
    {"diag_suppress", EITHER, NONE},
    {"Xnvlink", EITHER, NONE},
    {"threads", EITHER, NONE},
    {"t", EITHER, NONE},
    {"t", JOINED, NONE},
    {"x", EITHER, LANGUAGE},
    {"default-stream", EITHER, NONE},
    {"split-compile", EITHER, NONE},
    {"dopt", EITHER, NONE},
    {"source-in-ptx", ALONE, NONE},
    {"m64", ALONE, NONE},
    {"Wall", ALONE, WARNING},
    {"Wextra", ALONE, WARNING},
    {"Wno-deprecated-gpu-targets", ALONE, NONE},
};

/* Whether the word is that option; then *value is its value, in it or in the next word, and *taken how many
 * words that are. */
static bool is_option(const struct option *option, const char *const *word, int left,
                      const char **value, int *taken)
{
    const char *name = *word + 1 + ((*word)[1] == '-');
    size_t length = strlen(option->name);
    if (strncmp(name, option->name, length) != 0)
        return false;
    name += length;
    *taken = 1;
    *value = name;
    if (option->value == JOINED)
        return *name != '\0';
    if (*name == '=' && option->value & EQUALS) {
        *value = name + 1;
        return true;
    }
    if (*name)
        return false;
    if (option->value & NEXT) {
        *taken = 2;
        *value = left > 1 ? word[1] : NULL;
    }
    return true;
}

/* ---- reading ------------------------------------------------------------------------------------- */

/* Adds the parts between commas, each behind `before` if that is not NULL. */
static void add_parts(struct words *words, const char *value, const char *before)
{
    for (const char *at = value; *at;) {
        size_t length = strcspn(at, ",");
        if (before)
            words_add(words, "%s", before);
        words_add(words, "%.*s", (int)length, at);
        at += length + (at[length] == ',');
    }
}

/* The highest number behind "sm_" or "compute_", and the letter behind that. */
static void take_capability(struct compile_options *options, const char *text)
{
    for (const char *at = text; (at = strchr(at, '_')) != NULL; at++) {
        char *end;
        const int number = isdigit((unsigned char)at[1]) ? (int)strtol(at + 1, &end, 10) : 0;
        if (!number || number < options->capability)
            continue;
        if (number > options->capability || *end == 'a')
            options->variant = *end == 'a' ? "a" : *end == 'f' ? "f" : "";
        options->capability = number;
    }
}

static bool is_true(const char *value)
{
    return !*value || !strcmp(value, "true") || !strcmp(value, "1");
}

static void apply_option(struct compile_options *options, const struct option *option,
                         const char *const *word, int taken, const char *value)
{
    switch (option->meaning) {
    case NONE:
    case DROPPED:
        break;
    case WARNING:
    case BOTH:
        if (!strcmp(option->name, "std"))
            words_add(&options->both, "-std=%s", value);
        else
            for (int i = 0; i < taken; i++)
                words_add(&options->both, "%s", word[i]);
        break;
    case HOST:
        add_parts(&options->host, value, NULL);
        break;
    case LINK:
        for (int i = 0; i < taken; i++)
            words_add(&options->link, "%s", word[i]);
        break;
    case LINK_OF:
        add_parts(&options->link, value, "-Xlinker");
        break;
    case PTXAS:
        add_parts(&options->ptxas, value, NULL);
        break;
    case REGISTERS:
        words_add(&options->ptxas, "-maxrregcount=%s", value);
        break;
    case ARCH:
    case GENCODE:
        take_capability(options, value);
        break;
    case FAST:
        options->fast_math = true;
        break;
    case FLUSH:
        options->flush = is_true(value);
        break;
    case DIVISION:
        options->rough_division = !is_true(value);
        break;
    case ROOT:
        options->rough_root = !is_true(value);
        break;
    case FUSING:
        options->no_fusing = !is_true(value);
        break;
    case APART:
        options->apart = option->value == ALONE || is_true(value);
        break;
    case LANGUAGE:
        options->cuda = !strcmp(value, "cu");
        break;
    }
}

int option_words(const char *const *word, int left)
{
    const char *value = NULL;
    int taken;
    for (size_t k = 0; **word == '-' && k < sizeof table / sizeof *table; k++)
        if ((table[k].name[1] || table[k].meaning == LANGUAGE) &&
            is_option(&table[k], word, left, &value, &taken))
            return taken < left ? taken : left;
    return 0;
}

static bool read_words(struct compile_options *options, const char *const *words, int count,
                       struct error *error)
{
    for (int i = 0, taken; i < count; i += taken) {
        const char *const *word = &words[i];
        const struct option *found = NULL;
        const char *value = NULL;
        taken = 1;
        for (size_t k = 0; !found && k < sizeof table / sizeof *table; k++)
            if (**word == '-' && is_option(&table[k], word, count - i, &value, &taken))
                found = &table[k];
        if (found && !value)
            return error_set(error, "the option %s needs a value behind it", *word);
        if (found)
            apply_option(options, found, word, taken, value);
        else
            words_add(&options->both, "%s", *word);
        /* nvcc chooses the target here, and compiles only. */
        enum meaning meaning = found ? found->meaning : BOTH;
        if (meaning != LINK && meaning != LINK_OF && meaning != ARCH && meaning != GENCODE &&
            meaning != PTXAS && meaning != REGISTERS && meaning != APART && meaning != DROPPED &&
            meaning != WARNING)
            for (int k = 0; k < taken; k++)
                words_add(&options->nvcc, "%s", word[k]);
    }
    return true;
}

bool options_read(struct compile_options *options, const struct compile_request *request,
                  const struct source_words *more, struct error *error)
{
    *options = (struct compile_options){.capability = 0, .variant = ""};
    return (!more || read_words(options, more->word, more->words, error)) &&
           read_words(options, request->word, request->words, error);
}

void options_free(struct compile_options *options)
{
    words_free(&options->both);
    words_free(&options->host);
    words_free(&options->link);
    words_free(&options->nvcc);
    words_free(&options->ptxas);
}
