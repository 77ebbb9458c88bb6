#!/bin/sh
# traces.sh BANKSCOPE - records every line below on the host and on the GPU, and compares the traces
# byte for byte, apart from the header's backend and device. Prints a line for each: equal, DIFFER or
# FAILED, then the recording. Ends with status 1 unless all are equal. The last kernels of the
# catalogue need no line: each is also recorded with its defaults.
set -u
bankscope=$(readlink -f "$1")
cd "$(dirname "$0")/../.." || exit
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
equal=0 other=0 options=

# record BACKEND FILE INPUT KERNEL PARAMETER...
record() {
    backend=$1 file=$2 input=$3 kernel=$4
    shift 4
    for parameter; do
        shift
        set -- "$@" -p "$parameter"
    done
    # shellcheck disable=SC2086 # options are words
    timeout 60 "$bankscope" run "$kernel" --backend "$backend" --input "$input" $options "$@" \
        -o "$file" >"$work/said" 2>&1
}

plain() {
    sed '1s/"backend":"[^"]*","device":"[^"]*"//' "$1"
}

# count VERDICT...
count() {
    case $1 in
    equal*) equal=$((equal + 1)) ;;
    *) other=$((other + 1)) ;;
    esac
    echo "$1"
}

# compare INPUT KERNEL PARAMETER...
compare() {
    verdict=equal
    if ! record host "$work/host.jsonl" "$@" || ! record cuda "$work/cuda.jsonl" "$@"; then
        verdict="FAILED ($(tail -n 1 "$work/said"))"
    else
        plain "$work/host.jsonl" >"$work/host" && plain "$work/cuda.jsonl" >"$work/cuda"
        if cmp -s "$work/host" "$work/cuda"; then
            verdict="equal, $(($(wc -l <"$work/host") - 2)) warp accesses"
        else
            verdict="DIFFER ($(cmp "$work/host" "$work/cuda" 2>&1))"
        fi
    fi
    count "$verdict: $*"
}

# A full buffer (--records RECORDS): what comes out is how the host's trace begins, and every access
# that does not is counted as dropped.
compare_cut() { # RECORDS INPUT KERNEL PARAMETER...
    records=$1
    shift
    verdict=equal
    record host "$work/host.jsonl" "$@"
    options="--records $records"
    record cuda "$work/cuda.jsonl" "$@"
    options=
    lines=$(($(wc -l <"$work/cuda.jsonl") - 2))
    sed -n "2,$((lines + 1))p" "$work/cuda.jsonl" >"$work/cuda"
    sed -n "2,$((lines + 1))p" "$work/host.jsonl" | cmp -s - "$work/cuda" || verdict=DIFFER
    dropped=$(sed -n '$s/.*"dropped":\([0-9]*\).*/\1/p' "$work/cuda.jsonl")
    [ "$(accesses "$work/host.jsonl")" -eq $(($(accesses "$work/cuda.jsonl") + dropped)) ] ||
        verdict=DIFFER
    [ "$lines" -gt 0 ] && [ "$dropped" -gt 0 ] || verdict=FAILED
    count "$verdict, $lines warp accesses, $dropped accesses dropped: --records $records $*"
}

# Accesses of all lanes.
accesses() {
    awk -F '"lane":\\[' 'NF > 1 { sub(/\].*/, "", $2); n += gsub(/,/, ",", $2) + 1 } END { print n + 0 }' "$1"
}

for kernel in $("$bankscope" list | cut -d ' ' -f 1); do
    compare random "$kernel"
done
while read -r line; do
    # shellcheck disable=SC2086 # a line is words
    compare $line
done <<END
random stride s=1
random stride s=32 u=64 blocks=3
random stride w=12 u=12 s=5
random stride w=12 u=12 s=6
reverse stride w=9 u=27 s=6 rounds=4
sorted stride u=256 s=17 rounds=4
random puzzle variant=two-way
random puzzle variant=two-way n=8190
random puzzle w=6 u=12 n=50
random broadcast pattern=one-word
random broadcast pattern=per-bank
random broadcast pattern=random u=128 blocks=2
random broadcast w=6 u=6 pattern=random
random wide bytes=1 s=3
random wide bytes=2 s=2
random wide bytes=4
random wide bytes=8 s=2
random wide bytes=16 s=1 u=64
random wide bytes=16 s=3
random wide w=9 u=18 bytes=8
random thrust-merge order=library
worst thrust-merge order=library
worst thrust-merge order=model
worst thrust-merge u=256 E=17 order=library
random thrust-merge u=64 E=8 order=library blocks=5
duplicates thrust-merge u=256 E=16 order=library
sorted thrust-merge u=64 E=15
reverse thrust-merge u=64 E=16
random thrust-merge u=1024 E=3 order=library
worst thrust-merge w=12 u=12 E=5
worst thrust-merge w=12 u=24 E=9 order=library
random thrust-merge w=6 u=18 E=4 order=library
worst thrust-merge w=16 u=32 E=9
worst thrust-merge w=9 u=18 E=6
random cf-merge
worst cf-merge
worst cf-merge u=256 E=17
random cf-merge u=256 E=16 blocks=4
random cf-merge u=256 E=8
duplicates cf-merge u=64 E=15
random cf-merge w=9 u=18 E=6
splits=2,3,3,1,1,4,4,4,1,1,2,4 cf-merge w=12 u=12 E=5
random cf-merge w=6 u=18 E=4
worst cf-merge w=16 u=32 E=9
random cf-merge w=12 u=36 E=8
random cf-split u=256 E=16
random cf-split variant=direct u=64 blocks=3
duplicates cf-split w=9 u=18 E=6
random dual-scan u=64 E=8
worst dual-scan w=12 u=12 E=5
random shear-sort w=32 variant=diagonal
random shear-sort w=32 memory=shared
reverse shear-sort w=8 h=4
random bcf-merge w=32 n=5000 na=1234
duplicates bcf-merge w=32 n=5000 pivots=on variant=diagonal
random bcf-merge w=7 n=100 na=30 blocks=3
random bcf-sort w=32 n=20000 blocks=8
duplicates bcf-sort w=32 n=20000 blocks=8 pivots=on variant=diagonal
reverse bcf-sort w=12 n=3001 blocks=5
random bcf-sort w=4 n=313 blocks=20 pivots=on
random warp-sort w=32 u=128 t=128 n=20000 blocks=8
duplicates warp-sort w=32 u=64 t=64 n=20000 blocks=8
reverse warp-sort w=12 t=16 n=3001 blocks=5
random thrust-sort w=12 u=24 E=5 n=500
worst thrust-sort u=64 E=15 n=5000 order=library
random cf-sort w=9 u=18 E=6 n=700
worst cf-sort u=256 E=17 n=20000
random transpose w=6 u=6
random transpose w=12 u=12 variant=in-place
random reduce w=9 u=27
random shear-sort w=9
random colored-scan w=12 u=12
random colored-sums w=12 n=777
random colored-sums n=5000 variant=conflict-free blocks=3
random distribute w=12 u=24 K=16 E=5 blocks=3
random distribute w=32 u=256 K=256 E=16
duplicates distribute w=32 u=64 K=64 tree=sorted
random search-pbs-cf w=16 u=32 key_bytes=8
worst search-pbs-cl w=16 u=32 K=500
random histogram w=12 u=24
random tests/gpu/branches.cu blocks=3
random tests/gpu/branches.cu w=12 u=36 rounds=7
random tests/gpu/vectors.cu blocks=2
random tests/gpu/vectors.cu w=12 u=36
random thrust-merge order=library blocks=500
END
# 500 blocks are three pieces of the dump, of which the borders split rounds. These split one, too.
compare_cut 1248 random dual-scan u=32 E=16
compare_cut 1440 random dual-scan u=32 E=16
compare_cut 21000 random thrust-merge order=library
echo "$equal equal, $other not"
[ "$other" -eq 0 ]
