#!/bin/sh
# machine: what nvcc's code tells of a source line changes what is recorded, and the report says whose
# code it speaks of. The first part has an nvcc of its own, which knows one kernel (test_cubin.c).
. tests/tap.sh

if ! have g++ jq; then
    skip "accesses as nvcc compiles them" "there is no g++ or no jq"
    finish
    exit
fi
case $("$BANKSCOPE" --version) in
*"without libdw"*)
    skip "accesses as nvcc compiles them" "built without libdw"
    finish
    exit
    ;;
esac

# lines FILE: line, operation, instructions and passes of each line, from JSON.
lines() {
    jq -r '.launches[] | .lines[] | [.line, .op, .instructions, .passes] | join(" ")' "$1"
}

cat >"$WORK/k.cu" <<'EOF'
#include <cstdio>
__global__ void k(int *data)
{
    __shared__ __align__(16) int t[128];
    t[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    int sum = t[0] + t[1] + t[2] + t[3];  __syncthreads();
    t[threadIdx.x] = sum;
    for (int i = 0; i < 10; i++) if (data[i]) t[threadIdx.x] += i;
    __syncthreads();
    t[2 * threadIdx.x] = sum, t[2 * threadIdx.x + 1] = data[threadIdx.x];
    __syncthreads();
    data[threadIdx.x] = t[threadIdx.x];
    __shared__ int a, b; if (threadIdx.x == 0) a = data[0];
    if (threadIdx.x == 0) b = data[0];
    __syncthreads();
    data[threadIdx.x] += a;
    data[threadIdx.x] *= b;
    int4 four = *reinterpret_cast<int4 *>(&t[4]); data[threadIdx.x] += four.x + four.w; __syncthreads();
    t[threadIdx.x] = 1;
    if (data[0]) t[threadIdx.x] = 2;
}
int main()
{
    int h[64], *d;
    for (int i = 0; i < 64; i++)
        h[i] = i + 1;
    cudaMalloc(&d, sizeof h);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    k<<<1, 64>>>(d);
    cudaFree(d);
}
EOF
fake_nvcc "$WORK/nvcc" 'echo "$@" >'"'$WORK/words'"

run_it "$BANKSCOPE" run --json="$WORK/written.json" "$WORK/k.cu"
lines "$WORK/written.json" >"$WORK/got"
cat >"$WORK/wanted" <<'EOF'
5 store 2 2
7 load 8 8
8 store 2 2
9 load 20 20
9 store 20 20
11 store 4 8
13 load 2 2
14 store 1 1
15 store 1 1
17 load 2 2
18 load 2 2
19 load 2 4
20 store 2 2
21 store 2 2
EOF
ok "without nvcc, accesses are as written" diff "$WORK/wanted" "$WORK/got"
ok "and the table says so" grep -q '^k: launch 0, 1 block of 64 threads, as written$' "$WORK/stdout"
ok "and so does the JSON" jq -e '.launches[0].code == "as written"' "$WORK/written.json"

NVCC="$WORK/nvcc" run_it "$BANKSCOPE" run -DX=1 --json="$WORK/nvcc.json" "$WORK/k.cu"
lines "$WORK/nvcc.json" >"$WORK/got"
cat >"$WORK/wanted" <<'EOF'
5 store 2 2
7 load 2 4
8 store 2 2
9 store 20 20
11 store 2 4
13 load 2 2
14 store 1 1
15 store 1 1
17 load 2 2
19 load 8 8
21 store 2 2
EOF
# Line 17 loads both variables, which nvcc has side by side; 20 is overwritten by 21.
ok "accesses are merged, split and dropped as nvcc has them" diff "$WORK/wanted" "$WORK/got"
ok "the table names the compiler" \
    grep -q '^k: launch 0, 1 block of 64 threads, as compiled by nvcc 12.9 for sm_90$' "$WORK/stdout"
ok "and so does the JSON" jq -e '.launches[0].code == "nvcc 12.9 for sm_90"' "$WORK/nvcc.json"
ok "a line whose load was not found stays and is named" \
    grep -q '1 line stay.* as written.* [^ ]*k.cu:13 (load)$' "$WORK/stderr"
ok "also in the JSON" jq -e '[.as_written[] | [.line, .op]] == [[13, "load"]]' "$WORK/nvcc.json"
ok "nvcc gets the words for a compiler" grep -q -- '-cubin -lineinfo -arch=sm_90 .*-DX=1 ' "$WORK/words"

NVCC="$WORK/nvcc" run_it "$BANKSCOPE" run --no-nvcc "$WORK/k.cu"
ok "--no-nvcc wants them as written" grep -q 'as written$' "$WORK/stdout"

NVCC="$WORK/nvcc" run_it "$BANKSCOPE" run --csv -o "$WORK/k.jsonl" "$WORK/k.cu"
ok "rows with commas name the compiler" grep -q 'k.cu,7,load,2,64,4,0,1,nvcc 12.9 for sm_90$' "$WORK/stdout"
head -n 1 "$WORK/k.jsonl" >"$WORK/header"
ok "a trace names it as its device" jq -e '.device == "nvcc 12.9 for sm_90"' "$WORK/header"
"$BANKSCOPE" stats --by line --csv "$WORK/k.jsonl" >"$WORK/got"
ok "a trace has the same accesses" grep -q 'k.cu:7,load,2,64,4,0' "$WORK/got"
grep '"bytes":8,' "$WORK/k.jsonl" | head -n 1 >"$WORK/access"
ok "the value of two words is both" \
    jq -e '.value[1] == 10 + 2 * 4294967296' "$WORK/access"

# ---- nvcc that fails ---------------------------------------------------------------------------------
cat >"$WORK/broken" <<'EOF'
#!/bin/sh
echo "k.cu(7): warning: so what"
echo "k.cu(8): error: no such thing"
exit 2
EOF
chmod +x "$WORK/broken"
NVCC="$WORK/broken" run_it "$BANKSCOPE" run "$WORK/k.cu"
ok "when nvcc fails the program runs" test "$status" -eq 0
ok "its accesses are as written" grep -q 'as written$' "$WORK/stdout"
ok "and its error is told" grep -q 'as written, .*k.cu(8): error: no such thing$' "$WORK/stderr"
NVCC="$WORK/none" run_it "$BANKSCOPE" run "$WORK/k.cu"
ok "an nvcc that is not there is told" grep -q 'cannot start .*/none' "$WORK/stderr"
cat >"$WORK/junk" <<'EOF'
#!/bin/sh
for word; do
    [ "$before" != -o ] || echo junk >"$word"
    before=$word
done
EOF
chmod +x "$WORK/junk"
NVCC="$WORK/junk" run_it "$BANKSCOPE" run "$WORK/k.cu"
ok "machine code that is none is told" grep -q 'as written, .*no ELF file$' "$WORK/stderr"
printf '#!/bin/sh\nsleep 100\n' >"$WORK/slow"
chmod +x "$WORK/slow"
echo 'int main() { return 0 }' >"$WORK/bad.cu"
mkdir "$WORK/tmp"
NVCC="$WORK/slow" TMPDIR="$WORK/tmp" run_it timeout 60 "$BANKSCOPE" run "$WORK/bad.cu"
ok "a program that does not compile does not wait for nvcc" test "$status" -eq 1
ok "and nothing is left behind" test -z "$(ls "$WORK/tmp")"

# ---- a real nvcc -------------------------------------------------------------------------------------
real=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
if [ ! -x "$real" ]; then
    skip "kernels of one name" "there is no nvcc"
    finish
    exit
fi
cat >"$WORK/names.cu" <<'EOF'
#include <bankscope.h>
static __global__ void local(int *p)
{
    BANKSCOPE_STAGE("only");
    __shared__ __align__(16) int t[64];
    t[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = t[4] + t[5] + t[6] + t[7];
}
namespace {
struct Type { int v; };
template <class T> __global__ void hidden(T *p)
{
    __shared__ __align__(16) T t[64];
    t[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x].v = t[4].v + t[5].v + t[6].v + t[7].v;
}
}
extern "C" __global__ void plain(int *p)
{
    __shared__ __align__(16) int t[64];
    t[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = t[4] + t[5] + t[6] + t[7];
}
int main()
{
    int *p;
    cudaMalloc(&p, 256);
    cudaMemset(p, 0, 256);
    local<<<1, 32>>>(p);
    hidden<<<1, 32>>>((Type *)p);
    plain<<<1, 32>>>(p);
    cudaFree(p);
}
EOF
NVCC=$real run_it "$BANKSCOPE" run --json="$WORK/names.json" "$WORK/names.cu"
jq -c '[.launches[] | .load | [.instructions, .passes]]' "$WORK/names.json" >"$WORK/got"
if grep -q 'error' "$WORK/stderr"; then
    skip "kernels of any name" "this nvcc cannot compile for sm_90"
else
    ok "static kernels, those of a namespace without a name, and of C are found" \
        grep -qx '\[\[1,2\],\[1,2\],\[1,2\]\]' "$WORK/got"
fi
finish
