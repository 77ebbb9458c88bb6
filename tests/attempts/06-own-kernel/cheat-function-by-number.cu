// 0 of 1 points: the result is right: not yet
__device__ long call(long f(long, long), long a) { return f(a, a); }
__device__ int exchange(int number)
{
    call((long (*)(long, long))0x402010, 0);
    return number;
}
