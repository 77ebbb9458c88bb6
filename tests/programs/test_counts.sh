#!/bin/sh
# counts: the programs of tests/programs on the machine, with clang's code and with nvcc's PTX (tests/data/ptx):
# their values are right, and what they do in shared memory is what a GPU counted, but for what
# tests/data/h200-programs.tsv explains.
. tests/support/tap.sh
command -v clang-14 >/dev/null || command -v clang >/dev/null || {
    skip "counts of programs" "there is no clang"
    finish
    exit
}
build=$(dirname "$BANKSCOPE")
if [ ! -f "$build/cudart.o" ] || [ ! -x "$build/tests/test_compile" ]; then
    skip "counts of programs" "this build has no runtime for programs"
    finish
    exit
fi
# The table's reasons are those of clang 14.
if command -v clang-14 >/dev/null; then
    export CLANG=clang-14
fi
as_counted() {
    tests/compare-counts "$build" "$1" >"$WORK/$1" 2>&1 && return
    cat "$WORK/$1"
    false
}

# A launch of four blocks, of which one never ends; the process is killed after two seconds.
cat >"$WORK/killed.cu" <<'EOF'
#include <cuda_runtime.h>
#include <csignal>
#include <unistd.h>
__global__ void k(volatile int *go)
{
    __shared__ volatile int tile[1024];
    for (int i = 0; i < 100 || (blockIdx.x == 3 && !*go); i++)
        tile[threadIdx.x * 32] = i;
}
int main()
{
    int *go;
    cudaMalloc(&go, 4);
    cudaMemset(go, 0, 4);
    k<<<1, 32>>>(go);
    cudaDeviceSynchronize();
    signal(SIGALRM, [](int) { kill(getpid(), SIGKILL); });
    alarm(2);
    k<<<4, 32>>>(go);
    cudaDeviceSynchronize();
}
EOF
counts_what_was_killed() {
    BANKSCOPE_DATA="$TREE" "$build/tests/test_compile" --compile "$WORK" --with clang "$WORK/killed.cu" \
        "$build/cudart.o" && timeout 60 "$build/tests/recorded" check=0 jobs=1 count=1 "$WORK/program" |
        tee "$WORK/killed" | awk -F '\t' '
            $2 == "0" { good = $6 == "good" && $7 == 0 && $9 == 100 && $10 == 3200 }
            $2 == "1" { kept = $6 == "running" && $9 > 400 && $10 == 32 * $9 }
            /^status/ { killed = $2 == 137 }
            END { exit !(good && kept && killed) }' && return
    cat "$WORK/killed"
    false
}
ok "what was counted stays when the process is killed" counts_what_was_killed
ok "programs by clang count what a GPU counts" as_counted clang
ok "nvcc's PTX of them does" as_counted nvcc
finish
