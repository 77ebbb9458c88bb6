/* The column, from 0 to w - 1, of the element that a lane takes in round j. In w rounds each lane
 * must take each column once. */
__device__ int column(int w, int lane, int j)
{
    return (j + lane) % w;
}
