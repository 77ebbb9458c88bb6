#!/bin/sh
# Files that come whole or not at all: what was there survives a run that fails, is interrupted, or
# meets a full disk; what a cut recording had is kept beside it; nothing else is left behind.
. tests/support/tap.sh

place=$WORK/place
mkdir -p "$place" "$WORK/tmp"
export TMPDIR="$WORK/tmp"
"$BANKSCOPE" run stride >/dev/null -o "$WORK/good.jsonl"
# fresh: only a good trace is in $place.
fresh() {
    rm -rf "$place" && mkdir "$place" && cp "$WORK/good.jsonl" "$place/t.jsonl"
}
# holds NAME...: these files are in $place, and no others; the good trace is as it was.
holds() {
    (cd "$place" && ls -A) >"$WORK/listed"
    printf '%s\n' "$@" | sort >"$WORK/wanted"
    diff "$WORK/wanted" "$WORK/listed" && cmp "$WORK/good.jsonl" "$place/t.jsonl"
}
# The trace is cut, and has whole accesses.
is_part() {
    "$BANKSCOPE" stats "$1" >"$WORK/stdout" 2>"$WORK/stderr"
    cat "$WORK/stdout" "$WORK/stderr"
    grep -q 'is cut: ' "$WORK/stderr" && awk '/^total/ { exit !($2 > 0) }' "$WORK/stdout"
}

# ---- interrupted ---------------------------------------------------------------------------------

finds() {
    find "$@" | grep .
}
# interrupt SIGNAL NAME: a long recording gets it as soon as it has written something.
interrupt() {
    # A shell's background jobs ignore INT, and what is ignored would stay so.
    env --default-signal=INT "$BANKSCOPE" run stride rounds=9000 blocks=60000 -o "$place/$2" \
        >"$WORK/stdout" 2>"$WORK/stderr" &
    long=$!
    eventually finds "$place" -name "${2%%.*}.$long-*" -size +100k
    kill -s "$1" $long
    wait $long
    echo "status $?"
    cat "$WORK/stderr"
}
for signal in INT TERM HUP USR1; do
    fresh
    interrupt $signal t.jsonl >"$WORK/said"
    ok "$signal: the trace of before stays, what there was is beside it" holds t.jsonl t.part.jsonl
    ok "$signal: what there was can be read" is_part "$place/t.part.jsonl"
    ok "$signal: it is said where" grep -q "is in $place/t.part.jsonl" "$WORK/said"
done

# ---- failed --------------------------------------------------------------------------------------

# The second block's threads use one slot for two accesses.
sed 's/^    STAGE(read);/&\n    if (blockIdx.x == 1) STORE(tile, 0, t);/' kernels/stride.cu >"$WORK/fault.cu"
fresh
refuses "a fault in the second block" 1 "slot 0 is taken.*what was recorded until then is in .*/t.part.jsonl" \
    "$BANKSCOPE" run "$WORK/fault.cu" -p blocks=2 -o "$place/t.jsonl"
ok "it leaves the trace of before, and its own first block" holds t.jsonl t.part.jsonl
ok "the first block can be read" is_part "$place/t.part.jsonl"
sed 's/^    STAGE(read);/&\n    if (blockIdx.x == 1) *(volatile int *)8 = 1;/' kernels/stride.cu >"$WORK/crash.cu"
fresh
run_it "$BANKSCOPE" run "$WORK/crash.cu" -p blocks=2 -o "$place/t.jsonl"
ok "a crash ends with status 1" test "$status" -eq 1
ok "a crash leaves the trace of before" cmp "$WORK/good.jsonl" "$place/t.jsonl"
fresh
refuses "parameters out of range" 1 's ' "$BANKSCOPE" run stride -p s=0 -o "$place/t.jsonl"
ok "they leave the trace of before, and nothing else" holds t.jsonl

# ---- two at once, links, rights ------------------------------------------------------------------

fresh
"$BANKSCOPE" run cf-merge -p blocks=60 -o "$place/t.jsonl" >/dev/null &
first=$!
"$BANKSCOPE" run thrust-merge -p blocks=60 -o "$place/t.jsonl" >/dev/null
wait $first
ok "two runs to one name do not mix" "$BANKSCOPE" stats "$place/t.jsonl"
ok "and leave one file" test "$(cd "$place" && ls -A)" = t.jsonl
fresh
ln -s t.jsonl "$place/link.jsonl"
"$BANKSCOPE" run stride -p s=3 -o "$place/link.jsonl" >/dev/null
ok "a link stays a link" test -L "$place/link.jsonl"
ok "and its target is written" grep -q '"s":3' "$place/t.jsonl"
fresh
chmod 640 "$place/t.jsonl"
"$BANKSCOPE" run stride -o "$place/t.jsonl" >/dev/null
ok "the file keeps its rights" test "$(stat -c %a "$place/t.jsonl")" = 640
(umask 027 && "$BANKSCOPE" run stride -o "$place/new.jsonl" >/dev/null)
ok "a new file has the usual ones" test "$(stat -c %a "$place/new.jsonl")" = 640
if "$BANKSCOPE" help export >/dev/null 2>&1; then
    fresh
    ln -s t.jsonl "$place/picture.svg"
    refuses "a trace as its own picture" 1 'both read and written' \
        "$BANKSCOPE" export "$place/t.jsonl" -o "$place/picture.svg"
    ok "it is left alone" cmp "$WORK/good.jsonl" "$place/t.jsonl"
fi

# ---- files of others -----------------------------------------------------------------------------

# keeps COMMAND... FILE: what another has written is refused and stays; what is ours, empty or not there is
# replaced.
keeps() {
    for file; do :; done
    rm -f "$file"
    "$@" >/dev/null && cp "$file" "$WORK/ours" && "$@" >/dev/null && [ -s "$file" ] || return 1
    : >"$file" && "$@" >/dev/null && [ -s "$file" ] || return 1
    head -c 40000 "$BANKSCOPE" | tr -d b >"$file"
    cp "$file" "$WORK/theirs"
    "$@" >"$WORK/stdout" 2>"$WORK/stderr"
    [ $? -eq 1 ] && cmp "$WORK/theirs" "$file" && grep -q "is there and was not made by" "$WORK/stderr"
}
if "$BANKSCOPE" help export >/dev/null 2>&1; then
    for format in pdf svg png tex txt html gif webm mp4; do
        case $format in
        html) [ -e build/bankscope.html ] || [ -e build/page/bankscope.html ] || continue ;;
        gif | webm | mp4) have ffmpeg || continue ;;
        esac
        ok "export keeps another's $format" \
            keeps "$BANKSCOPE" export "$WORK/good.jsonl" --round 0 -o "$WORK/k.$format"
    done
    for format in pdf svg png tex txt csv json; do
        ok "figure keeps another's $format" keeps "$BANKSCOPE" figure cfmerge-5 -o "$WORK/k.$format"
        ok "stats keeps another's $format" keeps "$BANKSCOPE" stats "$WORK/good.jsonl" -o "$WORK/k.$format"
    done
    ok "sweep keeps another's pdf" keeps "$BANKSCOPE" sweep stride s=1..3 -o "$WORK/k.pdf"
    ok "whatever its title" keeps "$BANKSCOPE" export "$WORK/good.jsonl" --title '(ä)' -o "$WORK/k.pdf"
    ok "a drawn figure, too" keeps "$BANKSCOPE" figure cfmerge-1 -o "$WORK/k.txt"
fi
for format in csv json; do
    ok "sweep keeps another's $format" keeps "$BANKSCOPE" sweep stride s=1..3 -o "$WORK/k.$format"
done

# ---- full disks ----------------------------------------------------------------------------------

# limited COMMAND...: files may have 8 KiB (what ulimit counts in is not the same everywhere).
limited() {
    sh -c 'ulimit -f 16 && exec "$@"' - "$@"
}
fresh
refuses "a disk that is full after 8 KiB" 1 'cannot write.*File too large' \
    limited "$BANKSCOPE" run cf-merge -o "$place/t.jsonl"
ok "it leaves the trace of before, and what had room" holds t.jsonl t.part.jsonl
ok "what had room can be read" is_part "$place/t.part.jsonl"
if "$BANKSCOPE" help export >/dev/null 2>&1; then
    "$BANKSCOPE" run cf-merge -o "$WORK/cf.jsonl" >/dev/null
    for format in svg pdf png tex txt; do
        fresh
        "$BANKSCOPE" export "$WORK/good.jsonl" -o "$place/t.$format" >/dev/null
        cp "$place/t.$format" "$WORK/before"
        refuses "a full disk for $format" 1 'cannot write.*File too large' limited \
            "$BANKSCOPE" export "$WORK/cf.jsonl" --round 0-9 -o "$place/t.$format"
        ok "the $format of before stays" cmp "$WORK/before" "$place/t.$format"
        ok "and nothing else" holds t.jsonl "t.$format"
    done
fi
if [ -w /dev/full ]; then
    refuses "a full device" 1 'No space left' "$BANKSCOPE" run stride -o /dev/full
    refuses "a table onto a full device" 1 'cannot write to standard output' \
        sh -c '"$1" stats "$2" >/dev/full' - "$BANKSCOPE" "$WORK/good.jsonl"
    refuses "JSON onto a full device" 1 'cannot write' \
        sh -c '"$1" stats --json "$2" >/dev/full' - "$BANKSCOPE" "$WORK/good.jsonl"
    refuses "a trace onto a full device" 1 'cannot write' \
        sh -c '"$1" run stride -o - >/dev/full 2>"$2" || { tail -n 1 "$2" >&2; exit 1; }' - \
        "$BANKSCOPE" "$WORK/table"
fi

# ---- temporary files -----------------------------------------------------------------------------

# A compiler that takes its time, and leaves files where compilers do.
cat >"$WORK/slow-cc" <<'SLOW'
#!/bin/sh
: >"$TMPDIR/cc.s"
while [ "$1" != -o ]; do shift; done
echo half >"$2"
sleep 30
SLOW
chmod +x "$WORK/slow-cc"
for signal in TERM HUP USR2; do
    CC=$WORK/slow-cc "$BANKSCOPE" run kernels/stride.cu >"$WORK/stdout" 2>&1 &
    slow=$!
    eventually finds "$TMPDIR" -name "*.o" -size +0
    started=$(find "$TMPDIR" -type f | wc -l)
    kill -s $signal $slow
    wait $slow
    ok "$signal while compiling: there were files" test "$started" -eq 2
    ok "$signal while compiling: none is left" test -z "$(ls -A "$TMPDIR")"
done
ok "no compiler goes on" sh -c '! pgrep -f "$1"' - "$WORK/[s]low-cc"
# no_folder COMMAND...: where there is no place for its files, or no room, it says what to do.
no_folder() {
    refuses "no folder for temporary files: $*" 1 \
        "cannot make temporary files in $WORK/none: No such file or directory; set TMPDIR" \
        env TMPDIR="$WORK/none" "$BANKSCOPE" "$@"
    refuses "no room for temporary files: $*" 1 "temporary files in $TMPDIR: File too large; set" \
        limited "$BANKSCOPE" "$@"
    ok "none is left: $*" test -z "$(ls -A "$TMPDIR")"
}
no_folder run kernels/stride.cu

# between COMMAND...: between the first program's end and the second's compiling ends, an interrupt comes.
cat >"$WORK/slow-clang" <<'SLOW'
#!/bin/sh
case "$*" in
*/second*) : >"$TMPDIR/second" && exec sleep 300 ;;
esac
exec clang "$@"
SLOW
chmod +x "$WORK/slow-clang"
ends_at_once() { # COMMAND...
    rm -f "$TMPDIR"/*/second
    env --default-signal=INT CLANG="$WORK/slow-clang" BANKSCOPE_CACHE=no "$BANKSCOPE" "$@" >"$WORK/stdout" 2>&1 &
    second=$!
    eventually finds "$TMPDIR" -name second
    kill -s INT $second
    eventually gone $second || kill -s KILL $second
    wait $second
    test $? -eq 130 && test -z "$(ls -A "$TMPDIR")"
}
case $("$BANKSCOPE" --version) in
*"without libdw"*) ;;
*)
    no_folder run tests/programs/transpose.cu
    mkdir "$WORK/second" && cp tests/programs/transpose.cu "$WORK/second"
    for command in stats export; do
        "$BANKSCOPE" help export >/dev/null 2>&1 || continue # nor can stats draw without cairo
        ok "an interrupt after a program has run: $command" ends_at_once $command \
            tests/programs/transpose.cu "$WORK/second/transpose.cu" -o "$WORK/both.svg"
    done
    ;;
esac

# ---- parts -------------------------------------------------------------------------------------

if "$BANKSCOPE" help export >/dev/null 2>&1; then
    "$BANKSCOPE" run thrust-merge -p u=64 -p blocks=6 -o "$WORK/six.jsonl" >/dev/null
    count=$(grep -c '"block":4,' "$WORK/six.jsonl")
    {
        sed -n 1p "$WORK/six.jsonl"
        grep '"block":4,' "$WORK/six.jsonl"
        echo "{\"end\":true,\"warp_accesses\":$count,\"dropped\":0}"
    } >"$WORK/one.jsonl"
    "$BANKSCOPE" export "$WORK/six.jsonl" --block 4 --stage merge -o "$WORK/six.txt" >/dev/null
    "$BANKSCOPE" export "$WORK/one.jsonl" --block 4 --stage merge -o "$WORK/one.txt" >/dev/null
    sed -i '/^# /d' "$WORK/six.txt" "$WORK/one.txt" # but for the command
    ok "a picture of one block is that of the block alone" cmp "$WORK/six.txt" "$WORK/one.txt"
    grep -v '"block":0,.*"warp":0' "$WORK/six.jsonl" | sed '$d' >"$WORK/later.jsonl"
    run_it "$BANKSCOPE" export "$WORK/later.jsonl" --stage store -o "$WORK/later.txt"
    ok "a cut trace is drawn, and said to be cut" grep -q 'is cut: ' "$WORK/stderr"
    refuses "a block that is not there" 2 'block 6 is out of range: thrust-merge has blocks 0 to 5' \
        "$BANKSCOPE" export "$WORK/six.jsonl" --block 6 --stage merge -o "$WORK/six.txt"
    refuses "a stage that is not there" 2 'no stage .*did you mean' \
        "$BANKSCOPE" export "$WORK/six.jsonl" --block 4 --stage mergee -o "$WORK/six.txt"
fi

# ---- compressed ----------------------------------------------------------------------------------

"$BANKSCOPE" run thrust-merge -p u=64 -p blocks=3 --input worst -o "$WORK/plain.jsonl" >/dev/null
"$BANKSCOPE" stats "$WORK/plain.jsonl" --by round >"$WORK/plain.txt"
same_stats() {
    "$BANKSCOPE" stats "$1" --by round | diff "$WORK/plain.txt" -
}
for kind in gz zst; do
    packed=$WORK/packed.jsonl.$kind
    run_it "$BANKSCOPE" run thrust-merge -p u=64 -p blocks=3 --input worst -o "$packed"
    if grep -q 'built without' "$WORK/stderr"; then
        ok "$kind: a build without its library says so" test "$status" -eq 1
        skip "traces compressed as $kind" "this build has no library for it"
        continue
    fi
    ok "$kind: a recording is the same" same_stats "$packed"
    ok "$kind: and smaller" test $(($(wc -c <"$packed") * 4)) -lt "$(wc -c <"$WORK/plain.jsonl")"
    ok "$kind: from standard input" sh -c '"$1" stats - --by round <"$2" | diff "$3" -' - \
        "$BANKSCOPE" "$packed" "$WORK/plain.txt"
    case $kind in gz) tool=gzip ;; *) tool=zstd ;; esac
    if have "$tool"; then
        ok "$kind: $tool takes it" sh -c '"$1" -dc "$2" | cmp - "$3"' - "$tool" "$packed" \
            "$WORK/plain.jsonl"
        $tool -c "$WORK/plain.jsonl" >"$WORK/theirs"
        ok "$kind: what $tool made is read, whatever its name" same_stats "$WORK/theirs"
        cat "$WORK/theirs" "$WORK/theirs" >"$WORK/twice"
        refuses "$kind: two in one file are two traces" 1 'more behind the end' \
            "$BANKSCOPE" stats "$WORK/twice"
    fi
    size=$(wc -c <"$packed")
    head -c $((size * 3 / 4)) "$packed" >"$WORK/cut"
    refuses "$kind: a cut one keeps its whole lines, or none" 1 'is cut: it has no end|is empty' \
        "$BANKSCOPE" stats "$WORK/cut"
    {
        head -c $((size / 2)) "$packed"
        printf 'damage damage damage'
        tail -c +$((size / 2 + 21)) "$packed"
    } >"$WORK/damaged"
    refuses "$kind: a damaged one" 1 'damaged|line [0-9]+: ' "$BANKSCOPE" stats "$WORK/damaged"
done
finish
