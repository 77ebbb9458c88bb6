#!/bin/sh
# The launches of a program in an exported page: listed, ordered, opened, and back.
. tests/support/tap.sh
. tests/support/cuda.sh

missing=$(make -s page-needs)
if [ -n "$missing" ]; then
    skip "the launches in a page" "missing: $missing"
    finish
    exit 0
fi
ok "the page is made" make_page
ok "a program is exported" "$BANKSCOPE" export tests/programs/transpose.cu -o "$WORK/all.html"
ok "with all of its launches" sh -c "grep -c 'class=\"recording\"' '$WORK/all.html' | grep -qx 3"
ok "each with its numbers" \
    grep -q 'data-launch="0" data-passes="9504" data-conflicts="8928" data-sectors="0" data-kernel="naive" data-shape="3x3 x 32x8"' \
    "$WORK/all.html"
ok "one launch is exported alone" "$BANKSCOPE" export tests/programs/transpose.cu --launch 1 -o "$WORK/one.html"
ok "without a list" sh -c "! grep -q data-launch '$WORK/one.html'"
"$BANKSCOPE" run tests/programs/transpose.cu --launch 0 --registers 0:0 >"$WORK/registers"
value=$(sed -n 's/.*  ld\.shared.* = \(0x[0-9a-f]* (.*)\)$/\1/p' "$WORK/registers" | head -n 1)
ok "the machine says what a load puts in a register" test -n "$value"
used_in() {
    claims tests/page/launches_browser.js "$WORK/all.html" "$value" "$1"
}
in_browsers "the launches" used_in
finish
