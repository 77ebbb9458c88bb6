/* simt.h - the C subset of CUDA in which kernels are written, and its four builds.
 *
 * A kernel reads like CUDA: threadIdx.x, blockIdx.x, __syncthreads(). In addition, macros say where
 * the kernel is (STAGE, ROUND, SLOT), and shared memory is accessed through LOAD and STORE:
 *
 *     struct twice { int w, u; };      the parameters, all int
 *     STAGES(write, read)
 *     KERNEL(twice)                    in scope: p (the parameters), in, out
 *     {
 *         int t = threadIdx.x;
 *         SHARED(int, tile, p.u);
 *         STAGE(write);
 *         ROUND(0);
 *         STORE(tile, t, in[t]);
 *         __syncthreads();
 *         STAGE(read);
 *         ROUND(0);
 *         out[t] = 2 * LOAD(tile, (t + 1) % p.u);
 *     }
 *
 * The same lines are built four ways, each by a header of its own:
 *   simt_host.h    (a C compiler)        every access is checked and recorded; any warp size, no GPU;
 *   simt_traced.h  (nvcc -DSIMT_TRACED)  every thread writes its records to a device buffer;
 *   simt_bare.h    (nvcc -DSIMT_BARE)    LOAD and STORE are plain accesses, the rest is gone;
 *   simt_machine.h (kernelc/)            plain CUDA that names its stages and rounds, for the machine.
 *
 * Rules of the subset, valid C11 and C++: all threads of a block reach every barrier; a variable
 * array of registers is REGISTERS; a helper function that touches shared memory takes CONTEXT as
 * its first parameter and is handed simt_. An index or value with side effects is evaluated once.
 * Stages, rounds and slots say what the lanes of a warp do at once, so there must be an order in which
 * the warp makes each access once: lane c cannot begin to count its rounds at c, in a circle.
 *
 * The words:
 *
 * KERNEL(name)          begins the kernel; struct name holds its parameters, and p, in, out are in
 *                       scope: its parameters by value, the global memory it reads and writes.
 * BARE(name, {..}, ..)  parameter sets for which the CUDA builds are compiled with constants, as
 *                       initialisers of struct name (which then has a member u); ANY leaves one
 *                       open. Other sets run with variables, which costs time but not exactness.
 * STAGE(s), ROUND(j)    where the kernel is; ROUND starts at slot 0. STAGE(step + i) is the i-th
 *                       stage after `step`.
 * SLOT(k)               the next access is the k-th shared-memory instruction of the round. Each
 *                       access moves on to the next slot by itself, so SLOT is needed only where
 *                       lanes diverge: two branches are two instructions and need two slots.
 * SHARED(t, name, n)    a shared array of n elements of t. Every thread declares the same arrays.
 *                       Elements have 1, 2, 4, 8 or 16 bytes.
 * SHARED_PTR(t)         the type of a pointer into such an array, for helper functions and structs;
 *                       SHARED_PTR(const int) is for what is only read.
 * SHARED_AT(name, i)    the pointer to element i, as in SHARED_PTR(int) half = SHARED_AT(tile, 8).
 * LOAD(name, i)         the element i of a shared array, or of a pointer into one. Through a cast
 * STORE(name, i, v)     pointer, as in LOAD((int4 *)tile, i), one access takes several elements;
 *                       its first byte must be a multiple of its bytes.
 * LOAD_TAG, STORE_TAG   the same, naming with one character the list that the word belongs to
 *                       (printable ASCII; a space: none).
 * FILL(name, i, v)      a store that sets the scene. It is one of the stage `setup`, which STAGES
 *                       must name first, wherever the kernel is: a thread's first FILL in round 0,
 *                       its second in round 1, and so on.
 * GUARD(name, f, n)     elements f .. f + n - 1 may be read before they are written, as a library
 *                       does that reads past its end and drops the value. They hold zero.
 * SYNC_WARP(w)          barrier of the w threads of a warp.
 * REGISTERS(t, name, n) an array in registers: index it with unrolled loops (UNROLL before `for`).
 * ROLLED for            a loop that some lanes of a warp leave earlier than others. nvcc would unroll it
 *                       by four, and lanes with another remainder would take instructions of their own.
 */
#ifndef BANKSCOPE_SIMT_H
#define BANKSCOPE_SIMT_H

#define SIMT_UNUSED __attribute__((unused))

/* The stages of the kernel, in order (up to eight): what STAGE accepts, and their names for the
 * catalogue ("write, read"). The constants are stage_write, stage_read, so that no stage's name
 * clashes with a library's. */
#define STAGES(...)                                                                                \
    enum simt_stages { SIMT_EACH(__VA_ARGS__, 7, 6, 5, 4, 3, 2, 1, 0, 0)(__VA_ARGS__) };           \
    SIMT_NAMES(__VA_ARGS__)
#define SIMT_NAMES(...) SIMT_UNUSED static const char stage_names[] = #__VA_ARGS__;
#define SIMT_EACH(a, b, c, d, e, f, g, h, n, ...) SIMT_EACH_##n
#define SIMT_EACH_0(a) stage_##a
#define SIMT_EACH_1(a, ...) stage_##a, SIMT_EACH_0(__VA_ARGS__)
#define SIMT_EACH_2(a, ...) stage_##a, SIMT_EACH_1(__VA_ARGS__)
#define SIMT_EACH_3(a, ...) stage_##a, SIMT_EACH_2(__VA_ARGS__)
#define SIMT_EACH_4(a, ...) stage_##a, SIMT_EACH_3(__VA_ARGS__)
#define SIMT_EACH_5(a, ...) stage_##a, SIMT_EACH_4(__VA_ARGS__)
#define SIMT_EACH_6(a, ...) stage_##a, SIMT_EACH_5(__VA_ARGS__)
#define SIMT_EACH_7(a, ...) stage_##a, SIMT_EACH_6(__VA_ARGS__)

#define LOAD(base, i) LOAD_TAG(base, i, ' ')
#define STORE(base, i, v) STORE_TAG(base, i, v, ' ')

#if defined(__KERNELC__)
#include "instrument/simt_machine.h"
#elif defined(SIMT_TRACED)
#include "instrument/simt_traced.h"
#elif defined(SIMT_BARE)
#include "instrument/simt_bare.h"
#else
#include "instrument/simt_host.h"
#endif

#endif
