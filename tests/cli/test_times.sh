#!/bin/sh
# doc/running-times.md says what the figures show: each row of its tables that begins with a figure, a
# panel and x has the values of that panel at x, to three digits.
. tests/support/tap.sh

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
        BEGIN { at = 1; columns = 1; wanted = split(want, value, " ") }
        /^# .*\tleast\tmost/ { columns = 3 }
        !NF { at++ }
        at == panel && $1 == x {
            found = 1
            for (i = 1; i <= wanted; i++) {
                measured = $(2 + columns * (i - 1))
                if (measured == "?" || sprintf("%.3g", measured) + 0 != value[i] + 0) {
                    print "measured", measured ", not", value[i]
                    bad = 1
                }
            }
        }
        END { exit bad || !found || wanted < 2 }' "$WORK/$figure"
}
while read -r figure panel x values; do
    # shellcheck disable=SC2086 # values are words
    ok "$figure, panel $panel, at $x" as_measured "$figure" "$panel" "$x" $values
done <"$WORK/rows"
ok "all figures of running times are among them" sh -c '
    for figure in $(sed -n "s/.*\.figure = \"\([a-z0-9-]*\)\".*/\1/p" measure/times.c | sort -u); do
        case $figure in cfmerge-5 | bcfsort-5 | bcfsort-6 | *-table-1) continue ;; esac
        grep -q "^ $figure " "$1" || { echo "$figure is not"; exit 1; }
    done' - "$WORK/rows"
# Table I: the copy, and the searches of predecessor-11.
table_1() {
    awk -F '\t' '$2 ~ /^copy / && $3 ~ /median/ { print "copy", sprintf("%.3g", $4 * 1e6 / 8388608) }' \
        papers/h100-times.tsv | tee "$WORK/copy"
    row=$(grep '^| H100, picoseconds' doc/running-times.md | tr -d ' ' | tr '|' ' ')
    # shellcheck disable=SC2086 # a row is words
    set -- $row
    [ "copy $5" = "$(cat "$WORK/copy")" ] && as_measured predecessor-11 1 4096 "$2" "$3" "$4"
}
ok "Table I" table_1
# What is said between the tables, as it follows from the measurements.
# shellcheck disable=SC2016 # the dollars are awk's
computed='
$1 == "time" && $3 ~ /median/ { us[$2 ($3 ~ /last/ ? " last" : "")] = $4 }
function have(a, b) { return (a in us) && (b in us) }
function key(kernel, E, i, input) {
    if (kernel == "thrust-sort" || kernel == "cf-sort")
        kernel = kernel " u=" (E == 15 ? 512 : 256) " E=" E (kernel == "cf-sort" ? "" : " order=library")
    return kernel " n=" 2 ^ i * E (input ? " --input " input : "")
}
# The least and the largest ratio of two keys over all sizes that both have, less one: in lo, hi.
function note(ratio) {
    lo = !some || ratio < lo ? ratio : lo
    hi = !some || ratio > hi ? ratio : hi
    some = 1
}
function over_sizes(a, ainput, b, binput, E, from, i) {
    some = 0
    for (i = from; i <= 22; i++)
        if (have(key(a, E, i, ainput), key(b, E, i, binput)))
            note(us[key(a, E, i, ainput)] / us[key(b, E, i, binput)])
}
function percent(x) { return sprintf("%.0f", 100 * x) }
# Of throughput: so much less of it has who takes so many times as long.
function less(times) { return 1 - 1 / times }
function up(x) { return x == int(x) ? x : int(x) + 1 }
function pbs(variant, K, wide, input) {
    return us["search-" variant " u=1024 blocks=256 Q=8388608" (wide ? " key_bytes=8" : "") " K=" K \
        (input ? " --input " input : "")]
}
function bcf(pivots, n, input) {
    return us["bcf-sort w=32 variant=diagonal blocks=512 pivots=" pivots " n=" n (input ? " --input " input : "")]
}
function colored(variant, colors) {
    return us["colored-sums n=8388608 blocks=2112 variant=" variant " colors=" colors " last"]
}
END {
    for (E = 15; E <= 17; E += 2) {
        over_sizes("cf-sort", "worst", "cf-sort", "", E, 16)
        most = hi - 1 > most ? hi - 1 : most
        most = 1 - lo > most ? 1 - lo : most
        over_sizes("cf-sort", "worst", "thrust-sort", "worst", E, 16)
        worst[E] = percent(less(lo)) " to " percent(less(hi)) " %"
        for (i = 16; have(key("cf-sort", E, i + 1, "worst"), key("thrust-sort", E, i + 1, "worst")); )
            i++
        end[E] = percent(less(us[key("cf-sort", E, i, "worst")] / us[key("thrust-sort", E, i, "worst")]))
        full[E] = percent(less(us[key("cf-sort", E, 17, "worst")] / us[key("thrust-sort", E, 17, "worst")]))
        over_sizes("thrust-sort", "worst", "thrust-sort", "", E, 16)
        slower[E] = percent(lo - 1) " to " percent(hi - 1) " %"
        added[E] = us[key("thrust-sort", E, 21, "worst")] - us[key("thrust-sort", E, 21, "")]
    }
    print "same for both inputs, to within " up(100 * most) " %."
    print "it has " worst[15] " less throughput than Thrust for E = 15 and " worst[17] " less for E = 17"
    print "slow Thrust" apostrophe "s kernel down by " slower[15] " for E = 15"
    print "CF-Merge has " (full[15] == full[17] ? full[15] : full[15] < full[17] ? full[15] " to " full[17] : full[17] " to " full[15]) " % less throughput than Thrust on the worst case; with many blocks it is " end[15] " % for E = 15 and " end[17] " % for E = 17."
    library = "cub-merge-sort"
    slow = us[key(library, 17, 21, "worst")] / us[key(library, 17, 21, "")]
    print "kernels slow down by " slower[15] " and " slower[17] ", and today" apostrophe "s library by " percent(slow - 1) " % at n = 2^21 E."
    printf "The kernels take %.1f times the library" apostrophe "s time on random keys, and the conflicts add less to it: %.3f ns per key, against %.3f in the library.\n", \
        us[key("thrust-sort", 17, 21, "")] / us[key(library, 17, 21, "")], added[17] * 1e3 / (2 ^ 21 * 17), \
        (us[key(library, 17, 21, "worst")] - us[key(library, 17, 21, "")]) * 1e3 / (2 ^ 21 * 17)
    for (i = 16; i <= 22; i++)
        if (have(key("thrust-sort", 15, i, ""), key("thrust-sort", 17, i, "")))
            for (k = 0; k < 2; k++)
                faster += us[key("thrust-sort", 17, i, k ? "worst" : "")] / 17 > us[key("thrust-sort", 15, i, k ? "worst" : "")] / 15
    if (!faster)
        print "and E = 17 is faster on both inputs."
    printf "it is %.2f times as large for E = 15 as for E = 17, and a level of merges adds %.2f times as many conflicts per key\n", \
        added[15] / 15 / (added[17] / 17), (225 - 15) / 480 / ((288 - 17) / 544)
    paper["pbs"] = 646; paper["pbs-cf"] = 612; paper["pbs-cl"] = 296
    some = 0
    for (variant in paper)
        note(paper[variant] / (pbs(variant, 4096, 1) * 1e6 / 8388608))
    printf "as in the paper, %.0f to %.0f times faster", lo, hi
    print ": the times of PBS"
    some = 0
    for (K = 32; K <= 4096; K *= 2) {
        note(pbs("pbs-cl", K, 1, "worst") / pbs("pbs-cl", K, 1))
        for (wide = 0; wide < 2; wide++)
            if (pbs("pbs-cl", K, wide) < pbs("pbs", K, wide) && pbs("pbs-cl", K, wide) < pbs("pbs-cf", K, wide))
                first[wide] = first[wide] ? first[wide] : K
            else
                first[wide] = 0
    }
    print "the same time to within " up(100 * (hi - 1 > 1 - lo ? hi - 1 : 1 - lo)) " %), and from " (first[0] > first[1] ? first[0] : first[1]) " keys on PBS-CL is the fastest."
    slowest = 1
    for (K = 32; K <= 8192; K *= 2)
        slowest = slowest && pbs("pbs-cf", K) > pbs("pbs", K)
    if (slowest)
        print "with 4-byte keys PBS-CF is slower than PBS at every K."
    print "Here it takes " percent(pbs("pbs-cf", 4096, 1) / pbs("pbs-cf", 4096, 0) - 1) " % more at K = 4096."
    printf "PBS takes %.1f times the time of PBS-CL in the paper and %.1f times here.\n", 646 / 296, pbs("pbs", 4096, 1) / pbs("pbs-cl", 4096, 1)
    split("one two three four five six seven eight", word, " ")
    for (c = 1; c <= 16 && colored("naive", c) < colored("conflict-free", c); c++)
        ;
    print "Up to " word[c - 1] " colors, the conflicts cost less than the two transpositions."
    thrust = "thrust-sort u=512 E=15 order=library n="
    for (i = 26; !bcf("off", 2 ^ i) || !((thrust 2 ^ i) in us); )
        i--
    printf "Here it takes %.1f times as long at 2^%d keys\n", bcf("off", 2 ^ i) / us[thrust 2 ^ i], i
    printf "grows only from %.1f to %.1f milliseconds\n", bcf("off", 2 ^ 19) / 1e3, bcf("off", 2 ^ 22) / 1e3
    most = 0
    for (i = 16; i <= 26 && bcf("off", 2 ^ i) && bcf("off", 2 ^ i, "distinct"); i++) {
        ratio = bcf("off", 2 ^ i, "distinct") / bcf("off", 2 ^ i)
        most = ratio - 1 > most ? ratio - 1 : 1 - ratio > most ? 1 - ratio : most
    }
    print "Random and distinct keys take the same time, to within " up(100 * most) " %, as in the paper."
    printf "shared memory costs %.0f times the time of registers\n", us["shear-sort w=32 memory=shared blocks=16384"] / us["shear-sort w=32 blocks=16384"]
    sort = "sort"
    printf "merge sort is %.2f times slower on the papers" apostrophe " worst case than on random keys, and %.2f times slower on the hardest input\n", \
        us[key(library, 17, 22, "worst")] / us[key(library, 17, 22, "")], us[key(library, 17, 22, "hardest")] / us[key(library, 17, 22, "")]
    for (i = 22; i >= 18; i -= 4) {
        most = 0
        for (k = 0; k < 2; k++) {
            ratio = us[key(sort, 17, i, k ? "worst" : "hardest")] / us[key(sort, 17, i, "")]
            most = ratio - 1 > most ? ratio - 1 : 1 - ratio > most ? 1 - ratio : most
        }
        own[i] = up(100 * most)
    }
    print "the same time for all three, to within " own[22] " % (" own[18] " % for 2^18 x 17 keys)."
}'
awk -F '\t' -v "apostrophe='" "$computed" papers/h100-times.tsv >"$WORK/claims"
tr '\n' ' ' <doc/running-times.md | tr -s ' ' >"$WORK/text"
while read -r claim; do
    ok "$claim" grep -qF -- "$claim" "$WORK/text"
done <"$WORK/claims"
ok "there are as many as the test knows" test "$(wc -l <"$WORK/claims")" -eq 20

# The spread of repeated runs: of a rate, the least is that of the longest run.
{
    for figure in "median of 9@200" "least of 9@100" "most of 9@400"; do
        printf 'time\tcf-sort u=512 E=15 n=983040\t%s\t%s\tus\n' "${figure%@*}" "${figure#*@}"
    done
} >"$WORK/spread.tsv"
ok "a point's least and most" sh -c '
    "$1" figure cfmerge-6 --times "$2" -o "$3" && grep ",65536,,4915.2,2457.6,9830.4$" "$3"' \
    - "$BANKSCOPE" "$WORK/spread.tsv" "$WORK/spread.csv"
grep median "$WORK/spread.tsv" >"$WORK/medians.tsv"
ok "a file without them draws none" sh -c '
    "$1" figure cfmerge-6 --times "$2" -o "$3" && grep ",65536,,4915.2,,$" "$3"' \
    - "$BANKSCOPE" "$WORK/medians.tsv" "$WORK/none.csv"

# One experiment, two values.
{
    cat papers/h100-times.tsv
    printf 'time\tcf-sort u=512 E=15 --input worst n=983040\tmedian of 9\t1\tus\n'
} >"$WORK/twice.tsv"
refuses "two times for one experiment" 1 'lines [0-9]+ and [0-9]+: [0-9.]+ and 1 us for one experiment' \
    "$BANKSCOPE" figure cfmerge-6 --times "$WORK/twice.tsv" -o -
finish
