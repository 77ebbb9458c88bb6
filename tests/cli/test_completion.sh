#!/bin/sh
# Completion: what bash and zsh offer, and that it is what the commands take.
. tests/support/tap.sh

# when COMMAND ok ...: a case of a command that may be left out of this build.
when() {
    command=$1
    shift
    if "$BANKSCOPE" help "$command" >/dev/null 2>&1; then
        "$@"
    else
        skip "$2" "$command is not in this build"
    fi
}
cd "$WORK" || exit 1
mkdir bin && ln -s "$BANKSCOPE" bin/bankscope
touch one.jsonl two.jsonl.zst three.jsonl.gz mine.cu notes.txt 'a trace.jsonl'
mkdir sub

# Every option that a help text explains is completed, and no other.
explained() {
    for command in $("$BANKSCOPE" --complete '' | cut -f1 | grep -v '^--'); do
        # A line explains one option, or several with a comma between them.
        "$BANKSCOPE" help "$command" | sed -n 's/^ *\(\(-[a-z-]*, \)*--[a-z-]*\).*/\1/p' |
            tr -s ', ' '\n\n' | grep '^--' | sort -u >help
        # -o is explained, and its long form taken as well.
        "$BANKSCOPE" --complete "$command" -- | sed '/^--output$/d' | sort -u >complete
        diff help complete || { echo "(of $command)"; return 1; }
    done
}
ok "each command's options are those of its help" explained
candidates() { # PATTERN WORD...
    pattern=$1
    shift
    "$BANKSCOPE" --complete "$@" >said
    cat said
    grep -qE "^$pattern" said
}
when export ok "an option's value" candidates 'dark$' export --theme ''
when export ok "after '=', too" candidates '--theme=dark$' export --theme=
when export ok "a short option's" candidates '	files$' export -o ''
ok "a kernel's parameters" candidates 'E=	' run cf-merge ''
ok "and the words that one may be" candidates 'variant=padded$' run transpose variant=
when lesson ok "lessons" candidates 'banks$' lesson ''
refuses_nothing() {
    "$BANKSCOPE" --complete "$@" >said 2>&1 && ! [ -s said ]
}
ok "an unknown command has none" refuses_nothing none ''
ok "a number has none" refuses_nothing run --seed ''

# reply WORD...: what bash offers for the last word, one a line.
cat >reply.bash <<'END'
PATH=$PWD/bin:$PATH
shopt -s extglob
source "$1"
shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_bankscope
printf '%s\n' "${COMPREPLY[@]}"
END
offers() { # EXPECTED WORD...: with blanks between what is expected
    expected=$1
    shift
    bash reply.bash "$TREE/share/completion.bash" bankscope "$@" >said 2>stderr
    cat said stderr
    [ "$(sort said | tr '\n' ' ' | sed 's/ $//')" = "$expected" ] && ! [ -s stderr ]
}
if have bash; then
    when lesson ok "bash: commands" offers 'lesson list' l
    ok "bash: kernels" offers 'cf-merge cf-sort cf-sort4 cf-split' run cf-
    ok "bash: options" offers '--schedule --seconds --seed --show' run stride --s
    when view ok "bash: values" offers 'light' view x --theme l
    when view ok "bash: values after '='" offers 'light' view x --theme = l
    ok "bash: parameters" offers 'rounds=' run stride ro
    ok "bash: a parameter's words" offers 'padded' run transpose variant = p
    ok "bash: a parameter's words, none typed" offers 'diagonal in-place naive padded swizzled' \
        run transpose variant =
    ok "bash: traces and kernels" offers \
        'three.jsonl.gz thrust-merge thrust-sort transpose two.jsonl.zst' stats t
    ok "bash: files that may be in a folder" offers 'bin' stats bi
    ok "bash: a user's kernels" offers 'mine.cu' check m
    when export ok "bash: any file" offers 'notes.txt' export -o n
    ok "bash: by the program's path" sh -c 'bash reply.bash "$1" ./bin/bankscope verif | grep -qx verify' \
        - "$TREE/share/completion.bash"
else
    skip "bash completes" "no bash here"
fi

# In zsh the functions of its completion system, which draw the list, print what they are given.
cat >reply.zsh <<'END'
path=($PWD/bin $path)
_describe() {
    print -rl -- "${(@P)4}"
}
_files() {
    print -r -- "files $*"
}
file=$1
shift
words=("$@")
CURRENT=$#
source $file
END
zsh_offers() { # PATTERN WORD...
    pattern=$1
    shift
    zsh -f reply.zsh "$TREE/share/completion.zsh" bankscope "$@" >said 2>stderr
    cat said stderr
    grep -qx -e "$pattern" said && ! [ -s stderr ]
}
if have zsh; then
    ok "zsh: commands, with what they do" zsh_offers 'verify:compare .*' ''
    ok "zsh: kernels" zsh_offers 'cf-merge:CF-Merge\\*: .*' run ''
    ok "zsh: options" zsh_offers '--seed' run -
    ok "zsh: parameters" zsh_offers 'rounds=:.*' run stride ''
    ok "zsh: a parameter's words" zsh_offers 'variant=padded' run transpose variant=
    when view ok "zsh: values" zsh_offers dark view x --theme ''
    ok "zsh: traces" zsh_offers 'files -g \*\.(cu|jsonl|jsonl.zst|jsonl.gz)' stats ''
    when export ok "zsh: any file" zsh_offers 'files ' export -o ''
    when view ok "zsh: a word in quotes" zsh_offers dark view "'a file'" --theme ''
else
    skip "zsh completes" "no zsh here"
fi
finish
