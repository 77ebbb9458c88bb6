/* count.c - what an access costs, counted where it is seen.
 *
 * Shared memory: passes of the banks, by the bank model. The cost stays when all addresses move by whole
 * words that are a multiple of a row of banks apart or, as the model is, by any whole words: so the
 * pattern of the last time, its lanes and distances, is remembered for each access, and most accesses
 * cost a comparison. Global memory: sectors of 32 bytes (doc/global-memory.md).
 */
#include "machine/step.h"

#include <string.h>

enum { SECTOR = 32 };

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
    if (!differ && memo->mask == mask && memo->key == key)
        return true;
    memcpy(memo->delta, delta, (size_t)slots * sizeof *delta);
    memo->mask = mask;
    memo->key = key;
    return false;
}

static void add(struct machine_count *count, const struct memo *memo, uint64_t mask)
{
    count->instructions++;
    count->lanes += (uint64_t)__builtin_popcountll(mask);
    count->passes += memo->passes;
    count->conflicts += memo->conflicts;
    if (memo->ways > count->max_ways)
        count->max_ways = memo->ways;
}

static void cost(const struct machine_run *run, enum op op, uint64_t mask, const uint64_t *address,
                 int bytes, struct memo *memo)
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
    memo->passes = (uint32_t)result.passes;
    memo->conflicts = (uint32_t)result.conflicts;
    memo->ways = (uint32_t)result.ways;
}

void count_shared(struct warp *warp, int number, enum op op, uint64_t mask, const uint64_t *address,
                  int bytes)
{
    struct worker *worker = warp->worker;
    struct memo *memo = &worker->memo[number];
    uint32_t delta[MACHINE_LANES];
    const uint32_t within =
        (uint32_t)address[__builtin_ctzll(mask)] & (uint32_t)(warp->run->bank_bytes - 1);
    const uint32_t key = within | (uint32_t)bytes << 4 | (uint32_t)op << 12 | 1u << 31;
    distances(address, mask, warp->slots, delta);
    if (!remembered(memo, delta, mask, key, warp->slots))
        cost(warp->run, op, mask, address, bytes, memo);
    struct machine_count *count = &worker->count[number];
    const uint32_t first = (uint32_t)address[__builtin_ctzll(mask)];
    if (!count->instructions || first < count->low)
        count->low = first;
    if (first > count->high)
        count->high = first;
    add(count, memo, mask);
}

/* Distinct sectors that the lanes touch. */
static uint32_t sectors(uint64_t mask, const uint64_t *address, int bytes)
{
    uint64_t seen[2 * MACHINE_LANES];
    uint32_t count = 0;
    FOR_LANES(i, mask)
    {
        const uint64_t last = (address[i] + (uint64_t)bytes - 1) / SECTOR;
        for (uint64_t sector = address[i] / SECTOR; sector <= last; sector++) {
            uint32_t k = count;
            while (k && seen[k - 1] != sector)
                k--;
            if (!k)
                seen[count++] = sector;
        }
    }
    return count;
}

/* Atomics: lanes of one address go one after the other, and the n-th lanes of all addresses together. */
static uint32_t atomic_sectors(bool one_lane, uint64_t mask, const uint64_t *address)
{
    uint64_t sector[MACHINE_LANES], place[MACHINE_LANES];
    int round[MACHINE_LANES], seen = 0;
    uint32_t count = 0;
    FOR_LANES(i, mask)
    {
        int mine = 0;
        bool old = false;
        for (int k = 0; k < seen; k++)
            mine += place[k] == address[i];
        for (int k = 0; k < seen; k++)
            old |= sector[k] == address[i] / SECTOR && round[k] == mine;
        place[seen] = address[i];
        sector[seen] = address[i] / SECTOR;
        round[seen++] = mine;
        count += !old && !(one_lane && mine);
    }
    return count;
}

void count_global(struct warp *warp, int number, bool one_lane, enum op op, uint64_t mask,
                  const uint64_t *address, int bytes)
{
    struct worker *worker = warp->worker;
    struct memo *memo = &worker->memo[number];
    uint32_t delta[MACHINE_LANES];
    const uint32_t within = (uint32_t)address[__builtin_ctzll(mask)] & (SECTOR - 1);
    const uint32_t key = within | (uint32_t)bytes << 8 | (uint32_t)op << 16 | 1u << 31;
    bool near = distances(address, mask, warp->slots, delta);
    if (!near || !remembered(memo, delta, mask, key, warp->slots)) {
        memo->passes = op_is_atomic(op) ? atomic_sectors(one_lane, mask, address)
                                        : sectors(mask, address, bytes);
        memo->conflicts = memo->ways = 0;
        memo->key = near ? key : 0;
    }
    add(&worker->count[number], memo, mask);
}
