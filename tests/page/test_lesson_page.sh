#!/bin/sh
# A lesson's page by keyboard alone.
. tests/support/tap.sh

missing=$(make -s page-needs)
if [ -n "$missing" ] || [ "${BROWSERS:-yes}" = no ] || ! have node || ! node tests/page/browser.js chromium; then
    skip "a lesson by keyboard alone" "no node or Chromium, BROWSERS=no, or missing: $missing"
    finish
    exit 0
fi
if ! "$BANKSCOPE" help lesson >/dev/null 2>&1; then
    skip "a lesson by keyboard alone" "lesson is not in this build"
    finish
    exit 0
fi
ok "the page is made" make_page
for name in 02-strides 04-transpose; do
    ok "a lesson's page: $name" "$BANKSCOPE" lesson $name -o "$WORK/$name.html"
done
ok "the factors of a product stay together" grep -q 'reads word t&nbsp;s, which' "$WORK/02-strides.html"
claims tests/page/lesson_browser.js "$WORK"
if node tests/page/browser.js firefox; then
    claims tests/page/lesson_browser.js "$WORK" firefox
else
    skip "a lesson by keyboard alone in Firefox" "there is no Firefox"
fi
finish
