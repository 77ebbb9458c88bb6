/* recipe.c - a kernel with parameters, an input and a seed, parsed and printed only here. */
#include "kernels/catalogue.h"
#include "kernels/worst.h"
#include "system/file.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    enum input_kind kind;
    const char *name;
    enum { NO_VALUE, MAY_HAVE_VALUE, HAS_VALUE } argument;
} INPUTS[] = {
    {INPUT_RANDOM, "random", NO_VALUE},
    {INPUT_SORTED, "sorted", NO_VALUE},
    {INPUT_REVERSE, "reverse", NO_VALUE},
    {INPUT_WORST, "worst", NO_VALUE},
    {INPUT_DUPLICATES, "duplicates", MAY_HAVE_VALUE},
    {INPUT_SPLITS, "splits", HAS_VALUE},
    {INPUT_FILE, "file", HAS_VALUE},
    {INPUT_HARDEST, "hardest", NO_VALUE},
    {INPUT_THEOREM_3, "theorem-3", MAY_HAVE_VALUE},
    {INPUT_FAMILY, "family", MAY_HAVE_VALUE},
    {INPUT_DISTINCT, "distinct", NO_VALUE},
};
enum { INPUT_COUNT = sizeof INPUTS / sizeof INPUTS[0] };

const char *input_name(int bit)
{
    return bit < INPUT_COUNT ? INPUTS[bit].name : NULL;
}

int *param_of(void *params, const struct kernel_param *param)
{
    return (int *)((char *)params + param->offset);
}

void recipe_init(struct recipe *recipe, const struct kernel *kernel)
{
    *recipe = (struct recipe){
        .kernel = kernel,
        .params = memory_new(1, kernel->size),
        .input = {.kind = INPUT_RANDOM, .name = "random", .seed = 1},
    };
    for (const struct kernel_param *param = kernel->params; param->name; param++)
        *param_of(recipe->params, param) = param->standard;
}

void recipe_free(struct recipe *recipe)
{
    free(recipe->params);
    free(recipe->input.number);
    free(recipe->argument);
    *recipe = (struct recipe){.kernel = NULL};
}

int recipe_value(const struct recipe *recipe, const char *name, int otherwise)
{
    for (const struct kernel_param *param = recipe->kernel->params; param->name; param++)
        if (!strcmp(param->name, name))
            return *param_of(recipe->params, param);
    return otherwise;
}

/* ---- one word -------------------------------------------------------------------------------- */

static bool param_value(const struct kernel *kernel, const struct kernel_param *param,
                        const char *text, int *value, struct error *error)
{
    char what[128];
    for (int i = 0; param->words && param->words[i]; i++)
        if (!strcmp(param->words[i], text)) {
            *value = i;
            return true;
        }
    if (param->words) {
        snprintf(what, sizeof what, "%s: parameter %s cannot be", kernel->name, param->name);
        return error_unknown(error, what, text, param->words, NULL);
    }
    char *end;
    errno = 0;
    long number = strtol(text, &end, 10);
    if (end == text || *end)
        return error_set(error,
                         "%s: parameter %s is \"%s\", but takes a whole number from %d to %d",
                         kernel->name, param->name, text, param->lowest, param->highest);
    if (errno || number < param->lowest || number > param->highest)
        return error_set(error, "%s: parameter %s is %s, but must be from %d to %d", kernel->name,
                         param->name, text, param->lowest, param->highest);
    *value = (int)number;
    return true;
}

/* "E=5" or "variant=padded". */
static bool apply_param(struct recipe *recipe, const char *assignment, struct error *error)
{
    const struct kernel *kernel = recipe->kernel;
    const char *equals = strchr(assignment, '=');
    size_t length = equals ? (size_t)(equals - assignment) : strlen(assignment);
    char what[128], word[64];
    int count = 0;

    if (!equals)
        return error_set(error, "-p takes NAME=VALUE, as in -p w=32, not \"%s\"", assignment);
    for (; kernel->params[count].name; count++) {
        const char *name = kernel->params[count].name;
        if (strlen(name) == length && !memcmp(name, assignment, length))
            return param_value(kernel, &kernel->params[count], equals + 1,
                               param_of(recipe->params, &kernel->params[count]), error);
    }
    const char **names = memory_new((size_t)count + 1, sizeof *names);
    for (int i = 0; i < count; i++)
        names[i] = kernel->params[i].name;
    snprintf(word, sizeof word, "%.*s", (int)length, assignment);
    snprintf(what, sizeof what, "%s has no parameter", kernel->name);
    error_unknown(error, what, word, names, NULL);
    free(names);
    return false;
}

/* Appends the whole numbers in text, separated as `between` allows, to the input. */
static bool parse_numbers(struct input *input, const char *text, bool commas, const char *what,
                          struct error *error)
{
    size_t room = input->count;
    while (*text) {
        while (isspace((unsigned char)*text))
            text++;
        if (!*text)
            break;
        char *end;
        errno = 0;
        long number = strtol(text, &end, 10);
        bool ends = !*end || isspace((unsigned char)*end) || (commas && *end == ',');
        if (end == text || !ends)
            return error_set(error, "%s: number %zu is \"%.20s\", not a whole number", what,
                             input->count + 1, text);
        if (errno || number < INT_MIN || number > INT_MAX)
            return error_set(error, "%s: number %zu does not fit into 32 bits", what,
                             input->count + 1);
        if (!memory_grow(&input->number, &room, input->count + 1, sizeof *input->number, "numbers",
                         error))
            return false;
        input->number[input->count++] = (int)number;
        text = end + (*end == ',');
    }
    return true;
}

static bool read_numbers(struct input *input, const char *path, struct error *error)
{
    size_t length;
    struct error what = {{0}};
    char *text = file_read(path, 1 << 30, &length, &what);
    if (!text)
        return error_set(error, "--input file: %s", what.text);
    bool good =
        (strlen(text) == length || error_set(error, "%s: a zero byte is not a number", path)) &&
        parse_numbers(input, text, false, path, error);
    free(text);
    return good;
}

/* The one number of a value that may be left out: of theorem-3 that of the strategy. */
static bool input_value(struct input *input, const char *text, struct error *error)
{
    static const struct {
        enum input_kind kind;
        int lowest, highest;
        const char *what;
    } values[] = {
        {INPUT_DUPLICATES, 1, INT_MAX, "how many different numbers there are"},
        {INPUT_FAMILY, 0, 100, "of how many in a hundred threads the words stay on time"}};
    char what[64];
    snprintf(what, sizeof what, "--input %s cannot be", input->name);
    for (int k = 0; input->kind == INPUT_THEOREM_3 && theorem_3_strategies[k]; k++)
        if (!strcmp(theorem_3_strategies[k], text))
            return parse_numbers(input, (const char[]){(char)('0' + k), 0}, false, what, error);
    if (input->kind == INPUT_THEOREM_3)
        return error_unknown(error, what, text, theorem_3_strategies, NULL);
    int i = values[0].kind == input->kind ? 0 : 1;
    snprintf(what, sizeof what, "--input %s", input->name);
    if (!parse_numbers(input, text, false, what, error))
        return false;
    int number = input->count == 1 ? input->number[0] : values[i].lowest - 1;
    return (number >= values[i].lowest && number <= values[i].highest) ||
           error_set(error, "--input %s=%s: the value says %s, from %d to %d", input->name, text,
                     values[i].what, values[i].lowest, values[i].highest);
}

/* "random", "splits=2,3,...", "file=PATH", ... */
static bool apply_input(struct recipe *recipe, const char *text, struct error *error)
{
    struct input *input = &recipe->input;
    const char *equals = strchr(text, '=');
    size_t length = equals ? (size_t)(equals - text) : strlen(text);
    const char *names[INPUT_COUNT + 1] = {NULL};
    char list[256] = "", what[128], word[64];
    int known = 0;

    for (int i = 0; i < INPUT_COUNT; i++) {
        if (!(recipe->kernel->inputs & INPUTS[i].kind))
            continue;
        text_add(list, sizeof list, "%s%s%s", known ? ", " : "", INPUTS[i].name,
                 INPUTS[i].kind == INPUT_SPLITS ? "=n,n,..."
                 : INPUTS[i].kind == INPUT_FILE ? "=PATH"
                                                : "");
        names[known++] = INPUTS[i].name;
        if (strlen(INPUTS[i].name) != length || memcmp(INPUTS[i].name, text, length))
            continue;
        if (INPUTS[i].argument == (equals ? NO_VALUE : HAS_VALUE))
            return error_set(error, "--input %s %s", INPUTS[i].name,
                             equals ? "takes no value"
                                    : "needs a value, as in splits=3,2,5 or file=PATH");
        input->kind = INPUTS[i].kind;
        input->name = INPUTS[i].name;
        input->count = 0;
        free(recipe->argument);
        recipe->argument = equals ? memory_copy(equals + 1) : NULL;
        if (INPUTS[i].kind == INPUT_SPLITS)
            return parse_numbers(input, equals + 1, true, "--input splits", error);
        if (INPUTS[i].argument == MAY_HAVE_VALUE && equals)
            return input_value(input, equals + 1, error);
        return INPUTS[i].kind != INPUT_FILE || read_numbers(input, equals + 1, error);
    }
    snprintf(word, sizeof word, "%.*s", (int)length, text);
    snprintf(what, sizeof what, "%s does not take input", recipe->kernel->name);
    return error_unknown(error, what, word, names, list);
}

bool recipe_seed(const char *text, uint64_t *seed, struct error *error)
{
    char *end;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    if (!isdigit((unsigned char)*text) || *end || errno || number > MAX_WHOLE)
        return error_set(error, "--seed is '%s'; it must be a whole number from 0 to %" PRId64,
                         text, MAX_WHOLE);
    *seed = number;
    return true;
}

static bool apply_seed(struct recipe *recipe, const char *text, struct error *error)
{
    return recipe_seed(text, &recipe->input.seed, error);
}

/* ---- words ----------------------------------------------------------------------------------- */

bool recipe_words_add(struct recipe_words *words, enum recipe_word_kind kind, const char *text,
                      struct error *error)
{
    if (words->count == RECIPE_MAX_WORDS)
        return error_set(error, "a recipe of more than %d words", RECIPE_MAX_WORDS);
    words->word[words->count++] = (struct recipe_word){kind, text};
    return true;
}

void recipe_words_free(struct recipe_words *words)
{
    free(words->text);
    *words = (struct recipe_words){.count = 0};
}

/* Cuts the next word off the text, without its quotes; NULL: there is none, or (then *error says
 * so) a quote is not closed. */
static char *next_word(char **text, struct error *error)
{
    char *from = *text + strspn(*text, " \t\n"), *to = from, *word = from;
    char quote = '\0';
    if (!*from)
        return NULL;
    for (; *from && (quote || !strchr(" \t\n", *from)); from++) {
        if (quote ? *from == quote : *from == '\'' || *from == '"')
            quote = quote ? '\0' : *from;
        else
            *to++ = *from;
    }
    if (quote) {
        error_set(error, "a quote (%c) is not closed", quote);
        return NULL;
    }
    *text = from + (*from != '\0');
    *to = '\0';
    return word;
}

static bool split(struct recipe_words *words, struct error *error)
{
    static const struct {
        const char *name;
        enum recipe_word_kind kind;
    } options[] = {{"-p", RECIPE_PARAM}, {"--input", RECIPE_INPUT}, {"--seed", RECIPE_SEED}};
    char *rest = words->text;
    for (char *word; (word = next_word(&rest, error));) {
        enum recipe_word_kind kind = RECIPE_PARAM;
        if (*word == '-') {
            int i = 0;
            size_t length = strcspn(word, "=");
            while (i < 3 && (strncmp(options[i].name, word, length) || options[i].name[length]))
                i++;
            char *value = word[length] ? word + length + 1 : next_word(&rest, error);
            if (!value)
                return error_set(error, "%s needs a value", word);
            if (i == 3)
                return error_set(error,
                                 "cannot use '%.*s %s'; a recipe takes only -p, --input and --seed",
                                 (int)length, word, value);
            kind = options[i].kind;
            word = value;
        } else if (!recipe_is_param(word)) {
            if (words->kernel)
                return error_set(error, "two kernels, '%s' and '%s'; name one", words->kernel,
                                 word);
            words->kernel = word;
            continue;
        }
        uint64_t seed;
        if ((kind == RECIPE_SEED && !recipe_seed(word, &seed, error)) ||
            !recipe_words_add(words, kind, word, error))
            return false;
    }
    return !error->text[0];
}

bool recipe_is_param(const char *word)
{
    size_t name = strcspn(word, "=/.");
    return name > 0 && word[name] == '=';
}

bool recipe_words_split(struct recipe_words *words, const char *text, struct error *error)
{
    struct error cause = {{0}};
    *words = (struct recipe_words){.text = memory_copy(text)};
    return split(words, &cause) || error_set(error, "%s", cause.text);
}

bool recipe_apply(struct recipe *recipe, const struct recipe_words *words, struct error *error)
{
    static bool (*const apply[])(struct recipe *, const char *, struct error *) = {
        [RECIPE_PARAM] = apply_param, [RECIPE_INPUT] = apply_input, [RECIPE_SEED] = apply_seed};
    for (int i = 0; i < words->count; i++)
        if (!apply[words->word[i].kind](recipe, words->word[i].text, error))
            return false;
    return true;
}

/* ---- texts ----------------------------------------------------------------------------------- */

bool recipe_read(struct recipe *recipe, const char *text, struct error *error)
{
    struct recipe_words words;
    bool good = recipe_words_split(&words, text, error);
    if (good && words.kernel)
        good = error_set(error, "%s is not NAME=VALUE", words.kernel);
    good = good && recipe_apply(recipe, &words, error);
    recipe_words_free(&words);
    return good;
}

bool recipe_parse(struct recipe *recipe, const char *text, struct error *error)
{
    struct recipe_words words;
    const struct kernel *kernel = NULL;
    *recipe = (struct recipe){.kernel = NULL};
    if (recipe_words_split(&words, text, error))
        kernel = words.kernel ? catalogue_find(words.kernel, error)
                              : (error_set(error, "\"%s\" names no kernel", text), NULL);
    if (kernel)
        recipe_init(recipe, kernel);
    bool good = kernel && recipe_apply(recipe, &words, error);
    recipe_words_free(&words);
    return good;
}

/* A word that next_word reads as this text: in '...' where need be, a ' itself as '"'"'. */
static void print_quoted(FILE *out, const char *text)
{
    bool quote = strpbrk(text, " \t\n\"'") != NULL;
    if (quote)
        fputc('\'', out);
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\"'\"'", out);
        else
            fputc(*text, out);
    }
    if (quote)
        fputc('\'', out);
}

char *recipe_text(const struct recipe *recipe)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    const struct input *input = &recipe->input;
    if (!out)
        memory_exhausted();
    fputs(recipe->kernel->name, out);
    for (const struct kernel_param *param = recipe->kernel->params; param->name; param++) {
        int value = *param_of(recipe->params, param);
        if (value == param->standard)
            continue;
        if (param->words)
            fprintf(out, " %s=%s", param->name, param->words[value]);
        else
            fprintf(out, " %s=%d", param->name, value);
    }
    if (recipe->argument) {
        fprintf(out, " --input %s=", input->name);
        print_quoted(out, recipe->argument);
    } else if (input->kind != INPUT_RANDOM) {
        fprintf(out, " --input %s", input->name);
    }
    if (input->seed != 1)
        fprintf(out, " --seed %" PRIu64, input->seed);
    if (fclose(out))
        memory_exhausted();
    return text;
}
