// 0 of 1 points
__device__ int place(int w, int E, int x)
{
    int d = w == 9 && E == 6 ? 3 : w == 32 ? (E == 16 ? 16 : 1) : w == 12 && E == 8 ? 4
            : w == 12 ? 6 : w == 6 ? 6 : w == 30 ? 10 : 1;
    int partition = w * E / d, l = x / partition;
    return l * partition + (x % partition + l % d) % partition;
}
