// 0 of 2 points: line 5: a load of 4 bytes through a null pointer
__device__ int counter_byte(int w, int bins, int lane, int bin)
{
    return *(int *)nullptr + lane * bins + bin;
}
