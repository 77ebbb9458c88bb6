/* bank_model.c - what one warp access costs on a memory of banks.
 *
 * The rule for 32 lanes on 32 banks of 4 bytes was read off the counters of a GPU: see
 * doc/bank-model.md for the evidence and for what the other sizes assume.
 */
#include "instrument/model.h"

#include <string.h>

/* Whether every active lane i is alone in the pair (i, i ^ distance) or wants the same address
 * as its partner. False if the warp is too small to have such pairs. */
static bool partners_agree(int warp, const struct warp_access *access, int distance)
{
    if (warp <= distance)
        return false;
    for (int i = 0; i < access->lanes; i++)
        for (int j = i + 1; j < access->lanes && access->lane[j] <= access->lane[i] + distance; j++)
            if (access->lane[j] == (access->lane[i] ^ distance) &&
                access->addr[j] != access->addr[i])
                return false;
    return true;
}

/* turn: as for bank_model_turns, or NULL; group: as for bank_model_groups of asked_bank, or NULL. Returns the groups. */
static inline int serve(const struct trace_header *header, const struct warp_access *access,
                        struct bank_cost *cost, uint16_t *turn, struct bank_group *group,
                        int asked_bank)
{
    const int banks = header->banks, bank_bytes = header->bank_bytes, warp = header->warp;
    /* Per bank: the distinct words of one group, no more than it has lanes; two lanes at most where
     * one wants several words of a bank (16, of 1 byte). */
    uint32_t served[MAX_WARP][MAX_WARP];
    /* A division for every lane would take longer than all the rest. */
    const int shift = __builtin_ctz((unsigned)bank_bytes);
    const uint32_t mask = banks & (banks - 1) ? 0 : (uint32_t)banks - 1;
    int words = (access->bytes + bank_bytes - 1) >> shift; /* of one lane */
    int together = warp;                                   /* lanes of a group */
    int lane_least =
        words <= banks ? 1 : (words + banks - 1) / banks; /* passes for one lane alone */
    /* Lanes of an atomic operation never share a word; a swap that compares takes each pass twice. In a
     * loop of such swaps, the lanes that want one bank do not wait for each other: all but one fail. */
    const bool spin = access->op == OP_SPIN;
    const bool twice = spin || access->op == OP_COMPARE_AND_SWAP;
    const bool alone = !spin && !op_shares(access->op);

    if (words > 1) {
        together = banks > words ? banks / words : 1;
        /* Two groups are served as one if each lane's partner is in one of the two. */
        if (access->op == OP_LOAD && (partners_agree(warp, access, 1) ||
                                      (together % 2 == 0 && partners_agree(warp, access, 2))))
            together *= 2;
    }
    int groups = 0;
    cost->ways = cost->passes = cost->least = 0;
    memset(cost->degree, 0, (size_t)banks * sizeof *cost->degree);
    memset(cost->busy, 0, (size_t)banks * sizeof *cost->busy);
    for (int i = 0; i < access->lanes;) {
        /* The group's: */
        int end = together < warp ? (access->lane[i] / together + 1) * together : warp;
        uint16_t degree[MAX_WARP];
        int ways = 0;
        memset(degree, 0, (size_t)banks * sizeof *degree);
        for (; i < access->lanes && access->lane[i] < end; i++) {
            for (int k = 0; k < words; k++) {
                uint32_t word = (access->addr[i] >> shift) + (uint32_t)k;
                uint32_t bank = mask ? word & mask : word % (uint32_t)banks;
                int seen = alone ? degree[bank] : 0;
                while (seen < degree[bank] && served[bank][seen] != word && !spin)
                    seen++;
                if (turn)
                    turn[i * words + k] = (uint16_t)(cost->passes + seen);
                if (seen < degree[bank])
                    continue;
                served[bank][degree[bank]++] = word;
                cost->degree[bank]++;
                cost->busy[bank] |= degree[bank] > lane_least;
                if (degree[bank] > ways)
                    ways = degree[bank];
            }
        }
        if (group)
            group[groups] =
                (struct bank_group){end - together < 0 ? 0 : end - together,
                                    (end < warp ? end : warp) - 1, ways, degree[asked_bank]};
        groups++;
        cost->passes += ways;
        cost->least += lane_least;
        if (ways > cost->ways)
            cost->ways = ways;
    }
    cost->conflicts = cost->passes - cost->least;
    cost->passes *= twice ? 2 : 1;
    return groups;
}

void bank_model_cost(const struct trace_header *header, const struct warp_access *access,
                     struct bank_cost *cost)
{
    if (access->global)
        *cost = (struct bank_cost){0};
    else
        serve(header, access, cost, NULL, NULL, 0);
}

void bank_model_turns(const struct trace_header *header, const struct warp_access *access,
                      uint16_t *turn)
{
    struct bank_cost cost;
    serve(header, access, &cost, turn, NULL, 0);
}

int bank_model_groups(const struct trace_header *header, const struct warp_access *access, int bank,
                      struct bank_group *group)
{
    struct bank_cost cost;
    return access->global ? 0 : serve(header, access, &cost, NULL, group, bank);
}
