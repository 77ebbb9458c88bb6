// does not compile: 'int4' is defined a second time
struct int4 {
    int x;
};
__device__ int quad_place(int w, int r, int q)
{
    return q;
}

__device__ int word_turn(int w, int r)
{
    return 0;
}
