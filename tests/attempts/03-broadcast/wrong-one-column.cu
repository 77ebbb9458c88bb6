// 0 of 1 points: the result is right: not yet | elements[1]: got | take every column once
__device__ int column(int w, int lane, int j)
{
    return lane;
}
