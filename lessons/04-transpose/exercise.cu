/* Exercise 04-transpose: rows, columns and diagonals.
 *
 * Each warp has a matrix of w rows and w columns, for an odd warp's size w. It
 * writes the matrix by rows: in round j lane c writes the element in row j,
 * column c. Then it reads columns: in round j lane r reads the element in row
 * r, column j. At last it reads diagonals: in round j lane r reads the element
 * in row r, column (j - RISE r) mod w. Which diagonals these are differs from
 * student to student.
 *
 * At first, the elements lie row by row, and a column is in a single bank. If
 * you rotate row r by r places, as the lesson does, columns are free of
 * conflicts, but for some w another stage is not any more. Find a place for
 * every element such that none of the three stages ever conflicts, whatever odd
 * number w is. The matrix has exactly w w words.
 */

#define RISE 1 /* drawn: 1, 4, 8 */

__device__ int element_word(int w, int r, int c);

__global__ void square(int u, const int *in, int *columns, int *diagonals)
{
    extern __shared__ int tile[];
    int t = threadIdx.x, w = warpSize, lane = t % w, row = (blockIdx.x * u + t) * w;
    int *matrix = tile + t / w * w * w;

    /* Stage write. */
    for (int j = 0; j < w; j++)
        matrix[element_word(w, j, lane)] = in[row + (j - lane) * w + lane];
    __syncthreads();

    /* Stage columns. */
    for (int j = 0; j < w; j++)
        columns[row + j] = matrix[element_word(w, lane, j)];
    __syncthreads();

    /* Stage diagonals. */
    for (int j = 0; j < w; j++)
        diagonals[row + j] = matrix[element_word(w, lane, (j + (w - RISE % w) * lane) % w)];
}

/* ---- [your part begins] ---- */

/* The word, from 0 to w w - 1, that holds the element in row r, column c.
 * Each word holds only one element. */
__device__ int element_word(int w, int r, int c)
{
    return r * w + c;
}

/* ---- [your part ends] ---- */
