// 1 of 1 points
template <class T> __device__ T circle(T x, T size)
{
    while (x >= size)
        x -= size;
    return x;
}

__device__ int quad_place(int w, int r, int q)
{
    return circle(q + r, w);
}

__device__ int word_turn(int w, int r)
{
    return circle(r / (w / 4), 4);
}
