# programs.sh - what tests/programs/test_programs_N.sh share: every third program of tests/programs, from the
# first one that N says, is run as it stands; its own check must pass, the checker must find nothing,
# and its passes in shared memory must be those that a GPU counted (tests/data/h200-programs.tsv),
# except where that table says what the compiler did, clang 14 there. Of these, every third; all in
# `make check-long`: test_counts.sh has all of them compiled, checked and counted in the same way, and what `run`
# itself adds, its table and its JSON, 19 programs show. By one worker: with several, bfs has as many
# accesses as its blocks happen to find nodes (2 of 40 runs differed). test_programs_nvcc.sh runs those once
# more for which nvcc's code has another reason, or none.
# shellcheck shell=sh

# run_one PROGRAM: leaves what it said in $WORK/NAME.out, the status in NAME.status.
run_one() {
    name=${1##*/} name=${name%.cu} status=0
    "$BANKSCOPE" run --jobs 1 --json="$WORK/$name.json" "$1" >"$WORK/$name.out" 2>&1 || status=$?
    echo "$status" >"$WORK/$name.status"
}
# For all that ran, in NAME.counts how many faults there are, and a line for each launch. Copies from global
# memory are stores here; a GPU counts them apart, and only their instructions are compared, for their passes
# depend on what they read, too.
count_all() {
    jq -r '(input_filename | sub(".*/"; "") | rtrimstr(".json")) as $program |
        ([$program, "faults \(if .faults == [] then 0 else .faults end)"], (.launches[] |
        [.lines[] | select(.op == "async-store")] as $copies |
        [$program, .launch, .kernel, .load.passes, .store.passes - ($copies | map(.passes) | add // 0),
            .atomic.passes, ($copies | map(.instructions) | add // 0)])) | @tsv' \
        "$WORK"/*.json | awk -F '\t' -v folder="$WORK" '
            { print NF == 2 ? $2 : $0 >(folder "/" $1 ".counts") }'
}

runs_right() {
    read -r status <"$WORK/$1.status"
    [ "$status" -eq 0 ] && grep -q ': all values are right$' "$WORK/$1.out" && ! grep 'warning:' "$WORK/$1.out" &&
        grep -qx 'faults 0' "$WORK/$1.counts" && return
    cat "$WORK/$1.out" "$WORK/$1.counts"
    false
}

# differences PROGRAM COLUMN: "NAME LAUNCH KERNEL OPERATION: predicted and counted" for each difference
# that this column of the table does not explain, and for launches that only one side has.
differences() {
    awk -F '\t' -v program="$1" -v differs="$2" '
        # Profilers name the arguments of templates otherwise.
        function plain(kernel) {
            sub(/<.*/, "", kernel)
            return kernel
        }
        /^#/ { next }
        /^program\t/ {
            for (i = 1; i <= NF; i++)
                column[$i] = i
            next
        }
        NR == FNR {
            if ($1 == program) {
                key = $column["launch"] FS plain($2)
                counted[key] = $column["ld.sass_passes"] + $column["ldsm.sass_passes"] FS \
                    $column["st.sass_passes"] + $column["stsm.sass_passes"] FS \
                    $column["atom.sass_passes"] FS $column["copy.instructions"]
                explained[key] = $column[differs]
            }
            next
        }
        NF > 1 {
            key = $2 FS plain($3)
            if (!(key in counted)) {
                print program, "launch", $2, $3 ": not in the table"
                next
            }
            split(counted[key], count, FS)
            split("ld st atom copy", operation, " ")
            reason = explained[key]
            sub(/:.*/, "", reason)
            for (i = 1; i <= 4; i++)
                if ($(3 + i) != count[i] && index("," reason ",", "," operation[i] ",") == 0)
                    print program, "launch", $2, $3, operation[i] ": predicted", $(3 + i) \
                        ", counted", count[i]
            delete counted[key]
        }
        END {
            for (key in counted)
                print program ": launch " key " is in the table only"
        }' "$TREE/tests/data/h200-programs.tsv" "$WORK/$1.counts"
}

# counts_as_gpu PROGRAM COLUMN
counts_as_gpu() {
    differences "$@" >"$WORK/$1.differences"
    [ ! -s "$WORK/$1.differences" ] && return
    cat "$WORK/$1.differences"
    false
}

can_run() {
    if ! runs_programs || ! have jq; then
        skip "programs" "needs clang, libdw and jq"
        return 1
    fi
}

# check_programs FIRST
check_programs() {
    can_run || return 0
    counted_with=
    if have clang-14; then
        export CLANG=clang-14 # of which the table speaks
        counted_with=clang
    fi
    every=9
    ! is_long || every=3
    # shellcheck disable=SC2046 # a list
    set -- $(printf '%s\n' tests/programs/*.cu | awk -v every=$every -v first="$1" 'NR % every == first')
    number=0
    for program; do
        number=$((number + 1))
        run_one "$program" &
        [ $((number % 2)) -ne 0 ] || wait
    done
    wait
    count_all
    for program; do
        name=${program##*/} name=${name%.cu}
        ok "$name runs right" runs_right "$name"
        [ "$counted_with" ] || continue
        grep -q "^$name	" tests/data/h200-programs.tsv || continue # not counted yet
        ok "$name has the passes that a GPU counted" counts_as_gpu "$name" clang
    done
}

# Programs of whose kernels the table says that their passes differ by clang's code, and not, or otherwise, by
# nvcc's.
told_apart() {
    awk -F '\t' '/^#/ { next }
        /^program\t/ { for (i = 1; i <= NF; i++) column[$i] = i; next }
        $column["clang"] != $column["nvcc"] && !seen[$1]++ { print $1 }' tests/data/h200-programs.tsv
}

# With the nvcc whose code the GPU ran.
check_compiled() {
    can_run || return 0
    for nvcc in "$(command -v nvcc)" /usr/local/cuda/bin/nvcc; do
        [ -x "$nvcc" ] && "$nvcc" --version | grep -q 'release 13\.0,' && break
        nvcc=
    done
    if [ -z "$nvcc" ]; then
        skip "passes of nvcc's code" "there is no nvcc 13.0"
        return
    fi
    export NVCC="$nvcc"
    names=$(told_apart)
    is_long || names=$(echo "$names" | head -n 1) # test_counts.sh has nvcc's PTX of all of them
    number=0
    for name in $names; do
        number=$((number + 1))
        run_one "tests/programs/$name.cu" &
        [ $((number % 2)) -ne 0 ] || wait
    done
    wait
    count_all
    for name in $names; do
        ok "$name has the passes that a GPU counted, by nvcc's code" \
            counts_as_gpu "$name" nvcc
    done
}
