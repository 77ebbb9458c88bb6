// 10-own-kernel | not yet | it did not end within 2 seconds
__device__ int exchange(int number)
{
    for (int i = 1; i != 0; i += 2)
        number += i;
    return number;
}
