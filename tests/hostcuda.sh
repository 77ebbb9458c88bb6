# hostcuda.sh - for tests of CUDA programs as they stand; read behind tap.sh. Ends the test if there is
# nothing to compile them with.
# shellcheck shell=sh
if ! have g++; then
    skip "CUDA programs as they stand" "there is no g++"
    finish
    exit
fi
case $("$BANKSCOPE" --version) in
*"without libdw"*)
    skip "CUDA programs as they stand" "built without libdw"
    finish
    exit
    ;;
esac

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
