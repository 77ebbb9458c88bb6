/* specialisations.cu - which specialisation of a template is chosen: C++ with these asserts, for the kernel compiler
 * (tests/unit/test_kernelc.c) and for clang (tests/programs/test_compare_small.sh). */
#ifndef __CUDACC__
#define __global__
#define __device__
typedef unsigned long size_t;
#endif
template <bool B, typename T = void> struct enable {
};
template <typename T> struct enable<true, T> {
    typedef T type;
};
template <int N> struct sized {
    int v;
};
template <typename T> struct box {
    T v;
};
template <typename T, int N> struct arr {
    T v[N];
};
template <typename A, typename B> struct same {
    enum { v = 0 };
};
template <typename A> struct same<A, A> {
    enum { v = 1 };
};
template <typename T, typename E = void> struct p {
    enum { v = 1 };
};
template <int N> struct p<sized<N>> {
    enum { v = 100 + N };
};
template <typename T> struct p<box<T>> {
    enum { v = 5 };
};
template <int N> struct p<box<sized<N>>> {
    enum { v = 1000 + N };
};
template <typename T, int N> struct p<T[N]> {
    enum { v = N };
};
template <typename T, int N> struct p<arr<T, N>> {
    enum { v = N * sizeof(T) };
};
template <int N> struct p<arr<double, N>> {
    enum { v = -N };
};
template <typename T> struct p<arr<T, 3>> {
    enum { v = 333 };
};
template <int N> struct p<sized<N> *> {
    enum { v = 2000 + N };
};
template <int N> struct p<const sized<N> &> {
    enum { v = 3000 + N };
};
template <typename T> struct p<T, typename enable<sizeof(T) == 2>::type> {
    enum { v = 22 };
};
static_assert(p<int>::v == 1, "");
static_assert(p<short>::v == 22, "");
static_assert(p<sized<7>>::v == 107, "");
static_assert(p<box<int>>::v == 5, "");
static_assert(p<box<sized<3>>>::v == 1003, "");
static_assert(p<float[6]>::v == 6, "");
static_assert(p<arr<float, 5>>::v == 20, "");
static_assert(p<arr<double, 5>>::v == -5, "");
static_assert(p<arr<int, 3>>::v == 333, "");
static_assert(p<sized<2> *>::v == 2002, "");
static_assert(p<const sized<2> &>::v == 3002, "");
static_assert(p<sized<2> &>::v == 1, "");
template <int N, typename T> struct q {
    enum { v = 0 };
};
template <int N> struct q<N, sized<N>> {
    enum { v = 1 };
};
template <int N> struct q<N, sized<N + 1>> {
    enum { v = 2 };
};
static_assert(q<3, sized<3>>::v == 1, "");
static_assert(q<3, sized<4>>::v == 2, "");
static_assert(q<3, sized<5>>::v == 0, "");
template <int... N> struct list {
    enum { n = sizeof...(N) };
};
template <typename T> struct len {
    enum { v = -1 };
};
template <int... N> struct len<list<N...>> {
    enum { v = sizeof...(N) };
};
template <typename T> struct head {
    enum { v = -1 };
};
template <int N, int... M> struct head<list<N, M...>> {
    enum { v = N };
};
static_assert(len<list<1, 2, 3>>::v == 3, "");
static_assert(len<list<>>::v == 0, "");
static_assert(len<int>::v == -1, "");
static_assert(head<list<9, 2, 3>>::v == 9, "");
static_assert(head<list<>>::v == -1, "");
template <bool B, int N> struct r {
    enum { v = 0 };
};
template <int N> constexpr int f(box<sized<N>>)
{
    return N;
}
template <typename T, int N> constexpr int g(box<T[N]> *)
{
    return N;
}
template <typename T, int N> constexpr int h(const arr<T, N> &)
{
    return N;
}
static_assert(f(box<sized<4>>()) == 4, "");
static_assert(h(arr<char, 12>()) == 12, "");
template <typename T> struct elem {
    typedef void type;
};
template <typename T, size_t N> struct elem<T[N]> {
    typedef T type;
};
template <typename T, size_t N, size_t M> struct elem<T[N][M]>
{
    typedef sized<N * 10 + M> type;
};
static_assert(same<elem<int[3]>::type, int>::v, "");
namespace n1
{
namespace n2
{
template <typename T> struct is_const {
    enum { v = 0 };
};
template <typename T> struct is_const<const T> {
    enum { v = 1 };
};
template <int N> struct tag {
};
template <int N> struct is_const<tag<N>> {
    enum { v = 10 + N };
};
struct outer {
    template <typename T> struct in {
        enum { v = 0 };
    };
    template <typename T> struct in<T *> {
        enum { v = 4 };
    };
};
} // namespace n2
} // namespace n1
static_assert(n1::n2::is_const<int>::v == 0, "");
static_assert(n1::n2::is_const<const int>::v == 1, "");
static_assert(n1::n2::is_const<const int *>::v == 0, "");
static_assert(n1::n2::is_const<int *const>::v == 1, "");
static_assert(n1::n2::is_const<n1::n2::tag<5>>::v == 15, "");
static_assert(n1::n2::is_const<const n1::n2::tag<5>>::v == 1, "");
static_assert(n1::n2::outer::in<int>::v == 0, "");
static_assert(n1::n2::outer::in<int *>::v == 4, "");
struct base_of_box {
};
template <typename T> struct derived : box<T> {
};
static_assert(p<derived<int>>::v == 1, "");
template <typename... T> struct tuple {
    enum { n = sizeof...(T) };
};
template <typename T> struct tl {
    enum { v = -1 };
};
template <> struct tl<tuple<>> {
    enum { v = 0 };
};
template <typename A, typename... R> struct tl<tuple<A, R...>> {
    enum { v = 1 + tl<tuple<R...>>::v };
};
static_assert(tl<tuple<int, float, char>>::v == 3, "");
template <typename... T> struct sum {
    enum { v = 0 };
};
template <typename A, typename... R> struct sum<A, R...> {
    enum { v = sizeof(A) + sum<R...>::v };
};
static_assert(sum<int, char, double>::v == 13, "");
template <int... N> struct isum {
    enum { v = 0 };
};
template <int A, int... R> struct isum<A, R...> {
    enum { v = A + isum<R...>::v };
};
static_assert(isum<1, 2, 39>::v == 42, "");
template <typename T> constexpr int vt = 1;
template <typename T> constexpr int vt<T *> = 2;
template <> constexpr int vt<float> = 3;
template <int N> constexpr int vt<sized<N>> = N;
static_assert(vt<int> + 10 * vt<int *> + 100 * vt<float> + 1000 * vt<sized<4>> == 4321, "");
template <typename T, int N = 2> struct vec {
    T v[N];
};
template <typename T> struct rank_of {
    enum { v = 0 };
};
template <typename T> struct rank_of<vec<T>> {
    enum { v = 2 };
};
template <typename T, int N> struct rank_of<vec<T, N>> {
    enum { v = 100 + N };
};
static_assert(rank_of<vec<int, 5>>::v == 105, "");
static_assert(rank_of<vec<int>>::v == 2, "");
template <template <typename> class C, typename T> struct holds {
    enum { v = sizeof(C<T>) };
};
template <typename T> struct holds<box, T *> {
    enum { v = 77 };
};
static_assert(holds<box, int *>::v == 77, "");
static_assert(holds<box, int>::v == 4, "");
template <typename F> struct ret;
template <typename R, typename... A> struct ret<R(A...)> {
    typedef R type;
    enum { n = sizeof...(A) };
};
static_assert(ret<int(char, float)>::n == 2, "");
static_assert(sizeof(ret<double(char, float)>::type) == 8, "");
namespace u
{
template <size_t N> struct tag {
    size_t v;
};
} // namespace u
template <size_t N> struct p<u::tag<N>> {
    enum { v = 500 + N };
};
template <size_t N> struct p<box<u::tag<N>>> {
    enum { v = 600 + N };
};
static_assert(p<u::tag<7>>::v == 507, "");
static_assert(p<::u::tag<8>>::v == 508, "");
static_assert(p<box<u::tag<7>>>::v == 607, "");
__global__ void k(int *)
{
}
