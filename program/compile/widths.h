/* widths.h - what ptxas made of a program's accesses to shared and global memory: its machine code (program/compile/cubin.h) beside
 * what the machine makes of the same PTX, line by line.
 *
 * The machine joins neighbours by rule (machine/ptxas/join.h), which is right for most kernels; and it takes several
 * turns of a loop together where ptxas does, if it is told (machine_unroll). Which loops these are is found here:
 * those whose lines have the machine code's accesses with it, and not without. Lines where both still differ are
 * estimates in a report.
 */
#ifndef BANKSCOPE_PROGRAM_COMPILE_WIDTHS_H
#define BANKSCOPE_PROGRAM_COMPILE_WIDTHS_H

#include "instrument/instrument.h"

enum { WIDTHS = 5 }; /* accesses of 1, 2, 4, 8, 16 bytes */

/* A line of the source whose loads or stores are not those of the machine code. */
struct widths_line {
    char *file; /* as the PTX has it */
    int line;
    enum op op;                          /* OP_LOAD, OP_STORE */
    bool global;                         /* of global memory, else of shared */
    int expected[WIDTHS], found[WIDTHS]; /* instructions of the machine; of the machine code */
};
/* Accesses to local memory in the machine code of a kernel whose PTX has none: registers that ptxas had no room for. */
struct widths_spill {
    char *kernel; /* as the PTX has it */
    int loads, stores;
};
struct widths {
    int kernels, compared; /* that the PTX has; that the machine code has, too */
    struct widths_line *line;
    size_t lines, room;
    struct widths_spill *spill;
    size_t spills, spill_room;
    /* For the runtime: a line "LINE FUNCTION" for each loop to be unrolled, "1+LINE FUNCTION" if its first turn is apart. "":
     * none */
    char *loops;
    char *registers; /* likewise, "rREGISTERS KERNEL" for each kernel */
};
/* Compares a unit's PTX with its cubin. A kernel that the machine does not understand is left out. false: *error
 * says what is wrong with a file. widths_free in any case. */
bool widths_compare(struct widths *widths, const char *ptx, const char *cubin, struct error *error);
void widths_free(struct widths *widths);

#endif
