#!/bin/sh
# memory_passes.sh - passes of a multiprocessor's memory, of shared memory and of all, beside requests and sectors of global
# memory: tests/data/h100-memory-passes.tsv, written to $OUTPUT (build/memory-passes.tsv). Needs nvcc, ncu and python3.
set -u
tree=$(cd "$(dirname "$0")/../.." && pwd)
output=${OUTPUT:-$tree/build/memory-passes.tsv}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
metrics=l1tex__data_pipe_lsu_wavefronts.sum,l1tex__data_pipe_lsu_wavefronts_mem_shared.sum
for kind in requests sectors; do
    for op in ld st red atom; do
        metrics=$metrics,l1tex__t_${kind}_pipe_lsu_mem_global_op_$op.sum
    done
done
for program in transpose reduce matrix_product histogram stencil_2d stencil_3d convolution scan_blelloch fft softmax \
    bitonic_sort bank_stride bank_width saxpy vector_tiles nbody layernorm spmv compaction kmeans; do
    nvcc -std=c++17 -arch="${ARCH:-sm_90}" -o "$work/$program" "$tree/tests/programs/$program.cu" &&
        timeout -k 2 20 "${NCU:-ncu}" --clock-control none --csv --page raw --print-units base --launch-count 6 \
            --metrics "$metrics" --log-file "$work/$program.csv" "$work/$program" >/dev/null
done
grep '^#' "$tree/tests/data/h100-memory-passes.tsv" >"$output.new"
PYTHONPATH=$tree/tests/gpu python3 -B - "$work" >>"$output.new" <<'END'
import glob, os, sys
from profiler import bare, launches

print('program\tkernel\tall\tshared\trequests\tsectors\tleast')
for path in sorted(glob.glob(sys.argv[1] + '/*.csv')):
    for at in launches(path):
        number = lambda name: int(float(at[name]))
        requests, sectors = (sum(number(f'l1tex__t_{kind}_pipe_lsu_mem_global_op_{op}.sum')
                                 for op in ('ld', 'st', 'red', 'atom')) for kind in ('requests', 'sectors'))
        passes = [number(f'l1tex__data_pipe_lsu_wavefronts{which}.sum') for which in ('', '_mem_shared')]
        print(*[os.path.basename(path)[:-4], bare(at['Kernel Name']), *passes, requests, sectors,
                max(requests, -(-sectors // 4))], sep='\t')
END
mv "$output.new" "$output"
