/* count.c - what an access costs, counted where it is seen.
 *
 * Shared memory: passes of the banks, by the bank model. The cost stays when all addresses move by whole
 * words that are a multiple of a row of banks apart or, as the model is, by any whole words: so the
 * pattern of the last time, its lanes and distances, is remembered for each access, and most accesses
 * cost a comparison. Global memory: sectors of 32 bytes, by the sector model; their number stays when all
 * addresses move by whole sectors.
 */
#include "machine/pattern.h"

#include <string.h>

/* The distances of all addresses from the first one's; false: some are too far for 32 bits. */
static bool distances(const uint64_t *address, uint64_t mask, int slots, uint32_t *delta)
{
    const uint64_t first = address[__builtin_ctzll(mask)];
    uint64_t far = 0;
    if (mask == lanes_below(slots)) {
        for (int i = 0; i < slots; i++) {
            const uint64_t distance = address[i] - first;
            delta[i] = (uint32_t)distance;
            far |= (distance + 0x80000000u) >> 32;
        }
        return !far;
    }
    for (int i = 0; i < slots; i++) {
        const uint64_t distance = mask >> i & 1 ? address[i] - first : 0;
        delta[i] = (uint32_t)distance;
        far |= (distance + 0x80000000u) >> 32;
    }
    return !far;
}

/* Whether it is the pattern of the last time; else it is remembered. */
static bool remembered(struct memo *memo, const uint32_t *delta, uint64_t mask, uint32_t key,
                       int slots)
{
    uint32_t differ = 0;
    for (int i = 0; i < slots; i++)
        differ |= delta[i] ^ memo->delta[i];
    if (!differ && memo->mask == mask && memo->cost.key == key)
        return true;
    memcpy(memo->delta, delta, (size_t)slots * sizeof *delta);
    memo->mask = mask;
    memo->cost.key = key;
    return false;
}

static void cost_shared(const struct machine_run *run, enum op op, uint64_t mask,
                        const uint64_t *address, int bytes, struct access_cost *cost)
{
    const struct trace_header header = {
        .banks = run->banks, .bank_bytes = run->bank_bytes, .warp = run->warp_lanes};
    uint8_t lane[MACHINE_LANES];
    uint32_t addr[MACHINE_LANES];
    struct warp_access access = {.op = op, .bytes = bytes, .lane = lane, .addr = addr};
    struct bank_cost result;
    FOR_LANES(i, mask)
    {
        lane[access.lanes] = (uint8_t)i;
        addr[access.lanes++] = (uint32_t)address[i];
    }
    bank_model_cost(&header, &access, &result);
    cost->passes = (uint32_t)result.passes;
    cost->conflicts = (uint32_t)result.conflicts;
    cost->ways = (uint32_t)result.ways;
}

void count_shared(struct warp *warp, int number, enum op op, uint64_t mask, const uint64_t *address,
                  int bytes)
{
    struct worker *worker = warp->worker;
    struct memo *memo = &worker->memo[number];
    uint32_t delta[MACHINE_LANES];
    const uint32_t first = (uint32_t)address[__builtin_ctzll(mask)];
    const uint32_t key = count_shared_key(op, first, bytes, warp->run->bank_bytes);
    distances(address, mask, warp->slots, delta);
    if (!remembered(memo, delta, mask, key, warp->slots))
        cost_shared(warp->run, op, mask, address, bytes, &memo->cost);
    count_reach(&worker->count[number], first);
    count_add(&worker->count[number], &memo->cost, mask);
}

void count_remote_atomic(struct warp *warp, int number, uint64_t mask)
{
    const struct access_cost one = {.passes = 1, .ways = 1};
    count_add(&warp->worker->count[number], &one, mask);
}

void count_local(struct warp *warp, int number, uint64_t mask)
{
    struct machine_count *count = &warp->worker->count[number];
    count->instructions++;
    count->lanes += (uint64_t)__builtin_popcountll(mask);
}

static void cost_global(enum op op, uint64_t mask, const uint64_t *address, int bytes,
                        struct access_cost *cost)
{
    uint64_t global[MACHINE_LANES];
    uint8_t lane[MACHINE_LANES];
    struct warp_access access = {.op = op, .bytes = bytes, .lane = lane, .global = global};
    struct sector_cost result;
    FOR_LANES(i, mask)
    {
        lane[access.lanes] = (uint8_t)i;
        global[access.lanes++] = address[i];
    }
    sector_model_cost(&access, &result);
    cost->passes = cost->ways = (uint32_t)result.sectors;
    cost->conflicts = (uint32_t)(result.sectors - result.least);
    cost->estimate = result.estimate;
}

void count_cost(const struct machine_run *run, bool global, enum op op, uint64_t mask,
                const uint64_t *address, int bytes, struct access_cost *cost)
{
    if (global)
        cost_global(op, mask, address, bytes, cost);
    else
        cost_shared(run, op, mask, address, bytes, cost);
}

void count_global(struct warp *warp, int number, enum op op, uint64_t mask, const uint64_t *address,
                  int bytes)
{
    struct worker *worker = warp->worker;
    struct memo *memo = &worker->memo[number];
    uint32_t delta[MACHINE_LANES];
    const uint32_t key = count_global_key(op, (uint32_t)address[__builtin_ctzll(mask)], bytes);
    const bool near = distances(address, mask, warp->slots, delta);
    if (!near || !remembered(memo, delta, mask, key, warp->slots)) {
        cost_global(op, mask, address, bytes, &memo->cost);
        memo->cost.key = near ? key : 0;
    }
    count_add(&worker->count[number], &memo->cost, mask);
}
