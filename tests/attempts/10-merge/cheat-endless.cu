// 0 of 1 points: it does not end within 4000000 instructions
__device__ int place(int n, int evens, bool odd, int i)
{
    while (n)
        ;
    return odd ? n - 1 - i : i;
}
