/* record_options.c - the options of a kernel's recording. */
#include "subject/subject.h"

#include <string.h>

bool record_option(const char *command, int option, const char *text,
                   struct record_options *options)
{
    enum recipe_word_kind kind = option == 'p'            ? RECIPE_PARAM
                                 : option == OPTION_INPUT ? RECIPE_INPUT
                                                          : RECIPE_SEED;
    struct error error = {{0}};
    int64_t number;
    uint64_t seed;
    switch (option) {
    case 'p':
    case OPTION_INPUT:
    case OPTION_SEED:
        if ((kind == RECIPE_SEED && !recipe_seed(text, &seed, &error)) ||
            !recipe_words_add(&options->words, kind, text, &error))
            return command_usage(command, "%s", error.text), false;
        return true;
    case OPTION_RECORDS:
        if (!command_number(command, "--records", text, 1, INT64_C(1) << 40, &number))
            return false;
        options->run.records = (uint64_t)number;
        return true;
    default:
        number = command_choice(command, "--backend", text, backend_names);
        options->run.backend = (enum backend)number;
        return number >= 0;
    }
}

int command_not_program(const char *command, int option, const struct option *longs)
{
    char word[OPTION_WORD];
    command_option_word(option, longs, word);
    return command_usage(command,
                         "%s is for CUDA programs as they stand, not for kernels in the dialect "
                         "or traces",
                         word);
}
