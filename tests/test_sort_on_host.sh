#!/bin/sh
# The GPU's sort, sort/, run on this machine: right results, stable, no fault found by the checker.
. tests/tap.sh
. tests/on_host.sh

sorts_on_host "every kind of keys and values is sorted" 17 \
    tests/sort_on_host.cu -- 8
finish
