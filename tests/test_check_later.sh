#!/bin/sh
# The exercises of lessons 10 to 13, as test_check.sh has those of the others. Two are CUDA programs.
. tests/tap.sh
. tests/class.sh

exercises='12-search 13-shear-sort'
programs=$(runs_programs && echo yes)
if [ "$programs" ]; then
    exercises="10-own-kernel 11-profiler $exercises"
else
    skip "exercises that are CUDA programs" "needs clang and libdw"
fi
# shellcheck disable=SC2086 # a list
hands_out $exercises

for slip in 'padded i + i / 16' 'gray i ^ i / 2' 'times-five i * 5 % (1 << rounds)' \
    'backwards (1 << rounds) - 1 - i' 'shared i / 2 + i % 2'; do
    hands_in "tree-${slip%% *}" 12-search "s#return i / 2 .*;#return ${slip#* };#"
done
for slip in 'padded i + i / w' 'turned i < w ? i : w + (i + 1) % w' 'backwards 2 * w - 1 - i' \
    'by-twos i / 2 + i % 2 * w' 'past-the-end i < w ? i : 2 * w - i'; do
    hands_in "butterfly-${slip%% *}" 13-shear-sort "s#return i < w .*;#return ${slip#* };#"
done
if [ "$programs" ]; then
    hands_in fields-record-padded 10-own-kernel 's/(t|i) \/ 32\]/\1 \/ 8]/; s/THREADS \/ 32\]/RECORDS]/'
    hands_in fields-array-small 10-own-kernel 's/(t|i) \/ 32\]/\1 \/ 8]/'
    hands_in fields-load-only 10-own-kernel 's/t \+ t \/ 32\]/t]/'
    hands_in fields-no-barrier 10-own-kernel '/__syncthreads/d'
    hands_in fields-transposed 10-own-kernel \
        's/tile\[THREADS.*/tile[FIELDS][RECORDS + 1];/; s/tile\[t .*\]/tile[t % FIELDS][t \/ FIELDS]/; s/return tile.*/return tile[field][record];/'
    hands_in fields-swizzled 10-own-kernel 's/(t|i) \+ . \/ 32\]/\1 ^ \1 \/ 8 % 8]/'
    for slip in 'two-sides choice % 2 == 0 ? tile[warp + (lane + WARP - 1) % WARP] : tile[warp + (lane + 1) % WARP]' \
        'weighed tile[warp + (lane + 31) % WARP] * (1 - choice % 2) + tile[warp + (lane + 1) % WARP] * (choice % 2)' \
        'own-number choice % 2 == 0 ? tile[warp + (lane + 31) % WARP] + 0 * tile[t] : number + tile[warp + (lane + 1) % WARP] - tile[t]' \
        'no-circle tile[t + (choice % 2 == 0 ? -1 : 1)]' \
        'circle-of-the-block tile[(t + (choice % 2 == 0 ? THREADS - 1 : 1)) % THREADS]'; do
        hands_in "neighbours-${slip%% *}" 11-profiler "s/return tile.*/return ${slip#* };/"
    done
    hands_in neighbours-no-barrier 11-profiler '/__syncthreads/d'
    hands_in fields-not-compiling 10-own-kernel 's/return tile/retrun tile/'
fi
grades_all

# shellcheck disable=SC2086 # a list
marks_handed_out $exercises

ok "a padded tree" marked tree-padded '"the result is right",not yet.*outside.*exactly 2.rounds words'
ok "a tree in Gray's code" marked tree-gray '"the result is right",ok' \
    'stage search: no bank conflicts",not yet.*w=12 .*Which rounds read odd keys'
ok "a tree times five" marked tree-times-five 'stage search: no bank conflicts",not yet.*round 1: .*these two'
ok "a tree backwards" marked tree-backwards 'stage search: no bank conflicts",not yet.*round 1: .*these two'
ok "two keys in a word" marked tree-shared '"the result is right",not yet.*race.*only one key'
ok "padding for butterflies" marked butterfly-padded '"the result is right",not yet.*race.*only one element'
ok "butterflies turned by one" marked butterfly-turned 'stage load: no bank conflicts",ok' \
    'stage steps: no bank conflicts",not yet.*round 1: .*must not be in the same banks'
ok "all butterflies backwards" marked butterfly-backwards 'stage load: no bank conflicts",ok' \
    'stage steps: no bank conflicts",not yet.*must not be in the same banks'
ok "even and odd butterflies" marked butterfly-by-twos \
    'stage load: no bank conflicts",not yet.*must still be in different banks'
ok "butterflies past the end" marked butterfly-past-the-end '"the result is right",not yet.*race.*only one element'
if [ "$programs" ]; then
    ok "padding after each record: the stores conflict" marked fields-record-padded 'loads: no bank conflicts",ok' \
        'stores: no bank conflicts",not yet.*line 29, block 0, warp 0.*numbers of 4 records'
    ok "padding without room" marked fields-array-small \
        '"the result is right",not yet.*fields-array-small.cu:29: bad-address: .* byte 1056 .*large enough'
    ok "padding for the load only" marked fields-load-only \
        '"the result is right",not yet.*nothing has written.*same place'
    ok "no barrier" marked fields-no-barrier '"the result is right",not yet.*race.*stands a barrier'
    ok "a row for each field" marked fields-transposed 'loads: no bank conflicts",ok' \
        'stores: no bank conflicts",not yet.*serves 4 words.*numbers of 4 records'
    ok "swizzled by the record" marked fields-swizzled 'stores: no bank conflicts",ok' \
        'loads: no bank conflicts",not yet.*same field of 32 records'
    ok "two loads in the source, which compilers make one" marked neighbours-two-sides ',ok,1,'
    for slip in weighed own-number; do
        ok "two loads for one, $slip" marked neighbours-$slip '"the result is right",ok' \
            'loads: 1 access of every thread",not yet.*instructions of warps.*Choose the index'
    done
    ok "neighbours outside the block" marked neighbours-no-circle '"the result is right",not yet.*bad-address.*no index may leave'
    ok "neighbours in a circle of the block" marked neighbours-circle-of-the-block \
        '"the result is right",not yet.*got.*stand in a circle' 'loads: no bank conflicts",not yet.*other side of the warp'
    ok "neighbours without a barrier" marked neighbours-no-barrier '"the result is right",not yet.*race.*stands a barrier'
    ok "a program that does not compile, with the line" marked fields-not-compiling \
        ',refused,0,.*does not compile: fields-not-compiling.cu:33:.*retrun'
fi
finish
