/* blas_calls.c - cuBLAS's functions as a program calls them (blas.h): their arguments become a struct blas_work. */
#include "program/runtime/blas/blas.h"

/* ---- vectors ----------------------------------------------------------------------------------- */

static struct blas_operand operand(const void *at, cudaDataType type, int64_t leading)
{
    return (struct blas_operand){.at = (char *)(uintptr_t)at, .type = type, .leading = leading};
}

/* Vectors a and b of `count` elements, either of which may be missing. */
static cublasStatus_t call_vectors(cublasHandle_t handle, struct blas_work work, int count)
{
    const cublasStatus_t status = blas_begin(handle);
    work.rows = count < 0 ? 0 : count;
    return status == CUBLAS_STATUS_SUCCESS ? blas_call(handle, &work) : status;
}

static cublasStatus_t call_scaled(cublasHandle_t handle, struct blas_work work, int count,
                                  const void *alpha)
{
    cublasStatus_t status = blas_begin(handle);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = blas_scalar(handle, work.what, work.b.type, alpha, &work.alpha);
    return status == CUBLAS_STATUS_SUCCESS ? call_vectors(handle, work, count) : status;
}

static cublasStatus_t call_reduction(cublasHandle_t handle, struct blas_work work, int count,
                                     void *result)
{
    work.result = result;
    return result ? call_vectors(handle, work, count) : CUBLAS_STATUS_INVALID_VALUE;
}

#define WORK(name, does, ...) ((struct blas_work){.what = name, .run = does, __VA_ARGS__})
#define VECTORS(letter, small, type, real)                                                         \
    cublasStatus_t cublas##letter##copy_v2(cublasHandle_t handle, int n, const real *x, int incx,  \
                                           real *y, int incy)                                      \
    {                                                                                              \
        return call_vectors(handle,                                                                \
                            WORK("cublas" #letter "copy", blas_copy, .a = operand(x, type, incx),  \
                                 .b = operand(y, type, incy)),                                     \
                            n);                                                                    \
    }                                                                                              \
    cublasStatus_t cublas##letter##swap_v2(cublasHandle_t handle, int n, real *x, int incx,        \
                                           real *y, int incy)                                      \
    {                                                                                              \
        return call_vectors(handle,                                                                \
                            WORK("cublas" #letter "swap", blas_swap, .a = operand(x, type, incx),  \
                                 .b = operand(y, type, incy)),                                     \
                            n);                                                                    \
    }                                                                                              \
    cublasStatus_t cublas##letter##axpy_v2(cublasHandle_t handle, int n, const real *alpha,        \
                                           const real *x, int incx, real *y, int incy)             \
    {                                                                                              \
        return call_scaled(handle,                                                                 \
                           WORK("cublas" #letter "axpy", blas_axpy, .a = operand(x, type, incx),   \
                                .b = operand(y, type, incy)),                                      \
                           n, alpha);                                                              \
    }                                                                                              \
    cublasStatus_t cublas##letter##scal_v2(cublasHandle_t handle, int n, const real *alpha,        \
                                           real *x, int incx)                                      \
    {                                                                                              \
        return call_scaled(handle,                                                                 \
                           WORK("cublas" #letter "scal", blas_scal, .b = operand(x, type, incx)),  \
                           n, alpha);                                                              \
    }                                                                                              \
    cublasStatus_t cublas##letter##dot_v2(cublasHandle_t handle, int n, const real *x, int incx,   \
                                          const real *y, int incy, real *result)                   \
    {                                                                                              \
        return call_reduction(handle,                                                              \
                              WORK("cublas" #letter "dot", blas_dot, .a = operand(x, type, incx),  \
                                   .b = operand(y, type, incy)),                                   \
                              n, result);                                                          \
    }                                                                                              \
    REDUCTION(cublas##letter##asum, blas_asum, type, real, real)                                   \
    REDUCTION(cublas##letter##nrm2, blas_nrm2, type, real, real)                                   \
    REDUCTION(cublasI##small##amax, blas_amax, type, real, int)                                    \
    REDUCTION(cublasI##small##amin, blas_amin, type, real, int)
#define REDUCTION(name, does, type, real, found)                                                   \
    cublasStatus_t name##_v2(cublasHandle_t handle, int n, const real *x, int incx, found *result) \
    {                                                                                              \
        return call_reduction(handle, WORK(#name, does, .a = operand(x, type, incx)), n, result);  \
    }
VECTORS(S, s, CUDA_R_32F, float)
VECTORS(D, d, CUDA_R_64F, double)

/* ---- matrices ---------------------------------------------------------------------------------- */

/* Whether a matrix of `rows` rows and `columns` columns fits, after that operation. */
static bool fits(const struct blas_operand *matrix, cublasOperation_t before, int64_t rows,
                 int64_t columns)
{
    const int64_t stored = before == CUBLAS_OP_N ? rows : columns;
    return matrix->leading >= (stored > 1 ? stored : 1);
}

static cublasStatus_t get_factors(cublasHandle_t handle, struct blas_work *work, cudaDataType type,
                                  const void *alpha, const void *beta)
{
    cublasStatus_t status = blas_scalar(handle, work->what, type, alpha, &work->alpha);
    if (status == CUBLAS_STATUS_SUCCESS && beta)
        status = blas_scalar(handle, work->what, type, beta, &work->beta);
    return status;
}

#define REJECT_UNLESS(condition)                                                                   \
    do {                                                                                           \
        if (!(condition))                                                                          \
            return CUBLAS_STATUS_INVALID_VALUE;                                                    \
    } while (0)
/* Calls with a matrix and a vector, which are a and b; for ger, c is the matrix. */
static cublasStatus_t call_matrix(cublasHandle_t handle, struct blas_work work,
                                  const struct blas_operand *matrix, int rows, int columns,
                                  const void *alpha, const void *beta)
{
    cublasStatus_t status = blas_begin(handle);
    if (status != CUBLAS_STATUS_SUCCESS)
        return status;
    REJECT_UNLESS(rows >= 0 && columns >= 0 && fits(matrix, CUBLAS_OP_N, rows, columns));
    work.rows = rows;
    work.columns = columns;
    status = get_factors(handle, &work, matrix->type, alpha, beta);
    return status == CUBLAS_STATUS_SUCCESS ? blas_call(handle, &work) : status;
}

/* c = alpha a b + beta c of a batch; scalars are of the type that `compute` says. */
struct product {
    const char *what;
    cublasOperation_t before_a, before_b;
    int rows, columns, depth, batch;
    const void *alpha, *beta;
    struct blas_operand a, b, c;
    cublasComputeType_t compute;
};

static cudaDataType scalars_of(cublasComputeType_t compute)
{
    return compute == CUBLAS_COMPUTE_16F || compute == CUBLAS_COMPUTE_16F_PEDANTIC   ? CUDA_R_16F
           : compute == CUBLAS_COMPUTE_64F || compute == CUBLAS_COMPUTE_64F_PEDANTIC ? CUDA_R_64F
           : compute == CUBLAS_COMPUTE_32I || compute == CUBLAS_COMPUTE_32I_PEDANTIC ? CUDA_R_32I
                                                                                     : CUDA_R_32F;
}

static cublasStatus_t call_product(cublasHandle_t handle, struct product p)
{
    cublasStatus_t status = blas_begin(handle);
    struct blas_work work = WORK(p.what, blas_gemm, .before_a = p.before_a, .before_b = p.before_b,
                                 .rows = p.rows, .columns = p.columns, .depth = p.depth, .a = p.a,
                                 .b = p.b, .c = p.c, .batch = p.batch);
    if (status != CUBLAS_STATUS_SUCCESS)
        return status;
    REJECT_UNLESS(p.rows >= 0 && p.columns >= 0 && p.depth >= 0 && p.batch >= 0 && p.beta &&
                  fits(&p.a, p.before_a, p.rows, p.depth) &&
                  fits(&p.b, p.before_b, p.depth, p.columns) &&
                  fits(&p.c, CUBLAS_OP_N, p.rows, p.columns));
    if (!blas_bytes(p.a.type) || !blas_bytes(p.b.type) || !blas_bytes(p.c.type) ||
        p.c.type == CUDA_R_8I) {
        runtime_missing(p.what, "of elements of these types it is not computed here");
        return CUBLAS_STATUS_NOT_SUPPORTED;
    }
    status = get_factors(handle, &work, scalars_of(p.compute), p.alpha, p.beta);
    return status == CUBLAS_STATUS_SUCCESS ? blas_call(handle, &work) : status;
}

static struct blas_operand strided(const void *at, cudaDataType type, int64_t leading,
                                   long long stride)
{
    struct blas_operand matrix = operand(at, type, leading);
    matrix.stride = stride;
    return matrix;
}

static struct blas_operand batched(const void *addresses, cudaDataType type, int64_t leading)
{
    struct blas_operand matrix = operand(addresses, type, leading);
    matrix.addresses = true;
    return matrix;
}

#define PRODUCT(name, count, matrix_a, matrix_b, matrix_c, how)                                    \
    ((struct product){.what = name,                                                                \
                      .before_a = transa,                                                          \
                      .before_b = transb,                                                          \
                      .rows = m,                                                                   \
                      .columns = n,                                                                \
                      .depth = k,                                                                  \
                      .batch = count,                                                              \
                      .alpha = alpha,                                                              \
                      .beta = beta,                                                                \
                      .a = matrix_a,                                                               \
                      .b = matrix_b,                                                               \
                      .c = matrix_c,                                                               \
                      .compute = how})
#define MATRICES(letter, name, type, real, how)                                                    \
    cublasStatus_t name(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, \
                        int m, int n, int k, const real *alpha, const real *a, int lda,            \
                        const real *b, int ldb, const real *beta, real *c, int ldc)                \
    {                                                                                              \
        return call_product(handle, PRODUCT("cublas" #letter "gemm", 1, operand(a, type, lda),     \
                                            operand(b, type, ldb), operand(c, type, ldc), how));   \
    }                                                                                              \
    cublasStatus_t cublas##letter##gemmBatched(                                                    \
        cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,   \
        int k, const real *alpha, const real *const a[], int lda, const real *const b[], int ldb,  \
        const real *beta, real *const c[], int ldc, int count)                                     \
    {                                                                                              \
        return call_product(handle,                                                                \
                            PRODUCT("cublas" #letter "gemmBatched", count, batched(a, type, lda),  \
                                    batched(b, type, ldb), batched(c, type, ldc), how));           \
    }                                                                                              \
    cublasStatus_t cublas##letter##gemmStridedBatched(                                             \
        cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,   \
        int k, const real *alpha, const real *a, int lda, long long stride_a, const real *b,       \
        int ldb, long long stride_b, const real *beta, real *c, int ldc, long long stride_c,       \
        int count)                                                                                 \
    {                                                                                              \
        return call_product(handle, PRODUCT("cublas" #letter "gemmStridedBatched", count,          \
                                            strided(a, type, lda, stride_a),                       \
                                            strided(b, type, ldb, stride_b),                       \
                                            strided(c, type, ldc, stride_c), how));                \
    }
MATRICES(S, cublasSgemm_v2, CUDA_R_32F, float, CUBLAS_COMPUTE_32F)
MATRICES(D, cublasDgemm_v2, CUDA_R_64F, double, CUBLAS_COMPUTE_64F)
MATRICES(H, cublasHgemm, CUDA_R_16F, __half, CUBLAS_COMPUTE_16F)

static bool is_triangle(cublasSideMode_t side, cublasFillMode_t fill, cublasDiagType_t diagonal)
{
    return (side == CUBLAS_SIDE_LEFT || side == CUBLAS_SIDE_RIGHT) &&
           (fill == CUBLAS_FILL_MODE_LOWER || fill == CUBLAS_FILL_MODE_UPPER) &&
           (diagonal == CUBLAS_DIAG_UNIT || diagonal == CUBLAS_DIAG_NON_UNIT);
}

#define SUMS(letter, type, real)                                                                   \
    cublasStatus_t cublas##letter##gemv_v2(                                                        \
        cublasHandle_t handle, cublasOperation_t trans, int m, int n, const real *alpha,           \
        const real *a, int lda, const real *x, int incx, const real *beta, real *y, int incy)      \
    {                                                                                              \
        const struct blas_operand matrix = operand(a, type, lda);                                  \
        REJECT_UNLESS(beta);                                                                       \
        return call_matrix(handle,                                                                 \
                           WORK("cublas" #letter "gemv", blas_gemv, .before_a = trans,             \
                                .a = matrix, .b = operand(x, type, incx),                          \
                                .c = operand(y, type, incy)),                                      \
                           &matrix, m, n, alpha, beta);                                            \
    }                                                                                              \
    cublasStatus_t cublas##letter##ger_v2(cublasHandle_t handle, int m, int n, const real *alpha,  \
                                          const real *x, int incx, const real *y, int incy,        \
                                          real *a, int lda)                                        \
    {                                                                                              \
        const struct blas_operand matrix = operand(a, type, lda);                                  \
        return call_matrix(handle,                                                                 \
                           WORK("cublas" #letter "ger", blas_ger, .a = operand(x, type, incx),     \
                                .b = operand(y, type, incy), .c = matrix),                         \
                           &matrix, m, n, alpha, NULL);                                            \
    }                                                                                              \
    cublasStatus_t cublas##letter##geam(cublasHandle_t handle, cublasOperation_t transa,           \
                                        cublasOperation_t transb, int m, int n, const real *alpha, \
                                        const real *a, int lda, const real *beta, const real *b,   \
                                        int ldb, real *c, int ldc)                                 \
    {                                                                                              \
        const struct blas_operand left = operand(a, type, lda), right = operand(b, type, ldb),     \
                                  matrix = operand(c, type, ldc);                                  \
        REJECT_UNLESS(beta &&fits(&left, transa, m, n) && fits(&right, transb, m, n));             \
        return call_matrix(handle,                                                                 \
                           WORK("cublas" #letter "geam", blas_geam, .before_a = transa,            \
                                .before_b = transb, .a = left, .b = right, .c = matrix),           \
                           &matrix, m, n, alpha, beta);                                            \
    }                                                                                              \
    cublasStatus_t cublas##letter##trsm_v2(cublasHandle_t handle, cublasSideMode_t side,           \
                                           cublasFillMode_t uplo, cublasOperation_t trans,         \
                                           cublasDiagType_t diag, int m, int n, const real *alpha, \
                                           const real *a, int lda, real *b, int ldb)               \
    {                                                                                              \
        const struct blas_operand triangle = operand(a, type, lda),                                \
                                  matrix = operand(b, type, ldb);                                  \
        const int size = side == CUBLAS_SIDE_LEFT ? m : n;                                         \
        REJECT_UNLESS(is_triangle(side, uplo, diag) && fits(&triangle, CUBLAS_OP_N, size, size));  \
        return call_matrix(handle,                                                                 \
                           WORK("cublas" #letter "trsm", blas_trsm, .before_a = trans,             \
                                .right = side == CUBLAS_SIDE_RIGHT,                                \
                                .upper = uplo == CUBLAS_FILL_MODE_UPPER,                           \
                                .unit = diag == CUBLAS_DIAG_UNIT, .a = triangle, .c = matrix),     \
                           &matrix, m, n, alpha, NULL);                                            \
    }
SUMS(S, CUDA_R_32F, float)
SUMS(D, CUDA_R_64F, double)

cublasStatus_t cublasSgemmEx(cublasHandle_t handle, cublasOperation_t transa,
                             cublasOperation_t transb, int m, int n, int k, const float *alpha,
                             const void *a, cudaDataType type_a, int lda, const void *b,
                             cudaDataType type_b, int ldb, const float *beta, void *c,
                             cudaDataType type_c, int ldc)
{
    return call_product(handle, PRODUCT("cublasSgemmEx", 1, operand(a, type_a, lda),
                                        operand(b, type_b, ldb), operand(c, type_c, ldc),
                                        CUBLAS_COMPUTE_32F));
}

cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa,
                            cublasOperation_t transb, int m, int n, int k, const void *alpha,
                            const void *a, cudaDataType type_a, int lda, const void *b,
                            cudaDataType type_b, int ldb, const void *beta, void *c,
                            cudaDataType type_c, int ldc, cublasComputeType_t compute,
                            cublasGemmAlgo_t algorithm)
{
    (void)algorithm;
    return call_product(handle, PRODUCT("cublasGemmEx", 1, operand(a, type_a, lda),
                                        operand(b, type_b, ldb), operand(c, type_c, ldc), compute));
}

cublasStatus_t cublasGemmBatchedEx(cublasHandle_t handle, cublasOperation_t transa,
                                   cublasOperation_t transb, int m, int n, int k, const void *alpha,
                                   const void *const a[], cudaDataType type_a, int lda,
                                   const void *const b[], cudaDataType type_b, int ldb,
                                   const void *beta, void *const c[], cudaDataType type_c, int ldc,
                                   int count, cublasComputeType_t compute,
                                   cublasGemmAlgo_t algorithm)
{
    (void)algorithm;
    return call_product(handle, PRODUCT("cublasGemmBatchedEx", count, batched(a, type_a, lda),
                                        batched(b, type_b, ldb), batched(c, type_c, ldc), compute));
}

cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t transa,
                                          cublasOperation_t transb, int m, int n, int k,
                                          const void *alpha, const void *a, cudaDataType type_a,
                                          int lda, long long stride_a, const void *b,
                                          cudaDataType type_b, int ldb, long long stride_b,
                                          const void *beta, void *c, cudaDataType type_c, int ldc,
                                          long long stride_c, int count,
                                          cublasComputeType_t compute, cublasGemmAlgo_t algorithm)
{
    (void)algorithm;
    return call_product(handle, PRODUCT("cublasGemmStridedBatchedEx", count,
                                        strided(a, type_a, lda, stride_a),
                                        strided(b, type_b, ldb, stride_b),
                                        strided(c, type_c, ldc, stride_c), compute));
}
