# The window: keys, mouse, export, resize, idleness, on a screen of its own (Xvfb).
# shellcheck shell=sh disable=SC2317
. tests/support/tap.sh
. tests/support/window.sh

case $("$BANKSCOPE" help view 2>&1) in
usage*) ;;
*)
    skip "the window" "this build has no window"
    finish
    exit 0
    ;;
esac
refuses "without a display it says what to do" 1 "display.*bankscope export" \
    env -u DISPLAY -u WAYLAND_DISPLAY -u SDL_VIDEODRIVER "$BANKSCOPE" view cf-merge
mkdir "$WORK/broken"
echo "no library" >"$WORK/broken/libSDL2-2.0.so.0"
refuses "SDL that cannot be loaded is named" 1 "needs SDL2.*invalid ELF|needs SDL2.*too short" \
    env LD_LIBRARY_PATH="$WORK/broken" "$BANKSCOPE" view stride
ok "and only the window needs it" env LD_LIBRARY_PATH="$WORK/broken" "$BANKSCOPE" list
refuses "no trace is a usage error" 2 "which trace or kernel" "$BANKSCOPE" view
refuses "five traces are a usage error" 2 "'e' is one too many" "$BANKSCOPE" view a b c d e
refuses "an unknown kernel names the nearest" 1 "cf-merge.*no.* file" "$BANKSCOPE" view cf-merg
refuses "a missing file is named" 1 "no-such.jsonl" "$BANKSCOPE" view no-such.jsonl
refuses "a parameter that no kernel has is named" 1 "Q" "$BANKSCOPE" view cf-merge stride -p Q=1
refuses "a program's option for a kernel" 2 "--launch is for CUDA programs .* stride is not" \
    "$BANKSCOPE" view stride --launch=1
refuses "an unknown theme is a usage error" 2 "no theme 'pink'" "$BANKSCOPE" view stride --theme pink
refuses "an unknown stage is named" 1 "no stage 'gathr'" "$BANKSCOPE" view cf-merge --stage gathr
sed 's/LOAD(tile/*(volatile int *)8 + LOAD(tile/' kernels/stride.cu >"$WORK/crash.cu"
refuses "a user's kernel that crashes is named" 1 'stage read, round 0, block 0, thread 0 .line 27.: crashed .Segmentation' \
    env ASAN_OPTIONS=handle_segv=0 "$BANKSCOPE" view "$WORK/crash.cu"

if ! have Xvfb xdotool import convert; then
    skip "keys and mouse" "needs Xvfb, xdotool and imagemagick"
    finish
    exit 0
fi
screen 1400x1000
cd "$WORK" || exit 1

# keys KEY... -- PATTERN: presses them, then as shows.
keys() {
    pressed=
    while [ "$1" != -- ]; do
        pressed="$pressed $1"
        shift
    done
    # shellcheck disable=SC2086
    xdotool key $pressed
    shows "$2"
}
frame() {
    sed -n 's/^frame //p' "$dump"
}
# at ROLE: the middle of the first box of this role, as "x y"; at_last: of the last one.
at() {
    awk -v role="$1" '$1 == "box" && $6 == role {
        print int($2 + $4 / 2), int($3 + $5 / 2); exit }' "$dump"
}
at_last() {
    awk -v role="$1" '$1 == "box" && $6 == role { x = $2 + $4 / 2; y = $3 + $5 / 2 }
        END { print int(x), int(y) }' "$dump"
}
colour() { # X Y: of the window, as #RRGGBB
    import -window "$window" -depth 8 -crop "1x1+$1+$2" txt:- | grep -o '#[0-9A-F]\{6\}' | head -n 1
}
ticks() { # of the processor, that the program has used
    cut -d ' ' -f 14,15 "/proc/$pid/stat"
}

# ---- one panel -----------------------------------------------------------------------------------

ok "a kernel is recorded and shown" starts view thrust-merge -p w=12 -p u=24 -p E=5 --stage merge
ok "at the worst round of the stage that was asked for" \
    shows '^text .*"merge \(stage 3 of 4\), round 2, warp 0: 12 lanes, 4 passes'
ok "home: its first" keys Home -- '"merge \(stage 3 of 4\), round 0, '
ok "right: one round on" keys Right -- '"merge .*, round 1, '
ok "left: one round back" keys Left -- '"merge .*, round 0, '
ok "end: the last round" keys End -- '"merge .*, round 4,'
ok "home: the first" keys Home -- '"merge .*, round 0, '
ok "shift and right: the stage after" keys shift+Right -- '"store \(stage 4 of 4\), round 0, '
ok "shift and left: the stage before" keys shift+Left -- '"merge \(stage 3 of 4\), round 0, '
ok "down: the next warp" keys Down -- ', warp 1: '
ok "up: the warp before" keys Up -- ', warp 0: '
ok "many keys at once are all obeyed" keys Right Left Right Right -- '"merge .*, round 2, '

labels() {
    grep '^text .* centre ' "$dump" | sort
}
labels >threads
labels_are() { # FILE
    labels | cmp - "$1"
}
ok "l: cells show addresses" keys l -- ' centre .*"11[0-9]"'
xdotool key l l
ok "l: then values, then threads again" eventually labels_are threads

ok "w: the worst step of the run" keys Home Home w -- '"merge .*, round 2, warp 0: .*, 4 passes'
ok "w again: the next" keys w -- '"merge .*, round [134], warp 1: '
ok "g: asks for a round" keys Home w g 3 -- '"round 3_ '
ok "and goes there" keys Return -- '"merge .*, round 3, '
page=$(sed -n 's/^page //p' "$dump")
grows() { # Ctrl is up again before the program sees the key
    kill -STOP "$pid"
    xdotool key ctrl+plus
    kill -CONT "$pid"
    shows '"text 110 %"' && shows "^page $(echo "$page" | awk '{ printf "%.6g %.6g", $1 / 1.1, $2 / 1.1 }')"
}
ok "control and plus: larger text" grows
ok "control and 0: as before" keys ctrl+0 -- "^page $page"
ok "F11: the whole screen" keys F11 -- '^page 1400 1000$'
ok "control and q: quits" sh -c 'xdotool key ctrl+q'
ok "with status 0" ends 0
export GDK_SCALE=2
ok "a desktop's scale is obeyed" starts view stride
ok "there are half as many points" shows '^page 630 450$'
closes
unset GDK_SCALE
if have xprop; then
    printf 'Xcursor.size:\t24\nXft.dpi:\t192\n' >resources
    xprop -root -f RESOURCE_MANAGER 8s -set RESOURCE_MANAGER "$(cat resources)"
    ok "so are its dots of an inch" starts view stride
    ok "there are half as many points, too" shows '^page 630 450$'
    closes
    xprop -root -remove RESOURCE_MANAGER
else
    skip "Xft.dpi" "needs xprop"
fi
printf '# Guess\n\nHow many\npasses?\n\n- four\n- one\n\n1. ask\n2. wait\n' >notes.txt
ok "it opens for a class" starts view thrust-merge -p w=12 -p u=24 -p E=5 --stage merge --present=notes.txt
screen_dump=$dump
dump=$dump.notes
ok "the notes have a window of their own" shows '"Guess"'
ok "a paragraph may have several lines" shows '"How many passes[?]"'
ok "items stand alone" shows '"four"'
ok "and so do numbered ones" shows '"wait"'
ok "and there are the numbers" shows '"thrust-merge: merge, round 2, warp 0: 4 passes'
dump=$screen_dump
closes
refuses "notes that are not there" 1 "none.txt is no file of notes" \
    "$BANKSCOPE" view stride --present=none.txt
ok "it opens again" starts view thrust-merge -p w=12 -p u=24 -p E=5 --stage merge
ok "at home" keys Home -- '"merge .*, round 0, '

help_lists() {
    xdotool key question
    for words in 'one step' stage warp play 'last step' zoom 'another panel' thread light race \
        export 'this help' quit who timeline; do
        shows "^text .*ink \".*$words" || return
    done
}
ok "?: help on every key" help_lists
ok "any key closes the help" sh -c 'xdotool key t'
ok "and works" hides '"this help"'
xdotool key t
colour_is() {
    colour 3 3
    [ "$(colour 3 3)" = "$1" ]
}
ok "t: the dark theme is on the screen" eventually colour_is '#17191C'
xdotool key t
ok "t: the light one again" eventually colour_is '#FFFFFF'

# ---- mouse ---------------------------------------------------------------------------------------

points_at_bad() {
    # shellcheck disable=SC2046
    xdotool mousemove --window "$window" $(at bad) &&
        shows '"word [0-9]+, list A, .*read by thread [0-9]+ .*bank [0-9]+: words [0-9]+, [0-9].* for threads .*passes"'
}
ok "hover: who, where, when and why" points_at_bad
xdotool mousemove 1399 999
ok "elsewhere: nothing of the kind" hides '"word [0-9]+, list'
clicks_last_bar() {
    # shellcheck disable=SC2046
    xdotool mousemove --window "$window" $(at_last bar) click 1 && shows '"merge .*, round 4,'
}
ok "click in the timeline: goes there" clicks_last_bar
xdotool mousemove 1399 999 key Home
shows '"merge .*, round 0, ' >/dev/null

grep -c ' faint "[0-9]*:"$' "$dump" >banks
cells() {
    awk '$1 == "text" && $4 == "centre" { n++ } END { print n + 0 }' "$dump"
}
all=$(cells)
cells_are() { # COMPARISON: with all
    echo "$(cells) of $all cells"
    test "$(cells)" "$1" "$all"
}
# shellcheck disable=SC2046
xdotool mousemove --window "$window" $(at bad) click 4 click 4 click 4
ok "wheel: fewer, larger cells" eventually cells_are -lt
settled() { # the list is the same twice, a while apart
    cp "$dump" zoomed && sleep 0.3 && cmp -s "$dump" zoomed
}
ok "by three notches, and no more" eventually settled
drags() {
    xdotool mousedown 1 mousemove_relative --sync -- -30 -90 mouseup 1
    grep ' faint "[0-9]*:"$' zoomed >was
    eventually other_banks
}
other_banks() {
    ! grep ' faint "[0-9]*:"$' "$dump" | cmp -s - was
}
ok "drag: other banks come into sight" drags
xdotool key 0
ok "0: all cells again" eventually cells_are -eq
xdotool mousemove 1399 999

# ---- size, exposure, idleness --------------------------------------------------------------------

resizes() { # W H
    xdotool windowsize "$window" "$1" "$2" && shows "^page $1 $2\$" && eventually is_coloured
}
is_coloured() {
    [ "$(import -window "$window" -format %k info:-)" -gt 8 ] # colours
}
ok "a tiny window has a picture" resizes 400 300
ok "and a large one" resizes 1390 990
inside_page() {
    awk '$1 == "page" { w = $2; h = $3 }
        $1 == "box" && ($2 < -1 || $3 < -1 || $2 + $4 > w + 1 || $3 + $5 > h + 1) { print; bad = 1 }
        END { exit bad }' "$dump"
}
ok "of which nothing is outside" inside_page
survives_hiding() {
    import -window "$window" before.ppm
    xdotool windowunmap --sync "$window" windowmap --sync "$window"
    eventually same_picture
}
same_picture() {
    import -window "$window" after.ppm && cmp before.ppm after.ppm
}
ok "hidden and shown again, it is the same" survives_hiding
xdotool windowfocus --sync "$window"
frame() {
    sed -n 's/^frame //p' "$dump"
}
stays_idle() {
    before=$(ticks) frames=$(frame)
    sleep 3
    echo "processor ticks (user, system): $before, then $(ticks); frames: $frames, $(frame)"
    [ "$(ticks)" = "$before" ] && [ "$(frame)" = "$frames" ]
}
ok "a still picture takes no processor time in three seconds" eventually stays_idle
ok "space: plays" keys Home space -- '"merge .*, round [2-4], '
stops() {
    frames=$(frame)
    sleep 1.2
    [ "$(frame)" = "$frames" ]
}
xdotool key space
ok "space again: stops" eventually stops

# ---- export --------------------------------------------------------------------------------------

exports() { # NUMBER
    xdotool key e
    shows "\"wrote thrust-merge-$1.pdf and thrust-merge-$1.png, (and the page thrust-merge-$1.html\"|but no page: )" &&
        grep -q '^%PDF' "thrust-merge-$1.pdf" && [ "$(head -c 4 "thrust-merge-$1.png" | tail -c 3)" = PNG ]
}
ok "e: writes a PDF and a PNG and says so" exports 1
if [ -e "$TREE/build/bankscope.html" ]; then
    page() {
        grep -q 'class="recording" data-name="thrust-merge"' thrust-merge-1.html &&
            grep -A 9 '<template id="place" data-words="stage ' thrust-merge-1.html >place && grep '^round ' place &&
            grep '^[^<>]*"></template>$' place
    }
    ok "... and a page that begins there" page
else
    skip "... and a page that begins there" "no page: make page"
fi
cksum thrust-merge-1.* >sums
ok "e again: takes the next number" exports 2
ok "and leaves the first alone" sh -c 'cksum thrust-merge-1.* | cmp - sums'
ok "the message goes with the next key" sh -c 'xdotool key Home'
ok "it is gone" hides '"wrote '
xdotool key q
ok "q: quits with status 0" ends 0

# ---- two panels ----------------------------------------------------------------------------------

ok "two kernels side by side, the longest stage first" starts view thrust-merge cf-merge -p w=12 -p u=12 \
    -p E=5 -p order=model --input worst
both() { # PATTERN: two titles match
    grep '^text .*stage' "$dump"
    [ "$(grep -Ec "^text .*$1" "$dump")" -eq 2 ]
}
ok "both at round 0" eventually both ', round 0, '
xdotool key Right
ok "both at round 1" eventually both ', round 1, '
races() {
    xdotool key r End
    shows '"gather .*finished"' && ! grep '"merge .*finished"' "$dump"
}
ok "r: the one without conflicts finishes first" races
xdotool key r
ok "r again: they share the round" eventually both ', round [0-9]*, '
leads() { # HALF: the mark of the leading panel is in the left (0) or right (1) half
    grep cursor "$dump"
    awk -v half="$1" '$1 == "page" { w = $2 } $1 == "box" && $6 == "cursor" && $4 < 6 {
        right = $2 > w / 4; seen = 1 } END { exit !(seen && right == half) }' "$dump"
}
ok "the first panel leads" eventually leads 0
xdotool key Tab
ok "tab: the other one leads" eventually leads 1
ok "escape closes nothing more, and not the program" keys Escape -- '"q quits"'
xdotool key q
ok "q: quits with status 0" ends 0

# ---- other ways in and out -----------------------------------------------------------------------

"$BANKSCOPE" run stride -o stride.jsonl >/dev/null
sed '$d' stride.jsonl >cut.jsonl
ok "a cut trace is shown" starts view ./cut.jsonl
ok "and said to be cut" eventually grep -q 'cut.jsonl is cut: it has no end' "$WORK/stderr"
if have openbox; then
    openbox >/dev/null 2>&1 &
    openbox=$!
    asks_to_close() { # until openbox is there and manages the window
        gone $pid && return
        xdotool windowactivate "$window" key alt+F4 2>/dev/null
        sleep 0.3
        gone $pid
    }
    eventually asks_to_close
    ok "closing the window ends it, with the status of a cut trace" ends 1
    kill $openbox && wait $openbox # it shall not manage the next one
else
    skip "closing the window ends it" "needs openbox"
    closes
fi
ok "variants of one kernel stand side by side" starts view transpose -p variant=naive transpose \
    -p variant=padded
ok "one with its own parameters" shows variant=naive
ok "the other with others" shows variant=padded
kill $pid
ok "a signal ends it cleanly" ends 0
cp "$TREE/kernels/stride.cu" own.cu
ok "four recordings" starts view stride s=2 stride s=3 stride s=4 stride s=5
ok "have a panel each" shows '"stride .*s=5'
ok "x: closes the leading one" keys x -- '"stride .*s=3'
ok "which is gone" hides '"stride .*s=2'
closes
ok "a user's kernel is recorded" starts view ./own.cu -p s=4
ok "with its parameters" shows '"stride .*s=4'
closes
ok "a kernel has parameters to turn" starts view stride w=32 u=64 s=4
ok "all of them" shows 'ink "rounds"'
ok "k: chooses one" keys k Down Down Down -- '"type 1 to '
ok "typed, it is recorded anew" keys 3 1 Return -- '"stride .* s=31 '
ok "and the totals are compared" shows '"the whole run: passes 16, now 64; conflicts 6, now 0"'
ok "control and o: asks for another" keys Escape ctrl+o c f minus m e r g e space E equal 5 -- '"open cf-merge E=5_'
ok "which it opens beside" keys Return -- '"cf-merge .* E=5'
ok "a name that is none is said" keys ctrl+o n o n e Return -- 'there is no kernel .none.'
closes
cp "$TREE/kernels/stride.cu" watched.cu
ok "a file is watched" starts view watched.cu --watch
ok "as it is" shows ', 2 passes, 1 conflict'
sed 's/PARAM(s, 2,/PARAM(s, 3,/' watched.cu >other.cu
mv other.cu watched.cu
ok "saved, it is recorded again" shows ', 1 pass, 0 conflicts"'
closes
cat >quick.cu <<'END'
__global__ void k(int *a)
{
    __shared__ int s[64];
    s[2 * threadIdx.x] = 1;
    a[threadIdx.x] = s[2 * threadIdx.x];
}
END
ok "a kernel alone is watched" starts view quick.cu --watch --compiler small \
    --call 'k<<<1, 32>>>(a)' --array 'int a[32]'
ok "as it is, too" shows ', 2 passes, 1 conflict'
sed 's/2 [*] //' quick.cu >other.cu
saved=$(date +%s%N)
mv other.cu quick.cu
ok "saved, it is compiled and run again" shows ', 1 pass, 0 conflicts"'
echo "# $((($(stat -c %.9Y "$dump" | tr -d .) - saved) / 1000000)) ms from the save to the new picture"
closes
ok "a sort opens where something happens" starts view thrust-sort
ok "namely in its first busy block" shows 'stage .*: 32 lanes, [0-9]+ passes'

# ---- CUDA programs as they stand -----------------------------------------------------------------
programs() {
    closes
    ok "two launches of a program" starts view "$TREE/tests/programs/transpose.cu" --launch 0 \
        "$TREE/tests/programs/transpose.cu" --launch 1
    ok "are side by side" shows '^text .*naive'
    ok "each its own" shows '^text .*padded'
    ok "the source is beside them, whole" shows '" [*]/"'
    ok "and says what the executed line costs" shows '"line 22: 9216 passes .97 %., 8928 conflicts'
    keys q -- . >/dev/null
    ok "end" ends 0
    ok "a program opens at once" starts view "$TREE/tests/programs/transpose.cu"
    ok "with its launches, the worst first" shows '"naive"'
    ok "and what there is in all" shows '3 launches with shared memory, 8928 conflicts"'
    ok "one is opened" keys Return -- '"line 22: 9216 passes .97 %., 8928 conflicts'
    ok "and left" keys BackSpace -- '"padded"'
    ok "the list is searched" keys slash s w i Return -- '"/swi: 1 launch"'
    ok "what was found is opened" keys Return -- '^text .*swizzled'
    keys q -- . >/dev/null
    ok "it ends" ends 0
    far=$WORK/a-folder-with-a-long-name/another-folder/and-one-more-below-it
    mkdir -p "$far/build"
    cp "$TREE/tests/programs/transpose.cu" "$TREE/tests/programs/program.h" "$far"
    ok "one with a long path opens" starts view "$far/transpose.cu"
    ok "... its name is cut at the front" shows '"[.][.][.][a-z/-]+/transpose.cu: 3 launches with shared memory, 8928 conflicts"'
    keys q -- . >/dev/null
    ok "... and ends" ends 0
    cat >"$far/none.cu" <<'END'
__global__ void k(int *o) { __shared__ volatile int s[32]; s[threadIdx.x] = 1; o[threadIdx.x] = s[threadIdx.x]; }
int main(int argc, char **) { int *d; cudaMalloc((void **)&d, 128); for (int i = 0; i < argc; i++) k<<<1, 32>>>(d); return argc; }
END
    echo "[{\"directory\": \"$far\", \"command\": \"nvcc -c none.cu -o CMakeFiles/none.dir/none.cu.o\", \"file\": \"none.cu\"}]" \
        >"$far/build/compile_commands.json"
    ok "one of a build opens, without a source" starts view --build "$far/build" -- word
    ok "... with its arguments" shows '2 launches with shared memory, 0 conflicts"'
    ok "... and what is wrong, where the terminal tells it" shows '"what is wrong with it stands in the terminal"'
    keys q -- . >/dev/null
    ok "... which it does" eventually grep -q 'the program ended with status 2' "$WORK/stderr"
    ok "... and ends" ends 1
    echo 'int main() { return nothing; }' >>"$far/none.cu"
    ok "one that does not compile opens" starts view "$far/none.cu"
    ok "... and says so" shows 'none.cu: nothing was recorded"'
    ok "... and the terminal says what" grep -q "undeclared identifier 'nothing'" "$WORK/stderr"
    keys q -- . >/dev/null
    ok "... and ends" ends 1
    "$BANKSCOPE" run "$TREE/tests/programs/transpose.cu" -o own.jsonl >/dev/null 2>&1
    sed "s#$TREE/tests/programs#/not/there#g" own.jsonl >lines.jsonl
    ok "a recording whose source is not there" starts view lines.jsonl
    ok "shows the lines that it names" shows 'code .*"tile\[threadIdx.y [+] j\]'
    ok "and no others" hides '" [*]/"'
    cp "$TREE/tests/programs/transpose.cu" .
    closes
    ok "with the source beside it" starts view lines.jsonl
    ok "it shows all of it" shows '" [*]/"'
    # shellcheck disable=SC2046
    set -- $(sed -n 's/^text \([0-9]*\)[0-9.]* \([0-9]*\).* code .*"    *tile\[threadIdx.*/\1 \2/p' "$dump" | head -n 1)
    xdotool mousemove --window "$window" "$(($1 + 60))" "$(($2 - 4))" click 1
    ok "a click on a line goes to its access" shows '"phase 0 .stage 1 of 2., round 0, '
    xdotool mousemove 1399 999
    ok "a: the advised layout beside it" keys a -- '"advised: float tile.32..33. .9504 passes become 576."'
    ok "a again: alone" sh -c 'xdotool key a'
    ok "as before" hides '"advised: '
    ok "c: without the source" sh -c 'xdotool key c'
    ok "it goes" hides '"line [0-9]+: '
    keys q -- . >/dev/null
    ok "it ends" ends 0
}
# The size of the window at first: more on a large screen, all but a rim of a small one.
opens_at() { # SCREEN WIDTHxHEIGHT
    kill "$screen_pid"
    screen "$1"
    ok "on a screen of $1 it opens" starts view thrust-merge -p w=12 -p u=24 -p E=5
    ok "... at $2" shows "^page ${2%x*} ${2#*x}$"
    closes
}
if runs_programs; then programs; else skip "CUDA programs as they stand" "needs clang and libdw"; fi
opens_at 1000x700 900x630
opens_at 1920x1080 1536x864
opens_at 3000x2000 1920x1200
finish
