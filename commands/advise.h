/* advise.h - the parts of `bankscope advise`: recordings (advise.c), programs (advise_program.c). */
#ifndef BANKSCOPE_COMMANDS_ADVISE_H
#define BANKSCOPE_COMMANDS_ADVISE_H

#include "commands/command.h"
#include "measure/advice_table.h"

/* Prints the object on one line and releases it. */
bool advise_put_json(cJSON *root, struct error *error);
/* The command, for a CUDA program as it stands, with HAVE_DW only. Returns the exit status. */
int advise_program(int argc, char **argv);

#endif
