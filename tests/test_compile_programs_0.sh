#!/bin/sh
# Half of tests/programs by clang without the toolkit (compile.sh).
. tests/tap.sh
. tests/compile.sh
check_compiling 0
finish
