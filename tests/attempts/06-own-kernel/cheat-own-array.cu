// 0 of 1 points: the result is right: not yet
__device__ int exchange(int number)
{
    int own[4] = {0};
    volatile int i = 100000;
    own[i] = number;
    return own[number & 3];
}
