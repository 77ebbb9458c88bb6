/* program_options.c - the command line of a CUDA program as it stands. */
#include "base/text.h"
#include "subject/subject.h"
#include "kernels/catalogue.h"
#include "program/compile/compile.h"
#include "system/paths.h"

#include <limits.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Whether a word is a source, or what one was compiled to. */
static bool is_source(const char *word)
{
    return *word != '-' &&
           (source_is_named(word) || text_ends_with(word, ".o") || text_ends_with(word, ".a"));
}

static bool is_cuda(const char *word)
{
    return text_ends_with(word, ".cu") && *word != '-';
}

static bool is_ptx(const char *word)
{
    return *word != '-' && alone_is_ptx(word);
}

static bool has_call(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (!strncmp(argv[i], "--call", 6))
            return true;
    return false;
}

/* "-" is a source where launches are asked for: standard input. */
static bool is_standard(const char *word, int argc, char **argv)
{
    return !strcmp(word, "-") && has_call(argc, argv);
}

/* Whether what stands behind "--" is a program that is built already: a path, or a name on the PATH that is no
 * kernel's. */
static bool is_program(const char *word)
{
    char path[PATH_MAX];
    struct error ignored;
    return !is_cuda(word) && (strchr(word, '/') || (!catalogue_find(word, &ignored) &&
                                                    tool_path(word, path, sizeof path)));
}

bool program_asked(int argc, char **argv)
{
    bool sources = false, part = false, more = false, all = false; /* all: -x cu */
    int i;
    for (i = 1; i < argc && strcmp(argv[i], "--"); i++) {
        bool value = i > 1 && (!strcmp(argv[i - 1], "-o") || !strcmp(argv[i - 1], "--output"));
        if (!strncmp(argv[i], "--build", strlen("--build")) && strchr("=", argv[i][7]))
            return true;
        if (!value && (is_ptx(argv[i]) || is_standard(argv[i], argc, argv))) {
            sources = true;
        } else if (is_cuda(argv[i]) && !value) {
            enum program_kind kind = program_kind(argv[i]);
            if (kind == PROGRAM_DIALECT && !has_call(argc, argv))
                return false;
            sources |= kind == PROGRAM_PLAIN || kind == PROGRAM_DIALECT || access(argv[i], F_OK);
            part |= kind == PROGRAM_NEITHER; /* what it includes may have the kernels */
        } else if (!value) {
            more |= is_source(argv[i]);
            all |=
                !strcmp(argv[i], "-x=cu") || (!strcmp(argv[i], "cu") && !strcmp(argv[i - 1], "-x"));
        }
    }
    for (int k = 1; k < i; k++)
        if (!strcmp(argv[k], "--no-gpu"))
            return true;
    return sources || ((part || all) && more) ||
           (!strcmp(argv[0], "run") && i + 1 < argc && is_program(argv[i + 1]));
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
    excuses_free(&options->excuses);
    options->choice.excuses = NULL;
    while (options->request.words > 0)
        free((char *)(uintptr_t)options->request.word[--options->request.words]);
}

/* "A-B" or "A" */
static bool take_blocks(const char *command, const char *text, struct program_choice *choice)
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

/* "gcc", "sarif", "sarif=FILE" */
static bool take_diagnostics(const char *command, const char *text, struct program_options *options)
{
    static const char *const forms[] = {"gcc", "sarif", NULL};
    char word[16];
    const size_t length = strcspn(text, "=");
    snprintf(word, sizeof word, "%.*s", (int)length, text);
    const int form = command_choice(command, "--diagnostics", word, forms);
    options->sarif = form == 1;
    if (form == 0 && text[length])
        return command_usage(command, "--diagnostics gcc goes to standard output; --diagnostics "
                                      "sarif=FILE writes a file"),
               false;
    return form >= 0 && take_place(command, "--diagnostics sarif",
                                   text[length] ? text + length + 1 : NULL, &options->diagnostics);
}

/* "BLOCK:THREAD", "BLOCK:THREAD:LINE" */
static bool take_registers(const char *command, const char *text, struct program_options *options)
{
    char *end;
    const uint64_t block = strtoull(text, &end, 10);
    const bool first = *end == ':';
    const uint64_t thread = first ? strtoull(end + 1, &end, 10) : 0;
    const bool by_line = *end == ':';
    const uint64_t line = by_line ? strtoull(end + 1, &end, 10) : 0;
    const bool good = strspn(text, "0123456789:") == strlen(text) && *text != ':' && first &&
                      !strstr(text, "::") && !*end && end[-1] != ':' && thread < 1024 &&
                      line <= INT_MAX && (line || !by_line);
    if (!good)
        return command_usage(command,
                             "--registers is '%s'; it must be BLOCK:THREAD or BLOCK:THREAD:LINE, "
                             "as in 0:33",
                             text),
               false;
    options->follow.block = block;
    options->thread = (int64_t)thread;
    options->line = (int)line;
    options->choice.follow = &options->follow;
    return true;
}

/* "w=12" */
static bool take_warp(const char *command, const char *text, struct program_choice *choice)
{
    int64_t lanes;
    if (strncmp(text, "w=", 2) != 0)
        return command_usage(command,
                             "a CUDA program has one parameter, w=LANES of a warp, not '%s'; the "
                             "program's own arguments stand after --",
                             text),
               false;
    if (!command_number(command, "w", text + 2, 1, 64, &lanes))
        return false;
    choice->warp = (int)lanes;
    return true;
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
    static const char *const schedules[] = {"ascending", "random", NULL};
    static const char *const memories[] = {"shared", "global", "all", NULL};
    static const char *const compilers[] = {"nvcc", "clang", "small", NULL};
    int64_t number;
    regex_t regex;
    struct error error = {{0}};
    switch (option) {
    case 'O': /* how we compile is fixed, but for less */
        return (strcmp(text, "0") && strcmp(text, "1")) ||
               add_word(&options->request, command, "-O", text);
    case 'g':
        return true; /* of a compiler's command line; we have it in any case */
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
    case 'p':
        return take_warp(command, text, &options->choice);
    case OPTION_RECORDS:
        if (!command_number(command, "--records", text, 1, UINT32_MAX, &number))
            return false;
        options->choice.accesses = (uint64_t)number;
        return true;
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
        options->request.with = COMPILE_CLANG;
        return true;
    case PROGRAM_COMPILER:
        if (command_choice(command, "--compiler", text, compilers) < 0)
            return false;
        options->request.with = !strcmp(text, "clang")   ? COMPILE_CLANG
                                : !strcmp(text, "small") ? COMPILE_SMALL
                                                         : COMPILE_NVCC;
        return true;
    case PROGRAM_DEVICE:
        options->choice.device = text;
        return true;
    case PROGRAM_JOBS:
        if (!command_number(command, "--jobs", text, 1, 1024, &number))
            return false;
        options->choice.jobs = (int)number;
        return true;
    case PROGRAM_LEAKS:
        options->choice.leaks = true;
        return true;
    case PROGRAM_EXCUSE:
    case PROGRAM_EXCUSES:
        options->choice.excuses = &options->excuses;
        return (option == PROGRAM_EXCUSE ? excuses_add(&options->excuses, text, "--excuse", &error)
                                         : excuses_read(&options->excuses, text, &error)) ||
               (command_wrong(command, &error), false);
    case PROGRAM_HOST_READS:
        options->choice.host_reads = options->request.host_reads = true;
        return true;
    case PROGRAM_NO_GPU:
        options->no_gpu = true;
        return true;
    case PROGRAM_MEMORY:
        number = command_choice(command, "--memory", text, memories);
        options->choice.memory = number < 0 ? MEMORY_SHARED : (enum program_memory)number;
        return number >= 0;
    case PROGRAM_RACE_MEMORY:
        if (!command_number(command, "--race-memory", text, 1, 1 << 20, &number))
            return false;
        options->choice.shadow_bytes = (uint64_t)number << 20;
        return true;
    case PROGRAM_SCHEDULE:
        number = command_choice(command, "--schedule", text, schedules);
        options->choice.schedule = number != 1 ? 0 : options->seed ? options->seed : 1;
        return number >= 0;
    case OPTION_SEED:
        if (!command_number(command, "--seed", text, 1, INT64_MAX, &number))
            return false;
        options->seed = (uint64_t)number;
        if (options->choice.schedule)
            options->choice.schedule = options->seed;
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
    case PROGRAM_BUILD:
        options->request.database = text;
        return true;
    case PROGRAM_TARGET:
        options->request.target = text;
        return true;
    case PROGRAM_MARKDOWN:
        return take_place(command, "--markdown", text, &options->markdown);
    case PROGRAM_DIAGNOSTICS:
        return take_diagnostics(command, text, options);
    case PROGRAM_BASELINE:
        options->baseline = text;
        return true;
    case PROGRAM_FAIL_IF:
        if (options->conditions == CONDITIONS_MOST)
            return command_usage(command, "more than %d --fail-if", CONDITIONS_MOST), false;
        options->condition[options->conditions++] = text;
        return true;
    case PROGRAM_REGISTERS:
        return take_registers(command, text, options);
    case PROGRAM_APART:
        options->choice.output_apart = true;
        return true;
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

/* Hands on the options of nvcc's command line that have names of several letters, and takes them out; the
 * others are those of the command. */
static bool take_words(int *argc, char **argv, struct program_request *request)
{
    int kept = 1, i = 1;
    while (i < *argc && strcmp(argv[i], "--")) {
        const int words = option_words((const char *const *)argv + i, *argc - i);
        for (int end = i + words; i < end; i++)
            if (!add_word(request, argv[0], "", argv[i]))
                return false;
        if (!words)
            argv[kept++] = argv[i++];
    }
    while (i < *argc)
        argv[kept++] = argv[i++];
    argv[kept] = NULL;
    *argc = kept;
    return true;
}

/* An option of kernels in the dialect alone. */
static bool is_dialects(int option)
{
    return option >= OPTION_INPUT && option < PROGRAM_KERNEL && option != OPTION_SEED &&
           option != OPTION_RECORDS;
}

bool program_read(int argc, char **argv, const char *shorts, const struct option *longs,
                  struct program_options *options)
{
    static char *none[] = {NULL};
    int end = 1, option, dialects = 0;
    if (!take_words(&argc, argv, &options->request))
        return false;
    while (end < argc && strcmp(argv[end], "--"))
        end++;
    options->arguments = end < argc ? argv + end + 1 : none;
    argv[end] = NULL;
    while ((option = command_option(end, argv, shorts, longs)) != -1)
        if (is_dialects(option))
            dialects = option;
        else if (option == '?' || !program_option(argv[0], option, optarg, options))
            return false;
    for (; optind < end; optind++) {
        const bool source =
            is_source(argv[optind]) || is_ptx(argv[optind]) || !strcmp(argv[optind], "-");
        if (!source && (options->json || options->csv || options->markdown))
            return command_usage(
                       argv[0],
                       "'%s' is neither a source nor an option; a file to write is joined "
                       "by =, as in --json=report.json",
                       argv[optind]),
                   false;
        if (!source)
            return command_usage(argv[0],
                                 "'%s' is neither a source nor an option; the program's own "
                                 "arguments stand after --",
                                 argv[optind]),
                   false;
        if (options->request.sources == PROGRAM_MOST)
            return command_usage(argv[0], "more than %d sources", PROGRAM_MOST), false;
        options->request.source[options->request.sources++] = argv[optind];
        if (strcmp(argv[optind], "-") && access(argv[optind], F_OK))
            dialects = 0; /* that there is no such file is told instead */
    }
    if (dialects) {
        char word[OPTION_WORD];
        command_option_word(dialects, longs, word);
        return command_usage(
                   argv[0], "%s is for kernels in the dialect, not for CUDA programs as they stand",
                   word),
               false;
    }
    if (options->request.target && !options->request.database)
        return command_usage(argv[0], "--target NAME needs --build FOLDER"), false;
    return true;
}
