#!/bin/sh
# program_kept: single accesses of a CUDA program are kept of the first whole blocks; where that is not all, it is
# said. Tables count all.
. tests/support/tap.sh
if ! have clang jq || "$BANKSCOPE" --version | grep -q 'without libdw'; then
    skip "what is kept" "needs clang, jq and libdw"
    finish
    exit
fi
# 1000 stores and loads of each warp: a block of the first launch has 2000 accesses, that of the second has 640000.
cat >"$WORK/k.cu" <<'EOT'
__global__ void rounds(float *out, int n)
{
    __shared__ float tile[1024];
    float sum = 0;
    for (int i = 0; i < n; i++) {
        tile[threadIdx.x] = i + threadIdx.x;
        __syncthreads();
        sum += tile[threadIdx.x ^ 1];
        __syncthreads();
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
int main()
{
    float *out;
    cudaMalloc(&out, 200 * 8 * sizeof *out);
    rounds<<<200, 8>>>(out, 1000);
    rounds<<<1, 8>>>(out, 140000);
    rounds<<<3, 8>>>(out, 10);
    cudaDeviceSynchronize();
    cudaFree(out);
}
EOT
cd "$WORK" || exit
blocks_of() { # TRACE: how many there are
    grep -o '"block":[0-9]*' "$1" | uniq | sort -u | wc -l | tr -d ' '
}
# What trace of a launch is told, and how many blocks it has.
kept() { # LAUNCH
    "$BANKSCOPE" run k.cu --launch "$1" --json=report.json -o trace.jsonl >/dev/null 2>said || return
    jq -r '.launches[0].recorded_blocks' report.json
    blocks_of trace.jsonl
    grep -o 'launch.* only' said
}
is() { # WANTED... LAUNCH
    launch=$1
    printf '%s\n' "$2" >wanted
    rm -f report.json trace.jsonl
    kept "$launch" >got
    diff wanted got && return
    cat said
    false
}
ok "whole blocks, as many as find room" is 0 "200
131
launch 0: traces and advice have 131 of 200 blocks only"
ok "a part of a block that is too large" is 1 "1
1
launch 1: traces and advice have a part of the first block only"
ok "all of a small launch, without a word" is 2 "3
3"
no_word() {
    "$BANKSCOPE" run k.cu >table 2>said && ! grep 'traces and advice' said && grep -c '^total ' table | grep -qx 3
}
fewer() { # --records N keeps whole blocks
    "$BANKSCOPE" run k.cu --no-nvcc --launch 0 --records 5000 -o few.jsonl >table 2>said &&
        blocks_of few.jsonl >got &&
        [ "$(cat got)" -gt 0 ] && [ "$(cat got)" -lt 131 ] && grep -q "launch 0: traces and advice have $(cat got | tr -d ' ') of 200" said
}
ok "--records N keeps fewer of them" fewer
warps() {
    "$BANKSCOPE" run k.cu --no-nvcc --launch 0 -p w=16 --json=warps.json >table && grep -q ' threads in warps of 16, ' table &&
        jq -e '.launches[0].warp == 16' warps.json
}
ok "-p w=16 has warps of 16 lanes" warps
refuses_lanes() {
    ! "$BANKSCOPE" run k.cu "-p$1" 2>said && has_one_line said && grep -q "$2" said
}
ok "of 65 lanes there are none" refuses_lanes w=65 "64"
ok "nor other parameters" refuses_lanes u=3 "one parameter, w=LANES"
ok "where nothing is kept, nothing is said" no_word
cat >many.cu <<'EOT'
__global__ void rows(float *out) { out[threadIdx.x] = 1; }
__global__ void columns(float *out) { out[threadIdx.x] = 2; }
int main()
{
    float *out;
    cudaMalloc(&out, 96 * sizeof *out);
    for (int i = 0; i < 6000; i++)
        (i % 2 ? rows : columns)<<<1, 32 + i % 3 * 32>>>(out);
    cudaDeviceSynchronize();
    cudaFree(out);
}
EOT
folds() { # 1904 launches after the 4096th are of two kernels in three shapes
    "$BANKSCOPE" run many.cu --no-nvcc --memory global --json=many.json >table 2>said || return
    jq -c '[.launches | length, (map(.launches) | add), (.[4096:] | map(.launches) | sort[]),
            (map(.global.store.requests // .store.instructions) | add)]' many.json >got
    echo '[4102,6000,317,317,317,317,318,318,12000]' | diff - got
}
ok "after 4096 launches, those of one kernel and shape have one row" folds
finish
