/* help.c - bankscope help [COMMAND] */
#include "commands/command.h"

#include <string.h>

const char help_help[] = "usage: bankscope help [COMMAND]\n"
                         "\n"
                         "Lists the commands, or explains one.\n";

const struct option help_longs[] = {{NULL, 0, NULL, 0}};

const struct command *command_find(const char *asker, const char *name)
{
    enum { ROOM = 32 };
    const char *names[ROOM + 1] = {NULL};
    int count = 0;
    for (const struct command *command = commands; command->name; command++) {
        if (strcmp(command->name, name) == 0)
            return command;
        if (count < ROOM)
            names[count++] = command->name;
    }
    struct error error = {{0}};
    error_unknown(&error, "there is no command", name, names, "'bankscope help' lists them");
    command_wrong(asker, &error);
    return NULL;
}

int command_left_out(const struct command *command)
{
    fprintf(stderr,
            "bankscope %s: this program was built without it; install %s and build again "
            "('make setup', 'make')\n",
            command->name, command->needs);
    return 1;
}

static void list_commands(void)
{
    printf("usage: bankscope COMMAND ...\n"
           "\n"
           "Shows what happens in the banks of a GPU's shared memory.\n"
           "\n");
    for (const struct command *command = commands; command->name; command++)
        printf("  %-8s %s%s\n", command->name, command->summary,
               command->run ? "" : " (not in this build)");
    printf("\n"
           "'bankscope help COMMAND' explains a command; 'man bankscope' has it all.\n");
}

int command_help(int argc, char **argv)
{
    if (argc > 2)
        return command_usage(argv[0], "explains one command at a time");
    if (argc < 2)
        return list_commands(), 0;
    const struct command *command = command_find(argv[0], argv[1]);
    if (!command)
        return 2;
    if (!command->help)
        return command_left_out(command);
    fputs(command->help, stdout);
    return 0;
}
