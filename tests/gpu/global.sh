#!/bin/sh
# global.sh [FOLDER [OUTPUT]] - counts requests and sectors in global memory of every program of tests/programs on
# a GPU. FOLDER (build/gpu/programs) holds them as nvcc compiled them; `make gpu` does. OUTPUT (build/global.tsv)
# gets a line per launch. Its last columns, why the machine counts otherwise, are written by hand; they are taken
# over from tests/data/h100-global.tsv, with which tests/compare-counts compares. Needs ncu and python3.
set -u
tree=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(cd "${1:-$tree/build/gpu/programs}" && pwd) || exit
output=${2:-$tree/build/global.tsv}
ncu=${NCU:-ncu}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
metrics=smsp__inst_executed_op_local_ld.sum,smsp__inst_executed_op_local_st.sum
metrics=$metrics,memory_l2_theoretical_sectors_global_ideal
for kind in requests sectors; do
    for op in ld st red atom; do
        metrics=$metrics,l1tex__t_${kind}_pipe_lsu_mem_global_op_$op.sum
    done
done

failed=0
for program in "$folder"/*; do
    [ -f "$program" ] || continue
    name=$(basename "$program")
    timeout -k 2 "${PROGRAM_SECONDS:-20}" "$ncu" --clock-control none --csv --page raw --print-units base \
        --metrics "$metrics" --log-file "$work/$name.csv" "$program" >"$work/said" 2>&1 &&
        grep -q 'all values are right' "$work/said" && continue
    failed=$((failed + 1))
    echo "global.sh: $name fails: $(head -n 3 "$work/said" | tr '\n' ' ')" >&2
done
device=$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -n 1)
PYTHONPATH=$tree/tests/gpu python3 -B - "$tree/tests/data/h100-global.tsv" "$work" "$device" >"$output" <<'END'
import datetime, glob, os, sys
from profiler import bare, launches

lines = [line.rstrip('\n') for line in open(sys.argv[1])]
names = next(line for line in lines if line.startswith('program\t')).split('\t')
reasons = {tuple(line.split('\t')[k] for k in (0, 2)): line.split('\t')[-2:] for line in lines if line[0] != '#'}
for line in lines:
    if line.startswith('# device: '):
        line = '# device: ' + sys.argv[3]
    elif line.startswith('# date: '):
        line = '# date: ' + str(datetime.date.today())
    if line[0] == '#':
        print(line)
print('\t'.join(names))
column = {'local_ld': 'smsp__inst_executed_op_local_ld.sum', 'local_st': 'smsp__inst_executed_op_local_st.sum',
          'least': 'memory_l2_theoretical_sectors_global_ideal'}
for name in names[3:]:
    if '.' in name:
        op, kind = name.split('.')
        column[name] = f'l1tex__t_{kind}_pipe_lsu_mem_global_op_{op}.sum'
for path in sorted(glob.glob(sys.argv[2] + '/*.csv')):
    program = os.path.basename(path)[:-4]
    for launch, at in enumerate(launches(path)):
        values = [at[column[name]] for name in names[3:-2]]
        print('\t'.join([program, bare(at['Kernel Name']), str(launch)] + values +
                        reasons.get((program, str(launch)), ['-', '-'])))
END
echo "global.sh: $(grep -vc '^#\|^program' "$output") launches, $failed programs failed" >&2
[ "$failed" -eq 0 ]
