#!/bin/sh
# half: functions of cuda_fp16.h and cuda_bf16.h by the kernel compiler are those of clang's headers (which
# test_compile_headers.sh holds against nvcc's), bit for bit, NaN, infinities and zeros among them.
. tests/support/tap.sh
if ! runs_programs; then
    skip "functions of half" "this build runs no programs, or there is no clang"
    finish
    exit
fi

# calls NAME PAIR: a line for each call with what its value goes to: S a number, P a pair, I an integer.
calls() {
    for mode in rn rz rd ru; do
        echo "S __float2$1_$mode(f)"
        for type in int uint ll ull short ushort; do
            echo "S __${type}2$1_$mode(i_$type)"
            echo "I __${1}2${type}_$mode(a)"
        done
    done
    echo "I __${1}2char_rz(a)"
    echo "I __${1}2uchar_rz(a)"
    echo "I __hisinf(a)"
    for name in add sub mul; do
        for kind in sat rn; do
            echo "S __h${name}_$kind(a, b)"
            echo "P __h${name}2_$kind(p, q)"
        done
    done
    for kind in sat relu; do
        echo "S __hfma_$kind(a, b, c)"
        echo "P __hfma2_$kind(p, q, p)"
    done
    for name in min max; do
        echo "S __h${name}_nan(a, b)"
        echo "P __h${name}2_nan(p, q)"
    done
    for name in eq ne lt le gt ge; do
        for kind in '' u; do
            echo "I __h$name$kind(a, b)"
            echo "P __h$name${kind}2(p, q)"
            echo "I __h$name${kind}2_mask(p, q)"
            echo "I __hb$name${kind}2(p, q)"
        done
    done
    for name in floor ceil trunc rint; do
        echo "P h2$name(p)"
    done
    printf 'P %s\n' "__habs2(p)" "__lows2$2(p, q)" "__highs2$2(p, q)" "__hcmadd(p, q, p)" "__hisnan2(p)"
}

# source NAME PAIR TYPE PAIRTYPE: a kernel that stores all of them, of numbers that are drawn and of some that are odd.
source_of() {
    calls "$1" "$2" >"$WORK/calls"
    cat <<END
#include <cuda_fp16.h>
#include <cuda_bf16.h>
__global__ void k(unsigned *all, const unsigned *in)
{
    int thread = threadIdx.x + blockIdx.x * blockDim.x, at = 0;
    unsigned *o = all + thread * 256;
    unsigned r0 = in[3 * thread], r1 = in[3 * thread + 1], r2 = in[3 * thread + 2];
    unsigned short ua = r0, ub = r0 >> 16;
    if (thread % 8 == 1)
        ua = ub;
    if (thread % 16 == 3)
        ua = 0x7fff;
    if (thread % 16 == 5)
        ub = thread & 32 ? 0x7c00 : 0xff80;
    if (thread % 16 == 7)
        ua = 0x8000;
    $3 a = __ushort_as_$1(ua), b = __ushort_as_$1(ub), c = __ushort_as_$1((unsigned short)r1);
    $4 p(a, c), q(b, a);
    float f = thread & 1 ? __uint_as_float(r2) : (float)(int)r2 / 65536.0f;
    int shift = thread % 32, i_int = (int)r1 >> shift;
    unsigned i_uint = r1 >> shift;
    long long i_ll = (long long)((unsigned long long)r1 << 32 | r2) >> 2 * shift;
    unsigned long long i_ull = ((unsigned long long)r2 << 32 | r1) >> 2 * shift;
    short i_short = r1;
    unsigned short i_ushort = r2;
END
    sed "s/^S \(.*\)/    o[at++] = __$1_as_ushort(\1);/; s/^I \(.*\)/    o[at++] = (unsigned)(\1);/
        s/^P \(.*\)/    { auto r = \1; o[at++] = __$1_as_ushort(r.x), o[at++] = __$1_as_ushort(r.y); }/" "$WORK/calls"
    echo "    while (at < 256)"
    echo "        o[at++] = 0;"
    echo "}"
}

# The name of a call whose values differ, for the first few of them.
same_values() { # NAME
    for compiler in small clang; do
        "$BANKSCOPE" run "$WORK/$1.cu" --compiler $compiler --call 'k<<<4, 128>>>(o, in)' --seed 3 \
            --array "unsigned o[131072] > $WORK/$1.$compiler" --array 'unsigned in[1536] = random' \
            >"$WORK/said" 2>&1 || { cat "$WORK/said" && return 1; }
    done
    cmp "$WORK/$1.small" "$WORK/$1.clang" && return
    awk '{ width = /^P/ ? 2 : 1; while (width--) name[n++] = $0 } END { for (i = 0; i < n; i++) print name[i] }' \
        "$WORK/calls" >"$WORK/names"
    paste "$WORK/$1.small" "$WORK/$1.clang" | awk -v names="$WORK/names" '
        BEGIN { while ((getline line <names) > 0) name[n++] = line }
        $1 != $2 { print name[(NR - 1) % 256], $0 }' | sort -k 2,2 -u | head
    false
}
source_of half half2 half half2 >"$WORK/half.cu"
ok "those of half" same_values half
source_of bfloat16 bfloat162 __nv_bfloat16 __nv_bfloat162 >"$WORK/bfloat16.cu"
ok "those of bfloat16" same_values bfloat16
finish
