# The bank model equals the counters of an H200, as tests/gpu/all.sh stored them.
# shellcheck shell=sh
. tests/tap.sh

counters=tests/data/h200-counters.tsv
ok "every case of the stored counters is as predicted" "$BANKSCOPE" verify --against "$counters"

# A kernel that is new has none until someone runs it on a GPU.
for kernel in $("$BANKSCOPE" list | cut -d ' ' -f 1); do
    if grep -q "^$kernel	" "$counters"; then
        ok "$kernel is among them" true
    else
        skip "$kernel is among them" "it was not measured yet: tests/gpu/all.sh, on a GPU"
    fi
done

# One pass more, and the model is wrong.
awk -F '\t' -v OFS='\t' '$1 == "puzzle" { $5++ } 1' "$counters" >"$WORK/wrong.tsv"
run_it "$BANKSCOPE" verify puzzle --against "$WORK/wrong.tsv"
ok "a pass too many is found" grep -q 'DIFFERS' "$WORK/stdout"
ok "and ends with status 1" [ "$status" -eq 1 ]

refuses "a file that is not there" 1 'cannot read .*none.tsv' \
    "$BANKSCOPE" verify --against "$WORK/none.tsv"
printf 'stride\tw=32\trandom\t1\n' >"$WORK/short.tsv"
refuses "a line too short" 1 'short.tsv line 1: not a kernel' \
    "$BANKSCOPE" verify --against "$WORK/short.tsv"
printf 'strid\tw=32\trandom\t1\t1\t0\t1\t0\t0\t0\t0\n' >"$WORK/unknown.tsv"
refuses "a kernel that is not there" 1 "did you mean 'stride'" \
    "$BANKSCOPE" verify --against "$WORK/unknown.tsv"
refuses "two ways at once" 2 'goes with no -o' \
    "$BANKSCOPE" verify --against "$counters" -o "$WORK/x.tsv"
finish
