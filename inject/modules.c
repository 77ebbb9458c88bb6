/* modules.c - gives the program's modules the patches (patches.cu), and their own code back for launches that are not
 * recorded. Code may change only while no launch is under way; hence the streams.
 */
#define _GNU_SOURCE
#include "inject/inject.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* patches.fatbin, which the linker takes in (inject/patches.S). */
extern const unsigned char inject_patches[];

enum {
    MOST_CONTEXTS = 16,
    MOST_MODULES = 4096,
    MOST_STREAMS = 256,  /* with launches that nobody waited for */
    MOST_SWITCHES = 200, /* of a module to its own code */
    MOST_SECONDS = 2,    /* that a thread waits for others to leave the driver */
};

/* A stream with launches that nobody waited for. */
struct stream {
    CUcontext context;
    Sanitizer_StreamHandle handle;
};

/* A module of the program. Patched code is slow even where nothing is recorded, so a module has its own
 * code for launches that are not recorded. Each change takes time, too; hence a limit. */
struct module {
    CUmodule handle; /* NULL: it is unloaded */
    bool patched;
    int switches;
};

static struct {
    pthread_mutex_t patching; /* of the sanitizer's functions that patch, and of `patched` */
    CUcontext patched[MOST_CONTEXTS]; /* contexts that have the patches */
    int contexts;
    struct module module[MOST_MODULES];
    int modules;
    struct stream stream[MOST_STREAMS];
    int streams;
    bool lost_a_stream; /* there were too many: whether launches are under way is not known */
    bool crowded;       /* waiting for other threads to leave the driver was in vain */
    bool frozen;        /* modules stay as they are */
} code = {.patching = PTHREAD_MUTEX_INITIALIZER};

static bool has_patches(CUcontext context)
{
    for (int i = 0; i < code.contexts; i++)
        if (code.patched[i] == context)
            return true;
    if (code.contexts == (int)(sizeof code.patched / sizeof *code.patched))
        return false;
    if (!sanitizer_did(
            sanitizerAddPatches(inject_patches, context),
            "the patches cannot be loaded; does this GPU's architecture differ from that which "
            "bankscope was built for (CUDA_ARCH)?"))
        return false;
    code.patched[code.contexts++] = context;
    return true;
}

/* A module's number in files and records, where no two processes have the same. */
static uint32_t number_of(int module)
{
    return recorder.ring.number * MOST_MODULES + (uint32_t)module;
}

static void keep_cubin(const Sanitizer_ResourceModuleData *data)
{
    char path[4096];
    if (!recorder.cubins || !data->pCubin || code.modules >= MOST_MODULES)
        return;
    snprintf(path, sizeof path, "%s/%u.cubin", recorder.cubins, number_of(code.modules));
    FILE *file = fopen(path, "we");
    if (!file)
        return;
    fwrite(data->pCubin, data->cubinSize, 1, file);
    fclose(file);
}

/* NULL: it is not known. */
static struct module *find_module(CUmodule handle)
{
    for (int i = code.modules; i-- > 0;)
        if (code.module[i].handle == handle)
            return &code.module[i];
    return NULL;
}

uint32_t module_number(CUmodule handle)
{
    const struct module *module = find_module(handle);
    return module ? number_of((int)(module - code.module)) : UINT32_MAX;
}

bool is_patched(CUmodule handle)
{
    const struct module *module = find_module(handle);
    return !module || module->patched;
}

static bool patch_module(CUmodule module)
{
    static const struct {
        Sanitizer_InstructionId instruction;
        const char *function;
    } patches[] = {
        {SANITIZER_INSTRUCTION_SHARED_MEMORY_ACCESS, "bankscope_access"},
        {SANITIZER_INSTRUCTION_MEMCPY_ASYNC, "bankscope_copy"},
        {SANITIZER_INSTRUCTION_MATRIX_MEMORY_ACCESS, "bankscope_matrix"},
        {SANITIZER_INSTRUCTION_BARRIER, "bankscope_barrier"},
    };
    if (recorder.global &&
        (!sanitizer_did(sanitizerPatchInstructions(SANITIZER_INSTRUCTION_GLOBAL_MEMORY_ACCESS,
                                                   module, "bankscope_global"),
                        "bankscope_global")))
        return false;
    for (size_t i = 0; i < sizeof patches / sizeof *patches; i++) {
        const char *function =
            recorder.global && patches[i].instruction == SANITIZER_INSTRUCTION_MEMCPY_ASYNC
                ? "bankscope_both"
                : patches[i].function;
        if (!sanitizer_did(sanitizerPatchInstructions(patches[i].instruction, module, function),
                           function))
            return false;
    }
    return sanitizer_did(sanitizerPatchModule(module), "a module cannot be patched");
}

void add_module(const Sanitizer_ResourceModuleData *data)
{
    pthread_mutex_unlock(&recorder.lock);
    pthread_mutex_lock(&code.patching);
    bool patched = !recorder.failed && has_patches(data->context) && patch_module(data->module);
    pthread_mutex_unlock(&code.patching);
    pthread_mutex_lock(&recorder.lock);
    if (!patched)
        return;
    keep_cubin(data);
    if (code.modules < MOST_MODULES)
        code.module[code.modules++] = (struct module){.handle = data->module, .patched = true};
}

void remove_module(const Sanitizer_ResourceModuleData *data)
{
    struct module *module = find_module(data->module);
    if (module)
        module->handle = NULL;
}

void note_stream(CUcontext context, Sanitizer_StreamHandle handle)
{
    for (int i = 0; i < code.streams; i++)
        if (code.stream[i].handle == handle)
            return;
    if (code.streams < MOST_STREAMS)
        code.stream[code.streams++] = (struct stream){context, handle};
    else
        code.lost_a_stream = true;
}

void remove_stream(const Sanitizer_ResourceStreamData *data)
{
    bool noted = false;
    for (int i = code.streams; i-- > 0;)
        if (code.stream[i].handle == data->hStream) {
            code.stream[i] = code.stream[--code.streams];
            noted = true;
        }
    if (!noted)
        return;
    pthread_mutex_unlock(&recorder.lock);
    sanitizerStreamSynchronize(data->hStream);
    pthread_mutex_lock(&recorder.lock);
}

/* Waits until no launch is under way. false: that is not known. */
static bool wait_for_launches(void)
{
    for (; code.streams; code.streams--)
        if (sanitizerStreamSynchronize(code.stream[code.streams - 1].handle) != SANITIZER_SUCCESS)
            code.lost_a_stream = true;
    return !code.lost_a_stream;
}

/* Whether no other thread is in a call of the driver's, with a lock that a change of code may need. Then
 * none enters one before this thread gives up recorder.lock. `wait`: for the others to come out. */
static bool is_alone(bool wait)
{
    if (!recorder.inside || !wait || code.crowded)
        return !recorder.inside;
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += MOST_SECONDS;
    recorder.gate = true;
    while (recorder.inside && !code.crowded)
        code.crowded = pthread_cond_timedwait(&recorder.moved, &recorder.lock, &until) != 0;
    recorder.gate = false;
    pthread_cond_broadcast(&recorder.moved);
    return !recorder.inside;
}

void set_patched(CUmodule only, bool patched)
{
    for (int i = 0; i < code.modules && !code.frozen && !recorder.failed; i++) {
        struct module *module = &code.module[i];
        if (!module->handle || (only && module->handle != only) || module->patched == patched ||
            (!patched && module->switches >= MOST_SWITCHES))
            continue;
        if (!is_alone(patched) || !wait_for_launches())
            return;
        module->patched = patched;
        module->switches += !patched;
        pthread_mutex_lock(&code.patching);
        if (patched)
            patch_module(module->handle);
        else
            sanitizer_did(sanitizerUnpatchModule(module->handle), "patches cannot be taken back");
        pthread_mutex_unlock(&code.patching);
    }
}

void freeze_modules(void)
{
    set_patched(NULL, true);
    code.frozen = true;
}

void remove_context(CUcontext context)
{
    for (int i = code.streams; i-- > 0;)
        if (code.stream[i].context == context)
            code.stream[i] = code.stream[--code.streams];
    pthread_mutex_unlock(&recorder.lock);
    pthread_mutex_lock(&code.patching);
    for (int i = code.contexts; i-- > 0;)
        if (code.patched[i] == context)
            code.patched[i] = code.patched[--code.contexts];
    pthread_mutex_unlock(&code.patching);
    pthread_mutex_lock(&recorder.lock);
}
