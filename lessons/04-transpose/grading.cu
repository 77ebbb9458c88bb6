/* What must come out of the exercise of lesson 04: each row by columns, and the diagonal that begins in it. */
#define RISE 1 /* drawn: 1, 4, 8 */

__global__ void reference(int u, const int *in, int *columns, int *diagonals)
{
    int w = warpSize, lane = threadIdx.x % w, row = (blockIdx.x * u + threadIdx.x) * w;
    for (int j = 0; j < w; j++) {
        columns[row + j] = in[row + j];
        diagonals[row + j] = in[row + (j + (w - RISE % w) * lane) % w];
    }
}
