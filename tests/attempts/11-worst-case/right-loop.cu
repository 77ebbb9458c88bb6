// 1 of 1 points
__device__ int share(int w, int E, int a, int b)
{
    /* Goes to the beach with both lists at once. */
    int steps = 0;
    while ((a + steps) % w != w - E && (b + steps) % w != w - E)
        steps++;
    bool with_a = (a + steps) % w == w - E;
    if (!steps)
        return with_a ? E : 0;
    steps = steps < E ? steps : E;
    return with_a ? steps : E - steps;
}
