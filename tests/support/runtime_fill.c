/* runtime_fill.c - a program that launches a kernel of PTX as a compiler makes programs do it, for
 * test_runtime_object.sh. */
#include "driver_types.h"

#include <stdio.h>

void **__cudaRegisterFatBinary(void *data);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                            int threads, void *tid, void *bid, void *block, void *grid, int *warp);
cudaError_t cudaMalloc(void **memory, size_t bytes);
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind);
cudaError_t cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments,
                             size_t shared, cudaStream_t stream);

static const char text[] = ".version 7.5\n.target sm_80\n.address_size 64\n"
                           ".visible .entry fill(.param .u64 p)\n{\n"
                           ".reg .b32 %r<2>;\n.reg .b64 %rd<4>;\n"
                           "ld.param.u64 %rd0, [p];\ncvta.to.global.u64 %rd1, %rd0;\n"
                           "mov.u32 %r0, %tid.x;\nmul.wide.u32 %rd2, %r0, 4;\n"
                           "add.s64 %rd3, %rd1, %rd2;\nadd.u32 %r1, %r0, 100;\n"
                           "st.global.u32 [%rd3], %r1;\nret;\n}\n";

int main(void)
{
    static struct {
        int magic, version;
        const void *data;
        void *list;
    } wrapper = {0x466243b1, 1, text, NULL};
    static char stub;
    void **handle = __cudaRegisterFatBinary(&wrapper), *device = NULL, *arguments[] = {&device};
    unsigned host[32] = {0};
    dim3 one = {1, 1, 1}, warp = {32, 1, 1};
    __cudaRegisterFunction(handle, &stub, NULL, "fill", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFatBinaryEnd(handle);
    cudaError_t error = cudaMalloc(&device, sizeof host);
    if (error == cudaSuccess)
        error = cudaLaunchKernel(&stub, one, warp, arguments, 0, NULL);
    if (error == cudaSuccess)
        error = cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
    printf("%s %d %u %u\n", error == cudaSuccess ? "good" : "bad", (int)error, host[0], host[31]);
    return error != cudaSuccess;
}
