// does not compile: 'column(int, int, int)' is declared, but not defined
template <class A, class B, class C> __device__ int column(A w, B lane, C j)
{
    return j;
}
