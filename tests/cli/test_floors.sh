#!/bin/sh
# The includes of all sources go down the floors of tests/floors.txt; and tests/floors, on a small tree of
# this test's own, notices those that do not.
. tests/support/tap.sh

ok "all includes go down" tests/floors "$TREE"

tree=$WORK/tree
mkdir -p "$tree/tests" "$tree/low/inner" "$tree/high"
cat >"$tree/tests/floors.txt" <<'END'
room low
room low/inner low
room high low/low.h
data tests
page low
header stddef.h
except low/window.c *
END
printf '#include <stddef.h>\n' >"$tree/low/low.h"
printf '#include "low.h"\n#include <SDL.h>\n' >"$tree/low/window.c"
printf '#include "low/low.h"\n#include <unistd.h>\n' >"$tree/high/high.c"
printf '#include "../low.h"\n' >"$tree/low/inner/inner.h"
ok "a tree as it should be has no complaint" sh -c '[ -z "$(tests/floors "$1")" ]' - "$tree"

# notices NAME LINE FILE TEXT: with that text at the end of the file, that line is said, and no other.
notices() {
    cp "$tree/$3" "$WORK/before" 2>/dev/null || : >"$WORK/before"
    printf '%b\n' "$4" >>"$tree/$3"
    run_it tests/floors "$tree"
    ok "$1" sh -c 'cat "$1"; [ "$2" = 1 ] && [ "$(cat "$1")" = "$3" ]' - "$WORK/stdout" "$status" "$2"
    if [ -s "$WORK/before" ]; then cp "$WORK/before" "$tree/$3"; else rm "$tree/$3"; fi
}
touch "$tree/high/high.h" "$tree/low/other.h"
notices "an include that goes up" 'low/low.c: includes high/high.h, and low/ may include only itself' \
    low/low.c '#include "high/high.h"'
notices "one with blanks in it" 'low/low.c: includes high/high.h, and low/ may include only itself' \
    low/low.c ' #  include "../high/high.h"'
notices "another header of a room of which one is allowed" \
    'high/high.c: includes low/other.h, and high/ may include only low/low.h' high/high.c '#include "low/other.h"'
# A header that is a floor of its own: below the rest of its folder, and for whoever may include that.
cp "$tree/tests/floors.txt" "$WORK/floors.txt"
printf 'int used;\n' >"$tree/low/floor.h"
mkdir "$tree/above"
printf '#include "low/floor.h"\n#include "low/low.h"\n#include "low/inner/inner.h"\n' >"$tree/above/above.c"
printf '#include "low/floor.h"\n' >"$tree/high/floor.c"
sed -e 's,^room low$,room low/floor.h\nroom low,; s,^room high.*,room high low/floor.h low/low.h\nroom above low/*,' \
    "$WORK/floors.txt" >"$tree/tests/floors.txt"
ok "FOLDER/* is a folder with all in it, and a header may be a floor" sh -c '[ -z "$(tests/floors "$1")" ]' - "$tree"
notices "a header that is a floor, and what is above it" \
    'low/floor.h: includes low/low.h, and low/floor.h/ may include only itself' low/floor.h '#include "low/low.h"'
notices "others of its folder" \
    'high/floor.c: includes low/other.h, and high/ may include only low/floor.h, low/low.h' high/floor.c '#include "low/other.h"'
sed -i 's,^room above.*,room above low,' "$tree/tests/floors.txt"
notices "a folder without what is in it" \
    'above/above.c: includes low/inner/inner.h, and above/ may include only low' high/floor.c ''
cp "$WORK/floors.txt" "$tree/tests/floors.txt"
rm -r "$tree/above" "$tree/high/floor.c" "$tree/low/floor.h"
notices "a folder within a room that is a room" \
    'low/low.c: includes low/inner/inner.h, and low/ may include only itself' low/low.c '#include "low/inner/inner.h"'
notices "a header of the system that a page lacks" 'low/low.c: includes <unistd.h>, which a page has no use for' \
    low/low.c '#include <unistd.h>'
printf '#include "other.h"\n' >"$tree/low/one.h"
notices "headers that include each other" 'low/one.h: includes itself by way of low/other.h' low/other.h \
    '#include "one.h"'
rm "$tree/low/one.h"
notices "a folder that is in no room" 'new.c: is in no room of tests/floors.txt' new.c '#include "low/low.h"'
notices "an exception that no file needs" 'tests/floors.txt: except low/low.c math.h: no such include; delete it' \
    tests/floors.txt 'except low/low.c math.h'
notices "a room that may include one of a line below" \
    'tests/floors.txt: low may include high2, which is no room of a line above' tests/floors.txt 'room low high2'
finish
