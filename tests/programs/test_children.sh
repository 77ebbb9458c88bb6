#!/bin/sh
# children: kernels that launch kernels (dynamic parallelism), from nvcc's PTX: order, arguments, memory, errors, faults. The
# numbers that a GPU has a say in are an H200's.
. tests/support/tap.sh
if "$BANKSCOPE" --version | grep -q 'without libdw'; then
    skip "kernels that launch kernels" "needs libdw"
    finish
    exit
fi
ptx=tests/data/ptx-children/children.ptx

# gives NAME NUMBERS CALL [OPTION...]: x, an array of ints, begins with these numbers afterwards.
gives() {
    gives_name=$1 numbers=$2 call=$3
    shift 3
    run_it timeout 100 "$BANKSCOPE" run "$ptx" --call "$call" --array "int x[${length:-64}] = ${contents:-zero} > $WORK/x" "$@"
    # shellcheck disable=SC2046 # words
    set -- $(head -n "$(echo "$numbers" | wc -w)" "$WORK/x")
    ok "$gives_name" sh -c "cat '$WORK/stderr'; echo '$*'; test $status -eq 0 -a ! -s '$WORK/stderr' -a '$*' = '$numbers'"
}

gives "a child is over when its own are, and the tail is behind all" '6 11 12 20 51 52 60' 'order<<<1, 1>>>(x)'
ok "a table says where a kernel was launched" \
    grep -q '^inner: 2 launches from 1, .* launched at tests/programs/children/children.cu:38, at .*:36,' "$WORK/stdout"
gives "... with any order of blocks" '6 11 12 20 51 52 60' 'order<<<1, 1>>>(x)' --schedule random --seed 3
gives "a kernel launches itself behind itself" 55 'steps<<<1, 1>>>(x, 10)'
gives "shapes, shared memory and arguments are handed over" "$(for i in 1 2 3 4 5 6; do
    printf '%s ' 404 406 409 411 414 416 419 421; done | sed 's/ $//')" 'shapes<<<1, 32>>>(x)'
ok "a child's accesses are counted as its own" grep -Eq 'children.cu:63 +store +6 +6 +0 ' "$WORK/stdout"
for jobs in 1 4; do
    gives "each thread of several blocks has a child ($jobs jobs)" "$(i=0; while [ $i -lt 48 ]; do
        printf '%s ' $((i * i)); i=$((i + 1)); done | sed 's/ $//')" 'squares<<<3, 16>>>(x)' --jobs $jobs
done
contents=reverse gives "a recursion with streams sorts" "$(seq -s ' ' 0 63)" 'quicksort<<<1, 1>>>(x, 0, 63)'
gives "... as deep as it goes" 60 'deep<<<1, 1>>>(x, 0)'
contents=zero gives "memory, copies and sets, in the order of their stream" \
    "$(seq -s ' ' 100 115) 100 0 104 0 108 0 112 0 16843009 16843009" 'memory<<<1, 1>>>(x)'
ok "a kernel that only asks the runtime is not called empty" sh -c "! grep -A2 '^let_go' '$WORK/stdout' | grep removed"
gives "calls return what an H200's do" \
    '9 9 9 9 9 9 9 1 0 0 1 0 0 1 1 0 0 1 0 2 1 21 1 1 1 0 0 0 0 1 0 1024 0 2048 215 0 64 0 16' 'errors<<<1, 1>>>(x)'
ok "... and their words" grep -q '^cudaErrorLaunchPendingCountExceeded: launch failed because launch would exceed' "$WORK/stdout"
gives "each thread has an error of its own" '0 9 0' 'own_errors<<<1, 3>>>(x)'
gives "as many of the tail are launched as may wait" '2048 69' 'many<<<1, 1>>>(x, 3000, 1)'

# fails NAME PATTERN CALL: what is said; the status is 1.
fails() {
    fails_name=$1 pattern=$2
    run_it timeout 100 "$BANKSCOPE" run "$ptx" --call "$3" --array "int x[64] = zero"
    ok "$fails_name" sh -c "cat '$WORK/stderr'; test $status -eq 1 && grep -q '$pattern' '$WORK/stderr'"
}
fails "more launches than may wait are told of" 'children.cu:23[0-9]: child-launch: more than 2048 launches of one grid' \
    'many<<<1, 1>>>(x, 3000, 0)'
fails "a pointer to the parent's shared memory is told of" \
    'children.cu:26[0-9]: child-launch: parameter 1 of a launch is a pointer to shared memory' 'own_memory<<<1, 32>>>(x)'
fails "a child's fault ends the launch" 'children.cu:247: bad-address: a store of 4 bytes' 'bad_child<<<1, 1>>>(x)'
ok "... and what is behind it is not done" sh -c "! grep -q '^add_one' '$WORK/stdout'"
fails "a copy out of bounds does, too" \
    'children.cu:27[0-9]: bad-address: cudaMemsetAsync in a kernel: 1048576 bytes to 0x' 'bad_copy<<<1, 1>>>(x)'
fails "... and so do more launches than there is room for" \
    'children.cu:23[0-9]: stopped: 524288 launches of kernels wait: there is no room for more' 'many<<<1, 1>>>(x, 600000, 0)'
fails "launches for ever are stopped" 'children.cu:2[67][0-9]: stopped: kernels have launched [0-9]* kernels' \
    'for_ever<<<1, 1>>>(x)'

# What is in order among a kernel and its children.
fails "a kernel reads what its child stores to" \
    'children.cu:328: race: it reads what add_one stores to, .*: 4 bytes from byte 0 .* the other place is .*children.cu:327)' \
    'reads_late<<<1, 1>>>(x)'
fails "other threads store beside a child" 'children.cu:340: race: it stores to what sum reads, .* (thread (32, 0, 0)' \
    'stores_beside<<<1, 64>>>(x, 0)'
gives "... and not before a barrier" "2016 $(seq -s ' ' 1 20)" 'stores_beside<<<1, 64>>>(x, 1)'
fails "children in two streams" 'children.cu:352: race: square stores to what square in another stream stores to, .*:351)' \
    'squares_twice<<<1, 1>>>(x, 2)'
contents=2 gives "... in one, and in the tail" '256 2 2' 'squares_twice<<<1, 1>>>(x, 1)'
fails "children of two blocks" 'children.cu:360: race: square stores to what square in another stream stores to' \
    'adds<<<2, 1>>>(x)'
contents=2 gives "... of one" '4 2' 'adds<<<1, 1>>>(x)'
fails "a child's child" 'children.cu:367: race: it stores to what square stores to, .*:365)' 'grandchild<<<1, 1>>>(x)'
fails "a set" 'children.cu:375: race: square stores to what cudaMemsetAsync in a kernel in another stream stores to' \
    'sets_beside<<<1, 1>>>(x)'
contents=2 gives "an event is waited for" '16 2' 'waits_for_event<<<1, 1>>>(x)'

if have jq; then
    "$BANKSCOPE" run "$ptx" --call 'order<<<1, 1>>>(x)' --array 'int x[64] = zero' --json="$WORK/report.json" >/dev/null
    ok "JSON says who launched a kernel, and where" test "$(jq -c '.launches[1].launched_by' "$WORK/report.json")" = \
        '{"kernel":"order","file":"tests/programs/children/children.cu","line":38}'
else
    skip "JSON says who launched a kernel, and where" "needs jq"
fi
run_it "$BANKSCOPE" run "$ptx" --call 'shapes<<<1, 32>>>(x)' --array 'int x[64] = zero' --launch 1
ok "a child is chosen by its number" sh -c "grep -q '^fill: launch 1,' '$WORK/stdout' && ! grep -q '^shapes' '$WORK/stdout'"
run_it "$BANKSCOPE" run "$ptx" --call 'shapes<<<1, 32>>>(x)' --array 'int x[64] = zero' -o "$WORK/traces/"
ok "... and recorded" sh -c "ls '$WORK/traces' | grep -q fill"

if runs_programs; then
    cat >"$WORK/parent.cu" <<'EOF2'
__global__ void child(int *x) { x[threadIdx.x]++; }
__global__ void parent(int *x)
{
    child<<<1, 32>>>(x);
}
int main() { parent<<<1, 1>>>(nullptr); }
EOF2
    refuses "clang says that nvcc is needed" 1 \
        'parent.cu:4: clang does not compile kernels that launch kernels, as child is launched here .dynamic parallelism.: .*nvcc' \
        "$BANKSCOPE" run "$WORK/parent.cu" --compiler clang
else
    skip "clang says that nvcc is needed" "needs clang"
fi

nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
if [ -x "$nvcc" ] && runs_programs; then
    run_it env NVCC="$nvcc" timeout 200 "$BANKSCOPE" run tests/programs/children/children.cu
    ok "nvcc compiles them, without an option" grep -q '^quicksort: 0: 0 1 2 3 4 5' "$WORK/stdout"
    ok "the host learns of a child's fault" grep -q '^bad child: 700' "$WORK/stdout"
    cat >"$WORK/reset.cu" <<'EOF2'
#include <cstdio>
__global__ void child(int *x) { *x += 1; }
__global__ void parent(int *x) { child<<<1, 1>>>(x); }
int main()
{
    for (int i = 0, h; i < 2; i++) {
        int *x;
        cudaMalloc(&x, 4);
        cudaMemset(x, 0, 4);
        parent<<<1, 1>>>(x);
        cudaMemcpy(&h, x, 4, cudaMemcpyDeviceToHost);
        printf("%d ", h);
        cudaDeviceReset();
    }
}
EOF2
    "$nvcc" -arch=compute_90 -rdc=true -cudart shared --no-compress "$WORK/reset.cu" -o "$WORK/reset" -lcudadevrt \
        >"$WORK/said" 2>&1
    run_it timeout 100 "$BANKSCOPE" run --no-gpu -- "$WORK/reset"
    ok "a program runs that was linked with libcudadevrt, and resets the device" sh -c "cat '$WORK/said' '$WORK/stderr'
        grep -q '^1 1 parent: 2 launches' '$WORK/stdout'"
    sed 's/>>>(x); }/>>>(x); cudaDeviceSynchronize(); }/' "$WORK/reset.cu" >"$WORK/waits.cu"
    refuses "a kernel that waits for its children" 1 'waits.cu.3.: kernels have no cudaDeviceSynchronize since CUDA 12' \
        env NVCC="$nvcc" "$BANKSCOPE" run "$WORK/waits.cu"
else
    skip "nvcc compiles them" "needs nvcc"
fi
finish
