#!/bin/bash
# python_kernels.sh FOLDER - PTX, launches, inputs, results and counters of Triton, CuPy and Numba kernels
# (python_kernels.py) on this machine's GPU, into FOLDER; about a minute. Nothing here waits without a limit.
# Needs ncu, and a $PYTHON (python3) with torch and triton; cupy and numba where they are.
set -u
folder=${1:?which folder?}
here=$(dirname "$0")
python=${PYTHON:-python3}
ncu=${NCU:-ncu}
mkdir -p "$folder"
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader >"$folder/device.txt"
TRITON_CACHE_DIR=$(mktemp -d)
export TRITON_CACHE_DIR
names=$(timeout 60 "$python" "$here/python_kernels.py" list)
# Compiling takes the time: eight at once.
# shellcheck disable=SC2016 # the inner shell expands them
echo "$names" | xargs -P 8 -I{} sh -c \
    'timeout -k 2 80 "$1" "$4/python_kernels.py" one "$2" "$3" >"$3/$2.log" 2>&1 ||
        echo "failed $2: $(tail -n 1 "$3/$2.log")"' _ "$python" {} "$folder" "$here"
metrics=
for op in ld st; do
    metrics=$metrics,l1tex__data_pipe_lsu_wavefronts_mem_shared_op_$op.sum
    metrics=$metrics,l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_$op.sum
    metrics=$metrics,smsp__inst_executed_op_shared_$op.sum
done
for op in ld st red atom; do
    metrics=$metrics,l1tex__t_requests_pipe_lsu_mem_global_op_$op.sum
    metrics=$metrics,l1tex__t_sectors_pipe_lsu_mem_global_op_$op.sum
done
good=
for name in $names; do
    [ -s "$folder/$name.json" ] && good="$good $name"
done
# shellcheck disable=SC2086
timeout -k 2 150 "$ncu" --clock-control none --csv --page raw --print-units base \
    --kernel-name 'regex:k_' --metrics "${metrics#,}" --log-file "$folder/counters.csv" \
    "$python" "$here/python_kernels.py" run $good
rm -rf "$TRITON_CACHE_DIR"
