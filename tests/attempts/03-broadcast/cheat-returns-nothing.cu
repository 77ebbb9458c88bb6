// does not compile: the result of 'column(int, int, int)' has another type
__device__ void column(int w, int lane, int j)
{
}
