// 1 of 1 points
__device__ int place(int w, int E, int x)
{
    int a = w, b = E;
    while (a != b)
        if (a > b)
            a -= b;
        else
            b -= a;
    int size = w * E / a, first = x - x % size, shift = x / size % a;
    x += shift;
    return x >= first + size ? x - size : x;
}
