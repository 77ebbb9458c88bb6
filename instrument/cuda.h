/* cuda.h - what nvcc makes of a kernel file, as the catalogue and the CUDA backend know it.
 *
 * A kernel file is compiled twice by nvcc, traced and bare (simt.h). Each build is a table: the
 * kernel for any parameters, and one more for each parameter set of BARE, in which those numbers
 * are constants (so that loops unroll and arrays stay in registers, as in a kernel written for one
 * size).
 */
#ifndef BANKSCOPE_CUDA_H
#define BANKSCOPE_CUDA_H

#include <stddef.h>
#include <stdint.h>

/* One build of one kernel; static data of the object that nvcc makes. */
struct simt_build {
    const void *const *run; /* its __global__ functions: [0] takes any parameters, [1 + i] only
                             * those of set i */
    const void *count;      /* traced: the one that counts, for any parameters; bare: NULL */
    const int *set;         /* sets rows of ints, as in the kernel's struct; ANY_VALUE: any */
    int sets, ints;
    /* Starts run[i] on the default stream; returns a cudaError. It is a function of the object
     * because a user's kernel is loaded with a CUDA runtime of its own, which alone knows it. */
    int (*launch)(const void *run, int blocks, int threads, size_t shared_bytes, void **arguments);
};

/* What the catalogue holds of a kernel. bare may be NULL. */
struct simt_cuda {
    const struct simt_build *traced, *bare;
};

enum { ANY_VALUE = INT32_MIN };

#endif
