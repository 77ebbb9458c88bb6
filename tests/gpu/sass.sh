#!/bin/sh
# sass.sh BUILD FOLDER - the bare build is bare: compares the machine code of three kernels with that
# of their twins without macros (twins.cu), instruction counts by opcode. BUILD holds twins.o and
# the bare objects (stride.bare.o, ...). Writes FOLDER/sass.txt. Needs cuobjdump.
set -eu
build=$1 folder=$2
same=0 other=0
: >"$folder/sass.txt"

# opcodes OBJECT FUNCTION: how often each opcode (with its suffixes) occurs.
opcodes() {
    cuobjdump -sass "$1" | awk -v function_name="$2" '
        /Function :/ { on = index($0, function_name) > 0 }
        on && $1 ~ /^\/\*[0-9a-f]+\*\/$/ {
            opcode = $2 ~ /^@/ ? $3 : $2
            sub(/;$/, "", opcode)
            if (opcode != "NOP")
                count[opcode]++
        }
        END { for (opcode in count) print opcode, count[opcode] }' | LC_ALL=C sort
}

# compare OBJECT FUNCTION TWIN
compare() {
    opcodes "$1" "$2" >"$folder/sass-bare"
    opcodes "$build/twins.o" "$3" >"$folder/sass-twin"
    instructions=$(awk '{ n += $2 } END { print n + 0 }' "$folder/sass-bare")
    if [ "$instructions" -gt 0 ] && cmp -s "$folder/sass-bare" "$folder/sass-twin"; then
        same=$((same + 1))
        echo "same: $2 and $3, $instructions instructions, $(wc -l <"$folder/sass-bare") opcodes"
    else
        other=$((other + 1))
        echo "DIFFER: $2 (<) and $3 (>), $instructions instructions"
        diff "$folder/sass-bare" "$folder/sass-twin" || true
    fi >>"$folder/sass.txt"
    rm "$folder/sass-bare" "$folder/sass-twin"
}

compare "$build/stride.bare.o" stride_runILin1E stride_twin
compare "$build/thrust_merge.bare.o" thrust_merge_runILi0E thrust_merge_twin
compare "$build/cf_merge.bare.o" cf_merge_runILi0E cf_merge_twin
cat "$folder/sass.txt"
[ "$same" -eq 3 ] && [ "$other" -eq 0 ]
