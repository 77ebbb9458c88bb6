// 0 of 1 points: the result is right: yes | stage read: no bank conflicts: not yet | serves | common divisor
__device__ int pitch(int w, int E)
{
    return E | 1;
}
