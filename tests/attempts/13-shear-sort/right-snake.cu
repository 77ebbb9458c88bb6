// 1 of 1 points
__device__ int element_word(int w, int i)
{
    struct { int row, column; } at = {i / w, i % w};
    return at.row * w + (at.row % 2 ? w - 1 - at.column : at.column);
}
