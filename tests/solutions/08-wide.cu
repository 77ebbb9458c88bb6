/* The place, from 0 to w - 1, that quad q (0 to w - 1) has within row r. Each place holds only one
 * quad. */
__device__ int quad_place(int w, int r, int q)
{
    return (q + r) % w;
}

/* By how many places the four words of each quad in row r are turned: word i lies at place
 * (i + turn) mod 4 of its quad. */
__device__ int word_turn(int w, int r)
{
    return r / (w / 4);
}
