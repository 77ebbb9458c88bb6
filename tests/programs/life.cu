/* life - Conway's game on a torus, one byte per cell. Four lanes share each word of a row of the tile,
   so a warp's 32 cells lie in 8 or 9 banks. */
#include "program.h"

const int B = 16;

__global__ void generation(const unsigned char *in, unsigned char *out, int n)
{
    __shared__ unsigned char tile[B + 2][B + 2];
    for (int y = threadIdx.y; y < B + 2; y += B)
        for (int x = threadIdx.x; x < B + 2; x += B) {
            int from_x = (blockIdx.x * B + x + n - 1) % n,
                from_y = (blockIdx.y * B + y + n - 1) % n;
            tile[y][x] = in[from_y * n + from_x];
        }
    __syncthreads();

    int x = threadIdx.x + 1, y = threadIdx.y + 1;
    int alive = tile[y - 1][x - 1] + tile[y - 1][x] + tile[y - 1][x + 1] + tile[y][x - 1] +
                tile[y][x + 1] + tile[y + 1][x - 1] + tile[y + 1][x] + tile[y + 1][x + 1];
    out[(blockIdx.y * B + threadIdx.y) * n + blockIdx.x * B + threadIdx.x] =
        alive == 3 || (alive == 2 && tile[y][x]);
}

int main()
{
    const int n = 48, generations = 4;
    std::vector<unsigned char> cells;
    for (int value : random_ints(n * n, 3))
        cells.push_back(value == 0);
    unsigned char *now = to_device(cells), *then = on_device<unsigned char>(n * n);
    for (int g = 0; g < generations; g++) {
        std::vector<unsigned char> old(cells);
        for (int y = 0; y < n; y++)
            for (int x = 0; x < n; x++) {
                int alive = 0;
                for (int dy = -1; dy <= 1; dy++)
                    for (int dx = -1; dx <= 1; dx++)
                        if (dx || dy)
                            alive += old[(y + dy + n) % n * n + (x + dx + n) % n];
                cells[y * n + x] = alive == 3 || (alive == 2 && old[y * n + x]);
            }
        generation<<<dim3(n / B, n / B), dim3(B, B)>>>(now, then, n);
        CUDA(launched());
        std::swap(now, then);
    }
    int wrong = compare("cells", to_host(now, n * n), cells);
    CUDA(cudaFree(now));
    CUDA(cudaFree(then));
    return report("life", wrong);
}
