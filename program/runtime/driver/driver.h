/* driver.h - what the files of the driver API share. */
#ifndef BANKSCOPE_RUNTIME_DRIVER_H
#define BANKSCOPE_RUNTIME_DRIVER_H

#define BANKSCOPE_RUNTIME
#include "program/runtime/runtime.h"

#include "cuda.h"

/* The driver API's number of an error of the runtime API's, which is then not the last one there. */
CUresult driver_result(cudaError_t error);
/* What a call begins with: CUDA_SUCCESS, or that the API has not begun, no context is current, or what sticks. */
CUresult driver_enter(bool context);
#define DRIVER_ENTER(context)                                                                      \
    do {                                                                                           \
        const CUresult entered = driver_enter(context);                                            \
        if (entered != CUDA_SUCCESS)                                                               \
            return entered;                                                                        \
    } while (0)

#define REQUIRE_VALUE(condition)                                                                   \
    do {                                                                                           \
        if (!(condition))                                                                          \
            return CUDA_ERROR_INVALID_VALUE;                                                       \
    } while (0)

#endif
