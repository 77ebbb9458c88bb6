#!/bin/sh
# The front door: help, version, wrong commands and options.
. tests/support/tap.sh

run_it "$BANKSCOPE" help
ok "help lists the commands" grep -Eq '^  help +[a-z]' "$WORK/stdout"
ok "help ends with status 0" test "$status" -eq 0

run_it "$BANKSCOPE" --version
ok "--version names the program and a version" grep -Eq '^bankscope [0-9]+\.[0-9]+' "$WORK/stdout"

# Every command in the list explains itself, both ways alike, or says what it was built without.
"$BANKSCOPE" help | sed -n 's/^  \([a-z]*\) .*/\1/p' >"$WORK/commands"
explains_itself() {
    if ! "$BANKSCOPE" help "$1" >"$WORK/help"; then
        "$BANKSCOPE" help | grep "^  $1 .*(not in this build)"
        return
    fi
    head -n 1 "$WORK/help" | grep "^usage: bankscope $1" &&
        "$BANKSCOPE" "$1" --help | diff - "$WORK/help"
}
while read -r command; do
    ok "help $command explains it" explains_itself "$command"
    [ "$command" = help ] || ! "$BANKSCOPE" help "$command" >/dev/null 2>&1 ||
        refuses "$command refuses an unknown option" 2 "^bankscope $command: .*--no-such-option" \
            "$BANKSCOPE" "$command" --no-such-option
done <"$WORK/commands"

refuses "no command is a usage error" 2 "^bankscope: no command given" "$BANKSCOPE"
refuses "an unknown command names the nearest" 2 "no command 'hlep'.*'help'" "$BANKSCOPE" hlep
refuses "a far word names no command" 2 "no command 'xyzzyxyzzy' \(" "$BANKSCOPE" xyzzyxyzzy
refuses "control characters do not break the line" 2 "no command" "$BANKSCOPE" "$(printf 'a\nb\033')"
refuses "help explains known commands only" 2 "^bankscope help: .*'nothing'" "$BANKSCOPE" help nothing

run_it "$BANKSCOPE" list cf-merge
ok "list names the paper that a kernel is from" grep -Eq \
    '^ +cfmerge: .*Eliminating Bank Conflicts in GPU Mergesort' "$WORK/stdout"
run_it "$BANKSCOPE" list stride --json
ok "and so does its JSON" grep -q 'Eliminating Bank Conflicts' "$WORK/stdout"

to_full_disk() {
    "$@" >/dev/full
}
if [ -c /dev/full ]; then
    refuses "a full disk is a failure" 1 "cannot write to standard output" \
        to_full_disk "$BANKSCOPE" help
else
    skip "a full disk is a failure" "no /dev/full here"
fi
finish
