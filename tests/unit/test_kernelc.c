/* test_kernelc.c - the kernel compiler: kernels are compiled, run on the machine, and their results compared with
 * what C computes here; errors, their places, and limits. */
#include "kernelc/kernelc.h"
#include "machine/machine.h"
#include "system/file.h"
#include "tests/support/run_kernel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { THREADS = 64, WORDS = 4096 };

static bool compile(const char *text, struct kernelc_result *result)
{
    const struct kernelc_job job = {.allocator = &heap_allocator,
                                    .source = {"k.cu", text, strlen(text)}};
    return kernelc_compile(&job, result);
}

/* ---- running ------------------------------------------------------------------------------------ */

struct memory {
    int in[WORDS], out[WORDS];
};

/* Runs the source's kernel k(int *out, const int *in). */
static void run_source(const char *text, struct memory *memory)
{
    const uint64_t parameters[2] = {(uintptr_t)memory->out, (uintptr_t)memory->in};
    run_kernel(text, memory, sizeof *memory, parameters, THREADS);
}

static void fill(struct memory *memory)
{
    for (int i = 0; i < WORDS; i++) {
        memory->in[i] = (i * 37 + 11) % 101 - 50;
        memory->out[i] = -12345;
    }
}

/* Each thread t puts f(t, in[t]) into out[t]; `body` is the text of f and what it needs. */
static void expect(const char *text, int (*expected)(int t, int x))
{
    struct memory *memory = malloc(sizeof *memory);
    char *source = malloc(strlen(text) + 400);
    sprintf(source,
            "%s\n__global__ void k(int *out, const int *in) { int t = threadIdx.x; out[t] = f(t, "
            "in[t]); }\n",
            text);
    fill(memory);
    run_source(source, memory);
    for (int t = 0; t < THREADS; t++)
        if (memory->out[t] != expected(t, memory->in[t]))
            fail_msg("thread %d: %d, expected %d\n%s", t, memory->out[t],
                     expected(t, memory->in[t]), text);
    free(source);
    free(memory);
}

/* ---- the language ------------------------------------------------------------------------------- */

static int loops(int t, int x)
{
    int sum = 0;
    for (int i = 0; i < t; i++) {
        if (i % 3 == 0)
            continue;
        if (i > 40)
            break;
        sum += i * x;
    }
    do
        sum--;
    while (sum > 100);
    return sum;
}
static int switches(int t, int x)
{
    switch (t % 6) {
    case 0:
        x += 5; /* fall through */
    case 1:
        x *= 2;
        break;
    case 2:
        return 7;
    case 4: {
        x -= 1;
        break;
    }
    default:
        x = ~x;
    }
    return x;
}
static int fibonacci(int t, int x)
{
    int a = 0, b = 1;
    (void)x;
    for (int i = 0; i < t % 10; i++) {
        int c = a + b;
        a = b;
        b = c;
    }
    return a;
}
static int bits(int t, int x)
{
    const int low = (int)((unsigned)(x & 7) << 29) >> 29;
    return low * 100 + (t & 31);
}
static int narrow(int t, int x)
{
    return (signed char)(x * t) + (unsigned char)(x - t) + (short)(x * 1000 * t);
}
static int twice(int t, int x)
{
    return 2 * x + t;
}
static int sum_of_squares(int t, int x)
{
    return t * t + x * x;
}
static int local_array(int t, int x)
{
    int a[8] = {1, 2, 3};
    a[t & 7] += x;
    int sum = 0;
    for (int i = 0; i < 8; i++)
        sum = sum * 3 + a[i];
    return sum;
}
static int callback(int t, int x)
{
    return t & 1 ? x + t : x * t;
}
static int ordered(int t, int x)
{
    return t < x ? x * 1000 + t : t * 1000 + x;
}

#define C "__device__ int f(int t, int x) "
/* 500 functions g, each of a class of its own */
#define TEN(m, n)                                                                                  \
#m "(" #n "##0) " #m "(" #n "##1) " #m "(" #n "##2) " #m "(" #n "##3) " #m "(" #n "##4) " #m   \
       "(" #n "##5) " #m "(" #n "##6) " #m "(" #n "##7) " #m "(" #n "##8) " #m "(" #n "##9)\n"
#define MANY                                                                                       \
    "#define ONE(n) struct A##n {}; __device__ int g(A##n a) { return 0; }\n"                      \
    "#define TENS(n) " TEN(ONE, n) "#define HUNDRED(n) " TEN(                                      \
        TENS, n) "HUNDRED(1) HUNDRED(2) HUNDRED(3) HUNDRED(4) HUNDRED(5)\n"
static const struct {
    const char *name, *text;
    int (*expected)(int t, int x);
} cases[] = {
    {"loops",
     C "{ int sum = 0; for (int i = 0; i < t; i++) { if (i % 3 == 0) continue; if (i > 40) break; "
       "sum += i * x; }"
       "  do sum--; while (sum > 100); return sum; }",
     loops},
    {"switch",
     C "{ switch (t % 6) { case 0: x += 5; case 1: x *= 2; break; case 2: return 7; case 4: { x -= "
       "1; break; }"
       "  default: x = ~x; } return x; }",
     switches},
    {"recursion",
     "__device__ int g(int n) { return n < 2 ? n : g(n - 1) + g(n - 2); }" C
     "{ return g(t % 10); }",
     fibonacci},
    {"bit fields",
     "struct B { int low : 3; unsigned rest : 5; };" C
     "{ B b; b.low = x; b.rest = t; return b.low * 100 + b.rest; }",
     bits},
    {"narrow types",
     C "{ return (signed char)(x * t) + (unsigned char)(x - t) + (short)(x * 1000 * t); }", narrow},
    {"template",
     "template <typename T, int N> __device__ T g(T x) { return N * x; }" C
     "{ return g<int, 2>(x) + t; }",
     twice},
    {"deduction",
     "template <typename T> __device__ T add(T a, T b) { return a + b; }" C
     "{ return add(add(x, x), t); }",
     twice},
    {"members that others initialise",
     "struct P { int a, b = a + 1; struct { int c = 7; } q; constexpr int more() const { return b; "
     "} };"
     "struct M { int b; __device__ int g(int x, int t) { P p = {x}; P list[2] = {{t}, {x}}; "
     "return p.b + list[0].b + list[1].a + p.q.c - 9; } };"
     "constexpr P one{3}; static_assert(one.b == 4 && P{5}.more() == 6, \"\");" C
     "{ M m{100}; return m.g(x, t); }",
     twice},
    {"pack",
     "template <typename... T> __device__ int sum(T... x) { return (0 + ... + x); }" C
     "{ return sum(x, t, x); }",
     twice},
    {"recursive pack",
     "__device__ int sum() { return 0; } template <typename T, typename... R> __device__ int sum(T "
     "a, R... r)"
     "{ return a + sum(r...); }" C "{ return sum(x, t, x); }",
     twice},
    {"specialisation",
     "template <typename T> struct A { static constexpr int n = 1; }; template <> struct A<int> { "
     "static constexpr int n = 2; };" C "{ return A<int>::n * x + A<float>::n * t; }",
     twice},
    {"partial specialisation",
     "template <typename T> struct A { static const int n = 1; }; template <typename T> struct A<T "
     "*> { static const int n = 2; };" C "{ return A<int *>::n * x + A<int>::n * t; }",
     twice},
    {"reference",
     "__device__ void g(int &a, const int &b) { a += b; }" C
     "{ int y = x; g(y, x); g(y, t); return y; }",
     twice},
    {"pointer",
     "__device__ void g(int *a, int b) { *a += b; }" C
     "{ int y = x; g(&y, x); g(&y, t); return y; }",
     twice},
    {"overloads",
     "__device__ int g(int a) { return 2 * a; } __device__ int g(float a) { return (int)a; }" C
     "{ return g(x) + g((float)t); }",
     twice},
    {"default argument",
     "__device__ int g(int a, int b = 2) { return a * b; }" C "{ return g(x) + g(t, 1); }", twice},
    {"constructor",
     "struct P { int a, b; __device__ P(int a, int b = 1) : a(a), b(b) {} __device__ int value() "
     "const { return a * b; } };" C "{ P p(x, 2), q = P(t); return p.value() + q.value(); }",
     twice},
    {"operators",
     "struct P { int v; __device__ P operator+(const P &o) const { return {v + o.v}; } __device__ "
     "P &operator+=(P o) { v += o.v; return *this; } };"
     "__device__ P operator*(int n, P p) { return {n * p.v}; }" C
     "{ P p = {x}, q = {t}; p = 2 * p + q; q += p; return q.v - t; }",
     twice},
    {"conversion",
     "struct P { int v; __device__ operator int() const { return v; } };" C
     "{ P p{x}; return p + p + t; }",
     twice},
    {"inheritance",
     "struct A { int a; __device__ int twice() const { return 2 * a; } }; struct B : A { int b; "
     "};" C "{ B b; b.a = x; b.b = t; return b.twice() + b.b; }",
     twice},
    {"names beyond ASCII",
     "__shared__ int größe[64]; template <class T> __device__ T größer(T a, T b) { größe[b & 63] = "
     "b; "
     "return größe[b & 63] + 2 * a - b; }\n" C "{ int länge = größer(x, t); return länge + t; }",
     twice},
    {"lambda", C "{ auto g = [=](int n) { return n * x; }; return g(2) + t; }", twice},
    {"lambda by reference", C "{ int y = t; auto g = [&](int n) { y += n * x; }; g(2); return y; }",
     twice},
    {"generic lambda",
     "template <typename F> __device__ int apply(F f, int a) { return f(a); }" C
     "{ return apply([&](auto a) { return a + a; }, x) + t; }",
     twice},
    {"range for", C "{ int a[3] = {x, t, x}, sum = 0; for (int v : a) sum += v; return sum; }",
     twice},
    {"constexpr function",
     "constexpr int power(int b, int e) { int r = 1; for (int i = 0; i < e; i++) r *= b; return r; "
     "}" C "{ int a[power(2, 3)] = {x, x}; static_assert(sizeof a == 32, \"\"); return a[0] + a[1] "
     "+ t; }",
     twice},
    {"if constexpr",
     "template <int N> __device__ int g(int x) { if constexpr (N == 0) return 0; else return x + "
     "g<N - 1>(x); }" C "{ return g<2>(x) + t; }",
     twice},
    {"union",
     C "{ union { float f; int i; } u; u.f = (float)x; return 2 * (int)__int_as_float(u.i) + t; }",
     twice},
    {"a struct behind a function and a variable of its name",
     "struct p { int a, b; }; __device__ int p(struct p x) { return 2 * x.a + x.b; }" C
     "{ struct p q = {x, t}; int p0 = p(q), p = p0; struct p last = {p, 0}; return last.a; }",
     twice},
    {"structured binding",
     "struct P { int a, b; };" C "{ P p = {x, t}; auto [a, b] = p; return 2 * a + b; }", twice},
    {"namespace",
     "namespace a { namespace b { __device__ int g(int x) { return 2 * x; } } using namespace b; "
     "}" C "{ return a::g(x) + t; }",
     twice},
    {"enumeration", "enum class E { ONE = 1, TWO };" C "{ E e = E::TWO; return (int)e * x + t; }",
     twice},
    {"goto",
     C "{ int n = 0; again: n += x; if (n != 2 * x || x == 0) { if (x == 0) return t; goto again; "
       "} return n + t; }",
     twice},
    {"inline PTX",
     C "{ int d; asm(\"mad.lo.s32 %0, %1, 2, %2;\" : \"=r\"(d) : \"r\"(x), \"r\"(t)); return d; }",
     twice},
    {"inline PTX in and out",
     C "{ asm(\"mad.lo.s32 %0, %0, 2, %1;\" : \"+r\"(x) : \"r\"(t)); return x; }", twice},
    {"macros",
     "#define SQUARE(x) ((x) * (x))\n#define JOIN(a, b) a##b\n" C
     "{ int xy = SQUARE(x); return SQUARE(t) + JOIN(x, y); }",
     sum_of_squares},
    {"doubles", C "{ double a = t, b = x; return (int)(a * a + b * b); }", sum_of_squares},
    {"64 bits",
     C "{ long long a = (long long)t << 33, b = x; return (int)((a * t >> 33) + b * b); }",
     sum_of_squares},
    {"local array",
     C "{ int a[8] = {1, 2, 3}; a[t & 7] += x; int sum = 0; for (int i = 0; i < 8; i++) sum = sum "
       "* 3 + a[i]; return sum; }",
     local_array},
    {"function pointer",
     "__device__ int add(int a, int b) { return a + b; } __device__ int mul(int a, int b) { return "
     "a * b; }" C "{ int (*g)(int, int) = t & 1 ? add : mul; return g(x, t); }",
     callback},
    {"swap",
     "template <typename T> __device__ void order(T &a, T &b) { if (a < b) { T c = a; a = b; b = "
     "c; } }" C "{ order(x, t); return x * 1000 + t; }",
     ordered},
    {"pair of values",
     "struct P { int a, b; }; __device__ P order(int a, int b) { if (a > b) return {a, b}; return "
     "{b, a}; }" C "{ P p = order(x, t); return p.a * 1000 + p.b; }",
     ordered},
    {"shared memory",
     "__device__ int f(int t, int x) { __shared__ int s[64]; s[63 - t] = x; __syncthreads(); int y "
     "= s[63 - t]; return 2 * y + t; }",
     twice},
    {"vector load",
     C "{ __shared__ int4 s[16]; ((int *)s)[t] = x; __syncthreads(); int4 v = s[t / 4]; int a[4] = "
       "{v.x, v.y, v.z, v.w}; return 2 * a[t % 4] + t; }",
     twice},
    {"atomics",
     C "{ __shared__ int s[64]; s[t] = t; __syncthreads(); atomicAdd(&s[t], x); return "
       "atomicAdd(&s[t], 1) + x; }",
     twice},
    {"shuffle",
     C "{ return __shfl_sync(0xffffffff, x, t % 32) + __shfl_xor_sync(0xffffffff, "
       "__shfl_xor_sync(0xffffffff, x, 5), 5) + t; }",
     twice},
    {"asynchronous copy",
     "#include <cuda_pipeline.h>\n"
     "__device__ int g(const int *in, int t) { __shared__ int s[64];"
     "__pipeline_memcpy_async(&s[t], &in[t], 4); __pipeline_commit(); __pipeline_wait_prior(0); "
     "return s[t]; }\n"
     "#define f(t, x) (2 * g(in, t) + t)",
     twice},
    {"asynchronous copy of a block",
     "#include <cooperative_groups/memcpy_async.h>\nnamespace cg = cooperative_groups;"
     "__device__ int g(const int *in, int t) { __shared__ int s[64]; auto b = "
     "cg::this_thread_block();"
     "cg::memcpy_async(b, s, in, 64 * sizeof(int)); cg::wait(b); return s[t]; }\n"
     "#define f(t, x) (2 * g(in, t) + t)",
     twice},
    {"barrier that copies arrive at",
     "#include <cuda/barrier>\nusing barrier = cuda::barrier<cuda::thread_scope_block>;"
     "__device__ int g(const int *in, int t) { __shared__ int s[64]; __shared__ barrier b;"
     "if (threadIdx.x == 0) init(&b, blockDim.x); __syncthreads();"
     "cuda::memcpy_async(cooperative_groups::this_thread_block(), s, in, "
     "cuda::aligned_size_t<4>(64 * sizeof(int)), b);"
     "barrier::arrival_token at = b.arrive(); b.wait(cuda::std::move(at)); return s[t]; }\n"
     "#define f(t, x) (2 * g(in, t) + t)",
     twice},
    {"half precision",
     "#include <cuda_fp16.h>\n" C "{ __half2 a = __floats2half2_rn(x, 1); a = a + a; return "
     "(int)__low2float(a) + t * (int)__high2float(a) / 2; }",
     twice},
    {"groups",
     "#include <cooperative_groups.h>\n"
     "namespace cg = cooperative_groups;" C
     "{ auto g = cg::tiled_partition<8>(cg::this_thread_block());"
     "return g.shfl(x, g.thread_rank()) + cg::reduce(g, g.thread_rank() == t % 8 ? x : 0, "
     "cg::plus<int>()) * 0 + x + t; }",
     twice},
    {"groups of groups",
     "#include <cooperative_groups.h>\nusing namespace cooperative_groups;"
     "__device__ int sum(thread_group g, int *s, int v) { int lane = g.thread_rank(); for (int i = "
     "g.size() / 2; i > 0; i /= 2) { s[lane] = v; g.sync(); if (lane < i) v += s[lane + i]; "
     "g.sync(); } if (!lane) s[0] = v; g.sync(); v = s[0]; g.sync(); return v; }" C
     "{ __shared__ int s[64]; auto b = this_thread_block(); auto w = tiled_partition<32>(b); auto "
     "q "
     "= tiled_partition<4>(w); thread_block_tile<4> e = q, all = tiled_partition<4>(b);"
     " thread_group any = tiled_partition(b, 4), two = tiled_partition(any, 2); int *own = s + t / "
     "4 "
     "* 4; bool good = q.meta_group_rank() == t % 32 / 4 && q.meta_group_size() == 8 && "
     "e.meta_group_rank() == t % 32 / 4 && e.meta_group_size() == 8 && all.meta_group_rank() == t "
     "/ "
     "4 && all.meta_group_size() == 16 && any.thread_rank() == t % 4 && any.size() == 4 && "
     "two.thread_rank() == t % 2 && two.size() == 2; int n = sum(b, s, 1), m = sum(any, own, t), o "
     "= sum(q, own, 2); return good && n == 64 && m == t / 4 * 16 + 6 && o == 8 ? 2 * x + t : n * "
     "100 + m; }",
     twice},
    {"method of a template",
     "template <typename T> struct V { T x; __device__ T get() const; }; template <typename T> "
     "__device__ T V<T>::get() const { return 2 * x; }" C "{ V<int> v{x}; return v.get() + t; }",
     twice},
    {"bool in a bit field",
     "struct S { int a : 9; bool b : 1, c : 1; };" C
     "{ S s; s.a = x; s.b = 1; s.c = 0; s.b = s.b && !s.c; return (s.a + s.b - 1) * 2 + t; }",
     twice},
    {"made in its place",
     "struct G { int v; __device__ G(int a) : v(a) {} __device__ G(const G &o) : v(o.v + 1) {} };"
     "__device__ G make(int x) { return G(x); } __device__ int take(G g) { return g.v; }" C
     "{ G a = make(x), b = a; return take(a) + b.v - 2 + t; }",
     twice},
    {"empty destructor",
     "struct G { int v; __device__ ~G() {} }; struct H { G g; ~H() = default; };" C
     "{ H h; h.g.v = x; return 2 * h.g.v + t; }",
     twice},
    {"references in a loop over an array",
     C "{ int a[3] = {x, t, 1}; for (int &v : a) { v *= 2; } return a[0] + a[1] / 2; }", twice},
    {"comma operator",
     "struct P { int p; }; __device__ int operator,(P a, P b) { return a.p * 2 + b.p; }" C
     "{ P a{x}, b{t}; return (a, b); }",
     twice},
    {"a name that goes on in the next line",
     C "{ int qu\\\nick = x; ret\\\r\nu\\\nrn 2 * quick + \\\nt; }", twice},
    {"more functions of a name than anybody writes",
     MANY "__device__ int g(int a) { return 2 * a; }" C "{ return g(x) + t; }", twice},
    {"fallthrough",
     C "{ switch (t & 1) { case 1: x++; [[fallthrough]]; default: x += 0; } return 2 * (x - (t & "
       "1)) + t; }",
     twice},
    {"arms of if constexpr that are passed over",
     "template <int N> __device__ int g(int x) {"
     " if constexpr (N == 0) if (x) return none[x]; else return 1; else x += 1;"
     " if constexpr (N == 1) x += 2; else do { none(x); } while (x); x += 3;"
     " if constexpr (N == 0) for (int i = 0; i < 2; i++) if (i) { none(); } else none(1);"
     " else x += 4;"
     " if constexpr (N == 0) x = T{1}.y; else if constexpr (N == 1) if (x) x += 5; else x = 5;"
     " else x = none;"
     " if constexpr (N == 0) while (none) if constexpr (none) ; else ; else x -= 15; return x; }" C
     "{ return x + g<1>(x) + t; }",
     twice},
    {"an object made of itself",
     "struct V { int a, b; __device__ V(int a, int b) : a(a), b(b) {} __device__ V(const V &o, int "
     "n, int) { a = o.b; b = o.a; } }; __device__ V turned(const V &v) { return {v.b, v.a}; }" C
     "{ __shared__ V s[64]; s[t] = V(x, t); s[t] = V(s[t], 0, 0); V v = s[t]; v = {v.b, v.a}; s[t] "
     "= v; s[t] = turned(s[t]); v = turned(v); v = t & 1 ? V(v.b, v.a) : V(v.b, v.a);"
     " return s[t].b + v.a + s[t].a; }",
     twice},
    {"pointers that lie in memory",
     "struct N { int v; N *next; };" C
     "{ __shared__ int *p[64], s[64]; s[t] = x; p[t] = &s[t]; N a{t, nullptr}, b{x, &a}, *n = &b;"
     " N **at = &n; return *p[t] + (*at)->v + (**at).next->v; }",
     twice},
    {"labels before the only statement",
     C "{ switch (t & 1) case 1: x++; if (t > 1000) lost: x += 5; else switch (t & 3) case 0: case "
       "2: x++; if (x > 1000) goto lost; return 2 * (x - 1) + t; }",
     twice},
    {"a loop whose body is jumped into",
     C "{ int n = 0, left = (t & 3) + 1; switch (left & 3) { do { case 0: n++; case 3: n++; case "
       "2: n++; case 1: n++; } while ((left -= 4) > 0); } return 2 * x + t + n - (t & 3) - 1; }",
     twice},
    {"a block that only later ones lead to",
     C "{ goto start; back: x += t; goto end; start: x *= 2; goto back; end: return x; }", twice},
    {"what is assigned to is evaluated once",
     C "{ int a[4] = {0, 0, 7, 7}, i = 0, &r = (a[i++] = x); r += x; int &q = ++a[i++]; q += t - "
       "1; int &m = (a[i++] += 3); m -= 10; return a[0] + a[1] + a[2] + (i - 3) + (a[3] - 7); }",
     twice},
    {"the value of a bit field that is assigned",
     "struct B { int a : 3; unsigned b : 4; bool c : 1; };" C
     "{ B b = {}; int y = (b.a = 12), z = (b.b = 17), n = ++b.a, o = b.a++, p = (b.b += 15), "
     "q = (b.c = 4); return 2 * x + t + (y + 4) + (z - 1) + (n + 3) + (o + 3) + p + (q - 1); }",
     twice},
    {"explicit conversion in a condition",
     "struct A { int v; __device__ explicit operator bool() const { return v > 0; } };" C
     "{ A yes{1}, no{0}; if (no) return 0; while (!yes) x++; return (yes && !no ? 2 : 3) * x + "
     "(no || yes ? t : 0); }",
     twice},
    {"an object that a condition chooses",
     "struct B { int a : 5, z, m[2]; __device__ void up(int n) { z += n; } };" C
     "{ B p = {1, 2, {3, 4}}, q = {5, 6, {7, 8}}; (t & 1 ? p : q).z = x; (t & 1 ? q : p).m[1] = t; "
     "(t & 2 ? p : q).up(100); B &r = x > 0 ? p : q; r.m[0] = 50; (x > 0 ? q : p) = r; int n = "
     "p.m[0] + q.m[0] - 100 + (t & 1 ? p : q).a - r.a; p = B{0, 0, {}}; q = p; (t & 1 ? p : q).z = "
     "x; (t & 1 ? q : p).m[1] = t; (t & 2 ? p : q).up(x); return n + p.z + q.z + p.m[1] + q.m[1]; "
     "}",
     twice},
    {"a variable's template in a condition of an overload",
     "template <bool B, typename T> struct If {}; template <typename T> struct If<true, T> { using "
     "type = T; }; template <typename A> struct is_int { static constexpr bool value = false; }; "
     "template <> struct is_int<int> { static constexpr bool value = true; }; template <typename "
     "T> "
     "constexpr bool is_int_v = is_int<T>::value; template <typename T> __device__ typename "
     "If<is_int_v<T>, int>::type g(T a) { return 2 * a; } template <typename T> __device__ "
     "typename "
     "If<!is_int_v<T>, int>::type g(T a) { return a; }" C "{ return g(x) + g((float)t); }",
     twice},
    {"decltype(auto) and references",
     "__device__ decltype(auto) at(int *p, int i) { return (p[i]); } template <typename F> "
     "__device__ "
     "decltype(auto) call(F f) { return f(); } __device__ decltype(auto) same(int v) { return v; "
     "}" C "{ int a[2] = {1, 2}, y = 1, &r = y; decltype(auto) q = (y), z = y; q = x; z = 7; at(a, "
     "1) = t; "
     "decltype(r) s = a[0]; s = y; call([&]() -> int & { return a[0]; }) += same(x); auto l = [&] "
     "{ "
     "decltype(y) own = y; own = 99; return y; }; return l() + a[0] + a[1] - y; }",
     twice},
    {"pragmas in the midst of a line",
     "#define UNROLL(n) _Pragma(\"unroll\") for (int i = 0; i < n; i++)\n" C
     "{ int sum = t; if (x > 1000) _Pragma(\"unroll 4\") for (int i = 0; i < 9; i++) sum++; "
     "UNROLL(2) sum += x; return sum; }",
     twice},
    {"specialisations of a type and a pack",
     "template <typename T, int... I> struct A { static constexpr int n = 1; }; template <typename "
     "T, int... I> struct A<T *, I...> { static constexpr int n = sizeof...(I); }; template "
     "<typename T, size_t N, T... I> struct S : S<T, N - 1, (T)(N - 1), I...> {}; template "
     "<typename T, T... I> struct S<T, 0, I...> { static constexpr int n = sizeof...(I), sum = (I "
     "+ "
     "... + 0); };" C "{ return A<int *, 5, 6>::n * x + A<int, 5, 6>::n * t + S<int, 4>::n + "
     "S<short, 3>::sum - 7; }",
     twice},
    {"functions behind a comma and in an arm",
     "__device__ int one() { return 1; } __device__ int two() { return 2; }"
     "template <typename T> __device__ int same(T x) { return x; }" C
     "{ int (*f)() = (t, two); auto g = (x, one); return f() * x + (t > 1000 ? two : one)() + t - "
     "(0, g)() + (1, same<int>)(0); }",
     twice},
    {"functions as arguments of templates",
     "typedef int (*fp)(int); __device__ int plus(int x) { return x + 1; }"
     "__device__ int minus(int x) { return x - 1; } template <typename T> __device__ T id(T x) { "
     "return x; }"
     "template <fp F> __device__ int once(int x) { return F(x); }"
     "template <int (*F)(int), int N> struct many { "
     " __device__ int go(int x) const { for (int i = 0; i < N; i++) x = F(x); return x; } };" C
     "{ many<plus, 3> m; return once<minus>(x) + once<id<int>>(x) + m.go(t) - once<&plus>(1); }",
     twice},
    {"references to constant matrices",
     "template <int M, int N> __device__ int sum(const int (&a)[M][N])"
     "{ int s = 0; for (int i = 0; i < M; i++) for (auto x : a[i]) s += x; return s; }" C
     "{ int a[2][3] = {{x, 1, -1}, {t, 0, x}}; const int b[1][1][2] = {}; const auto &c = b; "
     "return sum(a) + c[0][0][1]; }",
     twice},
    {"references to arrays",
     "struct R { int v; }; template <typename T, int N> __device__ T all(T (&a)[N], T (*b)[N]) "
     "{ T s = 0; for (int i = 0; i < N; i++) s += a[i] + (*b)[i]; return s; }"
     "__device__ int first(R (&r)[2], int (*f)(int)) { return f(r[0].v); }"
     "__device__ int same(int x) { return x; }" C
     "{ int a[3] = {x, 0, 1}, b[3] = {t, -1, 0}; R r[2] = {{x}, {t}}; int y(R{x}.v - x); "
     "return all(a, &b) + first(r, same) + y; }",
     twice},
    {"templates of constructors",
     "template <int N, typename P = void> struct V { int a; V() = default;"
     " template <typename Q> __device__ V(const V<N, Q> &o) { a = N + o.a; } };"
     "struct W { int v; template <typename Q> __device__ W(Q q, int z) : v(q + z) {} };" C
     "{ V<4, int> y; y.a = x; V<4> z = y; W w((short)x, t); return z.a + w.v - 4; }",
     twice},
    {"constructors of a base",
     "struct A { int v, w; __device__ A(int v) : v(v), w(1) {} __device__ A(const int &a, float f, "
     "int d = 7) : v(a + d), w((int)f) {} }; struct B : A { using A::A; int n = 9; };"
     "template <typename T> struct P { T x, y; template <typename U> __device__ P(U u) : x(u), "
     "y(u) "
     "{} }; template <typename T> struct Q : P<T> { using Base = P<T>; using Base::Base; };"
     "struct D { int a = 4; __device__ D() {} __device__ D(int a) : a(a) {} };"
     "struct E : D { using D::D; int b = 2; __device__ E(int a) : D(a + 1) {} __device__ E() {} "
     "};" C
     "{ B b(x), c(t, 3.5f), d{1, 2.0f, 3}; Q<int> q(2.5); E e, f(7); return b.v * b.w * 2 + c.v - "
     "c.n + (c.w - d.w) * 2 - d.v + d.n + q.x * q.y - e.a * e.b + f.a - 9; }",
     twice},
    {"members by decltype",
     "template <int N> struct I { static constexpr int value = N; typedef short type; "
     "static __device__ int twice(int a) { return 2 * a; } };"
     "template <typename T> __device__ int g(T a) { return decltype(a)::value + "
     "(int)sizeof(typename decltype(a)::type); }" C
     "{ I<5> i; decltype(i)::type s = (decltype(i)::type)t; int a[decltype(i)::value] = {0, x}; "
     "return decltype(i)::twice(a[1]) + s + g(i) - 2 - decltype(i)::value; }",
     twice},
    {"sequences of indices",
     "template <int... I> __device__ int sum(const int *a, std::integer_sequence<int, I...>) "
     "{ return (a[I] + ...); }"
     "template <size_t... I> __device__ int some(const int *a, cuda::std::index_sequence<I...> s) "
     "{ return (a[I] + ... + 0) + (int)s.size(); }" C
     "{ int a[40] = {x, t, x}; for (int i = 3; i < 40; i++) a[i] = i; "
     "return sum(a, std::make_integer_sequence<int, 37>{}) - 663 + "
     "some(a + 3, std::make_index_sequence<3>()) - 15 + some(a, std::index_sequence<>{}); }",
     twice},
    {"aliases of templates in patterns",
     "template <typename T, int N> struct V { T a[N]; }; template <typename T> using V2 = V<T, 2>; "
     "template <int N> using Ints = V<int, N>; template <typename T> __device__ T sum(V2<T> v) "
     "{ return v.a[0] + v.a[1]; } template <int N> __device__ int last(const Ints<N> &v) "
     "{ return v.a[N - 1]; }" C "{ V<int, 2> a = {{x, t}}; V<int, 3> b = {{1, 2, x}}; "
     "return sum(a) + last(b); }",
     twice},
    {"a specialisation with nothing in its pack",
     "template <typename T, bool B, int... I> struct S { static constexpr int n = 100; }; "
     "template <typename T, int... I> struct S<T, false, I...> { static constexpr int n = 2; };" C
     "{ return S<int, false>::n * x + (S<int, true>::n - 99) * t; }",
     twice},
    {"references and copies among overloads",
     "struct P { int v; }; template <typename T> __device__ int f(T a) { return 7; } "
     "__device__ int f(const P &p) { return 2 * p.v; } __device__ int g(int a, float b) { return "
     "9; "
     "} __device__ int g(const int &a, double b) { return 3; } __device__ int h(int &a) { return "
     "1; "
     "} __device__ int h(const int &a) { return 2; } __device__ int h(int &&a) { return 3; }" C
     "{ P p{x}; const int one = 1; int two = 2; return f(p) + t + f(1) - 7 + g(1, 2.0) - 3 + "
     "h(two) "
     "+ h(one) + h(5) - 6; }",
     twice},
    {"lambdas as pointers to functions",
     "__device__ int once(int (*f)(int, int), int a, int b) { return f(a, b); } typedef int "
     "(*op)(int, int); __device__ op pick(int i) { if (i) return [](int a, int b) { return a + b; "
     "}; return [](int a, int b) { return a * b; }; }" C
     "{ auto l = [](int a, int b) -> int { return a - b; }; op p = l, q = [](auto a, auto b) { "
     "return a + b; }, list[2] = {l, [](int a, int b) { return b - a; }}; auto r = +[](int a) { "
     "return a; }; return once([](int a, int b) { return 2 * a + b; }, x, t) + p(t, x) + "
     "list[1](t, "
     "x) + q(1, 2) - r(3) + pick(1)(t, x) - pick(0)(1, x) - t; }",
     twice},
    {"tables of functions and addresses",
     "typedef int (*fp)(int); __device__ int one(int a) { return a + 1; } template <int N> "
     "__device__ "
     "int by(int a) { return a * N; } __device__ fp list[] = {one, &by<2>, nullptr}; __constant__ "
     "fp "
     "constants[2] = {by<3>, one}; struct op { const char *name; fp f; int n; }; __device__ op "
     "ops[] = {{\"one\", one, 5}, {\"two\", by<2>, 6}}; __device__ int data[4] = {1, 2, 3, 4}; "
     "__device__ int *middle = data + 2, *const ends[2] = {&data[0], &data[3]}; static __device__ "
     "int (*const last)(int) = one; __device__ fp lambda = [](int a) { return 4 * a; };" C
     "{ static const fp own[2] = {one, by<2>}; int i = t & 1; return list[1](x) + list[i](1) - 2 + "
     "constants[0](t) - ops[1].f(t) + ops[i].n - 5 - i + ops[1].name[0] - 't' + *middle - 3 + "
     "*ends[1] - 4 + (list[2] == nullptr) - last(0) + lambda(1) - 4 + own[i](1) - 2; }",
     twice},
    {"a statement that begins with a type",
     "struct R { int *p; __device__ explicit R(int &a) : p(&a) {} __device__ void operator+=(int "
     "b) "
     "{ *p += b; } }; template <typename T> struct W { T *p; __device__ W(T &a) : p(&a) {} "
     "__device__ T operator++(int) { return (*p)++; } };" C
     "{ int a = x - 1; R(a) += x; W<int>(a)++; return a + t; }",
     twice},
    {"cuda::atomic and atomic_ref",
     "#include <cuda/atomic>\n" C
     "{ __shared__ cuda::atomic<int, cuda::thread_scope_block> s; if (!t) s.store(0); "
     "__syncthreads(); s++; s.fetch_add(2, cuda::memory_order_relaxed); __syncthreads(); "
     "int a = x; float b = 1; unsigned long long c = 5; cuda::atomic_ref<int> r(a); "
     "cuda::atomic_ref<float, cuda::thread_scope_device>(b) += 0.5f; "
     "cuda::atomic_ref<unsigned long long>(c).fetch_max(6ull << 40); r += x; r.fetch_min(a + 1); "
     "int was = a, not_it = a + 99; return s.load() - 192 + (r.compare_exchange_strong(was, 2 * x "
     "+ "
     "t) "
     "? 0 : 1) + r.compare_exchange_weak(not_it, 0) + a + (b != 1.5f) + (int)(c >> 40) - 6; }",
     twice},
    {"rare functions",
     C
     "{ int e; float m = frexpf(12.0f, &e); double d = frexp(0.75, &e); float whole; return 2 * x "
     "+ t + (m != 0.75f) + (d != 0.75) + e + (modff(INFINITY, &whole) != 0) + (L'x' != 'x') + "
     "(sizeof(L'x') != 4) + (__byte_perm(0x80ff1234u, 0, 0x8a03) != 0x34ff3480u) + (__uhadd(~0u, "
     "~0u) != "
     "~0u) + (__urhadd(4, 5) != 5) + (__vadd4(0x01ff7f80u, 0x01017f80u) != 0x0200fe00u) + "
     "(__vaddss4(0x01ff7f80u, 0x01017f80u) != 0x02007f80u) + (__vabsdiffu4(0x01ff7f80u, "
     "0x02017f81u) "
     "!= 0x01fe0001u) + (__vsetgts2(0x7fff8000u, 0x00010001u) != 0x00010000u) + "
     "(__vavgs2(0xfffffffeu, 0u) != 0xffffffffu) + (__dp2a_lo(0x00020003, 0x0504, 1) != 23) + "
     "(__viaddmax_s32_relu(-5, 2, -7) != 0) + (__fns(0x12, 0, 2) != 4); }",
     twice},
    {"a namespace's other name in a function",
     "namespace a { namespace b { __device__ int g(int x) { return 2 * x; } } }" C
     "{ namespace c = a::b; if (x > 0) { namespace d = a; return d::b::g(x) + t; } return c::g(x) "
     "+ "
     "t; }",
     twice},
    {"a pack of bases",
     "template <int I, typename T> struct L { T v; __device__ L(const T &v) : v(v) {} }; template "
     "<typename S, typename... T> struct Impl; template <size_t... I, typename... T> struct "
     "Impl<std::index_sequence<I...>, T...> : L<I, T>... { __device__ Impl(const T &...v) : L<I, "
     "T>(v)... {} }; template <typename... T> struct Tuple : "
     "Impl<std::make_index_sequence<sizeof...(T)>, T...> { using "
     "Impl<std::make_index_sequence<sizeof...(T)>, T...>::Impl; }; template <int I, typename T> "
     "__device__ T &get(L<I, T> &l) { return l.v; } template <int I, typename T> __device__ const "
     "T "
     "&get(const L<I, T> &l) { return l.v; }" C "{ Tuple<int, short, float> y(x, t, 2.5f); const "
     "auto &z = y; get<0>(y) += x; return get<0>(z) + "
     "get<1>(y) + (get<2>(z) != 2.5f); }",
     twice},
    {"members that hide those of a base",
     "struct B { int b = 1; int z; __device__ int get() const { return b; } }; struct M : B { int "
     "m{2}; "
     "}; struct D : M { int b = 7; __device__ D(int q) { m = q; z = 5; } __device__ int own() "
     "const { "
     "return b * 10 + B::b; } __device__ int change() { b++; B::b += 10; M::m++; return this->b * "
     "100 + "
     "this->B::b; } }; template <typename T> struct TB { T v = 2; }; template <typename T> struct "
     "TD : "
     "TB<T> { T v = 5; __device__ T both() { return v * 10 + this->TB<T>::v; } };" C
     "{ D d(x); const int own = d.own(), changed = d.change(); TD<int> w; D *p = &d; B &r = d; "
     "return x + "
     "d.m - 1 + (own - 71) + (changed - 811) + (d.get() - 11) + (d.B::b - 11) + (p->M::b - r.b) + "
     "(w.both() - 52) + (p->b - 8) + t; }",
     twice},
    {"functions of a base by using",
     "struct B { int b = 3; __device__ int call() const { return b; } __device__ int call(float f) "
     "const { "
     "return (int)f + b; } template <typename T> __device__ int tp(T x) { return (int)sizeof(x) + "
     "b; } };"
     "struct A : B { using B::call; __device__ int call(int k) const { return call() + 10 * k; } };"
     "struct E : B { __device__ int call(float f) const { return -1; } using B::call; };"
     "struct F : B { using B::call; __device__ int call(float f) const { return -2; } using B::tp; "
     "__device__ int tp(char *) { return 77; } }; __device__ int g(const void *) { return 1; } "
     "__device__ "
     "int g(bool) { return 2; } __device__ int h(B *) { return 1; } __device__ int h(void *) { "
     "return 2; }" C "{ A a; E e; F f; return 2 * x + t + a.call() - 3 + a.call(2) - 23 + "
     "a.call(2.5f) - 5 + e.call(1.0f) + "
     "1 + e.call() - 3 + f.call(1.0f) + 2 + f.tp(1.0) - 11 + f.tp((char *)0) - 77 + g(&t) - 1 + "
     "g(true) - 2 "
     "+ h(&a) - 1 + h(&t) - 2; }",
     twice},
    {"the alignment of a template's instances",
     "template <typename T, int N> struct alignas(sizeof(T) * N) V { T v[N]; }; template <typename "
     "T> struct "
     "__align__(2 * sizeof(T)) W { T a, b, c; };" C
     "{ V<float, 4> a; V<short, 2> b; W<int> w; a.v[0] = x; return x + (int)a.v[0] + t + "
     "alignof(V<float, 4>) "
     "- 16 + alignof(b) - 4 + sizeof(w) - 16; }",
     twice},
    {"lines joined within numbers and signs",
     C "{ int y = x; y +\\\n= x; return y + 1\\\n0 - 0\\\r\nxa + (t <\\\n\\\n< 1 >\\\n> 1) + "
       "(0x1e\\\n+2) - "
       "3\\\n2.0e\\\n+0f; }",
     twice},
    {"inline namespace",
     "namespace n { inline namespace v1 { __device__ int g(int x) { return 2 * x; } } }" C
     "{ return n::g(x) + t; }",
     twice},
};

static void the_language_means_what_c_says(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        print_message("# %s\n", cases[i].name);
        expect(cases[i].text, cases[i].expected);
    }
}

/* ---- errors ------------------------------------------------------------------------------------- */

static const struct {
    const char *text;
    int line, column;
    const char *part;
} wrong[] = {
    {"__global__ void k(int *p)\n{\n    p[0] = q;\n}\n", 3, 12, "'q' is not known here"},
    {"__global__ void k(int *p)\n{\n    p[0] = 1\n}\n", 3, 13, "';' is missing"},
    {"__global__ void k(int *p) { p.x = 1; }", 1, 31, "is no class"},
    {"struct S { int a; }; __global__ void k(S *p) { p.a = 1; }", 1, 50, "write -> for ."},
    {"struct S { int a; }; __global__ void k(S s) { s.b = 1; }", 1, 49, "no member 'b' in 'S'"},
    {"__global__ void k(const int *p) { p[0] = 1; }", 1, 40, "const"},
    {"__global__ void k(float *p) { int *q = p; }", 1, 40, "cannot initialise"},
    {"__device__ int f(int a) { return a; } __global__ void k() { f(1, 2); }", 1, 61,
     "takes 1 argument, not 2"},
    {"int f() { return 1; } __global__ void k(int *p) { *p = f(); }", 1, 56,
     "function of the host"},
    {"__device__ int f(int a) { int b = a; } __global__ void k(int *p) { *p = f(1); }", 1, 38,
     "ends without a 'return'"},
    {"struct S { int a; __device__ int m() { return 1; } };\n__global__ void k(S s) {\n 1, s.m; }",
     3, 7, "its arguments are missing"},
    {"struct S { int a; __device__ int m() { return 1; } };\n"
     "__global__ void k(S s) {\n (s.a ? s.m : s.m)(); }",
     3, 11, "its arguments are missing"},
    {"template <typename T> __device__ T t(T x) { return x; }\n__global__ void k() {\n 1, t; }", 3,
     5, "which one is not clear"},
    {"__global__ void k() {}\n__device__ int ~5;", 2, 18, "a name is missing"},
    {"__device__ void f(int a) {} __device__ int f(int b) { return b; }", 1, 44, "another type"},
    {"__global__ void k(int *p) { *p = 1; ", 1, 27, "never closed"},
    {"__global__ void k(int n) { int a[n]; }", 1, 34, "known when compiling"},
    {"__global__ void k() { static_assert(sizeof(int) == 8, \"no\"); }", 1, 36, "no"},
    {"#error stop\n", 1, 2, "stop"},
    {"__global__ void k() { asm(\"\" :: \"z\\\nz\"(1)); }", 1, 33, "'z\\ z' is no operand"},
    {"#include \"other.h\"\n__global__ void k() {}", 1, 2, "other.h"},
    {"__global__ void k() { __shared__ int s[4] = {1}; }", 1, 38, "assign to it"},
    {"__global__ void k() { int *p = new int[4]; }", 1, 32, "'new' is not supported"},
    {"_Pragma(\"pack(1)\") struct A { char c; };", 1, 9, "#pragma pack is not supported"},
    {"__global__ void k(int *p) { auto f = [](auto... x) { return (x + ...); }; *p = 1; }", 1, 45,
     "a lambda with a pack of parameters is not supported: write a template of a function"},
    {"struct A { virtual void f(); __device__ int x(); }; __global__ void k() {}", 1, 12,
     "virtual"},
    /* What students write: the message says what to do, and what follows from it is not told. */
    {"__global__ void k(int *p) { int i = blockdim.x; }", 1, 37, "(did you mean 'blockDim'?)"},
    {"__global__ void k(int *p) { _syncthreads(); }", 1, 29, "(did you mean '__syncthreads'?)"},
    {"__global__ void k(int *p) { bool b = True; }", 1, 38, "(did you mean 'true'?)"},
    {"__global__ void k(flota *p, int n) { p[n] = 1; }", 1, 19, "(did you mean 'float'?)"},
    {"__global__ void k(int *p) { foo(p); }", 1, 29, "'foo' is not known here"},
    {"__global__ void k(int *p) {\n  if (*p) {\n    *p = 1;\n}\n__global__ void j() {}\n", 1, 27,
     "this '{' is never closed: the '}' of line 4 closes the '{' of line 2"},
    {"__global__ void k(const int *p) { *p = 1; }", 1, 38,
     "what 'p' points to is const (const int *)"},
    {"__global__ void k() { const int n = 1; n = 2; }", 1, 42,
     "'n' is const: it cannot be changed"},
    {"__global__ void k() { __shared__ int s[]; }", 1, 38, "or 'extern' before it"},
    {"__global__ k(int *p) { *p = 1; }", 1, 12, "that of a kernel is void"},
    {"__global__ void k(float *p) { atomicAdd(p[0], 1.0f); }", 1, 31,
     "argument 1 of 'atomicAdd' is a pointer: write & before it"},
    {"__global__ void k(int *p) { if (*p) p[0] = 1; p[1] = 2; else p[2] = 3; }", 1, 57,
     "this 'else' has no 'if'"},
    {"struct P { float x; }\n__global__ void k(P *p) { p->x = 1; }", 1, 22,
     "';' is missing after a class"},
    {"__global__ void k(int *p) { std::vector<int> v(3);\n v.push_back(1); }", 1, 34,
     "no host library"},
    {"__global__ void k(int *p) { string s = p;\n s.length(); }", 1, 29,
     "'string' is not known here"},
    {"__global__ void k(int *p) { cudaMalloc(p, 4); }", 1, 29, "is a function of the host"},
    {"__global__ void k(int *p) { p[0 = 1; }", 1, 30, "this '[' is never closed"},
    {"__global__ void k(int *p) { k<<<1, 32>>>(p); }", 1, 30,
     "launched by the host, not by a kernel"},
    {"__device__ vec3 f(vec3 *a, const foo &b) { return a; } __global__ void k() {}", 1, 12,
     "'vec3' is not known here"},
    {"__global__ void k() { break; }", 1, 23, "outside of a loop"},
    {"__global__ void k() { const void *p = L\"x\"; }", 1, 39, "wide strings are not supported"},
    {"struct A {}; struct B {}; struct C : A {\n using B::B; };", 2, 8, "'B' is no base of 'C'"},
    {"struct N { N *next; };\n__device__ N a = {&a}; __global__ void k() {}", 2, 14,
     "cannot begin with the address of 'a'"},
    {"__global__ void k(int *p) { int (*f)(int) = [p](int a) { return a + *p; }; }", 1, 45,
     "cannot initialise"},
    {"__global__ int k() { return 1; }", 1, 16, "returns nothing"},
    {"__global__ void k() { int x; int x; }", 1, 34, "second time"},
    /* What C++ would do and this compiler does not. */
    {"struct G { int *p; __device__ ~G() { *p = 1; } };\n"
     "struct H { G g; }; __global__ void k(int *p) {\n H h; h.g.p = p; }",
     3, 4, "~G would be called"},
    {"template <class T> struct G { T *p; __device__ ~G(); };\n"
     "template <class T> __device__ G<T>::~G() { *p = 1; }\n"
     "__global__ void k(int *p) { G<int> g{p}; }",
     3, 36, "~G would be called"},
    {"struct G { int v; __device__ G() {} __device__ G(const G &o) : v(1) {} };\n"
     "struct H { G g[2]; }; __global__ void k() {\n H a; H b = a; }",
     3, 13, "copy constructor of 'G'"},
    {"struct G { int v; __device__ void operator=(const G &o) { v = 1; } };\n"
     "struct H : G { }; __global__ void k() { H a, b;\n a = b; }",
     3, 4, "assignment of 'G'"},
    {"struct G { G(const G &) = delete; __device__ G(int) {} };\n"
     "__global__ void k() { G a(1); G b = a; }",
     2, 37, "is deleted"},
    {"struct G { int v; __device__ G() : v(3) {} };\n"
     "__global__ void k() { __shared__ G g; }",
     2, 36, "no constructor is run"},
    {"struct G { int v; __device__ G() : v(clock()) {} };\n__device__ G g;\n"
     "__global__ void k() {}",
     2, 14, "must be known when compiling"},
    {"__constant__ int c; __global__ void k() { c = 1; }", 1, 45, "__constant__"},
    {"struct __attribute__((packed)) S { char c; int i; }; __global__ void k() {}", 1, 23,
     "attribute 'packed'"},
    {"#pragma pack(1)\n__global__ void k() {}", 1, 9, "pack"},
    {"__global__ void k() { goto end; }", 1, 23, "no label 'end'"},
    {"__global__ void k() { a:; a:; }", 1, 27, "second time"},
    {"__global__ void k() { thread_local int x; }", 1, 23, "thread_local"},
    {"struct S { mutable int a; }; __global__ void k() {}", 1, 12, "mutable"},
    {"__global__ void __cluster_dims__(2, 1, 1) k() {}", 1, 17, "clusters"},
    {"struct H { int g; : 3; }; __global__ void k() { H h; }", 1, 19, "begins with its type"},
    /* Which function, what was deduced and what does not fit. */
    {"template <class T> __device__ void two(T a, T b) {}\n"
     "__global__ void k() {\n two(1, 2.0f); }",
     3, 2, "'two(T, T)' does not fit: argument 2 is 'float', which is no 'T' (T = int)"},
    {"template <class T, int N> __device__ T sum(const T (&a)[N]) { return a[0]; }\n"
     "__global__ void k(float *p) {\n *p = sum(p); }",
     3, 7, "argument 1 is 'float *', which is no 'const T (&)[N]'"},
    {"template <class T> __device__ T make() { return T(); }\n"
     "__global__ void k() {\n make(); }",
     3, 2, "'make()' does not fit: template 'make' needs an argument for 'T'"},
    {"template <int N> __device__ int at(int *p) { return p[N]; }\n"
     "__global__ void k(int *p) {\n *p = at<float>(p); }",
     3, 7, "argument 1 of template 'at' must be a number (N = float)"},
    {"template <class T> __device__ void one(T a) {}\n"
     "__global__ void k() {\n one<int, int>(1); }",
     3, 2, "it takes 1 template argument, not 2"},
    {"template <class T> struct S { T x; }; template <class T> __device__ void get(S<T> s) {}\n"
     "__global__ void k(float *p) {\n get(p); }",
     3, 2, "argument 1 is 'float *', which is no 'S<T>'"},
    {"template <class T> __device__ void set(T *p, T v) {}\n"
     "__global__ void k(int *p) {\n set<float>(p, 1.0f); }",
     3, 13, "argument 1 of 'set<float>' is"},
    {"struct S { int x; }; __device__ void one(int a) {} __device__ void one(int a, S b) {}\n"
     "__global__ void k() {\n one(1, 2); }",
     3, 9, "argument 2 of 'one' is"},
    {"struct S { int x; }; __device__ void one(S a) {} __device__ void one(int *a) {}\n"
     "__global__ void k() {\n one(1.0f); }",
     3, 2, "no function 'one' takes arguments (float): there are 'one(S)', 'one(int *)'"},
    {"template <class T> __device__ void one(T *a, T b) {} __device__ void one(int a) {}\n"
     "__global__ void k() {\n one<int>(1); }",
     3, 2, "'one(int)' is no template"},
    /* What other compilers are for. */
    {"__global__ void k(float *p, cudaTextureObject_t t) {\n *p = tex1Dfetch<float>(t, 0); }", 2, 7,
     "'tex1Dfetch': textures are not supported by this compiler: clang and nvcc compile them "
     "(--compiler clang)"},
    {"texture<float, 2> t;\n__global__ void k(float *p) {\n *p = tex2D(t, 0, 0); }", 3, 7,
     "textures are not supported by this compiler"},
    {"__global__ void k(cudaSurfaceObject_t s) {\n surf2Dwrite(1, s, 0, 0); }", 2, 2,
     "surfaces are not supported by this compiler"},
    {"#include <mma.h>\n__global__ void k() {\n nvcuda::wmma::fragment<nvcuda::wmma::accumulator, "
     "16, "
     "16, 16, short> f; }",
     3, 16, "wmma has no fragment of this shape and type here"},
    {"__global__ void k(int *p) {\n *p = qu\\\nick + 1; *p = slow; }", 2, 7,
     "'quick' is not known here"},
};

static void errors_say_where_and_what(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct kernelc_result result;
        if (compile(wrong[i].text, &result))
            fail_msg("compiled: %s", wrong[i].text);
        const struct kernelc_message *message = &result.message[0];
        if (message->line != wrong[i].line || message->column != wrong[i].column ||
            !strstr(message->text, wrong[i].part))
            fail_msg("%d:%d: %s, expected %d:%d %s\n%s", message->line, message->column,
                     message->text, wrong[i].line, wrong[i].column, wrong[i].part, wrong[i].text);
        kernelc_free(&result);
    }
}

static void several_errors_are_told(void **state)
{
    (void)state;
    struct kernelc_result result;
    assert_false(
        compile("__global__ void k(int *p)\n{\n    p[0] = a;\n    p[1] = 3 +;\n    p[2] = b;\n}\n",
                &result));
    assert_int_equal(result.messages, 3);
    for (int i = 0; i < 3; i++)
        assert_int_equal(result.message[i].line, 3 + i);
    kernelc_free(&result);
}

static void one_mistake_is_told_once(void **state)
{
    static const char *const texts[] = {
        "__global__ void k(int *p) {\n std::vector<int> v;\n v.push_back(p[0]);\n p[0] = v[0]; }",
        "__global__ void k(int *p) {\n string s = p;\n p[0] = s.length(); }",
        "__global__ void k(flota *p, int n) { p[n] = 1; }",
        "__global__ void k(int *p) { p[0;\n p[1] = 2; }",
        "__global__ void k(int *p) {\n  if (*p) {\n    *p = 1;\n}\n__global__ void j() {}\n",
        "struct P { float x; }\n__global__ void k(P *p) { p->x = 1; }",
        "__global__ void k(int *p) { k<<<1, 32>>>(p); }",
        "__global__ void k(int *p) { cg::thread_block b;\n b.sync(); }",
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct kernelc_result result;
        assert_false(compile(texts[i], &result));
        if (result.messages != 1)
            fail_msg("%d messages, the second is: %s\n%s", result.messages, result.message[1].text,
                     texts[i]);
        kernelc_free(&result);
    }
}

static void the_last_function_may_call_itself(void **state)
{
    (void)state;
    struct kernelc_result result;
    assert_true(compile(
        "__global__ void k() {}\n__device__ int f(int n) { return n ? f(n - 1) : 0; }", &result));
    kernelc_free(&result);
}

static void host_code_is_passed_over(void **state)
{
    (void)state;
    struct kernelc_result result;
    assert_true(compile(
        "#include <vector>\n#include <cstdio>\nstatic std::vector<int> v(10);\n"
        "std::vector<int> f(const std::vector<float> &x) { return {}; }\n"
        "template <typename T> __global__ void k(T *p) { p[0] = 1; }\n"
        "int main() { std::vector<int> x; k<float><<<1, 32>>>(nullptr); return x.size(); }\n",
        &result));
    assert_int_equal(result.kernels, 1);
    assert_string_equal(result.kernel[0].name, "k<float>");
    assert_string_equal(result.kernel[0].symbol, "_Z1kIfEvPT_");
    kernelc_free(&result);
}

/* Clang takes the same file: tests/programs/test_compare_small.sh. */
static void the_right_specialisation_is_chosen(void **state)
{
    (void)state;
    struct error error = {{0}};
    struct kernelc_result result;
    size_t length;
    char *text = file_read("tests/data/specialisations.cu", 1 << 20, &length, &error);
    assert_non_null(text);
    if (!compile(text, &result))
        fail_msg("line %d: %s", result.message[0].line, result.message[0].text);
    kernelc_free(&result);
    free(text);
}

static void an_instance_is_named(void **state)
{
    (void)state;
    static const char *const names[] = {"k<(way)1>", "k<way(1)>", "k<(way)(A + (1))>"};
    const char *text =
        "enum way { A, B };\ntemplate <way W> __global__ void k(int *out) { *out = W; }";
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct kernelc_job job = {.allocator = &heap_allocator,
                                        .source = {"k.cu", text, strlen(text)},
                                        .instance = &names[i],
                                        .instances = 1};
        struct kernelc_result result;
        if (!kernelc_compile(&job, &result))
            fail_msg("%s: %s", names[i], result.message[0].text);
        assert_non_null(strstr(result.ptx, "_Z1kIL3way1EEvPi"));
        kernelc_free(&result);
    }
    /* What is wrong with a name stands in no file: the message says in which. */
    static const char *const wrong[][2] = {
        {"k<nothing>", "kernel 'k<nothing>': 'nothing' is not known here"},
        {"j<A>", "kernel 'j<A>': 'j' is not known here"},
        {"k", "kernel 'k': there is no kernel template of this name"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const struct kernelc_job job = {.allocator = &heap_allocator,
                                        .source = {"k.cu", text, strlen(text)},
                                        .instance = &wrong[i][0],
                                        .instances = 1};
        struct kernelc_result result;
        assert_false(kernelc_compile(&job, &result));
        assert_int_equal(result.message[0].line, 0);
        assert_string_equal(result.message[0].text, wrong[i][1]);
        kernelc_free(&result);
    }
}

/* What a function returns points where it says: else the access would be a generic one, and no join be known of. */
static void returned_pointers_have_their_space(void **state)
{
    (void)state;
    struct kernelc_result result;
    assert_true(
        compile("struct B { int v[32]; __device__ const int *q() const { return v; } };\n"
                "__device__ int *row(int *p, int i) { return p + i * 32; }\n"
                "__global__ void k(int *out) { __shared__ int s[64]; __shared__ B b;\n"
                "row(s, 1)[threadIdx.x] = 1; atomicAdd(row(s, 0), 2); row(out, 0)[0] = b.q()[1]; }",
                &result));
    assert_non_null(strstr(result.ptx, "st.shared.s32"));
    assert_non_null(strstr(result.ptx, "red.shared.add.s32"));
    assert_non_null(strstr(result.ptx, "ld.shared.s32"));
    assert_non_null(strstr(result.ptx, "st.global.s32"));
    assert_null(strstr(result.ptx, "st.s32"));
    kernelc_free(&result);
}

static void arrays_have_names_and_dimensions(void **state)
{
    (void)state;
    struct kernelc_result result;
    assert_true(compile(
        "__global__ void k(float *p) { __shared__ float tile[32][33]; extern __shared__ int "
        "more[];\n"
        "tile[0][threadIdx.x] = p[0]; more[threadIdx.x] = 1; p[0] = tile[0][1] + more[2]; }",
        &result));
    assert_int_equal(result.arrays, 2);
    assert_string_equal(result.array[0].name, "tile");
    assert_string_equal(result.array[0].type, "float");
    assert_int_equal(result.array[0].dimensions, 2);
    assert_int_equal(result.array[0].dimension[0], 32);
    assert_int_equal(result.array[0].dimension[1], 33);
    assert_int_equal(result.array[1].dimension[0], 0);
    assert_string_equal(result.kernel[0].parameter[0].type, "float *");
    kernelc_free(&result);
}

/* ---- limits ------------------------------------------------------------------------------------- */

static void endless_things_end(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "template <int N> struct A { static constexpr int v = A<N + 1>::v; }; __global__ void "
        "k(int *p) { *p = A<0>::v; }",
        "constexpr int f(int n) { while (true) n++; return n; } __global__ void k(int *p) { int "
        "a[f(1)]; *p = a[0]; }",
        "constexpr int f(int n) { return f(n + 1); } __global__ void k(int *p) { int a[f(1)]; *p = "
        "a[0]; }",
        "template <int N> __device__ int f() { return f<N + 1>(); } __global__ void k(int *p) { *p "
        "= f<0>(); }",
        "#include \"k.h\"\n",
        "#define A B B B B B B B B\n#define B C C C C C C C C\n#define C D D D D D D D D\n#define "
        "D E E E E E E E E\n"
        "#define E F F F F F F F F\n#define F G G G G G G G G\n#define G H H H H H H H H\n#define "
        "H I I I I I I I I\n"
        "#define I J J J J J J J J\nint x = A;",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct kernelc_result result;
        const struct kernelc_source include = {"k.h", "#include \"k.h\"\n", 15};
        const struct kernelc_job job = {.allocator = &heap_allocator,
                                        .source = {"k.cu", texts[i], strlen(texts[i])},
                                        .include = &include,
                                        .includes = 1,
                                        .memory_limit = 64 << 20,
                                        .work_limit = 5000000};
        assert_false(kernelc_compile(&job, &result));
        assert_true(result.messages > 0);
        kernelc_free(&result);
    }
}

static char *changed(const char *text, uint64_t *random)
{
    const size_t length = strlen(text);
    char *copy = malloc(2 * length + 64);
    memcpy(copy, text, length + 1);
    size_t now = length;
    *random = *random * UINT64_C(6364136223846793005) + 1442695040888963407u;
    for (int changes = 1 + (int)(*random >> 60) / 4; changes > 0; changes--) {
        *random = *random * UINT64_C(6364136223846793005) + 1442695040888963407u;
        static const char signs[] = "(){}[]<>;,.*&+-=!~?:#\"'\\ 0a\n";
        const size_t at = (size_t)(*random >> 33) % now, count = 1 + (size_t)(*random >> 20) % 12;
        switch (*random >> 61) {
        case 0:
        case 1:
            copy[at] = signs[(*random >> 8) % (sizeof signs - 1)];
            break;
        case 2:
        case 3: /* a part goes */
            if (at + count < now) {
                memmove(copy + at, copy + at + count, now - at - count + 1);
                now -= count;
            }
            break;
        case 4: /* a part comes twice */
            if (at + count < now && now + count < 2 * length) {
                memmove(copy + at + count, copy + at, now - at + 1);
                now += count;
            }
            break;
        case 5:
            copy[at] = (char)(*random >> 12);
            copy[at] = copy[at] ? copy[at] : ' ';
            break;
        default: /* two parts change places */
            if (at + count < now) {
                const size_t other = (size_t)(*random >> 7) % (now - count);
                for (size_t i = 0; i < count; i++) {
                    char c = copy[at + i];
                    copy[at + i] = copy[other + i];
                    copy[other + i] = c;
                }
            }
        }
        if (now < 20)
            break;
    }
    return copy;
}

/* Whatever the bytes are, there is PTX that the machine takes, or a message. */
static void any_bytes_give_ptx_or_a_message(void **state)
{
    (void)state;
    uint64_t random = 12345;
    const char *rounds = getenv("KERNELC_ROUNDS");
    const int count = rounds ? atoi(rounds) : 12;
    for (int round = 0; round < count; round++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            char source[2000];
            snprintf(source, sizeof source,
                     "%s\n__global__ void k(int *out, const int *in) { int t = threadIdx.x; out[t] "
                     "= f(t, in[t]); }\n",
                     cases[i].text);
            char *text = changed(source, &random);
            struct kernelc_result result;
            struct kernelc_job job = {.allocator = &heap_allocator,
                                      .source = {"k.cu", text, strlen(text)},
                                      .memory_limit = 64 << 20,
                                      .work_limit = 3000000};
            if (round % 4 == 3)
                job.memory_limit = 4000000 + (size_t)(random >> 40) % 3000000;
            struct error error = {""};
            if (kernelc_compile(&job, &result)) {
                struct machine_memory *memory = machine_memory_new(&heap_allocator);
                const struct machine_text ptx = {result.ptx, result.length, "k.ptx"};
                struct machine_module *module = machine_load(memory, &ptx, 1, &error);
                bool good = module != NULL;
                for (int k = 0; good && k < result.kernels; k++)
                    good = machine_kernel_decode(machine_kernel(module, result.kernel[k].symbol),
                                                 &error);
                if (!good && !strstr(text, "asm"))
                    fail_msg("%s\n%s", error.text, text);
                machine_unload(module);
                machine_memory_free(memory);
            } else {
                assert_true(result.messages > 0);
            }
            kernelc_free(&result);
            free(text);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_language_means_what_c_says),
        cmocka_unit_test(errors_say_where_and_what),
        cmocka_unit_test(several_errors_are_told),
        cmocka_unit_test(one_mistake_is_told_once),
        cmocka_unit_test(the_last_function_may_call_itself),
        cmocka_unit_test(host_code_is_passed_over),
        cmocka_unit_test(the_right_specialisation_is_chosen),
        cmocka_unit_test(an_instance_is_named),
        cmocka_unit_test(returned_pointers_have_their_space),
        cmocka_unit_test(arrays_have_names_and_dimensions),
        cmocka_unit_test(endless_things_end),
        cmocka_unit_test(any_bytes_give_ptx_or_a_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
