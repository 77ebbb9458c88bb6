/* options.c - the options of a recording, as run and view take them. */
#include "commands/command.h"

#include <string.h>

bool record_option(const char *command, int option, const char *text,
                   struct record_options *options)
{
    enum { ROOM = sizeof options->param / sizeof options->param[0] };
    static const char *const backends[] = {"auto", "host", "cuda", NULL};
    int64_t number;
    switch (option) {
    case 'p':
        if (options->params == ROOM)
            return command_usage(command, "more than %d parameters", ROOM), false;
        options->param[options->params++] = text;
        return true;
    case OPTION_INPUT:
        options->input = text;
        return true;
    case OPTION_SEED:
        if (!command_number(command, "--seed", text, 0, INT64_C(1) << 53, &number))
            return false;
        options->seed = (uint64_t)number;
        return true;
    case OPTION_RECORDS:
        if (!command_number(command, "--records", text, 1, INT64_C(1) << 40, &number))
            return false;
        options->records = (uint64_t)number;
        return true;
    default:
        for (int i = 0; backends[i]; i++)
            if (!strcmp(backends[i], text))
                return options->backend = (enum backend)i, true;
        return command_usage(command, "--backend is '%s'; it must be auto, host or cuda", text),
               false;
    }
}

