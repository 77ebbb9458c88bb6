#!/bin/sh
# The maintainers' pages name what is there, sources are short, and tests/run runs the tests that are named.
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

# The checker's page has a row for each fault of the machine.
faults_are_told() { # PAGE
    faults=$(sed -n 's/^ *\[MACHINE_FAULT_[A-Z]*\] = {"\([a-z-]*\)".*/\1/p' machine/check/fault.c)
    [ "$(echo "$faults" | wc -l)" -gt 10 ] || return 2
    for fault in $faults; do
        grep -q "^|.*\`$fault\`.*|.*|.*|$" "$1" || { echo "$1 has no row for $fault" && return 1; }
    done
}
ok "doc/checker.md has every fault" faults_are_told doc/checker.md
grep -v misaligned doc/checker.md >"$WORK/fewer.md"
ok "and one that is left out is found" test "$(faults_are_told "$WORK/fewer.md")" = "$WORK/fewer.md has no row for misaligned"

# No source has more lines than 600, and no command's more than 250: then it is about two things. Not held are the toolkit's names, and a table that
# machine/math/math_tables.py makes.
too_long() { # FOLDER: prints what is longer
    (cd "$1" && find . \( -name build -o -name tests -o -name lessons -o -name '.?*' \) -prune -o -type f \
        \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' -o -name '*.inc' -o -name '*.js' \) -exec wc -l {} + |
        awk '$1 > ($2 ~ /^\.\/commands\// ? 250 : 600) && $2 != "total" { print substr($2, 3) }' |
        grep -vE '^(program/compile/include/.*|machine/math/math_tables\.c)$')
}
ok "no source is longer than 600 lines, no command than 250" fails too_long .
mkdir "$WORK/long"
yes '/* */' 2>"$WORK/yes" | head -n 601 >"$WORK/long/long.c"
ok "and one that is longer is found" too_long "$WORK/long"
mkdir "$WORK/long/commands"
mv "$WORK/long/long.c" "$WORK/long/short.c"
head -n 251 "$WORK/long/short.c" >"$WORK/long/commands/long.c"
head -n 250 "$WORK/long/short.c" >"$WORK/long/commands/run.c"
sed -i 1d "$WORK/long/short.c"
ok "a command, too" test "$(too_long "$WORK/long")" = commands/long.c

# tests/mutants says which tests are of a file.
mutants_tests_there() { # tests/mutants
    sed -n '/^tests_of/,/^}/p' "$1" | tr '\n' ' ' | grep -o 'echo [a-z0-9_. ]*\(\\ *[a-z0-9_. ]*\)\?;;' |
        sed 's/^echo//; s/[\;]//g' | tr -s ' ' '\n' | sort -u >"$WORK/tests_of"
    [ "$(wc -l <"$WORK/tests_of")" -gt 60 ] || return 2
    while read -r test; do
        case $test in
        *.sh) ls tests/*/test_"$test" >/dev/null ;;
        ?*) [ -f "tests/unit/test_$test.c" ] || { echo "there is no test $test" && return 1; } ;;
        esac || return
    done <"$WORK/tests_of"
}
ok "tests/mutants names tests that are there" mutants_tests_there tests/mutants
sed 's/echo hash /echo hashes /' tests/mutants >"$WORK/mutants"
ok "and one that is not is found" test "$(mutants_tests_there "$WORK/mutants")" = "there is no test hashes"

every_source_has_tests() { # tests/mutants
    git ls-files '*.c' | grep -vE '^(tests|doc|lessons)/' | sort >"$WORK/sources"
    "$1" -l -n all >"$WORK/rows" || return
    sed 's/:.*//' "$WORK/rows" | sort | diff "$WORK/sources" - && ! grep ': *$' "$WORK/rows" | grep -v '^inject/'
}
if [ -n "$(git ls-files base 2>/dev/null)" ]; then
    ok "every source has tests there, but those that need a GPU" every_source_has_tests tests/mutants
    mkdir "$WORK/tests"
    sed "s|^cd .*|cd '$TREE'|; s/ measure viewer / measure /" tests/mutants >"$WORK/tests/mutants"
    chmod +x "$WORK/tests/mutants"
    ok "and a folder that is left out is found" fails every_source_has_tests "$WORK/tests/mutants"
    sed -i '/^    viewer\/\*)/d; s/ measure / measure viewer /' "$WORK/tests/mutants"
    ok "... and a row" fails every_source_has_tests "$WORK/tests/mutants"
else
    skip "every source has tests there" "not a checkout of git"
fi

run_tests_there() { # FILE: what its lists (longest, thorough) name that is no test
    sed -nE '/^(longest|thorough)="/,/"$/p' "$1" | tr -s '" ' '\n' | grep -v '=$' | while read -r name; do
        [ -z "$name" ] || ls tests/*/test_"$name".* >/dev/null 2>&1 || echo "there is no test $name"
    done
}
ok "tests/run names tests that are there" test -z "$(run_tests_there tests/run)"
sed 's/ charts / chart /' tests/run >"$WORK/lists"
ok "and one that is not is found" test "$(run_tests_there "$WORK/lists" | sort -u)" = "there is no test chart"

# ---- tests/run ------------------------------------------------------------------------------------

house=$WORK/house
mkdir -p "$house/tests/cli" "$house/tests/unit" "$house/tests/support" "$house/build"
cp tests/run "$house/tests"
for name in good other; do
    printf 'echo 1..1\necho "ok 1 - %s"\n' $name >"$house/tests/cli/test_$name.sh"
done
printf 'echo 1..2\necho "ok 1 - begins"\n' >"$house/tests/cli/test_stops.sh"
runs() { # NAMES [OPTION...]: that just these run, in whatever order
    wanted=$1
    shift
    "$house/tests/run" "$house/build" "$@" >"$WORK/runs" 2>&1
    grep -Eo '^(pass|FAIL) test_[a-z]*' "$WORK/runs" | sed 's/.*test_//' | sort | tr '\n' ' ' | grep -qx "$wanted "
}
status_of() { "$house/tests/run" "$house/build" "$@" >"$WORK/runs" 2>&1; }
ok "tests/run runs all" runs "good other stops"
ok "those that are named" runs "good other" good test_other
ok "all but those with a minus" runs "good other" -stops
ok "of those that are named, too" runs "good" good other -other
ok "what is right passes" status_of good other
refuses_status() { ! status_of "$@"; }
ok "a test that stops before its plan fails" refuses_status stops
ok "... and is told" grep -q '^FAIL test_stops: 1 passed, 1 failed (ran 1 cases of 2)' "$WORK/runs"
ok "a name of no test fails" refuses_status nothing
finish
