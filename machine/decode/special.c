/* special.c - special registers: who the thread is, and where. */
#include "machine/decode/decode.h"

#include <string.h>

enum special {
    TID_X,
    TID_Y,
    TID_Z,
    NTID_X,
    NTID_Y,
    NTID_Z,
    CTAID_X,
    CTAID_Y,
    CTAID_Z,
    NCTAID_X,
    NCTAID_Y,
    NCTAID_Z,
    LANEID,
    WARPID,
    NWARPID,
    SMID,
    NSMID,
    GRIDID,
    CLOCK,
    TIMER,
    MASK_EQ,
    MASK_LE,
    MASK_LT,
    MASK_GE,
    MASK_GT,
    WARP_SIZE,
    DYNAMIC_SHARED,
    TOTAL_SHARED,
    RESERVED_SHARED,
    ZERO,
    WORKSPACE_HIGH,
    WORKSPACE_LOW,
    CLUSTER_X,
    CLUSTER_Y,
    CLUSTER_Z,
    CLUSTERS_X,
    CLUSTERS_Y,
    CLUSTERS_Z,
    IN_CLUSTER_X,
    IN_CLUSTER_Y,
    IN_CLUSTER_Z,
    OF_CLUSTER_X,
    OF_CLUSTER_Y,
    OF_CLUSTER_Z,
    CLUSTER_RANK,
    CLUSTER_SIZE,
    SPECIALS
};

static const struct {
    const char *name;
    enum special special;
} names[] = {
    {"%tid.x", TID_X},
    {"%tid.y", TID_Y},
    {"%tid.z", TID_Z},
    {"%ntid.x", NTID_X},
    {"%ntid.y", NTID_Y},
    {"%ntid.z", NTID_Z},
    {"%ctaid.x", CTAID_X},
    {"%ctaid.y", CTAID_Y},
    {"%ctaid.z", CTAID_Z},
    {"%nctaid.x", NCTAID_X},
    {"%nctaid.y", NCTAID_Y},
    {"%nctaid.z", NCTAID_Z},
    {"%laneid", LANEID},
    {"%warpid", WARPID},
    {"%nwarpid", NWARPID},
    {"%smid", SMID},
    {"%nsmid", NSMID},
    {"%gridid", GRIDID},
    {"WARP_SZ", WARP_SIZE},
    {"%clock", CLOCK},
    {"%clock64", CLOCK},
    {"%clock_hi", ZERO},
    {"%globaltimer", TIMER},
    {"%globaltimer_lo", TIMER},
    {"%globaltimer_hi", ZERO},
    {"%lanemask_eq", MASK_EQ},
    {"%lanemask_le", MASK_LE},
    {"%lanemask_lt", MASK_LT},
    {"%lanemask_ge", MASK_GE},
    {"%lanemask_gt", MASK_GT},
    {"%dynamic_smem_size", DYNAMIC_SHARED},
    {"%total_smem_size", TOTAL_SHARED},
    {"%aggr_smem_size", TOTAL_SHARED},
    /* In grids without clusters each block is one. */
    {"%clusterid.x", CLUSTER_X},
    {"%clusterid.y", CLUSTER_Y},
    {"%clusterid.z", CLUSTER_Z},
    {"%nclusterid.x", CLUSTERS_X},
    {"%nclusterid.y", CLUSTERS_Y},
    {"%nclusterid.z", CLUSTERS_Z},
    {"%cluster_ctaid.x", IN_CLUSTER_X},
    {"%cluster_ctaid.y", IN_CLUSTER_Y},
    {"%cluster_ctaid.z", IN_CLUSTER_Z},
    {"%cluster_nctaid.x", OF_CLUSTER_X},
    {"%cluster_nctaid.y", OF_CLUSTER_Y},
    {"%cluster_nctaid.z", OF_CLUSTER_Z},
    {"%cluster_ctarank", CLUSTER_RANK},
    {"%cluster_nctarank", CLUSTER_SIZE},
    /* The words by which the blocks of a cooperative launch meet. */
    {"%envreg1", WORKSPACE_HIGH},
    {"%envreg2", WORKSPACE_LOW},
    {"%envreg3", ZERO},
    {"%reserved_smem_offset_0", RESERVED_SHARED},
    {"%reserved_smem_offset_1", RESERVED_SHARED},
};

/* %pm0 to %pm7, %pm0_64, ...: what a profiler has the GPU count. */
static bool is_monitor(struct slice name)
{
    const bool wide = name.length == 7 && !memcmp(name.at + 4, "_64", 3);
    return (name.length == 4 || wide) && !memcmp(name.at, "%pm", 3) && name.at[3] >= '0' &&
           name.at[3] <= '7';
}

int special_named(struct slice name)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (slice_is(name, names[i].name))
            return names[i].special;
    return is_monitor(name) ? ZERO : -1;
}

bool special_reserves(int which)
{
    return which == RESERVED_SHARED;
}

/* The value of a register that is the same in all lanes of a warp. */
static uint64_t common(const struct warp *warp, uint32_t which)
{
    const struct machine_run *run = warp->run;
    switch (which) {
    case NTID_X:
    case NTID_Y:
    case NTID_Z:
        return run->launch.block[which - NTID_X];
    case CTAID_X:
    case CTAID_Y:
    case CTAID_Z:
        return warp->block->id[which - CTAID_X];
    case NCTAID_X:
    case NCTAID_Y:
    case NCTAID_Z:
        return run->launch.grid[which - NCTAID_X];
    case CLUSTER_X:
    case CLUSTER_Y:
    case CLUSTER_Z:
        return warp->block->id[which - CLUSTER_X] / run->cluster[which - CLUSTER_X];
    case CLUSTERS_X:
    case CLUSTERS_Y:
    case CLUSTERS_Z:
        return run->launch.grid[which - CLUSTERS_X] / run->cluster[which - CLUSTERS_X];
    case IN_CLUSTER_X:
    case IN_CLUSTER_Y:
    case IN_CLUSTER_Z:
        return warp->block->in_cluster[which - IN_CLUSTER_X];
    case OF_CLUSTER_X:
    case OF_CLUSTER_Y:
    case OF_CLUSTER_Z:
        return run->cluster[which - OF_CLUSTER_X];
    case CLUSTER_RANK:
        return warp->block->rank;
    case CLUSTER_SIZE:
        return (uint64_t)run->cluster_blocks;
    case WARPID:
        return warp->number;
    case NWARPID:
        return (uint64_t)warp->block->warps;
    case NSMID:
        return run->launch.multiprocessors ? run->launch.multiprocessors : 132;
    case SMID:
        return warp->block->number %
               (run->launch.multiprocessors ? run->launch.multiprocessors : 132);
    case CLOCK:
    case TIMER: /* no time but the number of instructions, so that a run repeats */
        return warp->steps;
    case WARP_SIZE:
        return (uint64_t)run->warp_lanes;
    case DYNAMIC_SHARED:
        return run->launch.dynamic_shared;
    case TOTAL_SHARED:
        return run->kernel->static_shared + run->launch.dynamic_shared;
    case RESERVED_SHARED:
        return run->reserved_at;
    case WORKSPACE_HIGH:
        return run->workspace >> 32;
    case WORKSPACE_LOW:
        return (uint32_t)run->workspace;
    default:
        return 0;
    }
}

static uint64_t of_lane(const struct warp *warp, uint32_t which, uint64_t lane)
{
    const uint64_t bit = UINT64_C(1) << lane;
    switch (which) {
    case LANEID:
        return lane;
    case MASK_EQ:
        return bit;
    case MASK_LE:
        return bit | (bit - 1);
    case MASK_LT:
        return bit - 1;
    case MASK_GE:
        return ~(bit - 1);
    case MASK_GT:
        return ~(bit | (bit - 1));
    default:
        return warp->thread[which - TID_X][lane];
    }
}

static bool differs(uint32_t which)
{
    return which <= TID_Z || which == LANEID || (which >= MASK_EQ && which <= MASK_GT);
}

const struct step *special_32(struct warp *warp, const struct step *step)
{
    uint32_t *d = REGISTER(uint32_t, warp, step->d);
    const uint32_t which = step->sub;
    const bool different = differs(which);
    if (which >= MASK_EQ && which <= MASK_GT && warp->run->warp_lanes > 32)
        return warp_size_fault(warp, step, "has a mask of 32 bits for lanes");
    const uint64_t value = different ? 0 : common(warp, which);
    if (!warp->some && which <= TID_Z)
        memcpy(d, warp->thread[which - TID_X], (size_t)warp->slots * sizeof *d);
    else if (!warp->some && !different)
        for (int i = 0; i < warp->slots; i++)
            d[i] = (uint32_t)value;
    else
        FOR_LANES(lane, warp->mask)
    d[lane] = (uint32_t)(different ? of_lane(warp, which, lane) : value);
    return step + 1;
}

const struct step *special_64(struct warp *warp, const struct step *step)
{
    uint64_t *d = REGISTER(uint64_t, warp, step->d);
    FOR_LANES(lane, warp->mask)
    d[lane] = differs(step->sub) ? of_lane(warp, step->sub, lane) : common(warp, step->sub);
    return step + 1;
}

/* The address of a local variable, within local memory. */
const struct step *special_local_64(struct warp *warp, const struct step *step)
{
    uint64_t *d = REGISTER(uint64_t, warp, step->d);
    const uint64_t address = warp->frame->local_base + (uint64_t)step->immediate;
    FOR_LANES(lane, warp->mask)
    d[lane] = address;
    return step + 1;
}

const struct step *special_local_32(struct warp *warp, const struct step *step)
{
    uint32_t *d = REGISTER(uint32_t, warp, step->d);
    const uint32_t address = warp->frame->local_base + (uint32_t)step->immediate;
    FOR_LANES(lane, warp->mask)
    d[lane] = address;
    return step + 1;
}
