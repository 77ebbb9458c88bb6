#!/bin/sh
# doc/papers.md: each item of the papers is there, each command in it succeeds and says what the page says,
# and each test that it names exists. README.md's claims for artifact evaluation, and the container's steps.
. tests/support/tap.sh

page=$TREE/doc/papers.md

# Rows of the tables as lines "paper, item, command cell, test cell", with tabs between.
awk -F ' *[|] *' '/^## / { paper = $2 ? $2 : $0; sub(/^## /, "", paper) }
    /^\| / && $2 != "item" && $2 != "paper" { printf "%s\t%s\t%s\t%s\n", paper, $2, $3, $4 }' \
    "$page" >"$WORK/rows"

# has_all PAPER KIND FIRST LAST: each of its figures, lemmas and so on has a row.
has_all() {
    for number in $(seq "$3" "$4"); do
        awk -F '\t' -v paper="$1" -v item="$2 $number" '
            $1 == paper && (", " $2 ",") ~ (", " item "[,:]") { found = 1 } END { exit !found }' "$WORK/rows" ||
            { echo "$1 has no row for $2 $number" && return 1; }
    done
}
while read -r paper kind first last; do
    ok "$paper, $kind $first to $last" has_all "$paper" "$kind" "$first" "$last"
done <<END
cfmerge Figure 1 8
cfmerge Lemma 1 2
cfmerge Corollary 3 3
cfmerge Lemma 4 7
cfmerge Theorem 8 8
cfmerge Corollary 16 18
worstcase Figure 1 6
worstcase Lemma 1 2
worstcase Theorem 3 3
worstcase Lemma 7 8
worstcase Theorem 9 9
predecessor Figure 1 11
predecessor Algorithm 1 3
bcfsort Figure 1 9
bcfsort Lemma 1 2
bcfsort Algorithm 1 7
END
names_all_figures() {
    "$BANKSCOPE" figure --list | sed -n 's/^\([a-z]*\)-\([0-9]*\) .*/\1 \2/p' | grep -v '^beyond' >"$WORK/figures" &&
        while read -r paper number; do has_all "$paper" Figure "$number" "$number" || return; done <"$WORK/figures"
    [ "$(wc -l <"$WORK/figures")" -gt 30 ]
}

# What stands between backquotes in a cell, one a line.
quoted() {
    printf '%s\n' "$1" | awk -F '`' '{ for (i = 2; i <= NF; i += 2) print $i }'
}
# names_a_test CELL: "`test_NAME.sh: words`", each a file of tests/ with these words in it.
names_a_test() {
    quoted "$1" >"$WORK/names"
    while IFS= read -r name; do
        grep -qF -e "${name#*: }" "$TREE"/tests/*/"${name%%: *}" || { echo "no test: $name" && return 1; }
    done <"$WORK/names"
    [ -s "$WORK/names" ]
}
# says COMMAND: it succeeds, and each further line of standard input is in its output or its file.
says() {
    file=$(printf '%s\n' "$1" | sed -n 's/.* -o //p')
    (cd "$WORK" && eval "set -- ${1#bankscope }" && "$BANKSCOPE" "$@") >"$WORK/output" || return
    [ -z "$file" ] || [ -s "$WORK/$file" ] || return
    tr -s ' ' <"$WORK/output" >"$WORK/squeezed"
    while IFS= read -r words; do
        grep -qF -e "$words" "$WORK/squeezed" || { echo "it does not say: $words" && cat "$WORK/output" && return 1; }
    done
}
tries_cell() {
    quoted "$1" >"$WORK/cell"
    IFS= read -r command <"$WORK/cell"
    case $command in "bankscope "*) ;; *) echo "no command: $1" && return 1 ;; esac
    sed 1d "$WORK/cell" | says "$command"
}

drawn=yes
"$BANKSCOPE" help figure >/dev/null 2>&1 || drawn=no
[ $drawn = no ] || ok "every figure of the program is in doc/papers.md" names_all_figures
while IFS='	' read -r paper item command test; do
    case $command in
    *"bankscope figure"* | *".pdf"*) needs=drawing ;;
    *"bankscope "*) needs= ;;
    *) continue ;; # a row of words
    esac
    if [ "$needs" ] && [ $drawn = no ]; then
        skip "$paper, $item: $command" "this build has no cairo"
    else
        ok "$paper, $item: $command" tries_cell "$command"
    fi
    [ -z "$test" ] || ok "$paper, $item: its test" names_a_test "$test"
done <"$WORK/rows"
# README.md, for artifact evaluation: what its commands print ("..." stands for anything), and how many files
# `make figures` makes: five of each figure, and what each shows.
awk -F ' *[|] *' '/^## / { inside = $0 == "## For artifact evaluation" }
    inside && $3 ~ /^`build\/bankscope/ { gsub(/`/, ""); printf "%s\t%s\n", $3, $5 }' "$TREE/README.md" >"$WORK/claims"
expects() { # COMMAND WORDS
    (cd "$TREE" && eval "set -- $1" && shift && "$BANKSCOPE" "$@") >"$WORK/output" || return
    tr -s ' ' <"$WORK/output" | grep -q -e "$(echo "$2" | sed 's/ *\.\.\. */.*/')" || { cat "$WORK/output" && false; }
}
while IFS='	' read -r command words; do
    ok "README.md: $command" expects "$command" "$words"
done <"$WORK/claims"
ok "README.md has claims" test "$(wc -l <"$WORK/claims")" -gt 4
files=$(($("$BANKSCOPE" figure --list 2>/dev/null | grep -vc ' missing: ') * 5 + 1))
[ $drawn = no ] || ok "make figures makes $files files" grep -q "^| .*\`make figures\`.* $files files" "$TREE/README.md"
packages_are_known() {
    # shellcheck disable=SC2046 # a list of words
    SETUP=no "$TREE/.ci/setup" $(sed -n 's|^RUN .ci/setup \([a-z ]*\)&& make && make figures$|\1|p' "$TREE/doc/Containerfile" | grep .)
}
ok "the container's steps are there" packages_are_known
ok "there are rows" test "$(wc -l <"$WORK/rows")" -gt 90
finish
