/* repeat.c - launches that repeat one before them: their outcome is known, so they are not executed again.
 *
 * A kernel's outcome depends on its arguments, its shape and the bytes of device memory, and on nothing else. A
 * launch with the same arguments and the same memory does what one before it did: it counts the same, and writes what
 * that one wrote. Loops that measure a kernel's time launch it thousands of times like that, some of them after
 * they have cleared its results.
 *
 * Memory is compared by hashes of all its pages before and after, which is worth it where a launch executes far more
 * than there are bytes. The host cannot write to memory of cudaMalloc but by calls of ours: while no kernel has been
 * executed, what none of them has touched since has the hashes that it had. Pages that a launch has changed are kept, if
 * they are few. What else may decide excludes a launch: texts that it prints, faults (each is counted), textures, the
 * kernels' heap, memory that the host has registered (it may be gone), single accesses that are kept, and orders of
 * warps that are drawn.
 */
#include "program/runtime/runtime.h"

#include <string.h>

enum {
    KEPT = 64,     /* launches that are remembered, by a hash of what they are */
    LEAST = 10000, /* instructions of warps: below, executing is quick */
    BYTES_FOR_EACH =
        50, /* an instruction of a warp takes as long as four hashes of so many bytes */
    MOST_FAILURES = 10,
    PAGE = 4096,
    MOST_CHANGED = 64 << 20, /* bytes of the pages that are kept, of all launches */
    TOUCHED = 16,            /* places that calls have written to, beyond which it may be any */
};

struct page {
    unsigned char *at; /* where it is */
    size_t bytes;      /* a range's last one may be shorter */
    size_t number;     /* among all */
    uint64_t hash;
    unsigned char kept[PAGE];
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
        state; /* memory before the launch that runs now; before the one whose outcome is kept */
    bool looked, known;   /* before is; state, outcome, count and changed are */
    struct page *changed; /* by the launch whose outcome is kept */
    size_t pages;
    unsigned
        failures; /* launches in a row that were executed and left other memory than they found: the
                   * more, the longer none is looked at */
    uint64_t instructions; /* of the last launch */
    struct machine_outcome outcome;
    struct machine_count *count;
    struct runtime_footprint *touched; /* order.c; NULL: not known */
};

/* Hashes of the pages of all ranges, one after another. */
struct hashes {
    uint64_t *page;
    size_t count, room;
};
static struct {
    struct runtime_repeat kept[KEPT];
    uint64_t forgotten;
    size_t changed_bytes;        /* of all that are kept */
    struct hashes before, after; /* of the launch that runs now */
    /* The last ones: of memory as it is now, but for what was touched; nothing is known if a kernel was executed since,
     * or if memory was allocated or freed. */
    struct hashes last;
    bool executed;
    uint64_t last_forgotten;
    const void *touched[TOUCHED];
    unsigned touches;
} repeats;

/* ---- hashes ---------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t sum, uint64_t word)
{
    sum += word * UINT64_C(0xc2b2ae3d27d4eb4f);
    return (sum << 31 | sum >> 33) * UINT64_C(0x9e3779b185ebca87);
}

/* Four sums side by side, as fast as memory is read. */
uint64_t runtime_hash(uint64_t hash, const void *bytes, size_t count)
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

/* The bytes of the page that begins there; 0 behind the last one. */
static size_t page_bytes(const struct machine_range *range, uint64_t at)
{
    return range->bytes - at < PAGE ? (size_t)(range->bytes - at) : PAGE;
}

static void forget_changed(struct runtime_repeat *repeat)
{
    repeats.changed_bytes -= repeat->pages * sizeof *repeat->changed;
    runtime_delete(repeat->changed);
    repeat->changed = NULL;
    repeat->pages = 0;
}

static bool is_touched(const struct machine_range *range)
{
    bool touched = repeats.touches > TOUCHED;
    for (unsigned i = 0; i < repeats.touches && !touched; i++)
        touched = (uint64_t)(uintptr_t)repeats.touched[i] - range->address < range->bytes;
    return touched;
}

/* The hash of all memory that kernels may use, and those of its pages. false: it is more than `most` bytes, or not all
 * of it is known. */
static bool hash_memory(uint64_t most, struct hashes *hashes, uint64_t *hash)
{
    size_t count = 0;
    const struct machine_memory *memory = runtime_begin()->memory;
    const struct machine_range *range;
    uint64_t bytes = 0;
    if (machine_memory_has_heap(memory) || runtime_has_textures() || runtime_has_registered())
        return false;
    for (int i = 0; (range = machine_memory_at(memory, i)); i++) {
        bytes += range->freed ? 0 : range->bytes;
        count += range->freed ? 0 : range->bytes / PAGE + 1;
        if (bytes > most)
            return false;
    }
    if (!runtime_grow(&hashes->page, &hashes->room, count, sizeof *hashes->page) ||
        !runtime_grow(&repeats.last.page, &repeats.last.room, count, sizeof *hashes->page))
        return false;
    const bool known = !repeats.executed && repeats.last_forgotten == repeats.forgotten &&
                       repeats.last.count == count;
    size_t at_page = 0;
    hashes->count = repeats.last.count = count;
    *hash = 0;
    for (int i = 0; (range = machine_memory_at(memory, i)); i++) {
        const uint64_t about[] = {range->address, range->bytes, (uint64_t)range->kind,
                                  range->freed};
        const bool stays = known && range->kind == MACHINE_DEVICE && !is_touched(range);
        *hash = runtime_hash(*hash, about, sizeof about);
        for (uint64_t at = 0; !range->freed && at <= range->bytes; at += PAGE) {
            uint64_t *page = &repeats.last.page[at_page];
            if (!stays)
                *page = runtime_hash(0, range->host + at, page_bytes(range, at));
            hashes->page[at_page++] = *page;
            *hash = mix(*hash, *page);
        }
    }
    repeats.executed = false;
    repeats.last_forgotten = repeats.forgotten;
    repeats.touches = 0;
    return true;
}

/* Keeps the pages that a launch has changed. false: they are too many. */
static bool keep_changed(struct runtime_repeat *repeat)
{
    const struct machine_range *range;
    const uint64_t *before = repeats.before.page, *after = repeats.after.page;
    size_t count = 0, number = 0;
    if (repeats.before.count != repeats.after.count)
        return false;
    for (size_t i = 0; i < repeats.before.count; i++)
        count += before[i] != after[i];
    forget_changed(repeat);
    if (count > (MOST_CHANGED - repeats.changed_bytes) / sizeof *repeat->changed)
        return false;
    repeat->changed = runtime_new(count * sizeof *repeat->changed + 1);
    if (!repeat->changed)
        return false;
    repeats.changed_bytes += count * sizeof *repeat->changed;
    for (int i = 0; (range = machine_memory_at(runtime_begin()->memory, i)); i++)
        for (uint64_t at = 0; !range->freed && at <= range->bytes; at += PAGE, number++)
            if (before[number] != after[number]) {
                struct page *page = &repeat->changed[repeat->pages++];
                page->number = number;
                page->hash = after[number];
                page->at = range->host + at;
                page->bytes = page_bytes(range, at);
                memcpy(page->kept, page->at, page->bytes);
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
           !memcmp(before->cluster, launch->cluster, sizeof launch->cluster) &&
           before->dynamic_shared == launch->dynamic_shared &&
           before->stack_bytes == launch->stack_bytes &&
           before->cooperative == launch->cooperative &&
           !memcmp(repeat->parameters, launch->parameters, repeat->bytes);
}

static void clear(struct runtime_repeat *repeat)
{
    forget_changed(repeat);
    runtime_delete(repeat->parameters);
    runtime_delete(repeat->count);
    runtime_footprint_free(repeat->touched);
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
    const uint64_t hash =
        runtime_hash(runtime_hash(0, about, sizeof about), launch->parameters, bytes);
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
    repeat->looked = worth && hash_memory(BYTES_FOR_EACH * repeat->instructions, &repeats.before,
                                          &repeat->before);
    return repeat;
}

const struct machine_outcome *runtime_repeat_outcome(struct runtime_repeat *repeat)
{
    if (!repeat || !repeat->looked || !repeat->known || repeat->before != repeat->state)
        return NULL;
    for (size_t i = 0; i < repeat->pages; i++) {
        const struct page *page = &repeat->changed[i];
        memcpy(page->at, page->kept, page->bytes);
        repeats.last.page[page->number] = page->hash;
    }
    repeat->failures = 0;
    return &repeat->outcome;
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
    repeat->instructions = outcome ? outcome->instructions : 0;
    if (!repeat->looked || !outcome ||
        !hash_memory(BYTES_FOR_EACH * repeat->instructions, &repeats.after, &after))
        return;
    repeat->state = repeat->before;
    repeat->known = keep_changed(repeat) && keep_outcome(repeat, outcome);
    if (after == repeat->before) {
        repeat->failures = 0;
        return;
    }
    repeat->failures += repeat->failures < MOST_FAILURES;
    repeat->next = repeat->launches + (UINT64_C(1) << repeat->failures) - 2;
}

struct runtime_footprint **runtime_repeat_footprint(struct runtime_repeat *repeat)
{
    return repeat && repeat->looked ? &repeat->touched : NULL;
}

void runtime_repeat_executes(void)
{
    repeats.executed = true;
}

void runtime_repeat_touch(const void *at)
{
    const unsigned touches = repeats.touches;
    if (touches <= TOUCHED && !(touches && repeats.touched[touches - 1] == at)) {
        if (touches < TOUCHED)
            repeats.touched[touches] = at;
        repeats.touches++;
    }
}

void runtime_repeat_forget(void)
{
    repeats.forgotten++;
}
