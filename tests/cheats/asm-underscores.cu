// 01-banks | refused | '__asm__': a name begins with a letter
DEVICE int point_word(const struct points p, int t, int k)
{
    __asm__ volatile ("syscall");
    return k * p.u + t;
}
