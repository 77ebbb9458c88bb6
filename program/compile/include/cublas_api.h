/* cublas_api.h - cuBLAS's types, and those of its functions that are here (program/runtime/blas/blas.c). What they do,
 * cuBLAS's manual says: matrices are stored by columns. */
#ifndef BANKSCOPE_CUBLAS_API_H
#define BANKSCOPE_CUBLAS_API_H

#include "driver_types.h"
#include "library_types.h"

#ifdef __cplusplus
#include "cuda_fp16.h"
#else
typedef struct {
    unsigned short bits;
} __half;
#endif

#define CUBLAS_VER_MAJOR 13
#define CUBLAS_VER_MINOR 1
#define CUBLAS_VER_PATCH 0
#define CUBLAS_VERSION (CUBLAS_VER_MAJOR * 10000 + CUBLAS_VER_MINOR * 100 + CUBLAS_VER_PATCH)

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
typedef enum {
    CUBLAS_OP_N,
    CUBLAS_OP_T,
    CUBLAS_OP_C,
    CUBLAS_OP_HERMITAN = CUBLAS_OP_C,
    CUBLAS_OP_CONJG
} cublasOperation_t;
typedef enum { CUBLAS_POINTER_MODE_HOST, CUBLAS_POINTER_MODE_DEVICE } cublasPointerMode_t;
typedef enum { CUBLAS_ATOMICS_NOT_ALLOWED, CUBLAS_ATOMICS_ALLOWED } cublasAtomicsMode_t;
/* Which algorithm: it makes no difference here. */
typedef enum {
    CUBLAS_GEMM_DFALT = -1,
    CUBLAS_GEMM_DEFAULT = -1,
    CUBLAS_GEMM_ALGO0,
    CUBLAS_GEMM_ALGO1,
    CUBLAS_GEMM_ALGO2,
    CUBLAS_GEMM_ALGO3,
    CUBLAS_GEMM_ALGO4,
    CUBLAS_GEMM_ALGO5,
    CUBLAS_GEMM_ALGO6,
    CUBLAS_GEMM_ALGO7,
    CUBLAS_GEMM_ALGO8,
    CUBLAS_GEMM_ALGO9,
    CUBLAS_GEMM_ALGO10,
    CUBLAS_GEMM_ALGO11,
    CUBLAS_GEMM_ALGO12,
    CUBLAS_GEMM_ALGO13,
    CUBLAS_GEMM_ALGO14,
    CUBLAS_GEMM_ALGO15,
    CUBLAS_GEMM_ALGO16,
    CUBLAS_GEMM_ALGO17,
    CUBLAS_GEMM_ALGO18,
    CUBLAS_GEMM_ALGO19,
    CUBLAS_GEMM_ALGO20,
    CUBLAS_GEMM_ALGO21,
    CUBLAS_GEMM_ALGO22,
    CUBLAS_GEMM_ALGO23,
    CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99,
    CUBLAS_GEMM_DFALT_TENSOR_OP = 99,
    CUBLAS_GEMM_ALGO0_TENSOR_OP,
    CUBLAS_GEMM_ALGO15_TENSOR_OP = 115
} cublasGemmAlgo_t;
typedef enum {
    CUBLAS_DEFAULT_MATH = 0,
    CUBLAS_TENSOR_OP_MATH = 1,
    CUBLAS_PEDANTIC_MATH = 2,
    CUBLAS_TF32_TENSOR_OP_MATH = 3,
    CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 16
} cublasMath_t;
typedef enum {
    CUBLAS_COMPUTE_16F = 64,
    CUBLAS_COMPUTE_16F_PEDANTIC = 65,
    CUBLAS_COMPUTE_32F = 68,
    CUBLAS_COMPUTE_32F_PEDANTIC = 69,
    CUBLAS_COMPUTE_64F = 70,
    CUBLAS_COMPUTE_64F_PEDANTIC = 71,
    CUBLAS_COMPUTE_32I = 72,
    CUBLAS_COMPUTE_32I_PEDANTIC = 73,
    CUBLAS_COMPUTE_32F_FAST_16F = 74,
    CUBLAS_COMPUTE_32F_FAST_16BF = 75,
    CUBLAS_COMPUTE_32F_FAST_TF32 = 77
} cublasComputeType_t;
typedef struct cublasContext *cublasHandle_t;

#ifdef __cplusplus
extern "C" {
#endif
cublasStatus_t cublasCreate_v2(cublasHandle_t *handle);
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle);
cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int *version);
cublasStatus_t cublasGetProperty(libraryPropertyType type, int *value);
size_t cublasGetCudartVersion(void);
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream);
cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t *stream);
cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode);
cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t *mode);
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode);
cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t *mode);
cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t mode);
cublasStatus_t cublasGetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t *mode);
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void *workspace, size_t bytes);
const char *cublasGetStatusName(cublasStatus_t status);
const char *cublasGetStatusString(cublasStatus_t status);

cublasStatus_t cublasSetVector(int count, int bytes, const void *x, int incx, void *y, int incy);
cublasStatus_t cublasGetVector(int count, int bytes, const void *x, int incx, void *y, int incy);
cublasStatus_t cublasSetMatrix(int rows, int columns, int bytes, const void *a, int lda, void *b,
                               int ldb);
cublasStatus_t cublasGetMatrix(int rows, int columns, int bytes, const void *a, int lda, void *b,
                               int ldb);
cublasStatus_t cublasSetVectorAsync(int count, int bytes, const void *x, int incx, void *y,
                                    int incy, cudaStream_t stream);
cublasStatus_t cublasGetVectorAsync(int count, int bytes, const void *x, int incx, void *y,
                                    int incy, cudaStream_t stream);
cublasStatus_t cublasSetMatrixAsync(int rows, int columns, int bytes, const void *a, int lda,
                                    void *b, int ldb, cudaStream_t stream);
cublasStatus_t cublasGetMatrixAsync(int rows, int columns, int bytes, const void *a, int lda,
                                    void *b, int ldb, cudaStream_t stream);

/* Functions for float (S) and double (D). */
#define BANKSCOPE_BLAS(letter, small, real)                                                        \
    cublasStatus_t cublas##letter##axpy_v2(cublasHandle_t handle, int n, const real *alpha,        \
                                           const real *x, int incx, real *y, int incy);            \
    cublasStatus_t cublas##letter##copy_v2(cublasHandle_t handle, int n, const real *x, int incx,  \
                                           real *y, int incy);                                     \
    cublasStatus_t cublas##letter##swap_v2(cublasHandle_t handle, int n, real *x, int incx,        \
                                           real *y, int incy);                                     \
    cublasStatus_t cublas##letter##scal_v2(cublasHandle_t handle, int n, const real *alpha,        \
                                           real *x, int incx);                                     \
    cublasStatus_t cublas##letter##dot_v2(cublasHandle_t handle, int n, const real *x, int incx,   \
                                          const real *y, int incy, real *result);                  \
    cublasStatus_t cublas##letter##asum_v2(cublasHandle_t handle, int n, const real *x, int incx,  \
                                           real *result);                                          \
    cublasStatus_t cublas##letter##nrm2_v2(cublasHandle_t handle, int n, const real *x, int incx,  \
                                           real *result);                                          \
    cublasStatus_t cublas##letter##gemv_v2(                                                        \
        cublasHandle_t handle, cublasOperation_t trans, int m, int n, const real *alpha,           \
        const real *a, int lda, const real *x, int incx, const real *beta, real *y, int incy);     \
    cublasStatus_t cublas##letter##ger_v2(cublasHandle_t handle, int m, int n, const real *alpha,  \
                                          const real *x, int incx, const real *y, int incy,        \
                                          real *a, int lda);                                       \
    cublasStatus_t cublas##letter##geam(cublasHandle_t handle, cublasOperation_t transa,           \
                                        cublasOperation_t transb, int m, int n, const real *alpha, \
                                        const real *a, int lda, const real *beta, const real *b,   \
                                        int ldb, real *c, int ldc);                                \
    cublasStatus_t cublas##letter##trsm_v2(cublasHandle_t handle, cublasSideMode_t side,           \
                                           cublasFillMode_t uplo, cublasOperation_t trans,         \
                                           cublasDiagType_t diag, int m, int n, const real *alpha, \
                                           const real *a, int lda, real *b, int ldb);              \
    cublasStatus_t cublasI##small##amax_v2(cublasHandle_t handle, int n, const real *x, int incx,  \
                                           int *result);                                           \
    cublasStatus_t cublasI##small##amin_v2(cublasHandle_t handle, int n, const real *x, int incx,  \
                                           int *result);
BANKSCOPE_BLAS(S, s, float)
BANKSCOPE_BLAS(D, d, double)
#undef BANKSCOPE_BLAS

/* Products; H: of half precision. */
#define BANKSCOPE_BLAS(name, batched, strided, real)                                               \
    cublasStatus_t name(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, \
                        int m, int n, int k, const real *alpha, const real *a, int lda,            \
                        const real *b, int ldb, const real *beta, real *c, int ldc);               \
    cublasStatus_t batched(cublasHandle_t handle, cublasOperation_t transa,                        \
                           cublasOperation_t transb, int m, int n, int k, const real *alpha,       \
                           const real *const a[], int lda, const real *const b[], int ldb,         \
                           const real *beta, real *const c[], int ldc, int count);                 \
    cublasStatus_t strided(cublasHandle_t handle, cublasOperation_t transa,                        \
                           cublasOperation_t transb, int m, int n, int k, const real *alpha,       \
                           const real *a, int lda, long long stride_a, const real *b, int ldb,     \
                           long long stride_b, const real *beta, real *c, int ldc,                 \
                           long long stride_c, int count);
BANKSCOPE_BLAS(cublasSgemm_v2, cublasSgemmBatched, cublasSgemmStridedBatched, float)
BANKSCOPE_BLAS(cublasDgemm_v2, cublasDgemmBatched, cublasDgemmStridedBatched, double)
BANKSCOPE_BLAS(cublasHgemm, cublasHgemmBatched, cublasHgemmStridedBatched, __half)
#undef BANKSCOPE_BLAS
cublasStatus_t cublasSgemmEx(cublasHandle_t handle, cublasOperation_t transa,
                             cublasOperation_t transb, int m, int n, int k, const float *alpha,
                             const void *a, cudaDataType type_a, int lda, const void *b,
                             cudaDataType type_b, int ldb, const float *beta, void *c,
                             cudaDataType type_c, int ldc);
cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa,
                            cublasOperation_t transb, int m, int n, int k, const void *alpha,
                            const void *a, cudaDataType type_a, int lda, const void *b,
                            cudaDataType type_b, int ldb, const void *beta, void *c,
                            cudaDataType type_c, int ldc, cublasComputeType_t compute,
                            cublasGemmAlgo_t algorithm);
cublasStatus_t cublasGemmBatchedEx(cublasHandle_t handle, cublasOperation_t transa,
                                   cublasOperation_t transb, int m, int n, int k, const void *alpha,
                                   const void *const a[], cudaDataType type_a, int lda,
                                   const void *const b[], cudaDataType type_b, int ldb,
                                   const void *beta, void *const c[], cudaDataType type_c, int ldc,
                                   int count, cublasComputeType_t compute,
                                   cublasGemmAlgo_t algorithm);
cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t transa,
                                          cublasOperation_t transb, int m, int n, int k,
                                          const void *alpha, const void *a, cudaDataType type_a,
                                          int lda, long long stride_a, const void *b,
                                          cudaDataType type_b, int ldb, long long stride_b,
                                          const void *beta, void *c, cudaDataType type_c, int ldc,
                                          long long stride_c, int count,
                                          cublasComputeType_t compute, cublasGemmAlgo_t algorithm);
#ifdef __cplusplus
}

/* As before CUDA 11, where the type of elements said how to compute. */
inline cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa,
                                   cublasOperation_t transb, int m, int n, int k, const void *alpha,
                                   const void *a, cudaDataType type_a, int lda, const void *b,
                                   cudaDataType type_b, int ldb, const void *beta, void *c,
                                   cudaDataType type_c, int ldc, cudaDataType compute,
                                   cublasGemmAlgo_t algorithm)
{
    const cublasComputeType_t how = compute == CUDA_R_16F   ? CUBLAS_COMPUTE_16F
                                    : compute == CUDA_R_64F ? CUBLAS_COMPUTE_64F
                                    : compute == CUDA_R_32I ? CUBLAS_COMPUTE_32I
                                                            : CUBLAS_COMPUTE_32F;
    return cublasGemmEx(handle, transa, transb, m, n, k, alpha, a, type_a, lda, b, type_b, ldb,
                        beta, c, type_c, ldc, how, algorithm);
}
#endif

#endif
