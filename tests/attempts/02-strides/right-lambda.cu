// 1 of 1 points
__device__ int pitch(int w, int E)
{
    auto gcd = [](int a, int b) {
        while (a != b)
            (a > b ? a : b) -= a > b ? b : a;
        return a;
    };
    int s = E;
    while (gcd(w, s) != 1)
        s++;
    return s;
}
