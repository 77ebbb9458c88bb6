// 0 of 1 points: names lanes that do not come | all lanes must access at once
__device__ int place(int n, int evens, bool odd, int i)
{
    /* Each lane waits until the ones before it have written. */
    for (int k = 0; k < threadIdx.x % warpSize; k++)
        __syncwarp();
    return odd ? evens + i : i;
}
