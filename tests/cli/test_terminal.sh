#!/bin/sh
# Bank matrices in the terminal: `run --show` and `export -o -`.
. tests/support/tap.sh
cd "$WORK" || exit 1

"$BANKSCOPE" run stride -p w=6 -p u=6 -p s=3 --show >shown
cat >expected <<'END'

read, round 0: 3 passes, 2 conflicts
0 | 0! 2! 4!| 3
1 |         |
2 |         |
3 | 1! 3! 5!| 3
4 |         |
5 |         |
cells: the thread that uses the word, !: conflict; left: the bank; right: the
words that it serves
bank 0: words 0, 6, 12 for threads 0, 2, 4: three passes
END
shows_below_table() {
    grep -q '^total' shown && sed '1,/^total/d' shown | diff expected -
}
ok "run --show: the banks below the table, and why" shows_below_table
run_it "$BANKSCOPE" run stride -p w=6 -p u=6 -p s=3 --show -o -
ok "with the trace on standard output they go to standard error" sh -c \
    'grep -q "^bank 0: words 0, 6, 12" stderr && ! grep -qv "^{" stdout'
cp "$TREE/kernels/stride.cu" own.cu
"$BANKSCOPE" run ./own.cu -p w=6 -p u=6 -p s=3 --show | sed '1,/^total/d' >own
ok "a user's kernel is shown as well" diff expected own

# Rounds side by side; a word that another round uses is the letter of its list, or a dot.
"$BANKSCOPE" run thrust-merge -p w=4 -p u=4 -p E=3 --input splits=2,1,3,0 --show |
    sed '1,/^total/d' >merge
cat >expected <<'END'

search: 8 passes, 2 conflicts
round 0, slot 0: 1 pass     round 0, slot 1: 1 pass
0 |    3  b | 1             0 |    a  2 | 1
1 | 1  a  b | 1             1 | a  a  b |
2 | a  b  b |               2 | a  b  3 | 1
3 | 2  b    | 1             3 | a  1    | 1

round 1, slot 0: 2 passes   round 1, slot 1: 2 passes
0 |    a  b |               0 |    a  b |
1 | 2! 3! b | 2             1 | a  a  3 | 1
2 | 1  b  b | 1             2 | a  1! 2!| 2
3 | a  b    |               3 | a  b    |

round 2, slot 0: 1 pass     round 2, slot 1: 1 pass
0 |    a  b |               0 |    a  b |
1 | a  a  b |               1 | a  a  2 | 1
2 | 2  b  b | 1             2 | a  b  b |
3 | a  b    |               3 | a  b    |
cells: the thread that uses the word, !: conflict, a: list A, b: list B; left:
the bank; right: the words that it serves
END
ok "few rounds stand side by side, a thread's accesses in one apart" diff expected merge
if "$BANKSCOPE" help export >/dev/null 2>&1; then
    # s[i] += s[4 * i]: two loads and a store of each thread.
    cat >three.jsonl <<'END'
{"format":"bankscope-trace","version":1,"kernel":"k","backend":"host","banks":4,"bank_bytes":4,"warp":4,"threads":4,"blocks":1,"shared_bytes":64,"stages":["add"]}
{"stage":"add","round":0,"slot":0,"block":0,"warp":0,"op":"load","bytes":4,"lane":[0,1,2,3],"addr":[0,4,8,12]}
{"stage":"add","round":0,"slot":1,"block":0,"warp":0,"op":"load","bytes":4,"lane":[0,1,2,3],"addr":[0,16,32,48]}
{"stage":"add","round":0,"slot":2,"block":0,"warp":0,"op":"store","bytes":4,"lane":[0,1,2,3],"addr":[0,4,8,12]}
{"end":true,"warp_accesses":3,"dropped":0}
END
    cat >expected <<'END'
k
add, round 0: 6 passes, 3 conflicts
round 0, slot 0: 1 pass     round 0, slot 1: 4 passes
0 | 0  .  .  . | 1          0 | 0! 1! 2! 3!| 4
1 | 1          | 1          1 | .          |
2 | 2          | 1          2 | .          |
3 | 3          | 1          3 | .          |

round 0, slot 2: 1 pass
0 | 0  .  .  . | 1
1 | 1          | 1
2 | 2          | 1
3 | 3          | 1
cells: the thread that uses the word, !: conflict, .: used in another round or
slot; left: the bank; right: the words that it serves
END
    "$BANKSCOPE" export three.jsonl -o - --rounds 0 >three
    ok "a load, another and a store are three pictures" diff expected three
    "$BANKSCOPE" export three.jsonl -o - --slot 1 >slot
    ok "one of them, and why it takes so long" sh -c '
        grep -qx "add, round 0, slot 1: 4 passes, 3 conflicts" slot &&
            grep -qx "bank 0: words 0, 4, 8, 12 for threads 0, 1, 2, 3: four passes" slot'
    "$BANKSCOPE" export three.jsonl -o - --slot 0 >first
    ok "columns that it does not use stay where there is room" grep -qx "0 | 0  .  .  . | 1" first
    refuses "a slot in rounds that have one" 2 "slots 0 to 0" "$BANKSCOPE" export stride w=6 u=6 s=3 -o - --slot 1
    refuses "a slot that is not there" 2 "slots 0 to 2" "$BANKSCOPE" export three.jsonl -o - --slot 3
fi
"$BANKSCOPE" run broadcast -p w=4 -p u=4 -p pattern=half-half --show >shared
ok "+ is a word that several threads share" sh -c \
    'grep -q "^0 | 0+ | 1$" shared && grep -q "+: several threads share it" shared'
"$BANKSCOPE" run puzzle -p w=4 -p u=8 -p n=16 -p variant=two-way --show >blocks
ok "block and warp are named where there are several" \
    grep -q '^write.*, block 0, warp 0: 2 passes, 1 conflict$' blocks
no_blank_ends() {
    ! grep -n ' $' shown merge shared blocks
}
ok "no line ends in blanks" no_blank_ends

# ---- on a terminal: as wide as it is, and in colours that repeat what is written

# on_terminal COLUMNS COMMAND: what it writes to a terminal so wide.
on_terminal() {
    TERM=xterm script -qec "stty cols $1; $2" /dev/null | tr -d '\r'
}
colourless() {
    sed 's/\x1b\[[0-9;]*m//g'
}
merge="$BANKSCOPE run thrust-merge -p w=12 -p u=12 -p E=5 --input worst --show"
if have script stty; then
    on_terminal 80 "$merge" >coloured
    $merge >plain
    same_text() {
        grep -q "$(printf '\033')" coloured && colourless <coloured | diff plain -
    }
    ok "a terminal gets colours, and the same text" same_text
    ok "conflicts in bold white on red, list A on yellow" sh -c \
        'grep -q "\[0;1;38;5;231;48;5;166m  0! " coloured && grep -q "48;5;229m  a " coloured'
    NO_COLOR=1 on_terminal 80 "$merge" >no_color
    ok "none with NO_COLOR" diff plain no_color
    NO_COLOR='' on_terminal 80 "$merge" >empty
    ok "an empty NO_COLOR is none" diff coloured empty
    TERM=xterm script -qec "stty cols 80; TERM=dumb $merge" /dev/null | tr -d '\r' >dumb
    ok "none on a dumb terminal" diff plain dumb
    on_terminal 200 "$merge" | colourless >wide
    ok "a wide terminal has all rounds in a row" grep -q '^round 0.*round 4' wide
    fits() { # COLUMNS COMMAND
        on_terminal "$1" "$2" | colourless | sed '1,/^total/d' >narrow
        cat narrow
        [ -s narrow ] && [ "$(wc -L <narrow)" -le "$1" ]
    }
    for columns in 20 40 79; do
        ok "$columns columns are enough" fits $columns "$merge"
    done
    ok "32 columns of a stride are cut to the line" fits 80 \
        "$BANKSCOPE run stride -p w=32 -p u=32 -p s=32 --show"
    ok "and that is said" grep -q 'more columns would need a wider' narrow
    ok "a warp's 15 columns of 32 banks fit 80 characters" fits 80 \
        "$BANKSCOPE run thrust-merge -p u=512 -p E=15 --input worst --show"
    ok "with all of them" sh -c '[ "$(sed -n "/^ 4 |/p" narrow | wc -w)" -eq 18 ]'
else
    skip "colours on a terminal" "needs script and stty"
fi

# ---- export -o -

if "$BANKSCOPE" help export >/dev/null 2>&1; then
    "$BANKSCOPE" run thrust-merge -p w=12 -p u=24 -p E=5 --input worst -o worst.jsonl >/dev/null
    "$BANKSCOPE" run cf-merge -p w=12 -p u=24 -p E=5 --input worst -o cf.jsonl >/dev/null
    run_it "$BANKSCOPE" export worst.jsonl cf.jsonl --round 2 --warp 1 -o -
    ok "export -o -: both recordings" sh -c 'grep -q "^thrust-merge w=12 u=24" stdout &&
        grep -q "^merge, round 2, warp 1: 5 passes, 4 conflicts$" stdout &&
        grep -q "^cf-merge w=12 u=24" stdout &&
        grep -q "^gather, round 2, warp 1: 1 pass, 0 conflicts$" stdout'
    # As in cfmerge Fig. 2: every bank serves one word.
    ok "without conflicts every bank serves one" sh -c \
        '[ "$(sed "1,/^cf-merge/d" stdout | grep -c "| 1$")" -eq 12 ]'
    run_it "$BANKSCOPE" export worst.jsonl --round 2 --warp 1 --label address -o -
    ok "labels are what was asked for" grep -q 'cells: the number of the word' stdout
    { # 100,000 rounds, most of them empty
        sed -n '1p;2p' worst.jsonl
        sed -n 2p worst.jsonl | sed 's/"round":0/"round":100000/'
        echo '{"end":true,"warp_accesses":2,"dropped":0}'
    } >many.jsonl
    refuses "too many rounds for a screen" 1 'too many to print.*--round' "$BANKSCOPE" export \
        many.jsonl --round all -o -
else
    skip "export -o -" "this build has no cairo"
fi
finish
