// 0 of 2 points: the result is right: not yet
__device__ int counter_byte(int w, int bins, int lane, int bin)
{
    /* Lanes that want the same bank are told by their votes; one of them goes elsewhere. */
    unsigned same = __match_any_sync(__activemask(), (lane * bins + bin) / 4 % w);
    return (lane * bins + bin + 4 * (__ffs(same) - 1 != lane)) % (w * bins);
}
