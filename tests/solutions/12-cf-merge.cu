/* The word, from 0 to u E - 1, that holds number x. Each word holds only one number. */
__device__ int place(int w, int E, int x)
{
    int a = w, d = E;
    while (a > 0) {
        int rest = d % a;
        d = a;
        a = rest;
    }
    int partition = w * E / d, l = x / partition;
    return l * partition + (x % partition + l % d) % partition;
}
