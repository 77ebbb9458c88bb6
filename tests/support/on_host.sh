# on_host.sh - for tests that run the GPU's sort on this machine; read behind tap.sh.
# shellcheck shell=sh

# sorts_on_host WHAT WANTED FEW SOURCE WORD...: the program prints as many lines "right" as are wanted, and the
# checker finds nothing. Compiling takes longest, so that only `make check-long` sorts items of every kind;
# otherwise those of one kind, and FEW lines are wanted.
sorts_on_host() {
    case $BANKSCOPE in
    *-san/*) # what executes kernels has none: nothing new would be seen
        skip "$1" "this build has sanitizers"
        return
        ;;
    esac
    if ! runs_programs; then
        skip "$1" "needs clang and libdw"
        return
    fi
    what=$1 wanted=$2 few=
    is_long || few=-DFEW_KINDS wanted=$3
    shift 3
    # It takes half as long if it optimizes less.
    run_it env CLANG=tests/support/clang-O1 "$BANKSCOPE" run -I . --no-nvcc $few "$@"
    ok "$what" test "$(grep -c '^right' "$WORK/stdout")" -eq "$wanted"
    # shellcheck disable=SC2154 # run_it sets it
    ok "no race, no read of what nobody wrote" test "$status" -eq 0
}
