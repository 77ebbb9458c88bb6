// 01-banks | not yet | look for a loop without end
DEVICE int point_word(const struct points p, int t, int k)
{
    for (;;)
        t += k;
    return t;
}
