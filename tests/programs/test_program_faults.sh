#!/bin/sh
# program: the faults of CUDA programs as they stand come with lines, and correct programs have none.
. tests/support/tap.sh
. tests/support/cuda.sh

# ---- what is wrong --------------------------------------------------------------------------------
finds "a race" 'fault.cu:6: race: a load of 4 bytes at s\[31\], where thread \(31, 0, 0\) of block \(0, 0, 0\) stores; no barrier .*fault.cu:5' \
    '__global__ void k(int *o) { __shared__ int s[64];' '' 's[threadIdx.x] = threadIdx.x;' \
    'o[threadIdx.x] = s[63 - threadIdx.x]; }' "int main() { $device k<<<1, 64>>>(d); cudaFree(d); }"
ok "is an error" test "$status" -eq 1
finds "a race of bytes" 'race: a load of 1 bytes at s\[1\], where thread \(1, 0, 0\)' \
    '__global__ void k(char *o) { __shared__ char s[8]; s[threadIdx.x] = 1;' \
    'o[threadIdx.x] = s[threadIdx.x ^ 1]; }' "int main() { $device k<<<1, 4>>>((char *)d); cudaFree(d); }"
finds "a race in the last word of 16 bytes" 'race: a store of 4 bytes at (s.w|byte (0|12) of s|byte 12 of shared memory), where thread \(0, 0, 0\)' \
    '__global__ void k(int *o) { __shared__ int4 s; s = make_int4(1, 1, 1, threadIdx.x);' \
    '__syncthreads(); o[threadIdx.x] = s.w; }' "int main() { $device k<<<1, 2>>>(d); cudaFree(d); }"
finds "a race of blocks in global memory" 'fault.cu:3: race: a store of 4 bytes at byte 0 of an allocation .* of block' \
    '__global__ void k(int *o) { o[0] = blockIdx.x; }' "int main() { $device k<<<2, 1>>>(d); cudaFree(d); }"
finds "an index outside a shared array" 'fault.cu:3: bad-address: a store of 4 bytes at s\[60\], byte 240 of s, which has 240 bytes \(thread \(60, 0, 0\)' \
    '__global__ void k(int *o) { __shared__ int s[60]; s[threadIdx.x] = 1; __syncthreads(); *o = s[0]; }' \
    "int main() { $device k<<<1, 64>>>(d); cudaFree(d); }"
finds "a row outside a shared array of two dimensions" 'fault.cu:3: bad-address: a store of 4 bytes at s\[4\]\[3\], byte 140 of s, which has 128 bytes' \
    '__global__ void k(int *o) { __shared__ int s[4][8]; s[threadIdx.x][3] = 1; __syncthreads(); *o = s[0][3]; }' \
    "int main() { $device k<<<1, 8>>>(d); cudaFree(d); }"
finds "an address below all shared arrays" 'fault.cu:5: bad-address: a load of 4 bytes at (s\[-16\], byte -64|byte .*) of s, which has 16 bytes' \
    '__global__ void k(int *o) { __shared__ int s[4]; s[0] = 1; int x;' \
    'unsigned at = (unsigned)__cvta_generic_to_shared(s) - 64;' \
    'asm("ld.shared.u32 %0, [%1];" : "=r"(x) : "r"(at)); *o = x; }' "int main() { $device k<<<1, 1>>>(d); cudaFree(d); }"
finds "an index outside dynamic shared memory" 'bad-address: a store of 4 bytes at s\[32\], byte 128 of s, which has 128 bytes \(thread \(32, 0, 0\)' \
    '__global__ void k() { extern __shared__ int s[]; s[threadIdx.x] = 1; }' 'int main() { k<<<1, 64, 128>>>(); }'
finds "an index far below the first allocation" 'fault.cu:3: bad-address: a load of 4 bytes at 0x' \
    '__global__ void k(int *o) { o[threadIdx.x] = o[threadIdx.x - 2000]; }' "int main() { $device k<<<1, 4>>>(d); cudaFree(d); }"
# As on a GPU, which has pages of 2 MiB, a load beside an allocation does not end the launch.
for beside in '-1:, 4 bytes before an allocation of 256 bytes' '64: at byte 256 of an allocation of 256 bytes'; do
    finds "a load at index ${beside%%:*} of 64" "fault.cu:3: out-of-bounds: a load of 4 bytes${beside#*:}" \
        "__global__ void k(int *o) { o[threadIdx.x] = o[${beside%%:*}] + 5; }" \
        "int main() { $device k<<<2, 1>>>(d); printf(\"%s\n\", cudaGetErrorString(cudaDeviceSynchronize()));" \
        'int got; cudaMemcpy(&got, d, 4, cudaMemcpyDeviceToHost); printf("%d\n", got); cudaFree(d); }'
    ok "whose launch goes on" sh -c "grep -qx 'no error' '$WORK/stdout' && grep -qx 5 '$WORK/stdout'"
done
finds "an index outside an allocation" 'fault.cu:3: bad-address: a store of 4 bytes at byte 256 of an allocation of 256 bytes .*\(thread \(63, 0, 0\)' \
    '__global__ void k(int *o) { o[threadIdx.x + 1] = 1; }' "int main() { $device k<<<1, 64>>>(d); cudaFree(d); }"
last_block='__device__ int done; __global__ void k(int *o) { __shared__ bool last;
if (!threadIdx.x) { o[blockIdx.x] = blockIdx.x; FENCE; last = atomicAdd(&done, 1) == gridDim.x - 1; } __syncthreads();
if (last && !threadIdx.x) for (int i = 0; i < gridDim.x; i++) o[63] += o[i]; }'
# The last one may be block 0, which misses block 1's first.
finds "a last block that the others told of what they stored without a fence" \
    'fault.cu:6: missing-fence: a load of 4 bytes at byte [04] .*, where thread \(0, 0, 0\) of block \([01], 0, 0\) stores; .*no __threadfence.*fault.cu:5' \
    '#define FENCE' "$last_block" "int main() { $device k<<<4, 32>>>(d); cudaFree(d); }"
run_it "$BANKSCOPE" run --jobs 1 --excuse missing-fence "$WORK/fault.cu"
ok "which may be excused" test "$status" -eq 0
printf '%s\n' '#define FENCE __threadfence()' "$last_block" "int main() { $device k<<<4, 32>>>(d); cudaFree(d); }" >"$WORK/fenced.cu"
run_it "$BANKSCOPE" run "$WORK/fenced.cu"
ok "and with the fence is right" test "$status" -eq 0
finds "a read of shared memory before it was written" 'unwritten-read: a load of 4 bytes at s\[0\], which nothing has written \(thread \(0, 0, 0\)' \
    '__global__ void k(int *o) { __shared__ int s[64]; if (threadIdx.x) s[threadIdx.x] = 1;' \
    '__syncthreads(); o[threadIdx.x] = s[threadIdx.x]; }' "int main() { $device k<<<1, 64>>>(d); cudaFree(d); }"
finds "a read of global memory before it was written" 'unwritten-read: .* byte 0 of an allocation' \
    '__global__ void k(int *o) { o[threadIdx.x] += 1; }' 'int main() { int *d; cudaMalloc(&d, 256); k<<<1, 64>>>(d); cudaFree(d); }'
finds "a use after free" 'bad-address: a store of 4 bytes in an allocation of 256 bytes .*that was freed' \
    '__global__ void k(int *o) { o[threadIdx.x] = 1; }' "int main() { $device cudaFree(d); k<<<1, 64>>>(d); }"
finds "a host pointer" 'bad-address: a store .*a host pointer' \
    '__global__ void k(int *o) { *o = 1; }' 'int main() { static int *h = new int[64]; k<<<1, 1>>>(h); }'
finds "a barrier that not all threads reach" 'fault.cu:3: barrier-after-return: 48 of 64 threads' \
    '__global__ void k() { if (threadIdx.x < 16) __syncthreads(); }' 'int main() { k<<<1, 64>>>(); }'
finds "a mask without lanes that use it, by two instructions of a line" \
    'fault.cu:3: bad-mask: the mask 0xf does not name lane 4, which uses it .*; 8 times' \
    '__global__ void k(int *o) { __syncwarp(15); *o = 1; __syncwarp(15); }' "int main() { $device k<<<1, 8>>>(d); cudaFree(d); }"
ok "in one line" test "$(grep -c bad-mask "$WORK/stderr")" -eq 1
finds "a mask that names lanes which do not come" 'fault.cu:3: bad-mask: .*0xffff0000' \
    '__global__ void k(int *o) { if (threadIdx.x < 16) o[0] = __shfl_sync(~0u, 1, 0); __syncthreads(); }' \
    "int main() { $device k<<<1, 32>>>(d); cudaFree(d); }"
finds "an endless loop" 'fault.cu:[34]: endless' '__global__ void k(volatile int *o) {' 'while (*o == 0);' '}' \
    "int main() { $device k<<<1, 32>>>(d); printf(\"%s\n\", cudaGetErrorString(cudaDeviceSynchronize())); }"
ok "whose launch ends with an error" grep -q 'timed out' "$WORK/stdout"
finds "a null pointer" 'fault.cu:3: bad-address: .* through a null pointer .*\(thread \(0, 0, 0\)' \
    '__global__ void k(int *o) { *o = 1; }' 'int main() { k<<<1, 32>>>(nullptr); }'
finds "calls without end" 'stack-overflow' \
    '__device__ int f(int n) { volatile int a[64]; a[n % 64] = n; return n ? f(n + 1) + a[0] : 0; }' \
    '__global__ void k(int *o) { *o = f(1); }' "int main() { $device k<<<1, 1>>>(d); }"
recursion='__device__ __noinline__ int f(int n, int x) { int a[64]; for (int i = 0; i < 64; i++) a[i] = x + i * n;
int y = n > 1 ? f(n - 1, x + a[(n + x) % 64]) : x; return y + a[(unsigned)y % 64]; }
__global__ void k(int n, int *o) { o[threadIdx.x] = f(n, threadIdx.x); }'
finds "a recursion that needs more stack than a thread has" \
    'fault.cu:4: stack-overflow: 4 calls in each other, .* need 10[0-9][0-9] bytes of stack at least, and a thread has 1024: cudaDeviceSetLimit' \
    "$recursion" "int main() { $device k<<<1, 32>>>(40, d); return cudaDeviceSynchronize() != cudaErrorIllegalAddress; }"
finds "a recursion for which the program has made too little room" \
    'fault.cu:4: stack-overflow: 1[0-9] calls in each other.*and a thread has 4096' "$recursion" \
    "int main() { $device cudaDeviceSetLimit(cudaLimitStackSize, 4096); k<<<1, 32>>>(40, d); }"
finds "an assertion" 'fault.cu:3: assert: .*threadIdx.x < 7.*\(thread \(7, 0, 0\)' \
    '__global__ void k() { assert(threadIdx.x < 7); }' 'int main() { k<<<1, 32>>>(); }'
finds "an instruction that there is not" 'code: the kernel scale<float> cannot be run: .*frobnicate' \
    'template <class T> __global__ void scale(T *o) { asm volatile("frobnicate.b32 %0;" : : "r"(1)); }' \
    "int main() { $device scale<<<1, 1>>>((float *)d); cudaFree(d); }"
finds "a trap" 'trap: .*\(thread \(3, 0, 0\)' \
    '__global__ void k() { if (threadIdx.x == 3) __trap(); }' 'int main() { k<<<1, 32>>>(); }'
cat >"$WORK/trap.ptx" <<'EOT'
.version 8.0
.target sm_80
.address_size 64
.file 1 "trap.cu"
.visible .entry k(.param .u32 n)
{
.reg .pred %p<2>;
.reg .b32 %r<3>;
.loc 1 4 0
ld.param.u32 %r1, [n];
.loc 1 6 3
mov.u32 %r2, %tid.x;
setp.gt.u32 %p1, %r2, %r1;
@%p1 bra L;
.loc 1 9 1
ret;
L:
.loc 1 0 1
trap;
}
EOT
says "a trap that nvcc puts without a line: at the branch to it" 'trap.cu:6: trap: .*\(thread \(4, 0, 0\)' \
    "$BANKSCOPE" run "$WORK/trap.ptx" --call 'k<<<1, 32>>>(3)'
printf 'int main() { return 3; }\n' >"$WORK/ends.cu"
run_it "$BANKSCOPE" run "$WORK/ends.cu"
ok "a program's own status is told" grep -qx 'bankscope run: the program ended with status 3' "$WORK/stderr"
ok "and kept" test "$status" -eq 3
printf '__global__ void k() { exit(3); }\nint main() { k<<<1, 1>>>(); }\n' >"$WORK/exits.cu"
says "an exit in a kernel" 'exits.cu:1:.*error: .*exit' "$BANKSCOPE" run --no-nvcc "$WORK/exits.cu"
printf '__global__ void k() {}\nint main() { %s cudaMalloc(&d, 256); k<<<1, 1>>>(); }\n' "$device" >"$WORK/leaks.cu"
run_it "$BANKSCOPE" run --leaks "$WORK/leaks.cu"
ok "memory that is never freed" grep -q 'leak: 512 bytes in 2 allocations' "$WORK/stderr"
ok "is no error" test "$status" -eq 0

# ---- errors of launches ----------------------------------------------------------------------------
finds "a launch whose error nobody asks for" \
    'fault.cu:5: unchecked: the launch of scale<float> failed \(cudaErrorInvalidConfiguration: .*\), and the program did not ask$' \
    'template <class T> __global__ void scale(T *) {}' 'int main() {' '    scale<float><<<1, 2000>>>(nullptr);' \
    '    return cudaDeviceSynchronize(); }'
ok "is a remark" test "$status" -eq 0
for asks in 'cudaGetLastError()' 'cudaPeekAtLastError()' 'cudaDeviceSynchronize() ? 0 : cudaGetLastError()'; do
    printf '%s\n' '__global__ void k() {}' "int main() { k<<<1, 2000>>>(); return $asks ? 0 : 1; }" >"$WORK/asked.cu"
    run_it timeout 60 "$BANKSCOPE" run "$WORK/asked.cu"
    ok "which $asks is" sh -c "cat '$WORK/stderr'; test $status -eq 0 && ! grep unchecked '$WORK/stderr'"
done

# ---- what is not looked at ------------------------------------------------------------------------
cat >"$WORK/large.cu" <<'END'
__global__ void k(int *o) { o[(blockIdx.x * blockDim.x + threadIdx.x) ^ 1] = blockIdx.x; }
int main() { int *d; cudaMalloc(&d, 4 << 18); k<<<1024, 256>>>(d); k<<<1, 256>>>(d); cudaDeviceSynchronize(); cudaFree(d); }
END
run_it timeout 60 "$BANKSCOPE" run --race-memory 1 "$WORK/large.cu" --json="$WORK/large.json"
run_it timeout 60 "$BANKSCOPE" run --race-memory 1 "$WORK/large.cu"
ok "races that are not looked for are said on the launch's line" \
    grep -q '^k: launch 0, 1024 .*, races in global memory looked for in part (--race-memory)' "$WORK/stdout"
ok "of no other launch" sh -c "! grep '^k: launch 1.*in part' '$WORK/stdout'"
ok "and in JSON" sh -c "grep -o partly_checked '$WORK/large.json' | wc -l | grep -qx 1"
run_it timeout 60 "$BANKSCOPE" run "$WORK/large.cu"
ok "with room they are looked for" sh -c "! grep 'in part' '$WORK/stdout'"
sed 's/ \^ 1//' "$WORK/large.cu" >"$WORK/beside.cu"
run_it timeout 60 "$BANKSCOPE" run --race-memory 1 "$WORK/beside.cu"
ok "warps that store side by side need less" sh -c "! grep 'in part' '$WORK/stdout'"

# ---- what is right --------------------------------------------------------------------------------
cat >"$WORK/right.cu" <<'EOF'
#include <cstdio>
__global__ void atomics(int *o)
{
    __shared__ int bins[8];
    if (threadIdx.x < 8) bins[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&bins[threadIdx.x % 8], 1);
    __syncthreads();
    if (threadIdx.x < 8) atomicAdd(&o[threadIdx.x], bins[threadIdx.x]);
}
__global__ void warp_synchronous(int *o)
{
    __shared__ volatile int v[64];
    __shared__ int s[64];
    v[threadIdx.x] = s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x < 32) {
        v[threadIdx.x] += v[threadIdx.x + 32];
        v[threadIdx.x] += v[threadIdx.x + 16];
        v[threadIdx.x] += v[threadIdx.x + 8];
        v[threadIdx.x] += v[threadIdx.x + 4];
        v[threadIdx.x] += v[threadIdx.x + 2];
        v[threadIdx.x] += v[threadIdx.x + 1];
        for (int step = 32; step > 0; step /= 2) {
            int other = threadIdx.x + step < 64 ? s[threadIdx.x + step] : 0;
            __syncwarp();
            s[threadIdx.x] += other;
            __syncwarp();
        }
        if (threadIdx.x == 0) o[0] = v[0], o[1] = s[0];
    }
}
__device__ int done;
__global__ void last_block(int *o, volatile int *part)
{
    __shared__ bool last;
    if (threadIdx.x == 0) {
        ((int *)part)[blockIdx.x] = blockIdx.x;
        __threadfence();
        last = atomicAdd(&done, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        int sum = 0;
        for (int i = 0; i < gridDim.x; i++) sum += ((int *)part)[i];
        o[0] = sum;
        done = 0;
    }
}
__global__ void flag(int *found) { if (threadIdx.x > 3) *found = 1; }
__device__ int mutex;
__global__ void locked(int *o)
{
    bool leave = false;
    while (!leave)
        if (atomicCAS(&mutex, 0, 1) == 0) {
            *o += 1;
            __threadfence();
            atomicExch(&mutex, 0);
            leave = true;
        }
}
__device__ volatile int turn;
__global__ void in_turn(int *o)
{
    if (threadIdx.x == 0)
        while (turn != blockIdx.x)
            ;
    __syncthreads();
    if (threadIdx.x == 0) {
        o[0] = 2 * o[0] + blockIdx.x;
        __threadfence();
        turn = blockIdx.x + 1;
    }
}
__device__ volatile int arrived;
__global__ void all_blocks(int *o)
{
    __shared__ int mine;
    if (threadIdx.x == 0) {
        mine = blockIdx.x;
        __threadfence();
        atomicAdd((int *)&arrived, 1);
        while (arrived < gridDim.x)
            ;
        atomicAdd(o, mine);
    }
}
__global__ void spread(int *label) /* atomic minima of what neighbours had */
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, best = label[i];
    if (i > 0) best = min(best, label[i - 1]);
    if (i < 7) best = min(best, label[i + 1]);
    if (best < label[i]) atomicMin(&label[i], best);
}
__global__ void agree(int *o) /* all threads store the same */
{
    __shared__ int square[100];
    int sum = 0;
    for (int i = 0; i < 100; i++) {
        square[i] = i * i;
        sum += square[i];
    }
    __shared__ int4 all;
    all = make_int4(1, 2, 3, 4);
    *o = sum + square[1] + all.w - 4;
}
__device__ __noinline__ int large(int i) /* a frame of 8 KB, of no recursion */
{
    int a[2048];
    for (int k = 0; k < 2048; k++) a[k] = k - i;
    return a[(i * 7 + 5) % 2048];
}
__device__ __noinline__ int nested(int n, int i) /* frames of 256 bytes, for which main makes room */
{
    int a[64];
    for (int k = 0; k < 64; k++) a[k] = k - n;
    return a[i % 64] + (n > 1 ? nested(n - 1, a[(i + n) % 64] & 63) : large(i));
}
__global__ void deep(int *o) { o[threadIdx.x] = nested(40, threadIdx.x); }
__global__ void one(int *o, int i) { o[threadIdx.x] = i; }
typedef void (*way)(int *, int);
void go(way w, int *o) { w<<<1, 8>>>(o, 7); }
int main()
{
    int *d, *p, h[8];
    auto show = [&](const char *what, int n) {
        cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
        printf("%s", what);
        for (int i = 0; i < n; i++) printf(" %d", h[i]);
        puts("");
        cudaMemset(d, 0, sizeof h);
    };
    cudaMalloc(&d, sizeof h);
    cudaMalloc(&p, 1024);
    cudaMemset(d, 0, sizeof h);
    atomics<<<4, 64>>>(d); show("atomics", 8);
    warp_synchronous<<<1, 64>>>(d); show("warps", 2);
    last_block<<<16, 32>>>(d, p); show("last", 1);
    flag<<<2, 64>>>(d); show("flag", 1);
    locked<<<4, 64>>>(d); show("locked", 1);
    in_turn<<<8, 32>>>(d); show("turns", 1);
    all_blocks<<<6, 32>>>(d); show("blocks", 1);
    one<<<1, 8>>>(d, 5); spread<<<2, 4>>>(d); show("labels", 1);
    for (int i = 0; i < 8; i++) h[i] = 7 - i;
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    spread<<<2, 4>>>(d); show("least", 1);
    agree<<<1, 64>>>(d); show("agree", 1);
    cudaDeviceSetLimit(cudaLimitStackSize, 65536);
    deep<<<1, 1>>>(d); show("deep", 1);
    go([](int *o, int i) { one<<<1, 8>>>(o, i); }, d); show("wrapped", 8);
    cudaFree(d);
    cudaFree(p);
}
EOF
cat >"$WORK/wanted" <<'EOF'
atomics 32 32 32 32 32 32 32 32
warps 2016 2016
last 120
flag 1
locked 256
turns 247
blocks 15
labels 5
least 6
agree 328351
deep -815
wrapped 7 7 7 7 7 7 7 7
EOF
for how in '--launch 99' ''; do
    # shellcheck disable=SC2086 # one word or none
    run_it timeout 110 env BANKSCOPE_WATCHED=90 "$BANKSCOPE" run --seconds 90 "$WORK/right.cu" --json="$WORK/right.json" $how
    head -n 12 "$WORK/stdout" >"$WORK/got"
    ok "correct programs are right ${how:-in lockstep}" diff "$WORK/wanted" "$WORK/got"
    grep -v 'chooses none of [0-9]* launches' "$WORK/stderr" >"$WORK/blamed"
    ok "and blamed for nothing ${how:-in lockstep}" diff /dev/null "$WORK/blamed"
done
# Blocks that run at once: which of two atomic operations is looked at first says nothing of which is executed first.
cat >"$WORK/last.cu" <<'END'
__device__ int done;
__global__ void last_block(int *sum, volatile int *part)
{
    __shared__ bool last;
    if (threadIdx.x == 0) {
        part[blockIdx.x] = blockIdx.x;
        __threadfence();
        last = atomicAdd(&done, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        for (int i = 0; i < gridDim.x; i++)
            *sum += part[i];
        done = 0;
    }
}
int main()
{
    int *sum, *part;
    cudaMalloc(&sum, sizeof *sum);
    cudaMalloc(&part, 8 * sizeof *part);
    cudaMemset(sum, 0, sizeof *sum);
    for (int i = 0; i < 20000; i++)
        last_block<<<8, 32>>>(sum, part);
    return cudaDeviceSynchronize();
}
END
run_it timeout 110 "$BANKSCOPE" run "$WORK/last.cu" --jobs 4 --kernel last_block
ok "blocks at once that count who is last are blamed for nothing" diff /dev/null "$WORK/stderr"

# ---- what a compiler has removed ------------------------------------------------------------------
cat >"$WORK/gone.cu" <<'EOT'
__global__ void gone(int *o)
{
    __shared__ int s[64];
    s[threadIdx.x + 64] = 1;
    o[threadIdx.x] = 2;
}
int main()
{
    int *o;
    cudaMalloc(&o, 256);
    gone<<<1, 64>>>(o);
    cudaFree(o);
}
EOT
unused() { # OPTION
    (cd "$WORK" && "$BANKSCOPE" run --compiler clang "$1" gone.cu >stdout 2>stderr)
}
if have clang; then
    ok "a store to an array that nothing reads is not in -O3's code" unused -O3
    ok "nor the array" grep -qx 'no access to shared memory' "$WORK/stdout"
    unused -O0
    ok "the table says that it is of -O0" grep -q ' as compiled by clang [0-9]* -O0 for sm_80$' "$WORK/stdout"
    ok "and is found" grep -q 'gone.cu:4: bad-address: a store of 4 bytes at s\[64\], byte 256 of s, which has 256 bytes' "$WORK/stderr"
fi
finish
