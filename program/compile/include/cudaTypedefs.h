/* cudaTypedefs.h - types of functions of the driver API that programs ask for by name. */
#ifndef BANKSCOPE_CUDA_TYPEDEFS_H
#define BANKSCOPE_CUDA_TYPEDEFS_H

#include "cuda.h"

typedef CUresult (*PFN_cuTensorMapEncodeTiled_v12000)(
    CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address,
    const cuuint64_t *size, const cuuint64_t *stride, const cuuint32_t *box, const cuuint32_t *step,
    CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
    CUtensorMapFloatOOBfill fill);
typedef PFN_cuTensorMapEncodeTiled_v12000 PFN_cuTensorMapEncodeTiled;
typedef CUresult (*PFN_cuTensorMapEncodeIm2col_v12000)(
    CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address,
    const cuuint64_t *size, const cuuint64_t *stride, const int *lower, const int *upper,
    cuuint32_t channels, cuuint32_t pixels, const cuuint32_t *step,
    CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
    CUtensorMapFloatOOBfill fill);
typedef PFN_cuTensorMapEncodeIm2col_v12000 PFN_cuTensorMapEncodeIm2col;

#endif
