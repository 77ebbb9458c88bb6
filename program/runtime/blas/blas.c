/* blas.c - what cuBLAS's functions share (blas.h): elements, handles, copies, and what a call becomes. It is done when
 * the function returns, as everything else; in a stream that is captured it becomes a node of the graph. */
#include "program/runtime/blas/blas.h"
#include "machine/math/narrow.h"

#include <string.h>

struct cublasContext {
    cudaStream_t stream;
    cublasPointerMode_t pointers;
    cublasMath_t math;
    cublasAtomicsMode_t atomics;
};

/* ---- elements ---------------------------------------------------------------------------------- */

size_t blas_bytes(cudaDataType type)
{
    switch (type) {
    case CUDA_R_64F:
        return 8;
    case CUDA_R_32F:
    case CUDA_R_32I:
        return 4;
    case CUDA_R_16F:
    case CUDA_R_16BF:
        return 2;
    case CUDA_R_8I:
        return 1;
    default:
        return 0;
    }
}

double blas_get(cudaDataType type, const void *at, int64_t index)
{
    switch (type) {
    case CUDA_R_64F:
        return ((const double *)at)[index];
    case CUDA_R_32F:
        return (double)((const float *)at)[index];
    case CUDA_R_32I:
        return ((const int32_t *)at)[index];
    case CUDA_R_16F:
        return (double)real_f32_f16(((const uint16_t *)at)[index]);
    case CUDA_R_16BF:
        return (double)real_f32_bf16(((const uint16_t *)at)[index]);
    default:
        return ((const int8_t *)at)[index];
    }
}

void blas_put(cudaDataType type, void *at, int64_t index, double value)
{
    switch (type) {
    case CUDA_R_64F:
        ((double *)at)[index] = value;
        break;
    case CUDA_R_32F:
        ((float *)at)[index] = (float)value;
        break;
    case CUDA_R_32I: /* sums wrap, as the GPU's do */
        ((int32_t *)at)[index] = (int32_t)(uint32_t)(int64_t)value;
        break;
    case CUDA_R_16F:
        ((uint16_t *)at)[index] = real_f16_f32((float)value);
        break;
    case CUDA_R_16BF:
        ((uint16_t *)at)[index] = real_bf16_f32((float)value);
        break;
    default:
        ((int8_t *)at)[index] = (int8_t)value;
    }
}

bool library_may_access(const char *what, const void *at, size_t bytes, bool writes)
{
    runtime_lock();
    const bool known = machine_memory_find(runtime_begin()->memory, (uintptr_t)at);
    runtime_unlock();
    if (!known && bytes) {
        runtime_report_line(RECORDS_ARGUMENT, NULL,
                            "%s %s %zu bytes at %p, which is no memory of the device%s", what,
                            writes ? "writes" : "reads", bytes, at, at ? " (a host pointer?)" : "");
        return false;
    }
    return runtime_access(what, at, bytes, writes) == cudaSuccess;
}

/* So many pieces of `length` elements each, which begin `apart` elements from one another. */
static cublasStatus_t access_pieces(const struct blas_work *work,
                                    const struct blas_operand *operand, int64_t pieces,
                                    int64_t apart, int64_t length, bool writes)
{
    const int64_t bytes = (int64_t)blas_bytes(operand->type);
    bool good = true;
    for (int64_t i = 0; good && i < pieces; i++)
        good = library_may_access(work->what, operand->at + i * apart * bytes,
                                  (size_t)(length * bytes), writes);
    return good ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

cublasStatus_t blas_access_vector(const struct blas_work *work, const struct blas_operand *vector,
                                  int64_t count, bool writes)
{
    const int64_t step = vector->leading < 0 ? -vector->leading : vector->leading;
    return step == 1 ? access_pieces(work, vector, 1, 0, count, writes)
                     : access_pieces(work, vector, count, step, 1, writes);
}

cublasStatus_t blas_access_matrix(const struct blas_work *work, const struct blas_operand *matrix,
                                  int64_t rows, int64_t columns, bool writes)
{
    return matrix->leading == rows /* one column behind the other */
               ? access_pieces(work, matrix, 1, 0, rows * columns, writes)
               : access_pieces(work, matrix, columns, matrix->leading, rows, writes);
}

cublasStatus_t blas_one(const struct blas_work *work, const struct blas_operand *operand, int index,
                        struct blas_operand *one)
{
    *one = *operand;
    if (operand->addresses) {
        const char *at = operand->at + (size_t)index * sizeof one->at;
        if (!library_may_access(work->what, at, sizeof one->at, false))
            return CUBLAS_STATUS_EXECUTION_FAILED;
        memcpy(&one->at, runtime_host(at), sizeof one->at);
    } else {
        one->at += index * operand->stride * (long long)blas_bytes(operand->type);
    }
    one->host = runtime_host(one->at);
    return CUBLAS_STATUS_SUCCESS;
}

/* ---- calls ------------------------------------------------------------------------------------- */

/* Says once of a function that it is computed here. */
static void tell(const char *what)
{
    static const char *told[64];
    size_t i = 0;
    runtime_lock();
    while (i < sizeof told / sizeof *told && told[i] && strcmp(told[i], what) != 0)
        i++;
    const bool first = i < sizeof told / sizeof *told && !told[i];
    if (first)
        told[i] = what;
    runtime_unlock();
    if (first)
        runtime_report_line(RECORDS_LIBRARY, NULL,
                            "%s is computed without its kernels, whose code is the library's: "
                            "no table has their accesses",
                            what);
}

cublasStatus_t blas_begin(cublasHandle_t handle)
{
    return runtime_enter() != cudaSuccess ? CUBLAS_STATUS_EXECUTION_FAILED
           : !handle                      ? CUBLAS_STATUS_NOT_INITIALIZED
                                          : CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t blas_scalar(cublasHandle_t handle, const char *what, cudaDataType type,
                           const void *at, double *value)
{
    if (!at)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (handle->pointers == CUBLAS_POINTER_MODE_DEVICE) {
        if (!library_may_access(what, at, blas_bytes(type), false))
            return CUBLAS_STATUS_EXECUTION_FAILED;
        at = runtime_host(at);
    }
    *value = blas_get(type, at, 0);
    return CUBLAS_STATUS_SUCCESS;
}

bool library_call(cudaStream_t stream, const char *what, void (*run)(void *work), void *work,
                  size_t bytes)
{
    cudaError_t error;
    tell(what);
    /* Only the capture of a stream needs a copy, which lives as long as a graph may. */
    enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    if (cudaStreamIsCapturing(stream, &status) != cudaSuccess)
        return false;
    struct runtime_work node = {cudaGraphNodeTypeHost, .host = {run, NULL}};
    if (status != cudaStreamCaptureStatusNone) {
        node.host.userData = runtime_new(bytes);
        if (!node.host.userData)
            return false;
        memcpy(node.host.userData, work, bytes);
    }
    if (runtime_captures(stream, &node, &error))
        return error == cudaSuccess;
    run(work);
    runtime_lock();
    runtime_repeat_executes();
    runtime_unlock();
    return true;
}

static void run(void *context)
{
    struct blas_work *work = context;
    work->status = work->run(work);
}

cublasStatus_t blas_call(cublasHandle_t handle, struct blas_work *work)
{
    struct blas_operand *const operand[] = {&work->a, &work->b, &work->c};
    for (int i = 0; i < 3; i++)
        operand[i]->host = runtime_host(operand[i]->at);
    work->device = handle->pointers == CUBLAS_POINTER_MODE_DEVICE;
    work->status = CUBLAS_STATUS_SUCCESS;
    return library_call(handle->stream, work->what, run, work, sizeof *work)
               ? work->status
               : CUBLAS_STATUS_EXECUTION_FAILED;
}

/* ---- handles ----------------------------------------------------------------------------------- */

cublasStatus_t cublasCreate_v2(cublasHandle_t *handle)
{
    if (runtime_enter() != cudaSuccess)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!handle)
        return CUBLAS_STATUS_INVALID_VALUE;
    *handle = runtime_new(sizeof **handle);
    return *handle ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_ALLOC_FAILED;
}

cublasStatus_t cublasDestroy_v2(cublasHandle_t handle)
{
    if (!handle)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    runtime_delete(handle);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int *version)
{
    if (!handle || !version)
        return handle ? CUBLAS_STATUS_INVALID_VALUE : CUBLAS_STATUS_NOT_INITIALIZED;
    *version = CUBLAS_VERSION;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetProperty(libraryPropertyType type, int *value)
{
    static const int values[] = {CUBLAS_VER_MAJOR, CUBLAS_VER_MINOR, CUBLAS_VER_PATCH};
    if ((unsigned)type >= sizeof values / sizeof *values || !value)
        return CUBLAS_STATUS_INVALID_VALUE;
    *value = values[type];
    return CUBLAS_STATUS_SUCCESS;
}

size_t cublasGetCudartVersion(void)
{
    return CUDART_VERSION;
}

/* What a handle remembers: setting and asking. */
#define REMEMBERS(set, get, type, member)                                                          \
    cublasStatus_t set(cublasHandle_t handle, type value)                                          \
    {                                                                                              \
        if (!handle)                                                                               \
            return CUBLAS_STATUS_NOT_INITIALIZED;                                                  \
        handle->member = value;                                                                    \
        return CUBLAS_STATUS_SUCCESS;                                                              \
    }                                                                                              \
    cublasStatus_t get(cublasHandle_t handle, type *value)                                         \
    {                                                                                              \
        if (!handle || !value)                                                                     \
            return handle ? CUBLAS_STATUS_INVALID_VALUE : CUBLAS_STATUS_NOT_INITIALIZED;           \
        *value = handle->member;                                                                   \
        return CUBLAS_STATUS_SUCCESS;                                                              \
    }
REMEMBERS(cublasSetStream_v2, cublasGetStream_v2, cudaStream_t, stream)
REMEMBERS(cublasSetPointerMode_v2, cublasGetPointerMode_v2, cublasPointerMode_t, pointers)
REMEMBERS(cublasSetMathMode, cublasGetMathMode, cublasMath_t, math)
REMEMBERS(cublasSetAtomicsMode, cublasGetAtomicsMode, cublasAtomicsMode_t, atomics)

cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void *workspace, size_t bytes)
{
    (void)workspace; /* none is needed */
    (void)bytes;
    return handle ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED;
}

static const struct {
    cublasStatus_t status;
    const char *name, *text;
} statuses[] = {
#define STATUS(name, text)                                                                         \
    {                                                                                              \
        CUBLAS_STATUS_##name, "CUBLAS_STATUS_" #name, text                                         \
    }
    STATUS(SUCCESS, "success"),
    STATUS(NOT_INITIALIZED, "the library was not initialized"),
    STATUS(ALLOC_FAILED, "the resource allocation failed"),
    STATUS(INVALID_VALUE, "an unsupported value or parameter was passed to the function"),
    STATUS(ARCH_MISMATCH, "the function requires an architectural feature absent from the device"),
    STATUS(MAPPING_ERROR, "an access to GPU memory space failed"),
    STATUS(EXECUTION_FAILED, "the function failed to launch on the GPU"),
    STATUS(INTERNAL_ERROR, "an internal operation failed"),
    STATUS(NOT_SUPPORTED, "the functionality requested is not supported"),
    STATUS(LICENSE_ERROR, "the functionality requested requires a license"),
#undef STATUS
};

const char *cublasGetStatusName(cublasStatus_t status)
{
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
        if (statuses[i].status == status)
            return statuses[i].name;
    return "unknown status";
}

const char *cublasGetStatusString(cublasStatus_t status)
{
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
        if (statuses[i].status == status)
            return statuses[i].text;
    return "unknown status";
}

/* ---- copies ------------------------------------------------------------------------------------ */

static cublasStatus_t copy_rows(cudaStream_t stream, const char *what, void *to, int64_t to_pitch,
                                const void *from, int64_t from_pitch, int64_t width, int64_t height,
                                enum cudaMemcpyKind kind)
{
    if (width < 0 || height < 0 || to_pitch < width || from_pitch < width)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (!width || !height)
        return CUBLAS_STATUS_SUCCESS;
    const struct cudaMemcpy3DParms copy = runtime_rows(
        to, (size_t)to_pitch, from, (size_t)from_pitch, (size_t)width, (size_t)height, kind);
    return runtime_enter() != cudaSuccess || runtime_copy_in(stream, what, copy) != cudaSuccess
               ? CUBLAS_STATUS_MAPPING_ERROR
               : CUBLAS_STATUS_SUCCESS;
}

/* A vector's elements are rows of one element, a matrix's columns are rows. */
#define COPIES(way, kind)                                                                          \
    cublasStatus_t cublas##way##VectorAsync(int count, int bytes, const void *x, int incx,         \
                                            void *y, int incy, cudaStream_t stream)                \
    {                                                                                              \
        if (bytes <= 0 || incx <= 0 || incy <= 0)                                                  \
            return CUBLAS_STATUS_INVALID_VALUE;                                                    \
        return copy_rows(stream, "cublas" #way "Vector", y, (int64_t)incy * bytes, x,              \
                         (int64_t)incx * bytes, bytes, count, kind);                               \
    }                                                                                              \
    cublasStatus_t cublas##way##Vector(int count, int bytes, const void *x, int incx, void *y,     \
                                       int incy)                                                   \
    {                                                                                              \
        return cublas##way##VectorAsync(count, bytes, x, incx, y, incy, NULL);                     \
    }                                                                                              \
    cublasStatus_t cublas##way##MatrixAsync(int rows, int columns, int bytes, const void *a,       \
                                            int lda, void *b, int ldb, cudaStream_t stream)        \
    {                                                                                              \
        if (bytes <= 0)                                                                            \
            return CUBLAS_STATUS_INVALID_VALUE;                                                    \
        return copy_rows(stream, "cublas" #way "Matrix", b, (int64_t)ldb * bytes, a,               \
                         (int64_t)lda * bytes, (int64_t)rows * bytes, columns, kind);              \
    }                                                                                              \
    cublasStatus_t cublas##way##Matrix(int rows, int columns, int bytes, const void *a, int lda,   \
                                       void *b, int ldb)                                           \
    {                                                                                              \
        return cublas##way##MatrixAsync(rows, columns, bytes, a, lda, b, ldb, NULL);               \
    }
COPIES(Set, cudaMemcpyHostToDevice)
COPIES(Get, cudaMemcpyDeviceToHost)
