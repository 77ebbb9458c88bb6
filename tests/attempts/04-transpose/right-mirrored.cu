// 1 of 1 points
__device__ int element_word(int w, int r, int c)
{
    int place = c + 2 * r;
    place -= place >= w ? w : 0;
    place -= place >= w ? w : 0;
    place -= place >= w ? w : 0;
    return r * w + w - 1 - place;
}
