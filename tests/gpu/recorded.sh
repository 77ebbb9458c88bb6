#!/bin/sh
# recorded.sh [FOLDER [OUTPUT]] - records programs as they are on a GPU (run -- ./app) and compares each
# launch with the counters of the same program. FOLDER (build/gpu) holds bankscope, its library for
# recording, programs/ and recorded/, as `make gpu` builds them. OUTPUT (build/recorded.tsv) gets a line
# per launch and kind of access: instructions, passes and conflicts as recorded, the same as counted,
# and a verdict: "equal", but for passes that the counters by instruction show to be lost to other traffic;
# "arbitration" where those do not help, and passes and conflicts differ by the same number, a
# hundredth of the passes at most; "instructions" where only these are equal, for copies from global
# memory, whose passes depend on what they read, too; "timing" where the program does other accesses in each run (who comes
# first, loops of compare-and-swap); "DIFFERS". Beside OUTPUT, counted-programs.tsv keeps what programs.sh
# counted. Ends with status 1 if any differ. Needs ncu.
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
    echo "# command: tests/gpu/all.sh, step recorded"
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
    # kernel,launch,file,line,op,instructions,accesses,passes,conflicts,max_ways,code; names and code may
    # have commas
    match($0, /,[0-9]+,[^,]*,[0-9]+,(load|store|atomic|matrix|async|merged|compare|spin)/)
    split(substr($0, RSTART + 1), after, ",")
    launch = after[1]
    add(after[4], after[5], after[7], after[8])
    next
}
/^#/ { next }
$1 == "program" {
    for (i = 1; i <= NF; i++)
        column[$i] = i
    next
}
# of(COLUMN): 0 where this GPU has no such counter.
function of(name) { return name in column ? $(column[name]) : 0 }
$1 == program {
    many = split("ld st atom copy", op, " ")
    split("ldsm stsm - -", matrices, " ")
    for (i = 1; i <= many; i++) {
        o = op[i]
        key = $3 SUBSEP o
        m = matrices[i]
        counted = of(o ".instructions") + of(m ".instructions")
        if (counted + did[key] == 0)
            continue
        # What is lost to other traffic is in passes and in conflicts, but not in the counters by
        # instruction, which do not know that a wide load may merge its groups.
        sass_passes = of(o ".sass_passes") + of(m ".sass_passes")
        passes = o == "copy" ? sass_passes : of(o ".passes")
        conflicts = of(o (o == "copy" ? ".sass_conflicts" : ".conflicts"))
        lost = passes - sass_passes
        surplus = passes - passed[key]
        verdict = "DIFFERS"
        if (did[key] + 0 == counted) {
            if (o == "copy")
                verdict = "instructions"
            if (conflicts - conflicted[key] == surplus) {
                if (surplus == 0 || surplus == lost)
                    verdict = "equal"
                else if (surplus > 0 && surplus <= passes / 100)
                    verdict = "arbitration"
            }
        }
        if (verdict == "DIFFERS" && index(timed, " " program " "))
            verdict = "timing"
        printf "%s\t%s\t%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%s\n", program, $2, $3, o, did[key],
            passed[key], conflicted[key], counted, passes, conflicts, verdict
    }
}'

for group in recorded programs; do
    "$here/programs.sh" "$folder/$group" "$work/counted.tsv"
    [ "$group" != programs ] || cp "$work/counted.tsv" "$(dirname "$output")/counted-programs.tsv"
    for program in "$folder/$group"/*; do
        [ -x "$program" ] || continue
        name=$(basename "$program")
        [ "$name" != graphs ] || continue # launches in CUDA graphs are not recorded
        # What the program itself prints is left out.
        if ! timeout -k 2 "${PROGRAM_SECONDS:-60}" "$folder/bankscope" run --csv -- "$program" \
            >"$work/said" 2>"$work/errors"; then
            echo "recorded.sh: $name: $(head -n 2 "$work/errors" | tr '\n' ' ')" >&2
        fi
        sed -n '/^kernel,launch,/,$p' "$work/said" >"$work/csv/$name.csv"
        awk -F '\t' -v program="$name" -v timed=" barriers bfs kmeans " "$join" \
            "$work/csv/$name.csv" "$work/counted.tsv" >>"$output"
    done
done
equal=$(grep -c 'equal$\|arbitration$\|instructions$' "$output")
differ=$(grep -c 'DIFFERS$' "$output")
echo "recorded.sh: $equal equal, $differ differ" >&2
[ "$differ" -eq 0 ] && [ "$equal" -gt 0 ]
