# cuda.sh - for tests of CUDA programs as they stand; read behind tap.sh. Ends the test if there is
# nothing to compile them with.
# shellcheck shell=sh
if ! runs_programs; then
    skip "CUDA programs as they stand" "needs clang and libdw"
    finish
    exit
fi

# finds NAME PATTERN SOURCE...: the program made of these lines is run; what is said of it matches.
finds() {
    finds_name=$1 finds_pattern=$2
    shift 2
    printf '%s\n' '#include <cassert>' '#include <cstdio>' "$@" >"$WORK/fault.cu"
    run_it timeout 60 "$BANKSCOPE" run "$WORK/fault.cu" --seconds 2
    ok "$finds_name" sh -c "cat '$WORK/stderr'; grep -Eq '^bankscope run: .*$finds_pattern' '$WORK/stderr'"
}
# shellcheck disable=SC2034 # used by the tests
device='int *d; cudaMalloc(&d, 256); cudaMemset(d, 0, 256);'

# says NAME PATTERN COMMAND...: it fails with status 1, and a line on standard error matches.
# shellcheck disable=SC2154 # run_it sets status
says() {
    says_name=$1 says_pattern=$2
    shift 2
    run_it timeout 60 "$@"
    ok "$says_name" sh -c "cat '$WORK/stderr'; test $status -eq 1 && grep -Eq '$says_pattern' '$WORK/stderr'"
}
