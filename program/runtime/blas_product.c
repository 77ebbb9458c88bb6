/* blas_product.c - products and sums of matrices, for cuBLAS's functions (blas.h). */
#include "program/runtime/blas.h"

#include <string.h>

enum {
    ROWS = 64,
    COLUMNS = 4,
    DEPTH = 256, /* products that are summed in the type of the sum, before double */
};

/* Writes what is within c of ROWS rows and COLUMNS columns, from (row, column) on. */
static void put_strip(const struct blas_work *work, const struct blas_operand *c,
                      const double *total, int64_t row, int64_t column)
{
    for (int j = 0; j < COLUMNS && column + j < work->columns; j++)
        for (int i = 0; i < ROWS && row + i < work->rows; i++) {
            const int64_t at = row + i + (column + j) * c->leading;
            const double before =
                work->beta != 0 ? work->beta * blas_get(c->type, c->host, at) : 0; /* may be NaN */
            blas_put(c->type, c->host, at, work->alpha * total[i + j * ROWS] + before);
        }
}

#define real float
#define NAME(name) name##_float
#include "program/runtime/blas_product.inc"
#undef real
#undef NAME
#define real double
#define NAME(name) name##_double
#include "program/runtime/blas_product.inc"
#undef real
#undef NAME

/* A matrix that is put through an operation to have so many rows and columns. */
static cublasStatus_t access_before(const struct blas_work *work, const struct blas_operand *from,
                                    cublasOperation_t before, int64_t rows, int64_t columns)
{
    return before == CUBLAS_OP_N ? blas_access(work, from, rows, columns, false)
                                 : blas_access(work, from, columns, rows, false);
}

static cublasStatus_t multiply_one(const struct blas_work *work, int index)
{
    struct blas_operand a, b, c;
    cublasStatus_t status = blas_one(work, &work->a, index, &a);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = blas_one(work, &work->b, index, &b);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = blas_one(work, &work->c, index, &c);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = access_before(work, &a, work->before_a, work->rows, work->depth);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = access_before(work, &b, work->before_b, work->depth, work->columns);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = blas_access(work, &c, work->rows, work->columns, true);
    if (status != CUBLAS_STATUS_SUCCESS)
        return status;
    /* Products of whole numbers of 8 bits, DEPTH of them, are exact in a float. */
    const bool wide = a.type == CUDA_R_64F || a.type == CUDA_R_32I;
    return (wide ? product_double : product_float)(work, &a, &b, &c);
}

cublasStatus_t blas_gemm(const struct blas_work *work)
{
    cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
    for (int i = 0; i < work->batch && status == CUBLAS_STATUS_SUCCESS; i++)
        status = multiply_one(work, i);
    return status;
}

static double element(const struct blas_operand *from, cublasOperation_t before, int64_t i,
                      int64_t j)
{
    return blas_get(from->type, from->host,
                    before == CUBLAS_OP_N ? i + j * from->leading : j + i * from->leading);
}

/* c may be one of the others, if that one is not transposed. */
cublasStatus_t blas_geam(const struct blas_work *work)
{
    const struct blas_operand *a = &work->a, *b = &work->b, *c = &work->c;
    const bool has_a = work->alpha != 0, has_b = work->beta != 0;
    cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
    if (has_a)
        status = access_before(work, a, work->before_a, work->rows, work->columns);
    if (has_b && status == CUBLAS_STATUS_SUCCESS)
        status = access_before(work, b, work->before_b, work->rows, work->columns);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = blas_access(work, c, work->rows, work->columns, true);
    for (int64_t j = 0; status == CUBLAS_STATUS_SUCCESS && j < work->columns; j++)
        for (int64_t i = 0; i < work->rows; i++) {
            const double left = has_a ? work->alpha * element(a, work->before_a, i, j) : 0,
                         right = has_b ? work->beta * element(b, work->before_b, i, j) : 0;
            blas_put(c->type, c->host, i + j * c->leading, left + right);
        }
    return status;
}
