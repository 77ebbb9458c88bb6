// A program that asks cuRAND for numbers of each kind, on the device and on the host: prints what is wrong with them.
#include <curand.h>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

__global__ void twice(float *x, int n)
{
    __shared__ float block[256];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    block[threadIdx.x] = x[i];
    __syncthreads();
    x[i] = 2 * block[255 - threadIdx.x];
}

static int wrong;
static void right(const char *what, bool is)
{
    wrong += !is;
    if (!is)
        printf("wrong: %s\n", what);
}

enum { N = 1 << 16 };
template <class Real> static std::vector<Real> numbers(const Real *device)
{
    std::vector<Real> of(N);
    cudaMemcpy(of.data(), device, N * sizeof(Real), cudaMemcpyDeviceToHost);
    return of;
}
// Whether mean and deviation are about these.
template <class Real>
static bool is_about(const std::vector<Real> &of, double mean, double deviation)
{
    double sum = 0, squares = 0;
    for (Real value : of)
        sum += value;
    for (Real value : of)
        squares += (value - sum / N) * (value - sum / N);
    return std::fabs(sum / N - mean) < 0.02 * deviation &&
           std::fabs(std::sqrt(squares / N) / deviation - 1) < 0.02;
}

int main(int words, char **word)
{
    curandGenerator_t generator, host;
    if (words > 1 && !strcmp(word[1], "sobol"))
        return curandCreateGenerator(&generator, CURAND_RNG_QUASI_SOBOL32) ==
                       CURAND_STATUS_TYPE_ERROR
                   ? 3
                   : 4;
    float *x;
    double *y;
    cudaMalloc(&x, N * sizeof *x);
    cudaMalloc(&y, N * sizeof *y);
    right("a generator",
          curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_DEFAULT) == CURAND_STATUS_SUCCESS);
    right("its seed",
          curandSetPseudoRandomGeneratorSeed(generator, 1234ULL) == CURAND_STATUS_SUCCESS);
    if (words > 1 && !strcmp(word[1], "host"))
        return curandGenerateUniform(generator, numbers(x).data(), N) ==
                       CURAND_STATUS_LAUNCH_FAILURE
                   ? 3
                   : 4;
    if (words > 1 && !strcmp(word[1], "large"))
        return curandGenerateUniform(generator, x, N + 1) == CURAND_STATUS_LAUNCH_FAILURE ? 3 : 4;
    right("uniform", curandGenerateUniform(generator, x, N) == CURAND_STATUS_SUCCESS);
    const std::vector<float> first = numbers(x);
    bool within = true;
    for (float value : first)
        within = within && value > 0 && value <= 1;
    right("above 0, 1 at most", within);
    right("about a half", is_about(first, 0.5, 1 / std::sqrt(12.0)));
    curandGenerateUniform(generator, x, N);
    right("others come next", numbers(x) != first);
    twice<<<N / 256, 256>>>(x, N);
    curandSetPseudoRandomGeneratorSeed(generator, 1234ULL);
    curandGenerateUniform(generator, x, 6);
    curandGenerateUniform(generator, x + 6, N - 6);
    right("the same again, in two parts", numbers(x) == first);
    curandSetPseudoRandomGeneratorSeed(generator, 4321ULL);
    curandGenerateUniform(generator, x, N);
    right("others of another seed", numbers(x) != first);
    curandGenerateUniformDouble(generator, y, N);
    right("uniform doubles", is_about(numbers(y), 0.5, 1 / std::sqrt(12.0)));
    curandGenerateNormal(generator, x, N, 3, 2);
    right("normal", is_about(numbers(x), 3, 2));
    curandGenerateNormalDouble(generator, y, N, -1, 0.5);
    right("normal doubles", is_about(numbers(y), -1, 0.5));
    curandGenerateLogNormal(generator, x, N, 0, 0.25f);
    right("of a normal logarithm",
          is_about(numbers(x), std::exp(1 / 32.0),
                   std::exp(1 / 32.0) * std::sqrt(std::exp(1 / 16.0) - 1)));
    right("an odd number of them is refused",
          curandGenerateNormal(generator, x, 3, 0, 1) == CURAND_STATUS_LENGTH_NOT_MULTIPLE);
    curandGenerate(generator, (unsigned *)x, N);
    curandCreateGeneratorHost(&host, CURAND_RNG_PSEUDO_MT19937);
    curandSetPseudoRandomGeneratorSeed(host, 1234ULL);
    std::vector<float> own(N);
    right("on the host",
          curandGenerateUniform(host, own.data(), N) == CURAND_STATUS_SUCCESS && own == first);
    curandDestroyGenerator(host);
    right("the end", curandDestroyGenerator(generator) == CURAND_STATUS_SUCCESS);
    cudaFree(x);
    cudaFree(y);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
