#!/bin/sh
# gpu_app: `run -- ./app`, with a program in the place of one that records itself on a GPU (gpu_app.c).
. tests/support/tap.sh

case $("$BANKSCOPE" --version) in
*"without libdw"*)
    skip "programs on a GPU" "built without libdw"
    finish
    exit
    ;;
esac
here=$(dirname "$BANKSCOPE")
app=$here/tests/gpu_app
export BANKSCOPE_DATA="$TREE"
# A program of its own, so that the library may be there or not: it is looked for beside it.
cp "$BANKSCOPE" "$WORK/bankscope"
bankscope=$WORK/bankscope
refuses "without the library it says what the build lacks" 1 \
    "cannot record programs on a GPU: build it where" "$bankscope" run -- "$app" none 1
mkdir "$WORK/path"
cp "$app" "$WORK/path/an-app"
refuses "a program is found on the PATH, with options for programs" 1 "cannot record programs on a GPU" \
    env PATH="$WORK/path:$PATH" "$bankscope" run --memory all -- an-app none 1
: >"$WORK/libbankscope_inject.so"

seq -f 'line %g' 30 >"$WORK/k.cu"
"$here/tests/test_cubin" --write "$WORK/k.cubin" "$WORK/k.cu" || exit
run_it "$bankscope" run -- "$app" "$WORK/k.cubin" 2
columns() { # the table without its source column and shares
    sed -E -n "s#^$WORK/##; / +(load|store|atomic|merged-atomic|compare-and-swap|spin) /p" "$WORK/stdout" |
        awk '{ print $1, $2, $3, $4, $5, $6 }'
}
columns >"$WORK/got"
cat >"$WORK/wanted" <<'END'
? load 2 2 0 1
k.cu:5 store 2 64 62 32
k.cu:7 load 2 8 0 1
k.cu:9 atomic 2 64 62 32
k.cu:23 merged-atomic 2 2 0 1
k.cu:25 compare-and-swap 2 128 62 32
k.cu:27 spin 2 4 0 1
END
ok "conflicts by the lines of the machine code" diff "$WORK/wanted" "$WORK/got"
ok "with their text" grep -q ' line 7$' "$WORK/stdout"
ok "and whose code it is" grep -q '^k(int[*]): 2 launches from 0, each .*, recorded on a GPU$' "$WORK/stdout"
ok "the program's output stays" grep -qx "the program's own output" "$WORK/stdout"
ok "and so does its status" test "$status" -eq 7
ok "its machine code is not left behind" test -z "$(find "${TMPDIR:-/tmp}" -maxdepth 2 -name 0.cubin -newer "$WORK/k.cubin" 2>/dev/null)"

# A string search, as a GPU recorded it: bytes, pointers to either memory, blocks that return early. (Of
# horspool only the loads: a store behind one thread's loop is told as two here.)
if have clang; then
    "$BANKSCOPE" run --no-nvcc --csv="$WORK/search.csv" tests/gpu/string_search.cu >"$WORK/search" 2>&1
    sums() { # of KERNEL OP: instructions accesses passes conflicts
        sed -n 's/^"*\([a-z_]*\)[^"]*"*,[0-9]*,[^,]*,[0-9]*,\([a-z]*\),\([0-9,]*\),[^,]*$/\1,\2,\3/p' "$WORK/search.csv" |
            awk -F , '{ for (i = 3; i <= 6; i++) sum[$1 " " $2, i] += $i; name[$1 " " $2] = 1 }
                END { for (n in name) print n, sum[n, 3], sum[n, 4], sum[n, 5], sum[n, 6] }' |
            grep -v '^horspool store' | sort
    }
    awk -F '\t' '!/^#/ && $1 != "kernel" { print $1, $2, $4, $5, $6, $7 }' tests/data/h200-string-search.tsv |
        grep -v '^horspool store' | sort >"$WORK/on-gpu"
    sums >"$WORK/here"
    ok "a string search is recorded here as on a GPU" diff "$WORK/on-gpu" "$WORK/here"
else
    skip "a string search" "no g++ here"
fi

run_it "$bankscope" run -o "$WORK/k.jsonl" -- "$app" none 1
columns >"$WORK/got"
cat >"$WORK/wanted" <<'END'
? load 1 1 0 1
+0 store 1 32 31 32
+0x100 atomic 1 32 31 32
+0x20 load 1 4 0 1
+0x40 atomic 1 32 31 32
+0xe0 atomic 1 32 31 32
+0xf0 atomic 1 32 31 32
END
ok "without a line table, where in the kernel" diff "$WORK/wanted" "$WORK/got"
ok "the trace is a GPU's" grep -q '"backend":"cuda"' "$WORK/k.jsonl"
ok "and can be read" "$bankscope" stats "$WORK/k.jsonl"

run_it "$bankscope" run -- "$app" none 3 cut
ok "what a program recorded before it was killed is kept" \
    grep -q '^k(int[*]): 3 launches' "$WORK/stdout"
ok "and its signal is said" grep -q 'ended by signal 6' "$WORK/stderr"
ok "status as of a shell" test "$status" -eq 134

run_it "$bankscope" run -- "$app" none 3 graph
ok "launches in a graph are not recorded" \
    grep -q '^k(int[*]): 3 launches from 0, .* 1 of 3 blocks recorded' "$WORK/stdout"
ok "which is said" grep -qx \
    'bankscope run: 2 launches in CUDA graphs ran without being recorded: too many at a time' "$WORK/stderr"

run_it "$bankscope" run -- "$app" none 2 fail
ok "a kernel that the GPU ended is told of" grep -q \
    'launch 1: the GPU ended the kernel with an error .* nothing of it, and of what is launched after it, is recorded' \
    "$WORK/stderr"
ok "and fails" test "$status" -eq 1

run_it "$bankscope" run -- "$app" none 0
ok "nothing recorded is said" grep -q 'nothing was recorded: ' "$WORK/stderr"
refuses "--kernel that chooses none of the launches" 1 \
    "^bankscope run: --kernel chooses none of 3 launches\$" \
    "$bankscope" run --kernel no-such -- "$app" none 3 0
run_it "$bankscope" run --launch 1 -- "$app" none 3 0
ok "--launch that chooses one of them" grep -q '^k(int[*]): launch 1, ' "$WORK/stdout"
ok "says nothing of the others" test -z "$(cat "$WORK/stderr")"
refuses "a program that is none of CUDA" 1 "nothing was recorded" "$bankscope" run -- /bin/true
refuses "a program that is not there" 1 "cannot run './no-such': No such file" \
    "$bankscope" run -- ./no-such
refuses "a folder" 1 "cannot run '/tmp/': Is a directory" "$bankscope" run -- /tmp/
finish
