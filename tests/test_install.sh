#!/bin/sh
# `make install`: what is installed works without the source tree, wherever it is moved.
. tests/tap.sh

ok "make install" make -C "$TREE" install PREFIX=/opt/bankscope DESTDIR="$WORK/root"
ok "the installed tree moves" mv "$WORK/root/opt/bankscope" "$WORK/moved"
program=$WORK/moved/bin/bankscope
cd "$WORK" || exit 1
unset BANKSCOPE_DATA

ok "the program runs" "$program" list

# The man page is made from the help texts: all of each is in it, and man has nothing to object.
page=$WORK/moved/share/man/man1/bankscope.1
in_man_page() {
    "$program" help "$1" 2>/dev/null | sed -e 's/^ *//' -e '/^$/d' | while IFS= read -r line; do
        grep -qxF -e "$line" page.txt || {
            echo "missing: $line"
            return 1
        }
    done
}
if have man; then
    MANWIDTH=120 LC_ALL=C man --warnings -l "$page" 2>objections | col -bx | sed 's/^ *//' >page.txt
    ok "man shows the page" grep -q "^bankscope - " page.txt
    ok "man has no objections" cmp objections /dev/null
    # But those that only tests set, which viewer.h explains.
    for variable in $(grep -rhoE '(getenv|tool)\("[A-Z_]+"' --include='*.c' "$TREE/commands" \
        "$TREE/instrument" "$TREE/viewer" | cut -d'"' -f2 | sort -u); do
        grep -q "environment variables are for tests.*$variable\|; $variable=" "$TREE/viewer/viewer.h" ||
            ok "the man page has the variable $variable" grep -qw "$variable" page.txt
    done
    for command in $("$program" help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
        ok "the man page has all of help $command" in_man_page "$command"
    done
else
    skip "the man page has the help texts" "no man here"
fi
ok "the kernels are there" test -s "$WORK/moved/share/bankscope/kernels/stride.cu"

if "$program" help lesson >/dev/null 2>&1; then
    ok "the lessons are there" "$program" lesson 1 --text
else
    ok "the lessons are there" test -s "$WORK/moved/share/bankscope/lessons/01-banks/lesson.md"
fi

# A user's own kernel needs the headers that were installed.
sed 's/"stride"/"my-stride"/' "$WORK/moved/share/bankscope/kernels/stride.cu" >"$WORK/mine.cu"
run_it "$program" run mine.cu -p s=4
ok "a kernel of one's own is compiled and run" grep -q '^my-stride:.* s=4' "$WORK/stdout"

headers_stand_alone() {
    for header in instrument/instrument.h instrument/simt.h kernels/kernel.h; do
        echo "#include \"$header\"" >include.c
        "${CC:-cc}" -std=gnu11 -Wall -Wextra -Werror -fsyntax-only \
            -I"$WORK/moved/include/bankscope" include.c || return 1
    done
}
ok "each header stands alone" headers_stand_alone

refuses "a wrong BANKSCOPE_DATA is named" 1 "BANKSCOPE_DATA is '/none'" \
    env BANKSCOPE_DATA=/none "$program" run mine.cu
mkdir "$WORK/alone" && cp "$program" "$WORK/alone/"
refuses "a program without its files says so" 1 "not near it.*BANKSCOPE_DATA" \
    "$WORK/alone/bankscope" run mine.cu
run_it env BANKSCOPE_DATA="$TREE" "$WORK/alone/bankscope" run mine.cu
ok "BANKSCOPE_DATA may be the source tree" test "$status" -eq 0
finish
