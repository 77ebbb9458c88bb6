#!/bin/sh
# record_speed.sh [FOLDER] - what recording a program as it is on a GPU costs (run -- ./app), beside
# compute-sanitizer's memcheck, for a kernel bound by shared memory (rings of tests/gpu/recorded.cu: six
# launches, each with 3,151,872 accesses of warps). FOLDER (build/gpu) holds bankscope, its library for
# recording and rings. Prints a line for each way to run it: seconds of the whole program, and
# milliseconds of the first launch and of the last by the GPU's clock. Medians of three runs.
set -u
folder=${1:-$(dirname "$0")/../../build/gpu}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# measure NAME COMMAND...
measure() {
    name=$1
    shift
    for _ in 1 2 3; do
        begin=$(date +%s.%N)
        timeout 100 "$@" >"$work/said" 2>"$work/errors"
        echo "$begin $(date +%s.%N)" | awk '{ printf "%.3f\n", $2 - $1 }' >>"$work/program"
        sed -n 's/^launch 0: \(.*\) ms$/\1/p' "$work/said" >>"$work/first"
        sed -n 's/^launch 5: \(.*\) ms$/\1/p' "$work/said" >>"$work/last"
    done
    printf '%s' "$name"
    for what in program first last; do
        printf '\t%s' "$(sort -n "$work/$what" | sed -n 2p)"
        rm "$work/$what"
    done
    echo
}

printf 'way\tprogram_seconds\tfirst_launch_ms\tlast_launch_ms\n'
measure alone "$folder/rings"
measure recorded "$folder/bankscope" run -- "$folder/rings"
measure 'none chosen' "$folder/bankscope" run --kernel nothing -- "$folder/rings"
measure memcheck compute-sanitizer --tool memcheck "$folder/rings"
