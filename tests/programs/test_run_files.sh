#!/bin/sh
# Files that commands write over: what a user has made himself is never replaced, one's own output of before
# always; and the reports of run come whole or not at all.
. tests/support/tap.sh

user=$WORK/user
# untouched NAME PATTERN COMMAND...: $user holds something of the user's; the command refuses to replace it.
untouched() {
    untouched_name=$1 untouched_pattern=$2
    shift 2
    for mine in "$BANKSCOPE" "$TREE/kernels/stride.cu" "$WORK/note"; do
        cp "$mine" "$user"
        refuses "$untouched_name, over ${mine##*/}" 1 "user is there and is not $untouched_pattern" "$@"
        ok "... which stays" cmp "$mine" "$user"
    done
}
# again NAME COMMAND...: writes $user where nothing is, where it is empty, and where it wrote before.
again() {
    again_name=$1
    shift
    rm -f "$user"
    ok "$again_name, a new file" "$@"
    : >"$user"
    ok "$again_name, over an empty one" test_written "$@"
    ok "$again_name, over its own" test_written "$@"
}
test_written() {
    "$@" && [ -s "$user" ]
}
printf '{"format":"a trace of mine"}\n// {"format":"bankscope-trace"\n' >"$WORK/note"
cd "$WORK" || exit 1

untouched "a trace of a kernel" "a trace" "$BANKSCOPE" run stride -o "$user"
again "a trace of a kernel" "$BANKSCOPE" run stride -o "$user"
head -n 2 "$user" >"$WORK/cut" && cp "$WORK/cut" "$user"
ok "over one that is cut" "$BANKSCOPE" run stride -o "$user"
for kind in gz zst; do
    case $("$BANKSCOPE" --version) in
    *"compressed with ${kind%t}"*) continue ;;
    esac
    "$BANKSCOPE" run stride -o "$WORK/t.$kind" >"$WORK/said" 2>&1 || continue
    ok "over one that is compressed as $kind" "$BANKSCOPE" run stride s=3 -o "$WORK/t.$kind"
    cp "$WORK/t.$kind" "$user"
    ok "... under another name" "$BANKSCOPE" run stride -o "$user"
    if have gzip; then
        gzip -c "$WORK/note" >"$WORK/t.$kind"
        refuses "over something else compressed" 1 "is not a trace" "$BANKSCOPE" run stride -o "$WORK/t.$kind"
    fi
done
cp "$TREE/kernels/stride.cu" mine.cu
cp "$WORK/note" "$user"
refuses "a kernel of one's own" 1 "is not a trace" "$BANKSCOPE" run mine.cu -o "$user"
refuses "a kernel over itself" 1 "is not a trace" "$BANKSCOPE" run mine.cu -o mine.cu
ok "... which stays" cmp mine.cu "$TREE/kernels/stride.cu"

if "$BANKSCOPE" help check >/dev/null 2>&1; then
    hand_in=$user
    user=$user.cu
    again "an exercise" "$BANKSCOPE" lesson strides -o "$user"
    user=$hand_in
    cp "$hand_in.cu" "$WORK/blank"
    ok "an exercise, for another student" "$BANKSCOPE" lesson strides --student Ada -o "$hand_in.cu"
    solution 02-strides >"$hand_in.cu"
    cp "$hand_in.cu" "$WORK/answered"
    refuses "an exercise over an answer" 1 "may hold an answer" "$BANKSCOPE" lesson strides -o "$hand_in.cu"
    ok "... which stays" cmp "$WORK/answered" "$hand_in.cu"
    cp "$TREE/kernels/stride.cu" "$hand_in.cu"
    refuses "an exercise over a program" 1 "may hold an answer" "$BANKSCOPE" lesson strides -o "$hand_in.cu"
    for option in csv json; do
        untouched "marks as $option" "(a table of marks|marks as JSON)" "$BANKSCOPE" check --$option "$user" "$WORK/answered" "$WORK/blank"
    done
    untouched "answers as csv" "a table of answers" "$BANKSCOPE" lesson strides --csv "$user"
    again "answers as csv" env XDG_STATE_HOME="$WORK/state" "$BANKSCOPE" lesson strides --csv "$user"
fi
cd "$TREE" || exit 1
# shellcheck source=tests/support/cuda.sh
. tests/support/cuda.sh
cd "$WORK" || exit 1

cp "$TREE/tests/programs/transpose.cu" app.cu && cp "$TREE/tests/programs/program.h" .
untouched "a trace of a program" "a trace" "$BANKSCOPE" run -O3 app.cu -o "$user"
untouched "JSON" "a report of --json" "$BANKSCOPE" run --json="$user" app.cu
untouched "CSV" "a report of --csv" "$BANKSCOPE" run app.cu --csv="$user"
ok "the program has not run" test ! -s stdout
again "a trace of a program" "$BANKSCOPE" run app.cu -o "$user"
for by in line call array stage; do
    again "JSON by $by" "$BANKSCOPE" run app.cu --json="$user" --by $by
    ok "... is what is printed" sh -c '"$1" run app.cu --json --by $2 | tail -n 1 | cmp - "$3"' - \
        "$BANKSCOPE" $by "$user"
    again "CSV by $by" "$BANKSCOPE" run app.cu --csv="$user" --by $by
    ok "... is what is printed" sh -c '"$1" run app.cu --csv --by $2 | tail -n +2 | cmp - "$3"' - \
        "$BANKSCOPE" $by "$user"
done
run_it "$BANKSCOPE" run app.cu --csv=rows --json=object
ok "with both in files, the table is printed" grep -q '^naive: launch 0' stdout
mkdir -p traces
echo mine >traces/000-naive.jsonl
refuses_folder() {
    run_it "$BANKSCOPE" run app.cu -o traces
    cat stderr
    [ "$status" -eq 1 ] && grep -q '000-naive.jsonl is there and is not a trace' stderr &&
        [ "$(cat traces/000-naive.jsonl)" = mine ]
}
ok "in a folder of traces, a file of the user's stays" refuses_folder

# Whole or not at all.
stays_whole() { # OPTION
    "$BANKSCOPE" run app.cu --"$1"="$user" && cp "$user" before
    printf 'int main() { return nothing; }\n' >wrong.cu
    ! "$BANKSCOPE" run wrong.cu --"$1"="$user" && cmp before "$user" && [ -z "$(find . -name 'user.*-*')" ]
}
for option in json csv; do
    rm "$user"
    ok "--$option of before stays when there is nothing new" stays_whole $option
    if [ -w /dev/full ]; then
        refuses "a full device for --$option" 1 'cannot write /dev/full: No space left' \
            "$BANKSCOPE" run app.cu --$option=/dev/full
    fi
    refuses "no folder for --$option" 1 'cannot write none/r' "$BANKSCOPE" run app.cu --$option=none/r
done

# What is written where is said by =.
refuses "JSON in a word of its own" 2 "'r.json' is neither a source.*--json=report.json" \
    "$BANKSCOPE" run app.cu --json r.json
refuses "CSV in a word of its own" 2 "'r.csv' is neither a source" "$BANKSCOPE" run --csv r.csv app.cu
refuses "a file without a name" 2 'json= needs the name of a file' "$BANKSCOPE" run app.cu --json=
refuses "two on standard output" 2 'two go to standard output' "$BANKSCOPE" run app.cu --json --csv
refuses "... with a trace" 2 'two go to standard output' "$BANKSCOPE" run app.cu --json -o -
refuses "two in one file" 2 'two go to same' "$BANKSCOPE" run app.cu --json=same --csv=same
run_it "$BANKSCOPE" run app.cu --json=here.json
ok "JSON in a file, and the table as ever" grep -q '^naive: launch 0' stdout
ok "... is JSON" grep -q '^{"launches":\[{"kernel":"naive"' here.json
finish
