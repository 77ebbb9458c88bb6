/* session.h - what the files of a session share. */
#ifndef BANKSCOPE_PROGRAM_SESSION_H
#define BANKSCOPE_PROGRAM_SESSION_H

#include "program/program.h"

/* session_tell.c: takes what the child, which ended with that status (as waitpid has it), has told, over into the lines,
 * and hands it to the sink. false: *error. */
bool session_tell(const struct records *records, struct source_lines *lines,
                  const struct program_choice *choice, const struct records_choice *wanted,
                  const struct program_sink *sink, int status, struct error *error);

#endif
