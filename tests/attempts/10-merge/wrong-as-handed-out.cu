// 0 of 1 points: the result is right: yes | stage write: no bank conflicts: not yet | serves 2 words | Can the odd ones go another way
__device__ int place(int n, int evens, bool odd, int i)
{
    return odd ? evens + i : i;
}
