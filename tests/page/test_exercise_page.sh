#!/bin/sh
# Exercises in a lesson's page: the same marks as check's, and done in a browser.
. tests/support/tap.sh

missing=$(make -s page-needs)
if [ -n "$missing" ] || ! have node; then
    skip "exercises in the page" "missing: $missing $(have node || echo node)"
    finish
    exit 0
fi
wasm=$TREE/build/web/kernel.wasm
ok "compiler and machine are made" make -s build/web/kernel.wasm

# Of each exercise: as handed out, solved, and some of what students hand in (in `make check-long` all).
for name in $(exercises); do
    mkdir -p "$WORK/class/$name"
    cp -r "$TREE/lessons/$name" "$WORK/class/$name/exercise"
    cp "$TREE/lessons/$name/exercise.cu" "$WORK/class/$name/given.cu"
    count=0
    for part in "$TREE/tests/solutions/$name.cu" "$TREE/tests/attempts/$name"/*.cu; do
        count=$((count + 1))
        [ $((count % 8)) -eq 1 ] || is_long || continue
        with_part "$name" "$part" >"$WORK/class/$name/$(basename "$part")"
    done
done
with_part 01-banks /dev/stdin <<'END' >"$WORK/class/01-banks/endless.cu"
__device__ int point_word(int u, int t, int k) { while (u) t++; return t; }
END
with_part 01-banks /dev/stdin <<'END' >"$WORK/class/01-banks/wrong.cu"
__device__ int point_word(int u, int t, int k) { return t; }
END
with_part 01-banks /dev/stdin <<'END' >"$WORK/class/01-banks/no-language.cu"
__device__ int point_word(int u, int t, int k) { retrun t; }
END
claims tests/page/exercise_wasm.js "$wasm" "$BANKSCOPE" "$WORK/class" 5

if ! "$BANKSCOPE" help lesson >/dev/null 2>&1; then
    skip "the exercise in a page" "lesson is not in this build"
    finish
    exit 0
fi
ok "the page is made" make_page
for name in 01-banks 02-strides 04-transpose; do
    ok "a lesson's page: $name" "$BANKSCOPE" lesson $name -o "$WORK/$name.html"
done
ok "one in German" "$BANKSCOPE" lesson 02-strides --language de -o "$WORK/de.html"
done_in() {
    mkdir "$WORK/pictures-$1"
    claims tests/page/exercise_browser.js "$1" "$WORK" "$TREE/tests/solutions" "$WORK/pictures-$1"
    # shellcheck disable=SC2016 # sh expands it
    ok "check accepts the file that came out of $1" sh -c '"$BANKSCOPE" check "$1/Ada-Lovelace.cu" --csv - | tee "$1/said" >&2
        grep "\"Ada Lovelace\",01-banks,\"the result is right\",ok" "$1/said" && ! grep "not yet" "$1/said"' - "$WORK/pictures-$1"
}
in_browsers "an exercise" done_in
finish
