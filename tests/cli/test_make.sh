#!/bin/sh
# The Makefile, on a small tree of this test's own: what is made anew and when, and by two at once.
. tests/support/tap.sh

if ! have make pkg-config; then
    skip "make" "needs make and pkg-config"
    finish
    exit
fi
cd "$WORK" || exit 1
unset MAKEFLAGS MFLAGS MAKELEVEL CC CFLAGS CAIRO SDL CMARK CUDA SAN DEBUG FUZZ
mkdir -p base instrument kernels system tests program/compile
cp "$TREE/program/compile/headers.txt" "$TREE/program/compile/make-headers" program/compile
cp "$TREE/Makefile" "$TREE/cuda.mk" .
cat >bankscope.c <<'END'
#include "instrument/number.h"
extern int second(void) __attribute__((weak));
int main(void) { return NUMBER + first() + kernel() + (second ? second() : 0); }
END
echo 'int first(void); int kernel(void); enum { NUMBER = 1 };' >instrument/number.h
printf '#include "instrument/number.h"\nint first(void) { return 10; }\n' >instrument/first.c
echo 'int kept(void); int kept(void) { return sizeof CALLERS; }' >system/cache.c
echo 'int process(void); int process(void) { return 1; }' >system/process.c
echo 'int allocation(void); int allocation(void) { return 0; }' >system/allocation.c
echo 'int second(void); int second(void) { return 20; }' >instrument/second.c
printf '%s\n' '#include "instrument/number.h"' '#ifndef MORE' '#define MORE 0' '#endif' \
    'int kernel(void) { return 100 + MORE; }' >kernels/kernel.cu

# makes STATUS ARGUMENT...: the program that make builds ends with the status.
makes() {
    wanted=$1
    shift
    make CUDA=no "$@" >said 2>&1 || {
        cat said
        return 1
    }
    build/bankscope
    ended=$?
    echo "status $ended, wanted $wanted"
    [ $ended -eq "$wanted" ]
}
made() { # NAME...: exactly these were compiled
    sed -n 's/^ *CC *//p' said | sort | tr '\n' ' '
    [ "$(sed -n 's/^ *CC *//p' said | sort | tr '\n' ' ')" = "$*${1:+ }" ]
}
lists_nothing() {
    make -n CUDA=no "$@" | grep -v 'Nothing to be done' | grep . && return 1
    true
}
ok "a tree not yet built lists its commands, and says no more" sh -c \
    'make -n CUDA=no 2>complaints | grep -q cache.c.o && [ ! -s complaints ]'
run_it make CUDA=no build/cc/system/cache.c.o
mv stdout said
ok "one object is made alone" made system/cache.c system/process.c
ok "a tree is built" makes 131
ok "and what was made alone is not made anew" made bankscope.c instrument/first.c \
    instrument/second.c kernels/kernel.cu system/allocation.c
echo >build/cc/headers/old.h
touch program/compile/headers.txt
gone() { make CUDA=no >said 2>&1 && [ ! -e build/cc/headers/old.h ] && [ -e build/cc/headers/made ]; }
ok "a header that the table does not list goes" gone
ok "then make -n lists nothing" lists_nothing
ok "nor for the tests" lists_nothing tests
ok "and make makes nothing" sh -c 'make CUDA=no | grep -x "make: Nothing to be done for .all.\."'
echo 'int first(void); int kernel(void); enum { NUMBER = 2 };' >instrument/number.h
ok "a header is changed" makes 132
ok "what includes it is compiled, no more" made bankscope.c instrument/first.c kernels/kernel.cu
echo 'int process(void); int process(void) { return 2; }' >system/process.c
ok "what calls compilers is changed" makes 132
ok "with it, what is kept of theirs" made system/cache.c system/process.c
mv instrument/second.c kept.c
ok "a deleted source leaves the program" makes 112
ok "nothing is compiled for that" made
ok "and then make -n lists nothing" lists_nothing
mv kept.c instrument/third.c
ok "a new source joins it" makes 132
ok "and is what is compiled" made instrument/third.c
ok "CPPFLAGS count" makes 135 CPPFLAGS=-DMORE=3
ok "other flags compile all anew" makes 132 CFLAGS=-O1
ok "every source" made bankscope.c instrument/first.c instrument/third.c kernels/kernel.cu \
    system/allocation.c system/cache.c system/process.c
ok "CC may be several words" makes 132 CC='env -u NOTHING gcc'
if have clang; then
    ok "another compiler builds elsewhere" makes 132 CC=clang
    ok "build/bankscope is what was built last" test "$(readlink build/bankscope)" = clang/bankscope
    ok "going back compiles nothing" makes 132 CC='env -u NOTHING gcc'
    ok "nothing at all" made
fi
echo 'int first(void) { return' >instrument/first.c
ok "an error is one" sh -c '! make CUDA=no 2>said'
printf '#include "instrument/number.h"\nint first(void) { return 10; }\n' >instrument/first.c
ok "and is mended" makes 132

# What each writes, the other must not find in halves.
two_at_once() {
    for _ in 1 2 3; do
        rm -rf build
        make -j2 CUDA=no >first.said 2>&1 &
        first=$!
        make -j2 CUDA=no >second.said 2>&1 || {
            cat second.said
            return 1
        }
        wait $first || {
            cat first.said
            return 1
        }
        makes 132 || return 1
    done
    find build -name '*.[0-9]*' | grep . && return 1 # what is left of names in between
    true
}
ok "two makes at once" two_at_once

# The program writes the lessons' page, whatever else is made in the same call.
mkdir web
cp "$TREE/web/web.mk" web
rm -rf build
ok "the lessons' page is written by a program that is there" \
    make -j4 CUDA=no lessons_by='test -e build/bankscope && true' page-lessons all
finish
