#!/bin/sh
# What students might hand in to be graded better than they deserve, or to do harm. Each file of
# tests/cheats is a part of an exercise; its first line says of which one, what the verdict must be,
# and what the reason must match. All are graded as one class.
. tests/tap.sh

have cc || {
    skip "cheats" "no cc here"
    finish
    exit
}
mkdir "$WORK/in" "$WORK/tmp"
programs=$(runs_programs && echo yes)
[ "$programs" ] || skip "cheats in CUDA programs" "needs clang and libdw"
cheats=
for cheat in "$TREE"/tests/cheats/*.cu; do
    case $cheat in
    */program-*) cheats="$cheats ${programs:+$cheat}" ;;
    *) cheats="$cheats $cheat" ;;
    esac
done
for cheat in $cheats; do
    read -r _ lesson _ <"$cheat"
    name=${cheat##*/} exercise=$TREE/lessons/$lesson/exercise.cu
    sed -e '/your part begins/,/your part ends/{/your part begins/!{/your part ends/!d;};}' \
        -e "/your part begins/r $cheat" "$exercise" >"$WORK/in/$name"
done
TMPDIR=$WORK/tmp run_it "$BANKSCOPE" check "$WORK"/in/*.cu --seed 5 --csv "$WORK/marks.csv"
if grep -q 'cannot confine a process' "$WORK/stderr"; then
    skip "cheats" "no box here"
    finish
    exit
fi
ok "a class of cheats does not meet all goals" [ "$status" -eq 1 ]
ok "nobody meets all goals" grep -q '^0 of ' "$WORK/stdout"
ok "nothing is left behind" [ -z "$(ls -A "$WORK/tmp")" ]

judged() {
    grep -Eq "^\"$WORK/in/$1.cu\",.*,($2),0,.*($3)" "$WORK/marks.csv" && return
    grep "^\"$WORK/in/$1.cu\"," "$WORK/marks.csv"
    echo "(wanted: $2, $3)"
    false
}
for cheat in $cheats; do
    name=${cheat##*/} name=${name%.cu}
    IFS= read -r first <"$cheat"
    verdict=${first#*" | "} verdict=${verdict%%" | "*} pattern=${first#*" | "*" | "}
    case $BANKSCOPE in *-san/*) # the address sanitizer gives up where it cannot read its maps
        pattern="$pattern|it ended its process" ;;
    esac
    ok "$name: $verdict" judged "$name" "$verdict" "$pattern"
done

# The process of a CUDA program is in its box before anything of the program's runs: here an exercise
# itself does harm, before main() and in it, and crashes if any of that succeeds.
harms() { # STATUS OPTION...: checks a solution of that exercise
    wanted=$1
    shift
    solution 10-own-kernel >"$WORK/solved.cu"
    run_it "$BANKSCOPE" check "$WORK/solved.cu" --exercise "$WORK/harm" "$@"
    cat "$WORK/stdout" "$WORK/stderr"
    [ "$status" -eq "$wanted" ]
}
if [ "$programs" ]; then
    mkdir "$WORK/harm"
    victim=$WORK/victim
    echo precious >"$victim"
    cat >"$WORK/harm.txt" <<'END'
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>
static int harm()
{
    const char *victim = "@VICTIM@";
    pid_t child = fork();
    if (!child)
        _exit(0);
    return (child >= 0) + (open(victim, O_RDONLY) >= 0) + (open(victim, O_WRONLY | O_TRUNC) >= 0) +
           (socket(AF_UNIX, SOCK_STREAM, 0) >= 0) + !kill(getppid(), 0) + !chdir("/") +
           (getenv("PATH") != nullptr) +
           (mmap(0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED) +
           !unlink(victim);
}
static int before = harm();
END
    sed "s|@VICTIM@|$victim|" "$WORK/harm.txt" >"$WORK/harm.cu"
    sed -e "/^#include <cstdio>/r $WORK/harm.cu" -e '/^    fields<<</i\    if (before || harm()) abort();' \
        "$TREE/lessons/10-own-kernel/exercise.cu" >"$WORK/harm/exercise.cu"
    ok "no harm succeeds in a CUDA program" harms 0
    ok "nothing happened" grep -qx precious "$victim"
    ok "without a box it does" harms 1 --unconfined
    ok "and something happened" [ ! -e "$victim" ]
fi
finish
