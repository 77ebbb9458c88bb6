#!/bin/sh
# program_views: what a kernel's pointers into dynamic shared memory are called, and where nothing tells.
. tests/support/tap.sh
if ! have clang jq || "$BANKSCOPE" --version | grep -q 'without libdw'; then
    skip "pointers into dynamic memory" "needs clang, jq and libdw"
    finish
    exit
fi
cat >"$WORK/k.cu" <<'EOT'
struct pair { float x, y; };
struct sizes { int n; float *out; short m; };
template <class T> struct memory {
    __device__ operator T *() { extern __shared__ int ints[]; return (T *) ints; }
};

/* Of a parameter, the block, a struct and a template: one behind the other, the last one aligned. */
template <class T> __global__ void behind(sizes p, unsigned n)
{
    T *s = memory<T>();
    pair *q = (pair *) (s + blockDim.x);
    unsigned char *raw = (unsigned char *) (q + p.m);
    uint4 *v = (uint4 *) (((size_t) raw + 15) & ~(size_t) 15);
    s[threadIdx.x] = n;
    q[threadIdx.x].x = n;
    v[threadIdx.x] = make_uint4(1, 2, 3, 4);
    p.out[threadIdx.x] = s[threadIdx.x] + q[threadIdx.x].x + v[threadIdx.x].z;
}
/* One that moves on while others are made of it. */
__global__ void cursor(float *out, int n)
{
    extern __shared__ char bytes[];
    char *p = bytes;
    float *a = (float *) p;
    p += n * sizeof *a;
    int *b = (int *) p;
    a[threadIdx.x] = b[threadIdx.x] = 1;
    float *mine = a + threadIdx.x; /* it begins elsewhere in each thread, and is no array */
    out[threadIdx.x] = *mine;
}
/* Two that are exchanged: neither is the name of a place. */
__global__ void exchanged(float *out, int n)
{
    extern __shared__ float floats[];
    float *now = floats, *then = floats + n;
    for (int i = 0; i < 3; i++) {
        then[threadIdx.x] = i;
        float *third = now;
        now = then;
        then = third;
    }
    out[threadIdx.x] = now[threadIdx.x];
}
/* The same place with two types. */
__global__ void twice(float *out)
{
    extern __shared__ char bytes[];
    float *a = (float *) bytes;
    int *b = (int *) bytes;
    a[threadIdx.x] = 1;
    __syncthreads();
    b[threadIdx.x] = 1;
    out[threadIdx.x] = b[threadIdx.x];
}
/* Where b begins only memory knows: a would seem to go on. */
__global__ void unknown(float *out, const int *where)
{
    extern __shared__ char bytes[];
    float *a = (float *) bytes;
    int *b = (int *) bytes + *where;
    a[threadIdx.x] = 1;
    b[threadIdx.x] = 1;
    out[threadIdx.x] = a[threadIdx.x];
}
__global__ void outside(float *out, int n)
{
    extern __shared__ char bytes[];
    float *a = (float *) bytes;
    int *b = (int *) &a[n];
    a[threadIdx.x] = 1;
    out[threadIdx.x] = b[threadIdx.x ^ 1];
}
/* Rows, and a variable that is no array. */
__global__ void rows(float *out, int n)
{
    extern __shared__ char bytes[];
    __shared__ int sum;
    for (int i = threadIdx.x; i < n + 66; i += 32) /* all of it at once */
        ((float *)bytes)[i] = 0;
    float *a = (float *) bytes;
    float(*row)[33] = (float(*)[33])(a + n);
    if (threadIdx.x == 0)
        sum = n;
    a[threadIdx.x] = row[1][threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = sum + row[0][threadIdx.x ^ 1] + a[threadIdx.x ^ 1];
}
int main()
{
    float *out;
    int *where;
    cudaMalloc(&out, 256);
    cudaMalloc(&where, 4);
    cudaMemset(where, 32, 1);
    cudaMemset((char *) where + 1, 0, 3);
    behind<float><<<1, 64, 64 * 28>>>(sizes{64, out, 64}, 64);
    cursor<<<1, 32, 256>>>(out, 32);
    cursor<<<1, 32, 512>>>(out, 64);
    exchanged<<<1, 32, 256>>>(out, 32);
    twice<<<1, 32, 128>>>(out);
    unknown<<<1, 32, 256>>>(out, where);
    outside<<<1, 32, 256>>>(out, 32);
    rows<<<1, 32, 128 + 264>>>(out, 32);
    return cudaDeviceSynchronize();
}
EOT
cd "$WORK" || exit
# The arrays of a launch's table, a word for each.
arrays() { # LAUNCH
    "$BANKSCOPE" run k.cu --by array --csv=table.csv --launch "$1" $compiler >said 2>&1
    sed 1d table.csv | tr -d '"' | cut -d, -f3 | sort -u | tr '\n' '|'
}
is() { # LAUNCH ARRAYS
    got=$(arrays "$1")
    test "$got" = "$2" || { echo "$got"; head -5 table.csv said; return 1; }
}
all() { # COMPILER
    compiler="--compiler $1"
    ok "$1: arrays one behind the other" is 0 'q (struct pair[])|s (float[])|v (uint4[])|'
    ok "$1: made of a pointer that moves on" is 1 'a (float[])|b (int[])|'
    ok "$1: pointers that are exchanged name nothing" is 3 'floats (float[])|floats+128 (float[])|'
    ok "$1: a place with two types has the memory's name" is 4 'bytes (char[])|'
    ok "$1: rows, and a number that is no array" is 7 'a (float[])|bytes (char[])|row (float[][33])|sum (int)|'
    ok "$1: none where one begins somewhere" is 5 'bytes (char[])|'
}
all clang
NVCC=$(find_nvcc)
export NVCC
if test "$NVCC"; then
    all nvcc
else
    skip "nvcc: the same" "needs nvcc"
fi
NVCC=
compiler=
in_trace() { # LAUNCH ELEMENTS
    "$BANKSCOPE" run k.cu --launch "$1" -o t.jsonl >said 2>&1
    jq -c 'select(.arrays).arrays' t.jsonl >arrays
    cat arrays
    test "$(cat arrays)" = "[{\"name\":\"a\",\"addr\":0,\"type\":\"float\",\"dims\":[$2]},{\"name\":\"b\",\"addr\":$((4 * $2)),\"type\":\"int\",\"dims\":[$2]}]"
}
ok "a recording has them as arrays" in_trace 1 32
ok "elsewhere in another launch" in_trace 2 64
in_fault() {
    "$BANKSCOPE" run k.cu --launch 6 >/dev/null 2>said
    cat said
    grep -q 'a load of 4 bytes at b\[1\], which nothing has written' said
}
ok "a fault names the element" in_fault
sed -i 's/n + 66; i/n; i/' k.cu
ok "a fault in a row, too" sh -c '"$BANKSCOPE" run k.cu --launch 7 2>&1 >/dev/null | tee said | grep "a load of 4 bytes at row.0..1., which nothing has written" || { cat said; false; }'
rows_in_trace() {
    "$BANKSCOPE" run k.cu --launch 7 -o t.jsonl >said 2>&1
    jq -c 'select(.arrays).arrays[] | select(.name == "row") | [.type, .dims]' t.jsonl | tee got
    test "$(cat got)" = '["float",[2,33]]'
}
ok "rows in a recording" rows_in_trace
in_json() {
    "$BANKSCOPE" run k.cu --launch 1 --json=r.json >/dev/null 2>&1
    jq -c '[.launches[0].lines[].arrays[].name] | unique' r.json >names
    cat names
    test "$(cat names)" = '["a","b"]'
}
ok "lines of JSON have them" in_json

# Turns of a loop of swaps depend on other warps: there they are estimates.
cat >swaps.cu <<'END'
__global__ void k(double *out)
{
    __shared__ double sum;
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    atomicAdd(&sum, 1.0);
    __syncthreads();
    *out = sum;
}
int main(int argc, char **)
{
    double *out;
    cudaMalloc(&out, sizeof *out);
    k<<<1, argc > 1 ? 64 : 32>>>(out);
    cudaFree(out);
}
END
turns_are_estimates() {
    "$BANKSCOPE" run swaps.cu --json=r.json -- x >/dev/null 2>said
    cat said
    test "$(cat said)" = 'bankscope run: swaps.cu:7: the spins of this line are an estimate: a loop of swaps takes more turns where another warp is first' &&
        test "$(jq -c '[.estimates[] | [.line, .op, .space, .turns]] | sort' r.json)" = '[[7,"load","shared",64],[7,"spin","shared",64]]'
}
ok "turns that depend on other warps are estimates" turns_are_estimates
cat >places.cu <<'END'
__global__ void k(int *out, int at)
{
    __shared__ int count[32], queue[64];
    if (threadIdx.x < 32)
        count[threadIdx.x] = 0;
    __syncthreads();
    queue[atomicAdd(&count[(threadIdx.x & at) * 31], 1)] = threadIdx.x;
    queue[atomicAdd(&count[7], 1)] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = queue[threadIdx.x];
}
int main(int argc, char **)
{
    int *out;
    cudaMalloc(&out, 64 * sizeof *out);
    k<<<1, argc > 1 ? 64 : 32>>>(out, 0);
    cudaFree(out);
}
END
places_are_estimates() {
    "$BANKSCOPE" run places.cu --excuse race --excuse unwritten-read --json=r.json -- x >/dev/null 2>said
    cat said
    test "$(grep -c estimate said)" = 1 &&
        grep -qx 'bankscope run: places.cu:7: the stores of this line are an estimate: which lanes come here, how often, and where they go depends on which warp is first' said &&
        test "$(jq -c '[.estimates[] | [.line, .op, .space, .turns > 0]]' r.json)" = '[[7,"store","shared",true]]'
}
ok "so are places that warps take from each other, but those that one lane takes for all" places_are_estimates
cat >polls.cu <<'END'
__global__ void k(int *out)
{
    __shared__ volatile int flag;
    if (threadIdx.x == 0)
        flag = 0;
    __syncthreads();
    if (threadIdx.x < 32)
        while (flag == 0)
            ;
    else
        flag = 1;
    *out = flag;
}
int main()
{
    int *out;
    cudaMalloc(&out, sizeof *out);
    k<<<1, 64>>>(out);
    cudaFree(out);
}
END
polls_are_estimates() {
    "$BANKSCOPE" run polls.cu --json=r.json >/dev/null 2>said
    cat said
    test "$(cat said)" = 'bankscope run: polls.cu:8: the loads of this line are an estimate: which lanes come here, how often, and where they go depends on which warp is first' &&
        test "$(jq -c '[.estimates[] | [.line, .op, .space, .turns > 0]]' r.json)" = '[[8,"load","shared",true]]'
}
ok "so are turns until another warp has stored a flag" polls_are_estimates
ok "turns of one warp are exact" sh -c '"$BANKSCOPE" run swaps.cu --json=r.json 2>&1 >/dev/null | tee said && test ! -s said && jq -e ".estimates == []" r.json'
finish
