/* chance.h - the values in a warp's registers that depend on which warp is first: what chance.c, which follows them,
 * chance_mark.c and chance_words.c share. */
#ifndef BANKSCOPE_MACHINE_CHANCE_H
#define BANKSCOPE_MACHINE_CHANCE_H

#include "machine/check/track.h"
#include "machine/check/undefined.h"

enum {
    WORLDS = 2,
    REGISTERS = 32, /* that are followed */
    USED = 24,      /* by an instruction */
    ROOM = UNDEFINED_BYTES
};

/* What a value may decide besides places. */
enum {
    DECIDES_TURNS = 1, /* how often a loop is done */
    DECIDES_ARMS = 2,  /* that, and which lanes go where */
};

struct chance {
    const struct frame *frame;
    const struct code *code;
    const int *last; /* of its registers: track_last_reads */
    /* Lanes are between these steps by chance: from behind a branch to where its arms meet, or in a loop. NULL: not so. */
    const struct step *arm, *arm_end;
    int count;
    struct chance_register {
        int reg;
        unsigned decides;
        uint8_t value[WORLDS][ROOM]; /* in other worlds, as in the frame */
    } of[REGISTERS];
    /* Registers of the instruction that is executed. */
    int used;
    struct chance_used {
        int reg;
        bool written;
        uint8_t before[ROOM], value[WORLDS][ROOM];
    } use[USED];
};

/* NULL: the register is not followed. */
struct chance_register *chance_find(struct chance *chance, int reg);
/* Lanes of the mask that have another value there. */
uint64_t chance_others(const struct warp *warp, const struct chance_register *of, uint64_t mask);
/* Lanes are about to execute an instruction that uses followed registers: says which accesses are estimates for that. */
void chance_mark(struct warp *warp, struct chance *chance, const struct reading *reading);

/* Where the value of this world is. */
static inline uint8_t *chance_place(const struct warp *warp, int reg)
{
    return warp->registers + warp->frame->code->reg[reg];
}

/* The step of an instruction that accesses memory; NULL: none does. */
static inline const struct step *chance_step(const struct reading *reading)
{
    for (const struct step *step = reading->first; step <= reading->last; step++)
        if (step->extra)
            return step;
    return NULL;
}

/* Whether a lane accesses shared memory there; *at: its address. value: the register that the step's address begins with. */
static inline bool chance_shared(const struct step *step, const uint8_t *value, uint64_t lane,
                                 uint64_t *at)
{
    const struct access *access = step->extra;
    const size_t each = access->wide_address ? 8 : 4;
    *at = 0;
    __builtin_memcpy(at, value + lane * each, each);
    *at += (uint64_t)step->immediate;
    return access->space == PTX_SHARED || WINDOW(*at) == WINDOW_SHARED;
}

#endif
