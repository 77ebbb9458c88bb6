/* hopper.c - runs the kernels of tests/support/hopper_cases.h on a GPU through the driver, and prints what each has
 * written: a line for each case of its name, the hash of all its words, and its words.
 *
 *     gcc -O1 -I. -I/usr/local/cuda/include tests/gpu/hopper.c -o hopper -lcuda     build (stubs are enough)
 *     ./hopper > results.tsv            run all
 *     ./hopper --from 12                those from the 12th on (from 0)
 *     ./hopper --names FILE             those whose names are lines of the file
 *     ./hopper --ptx FOLDER             write the PTX of each
 */
#include "tests/support/hopper_cases.h"

#include <cuda.h>
#include <stdlib.h>

static uint8_t in[HOPPER_IN], out[HOPPER_OUT];
static char text[HOPPER_TEXT];

static bool good(CUresult result, const char *what, const struct hopper_case *now)
{
    const char *name = "?";
    if (result == CUDA_SUCCESS)
        return true;
    cuGetErrorName(result, &name);
    printf("%s\tfailed: %s: %s\n", now ? now->name : "all", what, name);
    return false;
}

static bool make_map(const struct hopper_case *now, CUdeviceptr at, CUtensorMap *map)
{
    const struct hopper_map *of = &now->map;
    cuuint64_t dim[5], stride[5];
    cuuint32_t box[5], step[5];
    uint64_t bytes = (uint64_t)of->bytes;
    for (int i = 0; i < of->rank; i++) {
        dim[i] = of->dim[i], box[i] = of->box[i], step[i] = of->step[i];
        bytes *= of->dim[i];
        stride[i] = bytes;
    }
    if (of->channels)
        return good(cuTensorMapEncodeIm2col(
                        map, (CUtensorMapDataType)of->type, (cuuint32_t)of->rank, (void *)at, dim,
                        stride, of->lower, of->upper, (cuuint32_t)of->channels,
                        (cuuint32_t)of->pixels, step, (CUtensorMapInterleave)of->interleave,
                        (CUtensorMapSwizzle)of->swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                        (CUtensorMapFloatOOBfill)of->fill),
                    "cuTensorMapEncodeIm2col", now);
    return good(
        cuTensorMapEncodeTiled(map, (CUtensorMapDataType)of->type, (cuuint32_t)of->rank, (void *)at,
                               dim, stride, box, step, (CUtensorMapInterleave)of->interleave,
                               (CUtensorMapSwizzle)of->swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                               (CUtensorMapFloatOOBfill)of->fill),
        "cuTensorMapEncodeTiled", now);
}

static bool run(const struct hopper_case *now, CUdeviceptr source, CUdeviceptr target)
{
    struct hopper_text ptx = {text, 0};
    CUmodule module;
    CUfunction function;
    CUtensorMap map;
    memset(&map, 0, sizeof map);
    memset(out, 0, sizeof out);
    now->write(&ptx, now);
    hopper_fill(now, in);
    char log[2000] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)sizeof log};
    if (!good(cuModuleLoadDataEx(&module, text, 2, options, values), log, now) ||
        !good(cuModuleGetFunction(&function, module, now->name), "function", now))
        return false;
    const bool stores = hopper_stores(now);
    if (now->map.rank && !make_map(now, stores ? target : source, &map))
        return true;
    const unsigned shared = HOPPER_IN + 1024;
    void *parameters[] = {&source, &target, &map};
    CUlaunchAttribute attribute;
    memset(&attribute, 0, sizeof attribute);
    attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    attribute.value.clusterDim.x = (unsigned)now->cluster;
    attribute.value.clusterDim.y = attribute.value.clusterDim.z = 1;
    CUlaunchConfig config = {.gridDimX = now->blocks ? (unsigned)now->blocks : 1,
                             .gridDimY = 1,
                             .gridDimZ = 1,
                             .blockDimX = (unsigned)hopper_threads(now),
                             .blockDimY = 1,
                             .blockDimZ = 1,
                             .sharedMemBytes = shared,
                             .attrs = &attribute,
                             .numAttrs = now->cluster ? 1 : 0};
    if (!good(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                 (int)shared),
              "attribute", now) ||
        !good(cuMemcpyHtoD(source, in, sizeof in), "copy", now) ||
        !good(cuMemsetD8(target, 0, sizeof out), "set", now) ||
        !good(cuLaunchKernelEx(&config, function, parameters, NULL), "launch", now) ||
        !good(cuCtxSynchronize(), "run", now) ||
        !good(cuMemcpyDtoH(out, target, sizeof out), "copy back", now))
        return false;
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < sizeof out; i++)
        hash = (hash ^ out[i]) * UINT64_C(1099511628211);
    printf("%s\t%016llx", now->name, (unsigned long long)hash);
    for (int i = 0; i < (now->words ? now->words : 4096); i++) {
        uint32_t word;
        memcpy(&word, out + 4 * i, 4);
        printf("%c%x", i ? ' ' : '\t', word);
    }
    printf("\n");
    fflush(stdout);
    cuModuleUnload(module);
    return true;
}

static int write_ptx(const char *folder)
{
    for (int i = 0; i < HOPPER_CASES; i++) {
        struct hopper_text ptx = {text, 0};
        char path[4096];
        snprintf(path, sizeof path, "%s/%s.ptx", folder, hopper_cases[i].name);
        FILE *file = fopen(path, "w");
        hopper_cases[i].write(&ptx, &hopper_cases[i]);
        if (!file || fwrite(text, 1, ptx.length, file) != ptx.length || fclose(file))
            return 1;
    }
    return 0;
}

static bool is_wanted(const char *names, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = names; (at = strstr(at, name)); at += length)
        if ((at == names || at[-1] == '\n') && (at[length] == '\n' || !at[length]))
            return true;
    return false;
}

static char *read_names(const char *path)
{
    static char names[1 << 16];
    FILE *file = fopen(path, "r");
    if (file)
        names[fread(names, 1, sizeof names - 1, file)] = '\0';
    return names;
}

int main(int count, char **word)
{
    const char *names = count > 2 && !strcmp(word[1], "--names") ? read_names(word[2]) : NULL;
    const int first = count > 2 && !strcmp(word[1], "--from") ? atoi(word[2]) : 0;
    CUdevice device;
    CUcontext context;
    CUdeviceptr source, target;
    if (count > 1 && !strcmp(word[1], "--count"))
        return printf("%d\n", HOPPER_CASES) < 0;
    if (count > 2 && !strcmp(word[1], "--ptx"))
        return write_ptx(word[2]);
    if (!good(cuInit(0), "cuInit", NULL) || !good(cuDeviceGet(&device, 0), "device", NULL) ||
        !good(cuDevicePrimaryCtxRetain(&context, device), "context", NULL) ||
        !good(cuCtxSetCurrent(context), "context", NULL) ||
        !good(cuMemAlloc(&source, sizeof in), "memory", NULL) ||
        !good(cuMemAlloc(&target, sizeof out), "memory", NULL))
        return 1;
    for (int i = first; i < HOPPER_CASES; i++)
        if ((!names || is_wanted(names, hopper_cases[i].name)) &&
            !run(&hopper_cases[i], source, target) && cuCtxSynchronize() != CUDA_SUCCESS)
            return 1;
    return 0;
}
