/* black_scholes - prices of options: arithmetic only, with intrinsics and the error function, structs of
   arrays in global memory, a kernel with many arguments. No shared memory. */
#include "program.h"

__host__ __device__ inline double normal_cdf(double x)
{
    return 0.5 * erfc(-x * 0.70710678118654752440);
}

__global__ void prices(int n, const float *__restrict__ spot, const float *__restrict__ strike,
                       const float *__restrict__ years, float rate, float volatility,
                       float *__restrict__ call, float *__restrict__ put)
{
    int i = threadIdx.x + __umul24(blockIdx.x, blockDim.x);
    if (i >= n)
        return;
    float root = sqrtf(years[i]);
    float d1 = (__logf(spot[i] / strike[i]) + (rate + 0.5f * volatility * volatility) * years[i]) /
               (volatility * root);
    float d2 = d1 - volatility * root, discount = __expf(-rate * years[i]);
    float n1 = (float)normal_cdf(d1), n2 = (float)normal_cdf(d2);
    call[i] = spot[i] * n1 - strike[i] * discount * n2;
    put[i] = __fmaf_rn(strike[i] * discount, 1 - n2, -spot[i] * (1 - n1));
}

int main()
{
    const int n = 500;
    const double rate = 0.02, volatility = 0.3;
    std::vector<int> a = random_ints(n, 100, 1), b = random_ints(n, 100, 2),
                     c = random_ints(n, 10, 3);
    std::vector<float> spot, strike, years, want_call, want_put;
    for (int i = 0; i < n; i++) {
        double s = 5 + 0.25 * a[i], k = 5 + 0.25 * b[i], t = 0.25 + c[i];
        double d1 = (std::log(s / k) + (rate + 0.5 * volatility * volatility) * t) /
                    (volatility * std::sqrt(t));
        double d2 = d1 - volatility * std::sqrt(t), discount = std::exp(-rate * t);
        spot.push_back((float)s);
        strike.push_back((float)k);
        years.push_back((float)t);
        want_call.push_back((float)(s * normal_cdf(d1) - k * discount * normal_cdf(d2)));
        want_put.push_back((float)(k * discount * normal_cdf(-d2) - s * normal_cdf(-d1)));
    }
    float *device_spot = to_device(spot), *device_strike = to_device(strike);
    float *device_years = to_device(years), *call = on_device<float>(n), *put = on_device<float>(n);
    prices<<<(n + 127) / 128, 128>>>(n, device_spot, device_strike, device_years, (float)rate,
                                     (float)volatility, call, put);
    CUDA(launched());
    int wrong = compare("call", to_host(call, n), want_call, 1e-4);
    wrong += compare("put", to_host(put, n), want_put, 1e-4);
    for (float *memory : {device_spot, device_strike, device_years, call, put})
        CUDA(cudaFree(memory));
    return report("black_scholes", wrong);
}
