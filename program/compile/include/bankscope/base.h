/* base.h - how the headers in this folder declare functions. Names that begin with bankscope_ or BANKSCOPE_
 * are ours; all others are CUDA's.
 *
 * Everything is inline: a program's PTX has no function that it does not call. Between
 * `#pragma clang force_cuda_host_device begin` and `end`, functions are for both sides. */
#ifndef BANKSCOPE_BASE_H
#define BANKSCOPE_BASE_H

#define BANKSCOPE_INLINE static inline __attribute__((always_inline, unused))
#define BANKSCOPE_MEMBER __attribute__((always_inline)) inline
#define BANKSCOPE_DEVICE static inline __attribute__((device, always_inline, unused))

#endif
