#!/bin/sh
# The sort by distribution, sort/, run on this machine; test_sort_on_host.sh has the merges.
. tests/support/tap.sh
. tests/support/on_host.sh

sorts_on_host "a distribution sorts every input stably, one made against its sample included" 39 22 \
    tests/support/distribution_on_host.cu --kernel plan_groups
finish
