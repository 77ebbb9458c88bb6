#!/bin/sh
# Each allocation fails in turn (of many, some dozens spread over the run): no crash, no hang, no
# success with other results, no file left; one line says that memory is short.
. tests/support/tap.sh

if grep -aq __asan_init "$BANKSCOPE"; then
    skip "allocations that fail" "the address sanitizer has its own allocator"
    finish
    exit 0
fi
ok "the failing allocator compiles" "${CC:-cc}" -O1 -Wall -Wextra -shared -fPIC \
    -o "$WORK/failing.so" tests/support/failing_malloc.c
cd "$WORK" || exit 1
mkdir tmp
export TMPDIR="$WORK/tmp" SDL_VIDEODRIVER=dummy
"$BANKSCOPE" run thrust-merge -p w=8 -p u=16 -p E=3 -o in.jsonl >/dev/null
cp in.jsonl kept.jsonl

# failing WHICH ARGUMENT...: runs the program with the allocator; FAIL_AT=, FAIL_ON= and FAIL_COUNT= in
# WHICH tell which.
failing() {
    which=$1
    shift
    # shellcheck disable=SC2086 # a list
    timeout -k 1 20 env LD_PRELOAD="$WORK/failing.so" $which "$BANKSCOPE" "$@" >stdout 2>stderr </dev/null
}
# One line of stderr speaks of memory.
says_memory() {
    lines=0
    while IFS= read -r line || [ -n "$line" ]; do
        case $line in *emory*) lines=$((lines + 1)) ;; esac
    done <stderr
    [ $lines -eq 1 ]
}
# each NAME RUNS COMMAND...: about so many of its allocations fail, alone and with all behind them.
each() {
    each_name=$1 runs=$2
    shift 2
    rm -f out.* count
    failing FAIL_COUNT=count "$@"
    cat stdout out.* 2>/dev/null >good
    cat out.* 2>/dev/null >good_file
    rm -f out.*
    total=$(cat count)
    ok "$each_name: succeeds with $total allocations" test "$total" -gt 20
    step=$((total / runs + 1))
    : >amiss
    at=1
    while [ "$at" -le "$total" ]; do
        for on in '' FAIL_ON=yes; do
            each_status=0
            failing "FAIL_AT=$at $on" "$@" || each_status=$?
            case $each_status in
            0) cat stdout out.* 2>/dev/null | cmp -s good - || echo "$at $on: another result" ;;
            1) says_memory || echo "$at $on: says $(cat stderr)" ;;
            *) echo "$at $on: status $each_status" ;;
            esac >>amiss
            # What is there may be whole, when only a message had no room.
            for left in out.*; do
                [ -e "$left" ] || continue
                case $left in
                *.part.*) ;;
                *) cmp -s good_file "$left" || echo "$at $on: leaves $left" ;;
                esac
                rm "$left"
            done >>amiss
        done
        at=$((at + step))
    done
    ok "$each_name: no crash and nothing wrong" sh -c 'cat amiss; [ ! -s amiss ]'
}
each "run" 60 run stride -o out.jsonl
each "stats" 40 stats in.jsonl --by warp --json
if "$BANKSCOPE" help export >/dev/null 2>&1; then
    each "export to SVG" 40 export in.jsonl -o out.svg
    each "export to PNG" 15 export in.jsonl -o out.png
    each "export to the terminal" 20 export in.jsonl -o -
fi
ok "the input is as it was" cmp in.jsonl kept.jsonl
ok "no temporary file is left" test -z "$(ls -A tmp)"

# The window: one that opens ends when it is told to.
if "$BANKSCOPE" help view 2>/dev/null | grep -q window; then
    (
        export FAIL_COUNT=count
        timeout -k 5 3 env LD_PRELOAD="$WORK/failing.so" "$BANKSCOPE" view in.jsonl >stdout 2>stderr
    )
    total=$(cat count)
    ok "view: opens with $total allocations" test "$total" -gt 1000
    : >amiss
    for part in 0 1 2 3 4 5 6 7 8 9; do
        at=$((total * part / 10 + 1))
        each_status=0
        failing "FAIL_AT=$at" view in.jsonl || each_status=$?
        [ "$each_status" -eq 1 ] && says_memory ||
            echo "$at: status $each_status, says $(cat stderr)" >>amiss
    done
    ok "view: no crash and nothing wrong" sh -c 'cat amiss; [ ! -s amiss ]'
fi

# Near a limit, GLib's own last words are not the user's.
if "$BANKSCOPE" help export >/dev/null 2>&1; then
    : >amiss
    for limit in 30000 45000 60000 80000 100000 130000; do
        # shellcheck disable=SC3045 # dash has it
        (ulimit -v $limit && exec timeout -k 1 20 "$BANKSCOPE" export in.jsonl -o out.pdf) \
            >stdout 2>stderr </dev/null
        each_status=$?
        case $each_status in
        0) ;;
        1) tail -n 1 stderr | grep -q '^bankscope' || echo "$limit: says $(cat stderr)" >>amiss ;;
        *) echo "$limit: status $each_status, says $(cat stderr)" >>amiss ;;
        esac
    done
    ok "near a limit of memory" sh -c 'cat amiss; [ ! -s amiss ]'
fi
finish
