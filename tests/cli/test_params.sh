#!/bin/sh
# params: a kernel's parameters are bound to its struct by name. However the members are ordered, a
# kernel runs as before, or it does not compile.
. tests/support/tap.sh

# A copy of kernels/NAME.cu with the struct's members in the opposite order.
reversed() {
    awk -v name="$1" '
        $0 == "struct " name " {" { inside = 1 }
        inside && /^    int / {
            sub(/^    int /, "")
            sub(/;$/, "")
            n = split($0, member, /, */)
            line = "    int " member[n]
            while (--n)
                line = line ", " member[n]
            print line ";"
            inside = 0
            next
        }
        { print }' "kernels/$1.cu" >"$WORK/$1.cu"
    ! cmp -s "kernels/$1.cu" "$WORK/$1.cu"
}

runs_as_before() {
    reversed "$1" || return
    name=$(echo "$1" | tr _ -)
    shift
    "$BANKSCOPE" run "$name" "$@" >"$WORK/before" || return
    "$BANKSCOPE" run "$WORK/$(echo "$name" | tr - _).cu" "$@" >"$WORK/after" || return
    diff "$WORK/before" "$WORK/after"
}
ok "stride, reversed" runs_as_before stride w=12 u=24 s=6 rounds=3
ok "wide, reversed" runs_as_before wide bytes=4 s=3 blocks=2
ok "transpose, reversed" runs_as_before transpose variant=padded w=8 u=8
ok "a kernel of several launches, reversed" runs_as_before bcf_sort n=300 blocks=2

# Functions that kernels share know the first members of their structs.
does_not_compile() {
    reversed "$1" || return
    ! "$BANKSCOPE" run "$WORK/$1.cu" >"$WORK/stdout" 2>"$WORK/stderr" &&
        grep "$2" "$WORK/stderr" && tail -n 1 "$WORK/stderr" | grep 'does not compile'
}
ok "thrust-merge, reversed, is refused" does_not_compile thrust_merge 'not where struct merge_params has it'
ok "cf-sort, reversed, is refused" does_not_compile cf_sort 'not where struct sort_params has it'
ok "search-pbs, reversed, is refused" does_not_compile search_pbs 'not where struct search_params has it'
ok "batcher-sort, reversed, is refused" does_not_compile batcher_sort 'not where struct network_params'

# edited NAME PATTERN SED: an error in the stride kernel's parameters.
edited() {
    sed "$3" kernels/stride.cu >"$WORK/edited.cu"
    refuses "$1" 1 "^bankscope run: .*$2" "$BANKSCOPE" run "$WORK/edited.cu"
}
edited "a member that is no parameter is refused" 'struct has 6 members, of which 5 are' 's/s, rounds;/s, rounds, more;/'
edited "a member that is two parameters is refused" 'two parameters for s' '/PARAM(rounds/s/rounds,/s,/'
sed 's/s, rounds;/s; float rounds;/' kernels/stride.cu >"$WORK/edited.cu"
# shellcheck disable=SC2016 # $1 and $2 are the inner shell's
ok "a parameter that is no int is refused" sh -c \
    '! "$1" run "$2" 2>&1 | tail -n 1 | grep -v "does not compile"' - "$BANKSCOPE" "$WORK/edited.cu"

# As many as one likes.
many=$(seq 1 40 | sed 's/.*/extra&/' | paste -sd ,)
awk -v many="$many" '
    /^    int w, u, blocks, s, rounds;/ { sub(/;/, ", " many ";") }
    { print }
    /^PARAMS/ {
        for (i = 1; i <= 40; i++)
            print "    PARAM(extra" i ", 0, 0, 9, \"no more than a number\"),"
    }' kernels/stride.cu >"$WORK/many.cu"
run_it "$BANKSCOPE" run "$WORK/many.cu" w=12 u=12 s=6 extra39=7 extra1=2
ok "45 parameters are taken" grep -q '^stride: extra1=2 .*extra39=7 extra40=0 w=12 u=12 s=6 rounds=1,' \
    "$WORK/stdout"
ok "and the kernel runs" grep -Eq '^read +load +1 +12 +6 +5 +6$' "$WORK/stdout"

# ---- what adds up over launches and blocks -------------------------------------------------------

refuses "too many blocks in all launches" 1 '23 launches of 4000000 blocks exceed the limit' \
    timeout 20 "$BANKSCOPE" run thrust-sort w=2 u=2 E=2 n=16000000
"$BANKSCOPE" run thrust-merge w=4 u=4 E=2 blocks=2 order=model --input splits=2,0,2,0,0,2,0,2 \
    -o "$WORK/splits.jsonl" >"$WORK/stdout"
ok "each block has splits of its own" sh -c \
    'grep "\"merge\",\"round\":0,.*\"block\":0,.*\"ABAB\"" "$1" &&
        grep "\"merge\",\"round\":0,.*\"block\":1,.*\"BABA\"" "$1"' - "$WORK/splits.jsonl"
finish
