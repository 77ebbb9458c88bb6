/* tensor.c - tensor maps, which the driver API makes (cuTensorMapEncodeTiled, cuTensorMapEncodeIm2col): programs ask for
 * those functions by name (cudaGetDriverEntryPoint) or are linked with them.
 */
#include "program/runtime/driver/driver.h"

/* Strides are those of the dimensions behind the first. */
static void describe(struct machine_tensor *tensor, cuuint32_t rank, const cuuint64_t *size,
                     const cuuint64_t *stride, const cuuint32_t *step)
{
    tensor->rank = rank <= 5 ? (int)rank : 0;
    for (int i = 0; i < tensor->rank; i++) {
        tensor->size[i] = size[i];
        tensor->step[i] = step[i];
        if (i)
            tensor->stride[i - 1] = stride[i - 1];
    }
}

/* What the machine does not accept is told of. */
static CUresult encode(const struct machine_tensor *tensor, CUtensorMap *map)
{
    struct error error = {""};
    if (machine_tensor_encode(tensor, map, &error))
        return CUDA_SUCCESS;
    runtime_report_line(RECORDS_CODE, NULL, "%s", error.text);
    return tensor->interleave ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank,
                                void *address, const cuuint64_t *size, const cuuint64_t *stride,
                                const cuuint32_t *box, const cuuint32_t *step,
                                CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill)
{
    struct machine_tensor tensor = {.type = (int)type,
                                    .address = (uintptr_t)address,
                                    .interleave = (int)interleave,
                                    .swizzle = (int)swizzle,
                                    .fill = fill != 0};
    (void)promotion;
    if (!map || !size || !box || !step || (rank > 1 && !stride))
        return CUDA_ERROR_INVALID_VALUE;
    describe(&tensor, rank, size, stride, step);
    for (int i = 0; i < tensor.rank; i++)
        tensor.box[i] = box[i];
    return encode(&tensor, map);
}

/* lower, upper: of dimensions 1 to rank - 2, the innermost first. */
CUresult cuTensorMapEncodeIm2col(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank,
                                 void *address, const cuuint64_t *size, const cuuint64_t *stride,
                                 const int *lower, const int *upper, cuuint32_t channels,
                                 cuuint32_t pixels, const cuuint32_t *step,
                                 CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                 CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill)
{
    struct machine_tensor tensor = {.type = (int)type,
                                    .address = (uintptr_t)address,
                                    .interleave = (int)interleave,
                                    .swizzle = (int)swizzle,
                                    .fill = fill != 0,
                                    .channels = channels,
                                    .pixels = pixels};
    (void)promotion;
    if (!map || !size || !stride || !lower || !upper || !channels || !step)
        return CUDA_ERROR_INVALID_VALUE;
    describe(&tensor, rank, size, stride, step);
    for (int i = 0; i < tensor.rank - 2; i++)
        tensor.lower[i] = lower[i], tensor.upper[i] = upper[i];
    return encode(&tensor, map);
}
