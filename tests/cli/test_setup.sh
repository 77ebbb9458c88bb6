#!/bin/sh
# .ci/setup installs what is missing and nothing else. Packages, root and apt-get are make-believe:
# a PATH with programs of our own, which note what they are asked to do.
. tests/support/tap.sh
unset SETUP # make check SETUP=no hands it on

bin=$WORK/bin asked=$WORK/asked
mkdir "$bin"
for tool in sh env sed cat; do
    ln -s "$(command -v $tool)" "$bin/$tool"
done
program() { # NAME: its text is on standard input
    { echo "#!/bin/sh" && cat; } >"$bin/$1"
    chmod +x "$bin/$1"
}
program dpkg-query <<'EOT'
for last; do :; done
case " $MISSING " in
*" $last "*) exit 1 ;;
*" all "*) exit 1 ;;
esac
printf installed
EOT
program apt-get <<EOT
echo "\$SUDO apt-get \$*" >>"$asked"
EOT
program sudo <<'EOT'
SUDO=sudo exec "$@"
EOT
program id <<'EOT'
echo "$WHO"
EOT
setup() { # WHO MISSING PART...
    : >"$asked"
    who=$1 lacks=$2
    shift 2
    run_it env -i PATH="$bin" WHO="$who" MISSING="$lacks" SETUP="${SETUP:-}" "$TREE/.ci/setup" "$@"
    cat "$WORK/stdout" "$WORK/stderr"
    cat "$asked"
}

setup 0 "" build check ci >/dev/null
ok "nothing missing: nothing is done" test "$status" -eq 0 -a ! -s "$asked" -a ! -s "$WORK/stdout"
setup 0 "libsdl2-dev libcjson-dev" build >/dev/null
ok "root installs what is missing, no more" grep -Eq \
    '^ apt-get install -qy --no-install-recommends libcjson-dev libsdl2-dev$' "$asked"
setup 0 "clang" build page >/dev/null
ok "what two parts need is asked for once" grep -Eq '^ apt-get install -qy --no-install-recommends clang$' "$asked"
setup 0 "libsdl2-dev libcjson-dev" build >/dev/null
ok "it says what it installs" grep -qx "setup: installing libcjson-dev libsdl2-dev" "$WORK/stdout"
ok "the lists of packages are renewed first" sh -c 'head -n 1 "$1" | grep -q update' - "$asked"
setup 1000 "libsdl2-dev" build >/dev/null
ok "others use sudo" grep -q '^sudo apt-get install .* libsdl2-dev$' "$asked"
setup 0 "libcmocka-dev" build >/dev/null
ok "what only tests need is not asked of the demo" test "$status" -eq 0 -a ! -s "$asked"
setup 0 "libcmocka-dev" build check >/dev/null
ok "but of the tests" grep -q 'install .* libcmocka-dev$' "$asked"
setup 0 "wasi-libc libcmocka-dev" page >/dev/null
ok "the page has what it needs" grep -q 'recommends wasi-libc$' "$asked"
if have make pkg-config; then
    page_is_set_up() {
        env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -n page >"$WORK/make" 2>&1
        cat "$WORK/make"
        head -n 1 "$WORK/make" | grep -q '\.ci/setup page$'
    }
    ok "make page sets up first" page_is_set_up
    names_alike() {
        for name in $(make -s page-needs WASM_CC=no-clang WASM_OPT=no-opt); do
            setup 0 "$name" page
            grep -q "recommends $name\$" "$asked" || return 1
        done
    }
    ok "set-up knows all that the page may lack" names_alike
fi
SETUP=no
setup 0 "libsdl2-dev libcjson-dev" build >/dev/null
ok "SETUP=no installs nothing" test "$status" -eq 0 -a ! -s "$asked"
ok "but says what is missing" grep -q "missing.*SETUP=no: libcjson-dev libsdl2-dev$" "$WORK/stdout"
SETUP=
program pkg-config <<'EOT'
[ "$2" = sdl2 ]
EOT
setup 0 "libsdl2-dev libcjson-dev" build >/dev/null
ok "what is there without its package is not missing" \
    grep -qx "setup: installing libcjson-dev" "$WORK/stdout"
rm "$bin/pkg-config"
refuses "an unknown part is a usage error" 2 "no part 'nonsense'" "$TREE/.ci/setup" nonsense

rm "$bin/sudo"
setup 1000 "libsdl2-dev" build >/dev/null
ok "without root and sudo: names the packages, fails" sh -c \
    '[ "$1" -eq 1 ] && [ ! -s "$2" ] && grep -q "sudo.*libsdl2-dev" "$3"' - "$status" "$asked" "$WORK/stderr"
rm "$bin/apt-get"
setup 0 all build >/dev/null
ok "elsewhere: names the packages, fails" sh -c \
    '[ "$1" -eq 1 ] && grep -q "neither Debian nor Ubuntu.*libcjson-dev" "$2"' - "$status" "$WORK/stderr"
SETUP=no
setup 0 all build >/dev/null
ok "elsewhere with SETUP=no: goes on" test "$status" -eq 0
SETUP=
for tool in cc clang make pkg-config; do
    echo exit 0 | program $tool
done
setup 0 all build >/dev/null
ok "elsewhere with all there: says nothing" test "$status" -eq 0 -a ! -s "$WORK/stdout"
finish
