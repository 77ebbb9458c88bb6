#!/bin/sh
# --schedule: warps take turns in ascending order, or in one that a seed draws and repeats.
. tests/support/tap.sh
. tests/support/cuda.sh

cat >"$WORK/last.cu" <<'END'
#include <cstdio>
__global__ void last(int *warp)
{
    *warp = threadIdx.x / 32;
}
int main()
{
    int *warp;
    cudaMallocManaged(&warp, sizeof *warp);
    for (int i = 0; i < 8; i++) {
        last<<<1, 256>>>(warp);
        cudaDeviceSynchronize();
        printf("%d%s", *warp, i < 7 ? " " : "\n");
    }
}
END
order() { # OPTION...: the warps that came last
    "$BANKSCOPE" run --no-nvcc "$WORK/last.cu" "$@" 2>"$WORK/err" | head -n 1
}
ok "ascending, if nothing is said" test "$(order)" = '7 7 7 7 7 7 7 7'
ok "or that is said" test "$(order --schedule ascending)" = '7 7 7 7 7 7 7 7'
first=$(order --schedule random)
ok "random orders are others" test "$first" != '7 7 7 7 7 7 7 7'
ok "they are repeated" test "$(order --schedule random --seed 1)" = "$first"
ok "and drawn by --seed, which may come first" test "$(order --seed 2 --schedule random)" != "$first"
finds_race() { # the same, whatever the order
    order "$@" >/dev/null
    grep -q 'last\.cu:4: race: a store of 4 bytes .*, where thread .* stores\{0,1\};' "$WORK/err"
}
ok "the race is found in ascending order" finds_race
ok "and in a random one" finds_race --schedule random --seed 3
says_what() {
    ! "$BANKSCOPE" run "$WORK/last.cu" --schedule 7 2>"$WORK/err" &&
        grep -q "^bankscope run: --schedule is '7'; it must be ascending or random" "$WORK/err"
}
ok "there are no other orders" says_what
sed 's/^{$/{ __shared__ int s[256]; s[threadIdx.x] = 1;/;/^int main/,$s/^{.*/{/' "$WORK/last.cu" >"$WORK/both.cu"
drawn() { # COMMAND
    command=$1
    one=$("$BANKSCOPE" "$command" "$WORK/both.cu" --compiler clang --schedule random --seed 2 2>&1 >/dev/null | grep -x '[0-7 ]*')
    echo "'$one', not '$first'"
    [ "$one" = "$(order --schedule random --seed 2)" ] && [ "$one" != "$first" ]
}
ok "stats draws by --seed, too" drawn stats
ok "and advise" drawn advise
refuses "a seed without random orders" 2 '--seed for programs with --schedule random, too' \
    "$BANKSCOPE" stats "$WORK/both.cu" --seed 2
finish
