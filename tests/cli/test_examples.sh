#!/bin/sh
# Every example of a help text, in the order of the commands: what help promises works.
. tests/support/tap.sh

mkdir "$WORK/bin" && ln -s "$BANKSCOPE" "$WORK/bin/bankscope"
PATH=$WORK/bin:$PATH
cd "$WORK" || exit 1
cp "$TREE/kernels/stride.cu" my_kernel.cu
solution 01-banks >my_banks.cu
mkdir hand_ins && cp my_banks.cu hand_ins/anna.cu
cp "$TREE/tests/programs/transpose.cu" app.cu
cp "$TREE/tests/programs/program.h" .
cp "$TREE/tests/data/ptx/saxpy.ptx" .
# A part of the counters: test_counters.sh takes them all.
mkdir -p tests/data && head -n 40 "$TREE/tests/data/h200-counters.tsv" >tests/data/h200-counters.tsv
seq 64 -1 1 >numbers.txt
"$BANKSCOPE" run cf-merge --input worst -o cf.jsonl >/dev/null

bankscope help | sed -n 's/^  \([a-z]*\) .*/\1/p' | while read -r command; do
    bankscope help "$command" 2>/dev/null | sed -n '/^examples:$/,$s/^  //p'
done >examples
# In bash, for pipefail: sh has none yet.
while IFS= read -r example; do
    case $example in
    *"bankscope view"* | *"bankscope lesson"*[!l]) skip "$example" "test_window and test_lesson try it" ;;
    *.html)
        if [ -e "$TREE/build/bankscope.html" ]; then
            ok "$example" bash -c "$example"
        else
            skip "$example" "there is no page: make page"
        fi
        ;;
    *--against*) ok "$example" bash -c "$example" ;;
    *app.cu*)
        if runs_programs; then
            ok "$example" bash -c "$example"
        else
            skip "$example" "there is no g++ or no libdw"
        fi
        ;;
    "bankscope sweep"*.pdf | "bankscope stats"*.pdf)
        if "$BANKSCOPE" help figure >/dev/null 2>&1; then
            ok "$example" bash -c "$example"
        else
            skip "$example" "charts are not in this build"
        fi
        ;;
    "bankscope verify"* | "bankscope bench"*) skip "$example" "it needs a GPU and minutes" ;;
    *) ok "$example" bash -o pipefail -c "$example" ;;
    esac
done <examples
ok "there are examples" test -s examples
finish
