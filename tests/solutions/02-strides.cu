/* Words from the first number of a thread to the first number of the next; at least E. */
__device__ int pitch(int w, int E)
{
    for (int step = E;; step++) {
        int a = w, b = step;
        while (b > 0) {
            int rest = a % b;
            a = b;
            b = rest;
        }
        if (a == 1)
            return step;
    }
}
