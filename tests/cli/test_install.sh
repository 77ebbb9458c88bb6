#!/bin/sh
# `make install`: what is installed works without the source tree, wherever it is moved.
. tests/support/tap.sh

root="$WORK/the author's \"new\" disk & \\root"
prefix=/opt/bankscope
ok "make install, into a path with blanks and quotes" \
    make -C "$TREE" install PREFIX=$prefix DESTDIR="$root"
moved="$WORK/moved to somebody's \"place\""
ok "the installed tree moves" cp -R "$root$prefix" "$moved"
program=$moved/bin/bankscope
cd "$WORK" || exit 1
unset BANKSCOPE_DATA

ok "the program runs" "$program" list

# The man page is made from the help texts: all of each is in it, and man has nothing to object.
page=$moved/share/man/man1/bankscope.1
in_man_page() {
    "$program" help "$1" 2>/dev/null | sed -e 's/^ *//' -e '/^$/d' >help.txt
    ! grep -vxF -f page.txt help.txt # prints what is missing
}
if have man; then
    MANWIDTH=120 LC_ALL=C man --warnings -l "$page" 2>objections | col -bx | sed 's/^ *//' >page.txt
    ok "man shows the page" grep -q "^bankscope - " page.txt
    ok "man has no objections" cmp objections /dev/null
    # But those that only tests set, which window.h explains.
    for variable in $(cd "$TREE" && git grep -hoE '(getenv\(|begin\(.*, )"[A-Z_]+"' -- '*.c' ':!tests' |
        cut -d'"' -f2 | sort -u); do
        grep -q "environment variables are for tests.*$variable\|; $variable=" "$TREE/viewer/window/window.h" ||
            ok "the man page has the variable $variable" grep -qw "$variable" page.txt
    done
    for command in $("$program" help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
        ok "the man page has all of help $command" in_man_page "$command"
    done
else
    skip "the man page has the help texts" "no man here"
fi
ok "the kernels are there" test -s "$moved/share/bankscope/kernels/stride.cu"

if "$program" help lesson >/dev/null 2>&1; then
    ok "the lessons are there" "$program" lesson 1 --text
else
    ok "the lessons are there" test -s "$moved/share/bankscope/lessons/01-banks/lesson.md"
fi

if "$program" help figure >/dev/null 2>&1; then
    ok "the running times are there" "$program" figure bcfsort-7 -o -
else
    ok "the running times are there" test -s "$moved/share/bankscope/papers/h100-times.tsv"
fi

# A user's own kernel needs the headers that were installed.
sed 's/"stride"/"my-stride"/' "$moved/share/bankscope/kernels/stride.cu" >"$WORK/mine.cu"
run_it "$program" run mine.cu -p s=4
ok "a user's kernel is compiled and run" grep -q '^my-stride:.* s=4' "$WORK/stdout"

# All that an installed file includes by its folder came with it, and so every kernel runs.
includes_are_there() {
    (cd "$moved/share/bankscope" &&
        grep -rhoE '^ *# *include "(base|instrument|kernels|sort|system|viewer|teach)/[^"]*"' . |
        cut -d'"' -f2 | sort -u | while read -r header; do
            [ -s "$header" ] || { echo "$header is not there" && exit 1; }
        done)
}
ok "what installed files include is there" includes_are_there
# What is there is for somebody: kernels, programs with the machine in them, or another installed file.
all_headers_serve() {
    (cd "$moved/share/bankscope" &&
        for header in base/*.h instrument/*.h kernels/*.h sort/*.h; do
            case $header in
            instrument/instrument.h | instrument/simt_watched.h) continue ;; # what others begin with
            esac
            grep -rqE "^ *# *include \"$header\"" . || { echo "nothing includes $header" && exit 1; }
        done)
}
ok "and no header that only the program includes" all_headers_serve
for kernel in "$moved"/share/bankscope/kernels/*.cu; do
    ok "the installed ${kernel##*/} runs" "$program" run "$kernel"
done

headers_stand_alone() {
    for header in base/error.h base/memory.h base/text.h instrument/instrument.h instrument/simt.h kernels/kernel.h; do
        echo "#include \"$header\"" >include.c
        "${CC:-cc}" -std=gnu11 -Wall -Wextra -Werror -fsyntax-only \
            -I"$moved/include/bankscope" include.c || return 1
    done
}
ok "each header stands alone" headers_stand_alone
echo '#include <bankscope.h>' >include.c
ok "programs may name their stages for other compilers" "${CC:-cc}" -fsyntax-only \
    -I"$moved/include" include.c

# The machine is a library of its own: the example of doc/machine-library.md says what that page shows. Wherever it is
# below PREFIX, its headers are found.
machine_example() {
    make -s -C "$TREE" install PREFIX=/own DESTDIR="$WORK/without quotes" LIBDIR="$1" && # pkg-config cannot say them
        flags=$(PKG_CONFIG_PATH="$WORK/without quotes/own/$1/pkgconfig" pkg-config --cflags --libs --static bankscope-machine) &&
        eval "${CC:-cc} -std=gnu11 -Wall -Wextra -Werror -o example '$TREE/doc/machine-example.c' $flags" &&
        sed -n '/^    \.version/,/^    }/s/^    //p' "$TREE/doc/machine-library.md" >stride.ptx &&
        ./example <stride.ptx >said && cat said &&
        sed -n '/^    \(warp\|access\) [0-9]*: /s/^    //p' "$TREE/doc/machine-library.md" | cmp - said
}
if have pkg-config; then
    ok "a program uses the machine as a library" machine_example lib
    ok "in a distribution's folder, too" machine_example lib/some-machine
    refuses_ptx() {
        echo '.version 8.0 .target sm_80 .visible .entry k() { no.such; }' | ./example 2>said
        [ $? -eq 1 ] && cat said && grep -q 'standard input.*no\.such' said
    }
    ok "what it does not understand is named" refuses_ptx
else
    skip "a program uses the machine as a library" "no pkg-config here"
fi

# The desktop: a trace is known by its first line, and opens in the window.
share=$root$prefix/share
if have desktop-file-validate; then
    if "$program" help view >/dev/null 2>&1; then
        ok "the desktop file is valid" desktop-file-validate "$share/applications/bankscope.desktop"
    else
        ok "without a window there is no desktop file" test ! -e "$share/applications"
    fi
else
    skip "the desktop file is valid" "no desktop-file-validate here"
fi
known_as() { # TYPE FILE
    XDG_DATA_HOME=$WORK/data XDG_DATA_DIRS=/usr/share gio info -a standard::content-type "$2" |
        tee /dev/stderr | grep -q "content-type: $1\$"
}
if have update-mime-database; then
    mkdir -p "$WORK/data" && cp -R "$share/mime" "$WORK/data/mime"
    ok "the MIME types are valid" sh -c \
        'said=$(XDG_DATA_HOME=$1 update-mime-database "$1/mime" 2>&1)
        echo "$said"; [ -z "$said" ]' - "$WORK/data"
    if have gio && [ -s /usr/share/mime/globs2 ]; then
        "$program" run stride -o trace.jsonl >/dev/null
        cp trace.jsonl trace && gzip -k trace.jsonl
        echo '{"id":1}' >other.jsonl
        ok "a trace is known by its name" known_as application/x-bankscope-trace trace.jsonl
        ok "and by its first line" known_as application/x-bankscope-trace trace
        printf '//"format":"bankscope-trace"\nint main() {}\n' >results.cu
        is_no_trace() {
            known_as '.*' "$1" && ! known_as 'application/x-bankscope.*' "$1"
        }
        ok "a program that names the format is no trace" is_no_trace results.cu
        ok "compressed, too" known_as application/x-bankscope-trace+gzip trace.jsonl.gz
    else
        skip "a trace has a type" "needs gio and the types of the system"
    fi
else
    skip "the MIME types are valid" "no update-mime-database here"
fi
if "$program" help view >/dev/null 2>&1; then
    opens_types() {
        sed -n 's/.*mime-type type="\(.*\)".*/\1/p' "$share/mime/packages/bankscope.xml" >types
        cat types
        [ -s types ] && while read -r type; do
            grep -q "^MimeType=.*$type;" "$share/applications/bankscope.desktop" || return 1
        done <types
    }
    ok "the window opens all of them" opens_types
    # What a double click opens is nothing that runs.
    cat >click.cu <<'END'
#include <stdlib.h>
__attribute__((constructor)) static void harm() { system("touch harmed"); }
__global__ void kernel(int *g) { __shared__ int s[1]; s[0] = 1; g[0] = s[0]; }
int main() {}
END
    {
        echo '#include <stdlib.h>'
        echo '__attribute__((constructor)) static void harm(void) { system("touch harmed"); }'
        cat "$TREE/kernels/stride.cu"
    } >dialect.cu
    words=$(sed -n 's/^Exec=bankscope \(.*\) %f$/\1/p' "$share/applications/bankscope.desktop")
    for file in click.cu dialect.cu; do
        # shellcheck disable=SC2086 # words
        refuses "a double click on $file does not compile it" 1 "$file, line 1: not a JSON object" \
            "$program" $words "$WORK/$file"
    done
    ok "and nothing of it ran" test ! -e harmed
fi

# Every command works from there, or says which part this build lacks, or that it needs a GPU.
works() { # COMMAND WORDS...
    run_it "$program" "$@"
    cat "$WORK/stdout" "$WORK/stderr"
    # shellcheck disable=SC2154 # run_it sets it
    [ "$status" -eq 0 ] || grep -qE "is left out of this build|left out|built without|needs a GPU|no GPU|CUDA" "$WORK/stderr"
}
"$program" run stride -o all.jsonl >/dev/null
if "$program" help lesson >/dev/null 2>&1; then
    "$program" lesson 1 -o my.cu >/dev/null
    refuses_nothing() { run_it "$program" check my.cu; [ "$status" -eq 1 ] && grep -q 'goals met' "$WORK/stdout"; }
    ok "check grades from there" refuses_nothing
fi
for words in list "run cf-merge" "stats all.jsonl" "advise all.jsonl" "sweep stride s=1..2" "export all.jsonl -o all.svg" \
    "figure cfmerge-3 -o 3.svg" "lesson 2 --answers" "verify --against $TREE/tests/data/h200-counters.tsv stride" \
    "bench dump" "help run"; do
    # shellcheck disable=SC2086 # words
    ok "${words%% *} works from there" works $words
done
tried="list run stats advise sweep view export figure lesson check verify bench help"
ok "these are all commands" test "$("$program" help | sed -n 's/^  \([a-z]*\)  .*/\1/p' | sort | xargs)" = \
    "$(echo "$tried" | tr ' ' '\n' | sort | xargs)"

# Nothing is left of it but what was there before.
echo mine >"$root$prefix/bin/mine"
ok "make uninstall" make -C "$TREE" uninstall PREFIX=$prefix DESTDIR="$root"
ok "leaves what is not its own" sh -c '[ "$(find "$1" ! -type d)" = "$1/bin/mine" ]' - "$root$prefix"

refuses "a wrong BANKSCOPE_DATA is named" 1 "BANKSCOPE_DATA is '/none'" \
    env BANKSCOPE_DATA=/none "$program" run mine.cu
mkdir "$WORK/alone" && cp "$program" "$WORK/alone/"
refuses "a program without its files says so" 1 "not near it.*BANKSCOPE_DATA" \
    "$WORK/alone/bankscope" run mine.cu
run_it env BANKSCOPE_DATA="$TREE" "$WORK/alone/bankscope" run mine.cu
ok "BANKSCOPE_DATA may be the source tree" test "$status" -eq 0
finish
