/* bank_stride - a warp reads words 1, 2, ... 33 apart: gcd(stride, 32) ways. Odd strides have no
   conflicts. */
#include "program.h"

template <int STRIDE> __global__ void read(const int *in, int *out)
{
    __shared__ int words[32 * STRIDE];
    for (int i = threadIdx.x; i < 32 * STRIDE; i += 32)
        words[i] = in[i];
    __syncthreads();
    out[threadIdx.x] = words[threadIdx.x * STRIDE];
}

int main()
{
    struct {
        int stride;
        void (*kernel)(const int *, int *);
    } cases[] = {{1, read<1>},   {2, read<2>},   {3, read<3>},   {4, read<4>},
                 {6, read<6>},   {8, read<8>},   {16, read<16>}, {24, read<24>},
                 {31, read<31>}, {32, read<32>}, {33, read<33>}};
    std::vector<int> in = random_ints(32 * 33, 1000);
    int *device_in = to_device(in), *device_out = on_device<int>(32), wrong = 0;
    for (auto &one : cases) {
        std::vector<int> want;
        for (int lane = 0; lane < 32; lane++)
            want.push_back(in[lane * one.stride]);
        one.kernel<<<1, 32>>>(device_in, device_out);
        CUDA(launched());
        wrong += compare("out", to_host(device_out, 32), want);
    }
    CUDA(cudaFree(device_in));
    CUDA(cudaFree(device_out));
    return report("bank_stride", wrong);
}
