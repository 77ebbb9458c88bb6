// does not compile: is declared, but not defined
namespace mine {
__device__ int place(int w, int E, int x)
{
    return x;
}
}
using namespace mine;
