// 0 of 1 points: bad-address
__device__ int exchange(int number)
{
    extern __shared__ int all[];
    return all[0] + number;
}
