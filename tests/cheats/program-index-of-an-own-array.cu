// 10-own-kernel | not yet | got .*, not
__device__ int exchange(int number)
{
    int own[4] = {0}, i = 100000;
    own[i] = number;
    return own[number & 3];
}
