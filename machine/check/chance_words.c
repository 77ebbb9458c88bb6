/* chance_words.c - words of a block's shared memory that depend on which warp is first, since they were stored where
 * chance decided which lanes come.
 *
 *     if (atomicCAS(&seen[i], 0, 1) == 0)     by chance
 *         queue[atomicAdd(&count, 1)] = i;    both are such words from here on
 *     __syncthreads();
 *     for (k = lane; k < count; k += 32)      by chance, too
 *
 * A store elsewhere ends that for its words. From the first such word on all warps of the block are looked at
 * instruction by instruction, to its end.
 */
#include "machine/check/chance.h"

#include <string.h>

#ifndef __wasm__ /* see track.h */

struct chance_words {
    uint32_t words, count; /* of shared memory; of these, so many are such */
    uint64_t bits[];
};

void chance_words_forget(struct block *block)
{
    struct chance_words *words = block->chance_words;
    if (words && words->count) {
        words->count = 0;
        memset(words->bits, 0, (words->words / 64 + 1) * sizeof *words->bits);
    }
}

bool chance_words_any(const struct block *block)
{
    return block->chance_words && block->chance_words->count;
}

static struct chance_words *words_of(struct warp *warp)
{
    const uint32_t words = (uint32_t)(warp->run->shared_bytes / 4);
    struct block *block = warp->block;
    if (!block->chance_words) {
        block->chance_words =
            run_new(warp->run, &warp->worker->arena,
                    sizeof *block->chance_words + (words / 64 + 1) * sizeof(uint64_t));
        if (block->chance_words)
            block->chance_words->words = words;
    }
    return block->chance_words;
}

/* The words that a lane's access touches: from *first, so many. 0: it is not of the block's shared memory. */
static uint32_t touched(const struct warp *warp, const struct step *step, uint64_t lane,
                        uint32_t *first)
{
    const struct access *access = step->extra;
    uint64_t at;
    if (!chance_shared(step, warp->registers + step->a, lane, &at))
        return 0;
    const uint64_t from = (uint32_t)at, end = from + (uint64_t)access->bytes * access->elements;
    *first = (uint32_t)(from / 4);
    return end <= warp->run->shared_bytes ? (uint32_t)((end + 3) / 4) - *first : 0;
}

static void set_word(struct chance_words *words, uint32_t word, bool chance)
{
    uint64_t *bits = &words->bits[word / 64];
    const uint64_t bit = UINT64_C(1) << word % 64;
    words->count -= (*bits & bit) != 0;
    words->count += chance;
    *bits = chance ? *bits | bit : *bits & ~bit;
}

void chance_words_store(struct warp *warp, const struct step *step, uint64_t mask, bool chance)
{
    struct block *block = warp->block;
    struct chance_words *words = chance ? words_of(warp) : block->chance_words;
    const bool any = chance_words_any(block);
    if (!words || (!chance && !any))
        return;
    FOR_LANES(lane, mask)
    {
        uint32_t first;
        const uint32_t count = touched(warp, step, lane, &first);
        for (uint32_t i = 0; i < count; i++)
            set_word(words, first + i, chance);
    }
    for (int i = 0; i < block->warps && !any && words->count; i++)
        block->warp[i]->tracked = true;
}

uint64_t chance_words_load(const struct warp *warp, const struct step *step, uint64_t mask)
{
    const struct chance_words *words = warp->block->chance_words;
    uint64_t lanes = 0;
    FOR_LANES(lane, mask)
    {
        uint32_t first;
        const uint32_t count =
            chance_words_any(warp->block) ? touched(warp, step, lane, &first) : 0;
        for (uint32_t i = 0; i < count; i++)
            lanes |= (words->bits[(first + i) / 64] >> (first + i) % 64 & 1) << lane;
    }
    return lanes;
}
#endif
