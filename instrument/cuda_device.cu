/* cuda_device.cu - what every run on a GPU begins and ends with: finding the device, memory, launching, and saying
 * what failed.
 */
#include "instrument/device_run.h"

#include <algorithm>
#include <stdio.h>
#include <stdlib.h>

bool device_failed(const struct device_run *run, cudaError_t error, const char *doing)
{
    const char *kernel = run->header->kernel;
    int device = 0, major = 0, minor = 0;
    switch (error) {
    case cudaErrorNoDevice:
    case cudaErrorInsufficientDriver:
    case cudaErrorSystemDriverMismatch:
    case cudaErrorStubLibrary:
    case cudaErrorInitializationError:
        return error_set(run->error,
                         "no CUDA device can be used (%s): use --backend host, or run where "
                         "nvidia-smi shows a GPU",
                         cudaGetErrorString(error));
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorInvalidDeviceFunction:
    case cudaErrorUnsupportedPtxVersion:
    case cudaErrorInvalidKernelImage:
        cudaGetDevice(&device);
        cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
        cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device);
        return error_set(run->error,
                         "kernel %s: this program holds no code for the GPU's compute capability "
                         "%d.%d: build it with make CUDA_ARCH=%d%d",
                         kernel, major, minor, major, minor);
    case cudaErrorMemoryAllocation:
        return error_set(run->error,
                         "kernel %s, %s: the GPU is out of memory; use fewer blocks, or a smaller "
                         "--records",
                         kernel, doing);
    case cudaErrorIllegalAddress:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidPc:
    case cudaErrorIllegalInstruction:
    case cudaErrorHardwareStackError:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorLaunchFailure:
        return error_set(run->error,
                         "kernel %s faulted on the GPU (%s): --backend host checks shared memory; "
                         "for the rest, compute-sanitizer says where",
                         kernel, cudaGetErrorString(error));
    default:
        return error_set(run->error, "kernel %s, %s: %s", kernel, doing, cudaGetErrorString(error));
    }
}

/* Picks the kernel that was compiled for these parameters, or the general one. */
static void pick_kernel(struct device_run *run)
{
    const struct simt_build *build = run->build;
    const int *params = (const int *)run->launch->params;
    run->run = build->run[0];
    for (int i = 0; i < build->sets && !run->constants; i++) {
        const int *set = build->set + (ptrdiff_t)i * build->ints;
        int k = 0;
        while (k < build->ints && (set[k] == ANY_VALUE || set[k] == params[k]))
            k++;
        if (k == build->ints) {
            run->run = build->run[1 + i];
            run->constants = true;
        }
    }
}

bool device_prepare(struct device_run *run, const struct simt_build *build)
{
    const struct trace_header *header = run->header;
    int device = 0, threads = 0, shared = 0;

    if (!build)
        return error_set(run->error, "kernel %s has no CUDA build of this kind", header->kernel);
    TRY(run, "looking for a GPU", cudaGetDevice(&device));
    TRY(run, "looking for a GPU", cudaFree(NULL));
    TRY(run, "asking the GPU",
        cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerBlock, device));
    TRY(run, "asking the GPU",
        cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    if (header->threads > threads)
        return error_set(run->error,
                         "kernel %s: a block of %d threads, but the GPU takes at most %d: use a "
                         "smaller u, or --backend host",
                         header->kernel, header->threads, threads);
    shared = std::min(shared, 1 << SIMT_ADDR_BITS);
    if (header->shared_bytes > shared)
        return error_set(run->error,
                         "kernel %s: a block needs %d bytes of shared memory, but the GPU has "
                         "%d: use smaller parameters, or --backend host",
                         header->kernel, header->shared_bytes, shared);
    run->build = build;
    pick_kernel(run);
    TRY(run, "setting up", cudaEventCreate(&run->start));
    TRY(run, "setting up", cudaEventCreate(&run->stop));
    TRY(run, "making room for the input", cudaMalloc(&run->in, run->launch->in_bytes + 4));
    TRY(run, "making room for the output", cudaMalloc(&run->out, run->launch->out_bytes + 4));
    TRY(run, "copying the input",
        cudaMemcpy(run->in, run->launch->in, run->launch->in_bytes, cudaMemcpyHostToDevice));
    return true;
}

void device_release(struct device_run *run)
{
    for (int i = 0; i < 2; i++) {
        cudaFreeHost(run->piece[i]);
        cudaFreeHost(run->high_piece[i]);
        if (run->copied[i])
            cudaEventDestroy(run->copied[i]);
    }
    if (run->copier)
        cudaStreamDestroy(run->copier);
    if (run->start)
        cudaEventDestroy(run->start);
    if (run->stop)
        cudaEventDestroy(run->stop);
    if (run->before_last)
        cudaEventDestroy(run->before_last);
    cudaFree(run->in);
    cudaFree(run->out);
    cudaFree(run->spare);
    cudaFree(run->buffer.record);
    cudaFree(run->buffer.high);
    cudaFree(run->buffer.rows);
    cudaFree(run->buffer.totals);
    free(run->rows);
    free(run->slot);
    free(run->high_slot);
}

bool device_launch(struct device_run *run, const void *kernel, const char *doing, double *seconds)
{
    void *arguments[] = {const_cast<void *>(run->launch->params), &run->in, &run->out,
                         &run->buffer};
    float milliseconds = 0;
    TRY(run, doing,
        cudaMemcpy(run->out, run->launch->out, run->launch->out_bytes, cudaMemcpyHostToDevice));
    if (run->buffer.totals)
        TRY(run, doing,
            cudaMemcpy(run->buffer.totals, &run->totals, sizeof run->totals,
                       cudaMemcpyHostToDevice));
    TRY(run, doing, cudaEventRecord(run->start));
    TRY(run, doing,
        (cudaError_t)run->build->launch(kernel, run->header->blocks, run->header->threads,
                                        (size_t)run->header->shared_bytes, arguments));
    TRY(run, doing, cudaEventRecord(run->stop));
    TRY(run, doing, cudaDeviceSynchronize());
    TRY(run, doing, cudaEventElapsedTime(&milliseconds, run->start, run->stop));
    *seconds = milliseconds * 1e-3;
    return true;
}

struct run_times summary_of_times(std::vector<double> &seconds)
{
    std::sort(seconds.begin(), seconds.end());
    return {seconds.front(), seconds[seconds.size() / 2], seconds.back()};
}

struct device_run device_run_of(const struct launch *launch, struct error *error)
{
    struct device_run run = {};
    run.launch = launch;
    run.header = launch->header;
    run.error = error;
    return run;
}

/* The kernel module's version; "unknown" if the system does not say. */
static void driver_version(char version[32])
{
    snprintf(version, 32, "unknown");
    FILE *file = fopen("/sys/module/nvidia/version", "r");
    if (!file)
        return;
    if (fgets(version, 32, file))
        version[strcspn(version, "\n")] = 0;
    fclose(file);
}

bool cuda_describe(char *text, size_t room, struct error *error)
{
    struct device_run run = {};
    struct trace_header header = {};
    struct cudaDeviceProp device;
    char driver[32];
    int cuda = 0;
    header.kernel = const_cast<char *>("");
    run.header = &header;
    run.error = error;
    TRY(&run, "asking the GPU", cudaGetDeviceProperties(&device, 0));
    TRY(&run, "asking the GPU", cudaDriverGetVersion(&cuda));
    driver_version(driver);
    snprintf(text, room, "%s, compute capability %d.%d, driver %s, CUDA %d.%d", device.name,
             device.major, device.minor, driver, cuda / 1000, cuda % 1000 / 10);
    return true;
}
