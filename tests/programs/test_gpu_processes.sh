#!/bin/sh
# Programs of several processes on a GPU (`run -- ...`), with a stand-in for each (gpu_app.c): all are recorded, each
# launch with its process, and what is missing is said, however they end.
. tests/support/tap.sh
if ! command -v jq >/dev/null || "$BANKSCOPE" --version | grep -q "without libdw"; then
    skip "programs of several processes on a GPU" "needs jq and libdw"
    finish
    exit
fi
here=$(dirname "$BANKSCOPE")
app=$here/tests/gpu_app
export BANKSCOPE_DATA="$TREE" app
# A program of its own, with what it takes for the recorder beside it.
cp "$BANKSCOPE" "$WORK/bankscope"
bankscope=$WORK/bankscope
: >"$WORK/libbankscope_inject.so"
seq -f 'line %g' 30 >"$WORK/k.cu"
"$here/tests/test_cubin" --write "$WORK/k.cubin" "$WORK/k.cu" || exit
cd "$WORK" || exit 1

# one SCRIPT...: records what a shell makes of it.
one() {
    run_it "$bankscope" run --json=report.json -- sh -c "$@"
}
# whole LAUNCHES PROCESSES: they are there, in order, and each has what the stand-in does.
whole() {
    jq -e --argjson launches "$1" --argjson processes "$2" '
        [.launches[].launch] == [range($launches)] and
        ([.launches[].process] | unique) == [range($processes)] and
        all(.launches[]; .store.passes == 32 and .load.passes == 5 and .atomic.instructions == 4)' report.json
}
note() { # TEXT: it is the only line of standard error
    test "$(cat "$WORK/stderr")" = "bankscope run: $1"
}

# shellcheck disable=SC2016 # the inner shell expands them
one '"$app" k.cubin 2 0; "$app" k.cubin 3 0'
ok "processes one after another are recorded" whole 5 2
ok "in the order of their launches" jq -e '[.launches[].process] == [0, 0, 1, 1, 1]' report.json
ok "the table says whose they are" grep -q \
    '^k(int[*]): 5 launches from 0, each .*, of processes 0 to 1, recorded on a GPU$' "$WORK/stdout"
ok "and nothing is missing" test -z "$(cat "$WORK/stderr")"
# shellcheck disable=SC2016
one 'exec "$app" k.cubin 2 0'
ok "nothing of it for one" grep -q '^k(int[*]): 2 launches from 0, each 1 block of 32 threads, recorded' "$WORK/stdout"
# shellcheck disable=SC2016
one 'for i in 1 2 3 4 5 6 7 8; do "$app" k.cubin 400 0 >/dev/null & done; wait'
ok "eight at once, with more than their rings hold" whole 3200 8
ok "each of them whole" jq -e '[.launches[].process] | group_by(.) | all(length == 400)' report.json
# shellcheck disable=SC2016
one '"$app" k.cubin 1 0; "$app" none 1 0'
columns() {
    sed -E -n "s#^$WORK/##; / +(load|store|atomic|merged-atomic|compare-and-swap|spin) /p" "$WORK/stdout" |
        awk '{ print $1, $2, $3, $4 }'
}
columns >got
cat >wanted <<'END'
? load 2 2
+0 store 1 32
+0x100 atomic 1 32
+0x20 load 1 4
+0x40 atomic 1 32
+0xe0 atomic 1 32
+0xf0 atomic 1 32
k.cu:5 store 1 32
k.cu:7 load 1 4
k.cu:9 atomic 1 32
k.cu:23 merged-atomic 1 1
k.cu:25 compare-and-swap 1 64
k.cu:27 spin 1 2
END
ok "code of two processes at one address is told apart" diff wanted got
# shellcheck disable=SC2016
run_it "$bankscope" run --launch 3 --json=report.json -- sh -c '"$app" none 2 0; "$app" none 3 0'
ok "--launch counts those of all" jq -e '[.launches[] | [.launch, .process]] == [[3, 1]]' report.json

# shellcheck disable=SC2016
one '"$app" none 2 half; "$app" none 1 0'
ok "what a process recorded before it was killed is kept" jq -e '
    [.launches[].launch] == [0, 1, 2, 3] and [.launches[].process] == [0, 0, 0, 1] and
    [.launches[].load.passes] == [5, 5, 0, 5] and [.launches[].stopped] == [null, null, true, null]' report.json
ok "that it ended inside a kernel is said" grep -q \
    '^bankscope run: the program ended inside kernel k(int[*]) (launch 2); what was recorded before is kept$' "$WORK/stderr"
ok "and how" grep -q '^bankscope run: 1 process of the program ended by a signal or _exit' "$WORK/stderr"
ok "and fails" test "$status" -eq 1
# shellcheck disable=SC2016
run_it "$bankscope" run -o traces/ -- sh -c '"$app" none 1 half; "$app" none 1 0'
ok "its trace is a part, those of others are not" test \
    "$(cd traces && echo *)" = "000-k-int.jsonl 001-k-int.part.jsonl 002-k-int.jsonl"
# shellcheck disable=SC2016
one '"$app" none 1 unsent; "$app" none 2 0'
ok "a launch that had only begun is counted" grep -qx \
    'bankscope run: 1 launch that had begun when its process ended is not recorded' "$WORK/stderr"
ok "and has its number" jq -e '[.launches[].launch] == [0, 2, 3]' report.json
# shellcheck disable=SC2016
one '"$app" none 1 copy'
ok "a copy of a process that used the GPU is not recorded, which is said" note \
    'processes of the program ran without being recorded: more than 1024, or copies (fork) of one that used the GPU before'
# shellcheck disable=SC2016
one 'mkfifo begun; "$app" k.cubin 2 late >begun & read -r line <begun'
ok "a process that outlives the program is waited for" whole 2 1
ok "which says nothing if it is short" test -z "$(cat "$WORK/stderr")"

# shellcheck disable=SC2016
"$bankscope" run --json=report.json -- sh -c \
    'rm begun; mkfifo begun; "$app" k.cubin 2 stay >begun & read -r line <begun' >stdout 2>stderr &
running=$!
tries=0
until grep -q 'run on, and are waited for' stderr || [ $((tries += 1)) -gt 200 ]; do
    sleep 0.05
done
kill -INT "$running"
wait "$running"
ok "an interrupt ends the waiting" grep -qx \
    'bankscope run: 1 process of the program had not ended; launches until then are recorded' stderr
ok "with what there is" whole 2 1

# Its ring is full when the reader is killed.
mkfifo there go
# shellcheck disable=SC2016
timeout -s KILL 60 "$bankscope" run -- sh -c \
    '(echo >there; read -r line <go; "$app" none 3000 0; echo $? >over) & echo $PPID >reader; wait' >stdout 2>stderr &
read -r line <there
until [ -s reader ]; do
    sleep 0.05
done
running=$(cat reader)
kill -STOP "$running"
echo >go
sleep 0.2
kill -KILL "$running"
tries=0
until [ -s over ] || [ $((tries += 1)) -gt 200 ]; do
    sleep 0.05
done
ok "a process whose reader is killed goes on" test "$(cat over)" = 0

# shellcheck disable=SC2016
one '(sleep 0.3; exec "$app" none 1 0) 2>late &'
ok "one that begins when nobody reads is told so" sh -c "sleep 1; grep -qx \
    'gpu_app: the run that records has ended, or its /proc cannot be seen from here' late"
finish
