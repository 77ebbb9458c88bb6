/* tensor.c - tensor maps, which the driver API makes (cuTensorMapEncodeTiled): programs ask for that function by name
 * (cudaGetDriverEntryPoint) or are linked with it. */
#include "program/runtime/driver.h"

/* Strides are those of the dimensions behind the first. What the runtime does not accept is told of. */
CUresult cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank,
                                void *address, const cuuint64_t *size, const cuuint64_t *stride,
                                const cuuint32_t *box, const cuuint32_t *step,
                                CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill)
{
    struct machine_tensor tensor = {.type = (int)type,
                                    .rank = rank <= 5 ? (int)rank : 0,
                                    .address = (uintptr_t)address,
                                    .interleave = (int)interleave,
                                    .swizzle = (int)swizzle,
                                    .fill = fill != 0};
    struct error error = {""};
    (void)promotion;
    if (!map || !size || !box || !step || (rank > 1 && !stride))
        return CUDA_ERROR_INVALID_VALUE;
    for (int i = 0; i < tensor.rank; i++) {
        tensor.size[i] = size[i];
        tensor.box[i] = box[i];
        tensor.step[i] = step[i];
        if (i)
            tensor.stride[i - 1] = stride[i - 1];
    }
    if (machine_tensor_encode(&tensor, map, &error))
        return CUDA_SUCCESS;
    runtime_report_line(RECORDS_CODE, NULL, "%s", error.text);
    return interleave ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_INVALID_VALUE;
}
