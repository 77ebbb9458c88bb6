#!/bin/sh
# stats_places: by line and by array, with commas, two traces at once, and a status for a condition.
. tests/support/tap.sh

header='{"format":"bankscope-trace","version":1,"kernel":"k","backend":"host","device":"","banks":4,"bank_bytes":4,"warp":4,"threads":4,"blocks":1,"shared_bytes":128,"params":{},"input":"","seed":0,"stages":["phase 0"],"arrays":[{"name":"a","addr":0,"type":"int","dims":[16]},{"name":"b","addr":64,"type":"int","dims":[16]}],"sites":[{"file":"t,u.cu","line":7,"function":"k","text":"a[i] = 0;"},{"file":"t,u.cu","line":7,"function":"k","text":"a[i] = 0;"},{"file":"t,u.cu","line":9,"function":"k","text":"x = b[i];"}]}'
# access ROUND OP SITE ADDRESSES
access() {
    echo "{\"stage\":\"phase 0\",\"round\":$1,\"slot\":0,\"block\":0,\"warp\":0,\"op\":\"$2\",\"bytes\":4,\"lane\":[0,1,2,3],\"addr\":[$4],\"site\":$3}"
}
{
    echo "$header"
    access 0 store 0 0,4,8,12
    access 1 store 1 0,16,32,48
    access 2 load 2 64,80,68,84
    echo '{"end":true,"warp_accesses":3,"dropped":0}'
} >"$WORK/bad.jsonl"
{
    echo "$header"
    access 0 store 0 0,4,8,12
    access 2 load 2 64,68,72,76
    echo '{"end":true,"warp_accesses":2,"dropped":0}'
} >"$WORK/good.jsonl"

"$BANKSCOPE" stats "$WORK/bad.jsonl" --by line >"$WORK/got"
ok "lines of one place are one row, with its text" \
    grep -Eq '^t,u.cu:7 +store +2 +8 +5 +3 +4  a\[i\] = 0;$' "$WORK/got"
sed 's/"sites":.."file":"t,u.cu","line":7,/"sites":[{"file":"t,u.cu","line":5,/' "$WORK/bad.jsonl" >"$WORK/apart.jsonl"
"$BANKSCOPE" stats "$WORK/apart.jsonl" --by line --csv | cut -d, -f1-6 >"$WORK/got"
printf '%s\n' line,op,warp_accesses,accesses,passes,conflicts '"t,u.cu:5",store,1,4,1' '"t,u.cu:7",store,1,4,4' \
    '"t,u.cu:9",load,1,4,2' >"$WORK/wanted"
ok "the first site is one of its own" diff "$WORK/wanted" "$WORK/got"
"$BANKSCOPE" stats "$WORK/bad.jsonl" --by array >"$WORK/got"
ok "by array" grep -Eq '^b +load +1 +4 +2 +1 +2$' "$WORK/got"
"$BANKSCOPE" stats "$WORK/bad.jsonl" --by line --csv >"$WORK/got"
ok "with commas, and quotes where a name has one" \
    grep -qx '"t,u.cu:9",load,1,4,2,1,2' "$WORK/got"
"$BANKSCOPE" stats "$WORK/bad.jsonl" --by line --json | jq -c '.lines[0] | [.file, .line, .conflicts]' >"$WORK/got"
ok "in JSON" grep -qx '\["t,u.cu",7,3\]' "$WORK/got"
"$BANKSCOPE" stats "$WORK/bad.jsonl" "$WORK/good.jsonl" >"$WORK/got"
ok "what the second trace has more" grep -Eq '^phase 0 +store +5 +1 +-4 +3 +0 +-3$' "$WORK/got"
"$BANKSCOPE" stats "$WORK/bad.jsonl" "$WORK/good.jsonl" --by array --json | jq -c '.total' >"$WORK/got"
ok "in JSON, too" grep -qx '{"passes":\[7,2\],"conflicts":\[4,0\]}' "$WORK/got"
"$BANKSCOPE" stats "$WORK/bad.jsonl" "$WORK/good.jsonl" --csv >"$WORK/got"
ok "and with commas" grep -qx 'phase 0,store,5,1,3,0' "$WORK/got"

# Global memory: of two lanes 4 bytes apart, one sector; 256 bytes apart, two, where one would do.
global=$(echo "$header" | sed 's/"version":1/"version":2/; s/"stages":."phase 0"./"stages":["a","b"]/')
request() { # STAGE SLOT OP BYTES: of two lanes that are so far apart
    printf '{"stage":"%s","round":0,"slot":%s,"block":0,"warp":0,"op":"%s","space":"global","bytes":4,' "$1" "$2" "$3"
    printf '"lane":[0,1],"addr":["100001000000","100001000%03x"]}\n' "$4"
}
{
    echo "$global"
    request a 0 load 4
    request a 1 load 256
    request b 0 store 64
    echo '{"end":true,"warp_accesses":3,"dropped":0}'
} >"$WORK/first.jsonl"
{
    echo "$global"
    request b 0 load 512
    request b 1 store 4
    echo '{"end":true,"warp_accesses":2,"dropped":0}'
} >"$WORK/second.jsonl"
# prints NAME ARGUMENT...: stats prints standard input.
prints() {
    case_name=$1
    shift
    cat >"$WORK/wanted"
    (cd "$WORK" && "$BANKSCOPE" stats "$@" >got)
    ok "$case_name" diff "$WORK/wanted" "$WORK/got"
}
prints "sectors, for each request, and the least" first.jsonl <<'END'
stage  op           warp accesses     accesses       passes    conflicts max ways      sectors  per request        least
a      global load              2            4            0            0        0            3         1.50            2
b      global store             1            2            0            0        0            2         2.00            1
total                           3            6            0            0        0            5         1.67            3
END
prints "with commas" first.jsonl --csv <<'END'
stage,op,warp_accesses,accesses,passes,conflicts,max_ways,space,sectors,least
a,load,2,4,0,0,0,global,3,2
b,store,1,2,0,0,0,global,2,1
END
prints "two traces, each with a row that the other has not" first.jsonl second.jsonl --csv <<'END'
stage,op,passes_1,passes_2,conflicts_1,conflicts_2,space,sectors_1,sectors_2
a,load,0,0,0,0,global,3,0
b,store,0,0,0,0,global,2,1
b,load,0,0,0,0,global,0,2
total,,0,0,0,0,,5,3
END
# Sites of one array in global memory are one row, and what has no name is one of its own.
{
    echo "$global" | sed 's/"sites":.*/"sites":[{"file":"t.cu","line":7,"array":"out"},{"file":"t.cu","line":8,"array":"in"},{"file":"t.cu","line":9,"array":"in"},{"file":"t.cu","line":9}]}/'
    for site in 0 1 2 3; do
        request a $site load 256 | sed "s/}$/,\"site\":$site}/"
    done
    echo '{"end":true,"warp_accesses":4,"dropped":0}'
} >"$WORK/named.jsonl"
prints "by array in global memory" named.jsonl --by array --csv <<'END'
array,op,warp_accesses,accesses,passes,conflicts,max_ways,space,sectors,least
global memory,load,1,2,0,0,0,global,2,1
out,load,1,2,0,0,0,global,2,1
in,load,2,4,0,0,0,global,4,2
END
prints "in JSON, as well" second.jsonl first.jsonl --json <<'END'
{"difference":[{"stage":"b","op":"load","space":"global","passes":[0,0],"conflicts":[0,0],"sectors":[2,0]},{"stage":"b","op":"store","space":"global","passes":[0,0],"conflicts":[0,0],"sectors":[1,2]},{"stage":"a","op":"load","space":"global","passes":[0,0],"conflicts":[0,0],"sectors":[0,3]}],"total":{"passes":[0,0],"conflicts":[0,0],"sectors":[3,5]}}
END

"$BANKSCOPE" stats "$WORK/bad.jsonl" --by access --csv >"$WORK/got"
ok "one row per access" grep -qx 'k,phase 0,1,0,0,0,store,4,4,4,4,3,a,"t,u.cu",7' "$WORK/got"
ok "and no other" test "$(wc -l <"$WORK/got")" -eq 4
prints "a request is a row, with its sectors" first.jsonl --by access --csv <<'END'
kernel,stage,round,slot,block,warp,op,bytes,lanes,ways,passes,conflicts,array,file,line,space,sectors,least
k,a,0,0,0,0,load,4,2,0,0,0,,,,global,1,1
k,a,0,1,0,0,load,4,2,0,0,0,,,,global,2,1
k,b,0,0,0,0,store,4,2,0,0,0,,,,global,2,1
END
refuses "one row per access as a table" 2 'takes one recording and --csv' \
    "$BANKSCOPE" stats "$WORK/bad.jsonl" --by access

refuses "a condition that holds" 1 'bad.jsonl: conflicts > 3' \
    "$BANKSCOPE" stats "$WORK/bad.jsonl" --fail-if 'conflicts > 3'
run_it "$BANKSCOPE" stats "$WORK/bad.jsonl" --fail-if 'conflicts > 4'
ok "one that does not" test "$status" -eq 0
run_it "$BANKSCOPE" stats "$WORK/bad.jsonl" "$WORK/good.jsonl" --fail-if 'conflicts > 0'
ok "of the last trace" test "$status" -eq 0
run_it sh -c "'$BANKSCOPE' stats - --fail-if 'passes == 7' <'$WORK/bad.jsonl'"
ok "of standard input" test "$status" -eq 1
refuses "a condition that is none" 1 '"conflicts >", column 12: the end came too soon' \
    "$BANKSCOPE" stats "$WORK/bad.jsonl" --fail-if 'conflicts >'
ok "no table hides it" test ! -s "$WORK/stdout"
refuses "a word that it does not know" 1 "no parameter or function 'conflict'; did you mean 'conflicts'" \
    "$BANKSCOPE" stats "$WORK/bad.jsonl" --fail-if 'conflict > 3'
refuses "three traces" 2 'two recordings at most' "$BANKSCOPE" stats a b c
refuses "an unknown grouping" 2 'warp, line, array or access' "$BANKSCOPE" stats "$WORK/bad.jsonl" --by column
finish
