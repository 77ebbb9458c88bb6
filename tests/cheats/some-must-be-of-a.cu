// 15-fast-sort | not yet | a division by zero
DEVICE int place_b(int n, int na, int i) { return n - 1 - i * na / na; }
DEVICE int pick(int w, int lane, int a, int b, int take, int j)
{
    int bank = (lane + j) % w, i = (bank - a % w + w) % w;
    return i < take ? i : take + (2 * w - 1 - b % w - bank) % w;
}
