/* Exercise 14-colored-scan: scan the colours without transposing.
 *
 * There are as many colours as lanes, w. Each lane counts eight numbers by
 * colour: its counter of colour c is word c w + lane, in the lane's own bank,
 * so that counting never conflicts. Then lane c scans colour c: it replaces the
 * counter of each lane by the sum of those of the lanes before it. At last
 * every lane reads its own counters again.
 *
 * At first, all lanes begin with the counters of lane 0, and then all go on to
 * lane 1: they are always in the same bank. The lesson transposes the matrix
 * before the scan and after it. You do not need to. Write a scan in which no
 * access ever conflicts, for any w. In all, a warp makes at most 4 w loads and
 * stores, however many of its lanes take part in each.
 */

enum { CHUNK = 8 /* numbers of a lane */ };

__device__ void scan_color(int *sums, int w, int c);

__global__ void colors(const int *in, int *out)
{
    extern __shared__ int counters[];
    int w = warpSize, t = threadIdx.x, lane = t % w, i = blockIdx.x * blockDim.x + t;
    int *sums = counters + t / w * w * w; /* of this warp */

    for (int c = 0; c < w; c++)
        sums[c * w + lane] = 0;
    for (int k = 0; k < CHUNK; k++)
        sums[in[i * CHUNK + k] % w * w + lane]++;
    __syncthreads();

    scan_color(sums, w, lane);
    __syncthreads();

    for (int c = 0; c < w; c++)
        out[i * w + c] = sums[c * w + lane];
}

/* ---- [your part begins] ---- */

/* Lane c's part: replaces word c w + t, for each t from 0 to w - 1, by the
 * sum of the words c w to c w + t - 1 as they were. */
__device__ void scan_color(int *sums, int w, int c)
{
    int before = 0;
    for (int t = 0; t < w; t++) {
        int sum = sums[c * w + t];
        sums[c * w + t] = before;
        before += sum;
    }
}

/* ---- [your part ends] ---- */
