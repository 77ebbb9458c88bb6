#!/bin/sh
# programs: a third of the course's programs, see programs.sh.
. tests/support/tap.sh
. tests/support/programs.sh

check_programs 2
finish
