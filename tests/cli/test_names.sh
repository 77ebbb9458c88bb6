#!/bin/sh
# Names from a trace, a program or a file, and what else comes from outside: no terminal, spreadsheet
# or compiler takes them for its own. Pipes that are closed, full disks, and files that are none.
. tests/support/tap.sh
cd "$WORK" || exit 1

# Bytes that a terminal would obey: controls but line feed, and what turns writing round.
obeyed=$(printf '[\001-\010\013-\037\177]|\302[\200-\237]|\342\200[\213\216\217\250-\256]|\342\201[\240-\257]')
harmless() {
    ! LC_ALL=C grep -aEn "$obeyed" "$@" | LC_ALL=C tr '\001-\010\013-\037\177' '!' | head -n 3 | grep .
}
esc=$(printf '\033') turn=$(printf '\342\200\256')

# ---- a trace: the gate lets no such name through ----
"$BANKSCOPE" run stride -p w=4 -p u=4 -o good.jsonl >/dev/null
for name in '\u001b[31m' '\u202e' '\u2066' '\u0085' '\u200b'; do
    sed "s/\"read\"/\"read\\$name\"/" good.jsonl >bad.jsonl
    refuses "a stage named $name" 1 '"stages"' "$BANKSCOPE" stats bad.jsonl
done

# ---- letters that spreadsheets and TeX take for their own ----
# Each of them as kernel, stage, array, site, device and input.
number=0
while IFS= read -r name; do
    number=$((number + 1))
    jq -c --arg name "$name" 'if .format then .kernel = $name | .device = $name | .input = $name |
        .stages[-1] = $name | .arrays = [{name: $name, addr: 0, type: $name, bytes: 4, dims: [8]}] |
        .sites = [{file: $name, line: 3, function: $name, text: $name}]
        elif .stage == "read" then .stage = $name | .site = 0 else . end' good.jsonl >"$number.jsonl" ||
        continue
    for by in stage round warp line array access; do
        "$BANKSCOPE" stats "$number.jsonl" --by $by --csv >"$by.csv" || break
    done
    "$BANKSCOPE" advise "$number.jsonl" --csv >advise.csv
    ok "in no cell, $name is a formula" sh -c '
        ! grep -nE "(^|,)\"?[=+@-][^0-9]" ./*.csv | head -n 3 | grep .'
    if "$BANKSCOPE" help export >/dev/null 2>&1; then
        ok "a chart has $name under its bars" "$BANKSCOPE" stats "$number.jsonl" -o chart.svg
        ok "as it is" sh -c 'sed "s/<[^>]*>//g; s/&lt;/</g; s/&gt;/>/g; s/&quot;/\"/g; s/&#39;/'"'"'/g; s/&amp;/\&/g" \
            chart.svg | grep -qF -- "$1"' - "$name"
        ok "a picture has $name" "$BANKSCOPE" export "$number.jsonl" -o picture.svg
    fi
done <<'END'
=HYPERLINK("http://x")
+1
-x
@SUM(1)
50 %d %s %
a`b'c"d
k\
a_b^c{d}~e&f@g
END

# ---- a file, and what is in it ----
folder="$WORK/a \"b\" %d
c${esc}[31m$turn"
mkdir "$folder"
cp "$TREE/kernels/stride.cu" "$folder/k.cu"
run_it "$BANKSCOPE" run "$folder/k.cu" -p w=4 -p u=4 -o "$folder/t.jsonl"
ok "a kernel whose folder's name has all of it runs" test "$status" -eq 0
ok "and its name is harmless" harmless stdout stderr
run_it "$BANKSCOPE" stats "$folder/t.jsonl"
ok "so is that of a trace" harmless stdout stderr
run_it "$BANKSCOPE" stats "$folder/none.jsonl"
ok "and of one that is not there" harmless stdout stderr
printf 'int x = "%s[31m%s";\n' "$esc" "$turn" >"$folder/wrong.cu"
sed 's/ENTRY/ENTRE/' kernels/stride.cu >>"$folder/wrong.cu" 2>/dev/null
run_it env BANKSCOPE_CACHE="$WORK/none/such" "$BANKSCOPE" run "$folder/wrong.cu"
ok "a compiler's words about it are" harmless stderr
run_it "$BANKSCOPE" check "$folder/wrong.cu"
ok "and a grader's" harmless stdout stderr
if "$BANKSCOPE" help export >/dev/null 2>&1; then
    run_it "$BANKSCOPE" export "$folder/t.jsonl" -o "$folder/p.svg"
    ok "and the name of a picture" harmless stdout stderr
    in_a_page() {
        cp "$folder/t.jsonl" "$WORK/t$esc$turn.jsonl" &&
            "$BANKSCOPE" export "$WORK/t$esc$turn.jsonl" -o page.html >/dev/null && harmless page.html
    }
    [ ! -s "$TREE/build/bankscope.html" ] || ok "and in a page" in_a_page
fi
if "$BANKSCOPE" help lesson >/dev/null 2>&1; then
    mkdir "$WORK/l"
    printf '# A&#27;[31m%s\n\n## Page\n\nText &#x202e; %s[0m `%s`.\n' "$turn" "$esc" "$esc" >"$WORK/l/lesson.md"
    run_it "$BANKSCOPE" lesson "$WORK/l" --text
    ok "and a lesson" harmless stdout stderr
fi
case $("$BANKSCOPE" --version) in
*"without libdw"*) skip "programs" "built without libdw" ;;
*)
    cat >"$folder/p.cu" <<END
#include <cstdio>
template <char c> __global__ void k(int *out) {
    __shared__ int s[64];
    s[threadIdx.x * 2] = 1; /* ${esc}[31m $turn	tab ääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääää */
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x * 2];
}
int main() { int *d; cudaMalloc(&d, 128); k<'\\33'><<<1, 32>>>(d); cudaDeviceSynchronize(); cudaFree(d); }
END
    run_it "$BANKSCOPE" run --no-nvcc "$folder/p.cu" -o "$WORK/p.jsonl"
    ok "a program whose folder's name has all of it runs" test "$status" -eq 0
    ok "and is harmless" harmless stdout stderr
    ok "no character is cut" iconv -f utf-8 -t utf-8 stdout -o "$WORK/again"
    ok "its line is told" grep -q ':4 ' stdout
    run_it "$BANKSCOPE" run --no-nvcc --json "$folder/p.cu"
    ok "as JSON, too" sh -c 'tail -n 1 stdout | jq -e ".launches[0].lines[0].line == 4"'
    ok "which is harmless" harmless stdout
    ;;
esac

# ---- pipes and disks ----
for command in "list" "stats stride --by access --csv" "stats stride" "export stride -o -" "run stride -o -" \
    "advise stride" "run stride" "help" "sweep stride s=1..9" "list --json" "lesson strides --text"; do
    "$BANKSCOPE" help "${command%% *}" >/dev/null 2>&1 || continue
    # The reader is gone before the first byte.
    # shellcheck disable=SC2086 # a command is words
    (sleep 0.1; exec "$BANKSCOPE" $command </dev/null 2>said) | :
    ok "$command: a reader that has left is no fault" test ! -s said
    if [ -c /dev/full ]; then
        # shellcheck disable=SC2086
        refuses "$command: a full disk is one" 1 'No space left|cannot write' sh -c \
            '"$@" >/dev/full </dev/null' - "$BANKSCOPE" $command
    fi
done
mkfifo fifo fifo.cu
for command in "run fifo.cu" "check fifo.cu" "advise fifo.cu" "sweep fifo.cu s=1..2" "view fifo.cu" \
    "figure cfmerge-5 --times fifo -o -" "verify --against fifo"; do
    "$BANKSCOPE" help "${command%% *}" >/dev/null 2>&1 || continue
    # shellcheck disable=SC2086
    refuses "$command: a pipe is not waited for" 1 'it is not a file' timeout 20 "$BANKSCOPE" $command
done
for command in stats advise "export -o -"; do
    "$BANKSCOPE" help "${command%% *}" >/dev/null 2>&1 || continue
    cat good.jsonl >fifo &
    # shellcheck disable=SC2086
    ok "$command reads a trace out of a pipe" timeout 20 "$BANKSCOPE" $command fifo
    wait
done
case $BANKSCOPE in
*-san/*) threads=no ;; # the leak sanitizer needs one at the end
*) threads=yes ;;
esac
if [ $threads = yes ] && have setpriv prlimit && [ "$(id -u)" -eq 0 ] &&
    "$BANKSCOPE" help export >/dev/null 2>&1; then
    # Nobody may start anything.
    mkdir -m 777 open && chmod 755 .
    refuses "letters without threads" 1 'a thread, which cannot be started' \
        setpriv --reuid=65534 prlimit --nproc=0 "$BANKSCOPE" export stride -o open/x.pdf
else
    skip "letters without threads" "needs root, setpriv and prlimit, and no sanitizers"
fi
finish
