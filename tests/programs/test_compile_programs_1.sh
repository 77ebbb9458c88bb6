#!/bin/sh
# Half of tests/programs by clang without the toolkit (compile.sh).
. tests/support/tap.sh
. tests/support/compile.sh
check_compiling 1
finish
