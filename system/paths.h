/* paths.h - where the program's own files, its state and temporary files are. */
#ifndef BANKSCOPE_SYSTEM_PATHS_H
#define BANKSCOPE_SYSTEM_PATHS_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* Finds a file or folder that comes with the program ("lessons", "instrument/simt.h"; "" is the
 * folder of them all, which is what -I wants) and writes its path. Looked for in $BANKSCOPE_DATA
 * if that is set; else in the source tree that the program was built in, or in ../share/bankscope
 * of the bin/ that it was installed to. */
bool data_path(const char *name, char *path, size_t room, struct error *error);
/* The path of a library that this program links with what users write: beside the program, or in
 * PREFIX/lib/bankscope. false: there is none. */
bool library_path(const char *name, char *path, size_t room, struct error *error);

/* Writes the path of a file below a folder, and makes sure that it is there and lies there: `name`
 * is relative, has no "..", and follows no link out of the folder. */
bool path_below(const char *folder, const char *name, char *path, size_t room, struct error *error);

/* The program keeps its state between runs in $XDG_STATE_HOME/bankscope, or
 * ~/.local/state/bankscope. Writes the path of the folder `name` there; `make`: also creates it, with
 * its parents, if it does not exist. */
bool state_folder(const char *name, bool make, char *path, size_t room, struct error *error);

/* The folder of the compilers' results, which it makes: $BANKSCOPE_CACHE, else $XDG_CACHE_HOME/bankscope
 * or ~/.cache/bankscope. false: none is wanted ($BANKSCOPE_CACHE is "" or "no"), or there is no place. */
bool cache_folder(char *path, size_t room);

/* Where a program is that the shell would start by this name; a path is itself. false: nowhere. */
bool tool_path(const char *name, char *path, size_t room);

/* Where temporary files go: $TMPDIR, or /tmp. */
const char *temporary_folder(void);
/* Makes a folder there and writes its path; for the caller to remove with passing_remove. false: there
 * is none, and its path is "". */
bool temporary_make(char *path, size_t room, struct error *error);

#endif
