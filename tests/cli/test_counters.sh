# The bank model equals the counters of an H200, as tests/gpu/all.sh stored them, and those of an H100.
# shellcheck shell=sh
. tests/support/tap.sh

counters=tests/data/h200-counters.tsv
ok "every case of the stored counters is as predicted" "$BANKSCOPE" verify --against "$counters"
# All that were drawn at random take four times as long.
random=tests/data/h200-counters-random.tsv
is_long || set -- stride puzzle wide search-pbs search-pbs-cf search-pbs-cl
ok "so are those with random parameters" "$BANKSCOPE" verify "$@" --against "$random"

# Other machines' tables: tests/data/MACHINE-counters.tsv.
for table in tests/data/*[0-9]-counters.tsv; do
    [ "$table" = "$counters" ] || ok "every case of $table" "$BANKSCOPE" verify --against "$table"
done
# Of an H100's random cases one loses more passes to arbitration than is taken off.
"$BANKSCOPE" verify --against tests/data/h100-counters-random.tsv >"$WORK/h100"
ok "all but one of an H100's random cases" grep -q '^208 cases in 208 runs: 207 equal, 1 DIFFER' "$WORK/h100"

# A kernel that is new has none until someone runs it on a GPU.
for kernel in $("$BANKSCOPE" list | cut -d ' ' -f 1); do
    if grep -q "^$kernel	" "$counters"; then
        ok "$kernel is among them" true
    else
        skip "$kernel is among them" "it was not measured yet: tests/gpu/all.sh, on a GPU"
    fi
done

# One pass more, and the model is wrong.
awk -F '\t' -v OFS='\t' '$1 == "puzzle" { $5++; $7++ } 1' "$counters" >"$WORK/wrong.tsv"
run_it "$BANKSCOPE" verify puzzle --against "$WORK/wrong.tsv"
ok "a pass too many is found" grep -q 'DIFFERS' "$WORK/stdout"
ok "and ends with status 1" [ "$status" -eq 1 ]

# What is taken off for arbitration and for instructions without lanes has limits, and all that was
# counted is shown.
# differs NAME CASES AWK PATTERN: the counters of these cases, edited, are not as predicted.
differs() {
    awk -F '\t' -v OFS='\t' "\$1 \" \" \$2 ~ /$2/ { $3; print }" "$counters" >"$WORK/wrong.tsv"
    run_it "$BANKSCOPE" verify --against "$WORK/wrong.tsv"
    ok "$1" grep -q "$4" "$WORK/stdout"
    ok "$1: status 1" [ "$status" -eq 1 ]
}
small='^(reduce|puzzle|broadcast)' large='^thrust-sort w=32 u=256 E=15 n=20000 order=library'
differs "a thousand million instructions more" "$small" '$4 += 1e9; $8 += 1e9' ' 0 equal'
differs "the same in a large case" "$large" '$4 += 1e9; $8 += 1e9' ' 0 equal'
differs "40000 instructions more in a large case" "$large" '$4 += 40000' ' 0 equal'
differs "5000 more conflicts and passes" "$small" '$6 += 5000; $7 += 5000' ' 0 equal'
differs "the same in a large case" "$large" '$6 += 5000; $7 += 5000' ' 0 equal'
differs "half as many passes and conflicts again" "$small" 'n = int($5 / 2) + 1; $6 += n; $7 += n' ' 0 equal'
differs "instructions that vary from run to run" "$small" 'if (++run[$1 $2 $3] == 2) $4 += 1' ' 0 equal'
differs "many passes by instruction that are no passes" "$small" '$5 += int($5 / 8) + 1' ' 0 equal'
differs "conflicts without passes" "$small" '$6 += 1' ' 0 equal'
differs "fewer instructions" '^(puzzle|broadcast)' '$4 -= 1' ' 0 equal'
# The eight-byte keys' last 8 lanes store in one pass.
counted() { # STORES K KEY_BYTES: the predicted counts, but so many instructions for the stores
    "$BANKSCOPE" run search-pbs "K=$2" u=96 Q=777 "key_bytes=$3" | awk -v OFS='\t' -v stores="$1" \
        -v params="w=32 K=$2 u=96 Q=777 key_bytes=$3" '
        $1 == "search" { loads = $3 OFS $5 OFS $6 OFS $5 }
        $1 == "setup" { stored = stores OFS $5 OFS $6 OFS $5 }
        END { print "search-pbs", params, "random", loads, stored }'
}
counted 97 3000 4 >"$WORK/idle.tsv"
run_it "$BANKSCOPE" verify --against "$WORK/idle.tsv"
ok "stores without a lane are shown beside those predicted" grep -Eq \
    'search-pbs .* store +94 +97 +94 +94 +0 +0  equal' "$WORK/stdout"
counted 847 3000 4 >"$WORK/idle.tsv"
run_it "$BANKSCOPE" verify --against "$WORK/idle.tsv"
ok "but not any number of them" grep -Eq 'search-pbs .* store +94/847 .* DIFFERS' "$WORK/stdout"
counted 157 5000 8 >"$WORK/idle.tsv"
ok "the last pass of eight-byte stores is predicted" grep -Eq \
    '	157	313	0	313$' "$WORK/idle.tsv"
run_it "$BANKSCOPE" verify cf-merge --against "$counters"
ok "what was counted stands beside what is predicted" grep -Eq \
    'u=512 E=17 +worst +load +[0-9]+ +[0-9]+ +1869 +[0-9]+-[0-9]+ .*equal' "$WORK/stdout"

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
refuses "random parameters that are read from a file" 2 'goes with no -o, --bare or --random' \
    "$BANKSCOPE" verify --against "$counters" --random 3
refuses "a number of random cases that is none" 2 '.--random.* whole number' \
    "$BANKSCOPE" verify --random many
refuses "a seed that is none" 2 '.--seed is .x.; it must be a whole number' \
    "$BANKSCOPE" verify --random 2 --seed x
# A profiler that counts nothing, and keeps how it was called.
cat >"$WORK/ncu" <<'END'
#!/bin/sh
while [ "$1" != --log-file ]; do shift; done
echo '"none"' >"$2"
shift 2
echo "$@" >"$0.called"
END
chmod +x "$WORK/ncu"
refuses "a profiler that counts nothing" 1 'the profiler counted 0 kernels of|the profiler says|no CUDA' \
    env NCU="$WORK/ncu" "$BANKSCOPE" verify reduce --random 5 --seed 7
ok "the profiled program draws the same cases" grep -q \
    'verify --bare --times 1 --random 5 --seed 7 reduce' "$WORK/ncu.called"
finish
