// does not compile: ends without a 'return'
__device__ int place(int n, int evens, bool odd, int i)
{
    int word = odd ? n - 1 - i : i;
}
