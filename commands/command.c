/* command.c - messages and options, the same for every command. */
#include "commands/command.h"
#include "system/process.h"
#include "viewer/video.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

/* Whether standard output is a pipe that nobody reads any more: no fault, and nothing to say. */
static bool is_unread(void)
{
    struct pollfd pipe = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return ferror(stdout) && poll(&pipe, 1, 0) == 1 && pipe.revents & POLLERR;
}

int command_usage(const char *command, const char *format, ...)
{
    struct error line = {{0}};
    char text[sizeof line.text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    error_set(&line, "%s", text); /* replaces control characters */
    fprintf(stderr, "bankscope %s: %s ('bankscope help %s' tells more)\n", command, line.text,
            command);
    return 2;
}

int command_wrong(const char *command, const struct error *error)
{
    fprintf(stderr, "bankscope%s%s: %s\n", command ? " " : "", command ? command : "", error->text);
    return 2;
}

int command_fail(const char *command, const struct error *error)
{
    if (!is_unread())
        fprintf(stderr, "bankscope %s: %s\n", command, error->text);
    return 1;
}

int command_check_end(const char *command, const char *path, const struct trace_end *end)
{
    struct error error = {{0}};
    if (!end->complete)
        error_set(&error,
                  "%.300s is cut: it has no end, %" PRIu64
                  " whole warp accesses are kept; record it again for the rest",
                  path, end->warp_accesses);
    else if (end->dropped)
        error_set(&error,
                  "%.300s lacks %" PRIu64
                  " records, dropped by a full device buffer; record it again with a larger "
                  "--records",
                  path, end->dropped);
    if (*error.text)
        command_fail(command, &error);
    return !end->complete || end->dropped;
}

struct load_progress {
    const char *path;
    double start, shown;
};

static void show_progress(void *context, uint64_t bytes)
{
    struct load_progress *progress = context;
    double time = clock_seconds();
    if (time - progress->start < 1 || time - progress->shown < 0.2)
        return;
    progress->shown = time;
    fprintf(stderr, "\r%s: %.0f MB read\033[K", progress->path, (double)bytes / 1e6);
}

bool command_load(const char *path, const struct trace_part *part, struct trace *trace,
                  struct error *error)
{
    char name[256];
    struct load_progress progress = {.path = name, .start = clock_seconds()};
    struct trace_part watched = {.last_block = INT_MAX, .warp = -1};
    if (part)
        watched = *part;
    snprintf(name, sizeof name, "%s", path);
    text_clean(name);
    if (isatty(STDERR_FILENO)) {
        watched.progress = show_progress;
        watched.context = &progress;
    }
    bool good = trace_load_part(path, &watched, trace, error);
    if (progress.shown > 0)
        fprintf(stderr, "\r\033[K");
    return good;
}

void command_progress(size_t done, size_t of, const char *what)
{
    static double start, shown; /* of the only work that a command does at a time */
    double time = clock_seconds();
    if (start == 0)
        start = shown = time;
    if (!isatty(STDERR_FILENO))
        return;
    if (done == of && shown > start) {
        fprintf(stderr, "\r\033[K");
    } else if (time - start > 1 && time - shown > 0.2) {
        fprintf(stderr, "\r%zu of %zu %s\033[K", done, of, what);
        shown = time;
    }
}

void command_csv_field(FILE *file, const char *text)
{
    text_put(file, TEXT_QUOTED_CELL, text);
}

int command_finish(int status)
{
    errno = 0;
    bool flushed = fflush(stdout) == 0;
    const int reason = flushed ? 0 : errno; /* that of an earlier write is gone */
    if (flushed && !ferror(stdout))
        return status;
    if (is_unread()) {
        signal(SIGPIPE, SIG_DFL); /* as any program ends whose reader has seen enough */
        raise(SIGPIPE);
    }
    if (!status)
        fprintf(stderr, "bankscope: cannot write to standard output%s%s\n", reason ? ": " : "",
                reason ? strerror(reason) : ": some of it is missing");
    return status ? status : 1;
}

/* Reports a long option that there is none of; `typed` may go on with "=VALUE". */
static void unknown_option(const char *command, const char *typed, const struct option *longs)
{
    enum { ROOM = 64, LENGTH = 40 };
    char word[LENGTH], text[ROOM][LENGTH];
    const char *names[ROOM + 1] = {NULL};
    struct error error = {{0}};
    for (int i = 0; i < ROOM && longs[i].name; i++) {
        snprintf(text[i], LENGTH, "--%s", longs[i].name);
        names[i] = text[i];
    }
    snprintf(word, sizeof word, "%.*s", (int)strcspn(typed, "="), typed);
    error_unknown(&error, "there is no option", word, names, "");
    command_usage(command, "%s", error.text);
}

void command_option_word(int option, const struct option *longs, char word[OPTION_WORD])
{
    while (longs->name && longs->val != option)
        longs++;
    if (longs->name)
        snprintf(word, OPTION_WORD, "--%s", longs->name);
    else
        snprintf(word, OPTION_WORD, "-%c", option);
}

int command_option(int argc, char **argv, const char *shorts, const struct option *longs)
{
    opterr = 0;
    int before = optind;
    int option = getopt_long(argc, argv, shorts, longs, NULL);
    if (option != '?' && option != ':')
        return option;
    /* optopt is the letter of a short option, and 0 or the value of a long one. */
    const char *typed = argv[optind > before ? optind - 1 : optind];
    bool is_long = strncmp(typed, "--", 2) == 0;
    if (option == ':') {
        command_usage(argv[0], "option %s needs a value", typed);
    } else if (!is_long) {
        command_usage(argv[0], "there is no option -%c", optopt);
    } else {
        unknown_option(argv[0], typed, longs);
    }
    return '?';
}

bool command_number(const char *command, const char *what, const char *text, int64_t least,
                    int64_t most, int64_t *number)
{
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (end == text || *end)
        command_usage(command, "%s is '%s', which is not a whole number", what, text);
    else if (errno || value < least || value > most)
        command_usage(command, "%s is %s; it must be %" PRId64 " to %" PRId64, what, text, least,
                      most);
    else
        return *number = value, true;
    return false;
}

bool command_trace_name(const char *command, const char *path)
{
    static const char *const pictures[] = {"pdf", "svg", "png", "tex", "html"};
    const char *dot = strrchr(path, '.');
    bool picture = video_is_asked(path);
    for (size_t i = 0; dot && i < sizeof pictures / sizeof *pictures; i++)
        picture = picture || !strcasecmp(dot + 1, pictures[i]);
    if (picture)
        command_usage(command,
                      "-o %s: %s writes a trace (.jsonl); 'bankscope export' draws pictures", path,
                      command);
    return !picture;
}

int command_choice(const char *command, const char *option, const char *text,
                   const char *const *names)
{
    char list[200] = "";
    for (int i = 0; names[i]; i++) {
        if (!strcmp(names[i], text))
            return i;
        const char *before = i == 0 ? "" : names[i + 1] ? ", " : " or ";
        text_add(list, sizeof list, "%s%s", before, names[i]);
    }
    command_usage(command, "%s is '%s'; it must be %s", option, text, list);
    return -1;
}

void command_words(int argc, char **argv, char *text, size_t size)
{
    snprintf(text, size, "bankscope");
    for (int i = 0; i < argc; i++) {
        bool plain = argv[i][0] && !argv[i][strcspn(argv[i], " \t\n'\"\\$`&|;<>()*?[]#~!{}")];
        text_add(text, size, plain ? " %s" : " '%s'", argv[i]);
    }
}
