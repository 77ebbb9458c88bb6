#!/bin/sh
# doc/how-it-is-built.md names files that are there.
. tests/support/tap.sh

paths_of() { # FILE: what stands between backquotes and has a folder of the tree in front
    grep -oE '`[A-Za-z_.]+/[A-Za-z0-9_./-]*`' "$1" | tr -d '`' | grep -vE 'NAME|^build/|^\.\./|^share/bankscope' | sort -u
}
all_there() {
    missing=$(for path in $(paths_of "$1"); do
        # A folder may be named from the tree, from one of its folders, or by what is in it.
        path=${path%/}
        [ -e "$path" ] || [ -n "$(find . -path ./build -prune -o -path "*/$path" -print -quit)" ] || echo "$path"
    done)
    [ -z "$missing" ] || echo "not there: $missing"
    [ -z "$missing" ]
}
cd "$TREE" || exit 1
ok "it names some" test "$(paths_of doc/how-it-is-built.md | wc -l)" -gt 60
ok "which are there" all_there doc/how-it-is-built.md
echo "begin with \`base/nothing.h\`" >"$WORK/wrong.md"
fails() { ! "$@" >/dev/null; }
ok "and one that is not is found" fails all_there "$WORK/wrong.md"
finish
