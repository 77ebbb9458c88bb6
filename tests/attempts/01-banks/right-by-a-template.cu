// 2 of 2 points
template <int first, class T> __device__ T place(T row, T size, T column)
{
    return first + row * size + column;
}
__device__ int point_word(int u, int t, int k)
{
    return place<0>(k, u, t);
}
