// 1 of 1 points
__device__ int place(int n, int evens, bool odd, int i)
{
    /* From the middle: the even ones go up, the odd ones go down. */
    int middle = n / 2;
    return (middle + (odd ? n - 1 - i : i)) % n;
}
