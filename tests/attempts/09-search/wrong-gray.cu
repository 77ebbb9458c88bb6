// 0 of 1 points: the result is right: yes | stage search: no bank conflicts: not yet: w=12 | Which rounds read odd keys
__device__ int key_word(int rounds, int i)
{
    return i ^ i / 2;
}
