// 0 of 1 points: the result is right: yes | stage read: no bank conflicts: not yet | serves
__device__ int pitch(int w, int E)
{
    return w % E == 0 || E % w == 0 ? E + 1 : E;
}
