#!/bin/sh
# The page: what its program records and draws is what this machine's program does, byte for byte; in
# a browser it steps, races, records anew and follows links, and nothing in it becomes markup.
. tests/support/tap.sh

missing=$(make -s page-needs)
if [ -n "$missing" ]; then
    skip "the page" "missing: $missing"
    finish
    exit 0
fi
html=$TREE/build/bankscope.html wasm=$TREE/build/web/page.wasm
native=$(dirname "$BANKSCOPE")/tests/page_native
ok "make page makes it" make_page page lessons_by=true # the lessons' page is tried below
small() {
    [ "$(wc -c <"$html")" -lt 250000 ]
}
ok "it has less than 250 KB" small

if ! have node; then
    skip "the page's program" "no node"
    finish
    exit 0
fi

ok "its program is there to the byte" node tests/page/data_bytes.js "$html" program "$wasm"
ok "... and the compiler, where kernels are written" node tests/page/data_bytes.js "$TREE/build/bankscope-write.html" \
    compiler "$TREE/build/web/kernel.wasm"

echo catalogue >"$WORK/catalogue"
"$BANKSCOPE" list --json | jq -r '.[].name' | sed 's/^/record /' >"$WORK/kernels"
cat >"$WORK/recipes" <<'END'
record transpose variant=naive
record transpose variant=in-place w=16
record thrust-merge w=32 u=128 E=15 --input worst
record thrust-merge w=12 u=24 E=5 order=library --seed 7
record thrust-merge w=12 u=12 E=5 --input splits=2,4,2,3,1,3,3,2,0,4,4,2
record thrust-merge w=16 u=32 E=7 --input hardest
record cf-merge w=9 u=18 E=6 blocks=3 --input duplicates
record cf-sort w=8 u=16 E=3 n=1000 --input reverse
record wide bytes=16 s=2
END
cat >"$WORK/faults" <<'END'
record nothing
record strid
record stride s=0
record stride w=12 u=13
record stride s
record thrust-merge w=12 u=12 E=5 --input splits=2,4
END
cat >"$WORK/keys" <<'END'
show thrust-merge w=12 u=24 E=5 --input worst|cf-merge w=12 u=24 E=5 --input worst
size 1280 800 1
dump
key Right
key Right
dump
key r
key Right
says
dump
move 350 300
dump
key w
key l
key t
place
dump
key ?
dump
key ?
move 100 700
key Wheel+Up
dump
down 700 690
up 700 690
key Shift+Right
key Down
key End
key s
dump
says
place
key Escape
key a
dump
show thrust-merge w=12 u=24 E=7|cf-merge w=12 u=24 E=5 --seed 3
dump
END
# same SCRIPT: what both programs print for it; the page's does all of them in one process.
(cd "$WORK" && node "$TREE/tests/page/page_wasm.js" "$wasm" catalogue kernels recipes faults keys) >"$WORK/stdout" 2>&1
same() {
    cat "$WORK/stdout"
    "$native" <"$WORK/$1" >"$WORK/$1.native" && [ -s "$WORK/$1.native" ] &&
        cmp "$WORK/$1.native" "$WORK/$1.wasm"
}
ok "it has the whole catalogue" same catalogue
ok "every kernel records the same trace" same kernels
all_recorded() {
    [ "$(grep -c ' bytes, ' "$WORK/kernels.native")" -gt 20 ] && ! grep -v ' bytes, ' "$WORK/kernels.native"
}
ok "... of which none fails" all_recorded
ok "parameters, inputs and seeds give the same traces" same recipes
ok "faults give the same messages" same faults
ok "after the same keys it draws the same lists" same keys
drawn() {
    [ "$(grep -c '^page ' "$WORK/keys.native")" -eq 10 ] && grep -q five "$WORK/keys.native"
}
ok "... which are pictures" drawn

# Recordings in a page. Whatever their names say, they are text.
hostile='"><img src=x onerror=document.title=666>.jsonl'
mkdir "$WORK/pages"
if "$BANKSCOPE" help export >/dev/null 2>&1; then
    sed 's|"kernel":"stride"|"kernel":"<img src=x onerror=document.title=666>"|
        s|"read"|"</script><script>document.title=666</script>"|g' tests/corpus/stride.jsonl \
        >"$WORK/$hostile"
    ok "a page of a recording is made" "$BANKSCOPE" export "$WORK/$hostile" tests/corpus/cf-merge.jsonl \
        -o "$WORK/pages/hostile.html" --theme dark
    no_markup() {
        ! grep -F '<img' "$WORK/pages/hostile.html"
    }
    ok "its markup is none" no_markup
    "$BANKSCOPE" run stride w=32 u=1024 rounds=1000 -o "$WORK/million.jsonl" >/dev/null
    ok "a million accesses are exported" "$BANKSCOPE" export "$WORK/million.jsonl" \
        -o "$WORK/pages/million.html" --round 700
    "$BANKSCOPE" run stride w=32 u=1024 rounds=9000 -o "$WORK/large.jsonl" >/dev/null
    refuses "what a tab cannot hold is refused" 1 'more than a page can hold.*--block' \
        "$BANKSCOPE" export "$WORK/large.jsonl" -o "$WORK/pages/large.html"
    ok "... and leaves no page" test ! -e "$WORK/pages/large.html"
    refuses "an unknown stage names the nearest" 2 "raed.*did you mean 'read'" \
        "$BANKSCOPE" export "$WORK/million.jsonl" -o "$WORK/pages/none.html" --stage raed
    mkdir -p "$WORK/data/instrument" && touch "$WORK/data/instrument/simt.h"
    refuses "a missing page is said" 1 'make page' env BANKSCOPE_DATA="$WORK/data" \
        "$BANKSCOPE" export tests/corpus/stride.jsonl -o "$WORK/pages/none.html"
    touch "$WORK/data/bankscope.html"
    refuses "a damaged page is said" 1 'is not the page' env BANKSCOPE_DATA="$WORK/data" \
        "$BANKSCOPE" export tests/corpus/stride.jsonl -o "$WORK/pages/none.html"
fi

# A trace that a person opens in the page becomes what export puts into one. (The page knows the bytes of an array's type,
# its script does not: here the trace has them.)
if "$BANKSCOPE" help export >/dev/null 2>&1; then
    cat >"$WORK/both.cu" <<'END'
struct pair { int a; double b; };
__global__ void both(double *out, const double *in)
{
    __shared__ double tile[32][2];
    __shared__ pair p[32];
    tile[threadIdx.x][0] = in[threadIdx.x] * -1e300;
    p[threadIdx.x].a = -threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = tile[31 - threadIdx.x][0] + p[threadIdx.x / 8].a;
}
END
    "$BANKSCOPE" run "$WORK/both.cu" --compiler small --call 'both<<<1,32>>>(out,in)' --array 'double out[32]' \
        --array 'double in[32] = index' --memory all -o "$WORK/out.jsonl" >/dev/null
    {
        head -n 1 "$WORK/out.jsonl" | jq -c '.arrays |= map(.bytes = if .type == "double" then 8 else .bytes // 1 end)'
        tail -n +2 "$WORK/out.jsonl"
    } >"$WORK/both.jsonl"
    "$BANKSCOPE" run thrust-merge w=12 u=24 E=5 blocks=2 --seed 9 -o "$WORK/merge.jsonl" >/dev/null
    head -n 40 "$WORK/merge.jsonl" >"$WORK/cut.jsonl"
    for trace in "$WORK/both.jsonl" "$WORK/merge.jsonl" "$WORK/cut.jsonl" tests/corpus/cf-merge.jsonl; do
        "$BANKSCOPE" export "$trace" -o "$WORK/pages/opened.html" 2>/dev/null
        ok "$(basename "$trace") is opened as it is exported" node tests/page/recording_bytes.js "$WORK/pages/opened.html" "$trace"
    done
    cp "$WORK/out.jsonl" "$WORK/merge.jsonl" "$WORK/pages"
fi

# Lessons as pages.
if "$BANKSCOPE" help lesson >/dev/null 2>&1; then
    ok "a lesson is a page" "$BANKSCOPE" lesson strides -o "$WORK/pages/lesson.html"
    ok "a translated lesson is a page" "$BANKSCOPE" lesson strides --language de -o "$WORK/pages/german.html"
    ok "all lessons are a page" "$BANKSCOPE" lesson --all -o "$WORK/pages/course.html"
    complete() {
        lessons=$(ls -d lessons/[0-9]*/ | wc -l)
        exercises=$(exercises | wc -l)
        [ "$(grep -c '<section class="lesson"' "$WORK/pages/course.html")" -eq "$lessons" ] &&
            [ "$(grep -c '<h3>Exercise</h3>' "$WORK/pages/course.html")" -eq "$exercises" ] &&
            [ "$(grep -c '<form class="quiz"' "$WORK/pages/course.html")" -eq \
                "$(cat lessons/*/lesson.md | grep -c '^```quiz')" ] &&
            ! grep -E '<(p|li)[^>]*>[^<]*\{' "$WORK/pages/course.html"
    }
    ok "it has every lesson, question and exercise, and its numbers" complete
    ok "what the page cannot record again has no button" sh -c '! grep -o "data-a=.[a-z]*[.]cu" "$1" && grep -q "data-a=.stride" "$1"' \
        - "$WORK/pages/course.html"
    # What the text player says of these numbers, for the page to say the same.
    measured() { # I W C
        { yes h 2>/dev/null | head -n "$answers"; printf '%s\n' "$1" "$2" "$3" ''; } |
            "$BANKSCOPE" lesson profiler | sed -n '/^  I = /,/^  I, /p' | sed '$d' | tr -s ' \n' ' ' |
            sed 's/^ I = [0-9]*, W = [0-9]*, C = [0-9]* *//; s/ *$//'
    }
    answers=$((2 * $(grep -c '^```quiz' lessons/07-profiler/lesson.md)))
    replies() {
        for numbers in "32 1024 992" "32 32 0" "32 128 0" "641 383 0" "0 0 0" "5 0 0" "10 20 30" "1000 1030 30" \
            "100 3200 3000" "7 100 31"; do
            # shellcheck disable=SC2086 # three
            echo "$numbers: $(measured $numbers)"
        done >"$WORK/pages/lab.txt"
        cp tests/data/ncu-lab.csv "$WORK/pages"
        awk 'length < 40 { print "too short: " $0; bad = 1 } END { exit bad || NR != 10 }' "$WORK/pages/lab.txt"
    }
    ok "a lab says something of any numbers" replies
    refuses "a lesson is no picture" 2 "must end in" "$BANKSCOPE" lesson 1 -o "$WORK/x.png"
    refuses "a page of no lesson" 2 'which lesson' "$BANKSCOPE" lesson -o "$WORK/x.html"
    refuses "--all without a page" 2 '-o course.html' "$BANKSCOPE" lesson --all
fi

used_in() {
    case $1 in
    chromium) claims tests/page/page_browser.js "$html" "$WORK/pages" ;;
    firefox) claims tests/page/page_firefox.js "$html" "$WORK/pages" ;;
    esac
}
in_browsers "the page" used_in
finish
