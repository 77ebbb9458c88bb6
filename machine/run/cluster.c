/* cluster.c - blocks of a cluster: their barrier, and addresses of each other's shared memory.
 *
 * The barrier of the cluster is in two parts. A thread that arrives goes on; when it waits, it waits until all threads
 * of the cluster that live have arrived, as often as it has. The cluster counts how often that was (its phase).
 */
#include "machine/check/check.h"

/* ---- addresses --------------------------------------------------------------------------------- */

struct block *cluster_block(const struct warp *warp, uint64_t address, uint64_t *within)
{
    const struct cluster *cluster = warp->block->cluster;
    const uint64_t rank = address >> CLUSTER_SHIFT;
    *within = address & ((UINT64_C(1) << CLUSTER_SHIFT) - 1);
    if (!rank)
        return warp->block;
    if (!warp->run->explicit_cluster) /* then no address has a rank: it is too large */
        return NULL;
    return rank <= (uint64_t)cluster->blocks ? cluster->block[rank - 1] : NULL;
}

/* mapa: the address that stands for the same byte of shared memory in the block of that rank. */
static uint64_t mapped(const struct warp *warp, uint64_t address, uint32_t rank)
{
    const uint64_t high = UINT64_C(0xff) << CLUSTER_SHIFT;
    if (!warp->run->explicit_cluster)
        return address;
    return (address & ~high) | (uint64_t)(rank + 1) << CLUSTER_SHIFT;
}

static bool is_rank(struct warp *warp, uint64_t lane, uint32_t rank)
{
    if (rank < (uint32_t)warp->run->cluster_blocks)
        return true;
    fault(warp, (int)lane, MACHINE_FAULT_INSTRUCTION,
          "mapa: there is no block %u in a cluster of %d", rank, warp->run->cluster_blocks);
    return false;
}

/* mapa: a: an address, b: a rank. */
const struct step *cluster_map_32(struct warp *warp, const struct step *step)
{
    const uint32_t *a = REGISTER(const uint32_t, warp, step->a),
                   *b = REGISTER(const uint32_t, warp, step->b);
    uint32_t *d = REGISTER(uint32_t, warp, step->d);
    FOR_LANES(i, warp->mask)
    {
        if (!is_rank(warp, i, b[i]))
            return NULL;
        d[i] = (uint32_t)mapped(warp, a[i], b[i]);
    }
    return step + 1;
}

const struct step *cluster_map_64(struct warp *warp, const struct step *step)
{
    const uint64_t *a = REGISTER(const uint64_t, warp, step->a);
    const uint32_t *b = REGISTER(const uint32_t, warp, step->b);
    uint64_t *d = REGISTER(uint64_t, warp, step->d);
    FOR_LANES(i, warp->mask)
    {
        if (!is_rank(warp, i, b[i]))
            return NULL;
        d[i] = mapped(warp, a[i], b[i]);
    }
    return step + 1;
}

static uint32_t rank_of(const struct warp *warp, uint64_t address)
{
    const uint32_t rank = address >> CLUSTER_SHIFT & 0xff;
    return rank ? rank - 1 : warp->block->rank;
}

const struct step *cluster_rank_32(struct warp *warp, const struct step *step)
{
    const uint32_t *a = REGISTER(const uint32_t, warp, step->a);
    uint32_t *d = REGISTER(uint32_t, warp, step->d);
    FOR_LANES(i, warp->mask)
    d[i] = rank_of(warp, a[i]);
    return step + 1;
}

const struct step *cluster_rank_64(struct warp *warp, const struct step *step)
{
    const uint64_t *a = REGISTER(const uint64_t, warp, step->a);
    uint32_t *d = REGISTER(uint32_t, warp, step->d);
    FOR_LANES(i, warp->mask)
    d[i] = rank_of(warp, a[i]);
    return step + 1;
}

/* %is_explicit_cluster */
const struct step *cluster_explicit(struct warp *warp, const struct step *step)
{
    *REGISTER(uint64_t, warp, step->d) = warp->run->explicit_cluster ? ~UINT64_C(0) : 0;
    return step + 1;
}

/* ---- the barrier ------------------------------------------------------------------------------- */

static void wake(struct warp *warp)
{
    int kept = 0;
    bool woken = false;
    for (int k = 0; k < warp->waitings; k++) {
        if (warp->waiting[k].barrier == CLUSTER_BARRIER) {
            warp->ready[warp->readies++] = warp->waiting[k];
            woken = true;
        } else {
            warp->waiting[kept++] = warp->waiting[k];
        }
    }
    warp->waitings = kept;
    if (!woken)
        return;
    if (warp->status == WARP_WAITS)
        warp->status = WARP_READY;
    if (warp->frame) /* the running warp must see who waits for it */
        warp_set_stop(warp);
}

void cluster_release(struct cluster *cluster)
{
    uint32_t alive = 0;
    for (int i = 0; i < cluster->blocks; i++)
        alive += cluster->block[i]->alive;
    if (cluster->arrived < alive)
        return;
    check_cluster(cluster);
    cluster->arrived = 0;
    cluster->phase++;
    for (int i = 0; i < cluster->blocks; i++)
        for (int k = 0; k < cluster->block[i]->warps && cluster->block[i]->alive; k++)
            wake(cluster->block[i]->warp[k]);
}

const struct step *cluster_arrive(struct warp *warp, const struct step *step)
{
    struct cluster *cluster = warp->block->cluster;
    FOR_LANES(i, warp->mask)
    warp->cluster_phase[i] = cluster->phase + 1;
    cluster->arrived += (uint32_t)warp->lanes_on;
    cluster_release(cluster);
    return step + 1;
}

const struct step *cluster_wait(struct warp *warp, const struct step *step)
{
    const struct cluster *cluster = warp->block->cluster;
    const int first = __builtin_ctzll(warp->mask);
    if (!warp->cluster_phase[first])
        return fault(warp, first, MACHINE_FAULT_INSTRUCTION,
                     "barrier.cluster.wait without a barrier.cluster.arrive before it");
    warp->phase++; /* of the recording: what is behind it is another part of the kernel */
    if (cluster->phase >= warp->cluster_phase[first])
        return step + 1;
    warp->waiting[warp->waitings++] =
        (struct group){warp->frame, step + 1, warp->mask, CLUSTER_BARRIER};
    const struct step *next = warp_pick(warp);
    if (!next) {
        warp->status = WARP_WAITS;
        warp->at = NULL;
    }
    return next;
}
