#!/bin/sh
# stats: every figure of a small recording, worked out by hand, in the table and as JSON.
#
# A block of 8 threads in warps of 4, 4 banks. Thread t uses word 2 t, in the upper half of the block
# word 2 (t - 4) + 1. Warp 0 uses words 0 2 4 6, in banks 0 2 0 2: two passes, one conflict. So does
# warp 1, a word further. Of 14 numbers the second block has 6, so that its warp 1 uses words 1 and 3
# only: one pass.
. tests/support/tap.sh

trace=$WORK/puzzle.jsonl
"$BANKSCOPE" run puzzle variant=two-way w=4 u=8 n=14 -o "$trace" >"$WORK/said"

# prints NAME ARGUMENT...: stats prints standard input.
prints() {
    case_name=$1
    shift
    cat >"$WORK/wanted"
    "$BANKSCOPE" stats "$trace" "$@" >"$WORK/printed"
    ok "$case_name" diff "$WORK/wanted" "$WORK/printed"
}
prints "by stage, which is the default" <<'END'
stage  op    warp accesses     accesses       passes    conflicts max ways
write  store             4           14            7            3        2
read   load              4           14            7            3        2
total                    8           28           14            6        2
END
prints "by round" --by round <<'END'
stage  round  op    warp accesses     accesses       passes    conflicts max ways
write      0  store             4           14            7            3        2
read       0  load              4           14            7            3        2
total                           8           28           14            6        2
END
prints "by warp" --by warp <<'END'
stage  block  warp  op    warp accesses     accesses       passes    conflicts max ways
write      0     0  store             1            4            2            1        2
write      0     1  store             1            4            2            1        2
write      1     0  store             1            4            2            1        2
write      1     1  store             1            2            1            0        1
read       0     0  load              1            4            2            1        2
read       0     1  load              1            4            2            1        2
read       1     0  load              1            4            2            1        2
read       1     1  load              1            2            1            0        1
total                                 8           28           14            6        2
END
costs='"warp_accesses":4,"accesses":14,"passes":7,"conflicts":3,"max_ways":2'
total='"total":{"warp_accesses":8,"accesses":28,"passes":14,"conflicts":6,"max_ways":2}'
prints "as JSON" --json <<END
{"stages":[{"stage":"write","op":"store",$costs},{"stage":"read","op":"load",$costs}],$total}
END
prints "as JSON by round" --json --by round <<END
{"stages":[{"stage":"write","round":0,"op":"store",$costs},{"stage":"read","round":0,"op":"load",$costs}],$total}
END
two='"warp_accesses":1,"accesses":4,"passes":2,"conflicts":1,"max_ways":2'
one='"warp_accesses":1,"accesses":2,"passes":1,"conflicts":0,"max_ways":1'
warps() { # STAGE OP
    for place in '"block":0,"warp":0' '"block":0,"warp":1' '"block":1,"warp":0'; do
        printf '{"stage":"%s",%s,"op":"%s",%s},' "$1" "$place" "$2" "$two"
    done
    printf '{"stage":"%s","block":1,"warp":1,"op":"%s",%s}' "$1" "$2" "$one"
}
prints "as JSON by warp" --json --by warp <<END
{"stages":[$(warps write store),$(warps read load)],$total}
END

prints "as CSV" --csv <<'END'
stage,op,warp_accesses,accesses,passes,conflicts,max_ways
write,store,4,14,7,3,2
read,load,4,14,7,3,2
END
prints "as CSV by round" --csv --by round <<'END'
stage,round,op,warp_accesses,accesses,passes,conflicts,max_ways
write,0,store,4,14,7,3,2
read,0,load,4,14,7,3,2
END
prints "as CSV by warp" --csv --by warp <<'END'
stage,block,warp,op,warp_accesses,accesses,passes,conflicts,max_ways
write,0,0,store,1,4,2,1,2
write,0,1,store,1,4,2,1,2
write,1,0,store,1,4,2,1,2
write,1,1,store,1,2,1,0,1
read,0,0,load,1,4,2,1,2
read,0,1,load,1,4,2,1,2
read,1,0,load,1,4,2,1,2
read,1,1,load,1,2,1,0,1
END

# Beside 24 numbers that are used one after the other, without conflicts: a third block.
other=$WORK/other.jsonl
"$BANKSCOPE" run puzzle variant=sequential w=4 u=8 n=24 -o "$other" >"$WORK/said"
prints "two recordings" "$other" <<'END'
stage  op        passes 1     passes 2         more   conflicts 1  conflicts 2         more
write  store            7            6           -1             3            0           -3
read   load             7            6           -1             3            0           -3
total                  14           12           -2             6            0           -6
END
prints "two by round" "$other" --by round <<'END'
stage  round  op        passes 1     passes 2         more   conflicts 1  conflicts 2         more
write      0  store            7            6           -1             3            0           -3
read       0  load             7            6           -1             3            0           -3
total                         14           12           -2             6            0           -6
END
prints "two by warp" "$other" --by warp <<'END'
stage  block  warp  op        passes 1     passes 2         more   conflicts 1  conflicts 2         more
write      0     0  store            2            1           -1             1            0           -1
write      0     1  store            2            1           -1             1            0           -1
write      1     0  store            2            1           -1             1            0           -1
write      1     1  store            1            1           +0             0            0           +0
read       0     0  load             2            1           -1             1            0           -1
read       0     1  load             2            1           -1             1            0           -1
read       1     0  load             2            1           -1             1            0           -1
read       1     1  load             1            1           +0             0            0           +0
write      2     0  store            0            1           +1             0            0           +0
write      2     1  store            0            1           +1             0            0           +0
read       2     0  load             0            1           +1             0            0           +0
read       2     1  load             0            1           +1             0            0           +0
total                               14           12           -2             6            0           -6
END
prints "two as CSV" "$other" --csv <<'END'
stage,op,passes_1,passes_2,conflicts_1,conflicts_2
write,store,7,6,3,0
read,load,7,6,3,0
total,,14,12,6,0
END
prints "two as CSV by round" "$other" --csv --by round <<'END'
stage,round,op,passes_1,passes_2,conflicts_1,conflicts_2
write,0,store,7,6,3,0
read,0,load,7,6,3,0
total,,,14,12,6,0
END
prints "two as CSV by warp" "$other" --csv --by warp <<'END'
stage,block,warp,op,passes_1,passes_2,conflicts_1,conflicts_2
write,0,0,store,2,1,1,0
write,0,1,store,2,1,1,0
write,1,0,store,2,1,1,0
write,1,1,store,1,1,0,0
read,0,0,load,2,1,1,0
read,0,1,load,2,1,1,0
read,1,0,load,2,1,1,0
read,1,1,load,1,1,0,0
write,2,0,store,0,1,0,0
write,2,1,store,0,1,0,0
read,2,0,load,0,1,0,0
read,2,1,load,0,1,0,0
total,,,,14,12,6,0
END
"$BANKSCOPE" stats "$trace" "$other" --json --by warp >"$WORK/two"
ok "two as JSON by warp" grep -q \
    '{"stage":"write","block":1,"warp":0,"op":"store","passes":\[2,1\],"conflicts":\[1,0\]}' "$WORK/two"
ok "with what only the second has" grep -q \
    '{"stage":"read","block":2,"warp":1,"op":"load","passes":\[0,1\],"conflicts":\[0,0\]}' "$WORK/two"

# More rows than a table begins with, in any order of lookup: each round is a row of its own.
"$BANKSCOPE" run stride w=4 u=4 s=2 rounds=3000 -o "$trace" >"$WORK/said"
"$BANKSCOPE" stats "$trace" --by round >"$WORK/printed"
ok "three thousand rounds are as many rows" awk '
    $1 == "read" { rows++; bad += $2 != rows - 1 || $6 != 2 || $7 != 1 }
    END { print rows " rows, " bad + 0 " wrong"; exit rows != 3000 || bad }' "$WORK/printed"
# What view takes: kernels and programs are recorded first, each with the options behind its name.
same_as() { # FILE ARGUMENT...: stats prints what it prints of the trace
    file=$1
    shift
    "$BANKSCOPE" stats "$file" >"$WORK/wanted" && "$BANKSCOPE" stats "$@" >"$WORK/printed" &&
        diff "$WORK/wanted" "$WORK/printed"
}
"$BANKSCOPE" run puzzle variant=two-way w=4 u=8 n=14 -o "$trace" >"$WORK/said"
ok "a kernel" same_as "$trace" puzzle variant=two-way w=4 u=8 n=14
cp "$TREE/kernels/puzzle.cu" "$WORK/mine.cu"
ok "a kernel of one's own" same_as "$trace" "$WORK/mine.cu" variant=two-way w=4 u=8 n=14
two() {
    "$BANKSCOPE" stats stride s=1 stride s=6 --json | tee "$WORK/two" &&
        grep -q '"total":{"passes":\[2,8\],"conflicts":\[0,1\]}' "$WORK/two"
}
ok "two kernels, each with its parameters" two
refuses "three recordings" 2 'two recordings at most' "$BANKSCOPE" stats stride stride stride
refuses "a parameter of a trace" 2 'is no kernel' "$BANKSCOPE" stats "$trace" u=8
program() {
    "$BANKSCOPE" stats "$TREE/tests/programs/alignment.cu" --by line >"$WORK/lines" &&
        grep -q 'alignment.cu:25  load' "$WORK/lines"
}
if runs_programs; then ok "a CUDA program, by line" program; else skip "a CUDA program, by line" "needs clang and libdw"; fi

# named NAME STEP: a trace of an array, whose words 0 and 1 are loaded (line 7), and 0 and STEP stored.
named() {
    printf '{"format":"bankscope-trace","version":1,"kernel":"k","backend":"host","device":"",'
    printf '"banks":4,"bank_bytes":4,"warp":4,"threads":4,"blocks":1,"shared_bytes":64,"params":{},'
    printf '"input":"","seed":1,"stages":["s"],"arrays":[{"name":"%s","addr":0,"type":"int","dims":[16]}],' "$1"
    printf '"sites":[{"file":"t.cu","line":7,"function":"k","text":"x"}]}\n'
    for access in 0:load:4 "1:store:$((4 * $2))"; do
        rest=${access#*:}
        printf '{"stage":"s","round":%s,"slot":0,"block":0,"warp":0,"op":"%s","bytes":4,"lane":[0,1],' \
            "${access%%:*}" "${rest%:*}"
        printf '"addr":[0,%s]' "${rest#*:}"
        [ "$access" != 0:load:4 ] || printf ',"site":0'
        echo '}'
    done
    printf '{"end":true,"warp_accesses":2,"dropped":0}\n'
}
named tile 1 >"$WORK/one.jsonl"
named tile 4 >"$WORK/four.jsonl"
"$BANKSCOPE" stats "$WORK/one.jsonl" "$WORK/four.jsonl" --by array --csv >"$WORK/printed"
cat >"$WORK/wanted" <<'END'
array,op,passes_1,passes_2,conflicts_1,conflicts_2
tile,load,1,1,0,0
tile,store,1,2,0,1
total,,2,3,0,1
END
ok "two recordings by array" diff "$WORK/wanted" "$WORK/printed"
"$BANKSCOPE" stats "$WORK/four.jsonl" --by access --csv >"$WORK/printed"
cat >"$WORK/wanted" <<'END'
kernel,stage,round,slot,block,warp,op,bytes,lanes,ways,passes,conflicts,array,file,line
k,s,0,0,0,0,load,4,2,1,1,0,tile,t.cu,7
k,s,1,0,0,0,store,4,2,2,2,1,tile,,
END
ok "each access, with and without a line" diff "$WORK/wanted" "$WORK/printed"
ok "a long name widens its column" sh -c '"$1" stats cf-merge w=4 u=4 E=3 | tee "$2" |
    awk "length() != n && n { bad = 1 } { n = length() } END { exit bad }"' - "$BANKSCOPE" "$WORK/printed"

# Bars: what each row has, in two parts. Names are text for SVG and TeX, whatever they are.
if "$BANKSCOPE" help export >/dev/null 2>&1; then
    bars() {
        "$BANKSCOPE" stats "$trace" --by stage -o "$WORK/bars.txt" >/dev/null && cat "$WORK/bars.txt" &&
            tail -n 2 "$WORK/bars.txt" | tr '\t' ' ' | tr '\n' '/' | grep -qx '0 write 4 3/1 read 4 3/'
    }
    ok "a chart's bars are the table's rows" bars
    # An array may have a name longer than any line: of a bar, it leaves room for the operation.
    named "$(printf '%01500d' 0 | tr 0 a)" 4 >"$WORK/long.jsonl"
    "$BANKSCOPE" stats "$WORK/long.jsonl" --by array -o "$WORK/long.txt" >/dev/null
    ok "a name of 1500 bytes under a bar" grep -q 'aaa store' "$WORK/long.txt"
    refuses "a chart of another kind" 2 'charts come as' "$BANKSCOPE" stats "$trace" -o "$WORK/x.gif"
    refuses "a chart over its trace" 2 'both read and written' "$BANKSCOPE" stats "$trace" -o "$trace"
    sed 's/"write"/"`touch '"$(basename "$WORK")"'-hacked` \\\\input{x}_"/g' "$trace" >"$WORK/hostile.jsonl"
    text_only() {
        (cd "$WORK" && "$BANKSCOPE" stats hostile.jsonl -o hostile.tex >/dev/null) &&
            grep 'textbackslash{}input' "$WORK/hostile.tex" && ! [ -e "$WORK/$(basename "$WORK")-hacked" ]
    }
    ok "hostile names are text in TeX" text_only
    drawn() {
        (cd "$WORK" && "$BANKSCOPE" stats hostile.jsonl -o hostile.svg >/dev/null) &&
            grep -q 'hacked' "$WORK/hostile.svg"
    }
    ok "and in SVG" drawn
else
    skip "charts" "this build has no cairo"
fi
finish
