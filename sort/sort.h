/* sort.h - sorting on the GPU, faster than the library's merge sort and without bank conflicts, for
 * any input: what a program calls, and the tour of this folder.
 *
 *   layout.h       the idea: where items lie in shared memory, and who reads which when
 *   ptx.cuh        instructions that C++ has no words for
 *   item.cuh       what is sorted: items of 4, 8 or 16 bytes made from keys, values and places
 *   network.cuh    sorting in registers, and between the lanes of a warp
 *   tile.cuh       a merge in shared memory: search, gather, rows
 *   block_sort.cuh the first kernel: runs of some thousand items
 *   partition.cuh  the second: where each tile of a pass begins in its runs
 *   merge.cuh      the third: a pass, four or eight runs into one
 *   zeros.cuh      -0 and 0
 *   sorter.cuh     the launches
 *
 *   distribution.cuh  the other way, which most sorts go: by sampled splitters; its own tour
 *   buckets.h         how a tile is ordered by bucket, with a picture
 *   distributor.cuh   its launches
 *
 *   sort_by.cuh    sort_by(), for C++ programs with items and an order of their own, by either way
 *   scratch.cuh    scratch memory
 *   sort.cu        this interface, and the choice between the two
 *
 * doc/sort.md says how fast each part is, what bounds it, and what was tried.
 */
#ifndef BANKSCOPE_SORT_SORT_H
#define BANKSCOPE_SORT_SORT_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct CUstream_st; /* CUDA's stream: cudaStream_t is a pointer to it */

/* Floating keys are ordered as the library's radix sort orders them: by value; -0 and 0 are equal;
 * NaNs with the sign bit come first, the others last. */
enum sort_type { SORT_INT32, SORT_UINT32, SORT_FLOAT, SORT_INT64, SORT_UINT64, SORT_DOUBLE };
enum sort_order { SORT_ASCENDING, SORT_DESCENDING };

enum { SORT_MOST_ITEMS = 1 << 30 };

/* What the functions return: 0, one of these, or SORT_CUDA + CUDA's error. */
enum sort_error {
    SORT_NULL_POINTER = 1,
    SORT_BAD_TYPE,
    SORT_BAD_VALUE_BYTES,
    SORT_TOO_MANY_ITEMS,
    SORT_SCRATCH_TOO_SMALL,
    SORT_UNALIGNED,
    SORT_OVERLAP,
    SORT_OLD_DEVICE,
    SORT_CUDA = 1000,
};

/* One line: what is wrong and what to do. Not to be freed. */
const char *sort_error_text(int error);

/* Sorts n keys, 0 to SORT_MOST_ITEMS, from keys_in to keys_out. All pointers are of the current
 * device's memory, aligned to their elements (scratch to 256 bytes, as cudaMalloc does), and none
 * overlap: there is no sort in place.
 *
 * With scratch NULL nothing is sorted: *scratch_bytes becomes the size that scratch must have for
 * this n, type and size of values: about as much as the keys and values have, or twice that
 * (doc/sort.md). Otherwise *scratch_bytes is the size that it has.
 *
 * The work is queued in the stream, and the function returns; scratch may be used again, or freed
 * in the stream's order, when the sort is done. A large sort also uses up to four streams of its own,
 * which begin after what is in the caller's stream and end before what comes next in it. Errors of the
 * kernels are returned by a later call of CUDA, as always. Nothing is written but keys_out and scratch, and
 * until the sort is done keys_out holds what is under way. Errors that are found before the first launch leave
 * both as they were.
 *
 * Returns 0 or an error, for sort_error_text(). Safe to be called from several threads at once, each
 * with scratch memory of its own. */
int sort_keys(void *scratch, size_t *scratch_bytes, const void *keys_in, void *keys_out, size_t n,
              enum sort_type type, enum sort_order order, struct CUstream_st *stream);

/* As sort_keys, with a value of value_bytes (4 or 8) for each key. Stable: the values of equal keys keep
 * their order, ascending and descending. Fastest where values are as wide as keys. */
int sort_pairs(void *scratch, size_t *scratch_bytes, const void *keys_in, void *keys_out,
               const void *values_in, void *values_out, size_t value_bytes, size_t n,
               enum sort_type type, enum sort_order order, struct CUstream_st *stream);

#ifdef __cplusplus
}
#endif
#endif
