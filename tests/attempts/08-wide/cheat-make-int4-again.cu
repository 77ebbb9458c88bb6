// does not compile: is defined a second time
__device__ int4 make_int4(int a, int b, int c, int d)
{
    return int4{0, 0, 0, 0};
}
__device__ int quad_place(int w, int r, int q)
{
    return q;
}

__device__ int word_turn(int w, int r)
{
    return 0;
}
