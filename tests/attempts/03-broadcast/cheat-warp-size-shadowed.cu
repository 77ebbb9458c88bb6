// 0 of 1 points: the result is right: yes | serves 32 words
constexpr int warpSize = 1;
__device__ int column(int w, int lane, int j)
{
    return j;
}
