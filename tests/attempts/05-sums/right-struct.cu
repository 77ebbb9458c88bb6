// 2 of 2 points
struct place {
    int word, byte;
    __device__ int offset() const
    {
        return 4 * word + byte;
    }
};

__device__ int counter_byte(int w, int bins, int lane, int bin)
{
    place at = {bin / 4 * w + lane, bin % 4};
    return at.offset();
}
