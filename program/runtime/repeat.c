/* repeat.c - launches that repeat one before them: their outcome is known, so they are not executed again.
 *
 * A kernel's outcome depends on its arguments, its shape and the bytes of device memory, and on nothing else. Once a
 * launch has left all memory as it found it, the next one with the same arguments and the same memory does what
 * that one did: it writes what is there already, and counts the same. Loops that measure a kernel's time launch it
 * thousands of times like that.
 *
 * Memory is compared by a hash of all ranges before and after, which is worth it where a launch executes far
 * more than there are bytes. What else may decide excludes a launch: texts that it prints, faults (each is counted),
 * textures, the kernels' heap, memory that the host has registered (it may be gone), single accesses that are kept, and
 * orders of warps that are drawn.
 */
#include "program/runtime/runtime.h"

#include <string.h>

enum {
    KEPT = 64,     /* launches that are remembered, by a hash of what they are */
    LEAST = 10000, /* instructions of warps: below, executing is quick */
    BYTES_FOR_EACH =
        50, /* an instruction of a warp takes as long as four hashes of so many bytes */
    MOST_FAILURES = 10
};

struct runtime_repeat {
    const struct runtime_kernel *kernel; /* NULL: free */
    struct machine_launch launch;        /* its pointers are not looked at */
    bool counted;
    void *parameters;
    size_t bytes;            /* of the parameters */
    uint64_t forgotten;      /* the number of times that all was forgotten when it was filled */
    uint64_t launches, next; /* so far; the one that is looked at next */
    uint64_t before,
        state; /* memory before the launch that runs now; after the one whose outcome is kept */
    bool looked, known; /* before is; state, outcome and count are */
    unsigned
        failures; /* launches in a row that left other memory than they found: the more, the longer
                            * none is looked at */
    uint64_t instructions; /* of the last launch */
    struct machine_outcome outcome;
    struct machine_count *count;
};

static struct {
    struct runtime_repeat kept[KEPT];
    uint64_t forgotten;
} repeats;

/* ---- hashes ---------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t sum, uint64_t word)
{
    sum += word * UINT64_C(0xc2b2ae3d27d4eb4f);
    return (sum << 31 | sum >> 33) * UINT64_C(0x9e3779b185ebca87);
}

/* Four sums side by side, as fast as memory is read. */
static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t count)
{
    const unsigned char *at = bytes;
    uint64_t sum[4] = {hash, hash + 1, hash + 2, hash + 3}, word[4];
    for (; count >= sizeof word; at += sizeof word, count -= sizeof word) {
        memcpy(word, at, sizeof word);
        for (int i = 0; i < 4; i++)
            sum[i] = mix(sum[i], word[i]);
    }
    memset(word, 0, sizeof word);
    memcpy(word, at, count);
    for (int i = 0; i < 4; i++)
        hash = mix(mix(hash, sum[i]), word[i]);
    return mix(hash, count);
}

/* Of all memory that kernels may use. false: it is more than `most` bytes, or not all of it is known. */
static bool hash_memory(uint64_t most, uint64_t *hash)
{
    const struct machine_memory *memory = runtime_begin()->memory;
    const struct machine_range *range;
    uint64_t bytes = 0;
    if (machine_memory_has_heap(memory) || runtime_has_textures() || runtime_has_registered())
        return false;
    for (int i = 0; (range = machine_memory_at(memory, i)); i++) {
        bytes += range->freed ? 0 : range->bytes;
        if (bytes > most)
            return false;
    }
    *hash = 0;
    for (int i = 0; (range = machine_memory_at(memory, i)); i++) {
        const uint64_t about[] = {range->address, range->bytes, (uint64_t)range->kind,
                                  range->freed};
        *hash = hash_bytes(*hash, about, sizeof about);
        if (!range->freed)
            *hash = hash_bytes(*hash, range->host, range->bytes);
    }
    return true;
}

/* ---- launches -------------------------------------------------------------------------------- */

static bool is_same(const struct runtime_repeat *repeat, const struct runtime_kernel *kernel,
                    const struct machine_launch *launch, bool counted)
{
    const struct machine_launch *before = &repeat->launch;
    return repeat->kernel == kernel && repeat->forgotten == repeats.forgotten &&
           repeat->counted == counted && !memcmp(before->grid, launch->grid, sizeof launch->grid) &&
           !memcmp(before->block, launch->block, sizeof launch->block) &&
           before->dynamic_shared == launch->dynamic_shared &&
           before->cooperative == launch->cooperative &&
           !memcmp(repeat->parameters, launch->parameters, repeat->bytes);
}

static void clear(struct runtime_repeat *repeat)
{
    runtime_delete(repeat->parameters);
    runtime_delete(repeat->count);
    memset(repeat, 0, sizeof *repeat);
}

struct runtime_repeat *runtime_repeat_begin(const struct runtime_kernel *kernel,
                                            const struct machine_launch *launch, bool counted)
{
    const size_t bytes = kernel->facts.parameter_bytes;
    if (launch->order_seed || !launch->parameters)
        return NULL;
    const uint64_t about[] = {(uint64_t)(uintptr_t)kernel,
                              launch->grid[0],
                              launch->grid[1],
                              launch->grid[2],
                              launch->block[0],
                              launch->block[1]};
    const uint64_t hash = hash_bytes(hash_bytes(0, about, sizeof about), launch->parameters, bytes);
    struct runtime_repeat *repeat = &repeats.kept[(hash >> 32) % KEPT];
    if (!is_same(repeat, kernel, launch, counted)) {
        clear(repeat);
        repeat->parameters = runtime_new(bytes + 1);
        if (!repeat->parameters)
            return NULL;
        memcpy(repeat->parameters, launch->parameters, bytes);
        repeat->kernel = kernel;
        repeat->launch = *launch;
        repeat->counted = counted;
        repeat->bytes = bytes;
        repeat->forgotten = repeats.forgotten;
    }
    const bool worth =
        repeat->launches && repeat->launches >= repeat->next && repeat->instructions >= LEAST;
    repeat->launches++;
    repeat->looked = worth && hash_memory(BYTES_FOR_EACH * repeat->instructions, &repeat->before);
    return repeat;
}

const struct machine_outcome *runtime_repeat_outcome(const struct runtime_repeat *repeat)
{
    return repeat && repeat->looked && repeat->known && repeat->before == repeat->state
               ? &repeat->outcome
               : NULL;
}

static bool keep_outcome(struct runtime_repeat *repeat, const struct machine_outcome *outcome)
{
    const size_t bytes = (size_t)outcome->counts * sizeof *outcome->count;
    runtime_delete(repeat->count);
    repeat->count = outcome->count ? runtime_new(bytes + 1) : NULL;
    if (outcome->count && !repeat->count)
        return false;
    if (outcome->count)
        memcpy(repeat->count, outcome->count, bytes);
    repeat->outcome = *outcome;
    repeat->outcome.count = repeat->count;
    return true;
}

void runtime_repeat_end(struct runtime_repeat *repeat, const struct machine_outcome *outcome)
{
    uint64_t after;
    if (!repeat)
        return;
    repeat->known = false;
    repeat->instructions = outcome ? outcome->instructions : 0;
    if (!repeat->looked || !outcome || !hash_memory(BYTES_FOR_EACH * repeat->instructions, &after))
        return;
    if (after == repeat->before) {
        repeat->state = after;
        repeat->known = keep_outcome(repeat, outcome);
        repeat->failures = 0;
        return;
    }
    repeat->failures += repeat->failures < MOST_FAILURES;
    repeat->next = repeat->launches + (UINT64_C(1) << repeat->failures) - 2;
}

void runtime_repeat_forget(void)
{
    repeats.forgotten++;
}
