#!/bin/sh
# Labs: what students have measured, typed or from a file of ncu's, and what is made of it.
. tests/support/tap.sh

"$BANKSCOPE" help lesson >/dev/null 2>&1 || {
    skip "labs" "this build has no cmark"
    finish
    exit
}
cd "$WORK" || exit
mkdir own
lab() { # lab LINE...: a lesson with such a lab
    {
        printf '# T\n\n## P\n\n```lab\n'
        printf '%s\n' "$@"
        printf '```\n\nBehind it.\n'
    } >own/lesson.md
}
play() { # play ANSWER...
    printf '%s\n' "$@" | "$BANKSCOPE" lesson ./own >played 2>&1
}
lab 'What do you see?' 'ask a = 2 * 8: metric_a' 'ask b = 3: metric_b' \
    'say a > b: {a - b} more.' 'It goes on.' 'say a == b: The same.' 'say b * (a / max(b, 1)) == a: Divides `well`.'
checks() {
    "$BANKSCOPE" lesson --answers ./own | tr '\n' ' ' | grep -F 'lab: What do you see? a = 16, b = 3 13 more. It goes on.'
}
ok "the example is checked and told" checks
said() { # said PATTERN ANSWER...
    pattern=$1
    shift
    play "$@"
    tr '\n' ' ' <played | tr -s ' ' | grep -E "$pattern" || { cat played; return 1; }
}
ok "numbers are asked for one by one" said 'a, metric_a > 5 b, metric_b > 5 a = 5, b = 5 The same. Divides well. a, ' 5 5
ok "and again, as often as there are some" said '> 6 .* a = 6, b = 1 5 more. It goes on. Divides well. a, metric_a > Behind' 5 5 6 1 ''
ok "h gives the example and goes on" said 'a = 16, b = 3 13 more. It goes on. Behind it' h
ok "Enter goes on" said 'metric_a > Behind it' ''
ok "commas are as ncu writes them" said 'a = 1024, b = 1000000' 1,024 1,000,000
for bad in x -1 1.5 1e3 9999999999999999 1x ,1 '{a}'; do
    ok "$bad is no number" said 'Type a whole number, or the name .* a, metric_a >' "$bad"
done
{
    echo '==PROF== Connected'
    echo '"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"'
    echo '"0","f(int, int)","metric_a","","1,000"'
    echo '"0","f(int, int)","metric_b","inst","24"'
    echo '"1","g<"x">","metric_a","","24"'
    echo '"1","g","other","","7"'
} >good.csv
ok "a file of ncu's, its launches added up" said 'a = 1024, b = 24 1000 more' good.csv
sed '/metric_b/d' good.csv >bad.csv
ok "a file that lacks one" said 'bad.csv has no metric_b; write it with ncu --csv' bad.csv
ok "a file that is not there" said 'cannot read none.csv.* a, metric_a' none.csv
mkfifo pipe.csv
ok "a pipe is no file" said 'pipe.csv.* a, metric_a' pipe.csv
for bytes in 0 10 1000; do
    head -c "$bytes" /dev/urandom >bad.csv
    ok "$bytes bytes of nonsense" said 'has no metric_a' bad.csv
done
ok "the real lab, with a file" sh -c '{ yes h | head -n "$2"; echo "$1/tests/data/ncu-lab.csv"; } | "$BANKSCOPE" lesson profiler |
    grep "I = 520, W = 16640, C = 14560"' - "$TREE" "$((2 * $(grep -c '^```quiz' "$TREE/lessons/07-profiler/lesson.md")))"

# The atomic operations of the lesson of sums are those that an H100 counted (tests/data/h100-count.csv, by ncu).
counted() {
    for launch in 0 1 2; do
        "$BANKSCOPE" run "$TREE/lessons/05-sums/count.cu" --compiler clang --launch "$launch" -o count.jsonl >/dev/null &&
            "$BANKSCOPE" stats count.jsonl --json >stats.json || return
        jq -r --arg launch "$launch" '.stages[] | select(.op | test("atomic")) |
            "\($launch) \(.warp_accesses) \(.passes) \(.conflicts)"' stats.json
    done >ours
    tr -d '"' <"$TREE/tests/data/h100-count.csv" | awk -F, '
        { value = $NF }
        /inst_executed_op_shared_atom/ { accesses[$1] = value }
        /wavefronts_mem_shared_op_atom/ { passes[$1] = value }
        /bank_conflicts_pipe_lsu_mem_shared_op_atom/ { conflicts[$1] = value }
        END { for (launch = 0; launch < 3; launch++)
            print launch, accesses[launch], passes[launch], conflicts[launch] }' >theirs
    cat theirs
    diff ours theirs && [ "$(wc -l <ours)" -eq 3 ]
}
if runs_programs && have jq; then
    ok "atomic operations are counted as on a GPU" counted
else
    skip "atomic operations are counted as on a GPU" "needs clang, libdw and jq"
fi

broken() { # broken NAME PATTERN LINE...
    broken_name=$1 pattern=$2
    shift 2
    lab "$@"
    refuses "$broken_name" 1 "$pattern" "$BANKSCOPE" lesson --answers ./own
}
broken "a lab that says nothing" "lesson.md:5: a lab needs" 'What?' 'ask a = 1: m'
broken "a lab that asks nothing" "a lab needs" 'What?' 'say 1: Good.'
broken "a lab without a question" "a lab needs" 'ask a = 1: m' 'say 1: Good.'
broken "an ask without an example" "lesson.md:7: .*ask NAME = EXAMPLE" 'What?' 'ask a: m'
broken "a name that is none" "'2' is no name" 'What?' 'ask 2 = 1: m' 'say 1: x'
broken "a text without a condition" "say CONDITION" 'What?' 'ask a = 1: m' 'say good'
broken "a number that nobody asks for" "lesson.md:5: .*c" 'What?' 'ask a = 1: m' 'say c > 1: x'
broken "one that is only in a text, for some numbers" "lesson.md:5: .*c" 'What?' 'ask a = 1: m' 'say a > 1000: {c}'
broken "a division by nought, for some numbers" "lesson.md:5: .*(0|zero)" 'What?' 'ask a = 1: m' 'say 5 / a: x'
broken "too many numbers" "at most 6 times" 'What?' 'ask a = 1: m' 'ask b = 1: m' 'ask c = 1: m' 'ask d = 1: m' \
    'ask e = 1: m' 'ask f = 1: m' 'ask g = 1: m' 'say 1: x'
finish
