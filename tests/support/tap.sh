# tap.sh - what shell tests share. A test is tests/ROOM/test_NAME.sh, started by tests/run with
#
#   BANKSCOPE   the program under test, absolute
#   TREE        the source tree, absolute; also the current folder at the start
#   WORK        an empty folder of its own, absolute
#
# It begins with `. tests/support/tap.sh`, makes a case of each claim with ok, refuses or skip, and ends with
# `finish`.
# shellcheck shell=sh
set -u
: "${BANKSCOPE:?started without tests/run}" "${TREE:?}" "${WORK:?}"
case_count=0
NVCC= # accesses are as they are written, unless a test asks for a compiler's code
export NVCC

# ok NAME COMMAND...: passes when the command does; what it prints is shown when it fails.
ok() {
    case_name=$1
    shift
    case_count=$((case_count + 1))
    case_status=0
    "$@" >"$WORK/.said" 2>&1 || case_status=$?
    if [ "$case_status" -eq 0 ]; then
        echo "ok $case_count - $case_name"
    else
        echo "not ok $case_count - $case_name"
        echo "# status $case_status of: $*"
        head -n 20 "$WORK/.said" | sed 's/^/#   /'
    fi
}

# run_it COMMAND...: runs it, keeps its status and its two outputs for the checks below.
run_it() {
    status=0
    "$@" >"$WORK/stdout" 2>"$WORK/stderr" </dev/null || status=$?
}

# refuses NAME STATUS PATTERN COMMAND...: the command ends with the status, says one line on
# standard error, and the line matches the extended regular expression.
refuses() {
    case_name=$1 want_status=$2 pattern=$3
    shift 3
    run_it "$@"
    ok "$case_name" refused_as_wanted "$want_status" "$pattern"
}
refused_as_wanted() {
    [ "$status" -eq "$1" ] && has_one_line "$WORK/stderr" && grep -Eq -e "$2" "$WORK/stderr" && return
    cat "$WORK/stderr"
    echo "(status $status, wanted $1; wanted one line like: $2)"
    false
}
has_one_line() {
    { read -r _ && ! read -r second_line && [ -z "$second_line" ]; } <"$1"
}

# eventually COMMAND...: asks again until the command succeeds, for half a minute at least: what another
# process does takes as long as it takes. What the last try printed is shown.
eventually() {
    tries=0
    until "$@" >"$WORK/.tried" 2>&1; do
        tries=$((tries + 1))
        [ $tries -lt 220 ] || break
        sleep "0.$((tries > 20))5" # 50 ms, later 150
    done
    [ $tries -lt 220 ] || {
        cat "$WORK/.tried"
        false
    }
}

# make_page [WORD...]: makes the page by these words of make's (page-file), one test at a time: they share what is built.
make_page() {
    [ $# -gt 0 ] || set -- page-file
    mkdir -p build && flock build/page.lock make -s "$@"
}

# claims SCRIPT ARGUMENT...: a script of node; its lines "ok CLAIM" and "not ok CLAIM" are cases.
claims() {
    run_it node "$@"
    cat "$WORK/stderr"
    while IFS= read -r line; do
        case $line in
        "ok "*) ok "${line#ok }" true ;;
        *) ok "${line#not ok }" false ;;
        esac
    done <"$WORK/stdout"
    ok "all claims of $1 were tried" test "$status" -eq 0
}

# in_browsers WHAT COMMAND...: does that with each browser that is here, whose name (chromium, firefox) comes last:
# in Firefox only in `make check-long`, for test_page.sh tries that one anyway. What a browser does with a page has
# nothing to do with how this machine's program was compiled: BROWSERS=no.
in_browsers() {
    what=$1
    shift
    for browser in chromium firefox; do
        if [ "${BROWSERS:-yes}" = no ]; then
            skip "$what in $browser" "BROWSERS=no"
        elif [ $browser = firefox ] && [ "$what" != "the page" ] && ! is_long; then
            skip "$what in $browser" "make check-long does that"
        elif have node && node tests/page/browser.js $browser; then
            "$@" $browser
        else
            skip "$what in $browser" "no $browser"
        fi
    done
}

# skip NAME REASON
skip() {
    case_count=$((case_count + 1))
    echo "ok $case_count - $1 # SKIP $2"
}

# is_long: whether `make check-long` runs the tests, which then try everything: each program, each kind of item, what
# takes minutes and seldom finds anything new.
is_long() {
    [ "${TEST_ROUNDS:-1}" -gt 1 ]
}

# have TOOL...: true when all of them are installed.
have() {
    for tool; do
        command -v "$tool" >/dev/null || return 1
    done
}

# find_nvcc: prints where the toolkit's compiler is: on the path, or where the toolkit puts it. Status 1 if there is none.
find_nvcc() {
    command -v nvcc || command -v /usr/local/cuda/bin/nvcc
}

# runs_programs: true when this build runs CUDA programs as they stand, and clang is there to compile them.
runs_programs() {
    have clang && ! "$BANKSCOPE" --version | grep -q 'without libdw'
}

# solution LESSON: prints its exercise with the part that tests/solutions/LESSON.cu holds.
solution() {
    with_part "$1" "$TREE/tests/solutions/$1.cu"
}

# with_part LESSON FILE: prints its exercise with that part.
with_part() {
    awk -v part="$2" '
        /\[your part ends\]/ { within = 0 }
        !within
        /\[your part begins\]/ {
            within = 1
            print ""
            while ((getline line <part) > 0)
                print line
            print ""
        }' "$TREE/lessons/$1/exercise.cu"
}

# The lessons that have an exercise.
exercises() {
    (cd "$TREE/lessons" && ls -d */exercise.txt | sed 's|/.*||')
}

# fake_nvcc FILE COMMAND: an nvcc that runs the shell COMMAND, which may use "$@", $source, $output and $rule
# (of -MF), and then writes the machine code of test_cubin.c.
fake_nvcc() {
    cat >"$1" <<END
#!/bin/sh
for source; do
    case \$before in
    -o) output=\$source ;;
    -MF) rule=\$source ;;
    esac
    before=\$source
done
$2
exec "$(dirname "$BANKSCOPE")/tests/test_cubin" --write "\$output" "\$source"
END
    chmod +x "$1"
}

# screen WIDTHxHEIGHT: starts a display of its own, without a window manager, and sets DISPLAY;
# $screen_pid is to be killed at the end. (xvfb-run may hand one display to two tests.) A key does
# not repeat (-r) when a loaded machine releases it late. Without -noreset the server would begin anew each
# time that its last client, xdotool, leaves.
screen() {
    rm -f "$WORK/display"
    Xvfb -displayfd 3 -screen 0 "$1x24" -nolisten tcp -r -noreset 3>"$WORK/display" 2>"$WORK/xvfb" &
    # shellcheck disable=SC2034 # for the test
    screen_pid=$!
    eventually test -s "$WORK/display"
    read -r DISPLAY <"$WORK/display"
    DISPLAY=:$DISPLAY
    export DISPLAY
    unset WAYLAND_DISPLAY SDL_VIDEODRIVER
}

gone() { # PID
    ! kill -0 "$1" 2>/dev/null
}

finish() {
    echo "1..$case_count"
}
