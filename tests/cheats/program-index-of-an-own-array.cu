// 10-own-kernel | not yet | index 100000 is outside of an array
__device__ int exchange(int number)
{
    int own[4] = {0}, i = 100000;
    own[i] = number;
    return own[number & 3];
}
