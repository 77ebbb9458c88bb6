/* program_options.c - the command line of a CUDA program as it stands. */
#include "commands/command.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Whether a word is a source that g++ takes. */
static bool is_source(const char *word)
{
    static const char *const ends[] = {".cu", ".cpp", ".cc", ".cxx", ".c", ".o", ".a"};
    const char *dot = strrchr(word, '.');
    for (size_t i = 0; dot && i < sizeof ends / sizeof *ends; i++)
        if (!strcmp(dot, ends[i]))
            return *word != '-';
    return false;
}

static bool is_cuda(const char *word)
{
    size_t length = strlen(word);
    return length > 3 && !strcmp(word + length - 3, ".cu") && *word != '-';
}

bool program_asked(int argc, char **argv)
{
    bool sources = false, part = false, more = false;
    int i;
    for (i = 1; i < argc && strcmp(argv[i], "--"); i++) {
        bool value = i > 1 && (!strcmp(argv[i - 1], "-o") || !strcmp(argv[i - 1], "--output"));
        if (is_cuda(argv[i]) && !value) {
            enum program_kind kind = program_kind(argv[i]);
            if (kind == PROGRAM_DIALECT)
                return false;
            sources |= kind == PROGRAM_PLAIN || access(argv[i], F_OK);
            part |= kind == PROGRAM_NEITHER; /* what it includes may have the kernels */
        } else if (!value) {
            more |= is_source(argv[i]);
        }
    }
    return sources || (part && more) ||
           (!strcmp(argv[0], "run") && i + 1 < argc && strchr(argv[i + 1], '/') &&
            !is_cuda(argv[i + 1]));
}

/* ---- the command line ------------------------------------------------------------------------ */

static bool add_word(struct program_request *request, const char *command, const char *letter,
                     const char *value)
{
    if (request->words == PROGRAM_MOST)
        return command_usage(command, "more than %d words for the compiler", PROGRAM_MOST), false;
    size_t room = strlen(letter) + strlen(value) + 1;
    char *word = memory_new(room, 1);
    snprintf(word, room, "%s%s", letter, value);
    request->word[request->words++] = word;
    return true;
}

void program_options_free(struct program_options *options)
{
    free((char *)(uintptr_t)options->choice.blocks);
    options->choice.blocks = NULL;
    while (options->request.words > 0)
        free((char *)(uintptr_t)options->request.word[--options->request.words]);
}

/* "A-B" or "A" */
static bool take_blocks(const char *command, const char *text, struct record_choice *choice)
{
    char *end;
    unsigned long long first = strtoull(text, &end, 10), last = first;
    bool good = end != text;
    if (good && *end == '-') {
        const char *second = end + 1;
        last = strtoull(second, &end, 10);
        good = end != second;
    }
    if (!good || *end || *text == '-' || last < first)
        return command_usage(command, "--blocks is '%s'; it must be A-B, as in 0-3", text), false;
    enum { ROOM = 48 };
    char *range = memory_new(ROOM, 1);
    snprintf(range, ROOM, "%llu-%llu", first, last);
    free((char *)(uintptr_t)choice->blocks);
    choice->blocks = range; /* freed with the options */
    return true;
}

/* "=FILE" or nothing, which is standard output. */
static bool take_place(const char *command, const char *option, const char *text,
                       const char **place)
{
    *place = text ? text : "-";
    return **place || (command_usage(command, "%s= needs the name of a file", option), false);
}

bool program_has_option(int option)
{
    return option >= PROGRAM_KERNEL ||
           (option > 1 && option < 256 && strchr(PROGRAM_SHORT, option));
}

bool program_option(const char *command, int option, const char *text,
                    struct program_options *options)
{
    static const char *const rows[] = {"line", "call", "array", "stage", "round", NULL};
    int64_t number;
    regex_t regex;
    struct error error = {{0}};
    switch (option) {
    case 'O':
    case 'g':
        return true; /* of a compiler's command line; how we compile is fixed */
    case 'I':
        return add_word(&options->request, command, "-I", text);
    case 'D':
        return add_word(&options->request, command, "-D", text);
    case 'U':
        return add_word(&options->request, command, "-U", text);
    case 'f':
        return add_word(&options->request, command, "-f", text);
    case 's':
        return strncmp(text, "td=", 3)
                   ? (command_usage(command, "there is no option -s%s", text), false)
                   : add_word(&options->request, command, "-s", text);
    case 'l':
        return add_word(&options->request, command, "-l", text);
    case 'L':
        return add_word(&options->request, command, "-L", text);
    case 'o':
        options->output = text;
        return command_trace_name(command, text);
    case PROGRAM_KERNEL:
        if (regcomp(&regex, text, REG_EXTENDED | REG_NOSUB))
            return command_usage(command, "--kernel is '%s', which is not a regular expression",
                                 text),
                   false;
        regfree(&regex);
        options->choice.kernel = text;
        return true;
    case PROGRAM_LAUNCH:
        options->choice.launch = text;
        return command_number(command, "--launch", text, 0, INT64_MAX, &number);
    case PROGRAM_SECONDS:
        options->choice.seconds = text;
        return command_number(command, "--seconds", text, 1, 1000000, &number);
    case PROGRAM_AS_WRITTEN:
        options->as_written = true;
        return true;
    case PROGRAM_BLOCKS:
        return take_blocks(command, text, &options->choice);
    case PROGRAM_CALL:
        if (options->request.calls.calls == CALLS_MOST)
            return command_usage(command, "more than %d --call", CALLS_MOST), false;
        options->request.calls.call[options->request.calls.calls++] = text;
        return true;
    case PROGRAM_ARRAY:
        if (options->request.calls.arrays == CALLS_MOST)
            return command_usage(command, "more than %d --array", CALLS_MOST), false;
        options->request.calls.array[options->request.calls.arrays++] = text;
        return call_check_array(text, &error) || (command_wrong(command, &error), false);
    case PROGRAM_JSON:
        return take_place(command, "--json", text, &options->json);
    case PROGRAM_CSV:
        return take_place(command, "--csv", text, &options->csv);
    case PROGRAM_BY:
        if (command_choice(command, "--by", text, rows) < 0)
            return false;
        options->by = !strcmp(text, "array")  ? TABLE_BY_ARRAY
                      : !strcmp(text, "call") ? TABLE_BY_CALL
                                              : TABLE_BY_LINE;
        options->by_stage = !strcmp(text, "round") ? STATS_BY_ROUND : STATS_BY_STAGE;
        options->staged = !strcmp(text, "stage") || !strcmp(text, "round");
        return true;
    default:
        return command_usage(command, "there is no option %c", option), false;
    }
}

/* Takes out what only nvcc understands, so that its command line serves here, too. A word that ends with
 * "=" has its value in the same word; `value`: the next word may be its value. */
static int drop_words(int argc, char **argv)
{
    static const struct {
        const char *word;
        bool value;
    } dropped[] = {{"-arch=", false},
                   {"--gpu-architecture=", false},
                   {"-arch", true},
                   {"-code=", false},
                   {"-gencode=", false},
                   {"-gencode", true},
                   {"--generate-code=", false},
                   {"-lineinfo", false},
                   {"--generate-line-info", false},
                   {"-G", false},
                   {"-w", false},
                   {"-dc", false},
                   {"-rdc=", false},
                   {"--relocatable-device-code=", false},
                   {"--expt-relaxed-constexpr", false},
                   {"--expt-extended-lambda", false},
                   {"-expt-relaxed-constexpr", false},
                   {"-expt-extended-lambda", false},
                   {"--extended-lambda", false},
                   {"-extended-lambda", false},
                   {"-use_fast_math", false},
                   {"--use_fast_math", false},
                   {"-maxrregcount=", false},
                   {"--maxrregcount=", false},
                   {"-m64", false},
                   {"-Wno-deprecated-gpu-targets", false},
                   {"-Wall", false},
                   {"-Wextra", false},
                   {"-Xptxas", true},
                   {"-Xptxas=", false},
                   {"--ptxas-options=", false},
                   {"-Xcompiler", true},
                   {"-Xcompiler=", false},
                   {"-ccbin", true},
                   {"-ccbin=", false},
                   {"-x", true}};
    int kept = 1, i = 1;
    for (; i < argc && strcmp(argv[i], "--"); i++) {
        const char *word = argv[i];
        bool drop = false, value = false;
        for (size_t k = 0; k < sizeof dropped / sizeof *dropped && !drop; k++) {
            size_t length = strlen(dropped[k].word);
            bool joined = dropped[k].word[length - 1] == '=';
            drop =
                joined ? !strncmp(word, dropped[k].word, length) : !strcmp(word, dropped[k].word);
            value = drop && dropped[k].value;
        }
        bool standard = !strncmp(word, "--std=", 6);
        if (!drop)
            argv[kept++] = argv[i] + standard; /* "--std=c++20" is "-std=c++20" */
        else if (value && i + 1 < argc && strcmp(argv[i + 1], "--"))
            i++;
    }
    while (i < argc)
        argv[kept++] = argv[i++];
    argv[kept] = NULL;
    return kept;
}

bool program_read(int argc, char **argv, const char *shorts, const struct option *longs,
                  struct program_options *options)
{
    static char *none[] = {NULL};
    int end = 1, option;
    argc = drop_words(argc, argv);
    while (end < argc && strcmp(argv[end], "--"))
        end++;
    options->arguments = end < argc ? argv + end + 1 : none;
    argv[end] = NULL;
    while ((option = command_option(end, argv, shorts, longs)) != -1)
        if (option == '?' || !program_option(argv[0], option, optarg, options))
            return false;
    for (; optind < end; optind++) {
        if (!is_source(argv[optind]) && (options->json || options->csv))
            return command_usage(
                       argv[0],
                       "'%s' is neither a source nor an option; a file to write is joined "
                       "by =, as in --json=report.json",
                       argv[optind]),
                   false;
        if (!is_source(argv[optind]))
            return command_usage(argv[0],
                                 "'%s' is neither a source nor an option; the program's own "
                                 "arguments stand after --",
                                 argv[optind]),
                   false;
        if (options->request.sources == PROGRAM_MOST)
            return command_usage(argv[0], "more than %d sources", PROGRAM_MOST), false;
        options->request.source[options->request.sources++] = argv[optind];
    }
    return true;
}
