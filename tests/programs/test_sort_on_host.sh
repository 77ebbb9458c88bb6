#!/bin/sh
# The GPU's sort, sort/, run on this machine: right results, stable, no fault found by the checker.
. tests/support/tap.sh
. tests/support/on_host.sh

sorts_on_host "every kind of keys and values is sorted, either way" 22 16 \
    tests/support/sort_on_host.cu -- 8
finish
