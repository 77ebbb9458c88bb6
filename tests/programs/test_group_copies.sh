#!/bin/sh
# group_copies: memcpy_async is cut into pieces as by the toolkit's headers.
. tests/support/tap.sh
. tests/support/cuda.sh
if ! have jq; then
    skip "the pieces of copies" "there is no jq"
    finish
    exit
fi

# Per launch of the program, by hand from its arguments and the toolkit's headers: instructions and passes of
# background copies, then of loads and stores by the copy's own line.
#
#   chars         15 bytes up to 16, 10 pieces of 16 (lanes 0..9: two groups), 5 bytes behind
#   chars apart   100 bytes by 64 threads: two rounds, two warps
#   shorts        2 bytes up to 4, 24 pieces of 4, 2 bytes behind
#   ints          150 pieces of 4: 64 + 64 + 22
#   ints, aligned 32 pieces of 16 (four groups)
#   int4s         64 pieces of 16
#   tile          40 pieces of 16 by 32 lanes: 32, and 8 that all lanes take part in (four groups each)
#   within        from shared memory: 64 loads and stores of 4
#   barrier       100 pieces of 4: 64 + 36
#   pipeline      80 pieces of 8: 64 (two groups a warp) + 16
#   thread        two pieces of 4 by each thread, 8 bytes from its neighbours': 2 ways
want='chars copies 1 2 others 2 2
chars apart copies 0 0 others 4 4
shorts copies 1 1 others 2 2
ints copies 5 5 others 0 0
ints, aligned copies 1 4 others 0 0
int4s copies 2 8 others 0 0
tile copies 2 8 others 0 0
within copies 0 0 others 4 4
barrier copies 4 4 others 0 0
pipeline copies 3 5 others 0 0
thread copies 4 8 others 0 0'
program=tests/programs/group_copies.cu
lines=$(grep -n memcpy_async "$program" | cut -d: -f1 | paste -sd, -)
run_it "$BANKSCOPE" run --no-nvcc --json="$WORK/json" "$program"
ok "all values are right" grep -q '^group_copies: all values are right' "$WORK/stdout"
jq -r --argjson lines "[$lines]" '
    def sums: "\(map(.instructions) | add // 0) \(map(.passes) | add // 0)";
    .launches[] | [.lines[] | select(.line as $line | $lines | index($line))] |
    "copies \(map(select(.op == "async-store")) | sums) others \(map(select(.op != "async-store")) | sums)"' \
    "$WORK/json" >"$WORK/got"
launch=0
echo "$want" >"$WORK/want"
while read -r line; do
    launch=$((launch + 1))
    name=${line%% copies*}
    ok "$name: pieces by what the type promises" \
        test "copies${line#"$name copies"}" = "$(sed -n "${launch}p" "$WORK/got")"
done <"$WORK/want"
ok "there are no other launches" test "$(wc -l <"$WORK/got")" -eq "$launch"
finish
