// does not compile: is a variable of the module
extern __shared__ int other[];
__device__ int element_word(int w, int r, int c)
{
    other[r] = 0;
    return r * w + (c + 2 * r) % w;
}
