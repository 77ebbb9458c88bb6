/* helper_cuda.h - what programs take from the file of that name in NVIDIA's samples, where they do not
 * bring it themselves: checked calls and the choice of a device. */
#ifndef BANKSCOPE_HELPER_CUDA_H
#define BANKSCOPE_HELPER_CUDA_H

#include "cuda_runtime.h"
#include "helper_string.h"
#include <stdio.h>
#include <stdlib.h>

#ifndef EXIT_WAIVED
#define EXIT_WAIVED 2
#endif

inline const char *_cudaGetErrorEnum(cudaError_t error)
{
    return cudaGetErrorName(error);
}
inline void bankscope_check(cudaError_t error, const char *call, const char *file, int line)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "%s:%d: %s: %s (%s)\n", file, line, call, cudaGetErrorString(error),
            cudaGetErrorName(error));
    exit(EXIT_FAILURE);
}
#define checkCudaErrors(call) bankscope_check((call), #call, __FILE__, __LINE__)
#define getLastCudaError(message) bankscope_check(cudaGetLastError(), message, __FILE__, __LINE__)
#define printLastCudaError(message)                                                                \
    do {                                                                                           \
        cudaError_t bankscope_last = cudaGetLastError();                                           \
        if (bankscope_last != cudaSuccess)                                                         \
            fprintf(stderr, "%s: %s\n", message, cudaGetErrorString(bankscope_last));              \
    } while (0)

inline int _ConvertSMVer2Cores(int, int)
{
    return 128;
}
inline const char *_ConvertSMVer2ArchName(int, int)
{
    return "Hopper";
}
inline int gpuDeviceInit(int device)
{
    return cudaSetDevice(device) == cudaSuccess ? device : -1;
}
inline int gpuGetMaxGflopsDeviceId()
{
    return 0;
}
inline int findCudaDevice(int, const char **)
{
    return 0;
}
inline int findIntegratedGPU()
{
    return -1;
}
inline bool checkCudaCapabilities(int major, int minor)
{
    return major < 9 || (major == 9 && minor == 0);
}

#endif
