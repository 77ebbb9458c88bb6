// 0 of 1 points: the result is right: yes | serves 32 words
__device__ int column(int w, int lane, int j)
{
    if (lane == 0)
        return j;
    if (lane == 1)
        return j;
    switch (lane) {
    case 2:
        return j;
    case 3:
        return j;
    }
    return j;
}
