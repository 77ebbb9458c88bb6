/* records.c - the bankscope process' side of records.h: makes the file, and reads what a child wrote.
 *
 * The child may write anything at any time, so each row is copied first and then checked, and where the
 * tables are is known here and not read from the file. The file's size is sealed: nobody can take pages
 * away from under a reader.
 */
#define _GNU_SOURCE /* memfd_create */
#include "program/records.h"
#include "machine/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Rows; pages that nobody writes cost nothing. */
static const uint64_t rooms[RECORDS_TABLES] = {
    [RECORDS_TABLE_TEXT] = 64 << 20,    [RECORDS_TABLE_SITES] = 1 << 20,
    [RECORDS_TABLE_ARRAYS] = 1 << 18,   [RECORDS_TABLE_KERNELS] = 1 << 16,
    [RECORDS_TABLE_ACCESSES] = 1 << 21, [RECORDS_TABLE_LAUNCHES] = 1 << 17,
    [RECORDS_TABLE_COUNTS] = 1 << 24,   [RECORDS_TABLE_FAULTS] = 1 << 12,
};

static const char *const table_names[RECORDS_TABLES] = {
    "text", "sites", "arrays", "kernels", "accesses", "launches", "counts", "faults", "chunks"};

enum { PAGE = 4096, DEEPEST = 256 /* calls that were inlined into each other */ };

struct records {
    int descriptor, process;   /* process: that made it */
    struct records_head *head; /* the mapping */
    uint64_t bytes;
    struct records_table table[RECORDS_TABLES]; /* as it was made */
};

/* ---- making the file ------------------------------------------------------------------------- */

static uint64_t lay_out(struct records *records, uint64_t chunk_bytes)
{
    uint64_t at = (sizeof *records->head + PAGE - 1) / PAGE * PAGE;
    for (int i = 0; i < RECORDS_TABLES; i++) {
        struct records_table *table = &records->table[i];
        table->at = at;
        table->room = i == RECORDS_TABLE_CHUNKS ? chunk_bytes / RECORDS_CHUNK : rooms[i];
        at += (table->room * records_row_bytes(i) + PAGE - 1) / PAGE * PAGE;
    }
    return at;
}

static bool map(struct records *records, struct error *error)
{
    records->descriptor = memfd_create("bankscope", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (records->descriptor < 0)
        return error_set(error, "cannot make a file in memory: %s", strerror(errno));
    if (ftruncate(records->descriptor, (off_t)records->bytes))
        return error_set(error, "cannot make a file of %llu MB in memory: %s (ulimit -f?)",
                         (unsigned long long)(records->bytes >> 20), strerror(errno));
    fcntl(records->descriptor, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
    void *at = mmap(NULL, records->bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
                    records->descriptor, 0);
    if (at == MAP_FAILED)
        return error_set(error, "cannot map %llu MB: %s (ulimit -v?)",
                         (unsigned long long)(records->bytes >> 20), strerror(errno));
    records->head = at;
    return true;
}

struct records *records_new(const struct records_choice *choice, const char *kernels,
                            uint64_t chunk_bytes, struct error *error)
{
    struct records *records = memory_new(1, sizeof *records);
    uint64_t length = kernels ? strlen(kernels) : 0;
    records->process = getpid();
    records->bytes = lay_out(records, chunk_bytes);
    if (!map(records, error) ||
        (length > records->table[RECORDS_TABLE_TEXT].room / 2 &&
         !error_set(error, "too many kernels are named (%llu bytes of names)",
                    (unsigned long long)length))) {
        records_free(records);
        return NULL;
    }
    struct records_head *head = records->head;
    head->choice = *choice;
    head->choice.kernels = 0;
    head->choice.kernels_length = length;
    memcpy(head->table, records->table, sizeof head->table);
    if (length)
        memcpy((char *)head + head->table[RECORDS_TABLE_TEXT].at, kernels, length);
    head->table[RECORDS_TABLE_TEXT].used = length;
    head->bytes = records->bytes;
    head->format = RECORDS_FORMAT;
    head->magic = RECORDS_MAGIC;
    return records;
}

bool records_tell_code(struct records *records, const char *loops)
{
    struct records_head *head = records->head;
    struct records_table *text = &head->table[RECORDS_TABLE_TEXT];
    const uint64_t length = strlen(loops);
    if (length > rooms[RECORDS_TABLE_TEXT] / 4 || text->used > text->room - length)
        return false;
    memcpy((char *)head + text->at + text->used, loops, length);
    head->choice.loops = text->used;
    head->choice.loops_length = length;
    text->used += length;
    return true;
}

void records_free(struct records *records)
{
    if (!records)
        return;
    if (records->head)
        munmap(records->head, records->bytes);
    if (records->descriptor >= 0)
        close(records->descriptor);
    free(records);
}

void records_export(const struct records *records)
{
    char name[64];
    snprintf(name, sizeof name, "/proc/%d/fd/%d", records->process, records->descriptor);
    setenv(RECORDS_FILE, name, 1);
}

/* ---- while the child runs -------------------------------------------------------------------- */

/* Rows that are there, whatever the child says. */
static uint64_t rows(const struct records *records, enum records_tables which)
{
    uint64_t used = __atomic_load_n(&records->head->table[which].used, __ATOMIC_ACQUIRE);
    return used < records->table[which].room ? used : records->table[which].room;
}

static const void *row(const struct records *records, enum records_tables which, uint64_t index)
{
    return (const char *)records->head + records->table[which].at +
           index * records_row_bytes(which);
}

void records_progress(const struct records *records, struct records_progress *progress)
{
    const struct records_head *head = records->head;
    *progress =
        (struct records_progress){.attached = __atomic_load_n(&head->attached, __ATOMIC_RELAXED),
                                  .launches = __atomic_load_n(&head->launches, __ATOMIC_RELAXED)};
    uint64_t current = __atomic_load_n(&head->current, __ATOMIC_ACQUIRE);
    if (current == 0 || current > rows(records, RECORDS_TABLE_LAUNCHES))
        return;
    const struct records_launch *launch = row(records, RECORDS_TABLE_LAUNCHES, current - 1);
    progress->blocks = __atomic_load_n(&launch->blocks, __ATOMIC_RELAXED);
    progress->blocks_done = __atomic_load_n(&launch->blocks_done, __ATOMIC_RELAXED);
    if (progress->blocks_done > progress->blocks)
        progress->blocks_done = progress->blocks;
}

/* ---- after its end: copies that are checked -------------------------------------------------- */

static bool good_text(const struct records_taken *taken, struct records_text text)
{
    return text.at <= taken->text_bytes && text.length <= taken->text_bytes - text.at;
}

static bool good_part(uint64_t first, uint64_t count, uint64_t all)
{
    return first <= all && count <= all - first;
}

static bool is_site(const struct records_taken *taken, uint32_t site)
{
    return site == RECORDS_NOTHING || (site < taken->sites && taken->site[site].ready);
}

static bool good_site(const struct records_taken *taken, const void *data)
{
    const struct records_site *site = data;
    uint32_t at = site->inlined_at;
    int depth = 0;
    while (at != RECORDS_NOTHING && is_site(taken, at) && depth++ < DEEPEST)
        at = taken->site[at].inlined_at;
    return at == RECORDS_NOTHING && good_text(taken, site->file) &&
           good_text(taken, site->function);
}

static bool good_array(const struct records_taken *taken, const void *data)
{
    const struct records_array *array = data;
    return good_text(taken, array->name) && array->offset <= MACHINE_SHARED &&
           array->bytes <= MACHINE_SHARED;
}

static bool good_access(const struct records_taken *taken, const void *data)
{
    const struct records_access *access = data;
    uint32_t bytes = access->bytes;
    return access->op < OPS && access->global < RECORDS_SPACES &&
           (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16) &&
           is_site(taken, access->site) && good_text(taken, access->text) &&
           good_text(taken, access->array);
}

static bool good_kernel(const struct records_taken *taken, const void *data)
{
    const struct records_kernel *kernel = data;
    bool good = good_text(taken, kernel->name) &&
                good_part(kernel->first_access, kernel->accesses, taken->accesses) &&
                good_part(kernel->first_array, kernel->arrays, taken->arrays);
    for (uint32_t i = 0; good && i < kernel->accesses; i++)
        good = taken->access[kernel->first_access + i].ready;
    for (uint32_t i = 0; good && i < kernel->arrays; i++)
        good = taken->array[kernel->first_array + i].ready;
    return good;
}

static bool is_kernel(const struct records_taken *taken, uint32_t kernel)
{
    return kernel < taken->kernels && taken->kernel[kernel].ready;
}

static bool good_launch(const struct records_taken *taken, const void *data)
{
    const struct records_launch *launch = data;
    return is_kernel(taken, launch->kernel) && launch->outcome < RECORDS_OUTCOMES &&
           launch->launches > 0 && is_site(taken, launch->parent_site) &&
           (launch->parent == RECORDS_NOTHING || is_kernel(taken, launch->parent)) &&
           (launch->counts == 0 || launch->counts == taken->kernel[launch->kernel].accesses) &&
           good_text(taken, launch->arguments) &&
           good_part(launch->first_count, launch->counts, taken->counts);
}

static bool good_fault(const struct records_taken *taken, const void *data)
{
    const struct records_fault *fault = data;
    bool known = fault->kind < MACHINE_FAULT_KINDS ||
                 (fault->kind >= RECORDS_HOST_FAULTS && fault->kind < RECORDS_FAULT_KINDS);
    return known && is_site(taken, fault->site) && is_site(taken, fault->other_site) &&
           (fault->kernel == RECORDS_NOTHING || is_kernel(taken, fault->kernel));
}

/* Copies of a table's rows, one more and zero behind them. NULL: no memory. */
static void *copy_rows(const struct records *records, enum records_tables which, uint64_t *count,
                       struct error *error)
{
    *count = rows(records, which);
    void *copy = memory_array(*count + 1, records_row_bytes(which), table_names[which], error);
    if (copy && *count)
        memcpy(copy, row(records, which, 0), *count * records_row_bytes(which));
    return copy;
}

/* Clears rows that are not whole. false: one that says it is there is not good. */
static bool check_rows(const struct records_taken *taken, enum records_tables which, void *all,
                       uint64_t count, bool (*good)(const struct records_taken *, const void *),
                       struct error *error)
{
    for (uint64_t i = 0; i < count; i++) {
        char *at = (char *)all + i * records_row_bytes(which);
        uint32_t ready;
        memcpy(&ready, at, sizeof ready);
        if (!ready)
            memset(at, 0, records_row_bytes(which));
        else if (ready != 1 || !good(taken, at))
            return error_set(error,
                             "the program's records are damaged (row %llu of %s): does it write to "
                             "memory that is not its own?",
                             (unsigned long long)i, table_names[which]);
    }
    return true;
}

/* No control characters, and no null byte but the last. */
static void clean(char *text, uint64_t bytes)
{
    for (uint64_t i = 0; i < bytes; i++)
        if (!text[i])
            text[i] = '?';
    text[bytes] = '\0';
    text_clean(text);
}

static bool copy_all(const struct records *records, struct records_taken *t, struct error *error)
{
    return (t->text = copy_rows(records, RECORDS_TABLE_TEXT, &t->text_bytes, error)) &&
           (t->site = copy_rows(records, RECORDS_TABLE_SITES, &t->sites, error)) &&
           (t->array = copy_rows(records, RECORDS_TABLE_ARRAYS, &t->arrays, error)) &&
           (t->kernel = copy_rows(records, RECORDS_TABLE_KERNELS, &t->kernels, error)) &&
           (t->access = copy_rows(records, RECORDS_TABLE_ACCESSES, &t->accesses, error)) &&
           (t->launch = copy_rows(records, RECORDS_TABLE_LAUNCHES, &t->launches, error)) &&
           (t->count = copy_rows(records, RECORDS_TABLE_COUNTS, &t->counts, error)) &&
           (t->fault = copy_rows(records, RECORDS_TABLE_FAULTS, &t->faults, error));
}

static bool check_all(struct records_taken *t, struct error *error)
{
    const struct {
        enum records_tables which;
        void *all;
        uint64_t count;
        bool (*good)(const struct records_taken *, const void *);
    } tables[] = {
        {RECORDS_TABLE_SITES, t->site, t->sites, good_site},
        {RECORDS_TABLE_ARRAYS, t->array, t->arrays, good_array},
        {RECORDS_TABLE_ACCESSES, t->access, t->accesses, good_access},
        {RECORDS_TABLE_KERNELS, t->kernel, t->kernels, good_kernel},
        {RECORDS_TABLE_LAUNCHES, t->launch, t->launches, good_launch},
        {RECORDS_TABLE_FAULTS, t->fault, t->faults, good_fault},
    };
    bool good = true;
    for (size_t i = 0; i < sizeof tables / sizeof *tables && good; i++)
        good =
            check_rows(t, tables[i].which, tables[i].all, tables[i].count, tables[i].good, error);
    return good;
}

/* Whether the head is as records_new has left it, but for what a runtime writes. */
static bool good_head(const struct records *records)
{
    const struct records_head *head = records->head;
    bool good = head->magic == RECORDS_MAGIC && head->format == RECORDS_FORMAT &&
                head->bytes == records->bytes && head->attached <= 1;
    for (int i = 0; i < RECORDS_TABLES && good; i++)
        good = head->table[i].at == records->table[i].at &&
               head->table[i].room == records->table[i].room;
    return good;
}

bool records_take(const struct records *records, struct records_taken *taken, struct error *error)
{
    if (!good_head(records)) {
        *taken = (struct records_taken){0};
        return error_set(error, "the program's records are damaged (their head): does it write to "
                                "memory that is not its own?");
    }
    *taken = (struct records_taken){
        .attached = __atomic_load_n(&records->head->attached, __ATOMIC_RELAXED),
        .launched = __atomic_load_n(&records->head->launches, __ATOMIC_RELAXED)};
    if (!copy_all(records, taken, error)) {
        records_taken_free(taken);
        return false;
    }
    clean(taken->text, taken->text_bytes);
    uint64_t current = __atomic_load_n(&records->head->current, __ATOMIC_RELAXED);
    bool ran = current > 0 && current <= taken->launches && taken->launch[current - 1].ready == 1;
    taken->running = ran ? (uint32_t)(current - 1) : RECORDS_NOTHING;
    for (int i = 0; i < RECORDS_TABLES; i++)
        taken->lost[i] = __atomic_load_n(&records->head->table[i].lost, __ATOMIC_RELAXED);
    for (uint64_t i = 0; i < taken->faults; i++) {
        taken->fault[i].text[RECORDS_FAULT_TEXT - 1] = '\0';
        text_clean(taken->fault[i].text);
    }
    if (check_all(taken, error))
        return true;
    records_taken_free(taken);
    return false;
}

void records_taken_free(struct records_taken *taken)
{
    void *const all[] = {taken->text,   taken->site,   taken->array, taken->kernel,
                         taken->access, taken->launch, taken->count, taken->fault};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    *taken = (struct records_taken){0};
}

/* ---- accesses of blocks ---------------------------------------------------------------------- */

/* A chunk of the launch that is visited. */
struct piece {
    uint64_t block, index;
    uint32_t sequence, chunks;
};

static int by_place(const void *one, const void *two)
{
    const struct piece *a = one, *b = two;
    if (a->block != b->block)
        return a->block < b->block ? -1 : 1;
    return a->sequence < b->sequence ? -1 : a->sequence > b->sequence;
}

/* The chunks of a launch in the order of blocks. NULL: no memory. */
static struct piece *find_pieces(const struct records *records, uint64_t launch, uint64_t *count,
                                 struct error *error)
{
    uint64_t all = rows(records, RECORDS_TABLE_CHUNKS);
    struct piece *piece = NULL;
    size_t room = 0;
    *count = 0;
    for (uint64_t i = 0; i < all; i++) {
        struct records_chunk_head head;
        memcpy(&head, row(records, RECORDS_TABLE_CHUNKS, i), sizeof head);
        if (head.ready != 1 || head.launch != launch)
            continue;
        if (!memory_grow(&piece, &room, *count + 1, sizeof *piece, "pieces of a recording",
                         error)) {
            free(piece);
            return NULL;
        }
        piece[(*count)++] = (struct piece){head.block, i, head.sequence, head.chunks};
    }
    if (*count)
        qsort(piece, *count, sizeof *piece, by_place);
    return piece ? piece : memory_new(1, sizeof *piece);
}

struct visit {
    const struct records_taken *taken;
    const struct records_kernel *kernel;
    const struct records_visitor *visitor;
    struct error *error;
};

static bool damaged(const struct visit *visit)
{
    return error_set(visit->error, "the program's records are damaged (an access that was kept): "
                                   "does it write to memory that is not its own?");
}

#define HAND_OVER(function, ...)                                                                   \
    (!visit->visitor->function ||                                                                  \
     visit->visitor->function(visit->visitor->context, __VA_ARGS__, visit->error))

static bool visit_executed(const struct visit *visit, const struct records_entry *entry,
                           const unsigned char *behind, size_t size)
{
    const char *text[RECORDS_EXECUTED_TEXTS];
    const size_t values = (size_t)__builtin_popcountll(entry->mask) * entry->values;
    if (!entry->mask || entry->values > 16 || values > size ||
        (entry->access != RECORDS_NOTHING && entry->access >= visit->taken->sites))
        return damaged(visit);
    const char *at = (const char *)behind + values, *end = (const char *)behind + size;
    for (int i = 0; i < RECORDS_EXECUTED_TEXTS; i++) {
        const size_t length = strnlen(at, (size_t)(end - at));
        if (at + length == end || !text_is_clean(at))
            return damaged(visit);
        text[i] = at;
        at += length + 1;
    }
    return HAND_OVER(executed, entry, behind, text);
}

/* An entry of `size` bytes, of which all are there. */
static bool visit_entry(const struct visit *visit, const struct records_entry *entry,
                        const unsigned char *behind, size_t size)
{
    if (entry->warp >= MACHINE_THREADS)
        return damaged(visit);
    if (entry->kind == RECORDS_ROUND)
        return HAND_OVER(round, entry->warp, entry->step);
    if (entry->kind == RECORDS_STAGE)
        return entry->lanes <= size
                   ? HAND_OVER(stage, entry->warp, (const char *)behind, entry->lanes)
                   : damaged(visit);
    if (entry->kind == RECORDS_EXECUTED)
        return visit_executed(visit, entry, behind, size);
    if (entry->kind != RECORDS_ACCESS || entry->access >= visit->kernel->accesses || !entry->mask)
        return damaged(visit);
    const struct records_access *access =
        &visit->taken->access[visit->kernel->first_access + entry->access];
    size_t lanes = (size_t)__builtin_popcountll(entry->mask);
    if (entry->values > 1 || size < lanes * (8 + (entry->values ? access->bytes : 0)))
        return damaged(visit);
    uint64_t address[RECORDS_LANES];
    memcpy(address, behind, lanes * sizeof *address);
    return HAND_OVER(access, entry, address, entry->values ? behind + lanes * 8 : NULL);
}

static bool visit_chunk(const struct visit *visit, const struct records_chunk *chunk)
{
    size_t used = chunk->head.used;
    if (used > sizeof chunk->entries)
        return damaged(visit);
    for (size_t at = 0; at < used;) {
        struct records_entry entry;
        if (used - at < sizeof entry)
            return damaged(visit);
        memcpy(&entry, chunk->entries + at, sizeof entry);
        size_t size = (size_t)entry.size * 8;
        if (size < sizeof entry || size > used - at)
            return damaged(visit);
        if (!visit_entry(visit, &entry, chunk->entries + at + sizeof entry, size - sizeof entry))
            return false;
        at += size;
    }
    return true;
}

/* Chunks of a block, from the first on, if it is whole; else 0. */
static uint64_t whole_block(const struct piece *piece, uint64_t count)
{
    if (piece->sequence != 0 || piece->chunks == 0 || piece->chunks > count)
        return 0;
    for (uint32_t i = 1; i < piece->chunks; i++)
        if (piece[i].block != piece->block || piece[i].sequence != i)
            return 0;
    return piece->chunks;
}

static bool visit_block(const struct records *records, const struct visit *visit,
                        const struct piece *piece, uint64_t chunks)
{
    bool good = HAND_OVER(block, piece->block);
    for (uint64_t i = 0; i < chunks && good; i++) {
        struct records_chunk chunk;
        memcpy(&chunk, row(records, RECORDS_TABLE_CHUNKS, piece[i].index), sizeof chunk);
        good = visit_chunk(visit, &chunk);
    }
    return good;
}

bool records_visit(const struct records *records, const struct records_taken *taken,
                   uint64_t launch, const struct records_visitor *visitor, struct error *error)
{
    if (launch >= taken->launches || !taken->launch[launch].ready)
        return true;
    struct visit visit = {taken, &taken->kernel[taken->launch[launch].kernel], visitor, error};
    uint64_t count;
    struct piece *piece = find_pieces(records, launch, &count, error);
    bool good = piece;
    for (uint64_t i = 0; i < count && good;) {
        uint64_t chunks = whole_block(piece + i, count - i);
        if (chunks)
            good = visit_block(records, &visit, piece + i, chunks);
        i += chunks ? chunks : 1;
    }
    free(piece);
    return good;
}
