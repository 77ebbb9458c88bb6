#!/bin/sh
# Kernels written in the page: the compiler and the machine as WebAssembly.
. tests/support/tap.sh

missing=$(make -s page-needs)
if [ -n "$missing" ]; then
    skip "kernels in the page" "missing: $missing"
    finish
    exit 0
fi
wasm=$TREE/build/web/kernel.wasm
ok "compiler and machine are made" make -s build/web/kernel.wasm
small() {
    [ "$(zopfli --i5 -c "$wasm" | wc -c)" -lt $((350 * 1024)) ]
}
ok "compressed, they have less than 350 KB" small

if ! have node; then
    skip "kernels in the page" "no node"
    finish
    exit 0
fi
claims tests/page/kernel_wasm.js "$wasm"

html=$TREE/build/bankscope-write.html
ok "the page for writing is made" make_page
written() {
    mkdir -p "$WORK/pictures-$1"
    claims tests/page/write_browser.js "$1" "$html" "$WORK/pictures-$1"
}
in_browsers "the page for writing" written
finish
