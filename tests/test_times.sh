#!/bin/sh
# doc/running-times.md says what the figures show: each row of its tables that begins with a figure, a
# panel and x has the values of that panel at x, to three digits.
. tests/tap.sh

if ! "$BANKSCOPE" help figure >/dev/null 2>&1; then
    skip "running times" "this build has no cairo"
    finish
    exit
fi
grep -E '^\| (cfmerge|worstcase|predecessor|bcfsort|beyond)-[0-9]+ \|' doc/running-times.md |
    tr -d ' ' | tr '|' ' ' >"$WORK/rows"
as_measured() { # FIGURE PANEL X VALUE...
    figure=$1 panel=$2 x=$3
    shift 3
    [ -s "$WORK/$figure" ] || "$BANKSCOPE" figure "$figure" -o - >"$WORK/$figure" || return 1
    awk -v panel="$panel" -v x="$x" -v want="$*" '
        BEGIN { at = 1; wanted = split(want, value, " ") }
        !NF { at++ }
        at == panel && $1 == x {
            found = 1
            for (i = 1; i <= wanted; i++)
                if ($(i + 1) == "?" || sprintf("%.3g", $(i + 1)) + 0 != value[i] + 0) {
                    print "measured", $(i + 1) ", not", value[i]
                    bad = 1
                }
        }
        END { exit bad || !found || wanted < 2 }' "$WORK/$figure"
}
while read -r figure panel x values; do
    # shellcheck disable=SC2086 # values are words
    ok "$figure, panel $panel, at $x" as_measured "$figure" "$panel" "$x" $values
done <"$WORK/rows"
ok "all figures of running times are among them" sh -c '
    for figure in $(sed -n "s/.*\.figure = \"\([a-z0-9-]*\)\".*/\1/p" papers/times.c | sort -u); do
        case $figure in cfmerge-5 | bcfsort-5 | bcfsort-6 | *-table-1) continue ;; esac
        grep -q "^ $figure " "$1" || { echo "$figure is not"; exit 1; }
    done' - "$WORK/rows"
# Table I: the copy, and the searches of predecessor-11.
table_1() {
    awk -F '\t' '$2 ~ /^copy / { print "copy", sprintf("%.3g", $4 * 1e6 / 8388608) }' \
        papers/h200-times.tsv | tee "$WORK/copy"
    row=$(grep '^| H200, picoseconds' doc/running-times.md | tr -d ' ' | tr '|' ' ')
    # shellcheck disable=SC2086 # a row is words
    set -- $row
    [ "copy $5" = "$(cat "$WORK/copy")" ] && as_measured predecessor-11 1 4096 "$2" "$3" "$4"
}
ok "Table I" table_1
finish
