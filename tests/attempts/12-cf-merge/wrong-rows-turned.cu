// 0 of 1 points: the result is right: yes | stage read: no bank conflicts: not yet
__device__ int place(int w, int E, int x)
{
    /* As in lesson 04: row l of w words is turned by l places. */
    return x / w * w + (x + x / w) % w;
}
