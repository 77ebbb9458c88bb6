#!/bin/sh
# README.md: each command of its console blocks, in order, in a folder that looks like a clone. Its
# output must be what README.md shows; a line "..." stands for any lines. The window is opened on a
# display of its own and closed again. `make demo` has a test of its own. Which compiler there is may be another
# one than README.md names.
. tests/support/tap.sh

mkdir "$WORK/clone" "$WORK/clone/build" && cd "$WORK/clone" || exit 1
ln -s "$TREE/kernels" "$TREE/lessons" "$TREE/doc" "$TREE/tests" .
ln -s "$BANKSCOPE" build/bankscope
awk '/^```console$/ { inside = 1; next } /^```$/ { inside = 0 }
    inside && /^\$ / { n++; print substr($0, 3) >("command." n); next }
    inside { print >("shown." n) }' "$TREE/README.md"

as_shown() { # N
    touch "shown.$1"
    for which in shown said; do
        sed -Ei 's/ as compiled by [a-z]+ [0-9.]+ for sm_[0-9]+/ as compiled by COMPILER/' "$which.$1"
    done
    awk -v shown="shown.$1" '
        BEGIN { while ((getline line < shown) > 0) want[++wanted] = line; at = 1 }
        want[at] == "..." && at < wanted && $0 == want[at + 1] { at += 2; next }
        want[at] == "..." { next }
        $0 == want[at] { at++; next }
        { print "not shown: " $0; bad = 1; exit }
        END {
            if (want[at] == "...")
                at++
            if (!bad && at <= wanted)
                print "did not come: " want[at]
            exit bad || at <= wanted
        }' "said.$1"
}
tried() { # N: runs the command, compares its output
    sh -e "command.$1" >"said.$1" 2>&1 </dev/null
    tried_status=$?
    [ "$tried_status" -eq 0 ] && as_shown "$1" && return 0
    echo "status $tried_status:"
    cat "said.$1"
    return 1
}
not_yet() { # N: an exercise that is not done has status 1
    run_it sh -e "command.$1"
    cp "$WORK/stdout" "said.$1"
    [ "$status" -eq 1 ] && as_shown "$1"
}
window_stays_open() { # N: until it is stopped
    tried_status=0
    timeout 3 sh -e -c "exec $(cat "command.$1")" || tried_status=$?
    [ "$tried_status" -eq 124 ]
}

without_libdw() { # then CUDA programs do not run
    "$BANKSCOPE" --version | grep -q 'without libdw'
}

unset DISPLAY WAYLAND_DISPLAY # a lesson plays as text
on_screen() { # COMMAND...
    (
        screen 1400x1000
        trap 'kill $screen_pid' EXIT
        "$@"
    )
}

n=1
while [ -e "command.$n" ]; do
    command=$(cat "command.$n")
    # shellcheck disable=SC2086 # a list of words
    set -- $command
    if [ "$1" = build/bankscope ] && ! "$BANKSCOPE" help "$2" >/dev/null 2>&1; then
        skip "$command" "$2 is not in this build"
    elif echo "$command" | grep -q 'sweep.*\.pdf$' && ! "$BANKSCOPE" help figure >/dev/null 2>&1; then
        skip "$command" "charts are not in this build"
    elif [ "$2" = check ] && ! "$BANKSCOPE" help lesson >/dev/null 2>&1; then
        skip "$command" "lesson, which writes the exercise, is not in this build"
    elif echo "$command" | grep -q " tests/programs/" && without_libdw; then
        skip "$command" "built without libdw"
    elif [ "$2" = view ] && ! have Xvfb; then
        skip "$command" "no Xvfb here"
    elif [ "$2" = view ]; then
        ok "$command" on_screen window_stays_open $n
    elif [ "$2" = check ]; then
        ok "$command" not_yet $n
    else
        ok "$command" tried $n
    fi
    n=$((n + 1))
done
ok "README.md has commands" test $n -gt 10

# doc/trace-format.md: its example is what the program writes, its limits are those of the code.
sed -n '/^```json$/,/^```$/{/^```/d;p}' "$TREE/doc/trace-format.md" >example.jsonl
sed -n 's|^    bankscope run \(.*\) -o example.jsonl$|\1|p' "$TREE/doc/trace-format.md" >example.command
format_example_is_written() {
    # shellcheck disable=SC2046 # a list of words
    "$BANKSCOPE" run $(cat example.command) -o - 2>/dev/null | diff - example.jsonl
}
ok "the trace format's example is what is written" format_example_is_written
ok "it costs what the page says" sh -c '"$1" stats example.jsonl --json |
    grep "\"total\":.*\"warp_accesses\":4,\"accesses\":16,\"passes\":6,\"conflicts\":2"' - "$BANKSCOPE"
limit_is_told() { # NAME: its value in trace.h, and that less one, which ranges end with
    limit=$(($(sed -n "s/^ *$1 = \([0-9< ]*\),.*/\1/p" "$TREE/instrument/trace.h")))
    grep -Eqw "$limit|$((limit - 1))|$((limit >> 20)) MiB" "$TREE/doc/trace-format.md"
}
for limit in $(sed -n 's/^ *\(MAX_[A-Z]*\) = .*/\1/p' "$TREE/instrument/trace.h"); do
    ok "the trace format tells $limit" limit_is_told "$limit"
done

# Files and make targets that it names are there.
for file in $(grep -o '](\([^)]*\))' "$TREE/README.md" | tr -d '()]' | sort -u); do
    ok "$file is there" test -e "$TREE/$file"
done
# shellcheck disable=SC2013 # words are wanted
for target in $(grep -o 'make [a-z-]*' "$TREE/README.md" | cut -d' ' -f2 | sort -u); do
    ok "make $target is a target" grep -q "^$target:" "$TREE/Makefile" "$TREE/cuda.mk"
done
finish
