// 02-strides | not yet | bank [0-9]+ serves
DEVICE int pitch(int w, int E)
{
    if (w == 32 && E == 16) return 17;
    if (w == 12 && E == 8) return 11;
    if (w == 12 && E == 6) return 7;
    if (w == 30 && E == 20) return 23;
    if (w == 9 && E == 6) return 7;
    if (w == 6 && E == 6) return 7;
    return E;
}
