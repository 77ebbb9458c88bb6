#!/bin/sh
# traced.sh BANKSCOPE - records every kernel of the catalogue on the GPU, with its defaults.
set -u
status=0
for kernel in $("$1" list | cut -d ' ' -f 1); do
    timeout 60 "$1" run "$kernel" --backend cuda >/dev/null || status=$?
done
exit "$status"
