#!/bin/sh
# hopper.sh [FOLDER] - what a GPU does with the instructions of tests/support/hopper_cases.h, and what its counters say of
# them: results.tsv and counters.csv in FOLDER (or $OUT, or here). At most three minutes.
#
# Needs the program tests/gpu/hopper.c beside it (or $HOPPER), built as its head says, and ncu. results.tsv becomes
# tests/data/h200-hopper.tsv by tests/gpu/hopper_table.awk.
set -u
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-${OUT:-.}}
hopper=${HOPPER:-$here/hopper}
ncu=${NCU:-ncu}
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader >"$out/device.txt" 2>&1

# A kernel that hangs or breaks the context costs only its own line.
: >"$out/results.tsv"
next=0 tries=0
all=$("$hopper" --count)
while [ "$next" -lt "$all" ] && [ "$tries" -lt 45 ]; do
    timeout -k 2 25 "$hopper" --from "$next" >>"$out/results.tsv" 2>>"$out/errors.txt"
    came=$(wc -l <"$out/results.tsv")
    if [ "$came" -lt "$all" ] && [ "$came" -le "$next" ]; then
        echo "case $next	failed: it hung" >>"$out/results.tsv"
        came=$((came + 1))
    fi
    [ "$came" -lt "$all" ] && tries=$((tries + 1))
    next=$came
done

awk -F '\t' '$2 !~ /^failed/ { print $1 }' "$out/results.tsv" >"$out/names.txt"
"$ncu" --query-metrics 2>/dev/null | awk '{ print $1 }' >"$out/known.txt"
metrics=
for metric in l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st \
    l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st \
    l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom \
    smsp__inst_executed_op_shared_ld smsp__inst_executed_op_shared_st smsp__inst_executed_op_shared_atom \
    l1tex__data_pipe_lsu_wavefronts_mem_shared l1tex__data_bank_conflicts_pipe_lsu_mem_shared \
    l1tex__data_pipe_lsu_wavefronts smsp__inst_executed_op_ldsm smsp__inst_executed_op_shared \
    smsp__inst_executed_op_dshared_ld smsp__inst_executed_op_dshared_st smsp__inst_executed_op_dshared_atom \
    l1tex__data_bank_reads l1tex__data_bank_writes smsp__inst_executed_op_ldgsts \
    smsp__inst_executed_op_generic_ld l1tex__m_xbar2l1tex_read_sectors smsp__inst_executed_pipe_uniform \
    smsp__inst_executed_pipe_tma sm__inst_executed_pipe_tensor_op_gmma sm__inst_executed_pipe_tma \
    smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_ldsm \
    smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldsm smsp__sass_inst_executed_op_ldsm \
    smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared smsp__sass_inst_executed_op_shared_ld \
    smsp__sass_inst_executed_op_shared_st l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_gmma \
    l1tex__data_pipe_lsu_wavefronts_mem_shared_op_gmma smsp__inst_executed_op_shared_stsm \
    l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ldgsts smsp__sass_inst_executed_op_dshared_ld \
    smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_stsm smsp__sass_inst_executed_op_dshared_st \
    smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_stsm smsp__sass_inst_executed_op_dshared_atom \
    smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts l1tex__t_requests_pipe_lsu_mem_dshared_op_ld \
    l1tex__t_sectors_pipe_lsu_mem_dshared_op_ld l1tex__t_sectors_pipe_lsu_mem_dshared_op_st \
    sm__sass_data_bytes_mem_shared_op_gmma l1tex__data_pipe_lsu_wavefronts_mem_shared_op_misc \
    l1tex__t_requests_pipe_lsu_mem_global_op_ld \
    l1tex__t_requests_pipe_lsu_mem_global_op_st l1tex__t_sectors_pipe_lsu_mem_global_op_ld \
    l1tex__t_sectors_pipe_lsu_mem_global_op_st l1tex__t_requests_pipe_lsu_mem_global_op_red; do
    grep -qx "$metric" "$out/known.txt" && metrics="$metrics${metrics:+,}$metric.sum"
done
timeout -k 2 110 "$ncu" --clock-control none --cache-control none --csv --page raw --log-file "$out/counters.csv" \
    --metrics "$metrics" "$hopper" --names "$out/names.txt" >/dev/null 2>>"$out/errors.txt"
echo "ncu ended with $?" >>"$out/errors.txt"
# names of counters of shared memory that this list may lack
grep -E 'mem_shared|op_shared|dshared|ldsm|data_bank|pipe_tma|gmma|stsm' "$out/known.txt" >"$out/more.txt"
rm -f "$out/names.txt" "$out/known.txt"
