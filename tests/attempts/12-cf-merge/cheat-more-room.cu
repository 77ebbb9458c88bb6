// 0 of 1 points: tile, which has 216
__device__ int place(int w, int E, int x)
{
    /* A pitch after all: room behind the tile. */
    __shared__ int room[4096];
    int pitch = E;
    for (int a = w, b = pitch; b; a = b, b = pitch % a)
        ;
    return x / E * (E | 1) + x % E + 0 * (room != nullptr);
}
