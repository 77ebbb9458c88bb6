/* hostcuda_aligned_size.h - a number of bytes of which the program promises an alignment. */
#ifndef HOSTCUDA_CUDA_ALIGNED_SIZE_H
#define HOSTCUDA_CUDA_ALIGNED_SIZE_H

#include <stddef.h>

namespace cuda
{
template <size_t Alignment> struct aligned_size_t {
    static const size_t align = Alignment;
    size_t value;
    constexpr explicit aligned_size_t(size_t bytes) : value(bytes)
    {
    }
    constexpr operator size_t() const
    {
        return value;
    }
};
} // namespace cuda

#endif
