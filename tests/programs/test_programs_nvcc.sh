#!/bin/sh
# programs: those that nvcc compiles otherwise than clang, by nvcc, see programs.sh.
. tests/support/tap.sh
. tests/support/programs.sh

check_compiled
finish
