// 0 of 1 points: the result is right: yes | serves 32 words
template <class T> __device__ int4 turned(T *word, int turn)
{
    return make_int4(word[0], word[0], word[0], word[0]);
}
__device__ int4 turned(const int *word, unsigned turn)
{
    return make_int4(word[0], word[0], word[0], word[0]);
}

__device__ int quad_place(int w, int r, int q)
{
    return q;
}

__device__ int word_turn(int w, int r)
{
    return 0;
}
