/* wmma_product - products of small matrices by tensor cores, D = 2 A B + C, of each type that they take.
   A block is one warp, which brings its matrices to shared memory first. All numbers are small and whole,
   so that every sum is exact. */
#include "program.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

/* How a matrix lies in memory: its rows (columns) one after the other, and 16 bytes between them. */
template <typename T> __host__ __device__ constexpr int padded(int length)
{
    return length + 16 / static_cast<int>(sizeof(T));
}
template <typename T> __device__ void copy(T *to, const T *from, int count)
{
    for (int i = threadIdx.x; i < count; i += 32)
        to[i] = from[i];
}

template <int M, int N, int K, typename T, typename In, typename La, typename Lb, typename Sum,
          wmma::layout_t LAYOUT>
__global__ void product(const In *a, const In *b, const Sum *c, Sum *d, int lda, int ldb, int ldc,
                        int lines_a, int lines_b, int lines_c)
{
    __shared__ alignas(32) In tile_a[1024], tile_b[1024];
    __shared__ alignas(32) Sum tile_c[1024];
    wmma::fragment<wmma::matrix_a, M, N, K, T, La> left;
    wmma::fragment<wmma::matrix_b, M, N, K, T, Lb> right;
    wmma::fragment<wmma::accumulator, M, N, K, Sum> sum, old;
    copy(tile_a, a, lines_a * lda);
    copy(tile_b, b, lines_b * ldb);
    copy(tile_c, c, lines_c * ldc);
    __syncwarp();
    wmma::load_matrix_sync(left, tile_a, lda);
    wmma::load_matrix_sync(right, tile_b, ldb);
    wmma::load_matrix_sync(old, tile_c, ldc, LAYOUT);
    wmma::fill_fragment(sum, Sum(0));
    wmma::mma_sync(sum, left, right, sum);
    for (int i = 0; i < sum.num_elements; i++)
        sum.x[i] = Sum(2) * sum.x[i] + old.x[i];
    wmma::store_matrix_sync(tile_c, sum, ldc, LAYOUT);
    __syncwarp();
    copy(d, tile_c, lines_c * ldc);
}

/* A matrix of so many rows and columns, of whole numbers, as it lies in memory. */
template <typename T> struct matrix {
    int rows, columns, lines, stride;
    bool by_rows;
    std::vector<int> whole;
    matrix(int rows, int columns, bool by_rows, unsigned seed)
        : rows(rows), columns(columns), lines(by_rows ? rows : columns),
          stride(padded<T>(by_rows ? columns : rows)), by_rows(by_rows),
          whole(random_ints(rows * columns, 8, seed))
    {
    }
    int at(int row, int column) const
    {
        return by_rows ? row * stride + column : column * stride + row;
    }
    std::vector<T> memory() const
    {
        std::vector<T> values(lines * stride, T(0));
        for (int row = 0; row < rows; row++)
            for (int column = 0; column < columns; column++)
                values[at(row, column)] = T(static_cast<float>(whole[row * columns + column]));
        return values;
    }
};

template <int M, int N, int K, typename T, typename In, typename La, typename Lb, typename Sum,
          wmma::layout_t LAYOUT>
int check(const char *name)
{
    const bool a_by_rows = std::is_same<La, wmma::row_major>::value;
    const bool b_by_rows = std::is_same<Lb, wmma::row_major>::value;
    matrix<In> a(M, K, a_by_rows, 1), b(K, N, b_by_rows, 2);
    matrix<Sum> c(M, N, LAYOUT == wmma::mem_row_major, 3);
    const int count = c.lines * c.stride;
    In *device_a = to_device(a.memory()), *device_b = to_device(b.memory());
    Sum *device_c = to_device(c.memory()), *device_d = on_device<Sum>(count);
    product<M, N, K, T, In, La, Lb, Sum, LAYOUT><<<1, 32>>>(device_a, device_b, device_c, device_d,
                                                            a.stride, b.stride, c.stride, a.lines,
                                                            b.lines, c.lines);
    CUDA(launched());
    std::vector<Sum> memory = to_host(device_d, count);
    std::vector<float> got, want;
    for (int row = 0; row < M; row++)
        for (int column = 0; column < N; column++) {
            int sum = 0;
            for (int k = 0; k < K; k++)
                sum += a.whole[row * K + k] * b.whole[k * N + column];
            got.push_back(static_cast<float>(memory[c.at(row, column)]));
            want.push_back(static_cast<float>(2 * sum + c.whole[row * N + column]));
        }
    cudaFree(device_a);
    cudaFree(device_b);
    cudaFree(device_c);
    cudaFree(device_d);
    return compare(name, got, want);
}

/* With A, B and C in both layouts. */
template <int M, int N, int K, typename T, typename In, typename Sum>
int check_both(const char *name)
{
    typedef wmma::row_major row;
    typedef wmma::col_major col;
    return check<M, N, K, T, In, row, col, Sum, wmma::mem_row_major>(name) +
           check<M, N, K, T, In, col, row, Sum, wmma::mem_col_major>(name);
}

template <typename T, typename Sum> int check_shapes(const char *name)
{
    return check_both<16, 16, 16, T, T, Sum>(name) + check_both<32, 8, 16, T, T, Sum>(name) +
           check_both<8, 32, 16, T, T, Sum>(name);
}

int main()
{
    int wrong = check_shapes<__half, float>("half") +
                check_both<16, 16, 16, __half, __half, __half>("half sums") +
                check_shapes<__nv_bfloat16, float>("bf16") +
                check_shapes<signed char, int>("signed char") +
                check_both<16, 16, 16, unsigned char, unsigned char, int>("unsigned char") +
                check_both<16, 16, 8, wmma::precision::tf32, float, float>("tf32") +
                check_both<8, 8, 4, double, double, double>("double");
    return report("wmma_product", wrong);
}
