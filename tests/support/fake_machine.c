/* A machine whose kernels are C functions (fake_machine.h). Blocks run in ascending order on as many threads
 * as call machine_work. */
#include "tests/support/fake_machine.h"
#include "machine/children.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANGES = 256, KERNELS = 16, PARAMETERS = 8, VARIABLES = 8, ACCESSES = 3 };

/* ---- memory ------------------------------------------------------------------------------------ */

struct machine_memory {
    struct allocator allocator;
    struct machine_range range[RANGES];
    int ranges;
};

struct machine_memory *machine_memory_new(const struct allocator *allocator)
{
    struct machine_memory *memory = allocator->resize(allocator->context, NULL, 0, sizeof *memory);
    memset(memory, 0, sizeof *memory);
    memory->allocator = *allocator;
    return memory;
}

bool machine_memory_add(struct machine_memory *memory, const struct machine_range *range,
                        bool undefined, struct error *error)
{
    (void)undefined, (void)error;
    int i = 0;
    while (i < memory->ranges && !memory->range[i].freed)
        i++;
    if (i == RANGES)
        return false;
    memory->range[i] = *range;
    memory->ranges = i == memory->ranges ? i + 1 : memory->ranges;
    return true;
}

bool machine_memory_remove(struct machine_memory *memory, uint64_t address)
{
    for (int i = 0; i < memory->ranges; i++)
        if (memory->range[i].address == address && !memory->range[i].freed)
            return memory->range[i].freed = true;
    return false;
}

const struct machine_range *machine_memory_find(const struct machine_memory *memory,
                                                uint64_t address)
{
    for (int i = 0; i < memory->ranges; i++)
        if (address - memory->range[i].address < memory->range[i].bytes)
            return &memory->range[i];
    return NULL;
}

const struct machine_range *machine_memory_at(const struct machine_memory *memory, int index)
{
    return index >= 0 && index < memory->ranges ? &memory->range[index] : NULL;
}

bool machine_memory_has_heap(const struct machine_memory *memory)
{
    (void)memory;
    return false; /* no kernel of these allocates */
}

void machine_memory_written(struct machine_memory *memory, uint64_t address, uint64_t bytes)
{
    (void)memory, (void)address, (void)bytes;
}

/* ---- modules ------------------------------------------------------------------------------------- */

struct machine_kernel {
    struct machine_module *module;
    char name[64];
    struct machine_parameter parameter[PARAMETERS];
    int parameters;
    uint32_t bytes;
    int target;
};
struct machine_module {
    struct machine_memory *memory;
    struct machine_kernel kernel[KERNELS];
    int kernels;
    struct {
        char name[64];
        uint64_t address, bytes;
    } variable[VARIABLES];
    int variables, target;
};

static void *take(struct machine_memory *memory, size_t bytes)
{
    void *at = memory->allocator.resize(memory->allocator.context, NULL, 0, bytes);
    return memset(at, 0, bytes);
}

static void read_kernel(struct machine_module *module, const char *line)
{
    struct machine_kernel *kernel = &module->kernel[module->kernels++];
    int used;
    kernel->module = module;
    kernel->target = module->target;
    sscanf(line, ".kernel %63s%n", kernel->name, &used);
    for (unsigned size; sscanf(line += used, "%u%n", &size, &used) == 1;) {
        struct machine_parameter *p = &kernel->parameter[kernel->parameters++];
        *p = (struct machine_parameter){"p", (kernel->bytes + size - 1) / size * size, size, "b8"};
        kernel->bytes = p->offset + size;
    }
}

static void read_variable(struct machine_module *module, const char *line)
{
    unsigned bytes;
    sscanf(line, ".var %63s %u", module->variable[module->variables].name, &bytes);
    void *at = take(module->memory, bytes);
    struct machine_range range = {(uintptr_t)at, bytes, at, MACHINE_VARIABLE,
                                  false,         false, "", NULL};
    struct error error = {""};
    machine_memory_add(module->memory, &range, false, &error);
    module->variable[module->variables].address = (uintptr_t)at;
    module->variable[module->variables++].bytes = bytes;
}

struct machine_module *machine_load(struct machine_memory *memory, const struct machine_text *text,
                                    int texts, struct error *error)
{
    struct machine_module *module = take(memory, sizeof *module);
    module->memory = memory;
    for (int i = 0; i < texts; i++)
        for (const char *line = text[i].text, *end = line + text[i].length; line < end;) {
            const char *next = memchr(line, '\n', (size_t)(end - line));
            char one[256] = "";
            size_t length = (size_t)((next ? next : end) - line);
            memcpy(one, line, length < 255 ? length : 255);
            if (strstr(one, "damaged")) {
                error_set(error, "%s: line 2: 'damaged' is no instruction", text[i].name);
                return NULL;
            }
            sscanf(one, ".target sm_%d", &module->target);
            if (!strncmp(one, ".kernel", 7))
                read_kernel(module, one);
            if (!strncmp(one, ".var", 4))
                read_variable(module, one);
            line = next ? next + 1 : end;
        }
    return module;
}

void machine_unload(struct machine_module *module)
{
    (void)module;
}

struct machine_kernel *machine_kernel(struct machine_module *module, const char *name)
{
    for (int i = 0; i < module->kernels; i++)
        if (!strcmp(module->kernel[i].name, name))
            return &module->kernel[i];
    return NULL;
}

void machine_kernel_facts(const struct machine_kernel *kernel, struct machine_kernel_facts *facts)
{
    *facts = (struct machine_kernel_facts){.name = kernel->name,
                                           .parameters = kernel->parameters,
                                           .parameter = kernel->parameter,
                                           .parameter_bytes = kernel->bytes,
                                           .static_shared = 256,
                                           .target = kernel->target};
}

bool machine_kernel_decode(struct machine_kernel *kernel, struct error *error)
{
    return strcmp(kernel->name, "strange") ||
           error_set(error, "line 3: 'strange.u32' is not understood");
}

void machine_own_lines(struct machine_module *module)
{
    (void)module;
}

struct machine_kernel *machine_kernel_at(struct machine_module *module, int index)
{
    (void)module, (void)index;
    return NULL;
}

bool machine_variable(struct machine_module *module, const char *name, uint64_t *address,
                      uint64_t *bytes)
{
    for (int i = 0; i < module->variables; i++)
        if (!strcmp(module->variable[i].name, name)) {
            *address = module->variable[i].address;
            *bytes = module->variable[i].bytes;
            return true;
        }
    return false;
}

bool machine_place_variable(struct machine_module *module, const char *name, uint8_t *host)
{
    (void)module, (void)name, (void)host;
    return false;
}

int machine_kernel_accesses(const struct machine_kernel *kernel)
{
    (void)kernel;
    return ACCESSES;
}

void machine_kernel_access(const struct machine_kernel *kernel, int access,
                           struct machine_access_facts *facts)
{
    (void)kernel;
    static const char text[] = "st.shared.u32 [tile], %r1;";
    *facts = (struct machine_access_facts){.global = access == 2,
                                           .op = access ? OP_LOAD : OP_STORE,
                                           .bytes = 4,
                                           .site = access,
                                           .text = text,
                                           .text_length = (int)sizeof text - 1,
                                           .array = "tile"};
}

int machine_module_sites(const struct machine_module *module)
{
    (void)module;
    return ACCESSES;
}

void machine_module_site(const struct machine_module *module, int index, struct machine_site *site)
{
    (void)module;
    *site =
        (struct machine_site){"app.cu", index ? "helper" : "", 10 + index, 1, index == 1 ? 2 : -1};
}

bool machine_unroll(struct machine_module *module, const char *function, int function_length,
                    int line, bool first_apart)
{
    (void)module;
    (void)first_apart;
    (void)function;
    (void)function_length;
    return line > 0;
}

int machine_kernel_shared(const struct machine_kernel *kernel, int index,
                          struct machine_shared *shared)
{
    (void)kernel;
    *shared = (struct machine_shared){"tile", 0, 256, 4, false};
    return index == 0;
}

bool machine_fault_ends(enum machine_fault_kind kind)
{
    return kind < MACHINE_FAULT_RACE;
}

/* ---- launches --------------------------------------------------------------------------------------- */

struct machine_run {
    struct machine_launch launch;
    unsigned char *parameters;
    uint64_t next, blocks, done;
    struct machine_count count[ACCESSES];
    struct machine_fault fault;
    bool failed;
};

static void (*function_of(const struct machine_kernel *kernel))(struct fake_block *)
{
    for (const struct fake_kernel *k = fake_kernels; k->name; k++)
        if (!strcmp(k->name, kernel->name))
            return k->function;
    return NULL;
}

struct machine_run *machine_begin(const struct machine_launch *launch, struct error *error)
{
    if (!function_of(launch->kernel)) {
        error_set(error, "there is no function for it");
        return NULL;
    }
    struct machine_run *run = take(launch->kernel->module->memory, sizeof *run);
    run->launch = *launch;
    run->parameters = take(launch->kernel->module->memory, launch->kernel->bytes + 1);
    memcpy(run->parameters, launch->parameters, launch->kernel->bytes);
    run->blocks = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    return run;
}

/* The run is found by its launch. */
static struct machine_run *run_of(struct fake_block *block)
{
    return (struct machine_run *)(void *)(uintptr_t)block->launch;
}

void machine_work(struct machine_run *run)
{
    const struct machine_observer *o = run->launch.observer;
    for (;;) {
        uint64_t number = __atomic_fetch_add(&run->next, 1, __ATOMIC_RELAXED);
        if (number >= run->blocks || __atomic_load_n(&run->failed, __ATOMIC_RELAXED))
            return;
        struct machine_module *module = run->launch.kernel->module;
        struct fake_block block = {.number = number,
                                   .launch = &run->launch,
                                   .parameters = run->parameters,
                                   .memory = module->memory,
                                   .module = module};
        block.wanted = o->wants && o->wants(o->context, number);
        function_of(run->launch.kernel)(&block);
        if (run->failed)
            return;
        __atomic_fetch_add(&run->done, 1, __ATOMIC_RELAXED);
        if (o->block_end)
            o->block_end(o->context, number);
    }
}

void fake_access(struct fake_block *block, int access, int lanes, int stride)
{
    struct machine_run *run = run_of(block);
    const struct machine_observer *o = run->launch.observer;
    uint64_t address[MACHINE_LANES];
    uint32_t value[MACHINE_LANES];
    for (int i = 0; i < lanes; i++) {
        address[i] = (uint64_t)(i * stride);
        value[i] = (uint32_t)(block->number * 1000 + (uint64_t)i);
    }
    struct machine_count *count = &run->count[access];
    __atomic_fetch_add(&count->instructions, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&count->lanes, (uint64_t)lanes, __ATOMIC_RELAXED);
    __atomic_fetch_add(&count->passes, (uint64_t)(stride / 4), __ATOMIC_RELAXED);
    count->max_ways = (uint32_t)(stride / 4);
    struct machine_access one = {.access = access,
                                 .global = access == 2,
                                 .op = access ? OP_LOAD : OP_STORE,
                                 .bytes = 4,
                                 .block = block->number,
                                 .warp = 0,
                                 .mask = lanes == 64 ? UINT64_MAX : (UINT64_C(1) << lanes) - 1,
                                 .address = address,
                                 .value = (const uint8_t *)value};
    if (o->access && block->wanted)
        o->access(o->context, &one);
}

void fake_print(struct fake_block *block, const char *text)
{
    const struct machine_observer *o = block->launch->observer;
    o->print(o->context, text, strlen(text));
}

void fake_fault(struct fake_block *block, enum machine_fault_kind kind, const char *text)
{
    struct machine_run *run = run_of(block);
    struct machine_fault fault = {.kind = kind, .site = 1, .other_site = -1, .count = 1};
    snprintf(fault.text, sizeof fault.text, "%s", text);
    fault.block[0] = (uint32_t)block->number;
    block->launch->observer->fault(block->launch->observer->context, &fault);
    if (!machine_fault_ends(kind))
        return;
    run->fault = fault;
    __atomic_store_n(&run->failed, true, __ATOMIC_RELAXED);
}

bool fake_stop(struct fake_block *block)
{
    struct machine_run *run = run_of(block);
    const struct machine_observer *o = run->launch.observer;
    if (!o->stop(o->context))
        return false;
    run->fault = (struct machine_fault){.kind = MACHINE_FAULT_LIMIT, .site = -1, .other_site = -1};
    return run->failed = true;
}

void machine_so_far(struct machine_run *run, struct machine_count *count,
                    struct machine_outcome *outcome)
{
    *outcome = (struct machine_outcome){.count = run->launch.count ? count : NULL,
                                        .counts = run->launch.count ? ACCESSES : 0};
    memcpy(count, run->count, ACCESSES * sizeof *count);
}

/* What a C function touches, nobody sees. */
bool machine_touched(const struct machine_run *run,
                     void (*tell)(void *context, enum machine_touch touch, uint64_t address,
                                  uint64_t bytes),
                     void *context)
{
    (void)run, (void)tell, (void)context;
    return true;
}

void machine_end(struct machine_run *run, struct machine_outcome *outcome)
{
    *outcome = (struct machine_outcome){.good = !run->failed,
                                        .fault = run->fault,
                                        .blocks = run->done,
                                        .instructions = 100,
                                        .lane_instructions = 3200,
                                        .count = run->launch.count ? run->count : NULL,
                                        .counts = run->launch.count ? ACCESSES : 0};
}

void machine_free_run(struct machine_run *run)
{
    (void)run;
}

bool machine_tensor_encode(const struct machine_tensor *tensor, void *map, struct error *error)
{
    (void)tensor, (void)map;
    return error_set(error, "no maps here");
}

struct machine_system *machine_system_new(struct machine_memory *memory,
                                          const struct machine_answers *answers)
{
    (void)memory, (void)answers;
    return NULL;
}

struct machine_children *machine_children_new(struct machine_system *system)
{
    (void)system;
    return NULL;
}

const struct machine_child *machine_children_next(struct machine_children *children,
                                                  uint64_t *index)
{
    (void)children, (void)index;
    return NULL;
}

void machine_children_free(struct machine_children *children)
{
    (void)children;
}

void machine_children_late(const struct machine_children *children,
                           void (*tell)(void *context, const struct machine_late *late),
                           void *context)
{
    (void)children, (void)tell, (void)context;
}

bool machine_child_is_beside(const struct machine_child *child, const struct machine_late *late)
{
    (void)child, (void)late;
    return false;
}

bool machine_children_are_apart(const struct machine_children *children,
                                const struct machine_child *one, const struct machine_child *other)
{
    (void)children, (void)one, (void)other;
    return false;
}
