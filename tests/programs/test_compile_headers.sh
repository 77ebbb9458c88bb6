#!/bin/sh
# The headers that stand in for the toolkit's, against the toolkit's, where there is one: what nvcc compiles has
# those, and calls the same runtime.
. tests/support/tap.sh

# nvcc itself says where its headers are: it may be a script far from the toolkit.
theirs=
for nvcc in "$(command -v nvcc)" /usr/local/cuda/bin/nvcc; do
    [ -x "$nvcc" ] && "$nvcc" --version | grep -q 'release 13\.0,' || continue
    theirs=$("$nvcc" --dryrun -x cu -c /dev/null 2>&1 | sed -n 's/.* INCLUDES="-I\([^"]*\)".*/\1/p')
    [ -f "$theirs/cuda_fp16.h" ] && break
    theirs=
done
if [ -z "$theirs" ] || ! have clang g++; then
    skip "headers" "there is no toolkit 13.0 with its headers, or no clang and g++"
    finish
    exit
fi
ours=$TREE/program/compile/include

# A function of ours behind theirs: another type would not compile.
functions() {
    {
        echo '#include <cuda_runtime_api.h>'
        echo '#define BANKSCOPE_RUNTIME'
        echo '#define BANKSCOPE_OR(value)'
        echo 'extern "C" {'
        sed -n '/^\/\* kernels \*\//,/^#ifdef __cplusplus/p' "$ours/cuda_runtime_api.h" | sed '/^#ifdef __cplusplus/d'
        echo '}'
    } >"$WORK/functions.cpp"
    [ "$(grep -c '^cudaError_t' "$WORK/functions.cpp")" -gt 150 ] &&
        g++ -fsyntax-only -I"$theirs" "$WORK/functions.cpp"
}
ok "functions are the toolkit's" functions

# Each function of ours is there by name.
names() {
    grep -o 'cuda[A-Z][A-Za-z0-9]*(' "$WORK/functions.cpp" | sort -u >"$WORK/names"
    cat "$theirs/cuda_runtime_api.h" "$theirs/cuda_profiler_api.h" >"$WORK/theirs"
    while read -r name; do
        grep -qF "$name" "$WORK/theirs" || echo "$name is not there"
    done <"$WORK/names" >"$WORK/unknown"
    cat "$WORK/unknown"
    [ ! -s "$WORK/unknown" ] && [ "$(wc -l <"$WORK/names")" -gt 150 ]
}
ok "and all of them are there" names

# layouts INCLUDE HEADER: "NAME SIZE OFFSET..." of each struct of ours, in bits.
layouts() {
    {
        echo "#include <$2>"
        sed -n 's/^struct \([A-Za-z0-9_]*\) {.*/char bankscope_\1[sizeof(struct \1)];/p' \
            "$ours/driver_types.h" | grep -v cudaLaunchAttributeValueDim # which has no name in the toolkit
    } >"$WORK/layouts.c"
    clang -w -I"$1" -fsyntax-only -Xclang -fdump-record-layouts-simple "$WORK/layouts.c" | awk '
        /^Type: / { name = $0 ~ /\(/ ? "" : $NF }
        /^  Size:/ { sub(/.*:/, ""); size = $0 }
        /^  FieldOffsets:/ && name ~ /^cuda/ {
            gsub(/.*\[|\].*|,/, "")
            print name, name == "cudaDeviceProp" ? "-" : size, $0
        }' | sort -u
}
same_layouts() {
    layouts "$ours" driver_types.h >"$WORK/ours.layouts"
    layouts "$theirs" cuda_runtime_api.h >"$WORK/theirs.layouts"
    # Ours has more at the end of the properties.
    awk 'NR == FNR { at[$1] = $0; next }
        !($1 in at) { next } # we have none of that
        $1 == "cudaDeviceProp" ? index(at[$1], $0) != 1 : at[$1] != $0 { print "ours  ", at[$1]; print "theirs", $0 }' \
        "$WORK/ours.layouts" "$WORK/theirs.layouts" >"$WORK/differ"
    cat "$WORK/differ"
    [ ! -s "$WORK/differ" ] && [ "$(wc -l <"$WORK/theirs.layouts")" -gt 30 ]
}
ok "structs are laid out as the toolkit's" same_layouts

values() {
    {
        echo '#include <cuda_runtime_api.h>'
        sed -n 's/^    \(cuda[A-Za-z0-9_]*\) = \([^,]*\),\{0,1\}$/\1 \2/p' "$ours/driver_types.h" |
            while read -r name value; do
                grep -qw "$name" "$theirs/driver_types.h" "$theirs/surface_types.h" "$theirs/texture_types.h" &&
                    echo "static_assert((int)$name == (int)($value));"
            done
    } >"$WORK/values.cpp"
    [ "$(grep -c static_assert "$WORK/values.cpp")" -gt 280 ] && g++ -std=c++17 -fsyntax-only -I"$theirs" "$WORK/values.cpp"
}
ok "names have the toolkit's values" values

# Numbers of 8 and 16 bits, as the toolkit's header computes them on the host.
cat >"$WORK/numbers.cpp" <<'END'
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cuda_fp8.h>
#include <cstdio>
#include <cstring>
int main()
{
    unsigned sum = 0;
    auto add = [&](auto value) {
        unsigned bits = 0;
        memcpy(&bits, &value, sizeof value);
        sum = sum * 31 + (value != value ? 1 : bits);
    };
    for (unsigned i = 0; i < 65536; i++) {
        __half_raw half = {(unsigned short)i};
        __nv_bfloat16_raw bf16 = {(unsigned short)i};
        add((float)__half(half));
        add((float)__nv_bfloat16(bf16));
        __nv_fp8_e4m3 e4m3;
        __nv_fp8_e5m2 e5m2;
        e4m3.__x = e5m2.__x = (unsigned char)i;
        add((float)e4m3);
        add((float)e5m2);
    }
    printf("%08x\n", sum);
    for (unsigned i = 0; i < 300000; i++) {
        unsigned bits = i * 2654435761u;
        float x;
        memcpy(&x, &bits, 4);
        for (int k = 0; k < 2; k++) {
            if (x == x)
                sum = sum * 31 + ((__half_raw)__half(x)).x + ((__nv_bfloat16_raw)__nv_bfloat16(x)).x * 3 +
                      __nv_fp8_e4m3(x).__x * 5 + __nv_fp8_e5m2(x).__x * 7 +
                      __nv_cvt_float_to_fp8(x, __NV_NOSAT, __NV_E5M2) * 11;
            x = ((int)(i % 40000) - 20000) * 0x1p-26f;
        }
    }
    printf("%08x\n", sum);
}
END
library=$(cd "$(dirname "$BANKSCOPE")" && pwd -P)
numbers() {
    clang++ -std=c++17 -x cuda --cuda-path=/nonexistent --cuda-host-only -nocudainc -nocudalib -w \
        -Xclang -target-sdk-version=11.5 -isystem "$ours" -include cuda_runtime.h \
        "$WORK/numbers.cpp" -x none "$library/libcudart.so.13" -Wl,-rpath,"$library" -o "$WORK/numbers.ours" &&
        g++ -std=c++17 -w -I"$theirs" "$WORK/numbers.cpp" -o "$WORK/numbers.theirs" &&
        "$WORK/numbers.theirs" >"$WORK/theirs" && "$WORK/numbers.ours" >"$WORK/ours" &&
        diff "$WORK/theirs" "$WORK/ours"
}
ok "numbers of 8 and 16 bits are converted as by the toolkit" numbers

finish
