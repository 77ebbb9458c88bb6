/* driver_module.c - the driver API's code: modules, libraries, what is linked at run time; functions and their launches. */
#include "program/runtime/driver/driver.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINKED = 0x4b4c4e53 };

/* ---- modules ----------------------------------------------------------------------------------------- */

/* What cuLinkComplete hands out for machine code: the texts that were linked. */
struct linked {
    uint32_t magic;
    struct runtime_binary *binary;
};
struct CUlinkState_st {
    struct linked linked;
};

static struct runtime_binary *binary_of(CUmodule module)
{
    return (struct runtime_binary *)(void *)module;
}

static CUresult load_module(CUmodule *module, const void *image, size_t bytes)
{
    struct linked linked = {.magic = 0};
    REQUIRE_VALUE(module && image);
    if (bytes >= sizeof linked.magic)
        memcpy(&linked.magic, image, sizeof linked.magic);
    if (linked.magic == LINKED && bytes >= sizeof linked)
        memcpy(&linked, image, sizeof linked);
    else
        linked.binary = runtime_image_new();
    if (!linked.binary ||
        (linked.magic != LINKED && !runtime_image_add(linked.binary, image, bytes, NULL)))
        return CUDA_ERROR_OUT_OF_MEMORY;
    *module = (CUmodule)(void *)linked.binary;
    return runtime_image_load(linked.binary) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_PTX;
}

/* How long an image is, its head says, and text ends with a null byte. */
CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
    DRIVER_ENTER(true);
    return load_module(module, image, SIZE_MAX);
}

CUresult cuModuleLoadFatBinary(CUmodule *module, const void *image)
{
    DRIVER_ENTER(true);
    return load_module(module, image, SIZE_MAX);
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int options,
                            CUjit_option *option, void **value)
{
    DRIVER_ENTER(true);
    for (unsigned i = 0; i < options; i++) /* logs in which nothing stands */
        if ((option[i] == CU_JIT_INFO_LOG_BUFFER || option[i] == CU_JIT_ERROR_LOG_BUFFER) &&
            value[i])
            *(char *)value[i] = '\0';
    return load_module(module, image, SIZE_MAX);
}

/* A file's bytes, in a mapping of *bytes; NULL: it cannot be read. */
static char *map_file(const char *path, size_t *bytes)
{
    struct stat is;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    char *at = MAP_FAILED;
    if (file >= 0 && !fstat(file, &is) && S_ISREG(is.st_mode) && is.st_size > 0) {
        *bytes = (size_t)is.st_size;
        at = mmap(NULL, *bytes, PROT_READ, MAP_PRIVATE, file, 0);
    }
    if (file >= 0)
        close(file);
    return at == MAP_FAILED ? NULL : at;
}

static CUresult load_file(CUmodule *module, const char *path)
{
    size_t bytes;
    REQUIRE_VALUE(module && path);
    char *image = map_file(path, &bytes);
    if (!image)
        return CUDA_ERROR_FILE_NOT_FOUND;
    const CUresult result = load_module(module, image, bytes);
    munmap(image, bytes);
    return result;
}

CUresult cuModuleLoad(CUmodule *module, const char *path)
{
    DRIVER_ENTER(true);
    return load_file(module, path);
}

CUresult cuModuleUnload(CUmodule module)
{
    DRIVER_ENTER(true);
    if (!module)
        return CUDA_ERROR_INVALID_HANDLE;
    runtime_image_free(binary_of(module));
    return CUDA_SUCCESS;
}

static CUresult find_function(CUfunction *function, CUmodule module, const char *name)
{
    cudaError_t error;
    REQUIRE_VALUE(function && name);
    if (!module)
        return CUDA_ERROR_INVALID_HANDLE;
    *function = (CUfunction)(void *)runtime_image_kernel(binary_of(module), name, &error);
    return driver_result(error);
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
{
    DRIVER_ENTER(true);
    return find_function(function, module, name);
}

CUresult cuModuleGetFunctionCount(unsigned int *count, CUmodule module)
{
    DRIVER_ENTER(true);
    REQUIRE_VALUE(count && module);
    for (*count = 0; runtime_image_kernel_at(binary_of(module), (int)*count);)
        ++*count;
    return CUDA_SUCCESS;
}

static CUresult find_variable(CUdeviceptr *address, size_t *bytes, CUmodule module,
                              const char *name)
{
    uint64_t at, size;
    REQUIRE_VALUE(module && name);
    if (!runtime_image_variable(binary_of(module), name, &at, &size))
        return CUDA_ERROR_NOT_FOUND;
    if (address)
        *address = at;
    if (bytes)
        *bytes = size;
    return CUDA_SUCCESS;
}

CUresult cuModuleGetGlobal(CUdeviceptr *address, size_t *bytes, CUmodule module, const char *name)
{
    DRIVER_ENTER(true);
    return find_variable(address, bytes, module, name);
}

/* A library is a module that needs no context; a kernel of it is a function. */
CUresult cuLibraryLoadData(CUlibrary *library, const void *code, CUjit_option *option, void **value,
                           unsigned int options, CUlibraryOption *library_option,
                           void **library_value, unsigned int library_options)
{
    (void)option, (void)value, (void)options;
    (void)library_option, (void)library_value, (void)library_options;
    DRIVER_ENTER(false);
    return load_module((CUmodule *)(void *)library, code, SIZE_MAX);
}

CUresult cuLibraryLoadFromFile(CUlibrary *library, const char *path, CUjit_option *option,
                               void **value, unsigned int options, CUlibraryOption *library_option,
                               void **library_value, unsigned int library_options)
{
    (void)option, (void)value, (void)options;
    (void)library_option, (void)library_value, (void)library_options;
    DRIVER_ENTER(false);
    return load_file((CUmodule *)(void *)library, path);
}

CUresult cuLibraryUnload(CUlibrary library)
{
    DRIVER_ENTER(false);
    if (!library)
        return CUDA_ERROR_INVALID_HANDLE;
    runtime_image_free(binary_of((CUmodule)(void *)library));
    return CUDA_SUCCESS;
}

CUresult cuLibraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name)
{
    DRIVER_ENTER(false);
    return find_function((CUfunction *)(void *)kernel, (CUmodule)(void *)library, name);
}

CUresult cuLibraryGetModule(CUmodule *module, CUlibrary library)
{
    DRIVER_ENTER(true);
    REQUIRE_VALUE(module && library);
    *module = (CUmodule)(void *)library;
    return CUDA_SUCCESS;
}

CUresult cuLibraryGetGlobal(CUdeviceptr *address, size_t *bytes, CUlibrary library,
                            const char *name)
{
    DRIVER_ENTER(true);
    return find_variable(address, bytes, (CUmodule)(void *)library, name);
}

CUresult cuKernelGetFunction(CUfunction *function, CUkernel kernel)
{
    DRIVER_ENTER(true);
    REQUIRE_VALUE(function && kernel);
    *function = (CUfunction)(void *)kernel;
    return CUDA_SUCCESS;
}

CUresult cuLinkCreate(unsigned int options, CUjit_option *option, void **value, CUlinkState *state)
{
    (void)options, (void)option, (void)value;
    DRIVER_ENTER(true);
    REQUIRE_VALUE(state);
    *state = runtime_new(sizeof **state);
    struct runtime_binary *binary = *state ? runtime_image_new() : NULL;
    if (!binary)
        return CUDA_ERROR_OUT_OF_MEMORY;
    (*state)->linked = (struct linked){LINKED, binary};
    return CUDA_SUCCESS;
}

CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void *data, size_t bytes,
                       const char *name, unsigned int options, CUjit_option *option, void **value)
{
    (void)name, (void)options, (void)option, (void)value;
    DRIVER_ENTER(true);
    REQUIRE_VALUE(state && data && bytes);
    if (type != CU_JIT_INPUT_PTX && type != CU_JIT_INPUT_FATBINARY)
        return driver_result(runtime_missing("linking of machine code", "link PTX"));
    return runtime_image_add(state->linked.binary, data, bytes, NULL) ? CUDA_SUCCESS
                                                                      : CUDA_ERROR_INVALID_IMAGE;
}

CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char *path,
                       unsigned int options, CUjit_option *option, void **value)
{
    size_t bytes;
    DRIVER_ENTER(true);
    REQUIRE_VALUE(state && path);
    char *data = map_file(path, &bytes);
    if (!data)
        return CUDA_ERROR_FILE_NOT_FOUND;
    const CUresult result = cuLinkAddData(state, type, data, bytes, path, options, option, value);
    munmap(data, bytes);
    return result;
}

CUresult cuLinkComplete(CUlinkState state, void **cubin, size_t *bytes)
{
    DRIVER_ENTER(true);
    REQUIRE_VALUE(state && cubin);
    *cubin = &state->linked;
    if (bytes)
        *bytes = sizeof state->linked;
    return runtime_image_load(state->linked.binary) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_PTX;
}

CUresult cuLinkDestroy(CUlinkState state)
{
    DRIVER_ENTER(true);
    REQUIRE_VALUE(state);
    runtime_delete(state); /* modules of it have what was linked */
    return CUDA_SUCCESS;
}

/* ---- functions ---------------------------------------------------------------------------------------- */

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function)
{
    struct cudaFuncAttributes all;
    DRIVER_ENTER(true);
    REQUIRE_VALUE(value);
    const cudaError_t error = cudaFuncGetAttributes(&all, function);
    const int values[] = {
        [CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK] = all.maxThreadsPerBlock,
        [CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES] = (int)all.sharedSizeBytes,
        [CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES] = (int)all.constSizeBytes,
        [CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES] = (int)all.localSizeBytes,
        [CU_FUNC_ATTRIBUTE_NUM_REGS] = all.numRegs,
        [CU_FUNC_ATTRIBUTE_PTX_VERSION] = all.ptxVersion,
        [CU_FUNC_ATTRIBUTE_BINARY_VERSION] = all.binaryVersion,
        [CU_FUNC_ATTRIBUTE_CACHE_MODE_CA] = all.cacheModeCA,
        [CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES] = all.maxDynamicSharedSizeBytes,
        [CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT] = all.preferredShmemCarveout};
    if (error != cudaSuccess)
        return driver_result(error);
    REQUIRE_VALUE((size_t)attribute < sizeof values / sizeof *values);
    *value = values[attribute];
    return CUDA_SUCCESS;
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value)
{
    DRIVER_ENTER(true);
    return driver_result(cudaFuncSetAttribute(function, (enum cudaFuncAttribute)attribute, value));
}

CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache config)
{
    DRIVER_ENTER(true);
    return driver_result(cudaFuncSetCacheConfig(function, (enum cudaFuncCache)config));
}

CUresult cuFuncGetName(const char **name, CUfunction function)
{
    DRIVER_ENTER(true);
    return driver_result(cudaFuncGetName(name, function));
}

CUresult cuFuncGetModule(CUmodule *module, CUfunction function)
{
    cudaError_t error;
    DRIVER_ENTER(true);
    REQUIRE_VALUE(module);
    const struct runtime_kernel *kernel = runtime_kernel(function, &error);
    if (kernel)
        *module = (CUmodule)(void *)kernel->binary;
    return driver_result(error);
}

/* Arguments one by one, of `params` or of the buffer that `extra` names. false: neither. */
static bool take_arguments(const struct runtime_kernel *kernel, void **params, void **extra,
                           void **argument)
{
    char *buffer = NULL;
    size_t bytes = 0;
    for (int i = 0; !params && extra && extra[i] != CU_LAUNCH_PARAM_END; i += 2)
        if (extra[i] == CU_LAUNCH_PARAM_BUFFER_POINTER)
            buffer = extra[i + 1];
        else if (extra[i] == CU_LAUNCH_PARAM_BUFFER_SIZE)
            memcpy(&bytes, extra[i + 1], sizeof bytes);
    for (int i = 0; i < kernel->facts.parameters; i++) {
        const struct machine_parameter *p = &kernel->facts.parameter[i];
        if (!params && (!buffer || p->offset + p->size > bytes))
            return false;
        argument[i] = params ? params[i] : buffer + p->offset;
    }
    return true;
}

static CUresult launch(const CUlaunchConfig *config, CUfunction function, void **params,
                       void **extra)
{
    cudaError_t error;
    const struct runtime_kernel *kernel = runtime_kernel(function, &error);
    if (!kernel)
        return driver_result(error);
    REQUIRE_VALUE(!(params && extra));
    void **argument = runtime_new(((size_t)kernel->facts.parameters + 1) * sizeof *argument);
    if (!argument)
        return CUDA_ERROR_OUT_OF_MEMORY;
    const cudaLaunchConfig_t to = {
        .gridDim = {config->gridDimX, config->gridDimY, config->gridDimZ},
        .blockDim = {config->blockDimX, config->blockDimY, config->blockDimZ},
        .dynamicSmemBytes = config->sharedMemBytes,
        .stream = config->hStream,
        .attrs = (void *)config->attrs,
        .numAttrs = config->numAttrs};
    error = take_arguments(kernel, params, extra, argument)
                ? cudaLaunchKernelExC(&to, function, argument)
                : cudaErrorInvalidValue;
    runtime_delete(argument);
    return driver_result(error);
}

CUresult cuLaunchKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y,
                        unsigned int grid_z, unsigned int block_x, unsigned int block_y,
                        unsigned int block_z, unsigned int shared, CUstream stream, void **params,
                        void **extra)
{
    DRIVER_ENTER(true);
    const CUlaunchConfig config = {grid_x,  grid_y, grid_z, block_x, block_y,
                                   block_z, shared, stream, NULL,    0};
    return launch(&config, function, params, extra);
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **params,
                          void **extra)
{
    DRIVER_ENTER(true);
    REQUIRE_VALUE(config);
    return launch(config, function, params, extra);
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y,
                                   unsigned int grid_z, unsigned int block_x, unsigned int block_y,
                                   unsigned int block_z, unsigned int shared, CUstream stream,
                                   void **params)
{
    DRIVER_ENTER(true);
    cudaLaunchAttribute cooperative = {.id = cudaLaunchAttributeCooperative,
                                       .val = {.cooperative = 1}};
    const CUlaunchConfig config = {
        grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream, (void *)&cooperative, 1};
    return launch(&config, function, params, NULL);
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function, int threads,
                                                     size_t shared)
{
    DRIVER_ENTER(true);
    return driver_result(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, shared));
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, CUfunction function,
                                                              int threads, size_t shared,
                                                              unsigned int flags)
{
    (void)flags;
    DRIVER_ENTER(true);
    return driver_result(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, shared));
}

CUresult cuOccupancyMaxPotentialBlockSize(int *blocks, int *threads, CUfunction function,
                                          CUoccupancyB2DSize shared_of, size_t shared, int most)
{
    cudaError_t error;
    int best = 0;
    DRIVER_ENTER(true);
    REQUIRE_VALUE(blocks && threads);
    const struct runtime_kernel *kernel = runtime_kernel(function, &error);
    if (!kernel)
        return driver_result(error);
    const int limit =
        kernel->facts.most_threads ? (int)kernel->facts.most_threads : MACHINE_THREADS;
    for (int size = most > 0 && most < limit ? most : limit; size > 0;
         size = (size - 1) / 32 * 32) {
        const size_t bytes = shared_of ? shared_of(size) : shared;
        const int resident = runtime_resident(size, bytes + kernel->facts.static_shared);
        if (resident * size <= best)
            continue;
        best = resident * size;
        *threads = size;
        *blocks = resident * runtime_gpu()->multiprocessors;
    }
    return best ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
