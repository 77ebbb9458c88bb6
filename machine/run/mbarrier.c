/* mbarrier.c - barriers in shared memory, for threads and for bytes of asynchronous copies.
 *
 * A phase is over when as many threads have arrived as were expected and all bytes that were announced (expect_tx) have
 * come (complete_tx). Then the next phase begins, with as many threads. Bytes may come before they are announced.
 */
#include "machine/async.h"
#include "machine/check/check.h"

#include <string.h>

enum { COUNT_BITS = 20, BYTES_BITS = 21, MOST = (1 << COUNT_BITS) - 1 };

static struct mbarrier_state unpacked(uint64_t bits)
{
    const uint32_t bytes = bits >> 2 * COUNT_BITS & ((1 << BYTES_BITS) - 1);
    return (struct mbarrier_state){.pending = bits & MOST,
                                   .expected = bits >> COUNT_BITS & MOST,
                                   .bytes =
                                       (int32_t)(bytes << (32 - BYTES_BITS)) >> (32 - BYTES_BITS),
                                   .phase = (uint32_t)(bits >> 61)};
}

static uint64_t packed_state(const struct mbarrier_state *state)
{
    return state->pending | (uint64_t)state->expected << COUNT_BITS |
           ((uint64_t)(uint32_t)state->bytes & ((1 << BYTES_BITS) - 1)) << 2 * COUNT_BITS |
           (uint64_t)state->phase << 61;
}

static uint8_t *find_mbarrier(struct warp *warp, int lane, enum ptx_space space, uint64_t address,
                              bool init)
{
    uint8_t *at = memory_at(warp, lane, space, address, 8, true);
    uint64_t bits = 0;
    if (at)
        memcpy(&bits, at, sizeof bits);
    if (!at || bits || init)
        return at;
    fault(warp, lane, MACHINE_FAULT_INSTRUCTION,
          "there is no mbarrier at byte %llu of shared memory: mbarrier.init comes first",
          (unsigned long long)(address & ((1 << CLUSTER_SHIFT) - 1)));
    return NULL;
}

/* Ends the phase if all threads have arrived and all bytes have come. */
static void end_phase(struct mbarrier_state *state)
{
    if (state->pending || state->bytes)
        return;
    state->pending = state->expected;
    state->phase = (state->phase + 1) & 7;
}

static bool add_bytes(struct warp *warp, int lane, struct mbarrier_state *state, int64_t bytes)
{
    const int64_t sum = state->bytes + bytes;
    if (sum > MOST || sum < -MOST) {
        fault(warp, lane, MACHINE_FAULT_INSTRUCTION,
              "an mbarrier counts at most %d bytes that are to come, not %lld", MOST,
              (long long)sum);
        return false;
    }
    state->bytes = (int32_t)sum;
    return true;
}

static bool arrive(struct warp *warp, int lane, struct mbarrier_state *state, uint32_t count)
{
    if (!count || count > state->pending) {
        fault(warp, lane, MACHINE_FAULT_INSTRUCTION,
              "%u threads arrive at an mbarrier that expects %u more in this phase", count,
              state->pending);
        return false;
    }
    state->pending -= count;
    return true;
}

bool mbarrier_complete(struct warp *warp, int lane, uint64_t address, uint32_t bytes)
{
    uint8_t *at = find_mbarrier(warp, lane, PTX_SHARED, address, false);
    uint64_t bits;
    if (!at)
        return false;
    memcpy(&bits, at, sizeof bits);
    struct mbarrier_state state = unpacked(bits);
    if (!add_bytes(warp, lane, &state, -(int64_t)bytes))
        return false;
    end_phase(&state);
    bits = packed_state(&state);
    memcpy(at, &bits, sizeof bits);
    if (warp->run->check)
        check_mbarrier(warp, address, true, false);
    return true;
}

/* Executes the instruction on the mbarrier's state. *over: whether the phase that it waits for is over. */
static bool act(struct warp *warp, int lane, const struct mbarrier_step *what, uint64_t b,
                struct mbarrier_state *state, bool *over)
{
    switch (what->kind) {
    case MBARRIER_INIT:
        if (!b || b > MOST) {
            fault(warp, lane, MACHINE_FAULT_INSTRUCTION,
                  "an mbarrier is for 1 to %d threads, not %llu", MOST, (unsigned long long)b);
            return false;
        }
        *state = (struct mbarrier_state){.pending = (uint32_t)b, .expected = (uint32_t)b};
        return true;
    case MBARRIER_INVAL:
        *state = (struct mbarrier_state){0};
        return true;
    case MBARRIER_COPIES: /* which have come already */
        return true;
    case MBARRIER_DROP:
        state->expected -= state->expected >= b ? (uint32_t)b : state->expected;
        break;
    case MBARRIER_EXPECT:
        return add_bytes(warp, lane, state, (int64_t)b);
    case MBARRIER_COMPLETE:
        if (!add_bytes(warp, lane, state, -(int64_t)b))
            return false;
        end_phase(state);
        return true;
    case MBARRIER_WAIT:
        *over = state->phase != unpacked(b).phase;
        return true;
    case MBARRIER_WAIT_PARITY:
        *over = (state->phase & 1) != (b & 1);
        return true;
    default:
        break;
    }
    if (what->expects && !add_bytes(warp, lane, state, (int64_t)b))
        return false;
    if (!arrive(warp, lane, state, what->expects ? 1 : (uint32_t)b))
        return false;
    end_phase(state);
    return true;
}

const struct step *mbarrier(struct warp *warp, const struct step *step)
{
    const struct mbarrier_step *what = step->extra;
    const bool arrives = what->kind < MBARRIER_COPIES;
    uint64_t over = 0;
    FOR_LANES(i, warp->mask)
    {
        const uint64_t address =
            (what->access.wide_address ? REGISTER(const uint64_t, warp, step->a)[i]
                                       : REGISTER(const uint32_t, warp, step->a)[i]) +
            (uint64_t)step->immediate;
        const uint64_t b = !step->b ? 1
                           : what->kind == MBARRIER_WAIT
                               ? REGISTER(const uint64_t, warp, step->b)[i]
                               : REGISTER(const uint32_t, warp, step->b)[i];
        uint8_t *at =
            find_mbarrier(warp, (int)i, what->access.space, address, what->kind == MBARRIER_INIT);
        uint64_t before, bits;
        bool is_over = false;
        if (!at)
            return NULL;
        if (what->copies && warp->run->check)
            check_copy_arrives(warp, i, address & UINT32_MAX);
        memcpy(&before, at, sizeof before);
        struct mbarrier_state state = unpacked(before);
        if (!act(warp, (int)i, what, b, &state, &is_over))
            return NULL;
        bits = packed_state(&state);
        memcpy(at, &bits, sizeof bits);
        over |= (uint64_t)is_over << i;
        if (warp->run->check && what->kind == MBARRIER_INVAL)
            check_mbarrier_ends(warp, i, address);
        else if (warp->run->check)
            check_mbarrier(warp, address, arrives, is_over);
        if (step->d)
            REGISTER(uint64_t, warp, step->d)[i] = before;
    }
    if (step->f) {
        uint64_t *f = REGISTER(uint64_t, warp, step->f);
        *f = (*f & ~warp->mask) | over;
    }
    return step + 1;
}

/* mbarrier.pending_count: a: a state, d: how many were to come. */
const struct step *mbarrier_pending(struct warp *warp, const struct step *step)
{
    const uint64_t *a = REGISTER(const uint64_t, warp, step->a);
    uint32_t *d = REGISTER(uint32_t, warp, step->d);
    FOR_LANES(i, warp->mask)
    d[i] = unpacked(a[i]).pending;
    return step + 1;
}
