#!/bin/sh
# The sort by an order of the user's, sort/, run on this machine.
. tests/support/tap.sh
. tests/support/on_host.sh

sorts_on_host "items are sorted stably by an order of the user's, both ways" 24 23 \
    tests/support/sort_by_on_host.cu --kernel plan_groups
finish
