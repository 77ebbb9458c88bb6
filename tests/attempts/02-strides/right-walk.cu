// 1 of 1 points
__device__ int pitch(int w, int E)
{
    /* Goes around the banks and notes which are used. */
    for (int s = E;; s++) {
        unsigned long long used = 0;
        for (int lane = 0; lane < w; lane++)
            used |= 1ull << lane * s % w;
        if (__popcll(used) == w)
            return s;
    }
}
