/* blas_product.c - products and sums of matrices, for cuBLAS's functions (blas.h). */
#include "program/runtime/blas/blas.h"

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
#include "program/runtime/blas/blas_product.inc"
#undef real
#undef NAME
#define real double
#define NAME(name) name##_double
#include "program/runtime/blas/blas_product.inc"
#undef real
#undef NAME

/* A matrix that is put through an operation to have so many rows and columns. */
static cublasStatus_t access_before(const struct blas_work *work, const struct blas_operand *from,
                                    cublasOperation_t before, int64_t rows, int64_t columns)
{
    return before == CUBLAS_OP_N ? blas_access_matrix(work, from, rows, columns, false)
                                 : blas_access_matrix(work, from, columns, rows, false);
}

/* ---- products that are there already ----------------------------------------------------------- */

/* Loops that measure time ask for the same product again and again: it is not computed where the factors and the
 * product are as the last one left them. */
static struct done {
    uint64_t call, factors, product; /* hashes: of the arguments, and of what they are of */
} done[16];

static uint64_t hash_matrix(uint64_t hash, const struct blas_operand *matrix, int64_t rows,
                            int64_t columns)
{
    const size_t bytes = blas_bytes(matrix->type);
    const bool whole = matrix->leading == rows;
    const size_t length = (size_t)(whole ? rows * columns : rows) * bytes;
    for (int64_t i = 0; i < (whole ? 1 : columns); i++)
        hash = runtime_hash(hash, matrix->host + i * matrix->leading * (int64_t)bytes, length);
    return hash;
}

static uint64_t hash_factors(const struct blas_work *work, const struct blas_operand *a,
                             const struct blas_operand *b)
{
    const bool plain_a = work->before_a == CUBLAS_OP_N, plain_b = work->before_b == CUBLAS_OP_N;
    const uint64_t hash =
        hash_matrix(0, a, plain_a ? work->rows : work->depth, plain_a ? work->depth : work->rows);
    return hash_matrix(hash, b, plain_b ? work->depth : work->columns,
                       plain_b ? work->columns : work->depth);
}

static uint64_t hash_call(const struct blas_work *work, const struct blas_operand *a,
                          const struct blas_operand *b, const struct blas_operand *c)
{
    const uint64_t about[] = {(uintptr_t)a->at,
                              (uintptr_t)b->at,
                              (uintptr_t)c->at,
                              a->type,
                              b->type,
                              c->type,
                              (uint64_t)a->leading,
                              (uint64_t)b->leading,
                              (uint64_t)c->leading,
                              work->before_a,
                              work->before_b,
                              (uint64_t)work->rows,
                              (uint64_t)work->columns,
                              (uint64_t)work->depth};
    return runtime_hash(runtime_hash(0, about, sizeof about), &work->alpha, sizeof work->alpha);
}

static cublasStatus_t multiply(const struct blas_work *work, const struct blas_operand *a,
                               const struct blas_operand *b, const struct blas_operand *c)
{
    enum { LEAST = 64 }; /* below, hashes take as long as the product */
    /* Products of whole numbers of 8 bits, DEPTH of them, are exact in a float. */
    const bool wide = a->type == CUDA_R_64F || a->type == CUDA_R_32I;
    cublasStatus_t (*const product)(const struct blas_work *, const struct blas_operand *,
                                    const struct blas_operand *, const struct blas_operand *) =
        wide ? product_double : product_float;
    if (work->beta != 0 || work->depth < LEAST || work->columns < LEAST)
        return product(work, a, b, c);
    runtime_lock();
    struct done now = {.call = hash_call(work, a, b, c), .factors = hash_factors(work, a, b)};
    struct done *last = &done[now.call % (sizeof done / sizeof *done)];
    cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
    if (last->call != now.call || last->factors != now.factors ||
        last->product != hash_matrix(0, c, work->rows, work->columns)) {
        status = product(work, a, b, c);
        now.product = hash_matrix(0, c, work->rows, work->columns);
        *last = now;
    }
    runtime_unlock();
    return status;
}

/* A factor of the batch. */
static cublasStatus_t get_factor(const struct blas_work *work, const struct blas_operand *operand,
                                 int index, cublasOperation_t before, int64_t rows, int64_t columns,
                                 struct blas_operand *factor)
{
    const cublasStatus_t status = blas_one(work, operand, index, factor);
    return status == CUBLAS_STATUS_SUCCESS ? access_before(work, factor, before, rows, columns)
                                           : status;
}

static cublasStatus_t multiply_one(const struct blas_work *work, int index)
{
    struct blas_operand a = work->a, b = work->b, c;
    cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
    if (work->depth)
        status = get_factor(work, &work->a, index, work->before_a, work->rows, work->depth, &a);
    if (work->depth && status == CUBLAS_STATUS_SUCCESS)
        status = get_factor(work, &work->b, index, work->before_b, work->depth, work->columns, &b);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = blas_one(work, &work->c, index, &c);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = blas_access_matrix(work, &c, work->rows, work->columns, true);
    return status == CUBLAS_STATUS_SUCCESS ? multiply(work, &a, &b, &c) : status;
}

cublasStatus_t blas_gemm(const struct blas_work *work)
{
    cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
    struct blas_work read = *work;
    if (work->alpha == 0 && !work->device) /* the factors are not read */
        read.depth = 0;
    for (int i = 0; i < work->batch && status == CUBLAS_STATUS_SUCCESS; i++)
        status = multiply_one(&read, i);
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
        status = blas_access_matrix(work, c, work->rows, work->columns, true);
    for (int64_t j = 0; status == CUBLAS_STATUS_SUCCESS && j < work->columns; j++)
        for (int64_t i = 0; i < work->rows; i++) {
            const double left = has_a ? work->alpha * element(a, work->before_a, i, j) : 0,
                         right = has_b ? work->beta * element(b, work->before_b, i, j) : 0;
            blas_put(c->type, c->host, i + j * c->leading, left + right);
        }
    return status;
}

/* Solves for one column of c, or, with the triangle on the right, one row: from the triangle's tip on. */
static void solve_line(const struct blas_work *work, int64_t line)
{
    const struct blas_operand *a = &work->a, *c = &work->c;
    const int64_t size = work->right ? work->columns : work->rows;
    const int64_t first = work->right ? line : line * c->leading,
                  next = work->right ? c->leading : 1;
    /* x a = c is a^T x^T = c^T */
    const bool turned = (work->before_a != CUBLAS_OP_N) != work->right;
    const bool down = work->upper == turned;
    for (int64_t n = 0; n < size; n++) {
        const int64_t i = down ? n : size - 1 - n;
        double rest = work->alpha * blas_get(c->type, c->host, first + i * next);
        for (int64_t m = 0; m < n; m++) {
            const int64_t k = down ? m : size - 1 - m;
            rest -= element(a, turned ? CUBLAS_OP_T : CUBLAS_OP_N, i, k) *
                    blas_get(c->type, c->host, first + k * next);
        }
        if (!work->unit)
            rest /= element(a, CUBLAS_OP_N, i, i);
        blas_put(c->type, c->host, first + i * next, rest);
    }
}

cublasStatus_t blas_trsm(const struct blas_work *work)
{
    const struct blas_operand *c = &work->c;
    const int64_t size = work->right ? work->columns : work->rows,
                  lines = work->right ? work->rows : work->columns;
    cublasStatus_t status = blas_access_matrix(work, c, work->rows, work->columns, true);
    if (work->alpha != 0 && status == CUBLAS_STATUS_SUCCESS)
        status = blas_access_matrix(work, &work->a, size, size, false);
    for (int64_t line = 0; status == CUBLAS_STATUS_SUCCESS && line < lines; line++) {
        if (work->alpha != 0)
            solve_line(work, line);
        for (int64_t i = 0; work->alpha == 0 && i < size; i++) /* nothing is read */
            blas_put(c->type, c->host, work->right ? line + i * c->leading : i + line * c->leading,
                     0);
    }
    return status;
}
