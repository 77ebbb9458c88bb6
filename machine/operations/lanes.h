/* lanes.h - how handlers are written that do one instruction for each lane.
 *
 * operations.inc and what it includes are compiled once for registers of 32 lanes, once with AVX2, and once
 * for 64 lanes: LANES is the number. A handler is written once, as a function that is told whether
 * only some lanes take part, and becomes two: for all lanes (a plain loop, which compilers turn into
 * vector instructions) and for some.
 */
#ifndef BANKSCOPE_MACHINE_LANES_H
#define BANKSCOPE_MACHINE_LANES_H

#include "machine/check/check.h"
#include "machine/math/approx.h"
#include "machine/module.h"
#include "machine/pattern.h"
#include "machine/lock.h"

#include <string.h>

/* The types of registers by the names of PTX. Formats of 16 bits are kept as their bits. */
typedef uint8_t u8, b8;
typedef int8_t s8;
typedef uint16_t u16, b16, f16, bf16;
typedef int16_t s16;
typedef uint32_t u32, b32, f16x2, bf16x2, tf32;
typedef int32_t s32;
typedef uint64_t u64, b64;
typedef int64_t s64;
typedef float f32;
typedef double f64;
typedef struct {
    uint64_t low, high;
} b128;

/* A bit for each lane. Where 32 are enough, vector instructions can shift them. */
#if LANES > 32
typedef u64 lane_bits;
#else
typedef u32 lane_bits;
#endif

#define EACH_LANE IN_ANY_ORDER for (int i = 0; i < LANES; i++)

/* The handlers of a function `body(warp, step, some)`, and how rows of the table name them: for all lanes and for
 * some; or one for both, which asks the warp: smaller, for what is executed seldom, as registers of 64 lanes are. */
#if defined(__wasm__)
#define SMALL __attribute__((minsize))
#else
#define SMALL
#endif
#define HANDLER_OF_ANY(id)                                                                         \
    SMALL static const struct step *id##_any(struct warp *warp, const struct step *step)           \
    {                                                                                              \
        return id(warp, step, warp->some);                                                         \
    }
#define ANY_LANES(id)                                                                              \
    {                                                                                              \
        id##_any, id##_any                                                                         \
    }
#if LANES > 32
#define HANDLERS HANDLER_OF_ANY
#define ALL_AND_SOME ANY_LANES
#else
#define HANDLERS(id)                                                                               \
    static const struct step *id##_all(struct warp *warp, const struct step *step)                 \
    {                                                                                              \
        return id(warp, step, false);                                                              \
    }                                                                                              \
    static const struct step *id##_some(struct warp *warp, const struct step *step)                \
    {                                                                                              \
        return id(warp, step, true);                                                               \
    }
#define ALL_AND_SOME(id)                                                                           \
    {                                                                                              \
        id##_all, id##_some                                                                        \
    }
#endif
#define HANDLER(id)                                                                                \
    static inline __attribute__((always_inline)) const struct step *id(                            \
        struct warp *warp, const struct step *step, const bool some)

/* In a handler: what a lane has afterwards. */
#define KEEP(value, old) (!some || warp->on[i] ? (value) : (old))

#define SUB(group) (step->sub >> 4 * (group)&15)

#endif
