/*
 * fft - 256 points by four passes of radix 4, 64 threads, in shared memory. A pass reads four points
 * that lie 64 apart (no conflicts) and writes them 1, 4, 16, 64 apart (Stockham: the order comes out
 * right by itself). A point is a float2.
 */
#include "program.h"
#include <complex>

const int N = 256, RADIX = 4, THREADS = N / RADIX;

__device__ float2 operator+(float2 a, float2 b)
{
    return make_float2(a.x + b.x, a.y + b.y);
}
__device__ float2 operator-(float2 a, float2 b)
{
    return make_float2(a.x - b.x, a.y - b.y);
}
__device__ float2 operator*(float2 a, float2 b)
{
    return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}
__device__ float2 times_minus_i(float2 a)
{
    return make_float2(a.y, -a.x);
}

__global__ void fft(const float2 *in, float2 *out)
{
    __shared__ float2 points[N];
    int t = threadIdx.x;
    float2 v[RADIX];
    for (int r = 0; r < RADIX; r++)
        v[r] = in[blockIdx.x * N + t + r * THREADS];

    for (int ns = 1; ns < N; ns *= RADIX) {
        int k = t % ns;
        for (int r = 1; r < RADIX; r++) {
            float sine, cosine;
            sincospif(-2.0f * r * k / (ns * RADIX), &sine, &cosine);
            v[r] = v[r] * make_float2(cosine, sine);
        }
        float2 even = v[0] + v[2], odd = v[0] - v[2];
        float2 even2 = v[1] + v[3], odd2 = times_minus_i(v[1] - v[3]);
        int at = (t / ns) * ns * RADIX + k;
        points[at] = even + even2;
        points[at + ns] = odd + odd2;
        points[at + 2 * ns] = even - even2;
        points[at + 3 * ns] = odd - odd2;
        __syncthreads();
        for (int r = 0; r < RADIX; r++)
            v[r] = points[t + r * THREADS];
        __syncthreads();
    }
    for (int r = 0; r < RADIX; r++)
        out[blockIdx.x * N + t + r * THREADS] = v[r];
}

int main()
{
    const int blocks = 2;
    std::vector<float> values = random_floats(2 * N * blocks);
    std::vector<float2> in(N * blocks);
    for (int i = 0; i < N * blocks; i++)
        in[i] = make_float2(values[2 * i], values[2 * i + 1]);

    float2 *device_in = to_device(in), *device_out = on_device<float2>(N * blocks);
    fft<<<blocks, THREADS>>>(device_in, device_out);
    CUDA(launched());

    std::vector<double> got, want;
    for (float2 point : to_host(device_out, N * blocks))
        got.insert(got.end(), {point.x, point.y});
    const double pi = std::acos(-1);
    for (int block = 0; block < blocks; block++)
        for (int k = 0; k < N; k++) {
            std::complex<double> sum;
            for (int i = 0; i < N; i++) {
                float2 point = in[block * N + i];
                sum += std::complex<double>(point.x, point.y) *
                       std::polar(1.0, -2 * pi * ((long)i * k % N) / N);
            }
            want.insert(want.end(), {sum.real(), sum.imag()});
        }
    int wrong = compare("spectrum", got, want, 1e-3);
    CUDA(cudaFree(device_in));
    CUDA(cudaFree(device_out));
    return report("fft", wrong);
}
