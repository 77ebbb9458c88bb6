# Dropping files on the window, as a file manager does it (drop.c): they are opened, or one line says why not.
# shellcheck shell=sh disable=SC2317
. tests/support/tap.sh
. tests/support/window.sh

case $("$BANKSCOPE" help view 2>&1) in
usage*) ;;
*)
    skip "dropping" "this build has no window"
    finish
    exit 0
    ;;
esac
if ! have Xvfb xdotool pkg-config || ! pkg-config --exists x11; then
    skip "dropping" "needs Xvfb, xdotool and libx11-dev"
    finish
    exit 0
fi
# shellcheck disable=SC2046 # words
ok "a program that drops files" "${CC:-cc}" tests/support/drop.c -o "$WORK/drop" $(pkg-config --cflags --libs x11)
screen 1400x1000
"$BANKSCOPE" run cf-merge w=12 u=12 E=5 -o "$WORK/cf merge, 100%.jsonl" >/dev/null
"$BANKSCOPE" run transpose w=4 -o "$WORK/transpose.jsonl" >/dev/null
"$BANKSCOPE" run reduce w=8 u=16 -o "$WORK/reduce.jsonl" >/dev/null
echo 'no trace' >"$WORK/letter.txt"
head -c 5000 "$BANKSCOPE" >"$WORK/program"

drops() { # FILE...
    "$WORK/drop" "$window" "$@"
}
ok "a window" starts view stride
ok "takes a file" drops "$WORK/cf merge, 100%.jsonl"
ok "and shows it beside what is there" shows '^text .* bold ink "cf-merge  w=12 u=12 E=5"'
ok "what is no trace is taken" drops "$WORK/letter.txt"
ok "and one line says what it is" shows '^text .* bold ink ".*letter.txt, line 1: not a JSON object'
ok "bytes are taken" drops "$WORK/program"
ok "and one line says the same of them" shows '^text .* bold ink ".*program, line 1: not a JSON object'
ok "a folder is taken" drops "$WORK"
ok "and one line says what it is, too" shows '^text .* bold ink "cannot read .*: Is a directory'
ok "two files at once are taken" drops "$WORK/transpose.jsonl" "$WORK/reduce.jsonl"
ok "and shown, the first" shows '^text .* bold ink "transpose  w=4'
ok "and the second" shows '^text .* bold ink "reduce  w=8'
ok "what was there still is" shows '^text .* bold ink "stride  w=32'
xdotool key q
ok "and it ends well" ends 0
finish
