#!/bin/sh
# blas: programs that call cuBLAS or cuRAND beside their kernels: common functions are computed, and said to be in no
# table; others end the program.
. tests/support/tap.sh
if ! runs_programs || ! have jq; then
    skip "cuBLAS" "needs clang, jq and libdw"
    finish
    exit
fi
program=$TREE/tests/support/blas_program.cu
runs() { "$BANKSCOPE" run "$program" --json="$WORK/json" "$@" >"$WORK/stdout" 2>"$WORK/stderr"; }
is_right() { # COMPILER
    runs --compiler "$1" -lcublas && grep -qx '0 wrong' "$WORK/stdout"
}
ok "its functions give what loops give" is_right clang
ok "each is told once, by its line" test "$(grep -c 'blas_program.cu:[0-9]*: library: cublasSgemm is computed without its kernels' "$WORK/stderr")" = 1
ok "which is a remark" test "$(jq '[.faults[] | select(.kind == "library") | .error] | unique | tostring' "$WORK/json")" = '"[false]"'
excused() { runs --excuse library && [ "$(jq '.faults | length' "$WORK/json")" = 0 ]; }
ok "and can be excused" excused
real=$(find_nvcc || :)
if [ -n "$real" ] && echo '#include <cublas_v2.h>' | "$real" -E -x cu - >/dev/null 2>&1; then
    NVCC=$real
    ok "as nvcc compiles them, too" is_right nvcc
    NVCC=
else
    skip "as nvcc compiles them, too" "there is no nvcc with cuBLAS"
fi
says_status() { # STATUS ARGUMENT
    wanted=$1
    shift
    runs "$@"
    grep -qx "CUBLAS_STATUS_$wanted" "$WORK/stdout"
}
ok "columns that overlap are refused" says_status INVALID_VALUE -- leading
ok "a call without a handle" says_status NOT_INITIALIZED -- handle
ok "a matrix larger than its memory" says_status EXECUTION_FAILED -- large
ok "which is told with its line" grep -q 'blas_program.cu:[0-9]*: argument: cublasSgemm reads 80 bytes from byte 0 of an allocation of 64 bytes' "$WORK/stderr"
ok "a matrix of the host's" says_status EXECUTION_FAILED -- host
ok "so it is" grep -q 'blas_program.cu:[0-9]*: argument: cublasSgemm reads 64 bytes at 0x[0-9a-f]*, which is no memory of the device (a host pointer?)' "$WORK/stderr"
ok "a vector that is nowhere" says_status EXECUTION_FAILED -- null
ok "so it is, too" grep -Eq 'blas_program.cu:[0-9]*: argument: cublasSscal writes 16 bytes at .*, which is no memory of the device$' "$WORK/stderr"
ends() { ! runs -- complex && grep -q '^bankscope: cublasCgemm.* is not available' "$WORK/stderr"; }
ok "a function that is not there ends the program" ends
# cuBLASLt: its header, its library and its handle are no reason to end; a call of it is.
cat >"$WORK/light.cu" <<'END'
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cstdio>
__global__ void one(float *p) { *p = 1; }
int main(int words, char **)
{
    cublasHandle_t handle;
    cublasLtHandle_t light;
    cublasLtMatmulDesc_t product;
    const cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_GELU_BIAS;
    float *p;
    cublasCreate(&handle);
    cublasSetMathMode(handle, CUBLAS_TF32_TENSOR_OP_MATH);
    if (cublasLtCreate(&light) != CUBLAS_STATUS_SUCCESS || cublasGetCudartVersion() < 12000)
        return 2;
    cudaMallocManaged(&p, sizeof *p);
    one<<<1, 1>>>(p);
    cudaDeviceSynchronize();
    printf("%g\n", *p);
    if (words > 1) {
        cublasLtMatmulDescCreate(&product, CUBLAS_COMPUTE_32F, CUDA_R_32F);
        cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue);
    }
    cublasLtDestroy(light);
    cublasDestroy(handle);
    cudaFree(p);
}
END
light() { # COMPILER
    NVCC=$real "$BANKSCOPE" run "$WORK/light.cu" --compiler "$1" -lcublas -lcublasLt >"$WORK/out" 2>&1 &&
        grep -qx 1 "$WORK/out" || { cat "$WORK/out" && return 1; }
    NVCC=$real "$BANKSCOPE" run "$WORK/light.cu" --compiler "$1" -lcublas -lcublasLt -- x >"$WORK/out" 2>&1 && return 1
    grep -q '^bankscope: cublasLtMatmulDescCreate is not available' "$WORK/out" || { cat "$WORK/out" && return 1; }
}
ok "cuBLASLt's handle, and not its products" light clang
if [ -n "$real" ] && echo '#include <cublasLt.h>' | "$real" -E -x cu - >/dev/null 2>&1; then
    ok "by nvcc, too" light nvcc
else
    skip "cuBLASLt by nvcc" "no nvcc, or not with that header"
fi

# cuRAND: tests/support/random_program.cu looks at the numbers itself.
random() { NVCC=$real "$BANKSCOPE" run "$TREE/tests/support/random_program.cu" "$@" >"$WORK/out" 2>&1; }
is_random() { # COMPILER
    random --compiler "$1" -lcurand && grep -qx '0 wrong' "$WORK/out" &&
        grep -q 'random_program.cu:[0-9]*: library: curandGenerateUniform is computed without its kernels' "$WORK/out" ||
        { cat "$WORK/out" && return 1; }
}
ok "cuRAND's numbers of each kind are as they should be" is_random clang
if [ -n "$real" ] && echo '#include <curand.h>' | "$real" -E -x cu - >/dev/null 2>&1; then
    ok "by nvcc, too" is_random nvcc
else
    skip "cuRAND by nvcc" "no nvcc, or not with that header"
fi
refuses_random() { # ARGUMENT LINE
    random --compiler clang -- "$1"
    [ $? = 3 ] && grep -Eq "$2" "$WORK/out" || { cat "$WORK/out" && return 1; }
}
ok "numbers for memory of the host's" refuses_random host \
    'random_program.cu:[0-9]*: argument: curandGenerateUniform writes 262144 bytes at 0x[0-9a-f]*, which is no memory of the device'
ok "numbers behind the end" refuses_random large \
    'random_program.cu:[0-9]*: argument: curandGenerateUniform writes 262148 bytes from byte 0 of an allocation of 262144'
ok "Sobol's sequences" refuses_random sobol 'curandCreateGenerator.*pseudo-random here'

finish
