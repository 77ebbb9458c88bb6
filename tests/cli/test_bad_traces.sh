#!/bin/sh
# Broken traces: one line that says what is amiss and where, status 1, in bounded time and memory.
. tests/support/tap.sh

good=$WORK/good.jsonl
cat >"$good" <<'TRACE'
{"format":"bankscope-trace","version":1,"kernel":"demo","backend":"host","device":"","banks":4,"bank_bytes":4,"warp":4,"threads":6,"blocks":2,"shared_bytes":64,"params":{"w":4},"input":"random","seed":1,"stages":["write","read"]}
{"stage":"write","round":0,"slot":0,"block":0,"warp":0,"op":"store","bytes":4,"lane":[0,1,2,3],"addr":[0,4,8,12],"value":[5,6,7,8],"tag":"AABB"}
{"stage":"read","round":0,"slot":0,"block":0,"warp":0,"op":"load","bytes":4,"lane":[0,2],"addr":[0,16]}
{"end":true,"warp_accesses":2,"dropped":0}
TRACE

run_it "$BANKSCOPE" stats "$good" --json
ok "the unbroken trace is read" test "$status" -eq 0
ok "two words of one bank are one conflict" grep -q '"total":.*"passes":3,"conflicts":1' "$WORK/stdout"

# bad NAME PATTERN SED...: the good trace, edited, is refused with a line that matches. The sed
# script must change something.
bad() {
    bad_name=$1 bad_pattern=$2
    shift 2
    sed "$@" "$good" >"$WORK/bad.jsonl"
    if cmp -s "$good" "$WORK/bad.jsonl"; then
        ok "$bad_name: the edit changes the trace" false
    else
        refuses "$bad_name" 1 "^bankscope stats: .*bad.jsonl$bad_pattern" \
            timeout 10 "$BANKSCOPE" stats "$WORK/bad.jsonl"
    fi
}

bad "wrong version" ', line 1: .*version 3.*versions 1 and 2' '1s/"version":1/"version":3/'
bad "no version" ', line 1: .*version' '1s/"version":1,//'
bad "another format" ', line 1: not a Bankscope trace' '1s/bankscope-trace/other-trace/'
bad "header missing" ', line 1: not a Bankscope trace' 1d
bad "text, not JSON" ', line 1: not a JSON object' '1s/^/hello /'
bad "an array, not an object" ', line 1: not a JSON object' '1s/.*/[1,2]/'
bad "no banks" ', line 1: "banks"' '1s/"banks":4/"banks":0/'
bad "too many banks" ', line 1: "banks".*64' '1s/"banks":4/"banks":65/'
bad "bank width no power of two" ', line 1: "bank_bytes"' '1s/"bank_bytes":4/"bank_bytes":3/'
bad "too wide a warp" ', line 1: "warp".*64' '1s/"warp":4/"warp":1000/'
bad "no threads" ', line 1: "threads"' '1s/"threads":6/"threads":0/'
bad "shared memory of a terabyte" ', line 1: "shared_bytes"' '1s/"shared_bytes":64/"shared_bytes":1e12/'
bad "threads missing" ', line 1: "threads" is missing' '1s/"threads":6,//'
bad "threads as text" ', line 1: "threads"' '1s/"threads":6/"threads":"6"/'
bad "no stages" ', line 1: "stages"' '1s/\["write","read"\]/[]/'
bad "two stages of one name" ', line 1: .*same name' '1s/"write"/"read"/'
bad "a stage without a name" ', line 1: .*stage' '1s/"write"/""/'
bad "a parameter that is a list" ', line 1: .*parameter' '1s/"w":4/"w":[4]/'
bad "a parameter with a fraction" ', line 1: .*whole' '1s/"w":4/"w":4.5/'
bad "negative seed" ', line 1: "seed"' '1s/"seed":1/"seed":-1/'
bad "unknown stage" ', line 2: stage "gather"' '2s/"write"/"gather"/'
bad "stage as a number" ', line 2: "stage"' '2s/"write"/1/'
bad "negative round" ', line 2: "round"' '2s/"round":0/"round":-1/'
bad "round of a billion" ', line 2: "round"' '2s/"round":0/"round":1000000000/'
bad "a round and a half" ', line 2: "round"' '2s/"round":0/"round":1.5/'
bad "number without end" ', line 2: ' '2s/"round":0/"round":1e999/'
bad "slot out of range" ', line 2: "slot"' '2s/"slot":0/"slot":99999/'
bad "block outside the launch" ', line 2: "block".*0 to 1' '2s/"block":0/"block":2/'
bad "warp outside the block" ', line 2: "warp".*0 to 1' '2s/"warp":0/"warp":2/'
bad "unknown operation" ', line 2: "op"' '2s/"store"/"swap"/'
bad "three bytes" ', line 2: "bytes"' '2s/"bytes":4/"bytes":3/'
bad "32 bytes" ', line 2: "bytes"' '2s/"bytes":4/"bytes":32/'
bad "lane outside the warp" ', line 2: "lane".*0 to 3' '2s/0,1,2,3\]/0,1,2,4]/'
bad "lane of a thread that is not there" ', line 2: "lane".*0 to 1' '2s/"warp":0/"warp":1/'
bad "duplicate lane" ', line 2: "lane".*once' '2s/0,1,2,3\]/0,1,1,3]/'
bad "lanes that descend" ', line 2: "lane".*ascend' '2s/0,1,2,3\]/0,2,1,3]/'
bad "no lane" ', line 3: "lane" is empty' -e '3s/\[0,2\]/[]/' -e '3s/\[0,16\]/[]/'
bad "lane missing" ', line 2: "lane"' '2s/"lane":[^]]*\],//'
bad "address outside the block" ', line 2: "addr".*60' '2s/8,12\]/8,64]/'
bad "address that straddles the end" ', line 2: "addr"' '2s/8,12\]/8,62]/'
bad "negative address" ', line 2: "addr"' '2s/\[0,4,8/[-4,4,8/'
bad "address between words" ', line 2: .*multiple' '2s/8,12\]/8,13]/'
bad "an access larger than the memory" ', line 2: "bytes" is more than .*"shared_bytes"' \
    -e '1s/"shared_bytes":64/"shared_bytes":2/'
bad "an address too few" ', line 2: "addr".*long' '2s/8,12\]/8]/'
bad "a value too many" ', line 2: "value".*long' '2s/\[5,6,7,8\]/[5,6,7,8,9]/'
bad "a value that is text" ', line 2: "value"' '2s/\[5,6,7,8\]/[5,6,7,"x"]/'
bad "tag too short" ', line 2: "tag"' '2s/AABB/AA/'
bad "tag with control characters" ', line 2: .*tag' '2s/AABB/A\\u0001BB/'
bad "the same warp access twice" ', line 3: .*before' 2p
bad "out of order" ', line 3: .*order' '2{h;d};3G'
bad "the end counts wrong" ', line 4: .*9 .*2' '4s/"warp_accesses":2/"warp_accesses":9/'
bad "the end does not count" ', line 4: "warp_accesses"' '4s/"warp_accesses":2,//'
bad "more behind the end" ', line 5: .*behind' '4p'
bad "garbage between the lines" ', line 3: not a JSON object' '2a\
garbage'
bad "an empty line" ', line 3: not a JSON object' '2a\
\
'

# Global memory, in version 2.
cat >"$WORK/global.sed" <<'END'
1s/"version":1/"version":2/
3s/"op":"load"/&,"space":"global"/
END
global="-f $WORK/global.sed"
sed $global -e '3s/\[0,16\]/["100000","100020"]/' "$good" >"$WORK/global.jsonl"
run_it "$BANKSCOPE" stats "$WORK/global.jsonl" --json
ok "a trace of version 2 is read" test "$status" -eq 0
ok "two lanes in two sectors, of which one would do" grep -q \
    '"space":"global","requests":1,"sectors":2,"sectors_per_request":2,"least_sectors":1' "$WORK/stdout"
for address in 0x10 10G '' 10000000000000000; do
    bad "the address '$address'" ', line 3: "addr" in global' $global -e "3s/\[0,16\]/[\"10\",\"$address\"]/"
done
bad "numbers for addresses in global memory" ', line 3: "addr" in global' $global
bad "an address beyond all memory" ', line 3: "addr".*above' $global -e '3s/\[0,16\]/["10","ffffffffffffff00"]/'
bad "an address in global memory between words" ', line 3: .*multiple' $global -e '3s/\[0,16\]/["10","12"]/'
bad "a space of another name" ', line 3: "space" must be' $global -e '3s/"global"/"local"/'
bad "texts for addresses in shared memory" ', line 3: "addr"' -e '3s/\[0,16\]/["10","14"]/'
bad "a copy within global memory" ', line 3: "op" is matrix-load' $global -e '3s/\[0,16\]/["10","14"]/' -e '3s/"load"/"matrix-load"/'
bad "a reduction in shared memory" ', line 3: "op" is reduction' -e '3s/"load"/"reduction"/'

# What JSON, or a reader of it, would let pass.
bad "a field that is there twice" ', line 2: "round" is there twice' '2s/"slot":0/"round":1,"slot":0/'
bad "an unknown field that is there twice" ', line 3: "x" is there twice' '3s/"slot":0/"x":1,"x":2,"slot":0/'
bad "a parameter that is there twice" ', line 1: parameter "w" is there twice' '1s/"w":4/"w":4,"w":5/'
bad "a header field that is there twice" ', line 1: "banks" is there twice' '1s/"banks":4/"banks":4,"banks":5/'
bad "a zero byte, escaped" ', line 1: .*zero byte' '1s/"demo"/"de\\u0000mo"/'
bad "a zero byte in a stage's name" ', line 2: .*zero byte' '2s/"write"/"write\\u0000x"/'
bad "a terminal's command in the kernel's name" ', line 1: "kernel".*control' '1s/"demo"/"de\\u001b[2Jmo"/'
bad "an 8-bit terminal's command" ', line 1: "device".*control' '1s/"device":""/"device":"\\u009b2J"/'
bad "a line break in a stage's name" ', line 1: "stages".*control' '1s/"write"/"wri\\nte"/'
bad "half of a surrogate pair" ', line 1: not a JSON object' '1s/"demo"/"\\ud800"/'
bad "a stage's name of 100 bytes" ', line 1: "stages".*64' '1s/"write"/"wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww"/'
bad "a seed that no double tells from the next" ', line 1: "seed".*2\^53' '1s/"seed":1/"seed":9007199254740993/'
bad "a value that no double tells from the next" ', line 2: "value".*2\^53' '2s/\[5,/[-9007199254740993,/'
bad "values in two ways" ', line 2: .*exclude each other' '2s/,"value"/,"value_bits":["0000000000000000"]&/'
for bits in 000000000000000 000000000000000g 0000000000000000F '' 00000000000000000; do
    bad "bits that are $bits" ', line 2: "value_bits" must be' '2s/"value":\[5/"value_bits":["'"$bits"'"/'
done
bad "bits without a quote" ', line 2: not a JSON object' '2s/"lane":.*/"lane":[0],"addr":[0],"value_bits":[0000000000000005"]}/'
bad "bits that are numbers" ', line 2: "value_bits" must be' '2s/"value"/"value_bits"/'
bad "fewer bits than lanes" ', line 2: "value".*long' '2s/"value":\[5,6,7,8\]/"value_bits":["0000000000000005"]/'
bad "a tag longer than any warp" ', line 2: "tag".*per lane' "2s/AABB/$(printf '%070d' 0)/"
bad "a parameter beyond 2^53" ', line 1: .*parameter.*2\^53' '1s/"w":4/"w":1e300/'
bad "an address beyond 32 bits" ', line 2: "addr".*0 to 60' '2s/8,12\]/8,4294967308]/'
bad "a lane beyond 8 bits" ', line 2: "lane".*0 to 3' '2s/0,1,2,3\]/0,1,2,259]/'
bad "a block beyond 32 bits" ', line 2: "block".*0 to 1' '2s/"block":0/"block":4294967296/'
bad "65 lanes" ', line 2: "lane".*at most 64' "2s/0,1,2,3\\]/$(seq -s, 0 64)]/"
bad "the end drops less than nothing" ', line 4: "dropped"' '4s/"dropped":0/"dropped":-1/'

# The optional fields of kernels as they stand.
arrays='"arrays":[{"name":"tile","addr":0,"type":"float","dims":[4,4]}]'
sites='"sites":[{"file":"t.cu","line":74,"function":"f","text":"\\ttile[x] = 1;"}]'
sed -e "1s/\"stages\"/\"block_dim\":[3,2,1],\"grid_dim\":[2,1,1],$arrays,$sites,\"stages\"/" \
    -e '2s/}$/,"site":0}/' -e '3s/load/matrix-load/' "$good" >"$WORK/full.jsonl"
plain=$good good=$WORK/full.jsonl
run_it "$BANKSCOPE" stats "$good"
ok "the optional fields are read" test "$status" -eq 0
bad "a block of other dimensions" ', line 1: "block_dim".*6 "threads"' '1s/\[3,2,1\]/[3,3,1]/'
bad "two dimensions" ', line 1: "block_dim".*three' '1s/\[3,2,1\]/[3,2]/'
bad "a grid of nothing" ', line 1: "grid_dim"' '1s/\[2,1,1\]/[0,1,1]/'
bad "an array outside the memory" ', line 1: array tile ends outside' '1s/\[4,4\]/[4,5]/'
bad "an array larger than all memory" ', line 1: array tile ends outside' '1s/\[4,4\]/[16777216,16777216,16777216]/'
bad "nine dimensions" ', line 1: "dims".*at most 8' '1s/\[4,4\]/[1,1,1,1,1,1,1,1,1]/'
bad "an array without dimensions" ', line 1: "dims"' '1s/,"dims":\[4,4\]//'
bad "an array of an unknown type" ', line 1: "bytes" is missing' '1s/"float"/"struct pair"/'
bad "a float of 8 bytes" ', line 1: .*float has 4 bytes' '1s/"float"/"float","bytes":8/'
for members in 1 '[1]' '[{}]' '[{"name":"x","addr":0}]' '[{"name":"x","addr":0,"type":1}]' \
    '[{"name":"x","addr":4,"type":"float"}]' '[{"name":"x","addr":-1,"type":"float"}]'; do
    bad "members $members" ', line 1: ' '1s/"dims":\[4,4\]/&,"members":'"$members"'/'
done
bad "an array that is a number" ', line 1: "arrays"' '1s/"arrays":\[{[^}]*}\]/"arrays":[1]/'
bad "arrays that are an object" ', line 1: "arrays"' '1s/"arrays":\[{[^}]*}\]/"arrays":{}/'
bad "a site without a file" ', line 1: "file"' '1s/"file":"t.cu",//'
bad "a site with a control character" ', line 1: "text".*control' '1s/= 1;/\\u0007/'
bad "an access of an unknown site" ', line 2: "site".*-1 to 0' '2s/"site":0/"site":1/'
bad "an access of a negative site" ', line 2: "site".*from 0' '2s/"site":0/"site":-1/'
bad "a site where the header has none" ', line 2: there is a "site"' '1s/"sites":\[{[^}]*}\],//'
code='"code":[{"text":"ld.shared.f32 %f1, [%r1]","file":"t.cu","line":74,"became":"gone: unused"},{"text":"LDS"}]'
sed -e "1s/\"stages\"/$code,&/" -e '1s/"text":"\\ttile/"code":1,&/' "$good" >"$WORK/code.jsonl"
good=$WORK/code.jsonl
run_it "$BANKSCOPE" stats "$good"
ok "the instructions are read" test "$status" -eq 0
bad "an instruction without a text" ', line 1: "text"' '1s/"text":"LDS"/"txt":"LDS"/'
bad "an instruction that is a number" ', line 1: "code"' '1s/{"text":"LDS"}/7/'
bad "instructions that are an object" ', line 1: "code"' '1s/"code":\[.*LDS"}\]/"code":{}/'
bad "an instruction of a negative line" ', line 1: "line"' '1s/"LDS"/"LDS","line":-1/'
bad "an instruction with a control character" ', line 1: "text".*control' '1s/"LDS"/"\\u0007"/'
bad "PTX behind machine code" ', line 1: "sass"' '1s/\[%r1\]"/&,"sass":1/; 1s/"LDS"/"LDS","sass":0/'
bad "a site of an instruction that is not there" ', line 1: "code"' '1s/"code":1,/"code":2,/'
bad "a site of a negative instruction" ', line 1: "code"' '1s/"code":1,/"code":-2,/'
good=$plain

# What sed cannot write.
grows() { # COUNT TEXT
    awk -v count="$1" -v text="$2" 'BEGIN { while (count-- > 0) printf "%s", text }'
}
made() { # NAME PATTERN: $WORK/made.jsonl is refused
    refuses "$1" 1 "^bankscope stats: .*made.jsonl$2" timeout 10 "$BANKSCOPE" stats "$WORK/made.jsonl"
}
: >"$WORK/made.jsonl"
made "empty file" " is empty; .*bankscope run"
printf '\177ELF\001\000\377\376\200' >"$WORK/made.jsonl"
made "binary file" ", line 1: not a JSON object"
printf '{"format":"bankscope-trace"\000}\n' >"$WORK/made.jsonl"
made "a zero byte" ", line 1: "
{
    cat "$good"
    printf 'garbage'
} >"$WORK/made.jsonl"
made "half a line behind the end" ", line 5: not a JSON object"
sed '1s/"demo"/"d\xe9mo"/' "$good" >"$WORK/made.jsonl"
made "bytes that are no UTF-8" ", line 1: not UTF-8"
sed '1s/"demo"/"d\x80mo"/' "$good" >"$WORK/made.jsonl"
made "a byte that only goes on is no UTF-8" ", line 1: not UTF-8"
sed '2s/"slot":0/"slot":0,"note":"\xf0\x9f\x92"/' "$good" >"$WORK/made.jsonl"
made "bytes that are no UTF-8 in an unknown field" ", line 2: not UTF-8"
{
    sed -n 1p "$good"
    printf '{"a0":0'
    awk 'BEGIN { for (i = 1; i < 90000; i++) printf ",\"a%d\":0", i; print "}" }'
} >"$WORK/made.jsonl"
made "90000 unknown fields" ', line 2: "stage"'
{
    sed -n 1p "$good"
    printf '{"stage":"read","round":'
    grows 1000000 9
    printf '}\n'
} >"$WORK/made.jsonl"
made "a number of a million digits" ", line 2: "
{
    sed -n 1p "$good"
    printf '{"stage":'
    grows 100000 '['
    printf '\n'
} >"$WORK/made.jsonl"
made "nesting 100000 deep" ", line 2: "
grows 3000000 '{"a' >"$WORK/made.jsonl"
made "a line without end" ", line 1: .*longer than"
{
    sed '1s/"stages":.*/"stages":["s0"/;1q' "$good" | tr -d '\n'
    awk 'BEGIN { for (i = 1; i < 20000; i++) printf ",\"s%d\"", i; print "]}" }'
} >"$WORK/made.jsonl"
made "20000 stages" ', line 1: "stages".*16384'

refuses "a missing file" 1 "cannot open .*/none.jsonl: No such file" \
    "$BANKSCOPE" stats "$WORK/none.jsonl"
refuses "a folder" 1 "^bankscope stats: .*$(basename "$WORK"): Is a directory" \
    "$BANKSCOPE" stats "$WORK"
refuses "no file named" 2 "which trace" "$BANKSCOPE" stats

# The other readers report the same line; none leaves a picture behind.
if "$BANKSCOPE" help export >/dev/null 2>&1; then
    sed '3s/"read"/"gather"/' "$good" >"$WORK/bad.jsonl"
    refuses "export refuses what stats refuses" 1 '^bankscope export: .*bad.jsonl, line 3: stage' \
        "$BANKSCOPE" export "$WORK/bad.jsonl" -o "$WORK/bad.svg"
    ok "no picture of a bad trace" test ! -e "$WORK/bad.svg"
    refuses "export names a second trace that is bad" 1 '^bankscope export: .*bad.jsonl, line 3' \
        "$BANKSCOPE" export "$good" "$WORK/bad.jsonl" -o "$WORK/bad.svg"
    refuses "a picture that cannot be written" 1 '^bankscope export: .*none/x.svg.*No such file' \
        "$BANKSCOPE" export "$good" -o "$WORK/none/x.svg"
    refuses "a picture of no known format" 2 '^bankscope export: .*\.bmp' \
        "$BANKSCOPE" export "$good" -o "$WORK/x.bmp"
else
    skip "export refuses what stats refuses" "export is not in this build"
fi

# A cut trace keeps its whole lines, and says so: cut within the last line, and before it.
cut_is_told() {
    "$BANKSCOPE" stats "$1" --json >"$WORK/stdout" 2>"$WORK/stderr"
    cut_status=$?
    cat "$WORK/stdout" "$WORK/stderr"
    echo "(status $cut_status)"
    [ "$cut_status" -eq 1 ] && [ "$(wc -l <"$WORK/stderr")" -eq 1 ] &&
        grep -q "cut.*$2\|$2.*cut" "$WORK/stderr" &&
        grep -q "\"total\":.*\"warp_accesses\":$2," "$WORK/stdout"
}
sed '$d' "$good" >"$WORK/cut.jsonl"
ok "cut before its end line: two accesses kept" cut_is_told "$WORK/cut.jsonl" 2
head -c 440 "$good" >"$WORK/cut.jsonl"
ok "cut within a line: the whole line before is kept" cut_is_told "$WORK/cut.jsonl" 1
sed -n 1p "$good" >"$WORK/cut.jsonl"
ok "cut behind the header: none kept" cut_is_told "$WORK/cut.jsonl" 0

# The memory that a trace takes is bounded by its size, whatever it claims.
sed '1s/"shared_bytes":64/"shared_bytes":16777216/;1s/"blocks":2/"blocks":1048576/' "$good" \
    >"$WORK/claims.jsonl"
within_memory() {
    # shellcheck disable=SC3045 # dash has it
    ulimit -v 300000 && "$BANKSCOPE" stats "$WORK/claims.jsonl"
}
if grep -aq __asan_init "$BANKSCOPE"; then
    skip "large claims take no memory" "the address sanitizer reserves terabytes"
else
    ok "large claims take no memory" within_memory
fi

if "$BANKSCOPE" help export >/dev/null 2>&1; then
    for format in svg pdf png tex txt; do
        ok "large claims are drawn as $format" timeout 20 "$BANKSCOPE" export \
            "$WORK/claims.jsonl" -o "$WORK/claims.$format"
    done
    sed '1s/"shared_bytes":64/"shared_bytes":16777216/;2s/8,12\]/8,16777212]/' "$good" >"$WORK/far.jsonl"
    ok "two words far apart are drawn" timeout 20 "$BANKSCOPE" export "$WORK/far.jsonl" \
        -o "$WORK/far.png"
fi

# Of one that is cut before its first access, one line says all.
head -n 1 "$good" >"$WORK/first.jsonl"
if "$BANKSCOPE" help export >/dev/null 2>&1; then
    refuses "one without accesses is not drawn" 1 'first.jsonl is cut before its first warp access; record it again' \
        "$BANKSCOPE" export "$WORK/first.jsonl" -o "$WORK/first.svg"
fi
if "$BANKSCOPE" help view >/dev/null 2>&1; then
    refuses "a cut one without a display" 1 'there is no display' \
        env -u DISPLAY -u WAYLAND_DISPLAY -u SDL_VIDEODRIVER "$BANKSCOPE" view "$WORK/first.jsonl"
fi

# The fuzz targets find nothing amiss in their seed corpus.
for source in tests/fuzz/fuzz_*.c; do
    fuzz=${BANKSCOPE%/*}/tests/$(basename "$source" .c)
    if grep -q '"viewer/' "$source" && ! "$BANKSCOPE" help export >/dev/null 2>&1; then
        skip "$source replays its corpus" "this build has no cairo"
    else
        ok "$source replays its corpus" "$fuzz" tests/corpus/*
    fi
done
finish
