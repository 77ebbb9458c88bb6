// 01-banks | not yet | index -64 is outside an array
DEVICE int point_word(const struct points p, int t, int k)
{
    int own[4] = {0}, i = t - 64;
    own[i] = 1;
    return own[k] + 4 * t;
}
