# The library's own merge, recorded on the host, makes the accesses of thrust-merge order=library.
# shellcheck shell=sh
. tests/support/tap.sh

headers=
for folder in /usr/local/cuda/include /usr/include; do
    [ -e "$folder/cccl/cub/block/block_merge_sort.cuh" ] && headers=$folder && break
done
if [ -z "$headers" ]; then
    skip "the library's merge" "no CUDA toolkit with CCCL 3 in /usr/local/cuda"
    finish
    exit 0
fi

ok "the reader compiles" test -s "$(dirname "$BANKSCOPE")/reader/instrument/trace/trace_read.c.o"
program=$(dirname "$BANKSCOPE")/tests/library_merge
ok "cub's templates compile for the host" test -x "$program"

traces=
record() {
    trace=$WORK/$(echo "$*" | tr ' =' '--').jsonl
    input=$1
    shift
    for parameter; do
        shift
        set -- "$@" -p "$parameter"
    done
    "$BANKSCOPE" run thrust-merge -p order=library --input "$input" "$@" -o "$trace" >"$WORK/said" &&
        traces="$traces $trace"
}
record random u=512 E=15
record worst u=256 E=17
record sorted u=64 E=8
record duplicates u=64 E=16 blocks=2
record reverse u=64 E=15
record worst w=16 u=32 E=15

# shellcheck disable=SC2086 # names are words
ok "access by access" "$program" $traces
# It can tell: one word of the merge is another's.
sed '/"stage":"merge","round":3/s/"addr":\[\([0-9]*\),\([0-9]*\)/"addr":[\2,\1/' \
    "$WORK/random-u-512-E-15.jsonl" >"$WORK/wrong.jsonl"
run_it "$program" "$WORK/wrong.jsonl"
ok "and finds a difference" grep -q DIFFERS "$WORK/stdout"
finish
