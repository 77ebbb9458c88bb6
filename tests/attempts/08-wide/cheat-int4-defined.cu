// 0 of 1 points: the result is right: yes | serves 32 words
#define int4 int
#define make_int4(a, b, c, d) (a)
__device__ int quad_place(int w, int r, int q)
{
    return q;
}

__device__ int word_turn(int w, int r)
{
    return 0;
}
