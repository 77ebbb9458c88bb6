/* blas_program.cu - calls cuBLAS's functions and compares what they give with loops. Numbers are small and whole, so
 * that sums are exact in every type. Says "N wrong"; cuBLAS 13.1 on an H100 says 0, too. With an argument it does what
 * may not be done. */
#include <cublas_v2.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

static int wrong;
static void expect(const char *what, bool good)
{
    wrong += !good;
    if (!good)
        printf("%s is wrong\n", what);
}
#define GOOD(call) expect(#call, (call) == CUBLAS_STATUS_SUCCESS)

template <typename T> static T number(double x)
{
    return T(x);
}
template <> __half number<__half>(double x)
{
    return __float2half((float)x);
}
template <> __nv_bfloat16 number<__nv_bfloat16>(double x)
{
    return __float2bfloat16((float)x);
}
static double value(double x)
{
    return x;
}
static double value(__half x)
{
    return __half2float(x);
}
static double value(__nv_bfloat16 x)
{
    return __bfloat162float(x);
}

/* Numbers in memory of the device and of the host. */
template <typename T> struct array {
    std::vector<T> host;
    T *device;
    array(size_t count) : host(count)
    {
        for (T &x : host)
            x = number<T>(rand() % 7 - 3);
        cudaMalloc(&device, count * sizeof(T));
        cudaMemcpy(device, host.data(), count * sizeof(T), cudaMemcpyHostToDevice);
    }
    ~array()
    {
        cudaFree(device);
    }
    /* Whether the device has what `wanted` has. */
    bool is(const std::vector<double> &wanted)
    {
        std::vector<T> got(host.size());
        cudaMemcpy(got.data(), device, host.size() * sizeof(T), cudaMemcpyDeviceToHost);
        for (size_t i = 0; i < wanted.size(); i++)
            if (value(got[i]) != wanted[i])
                return false;
        return true;
    }
    void set(const std::vector<double> &values)
    {
        for (size_t i = 0; i < values.size(); i++)
            host[i] = number<T>(values[i]);
        cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice);
    }
    std::vector<double> values() const
    {
        std::vector<double> all;
        for (const T &x : host)
            all.push_back(value(x));
        return all;
    }
};

/* c = alpha op(a) op(b) + beta c, from element `at` of each on. */
static void multiply(std::vector<double> &c, const std::vector<double> &a,
                     const std::vector<double> &b, bool ta, bool tb, int m, int n, int k, int lda,
                     int ldb, int ldc, double alpha, double beta, const size_t at[3])
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int p = 0; p < k; p++)
                sum += a[at[0] + (ta ? p + i * lda : i + p * lda)] *
                       b[at[1] + (tb ? j + p * ldb : p + j * ldb)];
            double &to = c[at[2] + i + j * ldc];
            to = alpha * sum + beta * to;
        }
}

struct shape {
    bool ta, tb;
    int m, n, k, lda, ldb, ldc;
};
static const shape shapes[] = {{false, false, 70, 9, 33, 71, 40, 77},
                               {true, false, 5, 6, 300, 300, 301, 5},
                               {false, true, 65, 3, 1, 65, 4, 66},
                               {true, true, 64, 5, 17, 20, 5, 64}};
static cublasOperation_t operation(bool transposed)
{
    return transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
}

template <typename T, typename Function> static void products(const char *what, Function function)
{
    for (const shape &s : shapes) {
        const size_t none[3] = {0, 0, 0};
        array<T> a(s.lda * (s.ta ? s.m : s.k)), b(s.ldb * (s.tb ? s.k : s.n)), c(s.ldc * s.n);
        std::vector<double> wanted = c.values();
        multiply(wanted, a.values(), b.values(), s.ta, s.tb, s.m, s.n, s.k, s.lda, s.ldb, s.ldc, 2,
                 -1, none);
        expect(what, function(s, a.device, b.device, c.device) == CUBLAS_STATUS_SUCCESS);
        expect(what, c.is(wanted));
    }
}

template <typename T, typename Strided, typename Batched>
static void batches(const char *what, Strided strided, Batched batched)
{
    enum { COUNT = 3, M = 6, N = 4, K = 5 };
    array<T> a(COUNT * M * K), b(COUNT * K * N), c(COUNT * M * N), d(COUNT * M * N);
    std::vector<double> first = c.values(), second = d.values();
    T *at[3][COUNT], **device;
    for (size_t i = 0; i < COUNT; i++) {
        const size_t from[3] = {i * M * K, i * K * N, i * M * N};
        multiply(first, a.values(), b.values(), false, false, M, N, K, M, K, M, 2, -1, from);
        multiply(second, a.values(), b.values(), false, false, M, N, K, M, K, M, 2, -1, from);
        at[0][i] = a.device + i * M * K;
        at[1][i] = b.device + i * K * N;
        at[2][COUNT - 1 - i] = d.device + (COUNT - 1 - i) * M * N;
    }
    cudaMalloc(&device, sizeof at);
    cudaMemcpy(device, at, sizeof at, cudaMemcpyHostToDevice);
    expect(what, strided(M, N, K, a.device, b.device, c.device, (int)COUNT) == 0 && c.is(first));
    expect(what, batched(M, N, K, device, device + COUNT, device + 2 * COUNT, (int)COUNT) == 0 &&
                     d.is(second));
    cudaFree(device);
}

/* Both types by one text: S(axpy) is cublasSaxpy, where T is float. */
#define VECTORS(T, S, I)                                                                           \
    {                                                                                              \
        enum { N = 11 };                                                                           \
        T two = 2, minus = -1, zero = 0, got = 0;                                                  \
        int place = 0;                                                                             \
        array<T> x(2 * N), y(3 * N), z(N), a(N *N), c(N *N);                                       \
        std::vector<double> xs = x.values(), ys = y.values(), zs = z.values(), as = a.values();    \
        for (int i = 0; i < N; i++)                                                                \
            ys[3 * i] += 2 * xs[2 * i];                                                            \
        GOOD(S(axpy)(h, N, &two, x.device, 2, y.device, 3));                                       \
        expect("axpy", y.is(ys));                                                                  \
        for (int i = 0; i < N; i++)                                                                \
            ys[3 * i] += 2 * xs[2 * (N - 1 - i)];                                                  \
        GOOD(S(axpy)(h, N, &two, x.device, -2, y.device, 3));                                      \
        expect("axpy backwards", y.is(ys));                                                        \
        for (int i = 0; i < N; i++)                                                                \
            ys[3 * i] *= -1;                                                                       \
        GOOD(S(scal)(h, N, &minus, y.device, 3));                                                  \
        expect("scal", y.is(ys));                                                                  \
        for (int i = 0; i < N; i++)                                                                \
            std::swap(ys[3 * i], zs[i]);                                                           \
        GOOD(S(swap)(h, N, y.device, 3, z.device, 1));                                             \
        expect("swap", y.is(ys) && z.is(zs));                                                      \
        for (int i = 0; i < N; i++)                                                                \
            zs[i] = xs[2 * i];                                                                     \
        GOOD(S(copy)(h, N, x.device, 2, z.device, 1));                                             \
        expect("copy", z.is(zs));                                                                  \
        double dot = 0, asum = 0, squares = 0;                                                     \
        int most = 0, least = 0;                                                                   \
        for (int i = 0; i < N; i++) {                                                              \
            dot += zs[i] * ys[3 * i];                                                              \
            asum += fabs(zs[i]);                                                                   \
            squares += zs[i] * zs[i];                                                              \
            most = fabs(zs[i]) > fabs(zs[most]) ? i : most;                                        \
            least = fabs(zs[i]) < fabs(zs[least]) ? i : least;                                     \
        }                                                                                          \
        GOOD(S(dot)(h, N, z.device, 1, y.device, 3, &got));                                        \
        expect("dot", got == dot);                                                                 \
        GOOD(S(asum)(h, N, z.device, 1, &got));                                                    \
        expect("asum", got == asum);                                                               \
        GOOD(S(nrm2)(h, N, z.device, 1, &got));                                                    \
        expect("nrm2", fabs(got - sqrt(squares)) < 1e-5);                                          \
        GOOD(I(amax)(h, N, z.device, 1, &place));                                                  \
        expect("amax", place == most + 1);                                                         \
        GOOD(I(amin)(h, N, z.device, 1, &place));                                                  \
        expect("amin", place == least + 1);                                                        \
        for (int t = 0; t < 2; t++) {                                                              \
            const int m = 7, n = 5, rows = t ? n : m, depth = t ? m : n;                           \
            for (int i = 0; i < rows; i++) {                                                       \
                double sum = 0;                                                                    \
                for (int k = 0; k < depth; k++)                                                    \
                    sum += as[t ? k + i * N : i + k * N] * xs[2 * k];                              \
                ys[3 * i] = 2 * sum - ys[3 * i];                                                   \
            }                                                                                      \
            GOOD(S(gemv)(h, operation(t), m, n, &two, a.device, N, x.device, 2, &minus, y.device,  \
                         3));                                                                      \
            expect("gemv", y.is(ys));                                                              \
        }                                                                                          \
        for (int i = 0; i < 4; i++)                                                                \
            for (int j = 0; j < 6; j++)                                                            \
                as[i + j * N] += 2 * zs[i] * xs[2 * j];                                            \
        GOOD(S(ger)(h, 4, 6, &two, z.device, 1, x.device, 2, a.device, N));                        \
        expect("ger", a.is(as));                                                                   \
        std::vector<double> cs = c.values();                                                       \
        for (int i = 0; i < 4; i++)                                                                \
            for (int j = 0; j < 6; j++)                                                            \
                cs[i + j * N] = 2 * as[j + i * N] - ys[i + j * 4];                                 \
        GOOD(S(geam)(h, CUBLAS_OP_T, CUBLAS_OP_N, 4, 6, &two, a.device, N, &minus, y.device, 4,    \
                     c.device, N));                                                                \
        expect("geam", c.is(cs));                                                                  \
        GOOD(S(geam)(h, CUBLAS_OP_T, CUBLAS_OP_N, 4, 6, &two, a.device, N, &zero, NULL, 4,         \
                     c.device, N));                                                                \
        /* Each triangle, times what shall come out: whole numbers. */                             \
        for (int kind = 0; kind < 16; kind++) {                                                    \
            const bool right = kind & 1, upper = kind & 2, turned = kind & 4, unit = kind & 8;     \
            const int m = 5, n = 4, size = right ? n : m;                                          \
            array<T> triangle(N *N), x(N *N), b(N *N);                                             \
            std::vector<double> ts = triangle.values(), wanted = x.values(), bs = b.values();      \
            for (int i = 0; i < size; i++)                                                         \
                ts[i + i * N] = i % 2 ? 2 : -1;                                                    \
            triangle.set(ts);                                                                      \
            const auto at = [&](int i, int k) {                                                    \
                const int row = turned ? k : i, column = turned ? i : k;                           \
                return row == column  ? unit ? 1 : ts[row + column * N]                            \
                        : upper ? column > row ? ts[row + column * N] : 0                          \
                       : column < row ? ts[row + column * N]                                       \
                                      : 0;                                                         \
            };                                                                                     \
            for (int i = 0; i < m; i++)                                                            \
                for (int j = 0; j < n; j++) {                                                      \
                    double sum = 0;                                                                \
                    for (int k = 0; k < size; k++)                                                 \
                        sum +=                                                                     \
                            right ? wanted[i + k * N] * at(k, j) : at(i, k) * wanted[k + j * N];   \
                    bs[i + j * N] = sum / 2;                                                       \
                }                                                                                  \
            b.set(bs);                                                                             \
            GOOD(S(trsm)(h, right ? CUBLAS_SIDE_RIGHT : CUBLAS_SIDE_LEFT,                          \
                         upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER,                  \
                         operation(turned), unit ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT, m, n,  \
                         &two, triangle.device, N, b.device, N));                                  \
            for (int i = 0; i < m; i++)                                                            \
                for (int j = 0; j < n; j++)                                                        \
                    bs[i + j * N] = wanted[i + j * N];                                             \
            expect("trsm", b.is(bs));                                                              \
        }                                                                                          \
        /* Scalars and results in memory of the device. */                                         \
        array<T> scalar(2);                                                                        \
        cudaMemcpy(scalar.device, &two, sizeof two, cudaMemcpyHostToDevice);                       \
        GOOD(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_DEVICE));                                 \
        GOOD(S(scal)(h, N, scalar.device, z.device, 1));                                           \
        GOOD(S(asum)(h, N, z.device, 1, scalar.device + 1));                                       \
        GOOD(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_HOST));                                   \
        cudaMemcpy(&got, scalar.device + 1, sizeof got, cudaMemcpyDeviceToHost);                   \
        expect("asum on the device", got == 2 * asum);                                             \
    }
#define FLOAT(name) cublasS##name
#define FLOAT_INDEX(name) cublasIs##name
#define DOUBLE(name) cublasD##name
#define DOUBLE_INDEX(name) cublasId##name

/* A product in a graph: it is computed when the graph is launched, each time. */
static void graph(cublasHandle_t h)
{
    float one = 1;
    array<float> a(4), b(4), c(4);
    const size_t none[3] = {0, 0, 0};
    std::vector<double> wanted = c.values();
    cudaStream_t stream, before;
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    cudaStreamCreate(&stream);
    GOOD(cublasGetStream(h, &before));
    GOOD(cublasSetStream(h, stream));
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    GOOD(cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, a.device, 2, b.device, 2, &one,
                     c.device, 2));
    cudaStreamEndCapture(stream, &graph);
    expect("nothing is computed in a capture", c.is(wanted));
    cudaGraphInstantiate(&ready, graph, 0);
    for (int i = 0; i < 2; i++) {
        cudaGraphLaunch(ready, stream);
        multiply(wanted, a.values(), b.values(), false, false, 2, 2, 2, 2, 2, 2, 1, 1, none);
    }
    cudaStreamSynchronize(stream);
    expect("a product in a graph", c.is(wanted));
    GOOD(cublasSetStream(h, before));
}

/* The same product again, and after one of the matrices has changed. */
static void repeated(cublasHandle_t h)
{
    enum { N = 70 };
    const float one = 1, zero = 0;
    const size_t none[3] = {0, 0, 0};
    array<float> a(N * N), b(N * N), c(N * N);
    for (int i = 0; i < 8; i++) {
        array<float> *changed = i == 3 ? &a : i == 5 ? &b : i == 7 ? &c : NULL;
        if (changed) {
            changed->host[N] += 1;
            cudaMemcpy(changed->device + N, &changed->host[N], sizeof(float),
                       cudaMemcpyHostToDevice);
        }
        std::vector<double> wanted = c.values();
        multiply(wanted, a.values(), b.values(), false, false, N, N, N, N, N, N, 1, 0, none);
        GOOD(cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, N, N, N, &one, a.device, N, b.device, N,
                         &zero, c.device, N));
        expect("a product again", c.is(wanted));
    }
}

/* A product of no depth: the factors are not read. */
static void flat(cublasHandle_t h)
{
    const float one = 1, two = 2;
    array<float> a(1), b(1), c(4 * 8);
    std::vector<double> wanted = c.values();
    for (double &x : wanted)
        x *= 2;
    GOOD(cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 4, 8, 0, &one, a.device, 4, b.device, 1, &two,
                     c.device, 4));
    expect("a product of no depth", c.is(wanted));
}

/* What is multiplied by a factor of 0 is not read: its NaN goes nowhere. */
static void unread(cublasHandle_t h)
{
    enum { N = 8 };
    const float zero = 0, two = 2;
    array<float> a(N * N), b(N * N), c(N * N), d(N * N), e(N * N), none(N * N);
    const std::vector<double> as = a.values(), cs = c.values();
    std::vector<double> twice = cs, product(N * N);
    const size_t first[3] = {0, 0, 0};
    for (double &x : twice)
        x *= 2;
    multiply(product, as, b.values(), false, false, N, N, N, N, N, N, 2, 0, first);
    const std::vector<float> nan(N * N, NAN);
    for (float *to : {none.device, d.device, e.device})
        cudaMemcpy(to, nan.data(), sizeof *to * nan.size(), cudaMemcpyHostToDevice);
    GOOD(cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, N, N, N, &zero, none.device, N, none.device, N,
                     &two, c.device, N));
    expect("a product by 0", c.is(twice));
    /* Unless the library does not know that it is 0. */
    array<float> factors(2), f(N * N);
    cudaMemset(factors.device, 0, 2 * sizeof(float));
    GOOD(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_DEVICE));
    GOOD(cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, N, N, N, factors.device, none.device, N,
                     none.device, N, factors.device + 1, f.device, N));
    GOOD(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_HOST));
    float got = 0;
    cudaMemcpy(&got, f.device, sizeof got, cudaMemcpyDeviceToHost);
    expect("a product by a 0 in memory of the device", std::isnan(got));
    GOOD(cublasSgemv(h, CUBLAS_OP_N, N, N, &zero, none.device, N, none.device, 1, &two, a.device,
                     1));
    std::vector<double> vector(as);
    for (int i = 0; i < N; i++)
        vector[i] *= 2;
    expect("a product with a vector by 0", a.is(vector));
    GOOD(cublasSger(h, N, N, &zero, none.device, 1, none.device, 1, a.device, N));
    GOOD(cublasSaxpy(h, N * N, &zero, none.device, 1, a.device, 1));
    expect("what 0 times vectors are added to", a.is(vector));
    cudaMemcpy(a.device, a.host.data(), sizeof(float) * N * N, cudaMemcpyHostToDevice);
    GOOD(cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, N, N, N, &two, a.device, N, b.device, N, &zero,
                     d.device, N));
    expect("a product to which 0 times what was there is added", d.is(product));
    GOOD(cublasSgeam(h, CUBLAS_OP_N, CUBLAS_OP_N, N, N, &two, a.device, N, &zero, none.device, N,
                     e.device, N));
    std::vector<double> sum = as;
    for (double &x : sum)
        x *= 2;
    expect("a sum with 0 times a matrix", e.is(sum));
}

static void forbidden(cublasHandle_t h, const char *what)
{
    float one = 1;
    array<float> a(16), b(16), c(16);
    cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
    if (!strcmp(what, "leading"))
        status = cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &one, a.device, 3, b.device, 4,
                             &one, c.device, 4);
    if (!strcmp(what, "large"))
        status = cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 5, &one, a.device, 4, b.device, 5,
                             &one, c.device, 4);
    if (!strcmp(what, "host"))
        status = cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &one, a.host.data(), 4, b.device,
                             4, &one, c.device, 4);
    if (!strcmp(what, "null"))
        status = cublasSscal(h, 4, &one, NULL, 1);
    if (!strcmp(what, "handle"))
        status = cublasSscal(NULL, 4, &one, a.device, 1);
    if (!strcmp(what, "complex"))
        status = cublasCgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, NULL, NULL, 1, NULL, 1, NULL,
                             NULL, 1);
    printf("%s\n", cublasGetStatusName(status));
}

int main(int argc, char **argv)
{
    cublasHandle_t h;
    GOOD(cublasCreate(&h));
    if (argc > 1) {
        forbidden(h, argv[1]);
        return 0;
    }
    VECTORS(float, FLOAT, FLOAT_INDEX)
    VECTORS(double, DOUBLE, DOUBLE_INDEX)
    float two = 2, minus = -1;
    double two_d = 2, minus_d = -1;
    int two_i = 2, minus_i = -1;
    __half two_h = __float2half(2), minus_h = __float2half(-1);
#define OF(s) operation(s.ta), operation(s.tb), s.m, s.n, s.k
    products<float>("Sgemm", [&](const shape &s, float *a, float *b, float *c) {
        return cublasSgemm(h, OF(s), &two, a, s.lda, b, s.ldb, &minus, c, s.ldc);
    });
    products<double>("Dgemm", [&](const shape &s, double *a, double *b, double *c) {
        return cublasDgemm(h, OF(s), &two_d, a, s.lda, b, s.ldb, &minus_d, c, s.ldc);
    });
    products<__half>("Hgemm", [&](const shape &s, __half *a, __half *b, __half *c) {
        return cublasHgemm(h, OF(s), &two_h, a, s.lda, b, s.ldb, &minus_h, c, s.ldc);
    });
    products<__half>("GemmEx of half", [&](const shape &s, __half *a, __half *b, __half *c) {
        return cublasGemmEx(h, OF(s), &two, a, CUDA_R_16F, s.lda, b, CUDA_R_16F, s.ldb, &minus, c,
                            CUDA_R_16F, s.ldc, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
    });
    products<float>("SgemmEx", [&](const shape &s, float *a, float *b, float *c) {
        return cublasSgemmEx(h, OF(s), &two, a, CUDA_R_32F, s.lda, b, CUDA_R_32F, s.ldb, &minus, c,
                             CUDA_R_32F, s.ldc);
    });
    {
        enum { N = 8 };
        array<int8_t> a(N * N), b(N * N);
        array<int> c(N * N);
        array<__nv_bfloat16> d(N * N), e(N * N);
        array<float> f(N * N);
        const size_t none[3] = {0, 0, 0};
        std::vector<double> cs = c.values(), fs = f.values();
        multiply(cs, a.values(), b.values(), true, false, N, N, N, N, N, N, 2, -1, none);
        multiply(fs, d.values(), e.values(), false, true, N, N, N, N, N, N, 2, -1, none);
        GOOD(cublasGemmEx(h, CUBLAS_OP_T, CUBLAS_OP_N, N, N, N, &two_i, a.device, CUDA_R_8I, N,
                          b.device, CUDA_R_8I, N, &minus_i, c.device, CUDA_R_32I, N,
                          CUBLAS_COMPUTE_32I, CUBLAS_GEMM_DEFAULT));
        GOOD(cublasGemmEx(h, CUBLAS_OP_N, CUBLAS_OP_T, N, N, N, &two, d.device, CUDA_R_16BF, N,
                          e.device, CUDA_R_16BF, N, &minus, f.device, CUDA_R_32F, N, CUDA_R_32F,
                          CUBLAS_GEMM_DEFAULT_TENSOR_OP));
        expect("GemmEx of 8-bit integers", c.is(cs));
        expect("GemmEx of bfloat16", f.is(fs));
    }
    batches<float>(
        "batches of float",
        [&](int m, int n, int k, float *a, float *b, float *c, int count) {
            return cublasSgemmStridedBatched(h, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &two, a, m,
                                             m * k, b, k, k * n, &minus, c, m, m * n, count);
        },
        [&](int m, int n, int k, float **a, float **b, float **c, int count) {
            return cublasSgemmBatched(h, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &two, a, m, b, k,
                                      &minus, c, m, count);
        });
    batches<__half>(
        "batches of half",
        [&](int m, int n, int k, __half *a, __half *b, __half *c, int count) {
            return cublasGemmStridedBatchedEx(h, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &two, a,
                                              CUDA_R_16F, m, m * k, b, CUDA_R_16F, k, k * n, &minus,
                                              c, CUDA_R_16F, m, m * n, count, CUBLAS_COMPUTE_32F,
                                              CUBLAS_GEMM_DEFAULT);
        },
        [&](int m, int n, int k, __half **a, __half **b, __half **c, int count) {
            return cublasGemmBatchedEx(h, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &two, (const void **)a,
                                       CUDA_R_16F, m, (const void **)b, CUDA_R_16F, k, &minus,
                                       (void **)c, CUDA_R_16F, m, count, CUBLAS_COMPUTE_32F,
                                       CUBLAS_GEMM_DEFAULT);
        });
    graph(h);
    repeated(h);
    flat(h);
    unread(h);
    int version = 0;
    GOOD(cublasGetVersion(h, &version));
    expect("the version", version >= 130000);
    GOOD(cublasDestroy(h));
    printf("%d wrong\n", wrong);
}
