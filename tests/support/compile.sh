# compile.sh - what tests of program/compile share; read behind tap.sh. Ends the test if there is no clang.
# shellcheck shell=sh
export BANKSCOPE_DATA="$TREE"
compile=$(dirname "$BANKSCOPE")/tests/test_compile
if ! "$compile" --compile "$WORK" --with clang --ptx-only tests/programs/saxpy.cu >"$WORK/first" 2>&1; then
    if grep -q 'there is no clang' "$WORK/first"; then
        skip "CUDA programs by clang" "there is no clang"
        finish
        exit
    fi
fi

# The runtime is not what is tested: what it would have is left open.
open_ends='-Xlinker --unresolved-symbols=ignore-all'
ptxas=$(command -v ptxas || command -v /usr/local/cuda/bin/ptxas)

# Newer instructions than clang's PTX says it has are what inline PTX may have.
assemble() {
    sed 's/^\.version .*/.version 8.8/; s/^\.target .*/.target sm_90/' "$1" >"$1.new" &&
        "$ptxas" -arch=sm_90 -c "$1.new" -o "$1.cubin"
}
by_clang() {
    mkdir -p "$WORK/$1"
    # shellcheck disable=SC2086 # several words
    "$compile" --compile "$WORK/$1" --with clang "tests/programs/$1.cu" $open_ends >"$WORK/$1/said" 2>&1 &&
        [ -x "$WORK/$1/program" ] && { [ -z "$ptxas" ] || assemble "$WORK/$1/0.ptx"; } >>"$WORK/$1/said" 2>&1
    echo $? >"$WORK/$1/status"
}
came_through() {
    read -r status <"$WORK/$1/status"
    [ "$status" -eq 0 ] && ! grep -q 'warning' "$WORK/$1/said" && return
    cat "$WORK/$1/said"
    false
}
