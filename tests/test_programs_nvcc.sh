#!/bin/sh
# programs: those that nvcc compiles otherwise than clang, by nvcc, see programs.sh.
. tests/tap.sh
. tests/programs.sh

check_compiled
finish
