/* local.h - generic addresses of local memory. Each thread has memory of its own at the same places: through a pointer
 * of another thread, a GPU reads the reader's. Here such an address tells whose it is, so that this is found:
 *
 *     WINDOW_LOCAL + owner << 40 + place
 */
#ifndef BANKSCOPE_MACHINE_LOCAL_H
#define BANKSCOPE_MACHINE_LOCAL_H

#include "machine/step.h"

enum { LOCAL_OWNER_SHIFT = 40, LOCAL_THREAD_BITS = 10, LOCAL_BLOCK_BITS = 5 };

static inline uint64_t local_owner(const struct warp *warp, int lane)
{
    const uint64_t thread =
        (uint64_t)warp->number * (uint64_t)warp->run->warp_lanes + (uint64_t)lane;
    const uint64_t block = warp->block->number & ((1u << LOCAL_BLOCK_BITS) - 1);
    return 1 + (thread | block << LOCAL_THREAD_BITS);
}

/* The place, which may be before the first. */
static inline uint64_t local_place(uint64_t address)
{
    return (uint64_t)((int64_t)(address << (64 - LOCAL_OWNER_SHIFT)) >> (64 - LOCAL_OWNER_SHIFT));
}

static inline uint64_t local_owner_of(uint64_t address)
{
    return (address - WINDOW_LOCAL - local_place(address)) >> LOCAL_OWNER_SHIFT;
}

/* What is left of a generic address in its space. */
static inline uint64_t address_within(uint64_t address)
{
    const uint64_t window = WINDOW(address);
    return window == WINDOW_LOCAL                                  ? local_place(address)
           : window == WINDOW_SHARED || window == WINDOW_PARAMETER ? address - window
                                                                   : address;
}

#endif
