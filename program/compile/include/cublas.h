/* cublas.h - cuBLAS's types and functions, of which none can be called here (bankscope/missing.h). */
#ifndef BANKSCOPE_CUBLAS_H
#define BANKSCOPE_CUBLAS_H

#include "bankscope/missing.h"

typedef enum {
    CUBLAS_STATUS_SUCCESS = 0,
    CUBLAS_STATUS_NOT_INITIALIZED = 1,
    CUBLAS_STATUS_ALLOC_FAILED = 3,
    CUBLAS_STATUS_INVALID_VALUE = 7,
    CUBLAS_STATUS_ARCH_MISMATCH = 8,
    CUBLAS_STATUS_MAPPING_ERROR = 11,
    CUBLAS_STATUS_EXECUTION_FAILED = 13,
    CUBLAS_STATUS_INTERNAL_ERROR = 14,
    CUBLAS_STATUS_NOT_SUPPORTED = 15,
    CUBLAS_STATUS_LICENSE_ERROR = 16
} cublasStatus_t;
typedef cublasStatus_t cublasStatus;
typedef enum {
    CUBLAS_FILL_MODE_LOWER,
    CUBLAS_FILL_MODE_UPPER,
    CUBLAS_FILL_MODE_FULL
} cublasFillMode_t;
typedef enum { CUBLAS_DIAG_NON_UNIT, CUBLAS_DIAG_UNIT } cublasDiagType_t;
typedef enum { CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT } cublasSideMode_t;
typedef enum { CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C, CUBLAS_OP_CONJG } cublasOperation_t;
typedef enum { CUBLAS_POINTER_MODE_HOST, CUBLAS_POINTER_MODE_DEVICE } cublasPointerMode_t;
typedef enum { CUBLAS_ATOMICS_NOT_ALLOWED, CUBLAS_ATOMICS_ALLOWED } cublasAtomicsMode_t;
typedef enum {
    CUBLAS_GEMM_DFALT = -1,
    CUBLAS_GEMM_DEFAULT = -1,
    CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99,
    CUBLAS_GEMM_DFALT_TENSOR_OP = 99
} cublasGemmAlgo_t;
typedef enum {
    CUBLAS_DEFAULT_MATH = 0,
    CUBLAS_TENSOR_OP_MATH = 1,
    CUBLAS_PEDANTIC_MATH = 2,
    CUBLAS_TF32_TENSOR_OP_MATH = 3
} cublasMath_t;
typedef enum {
    CUBLAS_COMPUTE_16F = 64,
    CUBLAS_COMPUTE_32F = 68,
    CUBLAS_COMPUTE_32F_FAST_16F = 74,
    CUBLAS_COMPUTE_32F_FAST_TF32 = 77,
    CUBLAS_COMPUTE_64F = 70,
    CUBLAS_COMPUTE_32I = 72
} cublasComputeType_t;
typedef enum {
    CUDA_R_32F = 0,
    CUDA_R_64F = 1,
    CUDA_R_16F = 2,
    CUDA_R_8I = 3,
    CUDA_C_32F = 4,
    CUDA_C_64F = 5,
    CUDA_R_8U = 8,
    CUDA_R_32I = 10,
    CUDA_R_16BF = 14,
    CUDA_R_8F_E4M3 = 28,
    CUDA_R_8F_E5M2 = 29
} cudaDataType_t;
typedef cudaDataType_t cudaDataType;
typedef struct cublasContext *cublasHandle_t;

#define BANKSCOPE_BLAS(name) BANKSCOPE_MISSING(cublasStatus_t, cublas##name)
/* Of numbers of all four types; of real ones. */
#define BANKSCOPE_BLAS_REAL(name)                                                                  \
    BANKSCOPE_BLAS(S##name)                                                                        \
    BANKSCOPE_BLAS(D##name)
#define BANKSCOPE_BLAS_ALL(name)                                                                   \
    BANKSCOPE_BLAS_REAL(name)                                                                      \
    BANKSCOPE_BLAS(C##name)                                                                        \
    BANKSCOPE_BLAS(Z##name)
BANKSCOPE_BLAS(Create)
BANKSCOPE_BLAS(Create_v2)
BANKSCOPE_BLAS(Destroy)
BANKSCOPE_BLAS(Destroy_v2)
BANKSCOPE_BLAS(Init)
BANKSCOPE_BLAS(Shutdown)
BANKSCOPE_BLAS(Alloc)
BANKSCOPE_BLAS(Free)
BANKSCOPE_BLAS(GetError)
BANKSCOPE_BLAS(GetVersion)
BANKSCOPE_BLAS(SetStream)
BANKSCOPE_BLAS(GetStream)
BANKSCOPE_BLAS(SetPointerMode)
BANKSCOPE_BLAS(GetPointerMode)
BANKSCOPE_BLAS(SetMathMode)
BANKSCOPE_BLAS(SetAtomicsMode)
BANKSCOPE_BLAS(SetWorkspace)
BANKSCOPE_BLAS(SetVector)
BANKSCOPE_BLAS(GetVector)
BANKSCOPE_BLAS(SetMatrix)
BANKSCOPE_BLAS(GetMatrix)
BANKSCOPE_BLAS_ALL(axpy)
BANKSCOPE_BLAS_ALL(copy)
BANKSCOPE_BLAS_ALL(scal)
BANKSCOPE_BLAS_ALL(swap)
BANKSCOPE_BLAS_REAL(dot)
BANKSCOPE_BLAS(Cdotu)
BANKSCOPE_BLAS(Cdotc)
BANKSCOPE_BLAS(Zdotu)
BANKSCOPE_BLAS(Zdotc)
BANKSCOPE_BLAS_REAL(asum)
BANKSCOPE_BLAS(Scasum)
BANKSCOPE_BLAS(Dzasum)
BANKSCOPE_BLAS_REAL(nrm2)
BANKSCOPE_BLAS(Scnrm2)
BANKSCOPE_BLAS(Dznrm2)
BANKSCOPE_BLAS_REAL(rot)
BANKSCOPE_BLAS(Isamax)
BANKSCOPE_BLAS(Idamax)
BANKSCOPE_BLAS(Isamin)
BANKSCOPE_BLAS(Idamin)
BANKSCOPE_BLAS_ALL(gemv)
BANKSCOPE_BLAS_ALL(gbmv)
BANKSCOPE_BLAS_REAL(symv)
BANKSCOPE_BLAS_REAL(ger)
BANKSCOPE_BLAS_REAL(syr)
BANKSCOPE_BLAS_ALL(trmv)
BANKSCOPE_BLAS_ALL(trsv)
BANKSCOPE_BLAS_ALL(gemm)
BANKSCOPE_BLAS_ALL(gemmBatched)
BANKSCOPE_BLAS_ALL(gemmStridedBatched)
BANKSCOPE_BLAS_ALL(symm)
BANKSCOPE_BLAS_ALL(syrk)
BANKSCOPE_BLAS_ALL(trmm)
BANKSCOPE_BLAS_ALL(trsm)
BANKSCOPE_BLAS_ALL(geam)
BANKSCOPE_BLAS_ALL(dgmm)
BANKSCOPE_BLAS_ALL(getrfBatched)
BANKSCOPE_BLAS_ALL(getriBatched)
BANKSCOPE_BLAS(Hgemm)
BANKSCOPE_BLAS(HgemmStridedBatched)
BANKSCOPE_BLAS(SgemmEx)
BANKSCOPE_BLAS(GemmEx)
BANKSCOPE_BLAS(GemmBatchedEx)
BANKSCOPE_BLAS(GemmStridedBatchedEx)
BANKSCOPE_BLAS(AxpyEx)
BANKSCOPE_BLAS(DotEx)
#undef BANKSCOPE_BLAS
#undef BANKSCOPE_BLAS_REAL
#undef BANKSCOPE_BLAS_ALL
BANKSCOPE_MISSING(const char *, cublasGetStatusString)
BANKSCOPE_MISSING(const char *, cublasGetStatusName)

#endif
