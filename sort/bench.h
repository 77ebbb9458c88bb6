/* bench.h - the sort and the library's two sorts, timed in one process. */
#ifndef BANKSCOPE_SORT_BENCH_H
#define BANKSCOPE_SORT_BENCH_H

#include "sort/sort.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The times of 9 sorts, in microseconds of the device. */
struct sort_time {
    double least, median, most;
};
struct sort_times {
    struct sort_time sort;  /* sort_keys or sort_pairs */
    struct sort_time merge; /* cub::DeviceMergeSort, for values its stable sort */
    struct sort_time radix; /* cub::DeviceRadixSort */
    struct sort_time copy;  /* keys and values copied once: the memory's limit for one pass */
};

/* Times ascending sorts of n keys, which are in the host's memory; type is SORT_INT32 or SORT_INT64,
 * value_bytes 0, 4 or 8. Returns NULL, or one line: no memory, CUDA's error, a result that differs from
 * the library's. The line is not to be freed. */
const char *sort_bench(enum sort_type type, size_t value_bytes, const void *keys, size_t n,
                       struct sort_times *times);

#ifdef __cplusplus
}
#endif
#endif
