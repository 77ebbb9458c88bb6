#!/bin/sh
# programs: those that nvcc widens, as its machine code has them, see programs.sh.
. tests/tap.sh
. tests/programs.sh

check_compiled
finish
