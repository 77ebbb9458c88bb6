#!/bin/sh
# program_driver: the driver API: modules of PTX, launches, memory, streams, linking; and programs that are built
# already, in which our runtime takes the place of the toolkit's.
. tests/support/tap.sh
. tests/support/cuda.sh

cat >"$WORK/driver.cu" <<'EOF'
#include <cuda.h>
#include <cstdio>
#include <cstring>
#include <vector>
static const char ptx[] = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .global .align 4 .f32 factor = 0f40000000;
.extern .shared .align 4 .b8 tile[];
.visible .entry scale(.param .u64 x, .param .u32 n, .param .f32 a)
{
    .reg .pred %p<2>; .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .f32 %f<8>;
    ld.param.u64 %rd1, [x]; ld.param.u32 %r1, [n]; ld.param.f32 %f1, [a];
    mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x;
    mad.lo.s32 %r5, %r3, %r4, %r2;
    setp.ge.u32 %p1, %r5, %r1;
    @%p1 bra done;
    mul.wide.u32 %rd2, %r5, 4; cvta.to.global.u64 %rd3, %rd1; add.s64 %rd4, %rd3, %rd2;
    ld.global.f32 %f2, [%rd4];
    mov.u32 %r6, tile; shl.b32 %r7, %r2, 3; add.s32 %r7, %r6, %r7;
    st.shared.f32 [%r7], %f2;
    ld.shared.f32 %f3, [%r7];
    ld.global.f32 %f4, [factor];
    mul.f32 %f3, %f3, %f1; mul.f32 %f3, %f3, %f4;
    st.global.f32 [%rd4], %f3;
done:
    ret;
}
)";
#define CU(call) do { CUresult r = (call); if (r) { const char *n = "?"; cuGetErrorName(r, &n); printf("%s: %s\n", #call, n); return 1; } } while (0)
int main()
{
    CUdevice device; CUcontext context; CUmodule module; CUfunction function; CUdeviceptr x, factor; size_t bytes;
    if (cuMemAlloc(&x, 4) != CUDA_ERROR_NOT_INITIALIZED) return 2;
    CU(cuInit(0));
    CU(cuDeviceGet(&device, 0));
    if (cuMemAlloc(&x, 4) != CUDA_ERROR_INVALID_CONTEXT) return 3;
    char name[100]; int major, minor; size_t total;
    CU(cuDeviceGetName(name, sizeof name, device));
    CU(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
    CU(cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device));
    CU(cuDeviceTotalMem(&total, device));
#if defined __NVCC__ && defined __CUDACC_VER_MAJOR__
    CU(cuCtxCreate(&context, nullptr, 0, device));
#else
    CU(cuCtxCreate(&context, 0, device));
#endif
    CU(cuModuleLoadData(&module, ptx));
    CU(cuModuleGetFunction(&function, module, "scale"));
    if (cuModuleGetFunction(&function, module, "none") != CUDA_ERROR_NOT_FOUND) return 4;
    CU(cuModuleGetFunction(&function, module, "scale"));
    CU(cuModuleGetGlobal(&factor, &bytes, module, "factor"));
    float three = 3;
    CU(cuMemcpyHtoD(factor, &three, 4));
    const int n = 100; std::vector<float> host(n, 1.0f);
    CU(cuMemAlloc(&x, n * 4));
    CU(cuMemcpyHtoD(x, host.data(), n * 4));
    int count = n; float a = 2; void *params[] = {&x, &count, &a};
    CUstream stream; CU(cuStreamCreate(&stream, 0));
    CUevent e0, e1; CU(cuEventCreate(&e0, 0)); CU(cuEventCreate(&e1, 0));
    CU(cuEventRecord(e0, stream));
    CU(cuLaunchKernel(function, 2, 1, 1, 64, 1, 1, 512, stream, params, nullptr));
    CU(cuEventRecord(e1, stream));
    struct { CUdeviceptr x; int n; float a; } packed = {x, count, 0.5f}; size_t size = sizeof packed;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
    CU(cuLaunchKernel(function, 2, 1, 1, 64, 1, 1, 512, stream, nullptr, extra));
    CU(cuStreamSynchronize(stream));
    float ms; CU(cuEventElapsedTime(&ms, e0, e1));
    CU(cuMemcpyDtoH(host.data(), x, n * 4));
    CU(cuMemsetD32(x, 0x3f800000, n));
    float one; CU(cuMemcpyDtoH(&one, x + 4, 4));
    CUlinkState link; void *cubin; size_t cubin_bytes;
    CU(cuLinkCreate(0, 0, 0, &link));
    CU(cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)ptx, sizeof ptx, "k", 0, 0, 0));
    CU(cuLinkComplete(link, &cubin, &cubin_bytes));
    CUmodule linked; CU(cuModuleLoadData(&linked, cubin)); CU(cuLinkDestroy(link));
    CU(cuModuleGetFunction(&function, linked, "scale"));
    int most; CU(cuFuncGetAttribute(&most, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function));
    void *found = nullptr; CU(cuGetProcAddress("cuMemAlloc", &found, 12000, 0, nullptr));
    CU(cuModuleLoadData(&linked, ".version 8.0\n.target sm_80\n.entry k() { nonsense; }")); CUresult bad = cuModuleGetFunction(&function, linked, "k");
    const char *text; CU(cuGetErrorString(CUDA_ERROR_INVALID_VALUE, &text));
    const char *rare; CU(cuGetErrorName(CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING, &rare));
    if (strcmp(rare, "CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING")) return 5;
    CU(cuMemFree(x)); CU(cuModuleUnload(module)); CU(cuCtxDestroy(context));
    printf("%s %d.%d: %g, %g; %d threads, %s, %d\n", name, major, minor, host[99], one, most, text, found != nullptr);
    return bad != CUDA_ERROR_INVALID_PTX;
}
EOF
wanted='NVIDIA H200 [0-9.]*: 9, 1; 1024 threads, invalid argument, 1'
run_it "$BANKSCOPE" run "$WORK/driver.cu" -lcuda
ok "a program that uses the driver API" grep -qx "$wanted" "$WORK/stdout"
ok "is recorded: both launches, by lines of its PTX" \
    grep -Eq 'module-1.ptx:18 +store +8 +14 +6 ' "$WORK/stdout"
ok "code that cannot be run is told of, with its line" \
    grep -q 'driver.cu:81: code: the kernel k cannot be run: module-3.ptx:3: this instruction is not known: nonsense' "$WORK/stderr"
nvcc=/usr/local/cuda/bin/nvcc
if [ -x "$nvcc" ]; then
    run_it env NVCC="$nvcc" "$BANKSCOPE" run "$WORK/driver.cu" -lcuda --compiler nvcc
    ok "the same by nvcc, whose names have versions" grep -qx "$wanted" "$WORK/stdout"
fi

# The runtime API beside it, and functions by their names.
cat >"$WORK/both.cu" <<'EOF'
#include <cuda.h>
#include <cuda_runtime.h>
#include <cstdio>
__global__ void k(int *a) { a[threadIdx.x] = threadIdx.x; }
int main()
{
    int *a, host[32], result = 7;
    cudaMalloc(&a, sizeof host);
    k<<<1, 32>>>(a);
    CUdeviceptr base; size_t bytes; CUcontext context = nullptr;
    CUresult (*range)(CUdeviceptr *, size_t *, CUdeviceptr) = nullptr;
    cudaGetDriverEntryPoint("cuMemGetAddressRange", (void **)&range, 0, nullptr);
    result = range ? range(&base, &bytes, (CUdeviceptr)(a + 5)) : -1;
    cuCtxGetCurrent(&context);
    cuMemcpyDtoH(host, (CUdeviceptr)a, sizeof host);
    int missing = cuMemcpyDtoH(host, 0, 4), last = cudaPeekAtLastError();
    printf("%d %d %zu %d %d %d %d\n", result, base == (CUdeviceptr)a, bytes, host[31], context != nullptr,
           missing, last);
    cudaFree(a);
}
EOF
run_it "$BANKSCOPE" run "$WORK/both.cu"
ok "both in one program, whose errors are apart" grep -qx '0 1 128 31 1 1 0' "$WORK/stdout"

# Addresses that are reserved: a buffer that grows where it is, keeps what is in it, and moves.
cat >"$WORK/grows.cu" <<'EOF'
#include <cuda.h>
#include <cstdio>
#include <cstring>
__global__ void fill(int *a, int n, int by) { for (int i = threadIdx.x; i < n; i += 256) a[i] = i * by; }
__global__ void sum(const int *a, int n, unsigned *s) { for (int i = threadIdx.x; i < n; i += 256) atomicAdd(s, a[i]); }
static int failed;
#define MUST(call, result) do { int got = call; if (got != (result)) failed++, printf("%s: %d\n", #call, got); } while (0)
int main(int argc, char **)
{
    size_t unit;
    CUdevice device;
    CUdeviceptr at, other;
    CUcontext context;
    CUmemAllocationProp of = {};
    CUmemAccessDesc access = {};
    CUmemGenericAllocationHandle part[2];
    unsigned *s, host;
    MUST(cuInit(0), 0);
    MUST(cuDeviceGet(&device, 0), 0);
    MUST(cuDevicePrimaryCtxRetain(&context, device), 0);
    MUST(cuCtxSetCurrent(context), 0);
    of.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    of.location.type = access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    cudaMalloc(&s, 4), cudaMemset(s, 0, 4);
    MUST(cuMemGetAllocationGranularity(&unit, &of, CU_MEM_ALLOC_GRANULARITY_MINIMUM), 0);
    const int n = unit / 4;
    MUST(cuMemAddressReserve(&at, 4 * unit + 1, 0, 0, 0), 1);
    MUST(cuMemAddressReserve(&at, 4 * unit, 0, 0, 0), 0);
    MUST(cuMemAddressReserve(&other, 4 * unit, 0, 0, 0), 0);
    for (int i = 0; i < 2; i++) {
        MUST(cuMemCreate(&part[i], unit, &of, 0), 0);
        MUST(cuMemMap(at + i * unit, unit, 0, part[i], 0), 0);
        MUST(cuMemSetAccess(at + i * unit, unit, &access, 1), 0);
        fill<<<1, 256>>>((int *)at + i * n, n, i + 1);
    }
    MUST(cuMemFree(at), 1);
    sum<<<1, 256>>>((int *)at, 2 * n, s);
    MUST(cuMemUnmap(at, 2 * unit), 0);
    for (int i = 0; i < 2; i++) {
        MUST(cuMemMap(other + i * unit, unit, 0, part[1 - i], 0), 0);
        MUST(cuMemMap(at, unit, 0, part[1 - i], 0), 801); /* it is mapped already */
        MUST(cuMemRelease(part[1 - i]), 0);
        MUST(cuMemRelease(part[1 - i]), 1);
    }
    MUST(cuMemSetAccess(other, 2 * unit, &access, 1), 0);
    sum<<<1, 256>>>((int *)other, n, s);
    cudaMemcpy(&host, s, 4, cudaMemcpyDeviceToHost);
    MUST(cuMemUnmap(other + unit, unit), 0);
    if (argc > 1)
        fill<<<1, 256>>>((int *)other, n + 1, 1);
    MUST(cudaDeviceSynchronize(), argc > 1 ? 700 : 0);
    if (argc == 1) {
        MUST(cuMemAddressFree(other, 4 * unit), 1);
        MUST(cuMemUnmap(other, unit), 0);
        MUST(cuMemAddressFree(other, 4 * unit), 0);
        MUST(cuMemAddressFree(at, 4 * unit), 0);
    }
    unsigned right = 0;
    for (int i = 0; i < n; i++)
        right += 5u * i;
    printf("%d failed, sum %s\n", failed, host == right ? "right" : "wrong");
}
EOF
run_it "$BANKSCOPE" run "$WORK/grows.cu" --excuse argument
ok "memory that is mapped to reserved addresses grows, keeps what is in it, and moves" \
    test "$status: $(head -n 1 "$WORK/stdout")" = '0: 0 failed, sum right'
run_it "$BANKSCOPE" run "$WORK/grows.cu" -- beyond
ok "beyond what is mapped is no memory" grep -q 'grows.cu:4: bad-address: a store of 4 bytes' "$WORK/stderr"

# ---- programs that are built already ------------------------------------------------------------------
libraries=$(dirname "$BANKSCOPE")/cuda
[ -d "$libraries" ] || libraries=$TREE/build/gcc/cuda
cat >"$WORK/app.c" <<'EOF'
#include "cuda.h"
#include <stdio.h>
static const char ptx[] = ".version 8.0\n.target sm_80\n.address_size 64\n.shared .align 4 .b8 s[4096];\n"
    ".visible .entry k(.param .u64 a) {\n.reg .b32 %r<4>; .reg .b64 %rd<4>;\n ld.param.u64 %rd1, [a];\n"
    "mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 7; mov.u32 %r3, s; add.s32 %r2, %r3, %r2;\n"
    "st.shared.u32 [%r2], %r1;\n"
    "mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r1; ret;\n}\n";
int main(int count, char **words)
{
    CUdevice device; CUcontext context; CUmodule module; CUfunction function; CUdeviceptr a; int host[32];
    void *params[] = {&a};
    int bad = cuInit(0) + cuDeviceGet(&device, 0) + cuDevicePrimaryCtxRetain(&context, device) +
        cuCtxSetCurrent(context) + cuModuleLoadData(&module, ptx) + cuModuleGetFunction(&function, module, "k") +
        cuMemAlloc(&a, 128) + cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, 0, params, 0) +
        cuMemcpyDtoH(host, a, 128) + cuMemFree(a);
    printf("%d %d %s\n", bad, host[31], words[count - 1]);
    return bad;
}
EOF
include=$TREE/program/compile/include
if cc -w -I"$include" "$WORK/app.c" -o "$WORK/app" -L"$libraries" -l:libcuda.so.1 2>"$WORK/cc"; then
    run_it "$BANKSCOPE" run --no-gpu -- "$WORK/app" word
    ok "a program that is built already runs, with its words" grep -qx '0 31 word' "$WORK/stdout"
    ok "and is recorded" grep -Eq 'module-1.ptx:9 +store +1 +32 +31 ' "$WORK/stdout"
else
    cat "$WORK/cc"
    skip "a program that is built already" "cc does not link it"
fi
if [ -x "$nvcc" ]; then
    printf '%s\n' '#include <cstdio>' '__global__ void k(int *a) { __shared__ int s[64]; s[2 * threadIdx.x] = 1;' \
        '__syncthreads(); a[threadIdx.x] = s[2 * threadIdx.x]; }' \
        'int main() { int *a; cudaMallocManaged(&a, 128); k<<<1, 32>>>(a); cudaDeviceSynchronize();' \
        'printf("%d\n", a[31]); }' >"$WORK/built.cu"
    for mode in none size speed; do
        "$nvcc" -cudart shared -arch=compute_80 -lineinfo --compress-mode=$mode "$WORK/built.cu" -o "$WORK/built"
        run_it "$BANKSCOPE" run --no-gpu -- "$WORK/built"
        ok "nvcc's program, its code compressed by mode $mode" \
            grep -Eq 'built.cu:2 +store +1 +2 +1 ' "$WORK/stdout"
    done
    "$nvcc" -cudart static -arch=compute_80 "$WORK/built.cu" -o "$WORK/built"
    refuses "one that has the toolkit's runtime in it" 1 'build it with nvcc -cudart shared' \
        "$BANKSCOPE" run --no-gpu -- "$WORK/built"
    "$nvcc" -cudart shared -gencode arch=compute_80,code=sm_80 "$WORK/built.cu" -o "$WORK/built"
    run_it "$BANKSCOPE" run --no-gpu -- "$WORK/built"
    printf '%s\n' '#include <cstdio>' '__global__ void k(int *a) {' '#ifdef __CUDA_ARCH_FEAT_SM90_ALL' '*a = 1;' '#endif' \
        '}' 'int main() { int *a; cudaMallocManaged(&a, 4); k<<<1, 1>>>(a); cudaDeviceSynchronize();' \
        'printf("specific %d\n", *a); }' >"$WORK/specific.cu"
    "$nvcc" -cudart shared -gencode arch=compute_90,code=compute_90 -gencode arch=compute_90a,code=compute_90a \
        "$WORK/specific.cu" -o "$WORK/specific"
    "$BANKSCOPE" run --no-gpu -- "$WORK/specific" >"$WORK/specific.said" 2>&1
    ok "of PTX for sm_90 and sm_90a it takes the latter" grep -qx 'specific 1' "$WORK/specific.said"
    ok "one without PTX is told so" grep -q 'machine code of a GPU and no PTX' "$WORK/stderr"
fi
refuses "a program that is not there" 1 "there is no program 'none-such'" "$BANKSCOPE" run --no-gpu -- none-such
refuses "no program" 2 'which program' "$BANKSCOPE" run --no-gpu
run_it "$BANKSCOPE" run --no-gpu -- /bin/true
ok "a program that launches nothing is told so" grep -q 'nothing was recorded' "$WORK/stderr"
finish
