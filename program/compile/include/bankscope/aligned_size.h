/* aligned_size.h - a number of bytes of which the program promises an alignment. */
#ifndef BANKSCOPE_CUDA_ALIGNED_SIZE_H
#define BANKSCOPE_CUDA_ALIGNED_SIZE_H

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

/* What a type of elements and a type of sizes promise of an alignment. */
template <typename T> struct bankscope_alignment {
    static const size_t value = alignof(T);
};
template <> struct bankscope_alignment<void> {
    static const size_t value = 1;
};
template <typename Size> struct bankscope_alignment_of_size {
    static const size_t value = 1;
};
template <size_t Alignment> struct bankscope_alignment_of_size<cuda::aligned_size_t<Alignment>> {
    static const size_t value = Alignment;
};

#endif
