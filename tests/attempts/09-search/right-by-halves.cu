// 1 of 1 points
__device__ int key_word(int rounds, int i)
{
    const int half = 1 << (rounds - 1);
    int place[2] = {0, half};
    for (int k = 0; k < i; k++)
        place[k & 1] += 1;
    return place[i & 1];
}
