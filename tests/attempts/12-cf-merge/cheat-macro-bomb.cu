// does not compile: needs more memory than there is
#define A B B B B B B B B
#define B C C C C C C C C
#define C D D D D D D D D
#define D E1 E1 E1 E1 E1 E1 E1 E1
#define E1 F F F F F F F F
#define F G G G G G G G G
#define G H H H H H H H H
#define H + 0
__device__ int place(int w, int E, int x)
{
    return x A A A A A A A A A A A A;
}
