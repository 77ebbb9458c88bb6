#!/bin/sh
# launches.sh [FOLDER] - records a program that launches kernels in every way (launches.cu) on a GPU, all of
# it, one kernel, one launch, and none: its results and its status stay, and the counts are those that the
# program says. FOLDER (build/gpu) holds bankscope, its library for recording, launches and launches.cubin.
# Prints a line for each; the last counts what is wrong, and so does the status.
set -u
here=$(cd "$(dirname "$0")" && pwd)
folder=${1:-$here/../../build/gpu}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
wrong=0

# recorded: "STRIDE INSTRUCTIONS PASSES" of each kernel strided<S> in the CSV on standard input.
recorded() {
    awk '/^"?void strided</ && match($0, /,[0-9]+,[^,]*,[0-9]+,(load|store),/) {
        stride = substr($0, index($0, "<") + 1) + 0
        split(substr($0, RSTART + RLENGTH), number, ",") # instructions, accesses, passes
        did[stride] += number[1]
        passed[stride] += number[3]
    }
    END {
        for (stride in did)
            print stride, did[stride], passed[stride]
    }' | sort -n
}

# try WAY WHAT STATUS OPTION...: records the way; WHAT of it is chosen: all, one (kernel), none, launch.
try() {
    way=$1 what=$2 status=$3
    shift 3
    timeout -k 2 60 "$folder/bankscope" run --csv "$@" -- "$folder/launches" "$way" \
        "$folder/launches.cubin" >"$work/said" 2>"$work/errors"
    got=$?
    sed '/^kernel,launch,/,$d' "$work/said" >"$work/expected"
    sed -n '/^kernel,launch,/,$p' "$work/said" | recorded >"$work/recorded"
    case $what in
    all) awk '{ print $1, $2, $1 * $2 }' "$work/expected" ;;
    one) awk '$1 == 2 { print $1, $2, $1 * $2 }' "$work/expected" ;;
    none) ;;
    launch) sed -n 1p "$work/recorded" ;;
    esac >"$work/wanted"
    verdict=right
    if [ "$got" -ne "$status" ] || [ ! -s "$work/expected" ] ||
        ! diff "$work/wanted" "$work/recorded" >"$work/differ"; then
        verdict="WRONG: status $got $(head -n 2 "$work/errors" "$work/differ" | tr '\n' ' ')"
        wrong=$((wrong + 1))
    fi
    printf '%s\t%s\t%s\n' "$way" "$*" "$verdict"
}

for way in in-turn streams threads resets graphs modules cooperative; do
    if ! timeout -k 2 60 "$folder/launches" "$way" "$folder/launches.cubin" >"$work/said"; then
        echo "launches.sh: $way fails without being recorded" >&2
        wrong=$((wrong + 1))
    fi
    try "$way" all 0
    try "$way" one 0 --kernel 'strided<2>'
    try "$way" none 1 --kernel 'no such'
    try "$way" launch 0 --launch 3
done
try in-turn none 0 --launch 0 # which touches no shared memory
echo "$wrong wrong"
[ "$wrong" -eq 0 ]
