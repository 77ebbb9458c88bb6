// 01-banks | not yet | stack|crashed
DEVICE int point_word(const struct points p, int t, int k)
{
    int much[100000000];
    for (int i = 0; i < 100000000; i += 1000)
        much[i] = i;
    return much[t];
}
