#!/bin/sh
# recorded.sh [FOLDER [OUTPUT]] - records programs as they are on a GPU (run -- ./app) and compares each
# launch with the counters of the same program. FOLDER (build/gpu) holds bankscope, its library for
# recording, programs/ and recorded/, as `make gpu` builds them. OUTPUT (build/recorded.tsv) gets a line
# per launch and kind of access: instructions, passes and conflicts as recorded, the same as counted,
# and "equal" or "DIFFERS". Passes lost to other traffic (arbitration) are not counted, nor are
# instructions that no lane takes part in. Ends with status 1 if any differ. Needs ncu.
set -u
here=$(cd "$(dirname "$0")" && pwd)
folder=${1:-$here/../../build/gpu}
output=${2:-$here/../../build/recorded.tsv}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/csv"

{
    echo "# Programs as they are, recorded on a GPU and counted (tests/gpu/recorded.sh)."
    echo "# device: $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -n 1)"
    echo "# date: $(date -u +%Y-%m-%d)"
    printf 'program\tkernel\tlaunch\top\tinstructions\tpasses\tconflicts\t'
    printf 'counted_instructions\tcounted_passes\tcounted_conflicts\tverdict\n'
} >"$output"

# The first file is the program's CSV, the second the counters of all.
# shellcheck disable=SC2016 # the dollars are awk's
join='
function add(op, instructions, passes, conflicts,    key) {
    op = op ~ /load/ ? "ld" : op ~ /async/ ? "copy" : op ~ /store/ ? "st" : "atom"
    key = launch SUBSEP op
    did[key] += instructions
    passed[key] += passes
    conflicted[key] += conflicts
}
FNR == 1 { file++ }
file == 1 && FNR == 1 { next }
file == 1 {
    # kernel,launch,file,line,op,instructions,accesses,passes,conflicts,max_ways,code; names may have commas
    n = split($0, cell, ",")
    match($0, /,[0-9]+,[^,]*,[0-9]+,(load|store|atomic|matrix|async|merged|compare)/)
    split(substr($0, RSTART + 1), after, ",")
    launch = after[1]
    add(cell[n - 6], cell[n - 5], cell[n - 3], cell[n - 2])
    next
}
/^#/ { next }
$1 == "program" {
    for (i = 1; i <= NF; i++)
        column[$i] = i
    next
}
$1 == program {
    many = split("ld st atom", op, " ")
    for (i = 1; i <= many; i++) {
        o = op[i]
        key = $3 SUBSEP o
        counted = $(column[o ".instructions"])
        passes = $(column[o ".sass_passes"])
        conflicts = $(column[o ".conflicts"]) - ($(column[o ".passes"]) - passes)
        if (counted + did[key] == 0)
            continue
        same = passed[key] + 0 == passes && conflicted[key] + 0 == conflicts && did[key] + 0 <= counted
        printf "%s\t%s\t%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%s\n", program, $2, $3, o, did[key],
            passed[key], conflicted[key], counted, passes, conflicts, same ? "equal" : "DIFFERS"
    }
}'

for group in recorded programs; do
    "$here/programs.sh" "$folder/$group" "$work/counted.tsv"
    for program in "$folder/$group"/*; do
        [ -x "$program" ] || continue
        name=$(basename "$program")
        # What the program itself prints is left out.
        if ! timeout -k 2 "${PROGRAM_SECONDS:-60}" "$folder/bankscope" run --csv -- "$program" \
            >"$work/said" 2>"$work/errors"; then
            echo "recorded.sh: $name: $(head -n 2 "$work/errors" | tr '\n' ' ')" >&2
        fi
        sed -n '/^kernel,launch,/,$p' "$work/said" >"$work/csv/$name.csv"
        awk -F '\t' -v program="$name" "$join" "$work/csv/$name.csv" "$work/counted.tsv" >>"$output"
    done
done
equal=$(grep -c 'equal$' "$output")
differ=$(grep -c 'DIFFERS$' "$output")
echo "recorded.sh: $equal equal, $differ differ" >&2
[ "$differ" -eq 0 ] && [ "$equal" -gt 0 ]
