/* dialect.h - kernels by name, or compiled from a user's file in the dialect (instrument/simt.h). */
#ifndef BANKSCOPE_COMPILE_DIALECT_H
#define BANKSCOPE_COMPILE_DIALECT_H

#include "kernels/catalogue.h"

/* Whether the word is a kernel file of the user's own (ends in .cu or has a slash). */
bool dialect_is_file(const char *word);
/* The kernel of that name, or the one in that FILE.cu, compiled for the host with $CC or cc, and
 * for BACKEND_CUDA by nvcc or $NVCC for the GPU at hand. A compiled kernel stays loaded until the
 * program ends. NULL: *error says why. */
const struct kernel *dialect_kernel(const char *name_or_file, enum backend backend,
                                    struct error *error);
/* The kernel in a file that nobody compiles a second time, for the host. */
const struct kernel *dialect_kernel_once(const char *file, struct error *error);

/* Compiles a user's kernel for the host, from FILE.cu to a shared object, with passing files beside
 * that. The compiler is confined to the folder of the object if asked to; its messages go to the file
 * descriptor `messages`. */
bool dialect_compile(const char *file, const char *object, bool confined, int messages,
                     struct error *error);
/* The kernel of such an object, which stays loaded; `file` names it in messages. */
const struct kernel *dialect_load(const char *object, const char *file, struct error *error);
/* Only what a thread of it does: the object may have no more (KERNEL_ALONE in kernels/kernel.h). */
simt_body dialect_load_body(const char *object, const char *file, struct error *error);

#endif
