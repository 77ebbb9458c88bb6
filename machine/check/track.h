/* track.h - a warp whose instructions are looked at one by one, since values in its registers are followed: those that
 * are undefined (check_absent.c), and those that depend on which warp is first (chance.c). */
#ifndef BANKSCOPE_MACHINE_TRACK_H
#define BANKSCOPE_MACHINE_TRACK_H

#include "machine/check/check.h"

struct undefined_register;

/* An instruction that the warp is at. */
struct reading {
    const struct step *first, *last; /* its steps */
    const struct ptx_instruction *instruction;
    const struct effect *effect;
    int index;
    uint64_t mask; /* lanes that execute it */
    /* Lanes that load what depends on which warp is first. chance.c fills this in. */
    uint64_t chance;
    /* Lanes that read undefined bits, and a register that has them, NULL: none. check_absent.c fills this in. */
    uint64_t lanes;
    const struct undefined_register *value;
};
/* Executes it. Returns where the warp goes on; NULL: nowhere. */
const struct step *track_execute(struct warp *warp, const struct reading *reading);
/* Whether it can be executed again: it has no effect but in its registers. Those that it writes come first. */
bool track_can_repeat(const struct reading *reading, const struct code *code);
/* undefined_last_reads for the running code, found once in a launch. NULL: no memory. */
const int *track_last_reads(struct warp *warp);

/* ---- check_absent.c ------------------------------------------------------------------------------ */

bool check_absent_is_on(const struct warp *warp);
/* The running lanes are at the head of a basic block. */
void check_absent_at_block(struct warp *warp, const struct step *step);
/* track_execute, and what is undefined behind it. */
const struct step *check_absent_execute(struct warp *warp, struct reading *reading);

/* ---- chance.c ------------------------------------------------------------------------------------ */

#ifndef __wasm__ /* a page says of no line that it is an estimate */
/* In check_order.c: a lane has loaded what the mark's thread stored, of another warp: whether it could have come too
 * early for that. */
bool check_is_chance(struct warp *warp, int lane, bool global, struct mark write, uint32_t block);

bool chance_is_on(const struct warp *warp);
void chance_at_block(struct warp *warp, const struct step *step);
/* The running lanes are about to execute it. Returns whether chance_after is to be called behind it. */
bool chance_before(struct warp *warp, struct reading *reading);
/* next: where they go on. */
void chance_after(struct warp *warp, const struct reading *reading, const struct step *next);

/* ---- chance_words.c ------------------------------------------------------------------------------ */

bool chance_words_any(const struct block *block);
/* Lanes of the mask are about to store at the step's addresses; chance: that they do may depend on which warp is first. */
void chance_words_store(struct warp *warp, const struct step *step, uint64_t mask, bool chance);
/* The lanes of the mask that are about to load such words. */
uint64_t chance_words_load(const struct warp *warp, const struct step *step, uint64_t mask);
#else
static inline bool check_is_chance(struct warp *warp, int lane, bool global, struct mark write,
                                   uint32_t block)
{
    (void)warp;
    (void)lane;
    (void)global;
    (void)write;
    (void)block;
    return false;
}

static inline bool chance_is_on(const struct warp *warp)
{
    (void)warp;
    return false;
}

static inline void chance_at_block(struct warp *warp, const struct step *step)
{
    (void)warp;
    (void)step;
}

static inline bool chance_before(struct warp *warp, struct reading *reading)
{
    (void)warp;
    (void)reading;
    return false;
}

static inline void chance_after(struct warp *warp, const struct reading *reading,
                                const struct step *next)
{
    (void)warp;
    (void)reading;
    (void)next;
}
#endif

#endif
