/* buckets.h - how a tile is ordered by bucket, stably, in shared memory: plain C, for the GPU's kernels
 * (level.cuh), for the recorded kernel kernels/distribute.cu and for the tests.
 *
 * K - 1 thresholds in order make K buckets: bucket b has the keys from threshold b on that are less than
 * threshold b + 1. Here two warps of four lanes order eight keys, with thresholds 10, 20 and 30:
 *
 *                        warp 0           warp 1
 *     keys           31   7  22  12   25   9  35  21
 *     bucket          3   0   2   1    2   0   3   2      search: a walk down the tree
 *     rank            0   0   0   0    0   0   0   1      of this bucket before it in its warp
 *
 *     bucket          0   1   2   3
 *     counts  warp 0  1   1   1   1                       count: of each bucket in each warp
 *             warp 1  1   0   2   1
 *     begins  warp 0  0   2   3   6                       bucket by bucket, and warp by warp in it
 *             warp 1  1   3   4   7
 *
 *     tile            7   9 |12 |22  25  21 |31  35       exchange: a key goes to begin + rank
 *
 * The thresholds are a tree in Eytzinger's order, which has the children of node j at 2 j and 2 j + 1:
 *
 *     node            1   2   3                20
 *     threshold      20  10  30             10    30
 *
 * A key goes right if it is not less. After log2 K steps its node is K + its bucket. All lanes are on the
 * same level, whose nodes are successive words: those of a level of w or fewer nodes are in different
 * banks, and lanes at the same node read the same word. So only the last log2 K - 1 - log2 w levels can
 * have conflicts, of 2, 4, ... ways at most, where a binary search in the sorted list has the most in the
 * middle levels, which all go by powers of two.
 */
#ifndef BANKSCOPE_SORT_BUCKETS_H
#define BANKSCOPE_SORT_BUCKETS_H

#include "sort/layout.h"

/* Which threshold, 1 .. 2^log_k - 1 in order, is at this node of the tree: the middle one of the node's.
 *     log_k = 2: nodes 1, 2, 3 have thresholds 2, 1, 3 */
SORT_INLINE int tree_threshold(int node, int log_k)
{
    int depth = 0;
    while (node >> (depth + 1))
        depth++;
    return (2 * (node - (1 << depth)) + 1) << (log_k - 1 - depth);
}

/* Where a key goes from a node: `right` says that it is not less than the threshold there. */
SORT_INLINE int tree_child(int node, int right)
{
    return 2 * node + right;
}

#endif
