/* Exercise 06-own-kernel: from records to fields.
 *
 * This is a whole CUDA program: nvcc compiles it as it stands. A block has 32
 * records of 8 numbers, which lie in global memory one record after another.
 * Thread t gets number t of these 256. Then field f of all 32 records is to lie
 * side by side, so thread t needs field t / 32 of record t % 32. The threads
 * exchange their numbers in shared memory, as a warp should neither read nor
 * write global memory with gaps.
 *
 * At first, the loads from shared memory have conflicts. Change your part so
 * that neither its load nor its store has any. Each thread makes one of each.
 * You may use another array, of any size, and other indices.
 *
 *     bankscope run exercise.cu          what it costs, by line
 *     bankscope advise exercise.cu       an idea
 *     bankscope view exercise.cu         the picture
 */
#include <cstdio>

enum { RECORDS = 32, FIELDS = 8, THREADS = RECORDS * FIELDS };

__device__ int exchange(int number);

__global__ void fields(const int *in, int *out)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    out[i] = exchange(in[i]);
}

int main()
{
    int blocks = 4, words = blocks * THREADS, wrong = 0, *in, *out;
    cudaMallocManaged(&in, words * sizeof *in);
    cudaMallocManaged(&out, words * sizeof *out);
    for (int i = 0; i < words; i++)
        in[i] = i;
    fields<<<blocks, THREADS>>>(in, out);
    cudaDeviceSynchronize();
    for (int i = 0; i < words; i++) {
        int field = i % THREADS / RECORDS, record = i % RECORDS;
        wrong += out[i] != i / THREADS * THREADS + record * FIELDS + field;
    }
    printf("%d of %d numbers are wrong\n", wrong, words);
    cudaFree(in);
    cudaFree(out);
}

/* ---- [your part begins] ---- */

/* Called by all threads of a block, each with its number; returns the number
 * that it needs. */
__device__ int exchange(int number)
{
    __shared__ int tile[THREADS];
    int t = threadIdx.x;
    tile[t] = number;
    __syncthreads();
    int field = t / RECORDS, record = t % RECORDS;
    return tile[record * FIELDS + field];
}

/* ---- [your part ends] ---- */
