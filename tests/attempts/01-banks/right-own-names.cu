// 2 of 2 points
typedef int row[4];
union both {
    long number;
    int at;
};
struct wide {
    int a[1];
};
__device__ int point_word(int u, int t, int k)
{
    int größe = u;
    row first = {0, größe, 2 * größe, 3 * größe};
    return first[k] \
           + t;
}
