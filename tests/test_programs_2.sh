#!/bin/sh
# programs: a third of the course's programs, see programs.sh.
. tests/tap.sh
. tests/programs.sh

check_programs 2
finish
