// 1 of 1 points
__device__ int element_word(int w, int i)
{
    /* All digits of the second row are the others. */
    int word = 0;
    for (int bit = 1; bit < w; bit <<= 1)
        if (((i & bit) != 0) != (i >= w))
            word |= bit;
    return word + (i >= w ? w : 0);
}
