/* sector_model.c - what one access to global memory costs: the sectors of 32 bytes that its request takes.
 *
 *     32 lanes, 4 bytes each, side by side            4 sectors, 4 at least
 *     32 lanes, 4 bytes each, 128 bytes apart        32 sectors, 4 at least
 *     32 lanes that load one address                  1 sector,  1 at least
 *     32 lanes that add to one address, each by itself: 32 sectors, 1 at least
 *     32 lanes, 16 bytes each, side by side from the middle of a sector: 17 sectors; copied past L1: 20
 *
 * doc/global-memory.md has the counters that say so.
 */
#include "instrument/model.h"

#include <string.h>

enum { SLOTS = 2 * MAX_WARP, EXACT_LINES = 4 };

static size_t slot_of(uint64_t number)
{
    return (size_t)(number * UINT64_C(0x9e3779b97f4a7c15) >> 57) % SLOTS;
}

/* Numbers that are there already, each with how often it came. */
struct seen {
    uint64_t number[SLOTS]; /* plus 1; 0: free */
    uint8_t times[SLOTS];
};

/* How often it came before. */
static int see(struct seen *seen, uint64_t number)
{
    size_t at = slot_of(number);
    while (seen->number[at] && seen->number[at] != number + 1)
        at = (at + 1) % SLOTS;
    seen->number[at] = number + 1;
    return seen->times[at]++;
}

/* Whether each lane's bytes lie behind those of the lane before, so that none is wanted twice. */
static bool ascends(const struct warp_access *access)
{
    bool all = true;
    for (int i = 1; i < access->lanes; i++)
        all &= access->global[i] >= access->global[i - 1] + (uint64_t)access->bytes;
    return all;
}

static int sectors_of(int bytes)
{
    return (bytes + SECTOR_BYTES - 1) / SECTOR_BYTES;
}

/* The cost of ascending addresses: a sector is new, or the last one. */
static void cost_of_ascending(const struct warp_access *access, struct sector_cost *cost)
{
    uint64_t next = 0; /* the first sector that was not taken */
    cost->sectors = 0;
    for (int i = 0; i < access->lanes; i++) {
        const uint64_t first = access->global[i] / SECTOR_BYTES,
                       end = (access->global[i] + (uint64_t)access->bytes - 1) / SECTOR_BYTES + 1,
                       from = first > next ? first : next;
        cost->sectors += (int)(end - from);
        next = end;
    }
    cost->least = sectors_of(access->lanes * access->bytes);
}

/* The cost of loads and stores, and which bytes of each sector are wanted. A lane's bytes are in one sector, as its
 * address is a multiple of them. */
static void cost_of_accesses(const struct warp_access *access, struct sector_cost *cost)
{
    const uint32_t lane_bytes = (uint32_t)((UINT64_C(1) << access->bytes) - 1);
    const size_t slots = access->lanes <= MAX_WARP / 2 ? SLOTS / 2 : SLOTS;
    uint64_t sector[SLOTS], last = 0; /* plus 1; 0: free */
    uint32_t wanted[SLOTS];           /* bits of bytes */
    int distinct = 0;
    size_t at = 0;
    cost->sectors = 0;
    memset(sector, 0, slots * sizeof *sector);
    for (int i = 0; i < access->lanes; i++) {
        const uint64_t number = access->global[i] / SECTOR_BYTES + 1;
        const uint32_t bytes = lane_bytes << access->global[i] % SECTOR_BYTES;
        for (at = number == last ? at : slot_of(number) & (slots - 1);
             sector[at] && sector[at] != number;)
            at = (at + 1) & (slots - 1);
        last = number;
        if (!sector[at]) {
            sector[at] = number;
            wanted[at] = 0;
            cost->sectors++;
        }
        distinct += (wanted[at] & bytes) != bytes;
        wanted[at] |= bytes;
    }
    cost->least = sectors_of(distinct * access->bytes);
}

/* The cost of atomic operations: a sector is taken once in each round. Where lanes share addresses and touch more than
 * EXACT_LINES lines, a GPU takes some sectors twice: no rule is known. */
static void cost_of_atomics(const struct warp_access *access, struct sector_cost *cost)
{
    struct seen places, sectors, lines;
    int distinct = 0, touched = 0;
    memset(&places, 0, sizeof places);
    memset(&sectors, 0, sizeof sectors);
    memset(&lines, 0, sizeof lines);
    cost->sectors = 0;
    for (int i = 0; i < access->lanes; i++) {
        const uint64_t round = (uint64_t)see(&places, access->global[i]);
        distinct += !round;
        cost->sectors += !see(&sectors, access->global[i] / SECTOR_BYTES | round << 58);
        touched += !see(&lines, access->global[i] / LINE_BYTES);
    }
    cost->least = sectors_of(distinct * access->bytes);
    cost->estimate =
        distinct < access->lanes && cost->sectors < access->lanes && touched > EXACT_LINES;
}

/* The cost of copies past L1: two neighbouring lanes take one sector for each 128 bytes that they touch, whichever
 * sectors these are; nothing is shared with other lanes. Lanes that copy from one place count once, which is right if
 * they copy to one place, too. */
static void cost_of_pairs(const struct warp_access *access, struct sector_cost *cost)
{
    struct seen places, lines;
    cost_of_accesses(access, cost);
    memset(&places, 0, sizeof places);
    memset(&lines, 0, sizeof lines);
    cost->sectors = 0;
    for (int i = 0; i < access->lanes; i++) {
        const uint64_t pair = access->lane[i] / 2;
        if (see(&places, access->global[i]))
            cost->estimate = true;
        else
            cost->sectors += !see(&lines, access->global[i] / LINE_BYTES | pair << 58);
    }
}

void sector_model_cost(const struct warp_access *access, struct sector_cost *cost)
{
    cost->estimate = false;
    if (access->op == OP_ASYNC_LOAD_CG)
        cost_of_pairs(access, cost);
    else if (ascends(access))
        cost_of_ascending(access, cost);
    else if (op_is_atomic(access->op))
        cost_of_atomics(access, cost);
    else
        cost_of_accesses(access, cost);
}
