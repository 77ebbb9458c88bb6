// 1 of 1 points
__device__ int place(int w, int E, int x)
{
    int multiple = w;
    while (multiple % E)
        multiple += w;
    int l = x / multiple, word = x % multiple + l % (w * E / multiple);
    return l * multiple + (word < multiple ? word : word - multiple);
}
