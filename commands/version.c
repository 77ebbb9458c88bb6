/* version.c - which program this is; compiled anew when its commit changes. */
#include "commands/command.h"

#ifndef BANKSCOPE_COMMIT
#define BANKSCOPE_COMMIT ""
#endif

const char *command_program(char text[64])
{
    const char *commit = BANKSCOPE_COMMIT;
    snprintf(text, 64, *commit ? "Bankscope %s (%s)" : "Bankscope %s", BANKSCOPE_VERSION, commit);
    return text;
}
