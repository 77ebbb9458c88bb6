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
cat >"$WORK/first.cu" <<'END'
#include <cstdio>
__device__ int count, block[130];
__global__ void come()
{
    block[atomicAdd(&count, 1)] = blockIdx.x;
}
int main()
{
    int host[130];
    come<<<130, 1>>>();
    cudaMemcpyFromSymbol(host, block, sizeof host);
    for (int i = 0; i < 130; i++)
        printf("%d\n", host[i]);
}
END
blocks() { "$BANKSCOPE" run --no-nvcc --jobs 1 "$WORK/first.cu" "$@" | head -n 130; }
blocks >"$WORK/ascending"
blocks --schedule random --seed 3 >"$WORK/drawn"
ok "blocks begin in ascending order" sh -c "seq 0 129 | cmp - '$WORK/ascending'"
ok "or in one that is drawn, each once" sh -c "! cmp -s '$WORK/drawn' '$WORK/ascending' && sort -n '$WORK/drawn' | cmp - '$WORK/ascending'"
ok "and far from it" awk '{ away = $1 - NR + 1; if (away > 30) far = 1 } END { exit !far }' "$WORK/drawn"
# The example of doc/checker.md: in ascending order a common lock hides that two others differ.
{
    sed -n '/^    __device__ int balance_lock/,/^    }$/s/^    //p; /^    __device__ void give/,/^    }$/s/^    //p; /^    __global__ void bank/,/^    }$/s/^    //p' \
        doc/checker.md
    echo 'int main() { bank<<<4, 1>>>(); return cudaDeviceSynchronize(); }'
} >"$WORK/bank.cu"
bank() { # OPTION...: the lines that race
    "$BANKSCOPE" run --no-nvcc --jobs 1 "$WORK/bank.cu" "$@" 2>&1 >/dev/null | sed -n 's/.*bank.cu:\([0-9]*\): race: .*/\1/p' | sort -u
}
ok "a race of two locks is hidden in ascending order" test -z "$(bank)"
pays=$(grep -n 'balance += 10' "$WORK/bank.cu" | cut -d : -f 1)
takes=$(grep -n 'balance -= 1' "$WORK/bank.cu" | cut -d : -f 1)
all_find() {
    for seed in 1 2 3 4 5; do
        found=$(bank --schedule random --seed "$seed")
        echo "seed $seed: $found, not $pays or $takes"
        [ "$found" = "$pays" ] || [ "$found" = "$takes" ] || return 1
    done
}
ok "each of five seeds finds it" all_find
# Correct programs with orders of their own, and what is told where their fences are left out.
unusual=$TREE/tests/support/unusual.cu
cat >"$WORK/wanted" <<'END'
popped 840
count 20
threes 342
ahead 10101010
by names 1144 896
chained 2016
in phases 134 197
up the tree 2016
total 130816
stacked 32640
END
is_right() { # OPTION...
    "$BANKSCOPE" run "$unusual" "$@" 2>"$WORK/err" | head -n 10 | diff "$WORK/wanted" - && ! grep -v 'are an estimate' "$WORK/err"
}
ok "locks, queues and barriers by hand are blamed for nothing" is_right --no-nvcc
for seed in 1 2 3; do
    ok "nor with seed $seed" is_right --no-nvcc --schedule random --seed "$seed"
done
real=$(find_nvcc || :)
if [ -n "$real" ]; then
    NVCC=$real
    ok "nor by nvcc" is_right --compiler nvcc
    NVCC=
else
    skip "nor by nvcc" "there is no nvcc"
fi
lacks() { # KERNEL KIND: without the fences of that kernel
    sed "/^__.*__ .* $1(/,/^}/s/__threadfence();//" "$unusual" >"$WORK/lacks.cu"
    "$BANKSCOPE" run --no-nvcc --jobs 1 "$WORK/lacks.cu" 2>"$WORK/err" >/dev/null
    cat "$WORK/err"
    grep -q "lacks.cu:[0-9]*: $2:" "$WORK/err"
}
for kernel in 'push race' 'by_tickets race' 'up_the_tree missing-fence' 'taken missing-fence' 'stack missing-fence'; do
    ok "without its fences ${kernel% *} is a ${kernel#* }" lacks "${kernel% *}" "${kernel#* }"
done
refuses "a seed without random orders" 2 '--seed for programs with --schedule random, too' \
    "$BANKSCOPE" stats "$WORK/both.cu" --seed 2
finish
