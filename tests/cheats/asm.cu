// 01-banks | refused | 'asm': is not in the language
DEVICE int point_word(const struct points p, int t, int k)
{
    asm(nop);
    return k * p.u + t;
}
