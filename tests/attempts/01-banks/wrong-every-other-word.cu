// 0 of 2 points: the result is right: yes | bank 0 serves 2 words, for threads 0 (word 0), 16 (word 32) | Almost: only two lanes meet
__device__ int point_word(int u, int t, int k)
{
    return k * u + (u % 2 ? t : 2 * t < u ? 2 * t : 2 * t - u + 1);
}
