// does not compile: asm may not be used
__device__ int place(int n, int evens, bool odd, int i)
{
    asm("exit;");
    return 0;
}
