/* record.h - from a name or a file to a recording.
 *
 * What commands, lessons and figures share: where the program's own files are (paths.c), child
 * processes (process.c), kernels by name or compiled from a user's file (compile.c), and how far a
 * recording is (progress.c). Nothing here prints or chooses an exit
 * status, but for the progress and a compiler's messages.
 */
#ifndef BANKSCOPE_RECORD_H
#define BANKSCOPE_RECORD_H

#include <sys/types.h>
#include "kernels/catalogue.h"

/* ---- paths.c ------------------------------------------------------------------------------- */

/* Finds a file or folder that comes with the program ("lessons", "instrument/simt.h"; "" is the
 * folder of them all, which is what -I wants) and writes its path. Looked for in $BANKSCOPE_DATA
 * if that is set; else in the source tree that the program was built in, or in ../share/bankscope
 * of the bin/ that it was installed to. */
bool data_path(const char *name, char *path, size_t room, struct error *error);

/* Where passing files go: $TMPDIR, or /tmp. */
const char *temporary_folder(void);

/* ---- process.c ----------------------------------------------------------------------------- */

/* fork, of a child that does not outlive this process. */
pid_t process_fork(void);

/* Waits until a child process ends. Returns its status, for WIFEXITED and so on. */
int process_wait(pid_t child);

/* Runs work in a child process, because the kernel `name` is a user's own and may crash or end the
 * program: then *error says so. Returns what work returned, 0 to 127, or -1 with *error set, by
 * work or here. */
int process_apart(const char *name, int (*work)(void *context, struct error *error), void *context,
                  struct error *error);

/* Seconds of a clock that only differences have a meaning of. */
double clock_seconds(void);

/* ---- compile.c ----------------------------------------------------------------------------- */

/* Whether the word is a kernel file of the user's own (ends in .cu or has a slash). */
bool record_is_kernel_file(const char *word);
/* The kernel of that name, or the one in that FILE.cu, compiled for the host with $CC or cc, and
 * for BACKEND_CUDA by nvcc or $NVCC for the GPU at hand. A compiled kernel stays loaded until the
 * program ends. NULL: *error says why. */
const struct kernel *record_kernel(const char *name_or_file, enum backend backend,
                                   struct error *error);

/* ---- progress.c ---------------------------------------------------------------------------- */

/* A sink that shows progress on standard error when it is a terminal and the run takes more than a
 * second; give it as one of a tee's sinks. */
struct record_progress {
    struct trace_header header;
    double start, shown;
    bool terminal;
};
struct trace_sink record_progress_sink(struct record_progress *progress);

#endif
