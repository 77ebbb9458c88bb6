#!/bin/sh
# three_ways.sh [PROGRAM] - passes of the course's programs (tests/programs), launch by launch: predicted
# with clang's code, predicted with nvcc's, recorded on a GPU and counted there, without passes that were
# lost to other traffic. Needs no GPU: the last two are in tests/data/h200-recorded.tsv. PROGRAM
# (build/bankscope) predicts, with nvcc on the path. Needs jq.
set -eu
tree=$(cd "$(dirname "$0")/../.." && pwd)
bankscope=${1:-$tree/build/bankscope}
cd "$tree"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

recorded=tests/data/h200-recorded.tsv
sed -n '/^program/q; p' "$recorded" | sed 's/^# Programs as they are.*/# Passes of the programs in tests\/programs in shared memory (tests\/gpu\/three_ways.sh)./
s/^# command: .*/# command: tests\/gpu\/three_ways.sh, from h200-recorded.tsv/'
printf 'program\tkernel\tlaunch\top\tclang\tnvcc\trecorded\tcounted\n'
for source in tests/programs/*.cu; do
    name=$(basename "$source" .cu)
    grep -q "^$name	" "$recorded" || continue
    for compiler in clang nvcc; do
        "$bankscope" run --compiler $compiler --json="$work/json" "$source" >"$work/said" 2>&1
        jq -r '.launches[]
            | ([.lines[] | select(.op == "async-store").passes] | add // 0) as $copies
            | [.launch, "ld", .load.passes], [.launch, "st", .store.passes - $copies],
              [.launch, "copy", $copies], [.launch, "atom", .atomic.passes] | @tsv' \
            "$work/json" >"$work/predicted-$compiler"
    done
    awk -F '\t' -v name="$name" '
        FNR == 1 { file++ }
        file < 3 { passes[file, $1, $2] = $3; next }
        $1 == name && $2 !~ /^Device/ { # not the program of the same name that calls CUB
            printf "%s\t%s\t%s\t%s\t%d\t%d\t%d\t%d\n", name, $2, $3, $4, passes[1, $3, $4], \
                passes[2, $3, $4], $6, $11 ~ /equal|arbitration/ ? $6 : $9
        }' "$work/predicted-clang" "$work/predicted-nvcc" "$recorded"
done
