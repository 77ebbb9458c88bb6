// 0 of 1 points: stage scan: no bank conflicts: not yet
/* Loads for show, and the work in loops that try again. */
__device__ void scan_color(int *sums, int w, int c)
{
    int before = 0;
    for (int t = 0; t < w; t++)
        ((volatile int *)sums)[c * w + (c + t) % w];
    for (int t = 0; t < w; t++) {
        int *at = sums + c * w + t, old, seen = -1;
        do {
            old = seen;
            seen = atomicCAS(at, old, before);
        } while (seen != old);
        before += old;
    }
}
