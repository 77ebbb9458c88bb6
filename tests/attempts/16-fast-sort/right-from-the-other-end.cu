// 1 of 1 points
__device__ int place_b(int n, int na, int i)
{
    return na + (n - na - 1 - i);
}
__device__ int pick(int w, int lane, int a, int b, int take, int j)
{
    auto modulo = [](int x, int y) { int r = x % y; return r < 0 ? r + y : r; };
    const int bank = modulo(lane + j, w), i = modulo(bank - a, w);
    return i < take ? i : take + modulo(-1 - b - bank, w);
}
