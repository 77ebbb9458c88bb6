#!/bin/sh
# What was compiled before is not compiled again: the results are the same, byte for byte; whatever they
# depend on makes them anew; and nothing that is in the way of it is told.
. tests/support/tap.sh

if ! have clang cc; then
    skip "what was compiled before" "there is no clang or no cc"
    finish
    exit
fi
cache=$WORK/cache calls=$WORK/calls
export BANKSCOPE_CACHE="$cache"
unset BANKSCOPE_CACHE_MB
# Compilers that count their calls, but for those that ask which one it is.
for tool in clang cc; do
    printf '%s\n' '#!/bin/sh' "case \"\$1\" in --version|-dumpversion) ;; *) echo $tool >>'$calls' ;; esac" \
        "exec $tool \"\$@\"" >"$WORK/$tool"
    chmod +x "$WORK/$tool"
done
export CLANG="$WORK/clang" CC="$WORK/cc"

# compiles COMMAND...: whether it calls a compiler; status, stdout and stderr as from run_it.
compiles() {
    : >"$calls"
    run_it "$@"
    [ -s "$calls" ]
}
reuses() {
    ! compiles "$@" || { cat "$WORK/stderr" && false; }
}
entries() {
    [ "$(ls -A "$cache" 2>/dev/null | wc -l)" -eq "$1" ] || { ls -la "$cache" && false; }
}
programs() { # COUNT: that many are kept
    grep -l '^12 CUDA program$' "$cache"/* | wc -l | grep -qx "$1" || { ls -la "$cache" && false; }
}
# What changes at the moment in which a compiler begins is not kept: lets that moment pass.
settled() {
    sleep 0.1
}
# same NAME FILE COMMAND...: without a cache, at first and again the command has the same status and outputs,
# and FILE, which it writes, is the same.
same() {
    same_name=$1 made=$2
    shift 2
    for way in no first again; do
        place=$cache
        [ "$way" != no ] || place=no
        : >"$calls"
        BANKSCOPE_CACHE=$place run_it "$@"
        mkdir -p "$WORK/$way"
        echo "$status" >"$WORK/$way/status"
        mv "$WORK/stdout" "$WORK/stderr" "$WORK/$way"
        if [ -n "$made" ]; then mv "$made" "$WORK/$way/made"; fi
        cp "$calls" "$WORK/$way/calls"
    done
    ok "$same_name: a cache changes nothing" all_same no first
    ok "$same_name: nor does what it keeps" all_same first again
    ok "$same_name: which is not compiled again" test -s "$WORK/first/calls" -a ! -s "$WORK/again/calls"
    rm -r "$WORK/no" "$WORK/first" "$WORK/again"
}
all_same() {
    for part in status stdout stderr ${made:+made}; do
        diff "$WORK/$1/$part" "$WORK/$2/$part" || return 1
    done
}

if "$BANKSCOPE" --version | grep -q "without libdw"; then
    plain=false
else
    plain=true
fi
if $plain; then
    same "a program" "$WORK/t.jsonl" "$BANKSCOPE" run tests/programs/transpose.cu --by array \
        -o "$WORK/t.jsonl"
    cat >"$WORK/race.cu" <<'END'
#include <cstdio>
#include "own.h"
__global__ void race(int *out)
{
    __shared__ int tile[64];
    tile[threadIdx.x] = threadIdx.x + ADDED;
    out[threadIdx.x] = tile[(threadIdx.x + 32) % 64];
}
int main()
{
    int *out, host;
    cudaMalloc(&out, 64 * sizeof(int));
    race<<<1, 64>>>(out);
    cudaMemcpy(&host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%s:%d %d\n", __FILE__, __LINE__, WORD);
}
END
    printf '#define ADDED 0\n#ifndef WORD\n#define WORD 7\n#endif\n' >"$WORK/own.h"
    same "a program with a race" "" "$BANKSCOPE" run "$WORK/race.cu"
    ok "other options are another program" compiles "$BANKSCOPE" run "$WORK/race.cu" -DWORD=8
    ok "... which comes again, too" reuses "$BANKSCOPE" run "$WORK/race.cu" -DWORD=8
    ok "... and is that one" grep -qx "$WORK/race.cu:15 8" "$WORK/stdout"
    cp "$WORK/race.cu" "$WORK/other.cu"
    ok "another path is another program" compiles "$BANKSCOPE" run "$WORK/other.cu"
    elsewhere() {
        (cd "$WORK" && compiles "$BANKSCOPE" run "$WORK/race.cu")
    }
    ok "so is another folder to run it in" elsewhere
    sed -i 's/WORD 7/WORD 9/' "$WORK/own.h"
    ok "a header that changes makes it anew" compiles "$BANKSCOPE" run "$WORK/race.cu"
    ok "... with what it says now" grep -qx "$WORK/race.cu:15 9" "$WORK/stdout"
    # Not in the text that the compiler gets, but found by it.
    mkdir "$WORK/system"
    echo '#define WORD 10' >"$WORK/system/word.h"
    sed -i 's/#ifndef WORD/#include <word.h>\n&/' "$WORK/own.h"
    settled
    found() { # WORD COMMAND...
        word=$1
        shift
        "$@" env CPLUS_INCLUDE_PATH="$WORK/system" "$BANKSCOPE" run "$WORK/race.cu" &&
            grep -x "$WORK/race.cu:15 $word" "$WORK/stdout"
    }
    ok "a header that an environment variable finds" found 10 compiles
    ok "... is found again" found 10 reuses
    sed -i 's/10/11/' "$WORK/system/word.h"
    ok "... and seen to have changed" found 11 compiles
    touch "$WORK/system/word.h"
    ok "... or to have been touched" found 11 compiles
    rm "$WORK/system/word.h"
    ok "... or to have gone" compiles env CPLUS_INCLUDE_PATH="$WORK/system" "$BANKSCOPE" run "$WORK/race.cu"
    ok "... which fails" test "$status" -eq 1
    printf 'int main() { __global__ }\n' >"$WORK/wrong.cu"
    run_it "$BANKSCOPE" run "$WORK/wrong.cu"
    ok "what does not compile is tried each time" compiles "$BANKSCOPE" run "$WORK/wrong.cu"
    ok "... and fails each time" test "$status" -eq 1
    for word in __TIME__ '"x"; __has_include("y.h")'; do
        printf 'int main() { const char *now = %s; }\n' "$word" >"$WORK/now.cu"
        rm -rf "$cache"
        run_it "$BANKSCOPE" run "$WORK/now.cu"
        ok "no program is kept that has $word" programs 0
    done
    rm -rf "$cache"
    "$BANKSCOPE" run tests/programs/saxpy.cu -lz >/dev/null
    ok "none with libraries, which no compiler lists" programs 0

    # What all programs include is read once for each pass, as long as it is the same.
    mkdir -p "$WORK/data/program/compile" "$WORK/data/instrument"
    cp -R program/compile/include "$WORK/data/program/compile"
    cp instrument/simt.h "$WORK/data/instrument"
    settled
    export BANKSCOPE_DATA="$WORK/data"
    counted() { # SOURCE: of how many calls of clang it was compiled
        compiles "$BANKSCOPE" run "$WORK/$1" >/dev/null
        wc -l <"$calls"
    }
    for number in 1 2 3; do
        printf '#include <cstdio>\n#ifndef IN_HEADER\n#define IN_HEADER %d\n#endif\n%s\n' $number \
            'int main() { printf("header %d\n", IN_HEADER); }' >"$WORK/header$number.cu"
    done
    rm -rf "$cache"
    first=$(counted header1.cu) second=$(counted header2.cu)
    ok "cuda_runtime.h is read with the first program, and serves the next one" test "$first" -eq $((second + 2))
    ok "... which is compiled as it is" grep -qx 'header 2' "$WORK/stdout"
    echo '#define IN_HEADER 10' >>"$WORK/data/program/compile/include/host_defines.h"
    settled
    ok "a header of its that changes is read anew" test "$(counted header3.cu)" -eq "$first"
    ok "... and counts" grep -qx 'header 10' "$WORK/stdout"
    unset BANKSCOPE_DATA
fi

# Kernels in the dialect.
cp kernels/stride.cu "$WORK/k.cu"
same "a kernel" "$WORK/k.jsonl" "$BANKSCOPE" run "$WORK/k.cu" s=5 -o "$WORK/k.jsonl"
sed 's/LOAD(tile, \(.*\))/LOAD(tile, \1 + 100000)/' kernels/stride.cu >"$WORK/beyond.cu"
same "a kernel out of bounds, with its line" "" "$BANKSCOPE" run "$WORK/beyond.cu"
sed 's/^KERNEL(.*/static int unused_and_not_static(int x) { int y; return x ? y : 1; }\n&/
    s/LOAD(tile, /LOAD(tile, 0 * unused_and_not_static(0) + /' kernels/stride.cu >"$WORK/warns.cu"
sed -i '1i\
#warning "that is seen each time"' "$WORK/warns.cu"
run_it "$BANKSCOPE" run "$WORK/warns.cu"
ok "a warning is shown" grep -q 'seen each time' "$WORK/stderr"
ok "what the compiler warns of" compiles "$BANKSCOPE" run "$WORK/warns.cu"
ok "... it warns of each time" grep -q 'seen each time' "$WORK/stderr"
sed -i '1i\
#include "own-kernel.h"' "$WORK/k.cu"
: >"$WORK/own-kernel.h"
settled
ok "a kernel that changes is compiled" compiles "$BANKSCOPE" run "$WORK/k.cu"
ok "... once" reuses "$BANKSCOPE" run "$WORK/k.cu"
echo '#error "of the header"' >"$WORK/own-kernel.h"
ok "a header of its that changes" compiles "$BANKSCOPE" run "$WORK/k.cu"
ok "... is seen" grep -q 'of the header' "$WORK/stderr"
printf '#if __has_include("%s/not-yet.h")\n#endif\n' "$WORK" >"$WORK/own-kernel.h"
settled
ok "a header of its that searches for others" compiles "$BANKSCOPE" run "$WORK/k.cu"
ok "... searches each time" compiles "$BANKSCOPE" run "$WORK/k.cu"
: >"$WORK/own-kernel.h"
settled
ok "one that does not is compiled" compiles "$BANKSCOPE" run "$WORK/k.cu"
touch "$WORK/k.cu"
ok "... once, though the same kernel was written anew" reuses "$BANKSCOPE" run "$WORK/k.cu"

# What is in the way.
kept() { # FILE: the only entry
    rm -rf "$cache"
    "$BANKSCOPE" run kernels/stride.cu -o "$WORK/good.jsonl" >"$WORK/good" 2>&1 && entries 1 &&
        entry=$cache/$(ls "$cache")
}
right() {
    cat "$WORK/stderr"
    diff "$WORK/good" "$WORK/stdout" && [ "$status" -eq 0 ]
}
run_stride() {
    "$1" "$BANKSCOPE" run kernels/stride.cu -o "$WORK/good.jsonl"
}
ok "one entry" kept
ok "... which serves" run_stride reuses
ok "only the user can read it" test "$(stat -c %a "$entry" "$cache" | tr '\n' ' ')" = "600 700 "
middle=$(($(stat -c %s "$entry") - 5000))
printf 'damaged' | dd of="$entry" bs=1 seek="$middle" conv=notrunc 2>/dev/null
ok "a damaged entry does not serve" run_stride compiles
ok "... and harms nothing" right
ok "... and is made anew" run_stride reuses
head -c "$middle" "$entry" >"$WORK/cut"
for what in "$WORK/cut" /dev/null; do
    cat "$what" >"$entry"
    ok "no more does ${what##*/} in its place" run_stride compiles
    ok "... which harms nothing" right
    ok "... and is replaced" run_stride reuses
done
chmod 606 "$entry"
ok "what others can write is not run" run_stride compiles
ok "... and is replaced" run_stride reuses
chmod 702 "$cache"
ok "nor what is in a folder of others" run_stride compiles
chmod 700 "$cache"
# What is none of its own, wherever it lies, stays as it is.
stays() { # WHAT: it is in an entry's place
    run_stride compiles && right && run_stride compiles && entries 1 && "is_$1"
}
is_text() {
    cmp kernels/stride.cu "$entry"
}
is_link() {
    [ -L "$entry" ] && cmp "$WORK/before" "$WORK/moved"
}
is_pipe() {
    [ -p "$entry" ]
}
is_folder() {
    [ -d "$entry" ] && cmp kernels/stride.cu "$entry/file"
}
cat kernels/stride.cu >"$entry"
ok "a file that is no entry stays, and stops nothing" stays text
rm "$entry"
ok "the place is free" run_stride compiles
ok "... and used" run_stride reuses
mv "$entry" "$WORK/moved"
ln -s "$WORK/moved" "$entry"
cp "$WORK/moved" "$WORK/before"
ok "so does a link" stays link
rm "$entry" && mkfifo "$entry"
ok "so does a pipe" stays pipe
rm "$entry" && mkdir "$entry" && cp kernels/stride.cu "$entry/file"
ok "so does a folder" stays folder
rm -r "$cache"
mkdir "$WORK/elsewhere" && chmod 700 "$WORK/elsewhere"
ln -s "$WORK/elsewhere" "$cache"
behind_link() {
    run_stride compiles && right && BANKSCOPE_CACHE="$cache/" run_stride compiles && [ -L "$cache" ] &&
        [ -z "$(ls -A "$WORK/elsewhere")" ]
}
ok "a link is no folder for it" behind_link
rm "$cache"
for place in "" no "$WORK/good/folder" /dev/null /proc/bankscope; do
    rm -rf "$cache"
    without() {
        compiles env BANKSCOPE_CACHE="$place" XDG_CACHE_HOME="$WORK/xdg" "$BANKSCOPE" run \
            kernels/stride.cu -o "$WORK/good.jsonl" && right && [ ! -e "$WORK/xdg/bankscope" ]
    }
    ok "there may be none: '$place'" without
done
for name in XDG_CACHE_HOME HOME; do
    by_variable() {
        folder=$WORK/$name/bankscope
        [ $name != HOME ] || folder=$WORK/$name/.cache/bankscope
        env -u BANKSCOPE_CACHE -u XDG_CACHE_HOME "$name=$WORK/$name" "$BANKSCOPE" run kernels/stride.cu &&
            [ "$(ls "$folder" | wc -l)" -eq 1 ]
    }
    ok "it is in $name" by_variable
done
ok "without a home there is none" env -u BANKSCOPE_CACHE -u XDG_CACHE_HOME -u HOME "$BANKSCOPE" run kernels/stride.cu
# What was not used for longest goes when there is too much.
ok "an entry again" kept
mkdir "$cache/folder"
for old in 1 2; do
    echo 'bankscope cache 0' >"$cache/000000000000000$old"
    echo 'bankscope traces' >"$cache/00000000000000a$old" # the user's own, as the next ones
    for name in 000000000000000$old.txt ".$old" folder/000000000000000$old; do
        echo 'bankscope cache 0' >"$cache/$name"
    done
    for name in 000000000000000$old 00000000000000a$old 000000000000000$old.txt ".$old" folder/000000000000000$old; do
        truncate -s 200M "$cache/$name"
        touch -d "2020-01-0$old" "$cache/$name"
    done
done
find "$cache" -type f ! -path "$entry" ! -path "$cache/0000000000000001" | sort >"$WORK/stays"
touch -d 2021-01-01 "$entry"
ok "an entry that is used" run_stride reuses
sed 's/^STAGES/ &/' kernels/stride.cu >"$WORK/more.cu"
settled
"$BANKSCOPE" run "$WORK/more.cu" >/dev/null
bounded() {
    ls -l "$cache"
    find "$cache" -type f | sort >"$WORK/there"
    [ ! -e "$cache/0000000000000001" ] && [ -e "$entry" ] && ! comm -23 "$WORK/stays" "$WORK/there" | grep . &&
        [ "$(comm -13 "$WORK/stays" "$WORK/there" | wc -l)" -eq 2 ]
}
ok "the oldest entry goes, and nothing else" bounded
left_of() { # MB: which of two entries of 200 MB are left beside a new one
    for old in 1 2; do
        echo 'bankscope cache 0' >"$cache/000000000000000$old"
        truncate -s 200M "$cache/000000000000000$old"
        touch -d "2020-01-0$old" "$cache/000000000000000$old"
    done
    sed -i "1i // $1" "$WORK/more.cu"
    settled
    BANKSCOPE_CACHE_MB=$1 "$BANKSCOPE" run "$WORK/more.cu" >/dev/null
    (cd "$cache" && ls -d 000000000000000[12] 2>/dev/null) | tr -d '0\n'
}
ok "a user may have more of it" test "$(left_of 1000)" = 12
ok "... or less" test "$(left_of 100)" = ""
ok "what is no number is no choice" test "$(left_of 1000M)" = 2

# Several at once.
rm -rf "$cache"
for i in 1 2 3 4; do
    "$BANKSCOPE" run kernels/stride.cu -o - >"$WORK/at-once.$i" 2>/dev/null &
    pids="${pids:-} $!"
done
# shellcheck disable=SC2086 # numbers
wait $pids
at_once() {
    for i in 2 3 4; do
        cmp "$WORK/at-once.1" "$WORK/at-once.$i" || return 1
    done
    [ -s "$WORK/at-once.1" ] && entries 1
}
ok "several at once record the same, and keep one" at_once

finish
