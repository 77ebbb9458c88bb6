#!/bin/sh
# all.sh [FOLDER [STEP...]] - every figure that needs a GPU, in order of value. `make gpu` builds what
# it runs into build/gpu (GPU_BUILD names another folder). Results go into FOLDER (build/gpu-results);
# each step has a time limit, and a step that fails stops nothing. Steps:
#
#   traces     traces of the host and of the GPU are equal, byte for byte           traces.txt
#   counters   the bank model equals the hardware's counters, three runs of a case   counters.tsv
#   random     so it does with parameters drawn at random                             random.tsv
#   library    the library's own merge: its accesses, and its sort's counters       library.txt
#   library_times  its sort's time on random keys and on inputs made to hurt it     library-times.tsv
#   sass       the bare build is bare, machine code against twins by hand           sass.txt
#   bench      the cost of recording, the speed of the dump                         bench.tsv
#   running_times  running times for the papers' figures                           times.tsv
#   table_1    what predecessor's Table I has of a profiler: bandwidth, stalls        table-1.tsv
#   programs   counters of the course's programs, for tests/programs/test_programs_*.sh       programs.tsv
#   global     requests and sectors of these programs in global memory              global.tsv
#   recorded   programs recorded as they are (run -- ./app) against their counters   recorded.tsv
#   launches   so are programs that launch in every way: streams, threads, graphs     launches.txt
#   processes  so are programs of several processes, PyTorch's included              processes.txt
#   record_speed  what that costs                                                    recorded-speed.tsv
#   sanitizer  compute-sanitizer's four tools find nothing                          sanitizer.txt
#   sorting    the sort: sizes, inputs, bad input, scratch, sanitizers, conflicts   sort.txt, sort-by.tsv, sort-inputs.tsv, sort-counters.tsv
#
# KERNELS="cf-merge cf-sort" restricts step counters to these kernels; SECONDS_PER_FIGURES=20 lets each
# group of figures in step running_times end early, with its larger sizes left out.
#
# Needs ncu, cuobjdump and compute-sanitizer of the CUDA toolkit.
set -u
here=$(cd "$(dirname "$0")" && pwd)
tree=$(cd "$here/../.." && pwd)
build=${GPU_BUILD:-$tree/build/gpu}
folder=${1:-$tree/build/gpu-results}
[ $# -eq 0 ] || shift
steps=${*:-traces counters random library library_times sass bench programs global recorded launches processes
    record_speed sanitizer sorting}
bankscope=$build/bankscope
for step in $steps; do
    grep -q "^$step() {\$" "$0" && [ "$step" != say ] || {
        echo "$0: there is no step '$step' (the head of this file lists them)" >&2
        exit 2
    }
done
mkdir -p "$folder"
failed=

# say STEP: when and on what the results were made.
say() {
    echo "# device: $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -n 1)"
    echo "# date: $(date -u +%Y-%m-%d)"
    echo "# command: tests/gpu/all.sh, step $1"
}

# keep STEP SECONDS PATTERN ARGUMENT: runs STEP.sh, keeps what it says, and shows the lines that PATTERN does not match.
keep() {
    say "$1" >"$folder/$1.txt"
    timeout "$2" "$here/$1.sh" "$4" >>"$folder/$1.txt"
    status=$?
    grep -v "$3" "$folder/$1.txt"
    return "$status"
}

traces() {
    keep traces 300 '^#\|^equal' "$bankscope"
}

counters() {
    # shellcheck disable=SC2086 # KERNELS is words
    (cd "$folder" && timeout 400 "$bankscope" verify ${KERNELS:-} --times 3 -o counters.tsv \
        >counters.txt 2>ncu.log)
    status=$?
    [ "$status" -eq 0 ] || tail -n 2 "$folder/ncu.log"
    grep DIFFERS "$folder/counters.txt"
    tail -n 1 "$folder/counters.txt"
    return "$status"
}

random() {
    (cd "$folder" && timeout 400 "$bankscope" verify --random 40 --seed 20261122 -o random.tsv \
        >random.txt 2>ncu.log)
    status=$?
    grep DIFFERS "$folder/random.txt"
    tail -n 1 "$folder/random.txt"
    return "$status"
}

# The sort against the library's, 10,000 random sorts included; the sanitizers; its counters.
sorting() {
    status=0
    say sorting >"$folder/sort.txt"
    for what in errors graph sizes "soak 10000" "once int32 30"; do # the last: as many items as can be
        # shellcheck disable=SC2086 # what is words
        timeout 600 "$build/sort" $what >>"$folder/sort.txt" 2>&1 || status=1
    done
    for what in sizes inputs; do
        timeout 600 "$build/distribution" "$what" >>"$folder/sort.txt" 2>&1 || status=1
        timeout 600 "$build/sort_by" "$what" >>"$folder/sort.txt" 2>&1 || status=1
    done
    timeout 300 "$build/sort_inputs" check >>"$folder/sort.txt" 2>&1 || status=1
    for tool in memcheck racecheck initcheck synccheck; do
        only= # racecheck would take minutes for the library's kernels
        [ "$tool" != racecheck ] || only="--kernel-name kns=bankscope"
        for program in sort sort_by; do
            echo "compute-sanitizer --tool $tool $only $program few" >>"$folder/sort.txt"
            # shellcheck disable=SC2086 # two words or none
            timeout 300 compute-sanitizer --error-exitcode 1 --tool "$tool" $only "$build/$program" few \
                >"$folder/sort-$tool.txt" 2>&1 || status=1
            tail -n 2 "$folder/sort-$tool.txt" >>"$folder/sort.txt"
        done
    done
    say sorting >"$folder/sort-by.tsv"
    timeout 300 "$build/sort_by" bench >>"$folder/sort-by.tsv" || status=1
    say sorting >"$folder/sort-inputs.tsv"
    timeout 300 "$build/sort_inputs" times 20 23 26 28 >>"$folder/sort-inputs.tsv" || status=1
    say sorting >"$folder/sort-counters.tsv"
    for type in int32 int64; do
        : >"$folder/sort-$type.csv"
        for n in 20 21; do # long and short runs, passes of eight and of four ways
            timeout 300 ncu --clock-control none --section SourceCounters --page source --csv \
                --print-source sass -k regex:"block_sort|merge_runs" -c 4 "$build/sort" once "$type" "$n" \
                >>"$folder/sort-$type.csv" 2>"$folder/ncu.log" || status=1
        done
        awk -f "$here/sort_counters.awk" "$folder/sort-$type.csv" >>"$folder/sort-counters.tsv"
    done
    grep -v '^#' "$folder/sort.txt"
    return "$status"
}

# The reads of cub's templates on the GPU are the trace's; the counters of cub's sort are predicted.
library() {
    status=0
    say library >"$folder/library.txt"
    traces=$(mktemp -d)
    for line in "random u=512 E=15" "worst u=512 E=15" "random u=256 E=17" "worst u=256 E=17" \
        "sorted u=256 E=8" "duplicates u=256 E=16"; do
        # shellcheck disable=SC2086 # a line is words
        set -- $line
        "$bankscope" run thrust-merge -p order=library --input "$1" -p "$2" -p "$3" \
            -o "$traces/$1-$2-$3.jsonl" >"$traces/said" || status=1
    done
    (cd "$traces" && timeout 60 "$build/library_merge" ./*.jsonl) >>"$folder/library.txt" || status=1
    rm -r "$traces"
    metrics=$(sed -n 's/^    "\([a-z0-9_]*\.sum\)",$/\1/p' "$tree/measure/verify_counters.c" | paste -sd ,)
    printf 'keys\ttiles merged\t' >>"$folder/library.txt"
    echo "loads: instructions, passes, conflicts; stores (predicted and counted of each)" \
        >>"$folder/library.txt"
    for input in random worst hardest; do
        timeout 100 ncu --clock-control none --csv --page raw --print-units base \
            --kernel-name regex:MergeSortMerge --metrics "$metrics" \
            --log-file "$folder/library-$input.csv" "$build/library_sort" run "$input" 64 || status=1
        "$build/library_sort" compare "$input" 64 "$folder/library-$input.csv" \
            >>"$folder/library.txt" || status=1
    done
    cat "$folder/library.txt"
    return "$status"
}

# How long cub's sort takes on inputs made to hurt it.
library_times() {
    status=0
    say library_times >"$folder/library-times.tsv"
    printf 'input\tkeys\tmilliseconds (median of 21)\tleast\tmost\n' >>"$folder/library-times.tsv"
    for tiles in 4096 15000; do
        for input in random worst hardest-model hardest; do
            timeout 100 "$build/library_sort" time "$input" "$tiles" \
                >>"$folder/library-times.tsv" || status=1
        done
    done
    cat "$folder/library-times.tsv"
    return "$status"
}

programs() {
    timeout 400 "$here/programs.sh" "$build/programs" "$folder/programs.tsv"
}

global() {
    timeout 500 "$here/global.sh" "$build/programs" "$folder/global.tsv"
}

recorded() {
    timeout 500 "$here/recorded.sh" "$build" "$folder/recorded.tsv"
}

launches() {
    keep launches 300 '^#\|right$' "$build"
}

processes() {
    keep processes 400 '^#' "$build"
}

record_speed() {
    say record_speed >"$folder/recorded-speed.tsv"
    "$here/record_speed.sh" "$build" >>"$folder/recorded-speed.tsv"
    status=$?
    cat "$folder/recorded-speed.tsv"
    return "$status"
}

sass() {
    timeout 60 "$here/sass.sh" "$build" "$folder"
}

bench() {
    (cd "$folder" && timeout 300 "$bankscope" bench -o bench.tsv)
}

# Groups that share what they measure. A group that fails leaves the others' times.
running_times() {
    status=0
    seconds=${SECONDS_PER_FIGURES:-300}
    say running_times >"$folder/times.tsv"
    while read -r group figures; do
        # shellcheck disable=SC2086 # figures are words
        timeout $((seconds + 60)) "$bankscope" bench $figures --seconds "$seconds" \
            -o "$folder/times-$group.tsv" >"$folder/times-$group.txt" 2>&1 || {
            status=1
            tail -n 1 "$folder/times-$group.txt"
        }
        echo "$group: $(grep -c '^time' "$folder/times-$group.txt") times"
    done <<END
searches predecessor-table-1 predecessor-7 predecessor-8 predecessor-9 predecessor-10 predecessor-11
colors bcfsort-1
networks bcfsort-7
merges cfmerge-5 cfmerge-6 worstcase-4 worstcase-5 worstcase-6
sorts beyond-2
bcf bcfsort-3 bcfsort-4 bcfsort-5 bcfsort-6
END
    printf 'bench\twhat\tfigure\tvalue\tunit\n' >>"$folder/times.tsv"
    # Two groups time some of the same: the first one's time stays.
    grep -h '^time' "$folder"/times-*.tsv | awk -F '\t' '!seen[$2, $3]++' >>"$folder/times.tsv"
    return "$status"
}

# A row for each metric, of the second launch of a search: bytes per second of the GPU's memory, the part of
# its peak; cycles that a warp takes per instruction, and those of them that it waits for global and local
# memory (long scoreboard) and for shared memory (short). The paper's baseline is a copy, which no kernel
# does here.
table_1() {
    say table_1 >"$folder/table-1.tsv"
    printf 'kernel\tmetric\tunit\tvalue\n' >>"$folder/table-1.tsv"
    stalled=smsp__average_warps_issue_stalled
    metrics=dram__bytes.sum.per_second,dram__throughput.avg.pct_of_peak_sustained_elapsed
    metrics=$metrics,smsp__average_warp_latency_per_inst_issued.ratio
    metrics=$metrics,${stalled}_long_scoreboard_per_issue_active.ratio
    metrics=$metrics,${stalled}_short_scoreboard_per_issue_active.ratio
    for search in search-pbs search-pbs-cf search-pbs-cl; do
        timeout 120 "${NCU:-ncu}" --clock-control none --csv --page raw --print-units base --launch-skip 1 \
            --launch-count 1 --metrics "$metrics" \
            "$bankscope" bench predecessor-table-1 --match "^$search " >"$folder/table-1.txt" 2>&1
        # Three rows that begin with a quote: names, units, values.
        awk -v search="$search" '
            /^"/ {
                columns = split(substr($0, 2, length($0) - 2), field, "\",\"")
                row++
                for (i = 1; i <= columns; i++)
                    table[row, i] = field[i]
            }
            END {
                for (i = 1; i <= columns; i++)
                    if (table[1, i] ~ /^(dram__bytes.sum|dram__throughput.avg|smsp__average)/)
                        printf "%s\t%s\t%s\t%s\n", search, table[1, i], table[2, i], table[3, i]
            }' "$folder/table-1.txt" >>"$folder/table-1.tsv"
    done
    cat "$folder/table-1.tsv"
    [ "$(grep -c '^search' "$folder/table-1.tsv")" -eq 15 ]
}

sanitizer() {
    status=0
    say sanitizer >"$folder/sanitizer.txt"
    for tool in memcheck racecheck initcheck synccheck; do
        for build_of in bare traced; do
            set -- "$bankscope" verify --bare
            [ "$build_of" = bare ] || set -- "$here/traced.sh" "$bankscope"
            verdict=clean
            timeout 120 compute-sanitizer --tool "$tool" --target-processes all \
                --error-exitcode 9 "$@" >"$folder/sanitizer.log" 2>&1 || {
                verdict="FAILED, status $?"
                status=1
            }
            echo "$tool $build_of: $verdict, $(grep -c 'ERROR SUMMARY: 0 \|0 hazards' \
                "$folder/sanitizer.log") reports of nothing" >>"$folder/sanitizer.txt"
            [ "$verdict" = clean ] || grep '=====' "$folder/sanitizer.log" | head -n 12 \
                >>"$folder/sanitizer.txt"
        done
    done
    cat "$folder/sanitizer.txt"
    return "$status"
}

for step in $steps; do
    echo "== $step ($(date +%T))"
    "$step" || failed="$failed $step"
done
echo "== failed:${failed:- none} ($(date +%T))"
[ -z "$failed" ]
