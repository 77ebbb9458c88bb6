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

# claims SCRIPT ARGUMENT...: what it says, as cases.
claims() {
    run_it node "$@"
    while IFS= read -r line; do
        case $line in
        "ok "*) ok "${line#ok }" true ;;
        *) ok "${line#not ok }" false ;;
        esac
    done <"$WORK/stdout"
    ok "all claims of $1 were tried" test "$status" -eq 0
}
if ! have node; then
    skip "kernels in the page" "no node"
    finish
    exit 0
fi
claims tests/page/kernel_wasm.js "$wasm"

html=$TREE/build/bankscope-write.html
ok "the page for writing is made" make -s page-file
if [ "${BROWSERS:-yes}" = no ]; then
    skip "the page in a browser" "BROWSERS=no"
elif node -e 'process.exit(require("./tests/page/browser.js").find() ? 0 : 1)'; then
    mkdir "$WORK/pictures"
    claims tests/page/write_browser.js "$html" "$WORK/pictures"
else
    skip "the page in a browser" "no chromium"
fi
finish
