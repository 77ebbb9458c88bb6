#!/bin/sh
# A register of PTX in assembly behind one percent sign, as nvcc takes it, by clang: in macros, headers and literals of
# all kinds; and what is said of the files then.
. tests/support/tap.sh
. tests/support/cuda.sh

# Those that are here, each.
clangs=$(command -v clang-14 clang-16 || command -v clang)
mkdir "$WORK/include"
cat >"$WORK/include/lane.cuh" <<'END'
#define LANE(x) asm("mov.u32 %0, %laneid;" : "=r"(x))
#define WIDTH "%ntid.x"
__device__ inline int other()
{
    int x;
    asm("{\n\t.reg .u32 a;\n\tmov.u32 a, %laneid;\n\tmov.u32 %0, %ntid.x;\n\tadd.u32 %0, %0, a;\n\t}" : "=r"(x));
    return x;
}
END
cat >"$WORK/percents.cu" <<'END'
#include "lane.cuh"
#include <cstdio>
#define MOVE(from) "mov.u32 %0, " from ";"
#define NAMED(name) asm("mov.u32 %0, %" #name ";" : "=r"(x))
__global__ void k(int *p)
{
    int x, y;
    if (threadIdx.x != 5)
        return;
    LANE(x); asm("mov.u32 %0, %ntid.x;" : "=r"(y)); p[0] = x % 7; p[1] = y;
    asm(MOVE("%laneid") : "=r"(x)); p[2] = x;
    asm("mov.u32 %0, " WIDTH ";" : "=r"(x)); p[3] = x;
    NAMED(laneid); p[4] = x;
    asm("mov.u32 %0, %" "ntid.x;" : "=r"(x)); p[5] = x;
    asm("mov.u32 %0,"
        " %laneid;" : "=r"(x)); p[6] = x;
    asm(R"(
        { .reg .u32 a; mov.u32 a, %laneid; mov.u32 %0, %ntid.x;
          add.u32 %0, %0, a; })" : "=r"(x)); p[7] = x;
    asm("mov.u32 %[to], %%laneid;" : [to] "=r"(x)); p[8] = x;
    asm("mov.u32 %0, %lan\
eid;" : "=r"(x)); p[9] = x;
    p[10] = other();
#line 200 "elsewhere.cu"
    LANE(x); p[x + 6] = x;
}
int main()
{
    int *p, host[12];
    cudaMalloc(&p, sizeof host);
    k<<<1, 32>>>(p);
    cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost);
    for (int value : host)
        printf("%d ", value);
    printf("%d%%laneid\n", 5 % 3);
    return 0;
}
END
sum_of() {
    (cd "$WORK" && cksum percents.cu include/lane.cuh && ls -1 . include)
}
runs_by() { # CLANG VALUES
    values=$(CLANG=$1 "$BANKSCOPE" run --compiler clang "$WORK/percents.cu" -I "$WORK/include" 2>&1 | head -n 1)
    [ "$values" = "$2" ] && return
    echo "$1: $values"
    false
}
all_take() {
    for clang in $clangs; do
        runs_by "$clang" "$1" || return
    done
}
sum_of >"$WORK/../percents.before"
ok "registers behind one percent sign, in macros, headers and literals" \
    all_take '5 32 5 32 5 32 5 37 5 5 37 5 2%laneid'
sum_of >"$WORK/../percents.after"
ok "the files stay as they are" cmp "$WORK/../percents.before" "$WORK/../percents.after"
rm "$WORK/../percents.before" "$WORK/../percents.after"
sed -i 's/add.u32/sub.u32/' "$WORK/include/lane.cuh"
ok "a header that has changed is read again, though clang got a copy" \
    all_take '5 32 5 32 5 32 5 37 5 5 27 5 2%laneid'

# ---- what is said ------------------------------------------------------------------------------------

{
    echo '__global__ void k(int *p) {'
    awk 'BEGIN { for (i = 0; i < 30; i++) print "asm(\"mov.u32 %0, %laneid;\" : \"=r\"(p[0])); asm(\"mov.u32 %0, %tid.x;\" : \"=r\"(p[1]));" }'
    printf '%s\n' 'p[2] = nowhere_to_be_found; }' '#line 7 "elsewhere.cu"' 'int main() { return lost; }'
} >"$WORK/wrong.cu"
only_its_own() {
    for clang in $clangs; do
        CLANG=$clang run_it "$BANKSCOPE" run --compiler clang "$WORK/wrong.cu"
        cat "$WORK/stderr"
        [ "$status" -eq 1 ] && grep -q '/wrong.cu:32:8: error: .*nowhere_to_be_found' "$WORK/stderr" &&
            grep -q '^elsewhere.cu:7:21: error: .*lost' "$WORK/stderr" &&
            [ "$(grep -c 'error: ' "$WORK/stderr")" -eq 2 ] || return
    done
}
ok "another error is told, at the line of the file" only_its_own

# refuses_sign NAME PATTERN LITERAL
refuses_sign() {
    printf '__global__ void k(int *p) {\n\n    asm("mov.u32 %%0, %s" : "=r"(*p)); }\nint main() { k<<<1, 1>>>(nullptr); return 0; }\n' \
        "$3" >"$WORK/refused.cu"
    run_it "$BANKSCOPE" run --compiler clang "$WORK/refused.cu"
    ok "$1" grep -Eq "$2" "$WORK/stderr"
}
refuses_sign "a percent sign at the end is refused, as nvcc does" 'refused.cu:3:[0-9]+: error: invalid % escape' '%'
refuses_sign "a register that is none is named" 'refused.cu:3: .*%nosuch' '%nosuch;'
refuses_sign "a sign that stands for itself in no file is clang's error" 'refused.cu:3:[0-9]+: error: invalid % escape' '\x25laneid;'

finish
