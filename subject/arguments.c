/* arguments.c - see arguments.h. */
#include "subject/arguments.h"
#include "base/text.h"
#include "system/process.h"
#include "viewer/export/video.h"

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

void command_warn_flaws(const char *command, struct drawing_flaws flaws)
{
    const double least = 5; /* points: what journals ask for */
    if (flaws.unlabelled)
        fprintf(stderr,
                "bankscope %s: cells are too small for their text; a larger --width shows it\n",
                command);
    if (flaws.cut)
        fprintf(stderr,
                "bankscope %s: some words had no room and were cut; a larger --width, or shorter "
                "words, leave them whole\n",
                command);
    if (flaws.smallest > 0 && flaws.smallest < least - 0.01)
        fprintf(
            stderr,
            "bankscope %s: the smallest text has %.1f points, and journals ask for %g; a larger "
            "--width, or less in the picture, makes it larger\n",
            command, flaws.smallest, least);
}
