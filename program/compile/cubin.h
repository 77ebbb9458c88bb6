/* cubin.h - the accesses to shared memory in machine code. */
#ifndef BANKSCOPE_COMPILE_CUBIN_H
#define BANKSCOPE_COMPILE_CUBIN_H

#include "program/compile/compile.h"

enum { CUBIN_NO_REGISTER = 255 };

/* An instruction that accesses shared memory, or memory of a kind that is known only as it runs. */
struct cubin_access {
    enum op op;
    bool past_l1; /* LDGSTS.BYPASS, of cp.async.cg: what it reads is counted as OP_ASYNC_LOAD_CG */
    int bytes;    /* of a lane: 1, 2, 4, 8 or 16; of an atomic operation not known, 4 */
    int file, line; /* cubin_file's number, or -1; from 1, or 0: unknown */
    int calls;      /* by which it was inlined, the user's, the nearest first */
    struct {
        int file, line;
    } call[CALL_DEPTH];
    uint32_t at; /* byte in its function */
    /* Its address is a register, a uniform register and an offset. */
    unsigned base; /* CUBIN_NO_REGISTER: none */
    int uniform;   /* -1: none */
    int32_t offset;
};
struct cubin_function {
    char *name;                  /* mangled */
    bool kernel;                 /* rather than a function that kernels call */
    int registers;               /* of a thread; 0: it does not say */
    struct cubin_access *access; /* in the order of the code */
    size_t accesses;
    struct cubin_access *global; /* those to global memory, likewise */
    size_t globals;
    int local_loads, local_stores; /* of memory of each thread's own */
};
struct cubin {
    struct cubin_function *function;
    size_t functions;
    char release[16]; /* of nvcc, "13.0"; "" when it does not say */
};
/* The number that the caller gives to a file of the line table, or -1: not the user's. */
typedef int (*cubin_file)(void *context, const char *folder, const char *name);

enum { MOST_CUBIN = 1 << 30 }; /* bytes of a file */

/* Reads a cubin out of memory; any bytes will do. cubin_free afterwards. false: *error says why,
 * *cubin is empty. */
bool cubin_read(struct cubin *cubin, const void *bytes, size_t size, cubin_file which,
                void *context, struct error *error);
void cubin_free(struct cubin *cubin);

#endif
