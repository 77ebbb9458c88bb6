#!/bin/sh
# runtime object: what CUDA programs are linked with has no global names but CUDA's, all names that CUDA 13's
# library has, with its types, and runs what nvcc makes.
. tests/support/tap.sh

built=$(dirname "$(readlink -f "$BANKSCOPE")")
toolkit=$(for folder in /usr/local/cuda /usr/local/cuda-13.0; do
    [ -f $folder/include/cuda_runtime_api.h ] && echo $folder && break
done)

# global_names FILE: that it defines.
global_names() {
    nm -g --defined-only "$1" | awk 'NF == 3 { print $3 }'
}
only_cuda() {
    global_names "$built/cudart.o" >"$WORK/names"
    [ "$(wc -l <"$WORK/names")" -gt 300 ] && ! grep -Ev '^((__)?cuda|cublas|curand|cu[A-Z])' "$WORK/names"
}
ok "the object has no global names but CUDA's" only_cuda

# Every name that is global before the others are hidden becomes one of a program's own.
defines_all() {
    global_names "$built/cudart/all.o" | grep -Ev '^((__)?cuda|cublas|curand|cu[A-Z])' | sort -u >"$WORK/own"
    [ "$(wc -l <"$WORK/own")" -gt 100 ] || return 1
    sed 's/.*/int &(void); int &(void) { return 1; }/' "$WORK/own" >"$WORK/own.c"
    "${CC:-cc}" -w -fno-builtin -Iprogram/compile/include -o "$WORK/fill" "$WORK/own.c" \
        tests/support/runtime_fill.c "$built/cudart.o" -lpthread &&
        [ "$("$WORK/fill")" = "good 0 100 131" ]
}
ok "a program may use any of the names that are hidden" defines_all

needs_nothing() {
    "${CC:-cc}" -Iprogram/compile/include -o "$WORK/shared" tests/support/runtime_fill.c \
        "$built/libcudart.so.13" -Wl,-rpath,"$built" &&
        [ "$("$WORK/shared")" = "good 0 100 131" ] &&
        ! readelf -d "$built/libcudart.so.13" | grep NEEDED | grep -Ev 'libc\.so|ld-linux|libpthread|libdl|libm\.so' &&
        readelf -d "$built/libcudart.so.13" | grep -q 'soname: \[libcudart.so.13\]'
}
ok "the library needs no other than the C library" needs_nothing

# A program that closes, kills or forks is in test_runtime; one that counts its own malloc is here.
heap_alone() {
    cat >"$WORK/heap.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
#define main filled
#include "tests/support/runtime_fill.c"
#undef main
extern void *__libc_malloc(size_t);
static int calls;
void *malloc(size_t bytes) { calls++; return __libc_malloc(bytes); }
int main(void)
{
    filled(); /* stdio's buffer, once */
    int before = calls;
    filled();
    return calls - before;
}
END
    "${CC:-cc}" -w -I. -Iprogram/compile/include -o "$WORK/heap" "$WORK/heap.c" "$built/cudart.o" -lpthread &&
        "$WORK/heap"
}
ok "launches and allocations leave the program's heap alone" heap_alone

if [ -n "$toolkit" ]; then
    has_all() {
        nm -D --defined-only "$toolkit"/lib*/libcudart.so.13 | awk '/cuda/ { print $3 }' | sort -u >"$WORK/theirs"
        nm -D --defined-only "$built/libcudart.so.13" | awk '/cuda/ { print $3 }' | sort -u >"$WORK/ours"
        grep -q 'cudaMalloc@@libcudart.so.13' "$WORK/theirs" && ! comm -23 "$WORK/theirs" "$WORK/ours" | grep .
    }
    ok "the library has every name of the toolkit's, with its version" has_all
    same_types() {
        for file in program/runtime/*.c; do
            # The first takes no arguments, and the second has other names for functions of the others. The toolkit's
            # headers have no __half in C.
            [ "$file" = program/runtime/missing.c ] || [ "$file" = program/runtime/driver/driver_names.c ] ||
                "${CC:-cc}" -std=gnu11 -D_GNU_SOURCE -D__half=short -fsyntax-only -I. -I"$toolkit/include" \
                    -include cuda_runtime_api.h -Wno-deprecated-declarations \
                    -Wno-incompatible-pointer-types "$file" || return 1
        done
    }
    ok "its functions have the types of the toolkit's header" same_types
else
    skip "the library has every name of the toolkit's, with its version" "no CUDA toolkit"
    skip "its functions have the types of the toolkit's header" "no CUDA toolkit"
fi

if [ -x "$toolkit/bin/nvcc" ]; then
    # nvcc_runs NAME FLAGS SOURCE...: what nvcc made runs with our library; what it says is in $WORK/said.
    nvcc_runs() {
        name=$1 flags=$2
        shift 2
        # shellcheck disable=SC2086 # words
        "$toolkit/bin/nvcc" -arch=compute_90 -cudart shared $flags -o "$WORK/$name" "$@" &&
            LD_LIBRARY_PATH=$built "$WORK/$name" >"$WORK/said" 2>&1
    }
    cat >"$WORK/one.cu" <<'END'
#include <cstdio>
extern __device__ int twice(int);
extern __device__ int added;
__managed__ int shared_value = 7;
__constant__ int factor;
__global__ void k(int *p) { p[threadIdx.x] = factor * twice(threadIdx.x) + added + shared_value; }
int main()
{
    int *p, three = 3, host[32];
    cudaMalloc(&p, sizeof host);
    cudaMemcpyToSymbol(factor, &three, sizeof three);
    shared_value++;
    k<<<1, 32>>>(p);
    printf("%s ", cudaGetErrorName(cudaGetLastError()));
    cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost);
    printf("%d\n", host[31]);
}
END
    cat >"$WORK/two.cu" <<'END'
__device__ int twice(int x) { return 2 * x; }
__device__ int added = 100;
END
    links() {
        nvcc_runs linked "-rdc=true --no-compress" "$WORK/one.cu" "$WORK/two.cu" &&
            [ "$(cat "$WORK/said")" = "cudaSuccess 294" ]
    }
    ok "nvcc's units are linked, with variables of all kinds" links
    ok "compressed PTX is read" nvcc_runs compressed "-Itests/programs" tests/programs/transpose.cu
    per_thread() {
        nvcc_runs streams "--no-compress --default-stream per-thread -Itests/programs" tests/programs/transpose.cu
    }
    ok "names for streams of threads are there" per_thread
else
    skip "nvcc's units are linked, with variables of all kinds" "no nvcc"
    skip "compressed PTX is read" "no nvcc"
    skip "names for streams of threads are there" "no nvcc"
fi

finish
