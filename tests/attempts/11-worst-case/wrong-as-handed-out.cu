// 0 of 1 points: the result is right: yes | at least E + 0 ways in every access: not yet: w=12 u=12 blocks=1 E=5 | takes all its numbers from A
__device__ int share(int w, int E, int a, int b)
{
    return E;
}
