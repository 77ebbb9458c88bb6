// 1 of 1 points
template <int ROW> struct padded {
    int *words;
    __device__ int &operator[](int i) { return words[i + i / ROW]; }
};
__device__ int exchange(int number)
{
    __shared__ int words[THREADS + THREADS / 32];
    padded<32> tile = {words};
    const int t = threadIdx.x;
    __syncthreads();
    tile[t] = number;
    __syncthreads();
    int *const mine = &tile[t % RECORDS * FIELDS + t / RECORDS];
    number = *mine;
    __syncthreads();
    return number;
}
