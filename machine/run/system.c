/* system.c - the functions of the device's runtime that kernels call, by their names in PTX: a row for each, which reads
 * a lane's arguments and does it. cudaMalloc(&p, n) in a kernel is __cudaCDP2Malloc, and so on. What they return, and
 * when, is what an H200 with CUDA 13.0 returned.
 */
#include "machine/asked.h"
#include "machine/lock.h"

#include <string.h>

static uint64_t word(const struct asking *asking, int number)
{
    return call_argument(asking->warp, asking->call, number, asking->lane);
}

/* An argument that is a struct. */
static void bytes_of(const struct asking *asking, int number, void *to, uint32_t bytes)
{
    memset(to, 0, bytes);
    if (number >= asking->call->arguments)
        return;
    const struct place *place = &asking->call->argument[number];
    const uint32_t has = place->bytes < bytes ? place->bytes : bytes;
    memcpy(to, frame_piece(asking->warp->frame, place, (uint64_t)asking->lane), has);
}

static void give(const struct asking *asking, uint64_t value)
{
    call_result(asking->warp, asking->call, asking->lane, value);
}

/* The call ends with that error, which becomes the thread's last one. */
static bool end(const struct asking *asking, int error)
{
    give(asking, (uint64_t)children_fail(asking, error));
    return true;
}

/* Stores to where a pointer points. false: a fault has ended the launch. */
static bool store(const struct asking *asking, uint64_t address, const void *value, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += 4) {
        const uint32_t piece = bytes - at < 4 ? 1 : 4;
        uint8_t *to = memory_at(asking->warp, asking->lane, PTX_GENERIC, address + at, piece, true);
        if (!to)
            return false;
        memcpy(to, (const uint8_t *)value + at, piece);
    }
    return true;
}

static bool load(const struct asking *asking, uint64_t address, void *value, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += 4) {
        const uint8_t *from =
            memory_at(asking->warp, asking->lane, PTX_GENERIC, address + at, 4, false);
        if (!from)
            return false;
        memcpy((uint8_t *)value + at, from, 4);
    }
    return true;
}

/* ---- launches ---------------------------------------------------------------------------------- */

/* A buffer for the launch of a kernel, at arguments from `first` on: function, grid, block, shared memory. */
static bool make_buffer(const struct asking *asking, uint64_t function, int first)
{
    const struct machine_answers *answers = &asking->children->system->answers;
    struct machine_child child = {.kind = MACHINE_CHILD_LAUNCH,
                                  .kernel = children_kernel(asking, function)};
    bytes_of(asking, first, child.grid, sizeof child.grid);
    bytes_of(asking, first + 1, child.block, sizeof child.block);
    child.dynamic_shared = (uint32_t)word(asking, first + 2);
    int error = child.kernel ? answers->check(answers->context, &child) : ERROR_FUNCTION;
    const uint64_t buffer = error ? 0 : children_buffer(asking, &child);
    if (!error && !buffer)
        error = ERROR_PENDING;
    children_fail(asking, error);
    give(asking, buffer);
    return true;
}

static bool get_parameter_buffer(const struct asking *asking)
{
    return make_buffer(asking, word(asking, 0), 1);
}

static bool launch_device(const struct asking *asking)
{
    return end(asking, children_launch(asking, word(asking, 0), word(asking, 1)));
}

/* ---- copies and sets --------------------------------------------------------------------------- */

static bool add(const struct asking *asking, const struct machine_child *child, uint64_t stream)
{
    const struct machine_answers *answers = &asking->children->system->answers;
    const int error = answers->check(answers->context, child);
    return end(asking, error ? error : children_add(asking, child, stream));
}

static bool copy(const struct asking *asking)
{
    const struct machine_child child = {.kind = MACHINE_CHILD_COPY,
                                        .name = "cudaMemcpyAsync in a kernel",
                                        .to = {.at = word(asking, 0)},
                                        .from = {.at = word(asking, 1)},
                                        .width = word(asking, 2),
                                        .height = 1,
                                        .depth = 1,
                                        .value = (int)word(asking, 3)};
    return add(asking, &child, word(asking, 4));
}

static bool copy_rows(const struct asking *asking)
{
    const struct machine_child child = {.kind = MACHINE_CHILD_COPY,
                                        .name = "cudaMemcpy2DAsync in a kernel",
                                        .to = {word(asking, 0), word(asking, 1), 0},
                                        .from = {word(asking, 2), word(asking, 3), 0},
                                        .width = word(asking, 4),
                                        .height = word(asking, 5),
                                        .depth = 1,
                                        .value = (int)word(asking, 6)};
    return add(asking, &child, word(asking, 7));
}

/* A place in pitched memory, of a struct cudaMemcpy3DParms. */
struct pitched {
    uint64_t array, x, y, z;
    uint64_t at, pitch, width, height;
};

static struct machine_box box_of(const struct pitched *of)
{
    const uint64_t slice = of->pitch * of->height;
    return (struct machine_box){of->at + of->z * slice + of->y * of->pitch + of->x, of->pitch,
                                slice};
}

static bool copy_box(const struct asking *asking)
{
    struct {
        struct pitched from, to;
        uint64_t width, height, depth;
        int kind, unused;
    } parameters = {.unused = 0};
    if (!load(asking, word(asking, 0), &parameters, offsetof(__typeof__(parameters), unused)))
        return false;
    if (parameters.from.array || parameters.to.array)
        return end(asking, ERROR_VALUE);
    const struct machine_child child = {.kind = MACHINE_CHILD_COPY,
                                        .name = "cudaMemcpy3DAsync in a kernel",
                                        .to = box_of(&parameters.to),
                                        .from = box_of(&parameters.from),
                                        .width = parameters.width,
                                        .height = parameters.height,
                                        .depth = parameters.depth,
                                        .value = parameters.kind};
    return add(asking, &child, word(asking, 1));
}

static bool set(const struct asking *asking)
{
    const struct machine_child child = {.kind = MACHINE_CHILD_SET,
                                        .name = "cudaMemsetAsync in a kernel",
                                        .to = {.at = word(asking, 0)},
                                        .width = word(asking, 2),
                                        .height = 1,
                                        .depth = 1,
                                        .value = (int)word(asking, 1)};
    return add(asking, &child, word(asking, 3));
}

static bool set_rows(const struct asking *asking)
{
    const struct machine_child child = {.kind = MACHINE_CHILD_SET,
                                        .name = "cudaMemset2DAsync in a kernel",
                                        .to = {word(asking, 0), word(asking, 1), 0},
                                        .width = word(asking, 3),
                                        .height = word(asking, 4),
                                        .depth = 1,
                                        .value = (int)word(asking, 2)};
    return add(asking, &child, word(asking, 5));
}

static bool set_box(const struct asking *asking)
{
    uint64_t to[4], extent[3]; /* pointer, pitch, width, height */
    bytes_of(asking, 0, to, sizeof to);
    bytes_of(asking, 2, extent, sizeof extent);
    const struct machine_child child = {.kind = MACHINE_CHILD_SET,
                                        .name = "cudaMemset3DAsync in a kernel",
                                        .to = {to[0], to[1], to[1] * to[3]},
                                        .width = extent[0],
                                        .height = extent[1],
                                        .depth = extent[2],
                                        .value = (int)word(asking, 1)};
    return add(asking, &child, word(asking, 3));
}

/* ---- memory ------------------------------------------------------------------------------------ */

static bool allocate(const struct asking *asking)
{
    const uint64_t bytes = word(asking, 1), at = bytes ? heap_allocate(asking->warp, bytes) : 0;
    if (!bytes)
        return end(asking, ERROR_VALUE);
    if (!at)
        return end(asking, ERROR_MEMORY);
    return store(asking, word(asking, 0), &at, sizeof at) && end(asking, NO_ERROR);
}

static bool release(const struct asking *asking)
{
    return heap_release(asking->warp, asking->lane, word(asking, 0)) && end(asking, NO_ERROR);
}

/* ---- streams and events ------------------------------------------------------------------------ */

static bool make_handle(const struct asking *asking, bool good)
{
    const uint64_t handle = good ? children_stream(asking) : 0;
    if (!handle)
        return end(asking, good ? ERROR_MEMORY : ERROR_VALUE);
    return store(asking, word(asking, 0), &handle, sizeof handle) && end(asking, NO_ERROR);
}

static bool make_stream(const struct asking *asking)
{
    asking->children->waits |= !word(asking, 1); /* it is in order with the block's own */
    return make_handle(asking, word(asking, 1) <= 1);
}

/* Of an event with cudaEventDisableTiming. */
static bool make_event(const struct asking *asking)
{
    return make_handle(asking, word(asking, 1) & 2);
}

static bool drop_handle(const struct asking *asking)
{
    return end(asking, children_drop(asking, word(asking, 0)) ? NO_ERROR : ERROR_VALUE);
}

/* Whether events may be recorded in it, and waited for. */
static bool is_stream(const struct asking *asking, uint64_t stream)
{
    return stream <= STREAM_THREAD || (stream > STREAM_FORGET && children_uses(asking, stream));
}

/* Children are done in the order in which they are asked for, and so what waits for an event is behind it. */
static bool record_event(const struct asking *asking)
{
    const bool good = children_uses(asking, word(asking, 0)) && is_stream(asking, word(asking, 1));
    return end(asking, good ? NO_ERROR : ERROR_VALUE);
}

static bool wait_for_event(const struct asking *asking)
{
    const bool good = children_uses(asking, word(asking, 1)) && is_stream(asking, word(asking, 0));
    asking->children->waits |= good;
    return end(asking, good ? NO_ERROR : ERROR_VALUE);
}

/* ---- questions --------------------------------------------------------------------------------- */

static bool get_last_error(const struct asking *asking)
{
    give(asking, (uint64_t)children_error(asking, true));
    return true;
}

static bool peek_at_last_error(const struct asking *asking)
{
    give(asking, (uint64_t)children_error(asking, false));
    return true;
}

static bool get_error_name(const struct asking *asking)
{
    give(asking, children_text(asking, (int)word(asking, 0), true));
    return true;
}

static bool get_error_string(const struct asking *asking)
{
    give(asking, children_text(asking, (int)word(asking, 0), false));
    return true;
}

/* The answer goes to where argument 0 points. */
static bool ask(const struct asking *asking, enum machine_question question, const uint64_t *in)
{
    const struct machine_answers *answers = &asking->children->system->answers;
    uint64_t answer[MACHINE_ANSWER / sizeof(uint64_t)] = {0};
    size_t bytes = 0;
    const int error = answers->ask(answers->context, question, in, answer, &bytes);
    if (error)
        return end(asking, error);
    return store(asking, word(asking, 0), answer, bytes) && end(asking, NO_ERROR);
}

static bool get_attribute(const struct asking *asking)
{
    return ask(asking, MACHINE_ASK_ATTRIBUTE, (const uint64_t[]){word(asking, 1), word(asking, 2)});
}

static bool get_limit(const struct asking *asking)
{
    return ask(asking, MACHINE_ASK_LIMIT, (const uint64_t[]){word(asking, 1)});
}

static bool get_function(const struct asking *asking)
{
    const struct machine_kernel *kernel = children_kernel(asking, word(asking, 1));
    return kernel ? ask(asking, MACHINE_ASK_FUNCTION, (const uint64_t[]){(uintptr_t)kernel})
                  : end(asking, ERROR_FUNCTION);
}

static bool get_occupancy(const struct asking *asking)
{
    const struct machine_kernel *kernel = children_kernel(asking, word(asking, 1));
    const uint64_t in[] = {(uintptr_t)kernel, word(asking, 2), word(asking, 3)};
    return kernel ? ask(asking, MACHINE_ASK_OCCUPANCY, in) : end(asking, ERROR_FUNCTION);
}

static bool tell(const struct asking *asking, int answer)
{
    return store(asking, word(asking, 0), &answer, sizeof answer) && end(asking, NO_ERROR);
}

static bool tell_none(const struct asking *asking)
{
    return tell(asking, 0);
}

static bool tell_one(const struct asking *asking)
{
    return tell(asking, 1);
}

static bool get_version(const struct asking *asking)
{
    return tell(asking, 6000); /* as an H200 says with CUDA 13.0 */
}

/* ---- the table --------------------------------------------------------------------------------- */

static const struct function {
    const char *name; /* behind __cudaCDP2, with _ptsz or without */
    bool (*function)(const struct asking *asking);
} table[] = {
    {"GetParameterBufferV2", get_parameter_buffer},
    {"LaunchDeviceV2", launch_device},
    {"MemcpyAsync", copy},
    {"Memcpy2DAsync", copy_rows},
    {"Memcpy3DAsync", copy_box},
    {"MemsetAsync", set},
    {"Memset2DAsync", set_rows},
    {"Memset3DAsync", set_box},
    {"Malloc", allocate},
    {"Free", release},
    {"StreamCreateWithFlags", make_stream},
    {"StreamDestroy", drop_handle},
    {"StreamWaitEvent", wait_for_event},
    {"EventCreateWithFlags", make_event},
    {"EventRecord", record_event},
    {"EventRecordWithFlags", record_event},
    {"EventDestroy", drop_handle},
    {"GetLastError", get_last_error},
    {"PeekAtLastError", peek_at_last_error},
    {"GetErrorName", get_error_name},
    {"GetErrorString", get_error_string},
    {"GetDevice", tell_none},
    {"GetDeviceCount", tell_one},
    {"DeviceGetCacheConfig", tell_none},
    {"DeviceGetSharedMemConfig", tell_one},
    {"RuntimeGetVersion", get_version},
    {"DeviceGetAttribute", get_attribute},
    {"DeviceGetLimit", get_limit},
    {"FuncGetAttributes", get_function},
    {"OccupancyMaxActiveBlocksPerMultiprocessor", get_occupancy},
    {"OccupancyMaxActiveBlocksPerMultiprocessorWithFlags", get_occupancy},
};

static const struct function *find(struct slice name)
{
    enum { PREFIX = sizeof "__cudaCDP2" - 1, SUFFIX = sizeof "_ptsz" - 1 };
    name.at += PREFIX;
    name.length -= PREFIX;
    if (name.length > SUFFIX && !memcmp(name.at + name.length - SUFFIX, "_ptsz", SUFFIX))
        name.length -= SUFFIX;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (slice_is(name, table[i].name))
            return &table[i];
    return NULL;
}

const struct step *system_call(struct warp *warp, const struct step *step)
{
    const struct call *call = step->extra;
    struct machine_children *children = warp->run->launch.children;
    const struct function *function = find(call->function->name);
    if (!function)
        return fault(warp, -1, MACHINE_FAULT_INSTRUCTION, "kernels cannot call %.*s here",
                     SLICE(call->function->name));
    bool good = true;
    FOR_LANES(lane, warp->mask)
    {
        const struct asking asking = {warp, call, (int)lane, children};
        lock_take(&children->lock);
        good = good && function->function(&asking);
        lock_give(&children->lock);
    }
    return good && !warp->worker->failed ? step + 1 : NULL;
}
