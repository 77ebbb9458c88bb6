#!/bin/sh
# program: kinds of faults that are turned off and places that are excused, on the command line and in a file.
. tests/support/tap.sh
. tests/support/cuda.sh

cat >"$WORK/two.cu" <<'END'
__device__ int other(const int *s) { return s[63 - threadIdx.x]; }
__global__ void k(int *o)
{
    __shared__ int s[64], t[64];
    s[threadIdx.x] = threadIdx.x;
    o[threadIdx.x] = other(s);
    __syncthreads();
    t[threadIdx.x] = threadIdx.x;
    o[threadIdx.x] += t[threadIdx.x ^ 32];
}
int main()
{
    int *d;
    cudaMalloc(&d, 256);
    cudaMemset(d, 0, 256);
    k<<<1, 64>>>(d);
    cudaDeviceSynchronize();
    cudaFree(d);
}
END
# excused STATUS PATTERN OPTION...: the run ends so, and exactly one line of what it says matches.
# shellcheck disable=SC2154 # run_it sets status
excused() {
    wanted=$1 pattern=$2
    shift 2
    run_it timeout 60 "$BANKSCOPE" run "$WORK/two.cu" --jobs 1 "$@"
    cat "$WORK/stderr"
    [ "$status" -eq "$wanted" ] && [ "$(grep -cE "^bankscope run: $pattern" "$WORK/stderr")" -eq 1 ]
}
silent() { ! grep -E "$1" "$WORK/stderr"; }

run_it timeout 60 "$BANKSCOPE" run "$WORK/two.cu" --jobs 1
ok "without excuses there are faults" test "$status" -eq 1
ok "races at two places" sh -c "grep -q 'two.cu:5: race' '$WORK/stderr' && grep -q 'two.cu:8: race' '$WORK/stderr'"
ok "and no word of excuses" silent ': excuses'

ok "a kind is turned off" excused 1 '--excuse: race: not looked for$' --excuse race
ok "and not told of" silent ' race: a '
ok "other kinds are" grep -q 'unwritten-read: a load' "$WORK/stderr"
ok "all kinds there are" excused 0 '--excuse: unwritten-read: not looked for$' --excuse race --excuse unwritten-read
ok "a line is excused, and how often is said" excused 1 '--excuse: race@two.cu:5: excuses [12] faults \([0-9]+ times\)$' \
    --excuse race@two.cu:5
ok "not the other one" grep -q 'two.cu:8: race' "$WORK/stderr"
ok "the other access's line serves as well" excused 1 '--excuse: race@two.cu:9: excuses' --excuse race@two.cu:9
ok "neither of its races is told of" silent 'two.cu:[89]: race'
ok "so does the line of a call" excused 1 '--excuse: any@two.cu:6: excuses' --excuse any@two.cu:6
ok "for what it led to" silent 'two.cu:[15]: race'
ok "lines, whatever it is" excused 0 '--excuse: any@two.cu:1-9: excuses [0-9]+ faults' --excuse any@two.cu:1-9
ok "a file" excused 0 '--excuse: any@two.cu: excuses' --excuse any@two.cu
ok "by its path" excused 0 "--excuse: any@$WORK/two.cu: excuses" --excuse "any@$WORK/two.cu"
ok "not by half its name" excused 1 '--excuse: any@wo.cu: excuses nothing' --excuse any@wo.cu
ok "a kernel" excused 0 '--excuse: any@k\(\): excuses [0-9]+ faults' --excuse 'any@k()'
ok "by its whole name" excused 1 '--excuse: any@ke\(\): excuses nothing' --excuse 'any@ke()'
ok "an excuse that excuses nothing" excused 1 '--excuse: race@two.cu:17: excuses nothing: there was no such fault$' \
    --excuse race@two.cu:17
ok "nor a kind that is not there" excused 1 '--excuse: bad-mask@two.cu: excuses nothing' --excuse bad-mask@two.cu

# ---- a file ---------------------------------------------------------------------------------------
printf '# known\nrace@two.cu:5   # a sum of what is there\n\n  any@two.cu:9\n' >"$WORK/known"
ok "excuses in a file" excused 1 "$WORK/known:2: race@two.cu:5: excuses" --excuses "$WORK/known"
ok "each one's line" grep -qE "known:4: any@two.cu:9: excuses [0-9]+ faults" "$WORK/stderr"
printf 'race\nraze\n' >"$WORK/wrong"
refuses "a file's wrong line" 2 "wrong:2: 'raze' is no kind of fault" \
    "$BANKSCOPE" run "$WORK/two.cu" --excuses "$WORK/wrong"
printf 'race\0more\n' >"$WORK/nulls"
refuses "a file that is no text" 2 'nulls has null bytes' "$BANKSCOPE" run "$WORK/two.cu" --excuses "$WORK/nulls"
refuses "a file that is not there" 2 'nowhere' "$BANKSCOPE" run "$WORK/two.cu" --excuses "$WORK/nowhere"
refuses "what ends a launch" 2 "'trap' cannot be turned off" "$BANKSCOPE" run "$WORK/two.cu" --excuse trap
refuses "everything" 2 "'any' cannot be turned off" "$BANKSCOPE" run "$WORK/two.cu" --excuse any
refuses "no place" 2 'no place behind the @' "$BANKSCOPE" run "$WORK/two.cu" --excuse race@
refuses "excuses on a GPU" 2 '--excuse is for programs whose kernels run on this machine' \
    "$BANKSCOPE" run --excuse race -- ./app

# ---- what else tells of them ----------------------------------------------------------------------
run_it timeout 60 "$BANKSCOPE" run "$WORK/two.cu" --json="$WORK/two.json" --excuse race@two.cu:5 --excuse bad-mask
ok "the report has them" grep -q '"excuses":\[{"excuse":"race@two.cu:5","faults":[1-9][0-9]*,"count":[1-9]' "$WORK/two.json"
ok "and what is off" grep -q '{"excuse":"bad-mask","off":true}' "$WORK/two.json"
ok "no excused fault" sh -c "! grep -q 'two.cu:5: race' '$WORK/two.json'"
run_it timeout 60 "$BANKSCOPE" stats "$WORK/two.cu" --excuse race --excuse unwritten-read
ok "stats takes them" sh -c "test $status -eq 0 && grep -q 'bankscope stats: --excuse: race: not looked for' '$WORK/stderr'"
printf '__global__ void k() { __trap(); }\nint main() { k<<<1, 1>>>(); cudaDeviceSynchronize(); }\n' >"$WORK/trap.cu"
run_it timeout 60 "$BANKSCOPE" run "$WORK/trap.cu" --excuse trap@trap.cu
ok "a fault that ends a launch is excused at its place" \
    sh -c "cat '$WORK/stderr'; test $status -eq 0 && grep -q 'trap@trap.cu: excuses 1 fault$' '$WORK/stderr'"
printf 'int main() { int *d; cudaMalloc(&d, 4); cudaMemset(d, 0, 8); cudaFree(d); }\n' >"$WORK/argument.cu"
run_it timeout 60 "$BANKSCOPE" run "$WORK/argument.cu" --excuse argument --excuse unchecked
ok "faults of the host are counted when they are off" \
    sh -c "cat '$WORK/stderr'; test $status -eq 0 && grep -qE 'argument: excuses 1 fault$' '$WORK/stderr'"
finish
