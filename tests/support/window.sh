# window.sh - what tests of the window share, after tap.sh and a screen.
#
# BANKSCOPE_DUMP=FILE makes the window write its drawing list to FILE after each redraw, complete at
# every moment, with a last line "frame N". A case acts (xdotool) and waits for the list that it
# expects. It never looks once at what comes after a while: the first list of a window may say no
# more than that it is recording, and a loaded machine shows every one late.
# shellcheck shell=sh
# In memory, where that has a folder: a disk is slow to replace a file.
lists=$(mktemp -d /dev/shm/bankscope.XXXXXX 2>/dev/null) || lists=$WORK
trap 'kill $screen_pid $pid 2>/dev/null; rm -rf "$lists"' EXIT
dump=$lists/dump
pid='' screen_pid='' # of the program; of screen, in tap.sh
window=
# What no test types, two keys for one letter: each window would read their table.
export XCOMPOSEFILE=/dev/null

# starts ARGUMENT...: the program, and waits for its first list and its window.
starts() {
    rm -f "$dump"
    : >"$WORK/window"
    BANKSCOPE_DUMP=$dump "$BANKSCOPE" "$@" 2>"$WORK/stderr" &
    pid=$!
    eventually has_window
    read -r window <"$WORK/window" || return
    # There is no window manager. The pointer is where it points at nothing.
    xdotool windowmove "$window" 0 0 windowfocus --sync "$window" mousemove 1399 999
}
has_window() { # or has ended, and never will
    [ -s "$dump" ] && xdotool search --onlyvisible --pid "$pid" >"$WORK/window" 2>/dev/null
    [ -s "$WORK/window" ] || gone "$pid"
}

# shows PATTERN: waits until a line of the drawing list matches; hides PATTERN: until none does.
shows() {
    eventually grep -Eq -e "$1" "$dump" && return
    echo "nothing matches: $1"
    grep '^text' "$dump" | tail -n 20
    false
}
hides() {
    eventually misses "$1" && return
    echo "something still matches: $1"
    false
}
misses() {
    ! grep -Eq -e "$1" "$dump"
}

# ends STATUS: the program ends by itself.
ends() {
    eventually gone "$pid" || {
        kill -KILL "$pid"
        echo "it did not end"
    }
    status=0
    wait "$pid" || status=$?
    pid=
    echo "status $status, wanted $1"
    cat "$WORK/stderr"
    [ "$status" -eq "$1" ]
}

# closes: ends the program from outside, whatever it shows.
closes() {
    kill "$pid" && wait "$pid"
    pid=
}
