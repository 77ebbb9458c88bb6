#!/bin/sh
# `make demo`, after set-up and build: the tables, the traces and the pictures.
. tests/support/tap.sh

unset DISPLAY WAYLAND_DISPLAY
run_it tests/demo "$WORK/demo"
if "$BANKSCOPE" help export >/dev/null 2>&1; then
    ok "the demo ends with status 0" test "$status" -eq 0
    ok "a PDF" grep -q '^%PDF' "$WORK/demo/merge.pdf"
    ok "a PNG" grep -q PNG "$WORK/demo/merge.png"
else
    ok "without cairo the demo ends with status 1" test "$status" -eq 1
    ok "and says why" grep -q cairo "$WORK/stderr"
fi
for kernel in thrust-merge cf-merge; do
    ok "$kernel's trace is whole" "$BANKSCOPE" stats "$WORK/demo/$kernel.jsonl"
done

# The joined table, in 80 columns: the rows' sums are the totals that each table alone has.
sums_are_totals() {
    awk 'length > 80 && /load|store|total|passes/ { print "too wide: " $0; wide = 1 }
        { for (i = 1; i <= 4; i++) number[i] = substr($0, substr("17264453", 2 * i - 1, 2), 9) }
        / (load|store) / { for (i in number) sum[i] += number[i] }
        /^total/ { for (i in number) { print sum[i], number[i]; bad += sum[i] != number[i] + 0 }
                   totals = 1 }
        END { exit bad || wide || !totals }' "$WORK/stdout"
}
ok "rows add up to the totals" sums_are_totals
ok "the worst case conflicts in the merge" grep -Eq '^merge +load +[0-9]+ +[1-9][0-9]* ' "$WORK/stdout"
ok "CF-Merge's gather does not" grep -Eq '^gather +load +[0-9]+ +0 +1$' "$WORK/stdout"
finish
