/* keep.c - keeps the single accesses of a launch's first whole blocks, up to a number.
 *
 * Which blocks are kept does not depend on how fast they run: those from the first on whose accesses together
 * are not more than was asked for. With 100 asked for, and blocks of 40 accesses each, that is two:
 *
 *     block  0   1   2   3        blocks 2 and 3 may run before 0 has ended; what
 *            40  40  40  ...      they write is given back in the end
 *
 * The first block is kept in any case, its first 100 accesses if it has more. Blocks write into chunks of
 * their own, so that only a chunk's taking is under a lock.
 */
#include "program/runtime/runtime.h"

#include <pthread.h>
#include <string.h>

enum { MOST_BLOCKS = 1 << 20 };

struct block {
    struct records_chunk *chunk; /* that is written now */
    uint32_t first;              /* chunk, plus 1; 0: none */
    uint32_t chunks, accesses;
    bool ended, cut;
};
struct runtime_keep {
    pthread_mutex_t lock;
    uint64_t from, to; /* blocks that may be kept, the last one included */
    uint64_t most;     /* accesses */
    uint32_t row;
    bool values, follow;
    uint32_t executed;    /* instructions and registers of the followed warp, so far */
    struct block **block; /* from `from` on */
    size_t blocks, room;
    size_t prefix; /* blocks from the first on that have all ended */
    uint64_t prefix_accesses, lost;
};

/* Chunks that were given back, of all launches. */
static struct {
    pthread_mutex_t lock;
    uint32_t *chunk;
    size_t count, room;
    struct records_chunk *first; /* chunk 0, once one was taken */
} spare = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct records_chunk *take_chunk(uint32_t *number)
{
    struct records_chunk *chunk = NULL;
    uint64_t at;
    pthread_mutex_lock(&spare.lock);
    if (spare.count) {
        *number = spare.chunk[--spare.count];
        chunk = spare.first + *number;
    }
    pthread_mutex_unlock(&spare.lock);
    if (chunk)
        return chunk;
    chunk = runtime_claim(RECORDS_TABLE_CHUNKS, 1, &at);
    if (!chunk)
        return NULL;
    *number = (uint32_t)at;
    __atomic_store_n(&spare.first, chunk - at, __ATOMIC_RELAXED);
    return chunk;
}

static void give_chunk(uint32_t number)
{
    struct records_chunk *chunk = spare.first + number;
    __atomic_store_n(&chunk->head.ready, 0, __ATOMIC_RELEASE);
    pthread_mutex_lock(&spare.lock);
    if (runtime_grow(&spare.chunk, &spare.room, spare.count + 1, sizeof *spare.chunk))
        spare.chunk[spare.count++] = number;
    pthread_mutex_unlock(&spare.lock);
}

struct runtime_keep *runtime_keep_new(const struct runtime_report *report)
{
    const struct records_choice *choice = runtime_choice();
    const bool follow = choice->follow && report->number == choice->launch;
    if ((!choice->accesses && !follow) || report->row == RECORDS_NOTHING || report->folded)
        return NULL;
    struct runtime_keep *keep = runtime_new(sizeof *keep);
    if (!keep)
        return NULL;
    pthread_mutex_init(&keep->lock, NULL);
    keep->follow = follow;
    keep->from = choice->accesses ? choice->first_block : choice->follow_block;
    keep->to = choice->accesses ? choice->last_block : choice->follow_block;
    keep->most = choice->accesses < UINT32_MAX ? choice->accesses : UINT32_MAX;
    keep->row = report->row;
    keep->values = choice->values;
    return keep;
}

static bool wants_locked(struct runtime_keep *keep, uint64_t block)
{
    size_t index = (size_t)(block - keep->from);
    if ((keep->prefix_accesses >= keep->most && keep->most) || index >= MOST_BLOCKS ||
        !runtime_grow(&keep->block, &keep->room, index + 1, sizeof(struct block *)))
        return false;
    if (!keep->block[index])
        keep->block[index] = runtime_new(sizeof(struct block));
    if (!keep->block[index])
        return false;
    keep->blocks = index + 1 > keep->blocks ? index + 1 : keep->blocks;
    return true;
}

bool runtime_keep_wants(struct runtime_keep *keep, uint64_t block)
{
    if (block < keep->from || block > keep->to)
        return false;
    pthread_mutex_lock(&keep->lock);
    bool wants = wants_locked(keep, block);
    pthread_mutex_unlock(&keep->lock);
    return wants;
}

/* The list may move while others wait for a place in it; what is in it does not. */
static struct block *block_of(struct runtime_keep *keep, uint64_t number)
{
    size_t index = (size_t)(number - keep->from);
    pthread_mutex_lock(&keep->lock);
    struct block *block = number >= keep->from && index < keep->blocks ? keep->block[index] : NULL;
    pthread_mutex_unlock(&keep->lock);
    return block;
}

static bool next_chunk(struct runtime_keep *keep, struct block *block, uint64_t number)
{
    uint32_t taken;
    struct records_chunk *chunk = take_chunk(&taken);
    if (!chunk) {
        block->cut = true;
        return false;
    }
    chunk->head = (struct records_chunk_head){
        .launch = keep->row, .sequence = block->chunks, .block = number};
    if (block->chunk)
        block->chunk->head.next = taken + 1;
    else
        block->first = taken + 1;
    block->chunk = chunk;
    block->chunks++;
    __atomic_store_n(&chunk->head.ready, 1, __ATOMIC_RELEASE);
    return true;
}

/* Room for an entry of so many bytes behind its head; NULL: there is none left. */
static unsigned char *add_entry(struct runtime_keep *keep, struct block *block, uint64_t number,
                                const struct records_entry *entry, size_t bytes)
{
    size_t size = (sizeof *entry + bytes + 7) / 8 * 8;
    if (!block->chunk || block->chunk->head.used + size > sizeof block->chunk->entries)
        if (!next_chunk(keep, block, number))
            return NULL;
    unsigned char *at = block->chunk->entries + block->chunk->head.used;
    struct records_entry sized = *entry;
    sized.size = (uint16_t)(size / 8);
    memset(at + size - 8, 0, 8);
    memcpy(at, &sized, sizeof sized);
    block->chunk->head.used += (uint32_t)size;
    return at + sizeof sized;
}

void runtime_keep_access(struct runtime_keep *keep, const struct machine_access *access)
{
    struct block *block = block_of(keep, access->block);
    if (!block || block->cut || block->accesses >= keep->most) {
        if (block)
            block->cut = true;
        __atomic_fetch_add(&keep->lost, 1, __ATOMIC_RELAXED);
        return;
    }
    bool values = keep->values && access->value;
    size_t lanes = (size_t)__builtin_popcountll(access->mask), width = (size_t)access->bytes;
    struct records_entry entry = {.kind = RECORDS_ACCESS,
                                  .warp = (uint16_t)access->warp,
                                  .values = values,
                                  .lanes = (uint8_t)lanes,
                                  .access = (uint32_t)access->access,
                                  .phase = access->phase,
                                  .step = access->step,
                                  .mask = access->mask};
    unsigned char *at =
        add_entry(keep, block, access->block, &entry, lanes * (8 + (values ? width : 0)));
    if (!at)
        return;
    unsigned char *value = at + lanes * 8;
    for (uint64_t left = access->mask; left; left &= left - 1) {
        int lane = __builtin_ctzll(left);
        memcpy(at, &access->address[lane], 8);
        at += 8;
        if (values) {
            memcpy(value, access->value + (size_t)lane * width, width);
            value += width;
        }
    }
    block->accesses++;
}

bool runtime_keep_follows(struct runtime_keep *keep, uint64_t block, uint32_t warp)
{
    const struct records_choice *choice = runtime_choice();
    return keep->follow && block == choice->follow_block && warp == choice->follow_warp &&
           runtime_keep_wants(keep, block);
}

/* A row of what a warp executed: a register that was written, or none. Its text is that of the instruction. */
static void keep_executed(struct runtime_keep *keep, struct block *block,
                          const struct machine_executed *executed,
                          const struct machine_result *result, const char *text, uint32_t site)
{
    const size_t lanes = (size_t)__builtin_popcountll(executed->mask);
    const size_t width = result ? (size_t)result->bytes : 0;
    const char *texts[RECORDS_EXECUTED_TEXTS] = {result ? result->name : "",
                                                 result ? result->type : "", text};
    size_t bytes = lanes * width;
    for (int i = 0; i < RECORDS_EXECUTED_TEXTS; i++)
        bytes += strlen(texts[i]) + 1;
    const struct records_entry entry = {.kind = RECORDS_EXECUTED,
                                        .warp = (uint16_t)executed->warp,
                                        .values = (uint8_t)width,
                                        .lanes = (uint8_t)lanes,
                                        .access = site,
                                        .phase = executed->phase,
                                        .step = (uint64_t)executed->line,
                                        .mask = executed->mask};
    unsigned char *at = keep->executed++ < RECORDS_EXECUTED_MOST
                            ? add_entry(keep, block, executed->block, &entry, bytes)
                            : NULL;
    if (!at)
        return;
    for (uint64_t left = width ? executed->mask : 0; left; left &= left - 1) {
        memcpy(at, result->value + (size_t)__builtin_ctzll(left) * width, width);
        at += width;
    }
    for (int i = 0; i < RECORDS_EXECUTED_TEXTS; i++) {
        const size_t length = strlen(texts[i]) + 1;
        memcpy(at, texts[i], length);
        at += length;
    }
}

void runtime_keep_executed(struct runtime_keep *keep, const struct machine_executed *executed,
                           uint32_t site)
{
    struct block *block = block_of(keep, executed->block);
    char text[200];
    size_t used = 0;
    for (int i = 0; i < executed->text_length && used + 1 < sizeof text; i++) {
        const char c = executed->text[i];
        const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
        if (!blank)
            text[used++] = c > ' ' && c < 127 ? c : '?';
        else if (used && text[used - 1] != ' ')
            text[used++] = ' ';
    }
    text[used] = '\0';
    for (int i = 0; block && (i == 0 || i < executed->results); i++)
        keep_executed(keep, block, executed, i < executed->results ? &executed->result[i] : NULL,
                      i ? "" : text, site);
}

void runtime_keep_stage(struct runtime_keep *keep, uint64_t number, uint32_t warp, const char *name,
                        size_t length)
{
    struct block *block = block_of(keep, number);
    if (!block || block->cut)
        return;
    length = length < 255 ? length : 255;
    struct records_entry entry = {
        .kind = RECORDS_STAGE, .warp = (uint16_t)warp, .lanes = (uint8_t)length};
    unsigned char *at = add_entry(keep, block, number, &entry, length);
    if (at)
        memcpy(at, name, length);
}

void runtime_keep_round(struct runtime_keep *keep, uint64_t number, uint32_t warp, int64_t round)
{
    struct block *block = block_of(keep, number);
    struct records_entry entry = {
        .kind = RECORDS_ROUND, .warp = (uint16_t)warp, .step = (uint64_t)round};
    if (block && !block->cut)
        add_entry(keep, block, number, &entry, 0);
}

/* Says that a block is whole: how many chunks it has stands in its first one. */
static void seal(const struct block *block)
{
    if (!block->first)
        return;
    struct records_chunk_head *first = &spare.first[block->first - 1].head;
    first->accesses = block->accesses;
    __atomic_store_n(&first->chunks, block->chunks, __ATOMIC_RELEASE);
}

void runtime_keep_block_end(struct runtime_keep *keep, uint64_t number)
{
    struct block *block = block_of(keep, number);
    if (!block)
        return;
    if (!block->cut || number == keep->from)
        seal(block);
    pthread_mutex_lock(&keep->lock);
    block->ended = true;
    while (keep->prefix < keep->blocks && keep->block[keep->prefix] &&
           keep->block[keep->prefix]->ended)
        keep->prefix_accesses += keep->block[keep->prefix++]->accesses;
    pthread_mutex_unlock(&keep->lock);
}

static void give_block(const struct block *block)
{
    for (uint32_t at = block->first, left = block->chunks; left; left--) {
        uint32_t next = spare.first[at - 1].head.next;
        give_chunk(at - 1);
        at = next;
    }
}

void runtime_keep_end(struct runtime_keep *keep, struct runtime_report *report)
{
    uint64_t kept = 0, accesses = 0;
    bool going = true;
    if (!keep)
        return;
    for (size_t i = 0; i < keep->blocks; i++) {
        struct block *block = keep->block[i];
        if (!block)
            continue;
        if (keep->follow && !block->ended && keep->from + i == runtime_choice()->follow_block) {
            seal(block); /* what ended the launch is at its end */
            block->ended = true;
        }
        going = going && block->ended && (i == 0 || !block->cut) &&
                (i == 0 || accesses + block->accesses <= keep->most);
        if (going) {
            kept++;
            accesses += block->accesses;
        } else {
            keep->lost += block->accesses;
            give_block(block);
        }
        runtime_delete(block);
    }
    report->live->kept_blocks = kept;
    report->live->kept_accesses = accesses;
    report->live->lost_accesses = keep->lost;
    runtime_delete(keep->block);
    runtime_delete(keep);
}
