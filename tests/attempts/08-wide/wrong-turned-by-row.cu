// 0 of 1 points: the result is right: yes | stage read: no bank conflicts: not yet | Almost: four lanes still meet
__device__ int quad_place(int w, int r, int q)
{
    return (q + r) % w;
}

__device__ int word_turn(int w, int r)
{
    return r % 4;
}
