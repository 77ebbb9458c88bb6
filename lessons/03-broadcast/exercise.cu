/* Exercise 03-broadcast: the order of a sum.
 *
 * Each warp multiplies a matrix of w rows and w columns by a vector; w is the
 * warp's size. Matrix and vector are in shared memory, and the matrix lies row
 * by row. Lane r adds up the products of row r: in round j it reads an element
 * of its row and the number of the vector that belongs to it.
 *
 * At first, all lanes take their elements in the same order. The number of the
 * vector is then one word for the whole warp, but the elements of the matrix
 * are all in one bank. You decide in which order each lane adds. Find an order
 * for which no warp access ever conflicts, for any w.
 */

__device__ int column(int w, int lane, int j);

__global__ void product(int u, const int *matrices, const int *vectors, int *elements, int *sums)
{
    extern __shared__ int tile[]; /* the matrices of all warps, then their vectors */
    int t = threadIdx.x, w = warpSize, lane = t % w, warp = t / w;
    int i = blockIdx.x * u + t, first = (i - lane) * w; /* of this warp's matrix */
    int *matrix = tile + warp * w * w, *vector = tile + u * w + warp * w;
    unsigned sum = 0;

    /* Stage write. */
    for (int j = 0; j < w; j++)
        matrix[j * w + lane] = matrices[first + j * w + lane];
    vector[lane] = vectors[i];
    __syncthreads();

    /* Stage multiply. */
    for (int j = 0; j < w; j++) {
        int k = column(w, lane, j);
        int element = matrix[lane * w + k];
        sum += (unsigned)element * vector[k];
        elements[first + lane * w + k] = element;
    }
    sums[i] = sum;
}

/* ---- [your part begins] ---- */

/* The column, from 0 to w - 1, of the element that a lane takes in round j.
 * In w rounds each lane must take each column once. */
__device__ int column(int w, int lane, int j)
{
    return j;
}

/* ---- [your part ends] ---- */
