#!/bin/sh
# PTX of Triton, CuPy, PyTorch and Numba: passes and conflicts in shared memory and requests and sectors in global memory are
# those that an H100 counted (tests/data/h100-python.tsv), or the row says for what reason they differ.
. tests/support/tap.sh
if "$BANKSCOPE" --version | grep -q 'without libdw'; then
    skip "kernels of Triton" "needs libdw"
    finish
    exit
fi
if ! have jq; then
    skip "kernels of Triton" "needs jq"
    finish
    exit
fi

# counted OP: "passes conflicts" of the launch: of its loads or stores, those of matrices included. What copies and
# products of warpgroups do is not in the GPU's counters of loads and stores.
counted() {
    jq -r --arg op "$1" '[.launches[0].lines[] | select(.op == $op or .op == "matrix-" + $op)] |
        "\(map(.passes) | add // 0) \(map(.conflicts) | add // 0)"' "$WORK/report.json"
}
# Requests and sectors of loads, stores, reductions and atomics.
sectors() {
    jq -r '.launches[0].global | [.load, .store, .reduction, .atomic] | map("\(.requests) \(.sectors)") | join(" ")' \
        "$WORK/report.json"
}
grep -v '^#\|^name' tests/data/h100-python.tsv >"$WORK/rows"
tab=$(printf '\t')
while IFS=$tab read -r name call arrays load load_conflicts store store_conflicts ld lds st sts red reds atom atoms rest; do
    requests="$ld $lds $st $sts $red $reds $atom $atoms" rest="$tab$rest"
    set --
    while [ -n "$arrays" ]; do
        set -- "$@" --array "${arrays%%;*}"
        case $arrays in *\;*) arrays=${arrays#*;} ;; *) arrays= ;; esac
    done
    run_it timeout 120 "$BANKSCOPE" run "tests/data/ptx-python/$name.ptx" --call "$call" "$@" \
        --memory all --json="$WORK/report.json"
    if grep -Eq 'instruction is not known: .*(wgmma|tensormap)' "$WORK/stderr"; then
        skip "$name" "the machine lacks an instruction of it"
        continue
    fi
    ok "$name runs, without faults" sh -c "cat '$WORK/stderr'; test $status -eq 0 -a ! -s '$WORK/stderr'"
    case $rest in
    *"${tab}load: "*) skip "$name: loads" "${rest##*"$tab"load: }" ;;
    *) ok "$name: $load passes of loads" test "$(counted load)" = "$load $load_conflicts" ;;
    esac
    case $rest in
    *"${tab}store: "*) skip "$name: stores" "${rest##*"$tab"store: }" ;;
    *) ok "$name: $store passes of stores" test "$(counted store)" = "$store $store_conflicts" ;;
    esac
    case $rest in
    *"${tab}global: "*) skip "$name: global memory" "${rest##*"$tab"global: }" ;;
    *) ok "$name: requests and sectors in global memory" test "$(sectors)" = "$requests" ;;
    esac
done <"$WORK/rows"
run_it "$BANKSCOPE" run tests/data/ptx-python/transpose.ptx --array 'f32 o[4096]' --array 'f32 x[4096] = 1' \
    --call 'k_transpose<<<1, 128, 16384>>>(o, x, 64, 64)'
ok "lines are those of the Python source" grep -q 'python_kernels.py:[0-9]* .*tl.trans' "$WORK/stdout"
finish
