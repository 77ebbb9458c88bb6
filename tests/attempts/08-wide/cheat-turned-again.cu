// does not compile: is defined a second time
__device__ int4 turned(const int *word, int turn)
{
    return make_int4(word[0], word[1], word[2], word[3]);
}

__device__ int quad_place(int w, int r, int q)
{
    return q;
}

__device__ int word_turn(int w, int r)
{
    return 0;
}
