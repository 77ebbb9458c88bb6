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

#endif
