/* math.h - the functions of libdevice by name, for PTX that calls __nv_sinf and its like.
 *
 * One row for each function says what it takes and gives; one call executes any of them:
 *
 *     const struct math_function *sine = math_find("__nv_sinf");   // "f", result 'f'
 *     uint64_t in[1] = {0x3f800000}, out[MATH_RESULTS];            // 1.0f
 *     math_call(sine, in, out);                                    // out[0]: 0x3f576aa4
 *
 * Registers are words: a float is the low 32 bits, an integer is cut to its type, results are extended
 * by zeros. What a function would store through a pointer comes as a further word; the machine stores
 * it. Functions of float are computed in double and rounded at the end.
 */
#ifndef MACHINE_MATH_H
#define MACHINE_MATH_H

#include "machine/math/math_functions.h"

enum {
    MATH_ARGUMENTS = 4, /* at most, and those that stand behind 'p' and 'q' */
    MATH_RESULTS = 3,
};

struct math_function {
    const char *name; /* without __nv_ */

    /* A letter for each argument: f float, d double; h 16 bits, i and u 32, l and m 64 (i, l with a
     * sign); F, D, I: where to store such a result, in any order of the call; p, q: the address of as
     * many floats (doubles) as the argument before it says, whose values follow instead of it. */
    const char *arguments;
    char result; /* v: none */
    void (*call)(const struct math_function *function, const uint64_t *in, uint64_t *out);
    union {
        double (*one)(double a);
        double (*two)(double a, double b);
        double (*scaled)(double a, int b);
        double (*ordered)(int a, double b);
        double (*many)(int count, const uint64_t *words, bool floats);
        double (*parted)(double a, double *b);
        double (*powered)(double a, int *b);
        double (*divided)(double a, double b, int *c);
        float (*floats)(float a, float b);
        uint64_t (*whole)(uint64_t a, uint64_t b, uint64_t c);
        enum real_mode mode;
    } by;
    /* Ptxas makes branches of it (CUDA 13, sm_80), and joins no accesses across it. */
    bool branches;
};

/* NULL: there is no such function. */
const struct math_function *math_find(const char *name);

/* in has a word for each argument, those for stores included (they are not read). out[0] is the result,
 * if there is one; the stored values follow in the order of the arguments. */
void math_call(const struct math_function *function, const uint64_t *in, uint64_t *out);

/* All of them, sorted by name. */
extern const struct math_function math_functions[];
extern const int math_function_count;

#endif
