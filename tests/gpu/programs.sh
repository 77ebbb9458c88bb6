#!/bin/sh
# programs.sh [FOLDER [OUTPUT]] - counts every program of tests/programs on a GPU. FOLDER
# (build/gpu/programs) holds them as nvcc compiled them; `make gpu` does. OUTPUT
# (build/programs.tsv) gets a line per launch: program, kernel, its number in the program, then
# warp instructions, passes and conflicts in shared memory of loads, stores, atomics, matrix loads and
# stores (ldmatrix, stmatrix), and copies from global memory. The last two columns, why the prediction
# differs with clang's code and with nvcc's, are written by hand; they are taken over from
# tests/data/h200-programs.tsv, with which tests/programs/test_programs_*.sh compare what this machine predicts.
# Needs ncu.
set -u
tree=$(cd "$(dirname "$0")/../.." && pwd)
folder=${1:-$tree/build/gpu/programs}
output=${2:-$tree/build/programs.tsv}
ncu=${NCU:-ncu}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# column=counter; those of the last lines only where this GPU has them. Counters with "sass" are sums over
# the instructions, without those that no lane takes part in: what is lost to other traffic is not in them,
# and generic accesses to shared memory are. The others' loads and stores include those of matrices.
counters='ld.passes=l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum
ld.conflicts=l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum
st.passes=l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum
st.conflicts=l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum'
optional='atom.passes=l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum
atom.conflicts=l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum
ld.instructions=smsp__sass_inst_executed_op_shared_ld.sum
st.instructions=smsp__sass_inst_executed_op_shared_st.sum
atom.instructions=smsp__sass_inst_executed_op_shared_atom.sum
ldsm.instructions=smsp__sass_inst_executed_op_ldsm.sum
stsm.instructions=smsp__sass_inst_executed_op_shared_stsm.sum
copy.instructions=smsp__sass_inst_executed_op_ldgsts.sum
ld.sass_passes=smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum
st.sass_passes=smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum
atom.sass_passes=smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_atom.sum
ldsm.sass_passes=smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldsm.sum
stsm.sass_passes=smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_stsm.sum
copy.sass_passes=smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum
copy.sass_conflicts=smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_ldgsts.sum'
"$ncu" --query-metrics 2>&1 | awk '{ print $1 }' >"$work/known"
for line in $optional; do
    name=${line#*=}
    if grep -qx "${name%.sum}" "$work/known"; then
        counters="$counters
$line"
    else
        echo "programs.sh: this GPU has no counter $name" >&2
    fi
done
metrics=$(echo "$counters" | sed 's/.*=//' | paste -sd, -)

{
    echo "# Counters of the programs in tests/programs on a GPU (tests/gpu/programs.sh). Last columns: the"
    echo "# operations whose passes differ from what the machine counts, and why, with the code of clang 14 and"
    echo "# with the PTX of nvcc 13.0 (tests/compare-counts)."
    echo "# device: $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -n 1)"
    echo "# date: $(date -u +%Y-%m-%d)"
    echo "# command: tests/gpu/programs.sh"
    echo "$counters" | sed 's/^/# /'
    echo "$counters" | sed 's/=.*//' | awk 'BEGIN { printf "program\tkernel\tlaunch" }
        { printf "\t%s", $0 } END { print "\tclang\tnvcc" }'
} >"$output"

# ncu's CSV to TSV: fields may be quoted and have commas; the second line has units.
# shellcheck disable=SC2016 # the dollars are awk's
table='
function split_csv(line, field,    n, i, c, quoted, text) {
    n = 0
    for (i = 1; i <= length(line); i++) {
        c = substr(line, i, 1)
        if (c == "\"")
            quoted = !quoted
        else if (c == "," && !quoted) {
            field[++n] = text
            text = ""
        } else
            text = text c
    }
    field[++n] = text
    return n
}
# "void scan<int>(const int *, int)" to "scan<int>"
function bare(name,    i, c, depth) {
    for (i = length(name); i > 0; i--) {
        c = substr(name, i, 1)
        depth += (c == ")") - (c == "(")
        if (c == "(" && depth == 0)
            break
    }
    name = substr(name, 1, i - 1)
    sub(/^void /, "", name)
    return name
}
BEGIN { many = split(metrics, metric, ",") }
FNR == 1 { files++ }
files == 1 {
    many_fields = split($0, value, "\t")
    if ($0 !~ /^#/ && value[1] == program)
        for (i = many_fields - 1; i <= many_fields; i++)
            differs[value[2], value[3]] = differs[value[2], value[3]] "\t" value[i]
    next
}
/^==/ { next }
!head { n = split_csv($0, name); for (i = 1; i <= n; i++) column[name[i]] = i; head = 1; next }
!units { units = 1; next }
{
    split_csv($0, value)
    kernel = bare(value[column["Kernel Name"]])
    printf "%s\t%s\t%d", program, kernel, launch
    for (k = 1; k <= many; k++) {
        number = value[column[metric[k]]]
        gsub(/,/, "", number)
        printf "\t%s", number
    }
    print (kernel, launch) in differs ? differs[kernel, launch] : "\t-\t-"
    launch++
}'

failed=0
for program in "$folder"/*; do
    [ -f "$program" ] || continue
    name=$(basename "$program")
    if ! timeout -k 2 "${PROGRAM_SECONDS:-20}" "$ncu" --clock-control none --csv --page raw \
        --print-units base --metrics "$metrics" --log-file "$work/log" "$program" \
        >"$work/said" 2>"$work/errors" || ! grep -q 'all values are right' "$work/said"; then
        failed=$((failed + 1))
        echo "programs.sh: $name fails: $(cat "$work/said" "$work/errors" | head -n 3 | tr '\n' ' ')" >&2
        grep -h '^==ERROR' "$work/log" >&2
    fi
    awk -v program="$name" -v metrics="$metrics" "$table" "$tree/tests/data/h200-programs.tsv" \
        "$work/log" >>"$output"
done
echo "programs.sh: $(grep -vc '^#\|^program' "$output") launches, $failed programs failed" >&2
[ "$failed" -eq 0 ]
