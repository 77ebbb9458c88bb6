/* check_local.c - pointers to local variables of other threads (machine/local.h): an access through one touches the
 * thread's own memory, as on a GPU. */
#include "machine/check/check.h"
#include "machine/local.h"

void check_owners(struct warp *warp, uint64_t mask, const uint64_t *address, int bytes, bool writes)
{
    FOR_LANES(lane, mask)
    {
        const uint64_t own = local_owner(warp, (int)lane), owner = local_owner_of(address[lane]);
        const uint32_t *block = warp->run->launch.block;
        const uint32_t thread = (uint32_t)(owner - 1) & ((1u << LOCAL_THREAD_BITS) - 1);
        if (owner == own || !owner)
            continue;
        finding(warp, (int)lane, MACHINE_FAULT_BOUNDS, -1,
                "a %s of %d bytes through a pointer to a local variable of thread (%u, %u, %u)%s: "
                "each thread has memory of its own there, and this one %s its own",
                writes ? "store" : "load", bytes, thread % block[0], thread / block[0] % block[1],
                thread / block[0] / block[1],
                (owner - 1) >> LOCAL_THREAD_BITS == (own - 1) >> LOCAL_THREAD_BITS
                    ? ""
                    : " of another block",
                writes ? "changes" : "reads");
        return;
    }
}
