# programs.sh - what tests/test_programs_N.sh share: every third program of tests/programs, from the
# first one that N says, is run as it stands; its own check must pass, the checker must find nothing,
# and its passes in shared memory must be those that a GPU counted (tests/data/h200-programs.tsv),
# except where that table says what nvcc did.
# shellcheck shell=sh

# run_one PROGRAM: leaves what it said in $WORK/NAME.out, the counts in NAME.json, the status in NAME.status
run_one() {
    name=$(basename "$1" .cu)
    status=0
    "$BANKSCOPE" run --json="$WORK/$name.json" "$1" >"$WORK/$name.out" 2>&1 || status=$?
    echo "$status" >"$WORK/$name.status"
}

runs_right() {
    cat "$WORK/$1.out"
    [ "$(cat "$WORK/$1.status")" -eq 0 ] && grep -q ': all values are right$' "$WORK/$1.out" &&
        jq -e '.faults == []' "$WORK/$1.json"
}

# Copies from global memory are stores here; a GPU counts them apart.
predicted() {
    jq -r --arg program "$1" '.launches[] | ([.lines[] | select(.op == "async-store").passes] | add // 0)
        as $copies | [$program, .launch, .kernel, .load.passes, .store.passes - $copies,
        .atomic.passes] | @tsv' "$WORK/$1.json"
}

# "NAME LAUNCH KERNEL OPERATION: predicted and counted" for each difference that the table does not
# explain, and for launches that only one side has.
differences() {
    predicted "$1" | awk -F '\t' -v program="$1" '
        /^#/ { next }
        /^program\t/ {
            for (i = 1; i <= NF; i++)
                column[$i] = i
            next
        }
        NR == FNR {
            if ($1 == program) {
                key = $column["launch"] FS $2
                counted[key] = $column["ld.sass_passes"] FS $column["st.sass_passes"] FS \
                    $column["atom.sass_passes"]
                explained[key] = $column["differs"]
            }
            next
        }
        {
            key = $2 FS $3
            if (!(key in counted)) {
                print program, "launch", $2, $3 ": not in the table"
                next
            }
            split(counted[key], count, FS)
            split("ld st atom", operation, " ")
            reason = explained[key]
            sub(/:.*/, "", reason)
            for (i = 1; i <= 3; i++)
                if ($(3 + i) != count[i] && index("," reason ",", "," operation[i] ",") == 0)
                    print program, "launch", $2, $3, operation[i] ": predicted", $(3 + i) \
                        ", counted", count[i]
            delete counted[key]
        }
        END {
            for (key in counted)
                print program ": launch " key " is in the table only"
        }' "$TREE/tests/data/h200-programs.tsv" -
}

counts_as_gpu() {
    differences "$1" >"$WORK/$1.differences"
    cat "$WORK/$1.differences"
    [ ! -s "$WORK/$1.differences" ]
}

# check_programs FIRST
check_programs() {
    if ! have g++ jq; then
        skip "programs" "there is no g++ or no jq"
        return
    fi
    case $("$BANKSCOPE" --version) in
    *"without libdw"*)
        skip "programs" "built without libdw"
        return
        ;;
    esac
    number=0
    for program in tests/programs/*.cu; do
        number=$((number + 1))
        [ $((number % 3)) -eq "$1" ] || continue
        run_one "$program" &
        [ $((number / 3 % 2)) -eq 0 ] || wait
    done
    wait
    number=0
    for program in tests/programs/*.cu; do
        number=$((number + 1))
        [ $((number % 3)) -eq "$1" ] || continue
        name=$(basename "$program" .cu)
        ok "$name runs right" runs_right "$name"
        grep -q "^$name	" tests/data/h200-programs.tsv || continue # not counted yet
        ok "$name has the passes that a GPU counted" counts_as_gpu "$name"
    done
}
