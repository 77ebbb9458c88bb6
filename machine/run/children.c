/* children.c - what the threads of a launch ask for, to be done behind it: a list of launches, copies and sets, the
 * streams that they are in, and the buffers in which their parameters come (children.h).
 *
 * A buffer is a piece of one range of the device's memory, to which the kernel stores by itself; it is free again when the
 * launch is on the list, which has a copy.
 */
#include "machine/asked.h"
#include "machine/check/check.h"
#include "machine/lock.h"
#include "machine/run/schedule.h"

#include <stdlib.h>
#include <string.h>

enum {
    LEAST = 6,  /* a buffer has 1 << LEAST bytes or more */
    TEXT = 200, /* bytes of a text */
    MOST_WAITING = 1 << 19
};
#define ROOM (UINT64_C(16) << 20) /* bytes of all buffers and texts */
/* Behind the kernels' heap, where no host has anything (heap.c). */
static const uint64_t begins = (UINT64_C(5) << 42) + (UINT64_C(1) << 36);

/* By rising addresses. */
struct slot {
    uint64_t at;
    int power; /* it has 1 << power bytes */
    bool used;
    int next; /* free one of that power, plus 1 */
    struct machine_child child;
};

/* ---- the system's memory ----------------------------------------------------------------------- */

static bool grow(const struct allocator *allocator, void *array, int *room, int count, size_t size)
{
    void *old;
    if (count <= *room)
        return true;
    memcpy(&old, array, sizeof old);
    const int more = *room ? 2 * *room : 4;
    void *new =
        allocator->resize(allocator->context, old, (size_t)*room * size, (size_t)more * size);
    if (!new)
        return false;
    memcpy(array, &new, sizeof new);
    *room = more;
    return true;
}

static void drop(const struct allocator *allocator, void *array, size_t bytes)
{
    if (array)
        allocator->resize(allocator->context, array, bytes, 0);
}

struct machine_system *machine_system_new(struct machine_memory *memory,
                                          const struct machine_answers *answers)
{
    const struct allocator *allocator = &memory->allocator;
    struct machine_system *system = allocator->resize(allocator->context, NULL, 0, sizeof *system);
    uint8_t *room = system ? allocator->resize(allocator->context, NULL, 0, ROOM + 256) : NULL;
    struct error ignored = {""};
    if (!room) {
        drop(allocator, system, sizeof *system);
        return NULL;
    }
    *system = (struct machine_system){
        .memory = memory, .answers = *answers, .room = room, .taken = ROOM + 256};
    const struct machine_range range = {.address = begins,
                                        .bytes = ROOM,
                                        .host = room + (-(uintptr_t)room & 255),
                                        .kind = MACHINE_PASSED,
                                        .name = "parameters"};
    if (machine_memory_add(memory, &range, false, &ignored))
        return system;
    machine_system_free(system);
    return NULL;
}

void machine_system_free(struct machine_system *system)
{
    const struct allocator *allocator = &system->memory->allocator;
    machine_memory_remove(system->memory, begins);
    drop(allocator, system->room, system->taken);
    drop(allocator, system->slot, (size_t)system->slot_room * sizeof *system->slot);
    drop(allocator, system->text, (size_t)system->text_room * sizeof *system->text);
    drop(allocator, system, sizeof *system);
}

/* Bytes that were never given to anybody. 0: there are none left. */
static uint64_t take(struct machine_system *system, uint64_t bytes)
{
    const uint64_t at = begins + system->next;
    if (ROOM - system->next < bytes)
        return 0;
    system->next += bytes;
    return at;
}

static uint8_t *host_of(const struct machine_system *system, uint64_t address)
{
    const struct machine_range *range = machine_memory_find(system->memory, address);
    return range->host + (address - range->address);
}

uint64_t children_text(const struct asking *asking, int error, bool name)
{
    struct machine_system *system = asking->children->system;
    const struct allocator *allocator = &system->memory->allocator;
    for (int i = 0; i < system->texts; i++)
        if (system->text[i].error == error && system->text[i].name == name)
            return system->text[i].address;
    const uint64_t at =
        grow(allocator, &system->text, &system->text_room, system->texts + 1, sizeof *system->text)
            ? take(system, TEXT)
            : 0;
    if (!at)
        return 0;
    strncpy((char *)host_of(system, at), system->answers.text(system->answers.context, error, name),
            TEXT - 1);
    system->text[system->texts++] = (struct text){error, name, at};
    return at;
}

/* ---- the list ---------------------------------------------------------------------------------- */

static bool begin(struct machine_children *children, struct machine_run *run)
{
    children->run = run;
    return true;
}

struct machine_children *machine_children_new(struct machine_system *system)
{
    const struct allocator *allocator = &system->memory->allocator;
    struct machine_children *children =
        allocator->resize(allocator->context, NULL, 0, sizeof *children);
    if (!children)
        return NULL;
    *children = (struct machine_children){.calls = {.begin = begin, .call = system_call},
                                          .system = system,
                                          .serial = ++system->launches};
    atomic_flag_clear(&children->lock);
    return children;
}

void machine_children_free(struct machine_children *children)
{
    if (!children)
        return;
    const struct allocator *allocator = &children->system->memory->allocator;
    for (int i = 0; i < children->rows; i++) {
        const struct machine_child *child = &children->row[i].child;
        if (child->parameters)
            drop(allocator, (void *)(uintptr_t)child->parameters,
                 child->kernel->function->parameter_bytes + 1);
    }
    children->system->waiting -= children->rows;
    drop(allocator, children->row, (size_t)children->row_room * sizeof *children->row);
    drop(allocator, children->stream, (size_t)children->stream_room * sizeof *children->stream);
    drop(allocator, children->error, (size_t)children->error_room * sizeof *children->error);
    drop(allocator, children, sizeof *children);
}

/* Rows whose blocks come in the order of `turn`; in a tail all are behind all others. */
static int compare(const void *a, const void *b)
{
    const struct row *one = a, *other = b;
    if (one->child.tail != other->child.tail)
        return one->child.tail ? 1 : -1;
    if (one->turn != other->turn)
        return one->turn < other->turn ? -1 : 1;
    return one->number < other->number ? -1 : 1;
}

static void settle(struct machine_children *children)
{
    const uint64_t seed = children->run->launch.order_seed;
    for (int i = 0; i < children->rows; i++) {
        struct row *row = &children->row[i];
        row->turn = children->shared ? 0 : seed ? schedule_lot(seed, row->block, 0) : row->block;
    }
    qsort(children->row, (size_t)children->rows, sizeof *children->row, compare);
}

const struct machine_child *machine_children_next(struct machine_children *children,
                                                  uint64_t *index)
{
    if (*index >= (uint64_t)children->rows)
        return NULL;
    if (*index == 0)
        settle(children);
    return &children->row[(*index)++].child;
}

/* More launches wait than the device has room for. On a GPU those before them may have begun; but those of a tail have
 * not, and are refused. */
static int check_pending(const struct asking *asking, bool tail)
{
    struct machine_children *children = asking->children;
    const struct machine_answers *answers = &children->system->answers;
    const uint64_t most = answers->pending(answers->context);
    if ((uint64_t)(tail ? children->tails : children->rows) < most)
        return NO_ERROR;
    if (tail)
        return ERROR_PENDING;
    finding(asking->warp, asking->lane, MACHINE_FAULT_CHILD, -1,
            "more than %llu launches of one grid, which a GPU may refuse with "
            "cudaErrorLaunchPendingCountExceeded, as each that waits has to have room: "
            "cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, ...) before",
            (unsigned long long)most);
    return NO_ERROR;
}

int children_add(const struct asking *asking, const struct machine_child *child, uint64_t stream)
{
    struct machine_children *children = asking->children;
    const struct warp *warp = asking->warp;
    const struct allocator *allocator = &children->system->memory->allocator;
    const bool tail = stream == STREAM_TAIL;
    if (stream > STREAM_FORGET && !children_uses(asking, stream))
        return ERROR_VALUE;
    const int error = check_pending(asking, tail);
    if (error)
        return error;
    if (children->system->waiting == MOST_WAITING) {
        fault(asking->warp, asking->lane, MACHINE_FAULT_LIMIT,
              "%d launches of kernels wait: there is no room for more", MOST_WAITING);
        return ERROR_PENDING;
    }
    if (!grow(allocator, &children->row, &children->row_room, children->rows + 1,
              sizeof *children->row))
        return ERROR_PENDING;
    struct row *row = &children->row[children->rows];
    *row = (struct row){.child = *child,
                        .block = warp->block->number,
                        .number = (uint64_t)children->rows,
                        .stream = stream};
    row->child.tail = tail;
    row->lanes = (uint32_t)warp->run->warp_lanes;
    check_launches(warp, row);
    row->child.site = step_site(warp, warp->now);
    memcpy(row->child.parent_block, warp->block->id, sizeof row->child.parent_block);
    for (int i = 0; i < 3; i++)
        row->child.parent_thread[i] = warp->thread[i][asking->lane];
    children->rows++;
    children->system->waiting++;
    children->tails += tail;
    return NO_ERROR;
}

/* ---- launches ---------------------------------------------------------------------------------- */

struct machine_kernel *children_kernel(const struct asking *asking, uint64_t pointer)
{
    struct machine_module *module = asking->warp->run->launch.kernel->module;
    for (int i = 0; i < module->ptx.functions; i++) {
        const struct ptx_function *function = module->ptx.function[i];
        if (function_pointer(function) != pointer)
            continue;
        const struct ptx_symbol *symbol = ptx_symbol(&module->ptx, function->unit, function->name);
        for (int k = 0; k < module->kernels; k++)
            if (module->kernel[k].function == (symbol ? symbol->function : function))
                return &module->kernel[k];
    }
    return NULL;
}

static int power_of(uint64_t bytes)
{
    int power = LEAST;
    while (UINT64_C(1) << power < bytes)
        power++;
    return power;
}

uint64_t children_buffer(const struct asking *asking, const struct machine_child *child)
{
    struct machine_system *system = asking->children->system;
    const int power = power_of(child->kernel->function->parameter_bytes);
    int *free = &system->free_slot[power];
    if (!*free) {
        const bool room = grow(&system->memory->allocator, &system->slot, &system->slot_room,
                               system->slots + 1, sizeof *system->slot);
        const uint64_t at = room ? take(system, UINT64_C(1) << power) : 0;
        if (!at)
            return 0;
        system->slot[system->slots++] = (struct slot){.at = at, .power = power};
        *free = system->slots;
    }
    struct slot *slot = &system->slot[*free - 1];
    *free = slot->next;
    slot->used = true;
    slot->child = *child;
    const struct machine_range *range = machine_memory_find(system->memory, slot->at);
    if (asking->warp->run->check)
        check_global_forget(asking->warp->run, range, slot->at - range->address,
                            UINT64_C(1) << power);
    return slot->at;
}

/* The slot that begins there and is in use, or NULL. */
static struct slot *slot_at(const struct machine_system *system, uint64_t address)
{
    int low = 0, high = system->slots;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (system->slot[middle].at < address)
            low = middle + 1;
        else
            high = middle;
    }
    struct slot *slot = low < system->slots ? &system->slot[low] : NULL;
    return slot && slot->at == address && slot->used ? slot : NULL;
}

/* A pointer to what is the thread's or its block's own means something else to a child. */
static void check_pointers(const struct asking *asking, const struct machine_child *child)
{
    static const struct {
        uint64_t window, bytes;
        const char *what;
    } own[] = {{WINDOW_SHARED, MACHINE_SHARED + 2048, "shared memory"},
               {WINDOW_LOCAL, MACHINE_STACK, "local memory"}};
    const struct machine_kernel *kernel = child->kernel;
    for (int i = 0; i < kernel->function->parameters; i++) {
        const struct machine_parameter *parameter = &kernel->parameter[i];
        for (uint32_t at = (parameter->offset + 7) & ~7u;
             at + 8 <= parameter->offset + parameter->size; at += 8) {
            uint64_t value;
            memcpy(&value, (const uint8_t *)child->parameters + at, sizeof value);
            for (size_t k = 0; k < sizeof own / sizeof *own; k++)
                if (value - own[k].window < own[k].bytes)
                    finding(
                        asking->warp, asking->lane, MACHINE_FAULT_CHILD, -1,
                        "parameter %d of a launch is a pointer to %s, which is the parent's own: "
                        "to a child it is another's",
                        i + 1, own[k].what);
        }
    }
}

int children_launch(const struct asking *asking, uint64_t buffer, uint64_t stream)
{
    struct machine_system *system = asking->children->system;
    const struct allocator *allocator = &system->memory->allocator;
    struct slot *slot = slot_at(system, buffer);
    if (!slot)
        return ERROR_VALUE;
    const size_t bytes = slot->child.kernel->function->parameter_bytes;
    uint8_t *parameters = allocator->resize(allocator->context, NULL, 0, bytes + 1);
    slot->used = false;
    slot->next = system->free_slot[slot->power];
    system->free_slot[slot->power] = (int)(slot - system->slot) + 1;
    if (!parameters)
        return ERROR_MEMORY;
    memcpy(parameters, host_of(system, slot->at), bytes);
    slot->child.parameters = parameters;
    check_pointers(asking, &slot->child);
    const int error = children_add(asking, &slot->child, stream);
    if (error)
        drop(allocator, parameters, bytes + 1);
    return error;
}

/* ---- streams and events ------------------------------------------------------------------------ */

/* A handle has the number of its grid, and its own. */
enum { HANDLE_GRID = 24, HANDLE_ALIGN = 4 };

uint64_t children_stream(const struct asking *asking)
{
    struct machine_children *children = asking->children;
    if (children->streams >= 1 << (HANDLE_GRID - HANDLE_ALIGN) ||
        !grow(&children->system->memory->allocator, &children->stream, &children->stream_room,
              children->streams + 1, sizeof *children->stream))
        return 0;
    children->stream[children->streams++] = (struct stream){.block = asking->warp->block->number};
    return (children->serial & 0xffffffff) << HANDLE_GRID | (uint64_t)(children->streams - 1)
                                                                << HANDLE_ALIGN;
}

static struct stream *stream_of(const struct asking *asking, uint64_t handle)
{
    struct machine_children *children = asking->children;
    const uint64_t number = (handle & ((1 << HANDLE_GRID) - 1)) >> HANDLE_ALIGN;
    const bool good = handle >> HANDLE_GRID == (children->serial & 0xffffffff) &&
                      number < (uint64_t)children->streams && !children->stream[number].gone;
    return good ? &children->stream[number] : NULL;
}

bool children_uses(const struct asking *asking, uint64_t handle)
{
    const struct stream *stream = stream_of(asking, handle);
    if (stream && stream->block != asking->warp->block->number)
        asking->children->shared = true;
    return stream;
}

bool children_drop(const struct asking *asking, uint64_t handle)
{
    struct stream *stream = stream_of(asking, handle);
    if (stream)
        stream->gone = true;
    return stream;
}

/* ---- errors ------------------------------------------------------------------------------------ */

static struct last_error *error_of(struct machine_children *children, uint64_t thread)
{
    const uint64_t mask = (uint64_t)children->error_room - 1;
    uint64_t i = thread * UINT64_C(0x9e3779b97f4a7c15) >> 32 & mask;
    while (children->error[i].thread && children->error[i].thread != thread)
        i = (i + 1) & mask;
    return &children->error[i];
}

/* Room for one more thread; the hash is half empty. */
static bool room_for_error(struct machine_children *children)
{
    const struct allocator *allocator = &children->system->memory->allocator;
    struct last_error *old = children->error;
    const int room = children->error_room, more = room ? 2 * room : 64;
    if (2 * (children->errors + 1) <= room)
        return true;
    struct last_error *new =
        allocator->resize(allocator->context, NULL, 0, (size_t)more * sizeof *new);
    if (!new)
        return false;
    memset(new, 0, (size_t)more * sizeof *new);
    children->error = new;
    children->error_room = more;
    for (int i = 0; i < room; i++)
        if (old[i].thread)
            *error_of(children, old[i].thread) = old[i];
    drop(allocator, old, (size_t)room * sizeof *old);
    return true;
}

static uint64_t thread_of(const struct asking *asking)
{
    const struct machine_run *run = asking->warp->run;
    return asking->warp->block->number * run->threads +
           asking->warp->number * (uint64_t)run->warp_lanes + (uint64_t)asking->lane + 1;
}

int children_error(const struct asking *asking, bool takes)
{
    struct last_error *last =
        asking->children->error_room ? error_of(asking->children, thread_of(asking)) : NULL;
    const int error = last && last->thread ? last->error : NO_ERROR;
    if (error && takes)
        last->error = NO_ERROR;
    return error;
}

int children_fail(const struct asking *asking, int error)
{
    struct machine_children *children = asking->children;
    if (!error || !room_for_error(children))
        return error;
    struct last_error *last = error_of(children, thread_of(asking));
    children->errors += !last->thread;
    *last = (struct last_error){thread_of(asking), error};
    return error;
}
