/* blas_vector.c - vectors, and a matrix with a vector, for cuBLAS's functions (blas.h). */
#include "program/runtime/blas/blas.h"

#include <math.h>

/* Where the i-th element of a vector is, of `count`: one whose step is below 0 begins at its end. */
static int64_t place(const struct blas_operand *vector, int64_t count, int64_t i)
{
    const int64_t step = vector->leading;
    return step < 0 ? (i + 1 - count) * step : i * step;
}

static double get(const struct blas_operand *vector, int64_t count, int64_t i)
{
    return blas_get(vector->type, vector->host, place(vector, count, i));
}

static void put(const struct blas_operand *vector, int64_t count, int64_t i, double value)
{
    blas_put(vector->type, vector->host, place(vector, count, i), value);
}

/* a is read, b read and written. */
static cublasStatus_t access_both(const struct blas_work *work)
{
    const cublasStatus_t status = blas_access_vector(work, &work->a, work->rows, false);
    return status == CUBLAS_STATUS_SUCCESS ? blas_access_vector(work, &work->b, work->rows, true)
                                           : status;
}

cublasStatus_t blas_axpy(const struct blas_work *work)
{
    const cublasStatus_t status = work->alpha != 0 ? access_both(work) : CUBLAS_STATUS_SUCCESS;
    for (int64_t i = 0; work->alpha != 0 && status == CUBLAS_STATUS_SUCCESS && i < work->rows; i++)
        put(&work->b, work->rows, i,
            work->alpha * get(&work->a, work->rows, i) + get(&work->b, work->rows, i));
    return status;
}

cublasStatus_t blas_copy(const struct blas_work *work)
{
    const cublasStatus_t status = access_both(work);
    for (int64_t i = 0; status == CUBLAS_STATUS_SUCCESS && i < work->rows; i++)
        put(&work->b, work->rows, i, get(&work->a, work->rows, i));
    return status;
}

cublasStatus_t blas_swap(const struct blas_work *work)
{
    cublasStatus_t status = blas_access_vector(work, &work->a, work->rows, true);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = blas_access_vector(work, &work->b, work->rows, true);
    for (int64_t i = 0; status == CUBLAS_STATUS_SUCCESS && i < work->rows; i++) {
        const double other = get(&work->a, work->rows, i);
        put(&work->a, work->rows, i, get(&work->b, work->rows, i));
        put(&work->b, work->rows, i, other);
    }
    return status;
}

cublasStatus_t blas_scal(const struct blas_work *work)
{
    const cublasStatus_t status = blas_access_vector(work, &work->b, work->rows, true);
    for (int64_t i = 0; status == CUBLAS_STATUS_SUCCESS && i < work->rows; i++)
        put(&work->b, work->rows, i, work->alpha * get(&work->b, work->rows, i));
    return status;
}

/* Where the result goes, of that type. */
static cublasStatus_t put_result(const struct blas_work *work, cudaDataType type, double value)
{
    if (work->device && runtime_access(work->what, work->result, blas_bytes(type), true))
        return CUBLAS_STATUS_EXECUTION_FAILED;
    blas_put(type, runtime_host(work->result), 0, value);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t blas_dot(const struct blas_work *work)
{
    double sum = 0;
    cublasStatus_t status = blas_access_vector(work, &work->a, work->rows, false);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = blas_access_vector(work, &work->b, work->rows, false);
    for (int64_t i = 0; status == CUBLAS_STATUS_SUCCESS && i < work->rows; i++)
        sum += get(&work->a, work->rows, i) * get(&work->b, work->rows, i);
    return status == CUBLAS_STATUS_SUCCESS ? put_result(work, work->a.type, sum) : status;
}

/* The sum of absolute values, or of squares. */
static cublasStatus_t sum_up(const struct blas_work *work, bool squares)
{
    double sum = 0;
    const cublasStatus_t status = blas_access_vector(work, &work->a, work->rows, false);
    for (int64_t i = 0; status == CUBLAS_STATUS_SUCCESS && i < work->rows; i++) {
        const double value = get(&work->a, work->rows, i);
        sum += squares ? value * value : fabs(value);
    }
    return status == CUBLAS_STATUS_SUCCESS
               ? put_result(work, work->a.type, squares ? sqrt(sum) : sum)
               : status;
}

cublasStatus_t blas_asum(const struct blas_work *work)
{
    return sum_up(work, false);
}

cublasStatus_t blas_nrm2(const struct blas_work *work)
{
    return sum_up(work, true);
}

/* The first place of the largest or smallest absolute value, counted from 1; 0: there are no values. */
static cublasStatus_t search(const struct blas_work *work, double sign)
{
    int64_t best = -1;
    const cublasStatus_t status = blas_access_vector(work, &work->a, work->rows, false);
    for (int64_t i = 0; status == CUBLAS_STATUS_SUCCESS && i < work->rows; i++)
        if (best < 0 || sign * fabs(get(&work->a, work->rows, i)) >
                            sign * fabs(get(&work->a, work->rows, best)))
            best = i;
    return status == CUBLAS_STATUS_SUCCESS ? put_result(work, CUDA_R_32I, (double)(best + 1))
                                           : status;
}

cublasStatus_t blas_amax(const struct blas_work *work)
{
    return search(work, 1);
}

cublasStatus_t blas_amin(const struct blas_work *work)
{
    return search(work, -1);
}

cublasStatus_t blas_gemv(const struct blas_work *work)
{
    const struct blas_operand *a = &work->a;
    const bool plain = work->before_a == CUBLAS_OP_N;
    const int64_t rows = plain ? work->rows : work->columns,
                  columns = plain ? work->columns : work->rows,
                  depth = work->alpha != 0 ? columns : 0; /* at 0 neither is read */
    cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
    if (depth)
        status = blas_access_matrix(work, a, work->rows, work->columns, false);
    if (depth && status == CUBLAS_STATUS_SUCCESS)
        status = blas_access_vector(work, &work->b, depth, false);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = blas_access_vector(work, &work->c, rows, true);
    for (int64_t i = 0; status == CUBLAS_STATUS_SUCCESS && i < rows; i++) {
        double sum = 0;
        for (int64_t k = 0; k < depth; k++)
            sum += blas_get(a->type, a->host, plain ? i + k * a->leading : k + i * a->leading) *
                   get(&work->b, depth, k);
        put(&work->c, rows, i,
            work->alpha * sum + (work->beta != 0 ? work->beta * get(&work->c, rows, i) : 0));
    }
    return status;
}

cublasStatus_t blas_ger(const struct blas_work *work)
{
    const struct blas_operand *c = &work->c;
    if (work->alpha == 0) /* nothing is read */
        return CUBLAS_STATUS_SUCCESS;
    cublasStatus_t status = blas_access_vector(work, &work->a, work->rows, false);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = blas_access_vector(work, &work->b, work->columns, false);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = blas_access_matrix(work, c, work->rows, work->columns, true);
    for (int64_t j = 0; status == CUBLAS_STATUS_SUCCESS && j < work->columns; j++)
        for (int64_t i = 0; i < work->rows; i++) {
            const int64_t at = i + j * c->leading;
            blas_put(c->type, c->host, at,
                     work->alpha * get(&work->a, work->rows, i) * get(&work->b, work->columns, j) +
                         blas_get(c->type, c->host, at));
        }
    return status;
}
