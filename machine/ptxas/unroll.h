/* unroll.h - loops of which ptxas takes several turns at once.
 *
 *     L:  ld.shared.f32 %f1, [%r1]           L4: four turns, while there are four left
 *         ...                                    two turns, if there are
 *         add.s32 %r2, %r2, 1                    one turn, if there is
 *         setp.lt.s32 %p1, %r2, %r3
 *         @%p1 bra L
 *
 * A loop takes one turn whatever its test says. Where ptxas does not see that there is a first one (the test before the
 * loop is another, n != 0 for i < n), that turn has a copy of its own, for lanes whose test fails: as a rule none.
 *
 * If a loop always has the same number of turns, 32 at most, all are taken at once, and nothing is left to ask.
 * What turns load from neighbouring places is then one access, and lanes that have different numbers of turns
 * are at different places of the code. PTX does not say which loops ptxas does this to; whoever has its machine
 * code can tell (machine_unroll). The code is changed before anything else looks at it.
 */
#ifndef BANKSCOPE_MACHINE_UNROLL_H
#define BANKSCOPE_MACHINE_UNROLL_H

#include "machine/ptxas/effect.h"

/* A loop that is one basic block and counts: instructions of the body. */
struct unroll_loop {
    int first, last; /* last: the branch back */
    int compare;     /* setp, which says whether there is a turn more */
    int side;        /* operand of it that counts: 1 or 2 */
    int step;        /* the addition */
    int start;       /* register that has the counter before a turn */
    int before; /* turns that the comparison is behind the counter: 0, or 1 if it comes before the addition */
};
/* Whether the instruction is the branch back of such a loop. */
bool unroll_is_loop(const struct ptx_body *body, const struct effects *effects, int branch,
                    struct unroll_loop *loop);
/* Takes the turns of loops together that the module names. false: no memory, *error says so. */
bool unroll_body(struct ptx_module *module, struct ptx_function *function, struct error *error);

#endif
