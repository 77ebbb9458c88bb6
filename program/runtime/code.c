/* code.c - what compilers register before main: fat binaries with PTX in them, kernels and variables by name.
 *
 *     handle = __cudaRegisterFatBinary(wrapper)           a unit, as the compiler saw it
 *     __cudaRegisterFunction(handle, host, ..., "_Z1kPi", ...)
 *     __cudaRegisterVar(handle, host, ..., "counter", ...)
 *     __cudaRegisterFatBinaryEnd(handle)
 *
 * A wrapper points to PTX as text (clang), to a container of nvcc's, or, where device code was linked
 * (-rdc=true), to a list of containers. Nothing is parsed before it is asked for. Then units become modules: the
 * containers of a list are one, and a unit that names device functions or variables of others is one with those
 * that define them; all others are modules of their own, because they may use the same names.
 */
#include "program/runtime/code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WRAPPER = 0x466243b1 };

struct wrapper {
    uint32_t magic, version; /* 2: `list` is the containers of all units, ended by NULL */
    const void *data;
    void **list;
};
struct variable {
    const void *host;
    const char *name;
    struct runtime_binary *binary;
    size_t bytes;
    void **managed; /* nvcc's: a pointer of the program's to where it is */
    bool placed;    /* clang's managed: where the host has it */
    struct variable *next;
};

static struct {
    struct runtime_binary *binaries, **last_binary;
    struct runtime_kernel *kernels;
    struct variable *variables;
    struct runtime_kernel **table; /* kernels by the address of `host` */
    size_t table_room, count;
    int images; /* texts that the program loaded itself */
} code;

void **__cudaRegisterFatBinary(void *data);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                            int threads, void *tid, void *bid, void *block, void *grid, int *warp);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int external,
                       size_t bytes, int constant, int global);
void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name,
                              int external, size_t bytes, int constant, int global);
void __cudaRegisterHostVar(void **handle, const char *name, char *host, size_t bytes);
void __cudaRegisterTexture(void **handle, const void *host, const void **device, const char *name,
                           int dimensions, int normalized, int external);
void __cudaRegisterSurface(void **handle, const void *host, const void **device, const char *name,
                           int dimensions, int external);
char __cudaInitModule(void **handle);
void __cudaRegisterUnifiedTable(void *table);
cudaError_t __cudaGetKernel(struct runtime_kernel **kernel, const void *host);

static struct runtime_binary *new_binary(void)
{
    struct runtime_binary *binary = runtime_new(sizeof *binary);
    if (binary)
        binary->leader = binary;
    return binary;
}

static void add_binary(struct runtime_binary *binary)
{
    runtime_lock();
    if (!code.last_binary)
        code.last_binary = &code.binaries;
    *code.last_binary = binary;
    code.last_binary = &binary->next;
    runtime_unlock();
}

void **__cudaRegisterFatBinary(void *data)
{
    struct wrapper wrapper;
    memcpy(&wrapper, data, sizeof wrapper);
    struct runtime_binary *binary = new_binary();
    if (!binary)
        return NULL;
    if (wrapper.magic != WRAPPER)
        binary->problem = "a compiler that is not known registered it";
    else if (wrapper.version == 2 && wrapper.list)
        for (void **at = wrapper.list; *at; at++)
            code_open(binary, *at);
    else
        code_open(binary, wrapper.data);
    add_binary(binary);
    return (void **)binary;
}

void __cudaUnregisterFatBinary(void **handle)
{
    struct runtime_binary *binary = (struct runtime_binary *)handle;
    if (binary)
        binary->gone = true; /* its kernels' names may be gone, too: a library that was closed */
}

/* ---- kernels and variables by what stands for them in the host's code ----------------------------- */

static size_t slot_of(const void *host)
{
    return (size_t)((uint64_t)(uintptr_t)host * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

static void put_kernel(struct runtime_kernel *kernel)
{
    size_t i = slot_of(kernel->host) & (code.table_room - 1);
    while (code.table[i] && code.table[i]->host != kernel->host)
        i = (i + 1) & (code.table_room - 1);
    code.table[i] = kernel;
}

/* Makes the table twice as large when it is half full. */
static bool have_room(void)
{
    if (2 * code.count < code.table_room)
        return true;
    size_t room = code.table_room ? 2 * code.table_room : 64;
    struct runtime_kernel **table = runtime_new(room * sizeof *table);
    if (!table)
        return false;
    runtime_delete(code.table);
    code.table = table;
    code.table_room = room;
    for (struct runtime_kernel *kernel = code.kernels; kernel; kernel = kernel->next)
        if (!kernel->binary->gone)
            put_kernel(kernel);
    return true;
}

/* host: NULL: its handle stands for it. Returns it; NULL: no memory. With the lock held. */
static struct runtime_kernel *put_new_kernel(struct runtime_binary *binary, const void *host,
                                             const char *name)
{
    struct runtime_kernel *kernel = binary ? runtime_new(sizeof *kernel) : NULL;
    const bool good = kernel && have_room();
    if (good) {
        kernel->host = host ? host : kernel;
        kernel->name = name;
        kernel->binary = binary;
        kernel->next = code.kernels;
        code.kernels = kernel;
        code.count++;
        put_kernel(kernel);
    }
    return good ? kernel : NULL;
}

static struct runtime_kernel *add_kernel(struct runtime_binary *binary, const void *host,
                                         const char *name)
{
    runtime_lock();
    struct runtime_kernel *kernel = put_new_kernel(binary, host, name);
    runtime_unlock();
    return kernel;
}

void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                            int threads, void *tid, void *bid, void *block, void *grid, int *warp)
{
    (void)device, (void)threads, (void)tid, (void)bid, (void)block, (void)grid, (void)warp;
    add_kernel((struct runtime_binary *)handle, host, name);
}

static struct variable *add_variable(void **handle, const void *host, const char *name,
                                     size_t bytes)
{
    struct variable *variable = handle ? runtime_new(sizeof *variable) : NULL;
    if (!variable)
        return NULL;
    variable->host = host;
    variable->name = name;
    variable->binary = (struct runtime_binary *)handle;
    variable->bytes = bytes;
    runtime_lock();
    variable->next = code.variables;
    code.variables = variable;
    runtime_unlock();
    return variable;
}

/* The variables that our headers call __managed__ with clang, which has no such word: the host's are in this
 * section, and the device uses them where they are. */
extern char __start_bankscope_managed[] __attribute__((weak, visibility("hidden")));
extern char __stop_bankscope_managed[] __attribute__((weak, visibility("hidden")));

void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int external,
                       size_t bytes, int constant, int global)
{
    (void)device, (void)external, (void)constant, (void)global;
    struct variable *variable = add_variable(handle, host, name, bytes);
    if (variable)
        variable->placed = host >= __start_bankscope_managed && host < __stop_bankscope_managed;
}

void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name,
                              int external, size_t bytes, int constant, int global)
{
    (void)device, (void)external, (void)constant, (void)global;
    struct variable *variable = add_variable(handle, host, name, bytes);
    if (variable)
        variable->managed = host;
}

void __cudaRegisterHostVar(void **handle, const char *name, char *host, size_t bytes)
{
    (void)handle, (void)name, (void)host, (void)bytes;
}

/* Texture references went away with CUDA 12; clang registers those of our headers. */
void __cudaRegisterTexture(void **handle, const void *host, const void **device, const char *name,
                           int dimensions, int normalized, int external)
{
    (void)device, (void)dimensions, (void)normalized, (void)external;
    add_variable(handle, host, name, sizeof(void *));
}

void __cudaRegisterSurface(void **handle, const void *host, const void **device, const char *name,
                           int dimensions, int external)
{
    __cudaRegisterTexture(handle, host, device, name, dimensions, 0, external);
}

void __cudaRegisterUnifiedTable(void *table)
{
    (void)table;
}

/* ---- modules --------------------------------------------------------------------------------------- */

static void say_unrunnable(const struct runtime_binary *binary, const char *why)
{
    runtime_report_line(RECORDS_CODE, NULL, "the program's GPU code cannot be run: %s",
                        binary->problem && !binary->units ? binary->problem : why);
}

/* The program's variables get their places. */
static void settle_variables(const struct runtime_binary *leader)
{
    for (struct variable *v = code.variables; v; v = v->next) {
        uint64_t address, bytes;
        if (code_leader(v->binary) != leader || !leader->module)
            continue;
        struct machine_module *module = leader->module->module;
        if (v->placed)
            machine_place_variable(module, v->name, (uint8_t *)(uintptr_t)v->host);
        if (v->managed && machine_variable(module, v->name, &address, &bytes)) {
            const struct machine_range *range =
                machine_memory_find(runtime_begin()->memory, address);
            *v->managed = range ? range->host + (address - range->address) : NULL;
        }
    }
}

static struct machine_text text_of(const struct unit *unit)
{
    return (struct machine_text){unit->text, unit->length, unit->path ? unit->path : unit->name};
}

static bool load_binaries(struct runtime_binary *leader)
{
    struct machine_text *text = NULL;
    size_t count = 0, room = 0;
    struct error error = {""};
    struct runtime_module *module = runtime_new(sizeof *module);
    for (struct runtime_binary *b = code.binaries; b; b = b->next)
        for (size_t i = 0; i < b->units && code_leader(b) == leader; i++)
            if (runtime_grow(&text, &room, count + 1, sizeof *text))
                text[count++] = text_of(&b->unit[i]);
    if (module && count)
        module->module = machine_load(runtime_begin()->memory, text, (int)count, &error);
    runtime_delete(text);
    if (module && module->module) {
        runtime_tell_loops(module->module);
        if (leader->image)
            machine_own_lines(module->module);
        leader->module = module;
        settle_variables(leader);
        return true;
    }
    leader->failed = true;
    say_unrunnable(leader, error.text[0] ? error.text : "there is none");
    runtime_delete(module);
    return false;
}

/* The module that the binary is in. NULL: it cannot be loaded, which was said. */
static struct runtime_module *module_of(struct runtime_binary *binary)
{
    if (!code_leader(binary)->module && !code_leader(binary)->failed)
        code_group(code.binaries);
    struct runtime_binary *leader = code_leader(binary);
    if (!leader->module && (leader->failed || !load_binaries(leader)))
        return NULL;
    return leader->module;
}

void runtime_unload(void)
{
    runtime_lock();
    runtime_repeat_forget();
    for (struct runtime_kernel *kernel = code.kernels; kernel; kernel = kernel->next)
        kernel->kernel = NULL;
    for (struct runtime_binary *b = code.binaries; b; b = b->next)
        if (b->module) {
            machine_unload(b->module->module);
            runtime_delete(b->module->site);
            runtime_delete(b->module);
            b->module = NULL;
        }
    runtime_unlock();
}

static bool has_placed_variables(const struct runtime_binary *binary)
{
    for (const struct variable *v = code.variables; v; v = v->next)
        if (v->placed && v->binary == binary)
            return true;
    return false;
}

/* The host may use a variable that it shares before it calls anything. The variable's module can be loaded when
 * all units are known that may be parts of it: those of the program are when this object's constructor runs,
 * which is linked behind them; a library that is loaded later stands for itself. */
static bool are_registered;

static void load_placed_variables(struct runtime_binary *binary)
{
    if (are_registered && has_placed_variables(binary))
        module_of(binary);
}

__attribute__((constructor)) static void load_all_placed_variables(void)
{
    runtime_lock();
    are_registered = true;
    for (struct runtime_binary *b = code.binaries; b; b = b->next)
        load_placed_variables(b);
    runtime_unlock();
}

void __cudaRegisterFatBinaryEnd(void **handle)
{
    runtime_lock();
    if (handle)
        load_placed_variables((struct runtime_binary *)handle);
    runtime_unlock();
}

char __cudaInitModule(void **handle)
{
    runtime_enter();
    runtime_lock();
    bool good = handle && module_of((struct runtime_binary *)handle);
    runtime_unlock();
    return good;
}

/* ---- asked for by the API -------------------------------------------------------------------------- */

static struct runtime_kernel *find_kernel(const void *function)
{
    if (!code.table_room)
        return NULL;
    size_t i = slot_of(function) & (code.table_room - 1);
    while (code.table[i] && code.table[i]->host != function)
        i = (i + 1) & (code.table_room - 1);
    if (code.table[i])
        return code.table[i]->binary->gone ? NULL : code.table[i];
    for (struct runtime_kernel *kernel = code.kernels; kernel; kernel = kernel->next)
        if (kernel == function)
            return kernel;
    return NULL;
}

static cudaError_t load_kernel(struct runtime_kernel *kernel)
{
    struct error error = {""};
    if (kernel->kernel)
        return cudaSuccess;
    kernel->module = module_of(kernel->binary);
    if (!kernel->module)
        return cudaErrorNoKernelImageForDevice;
    struct machine_kernel *found = machine_kernel(kernel->module->module, kernel->name);
    if (!found || !machine_kernel_decode(found, &error)) {
        runtime_report_line(RECORDS_CODE, NULL, "the kernel %s cannot be run: %s", kernel->name,
                            found ? error.text : "its PTX is missing");
        return found ? cudaErrorInvalidPtx : cudaErrorInvalidDeviceFunction;
    }
    kernel->kernel = found;
    machine_kernel_facts(found, &kernel->facts);
    kernel->dynamic_most = MACHINE_STATIC_SHARED - (int)kernel->facts.static_shared;
    return cudaSuccess;
}

struct runtime_kernel *runtime_kernel(const void *function, cudaError_t *error)
{
    runtime_lock();
    struct runtime_kernel *kernel = find_kernel(function);
    *error = kernel ? load_kernel(kernel) : cudaErrorInvalidDeviceFunction;
    runtime_unlock();
    return *error == cudaSuccess ? kernel : NULL;
}

struct runtime_kernel *runtime_kernel_of(struct machine_kernel *machine)
{
    struct machine_kernel_facts facts;
    struct runtime_kernel *kernel = code.kernels;
    struct runtime_binary *binary = code.binaries;
    while (kernel && kernel->kernel != machine)
        kernel = kernel->next;
    if (kernel)
        return kernel;
    machine_kernel_facts(machine, &facts);
    while (binary && !(code_leader(binary)->module &&
                       machine_kernel(code_leader(binary)->module->module, facts.name) == machine))
        binary = binary->next;
    for (kernel = code.kernels; kernel && binary; kernel = kernel->next)
        if (code_leader(kernel->binary) == code_leader(binary) && !strcmp(kernel->name, facts.name))
            break;
    if (!kernel)
        kernel = put_new_kernel(binary, NULL, facts.name);
    return kernel && load_kernel(kernel) == cudaSuccess ? kernel : NULL;
}

cudaError_t __cudaGetKernel(struct runtime_kernel **kernel, const void *host)
{
    runtime_lock();
    *kernel = find_kernel(host);
    runtime_unlock();
    return *kernel ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}

cudaError_t runtime_variable(const void *symbol, uint64_t *address, size_t *bytes)
{
    cudaError_t error = cudaErrorInvalidSymbol;
    runtime_lock();
    for (struct variable *v = code.variables; v && error != cudaSuccess; v = v->next) {
        uint64_t size;
        bool meant =
            !v->binary->gone && (v->host == symbol || (v->managed && *v->managed == symbol));
        if (!meant || !module_of(v->binary))
            continue;
        *bytes = v->bytes;
        if (machine_variable(code_leader(v->binary)->module->module, v->name, address, &size))
            error = cudaSuccess;
    }
    runtime_unlock();
    return error;
}

/* ---- loaded by the program itself ------------------------------------------------------------------- */

/* Texts that are the program's may go when the call returns. */
static bool copy_texts(struct runtime_binary *binary, size_t first)
{
    for (size_t i = first; i < binary->units; i++) {
        char *copy = runtime_new(binary->unit[i].length + 1);
        if (!copy) {
            binary->units = i;
            return false;
        }
        memcpy(copy, binary->unit[i].text, binary->unit[i].length);
        binary->unit[i].text = copy;
        snprintf(binary->unit[i].name, sizeof binary->unit[i].name, "module-%d.ptx", ++code.images);
    }
    return true;
}

struct runtime_binary *runtime_image_new(void)
{
    struct runtime_binary *binary = new_binary();
    if (!binary)
        return NULL;
    binary->image = true;
    add_binary(binary);
    return binary;
}

bool runtime_image_add(struct runtime_binary *binary, const void *data, size_t length,
                       const char *path)
{
    const size_t first = binary->units;
    struct wrapper wrapper;
    uint32_t magic = 0;
    if (length >= sizeof magic)
        memcpy(&magic, data, sizeof magic);
    if (magic == WRAPPER) {
        memcpy(&wrapper, data, sizeof wrapper);
        code_open(binary, wrapper.data);
    } else if (code_is_text(data, length)) {
        code_add(binary, data, strnlen(data, length));
    } else {
        code_open(binary, data);
    }
    for (size_t i = first; i < binary->units; i++)
        binary->unit[i].path = path;
    return copy_texts(binary, first);
}

bool runtime_image_load(struct runtime_binary *binary)
{
    runtime_lock();
    const bool good = module_of(binary);
    runtime_unlock();
    return good;
}

void runtime_image_free(struct runtime_binary *binary)
{
    runtime_lock();
    binary->gone = true; /* its kernels' names stay: what was recorded of them names them */
    runtime_unlock();
}

struct runtime_kernel *runtime_image_kernel(struct runtime_binary *binary, const char *name,
                                            cudaError_t *error)
{
    struct runtime_kernel *kernel;
    struct runtime_module *module;
    struct machine_kernel *found;
    struct machine_kernel_facts facts;
    *error = cudaErrorSymbolNotFound;
    runtime_lock();
    for (kernel = code.kernels; kernel; kernel = kernel->next)
        if (kernel->binary == binary && !strcmp(kernel->name, name))
            break;
    module = module_of(binary);
    found = module ? machine_kernel(module->module, name) : NULL;
    if (!kernel && found) {
        machine_kernel_facts(found, &facts); /* the module's name outlives the program's */
        kernel = add_kernel(binary, NULL, facts.name);
    }
    if (kernel)
        *error = load_kernel(kernel);
    runtime_unlock();
    return *error == cudaSuccess ? kernel : NULL;
}

const char *runtime_image_kernel_at(struct runtime_binary *binary, int index)
{
    struct machine_kernel_facts facts = {.name = NULL};
    runtime_lock();
    struct runtime_module *module = module_of(binary);
    struct machine_kernel *kernel = module ? machine_kernel_at(module->module, index) : NULL;
    if (kernel)
        machine_kernel_facts(kernel, &facts);
    runtime_unlock();
    return facts.name;
}

bool runtime_image_variable(struct runtime_binary *binary, const char *name, uint64_t *address,
                            uint64_t *bytes)
{
    runtime_lock();
    struct runtime_module *module = module_of(binary);
    const bool good = module && machine_variable(module->module, name, address, bytes);
    runtime_unlock();
    return good;
}

int runtime_target(void)
{
    int highest = 0;
    for (const struct runtime_binary *b = code.binaries; b; b = b->next)
        for (size_t i = 0; i < b->units; i++)
            highest = b->unit[i].target > highest ? b->unit[i].target : highest;
    return highest;
}
