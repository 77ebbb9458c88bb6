/* blas.h - functions of cuBLAS and cuRAND, which this machine's processor computes: their kernels are machine code for GPUs.
 *
 *     blas_calls.c    the functions: what they check, and what they make of it
 *     blas.c          what they share: elements, handles, copies, and what a call becomes
 *     blas_vector.c   what is done with vectors, and with a matrix and a vector
 *     blas_product.c  products and sums of matrices (blas_product.inc)
 *     random.c        cuRAND's functions, which share only what comes first here
 *
 * Programs compare their own kernels with it. Sums are rounded less than on a GPU: in the type that the call asks for
 * over a few hundred elements, then in double. Element (i, j) of a matrix is at i + j * leading.
 */
#ifndef BANKSCOPE_RUNTIME_BLAS_H
#define BANKSCOPE_RUNTIME_BLAS_H

#include "program/runtime/runtime.h"

#include "cublas_api.h"

/* Whether kernels of a library might touch these bytes; if not, that is told. */
bool library_may_access(const char *what, const void *at, size_t bytes, bool writes);
/* Runs a function of a library on so many bytes of work, or makes it a node where the stream is captured. Says once of the
 * function that no table has it. False: there is no such stream, or no memory. */
bool library_call(cudaStream_t stream, const char *what, void (*run)(void *work), void *work,
                  size_t bytes);

struct blas_operand {
    char *at;   /* an address of the device's; or where the addresses of a batch's are */
    char *host; /* where this processor finds it */
    cudaDataType type;
    int64_t
        leading; /* elements from column to column; of a vector, from one to the next: below 0, from its end */
    long long stride; /* elements from one of a batch to the next */
    bool addresses;   /* `at` is of a batch's addresses */
};
/* A call. */
struct blas_work {
    const char *what; /* its function */
    cublasStatus_t (*run)(const struct blas_work *work);
    cublasOperation_t before_a, before_b; /* what a and b are put through */
    int64_t rows, columns, depth; /* of a vector: rows; of a product: depth is the columns of a */
    double alpha, beta;
    bool right, upper,
        unit; /* of a triangle: where it stands, which it is, whether its diagonal is 1 */
    struct blas_operand a, b, c; /* the last one is written */
    int batch;
    void *result;          /* of a sum or a search; NULL: there is none */
    bool device;           /* which is in device memory */
    cublasStatus_t status; /* what came of it */
};

/* 0: cuBLAS has no such elements, or they are not here. */
size_t blas_bytes(cudaDataType type);
double blas_get(cudaDataType type, const void *at, int64_t index);
void blas_put(cudaDataType type, void *at, int64_t index, double value);
/* CUBLAS_STATUS_SUCCESS, or it is not all in memory, which was said. */
cublasStatus_t blas_access_vector(const struct blas_work *work, const struct blas_operand *vector,
                                  int64_t count, bool writes);
cublasStatus_t blas_access_matrix(const struct blas_work *work, const struct blas_operand *matrix,
                                  int64_t rows, int64_t columns, bool writes);
/* The index-th operand of a batch. CUBLAS_STATUS_EXECUTION_FAILED: where it is cannot be read. */
cublasStatus_t blas_one(const struct blas_work *work, const struct blas_operand *operand, int index,
                        struct blas_operand *one);

/* What every function begins with: the handle is one, and nothing that failed before sticks. */
cublasStatus_t blas_begin(cublasHandle_t handle);
/* A scalar of the caller's, which is in device memory if the handle says so. */
cublasStatus_t blas_scalar(cublasHandle_t handle, const char *what, cudaDataType type,
                           const void *at, double *value);
/* Does it, in the handle's stream (library_call). */
cublasStatus_t blas_call(cublasHandle_t handle, struct blas_work *work);

/* blas_vector.c */
cublasStatus_t blas_axpy(const struct blas_work *work); /* b += alpha a */
cublasStatus_t blas_copy(const struct blas_work *work); /* b = a */
cublasStatus_t blas_swap(const struct blas_work *work);
cublasStatus_t blas_scal(const struct blas_work *work); /* b *= alpha */
cublasStatus_t blas_dot(const struct blas_work *work);
cublasStatus_t blas_asum(const struct blas_work *work); /* of a, as those below */
cublasStatus_t blas_nrm2(const struct blas_work *work);
cublasStatus_t blas_amax(const struct blas_work *work);
cublasStatus_t blas_amin(const struct blas_work *work);
cublasStatus_t blas_gemv(const struct blas_work *work); /* c = alpha a b + beta c */
cublasStatus_t blas_ger(const struct blas_work *work);  /* c += alpha a b^T */

/* blas_product.c */
cublasStatus_t blas_gemm(const struct blas_work *work); /* c = alpha a b + beta c, of a batch */
cublasStatus_t blas_geam(const struct blas_work *work); /* c = alpha a + beta b */
cublasStatus_t blas_trsm(const struct blas_work *work); /* a x = alpha c, or x a; x is the new c */

#endif
