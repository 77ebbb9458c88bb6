// 0 of 1 points: does not end
__device__ int exchange(int number)
{
    for (volatile int i = 1; i != 0; i = i + 2)
        number += i;
    return number;
}
