#!/bin/sh
# Programs of several processes are recorded whole, each launch with its process: forked ones, and those that are
# started anew, by whoever starts them.
. tests/support/tap.sh
# shellcheck source=tests/support/cuda.sh
. tests/support/cuda.sh
command -v jq >/dev/null || {
    skip "programs of several processes" "needs jq"
    finish
    exit
}
cd "$WORK" || exit 1

# Without an argument it starts itself three times, as its first letter says; with one it reads with that stride.
cat >ranks.cu <<'EOP'
#include <cstdlib>
#include <cstdio>
#include <sys/wait.h>
#include <unistd.h>

__global__ void ranks(int *out, int stride)
{
    __shared__ int tile[512];
    for (int i = threadIdx.x; i < 512; i += 32)
        tile[i] = i;
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x * stride];
}
static int launch(int stride)
{
    int *out;
    cudaMalloc(&out, 128);
    ranks<<<1, 32>>>(out, stride);
    int bad = cudaDeviceSynchronize() != cudaSuccess;
    cudaFree(out);
    return bad;
}
int main(int argc, char **argv)
{
    if (argc > 2)
        return launch(atoi(argv[2]));
    for (int rank = 0; rank < 3; rank++)
        if (fork() == 0) {
            char stride[16];
            snprintf(stride, sizeof stride, "%d", 1 << rank);
            for (int i = 3; i < 1024; i++)
                if (argv[1][0] == 'c')
                    close(i);
            if (argv[1][0] == 'f')
                _exit(launch(1 << rank));
            execl("/proc/self/exe", argv[0], "rank", stride, nullptr);
            _exit(9);
        }
    int bad = 0, status;
    while (wait(&status) > 0)
        bad |= status;
    return bad != 0;
}
EOP

# Strides of 1, 2 and 4 words, 1 + 2 + 4 passes, beside 16 + 16 + 16 stores.
whole() { # REPORT
    jq -e '[.launches[].process] | sort == [0, 1, 2]' "$1" &&
        jq -e '[.launches[].load.passes] | sort == [1, 2, 4]' "$1" &&
        jq -e '[.launches[].launch] | sort == [0, 1, 2]' "$1"
}
for how in fork exec close; do
    ok "processes made by $how" "$BANKSCOPE" run ranks.cu --json="$how.json" -- "$how"
    ok "... are recorded whole, each launch with its process" whole "$how.json"
done
run_it "$BANKSCOPE" run ranks.cu -- exec
ok "the table says whose launches they are" grep -q "3 launches from 0, each 1 block of 32 threads, of processes 0 to 2" \
    "$WORK/stdout"
run_it "$BANKSCOPE" run ranks.cu -- rank 2
ok "and nothing of it for one" sh -c "grep -q 'ranks: launch 0, 1 block of 32 threads, as' '$WORK/stdout'"
finish
