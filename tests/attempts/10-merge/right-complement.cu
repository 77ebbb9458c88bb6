// 1 of 1 points
__device__ int place(int n, int evens, bool odd, int i)
{
    i = odd ? ~i : i;
    return i < 0 ? i + n : i;
}
