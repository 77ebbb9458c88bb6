/* complete.c - what may be typed next: the candidates of the shells' completion. */
#include "commands/command.h"
#include "system/paths.h"
#include "viewer/viewer.h"
#ifdef HAVE_CAIRO
#include "papers/papers.h"
#endif

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

/* What a command's words may be. */
enum {
    KERNELS = 1,
    PARAMS = 2, /* NAME=VALUE of the kernels typed before */
    SOURCES = 4,
    TRACES = 8,
    FIGURES = 16,
    LESSONS = 32,
    COMMANDS = 64,
    ONE = 128, /* one word, not several */
    RECORDINGS = KERNELS | PARAMS | SOURCES | TRACES
};
static const struct {
    const char *command;
    unsigned kinds;
} words_of[] = {
    {"list", KERNELS | ONE},
    {"run", KERNELS | PARAMS | SOURCES},
    {"stats", RECORDINGS},
    {"advise", RECORDINGS},
    {"sweep", KERNELS | PARAMS | SOURCES},
    {"view", RECORDINGS},
    {"export", RECORDINGS},
    {"figure", FIGURES | ONE},
    {"lesson", LESSONS | ONE},
    {"check", SOURCES},
    {"verify", KERNELS},
    {"help", COMMANDS | ONE},
};

static void offer_word(const char *word, const char *what)
{
    printf("%s%s%s\n", word, what ? "\t" : "", what ? what : "");
}

static void say_all(const char *prefix, const char *const *words)
{
    for (; *words; words++)
        printf("%s%s\n", prefix, *words);
}

static void say_commands(void)
{
    for (const struct command *command = commands; command->name; command++)
        if (command->run)
            offer_word(command->name, command->summary);
}

static void say_lessons(void)
{
    char folder[4096];
    struct error error = {{0}};
    struct dirent **entry;
    int count = data_path("lessons", folder, sizeof folder, &error)
                    ? scandir(folder, &entry, NULL, alphasort)
                    : 0;
    for (int i = 0; i < count; i++) {
        const char *name = entry[i]->d_name; /* NN-name */
        if (strspn(name, "0123456789") == 2 && name[2] == '-')
            offer_word(name + 3, NULL);
        free(entry[i]);
    }
    if (count > 0)
        free(entry);
}

/* The values of a long option that are known by name. false: they are not. */
static bool say_values(const char *option, const char *prefix)
{
    static const struct {
        const char *option;
        const char *const *values;
    } known[] = {{"backend", backend_names}, {"by", stats_by_names}, {"label", label_names}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (!strcmp(option, known[i].option))
            return say_all(prefix, known[i].values), true;
    if (!strcmp(option, "theme")) {
        for (const struct theme *theme = themes; theme->name; theme++)
            printf("%s%s\n", prefix, theme->name);
        return true;
    }
    if (!strcmp(option, "input")) {
        for (int i = 0; input_name(i); i++)
            printf("%s%s%s\n", prefix, input_name(i),
                   !strcmp(input_name(i), "splits") || !strcmp(input_name(i), "file") ? "=" : "");
        return true;
    }
#ifdef HAVE_DW
    if (!strcmp(option, "excuse")) {
        for (uint32_t kind = 0; kind < RECORDS_FAULT_KINDS; kind++)
            if (fault_kind_name(kind) && fault_kind_goes_on(kind))
                printf("%s%s\n", prefix, fault_kind_name(kind));
        return true;
    }
#endif
    if (!strcmp(option, "output") || !strcmp(option, "against") || !strcmp(option, "excuses"))
        return printf("\tfiles\n"), true;
    return false;
}

/* The parameters of a kernel, or once the name is typed, the words that it may be. */
static void say_params(const struct kernel *kernel, const char *typed)
{
    size_t length = strcspn(typed, "=");
    for (const struct kernel_param *param = kernel->params; param->name; param++) {
        char text[64];
        snprintf(text, sizeof text, "%s=", param->name);
        if (!typed[length])
            offer_word(text, param->help);
        else if (param->words && strlen(param->name) == length &&
                 !strncmp(param->name, typed, length))
            say_all(text, param->words);
    }
}

static void say_options(const struct command *command)
{
    for (const struct option *option = command->longs; option && option->name; option++)
        printf("--%s\n", option->name);
}

/* The words of a command, of which some have been typed. */
static void say_words(unsigned kinds, int typed, char **word)
{
    const char *last = word[typed - 1];
    int positional = 0;
    for (int i = 0; i < typed - 1; i++) {
        struct error unknown = {{0}};
        const struct kernel *kernel = catalogue_find(word[i], &unknown);
        if (kernel && kinds & PARAMS)
            say_params(kernel, last);
        positional += word[i][0] != '-';
    }
    if (strchr(last, '=') || (kinds & ONE && positional > 0))
        return;
    for (int i = 0; kinds & KERNELS && catalogue[i]; i++)
        offer_word(catalogue[i]->name, catalogue[i]->summary);
#ifdef HAVE_CAIRO
    for (const struct paper_figure *figure = paper_figures; kinds & FIGURES && figure->name;
         figure++)
        offer_word(figure->name, figure->caption);
#endif
    if (kinds & LESSONS)
        say_lessons();
    if (kinds & COMMANDS)
        say_commands();
    if (kinds & (SOURCES | TRACES))
        printf("\tfiles%s%s\n", kinds & SOURCES ? " .cu" : "",
               kinds & TRACES ? " .jsonl .jsonl.zst .jsonl.gz" : "");
}

/* The row of a long option that takes a value, by "--NAME" or "-o"; NULL: none does. */
static const struct option *with_value(const struct command *command, const char *typed,
                                       size_t length)
{
    for (const struct option *option = command->longs; option && option->name; option++) {
        bool named = length > 2 && !strncmp(typed, "--", 2) &&
                     !strncmp(option->name, typed + 2, length - 2) && !option->name[length - 2];
        bool lettered = length == 2 && typed[0] == '-' && option->val == typed[1];
        if ((named || lettered) && option->has_arg == required_argument)
            return option;
    }
    return NULL;
}

int command_complete(int argc, char **argv)
{
    if (argc < 2)
        return say_commands(), offer_word("--help", NULL), offer_word("--version", NULL), 0;
    const struct command *command = commands;
    while (command->name && strcmp(command->name, argv[0]) != 0)
        command++;
    if (!command->name || !command->run)
        return 0;
    const char *last = argv[argc - 1], *before = argv[argc - 2];
    size_t length = strcspn(last, "=");
    const struct option *option = argc > 2 ? with_value(command, before, strlen(before)) : NULL;
    if (option) {
        say_values(option->name, "");
        return 0;
    }
    option = last[length] ? with_value(command, last, length) : NULL;
    if (option) {
        char prefix[64];
        snprintf(prefix, sizeof prefix, "--%s=", option->name);
        say_values(option->name, prefix);
    } else if (last[0] == '-') {
        say_options(command);
    } else {
        unsigned kinds = 0;
        for (size_t i = 0; i < sizeof words_of / sizeof words_of[0]; i++)
            if (!strcmp(words_of[i].command, command->name))
                kinds = words_of[i].kinds;
        say_words(kinds, argc - 1, argv + 1);
    }
    return 0;
}
