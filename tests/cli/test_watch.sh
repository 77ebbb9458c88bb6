#!/bin/sh
# watch: what a user's kernel does to global memory, to its own arrays, to its stack and without end
# is named with stage, round, block, thread and line.
. tests/support/tap.sh
export ASAN_OPTIONS=handle_segv=0 # crashes are the point

# watched NAME PATTERN SED...: the stride kernel with an error in it.
watched() {
    name=$1 pattern=$2
    shift 2
    sed "$@" kernels/stride.cu >"$WORK/own.cu"
    if cmp -s kernels/stride.cu "$WORK/own.cu"; then
        ok "$name: the edit changes the kernel" false
    else
        refuses "$name" 1 "^bankscope run: $pattern" \
            "$BANKSCOPE" run "$WORK/own.cu" -p u=64 -p blocks=2
    fi
}
line() { # PATTERN: its line in the kernel
    grep -n "$1" kernels/stride.cu | cut -d : -f 1
}
fill=$(line 'FILL(') read=$(line 'STAGE(read)') load=$(line 'LOAD(') last=$(line '^    out')
at="kernel stride, stage read, round 0, block 0, thread"

# These take seconds of the processor, beside the others.
sed 's/^    STAGE(read);/    STAGE(read); for (volatile unsigned i = 0;;) i ^= 1;/' kernels/stride.cu \
    >"$WORK/forever.cu"
"$BANKSCOPE" run "$WORK/forever.cu" >"$WORK/forever" 2>&1 &
forever=$!
sed 's/^    STAGE(read);/    STAGE(read); for (;;) __syncthreads();/' kernels/stride.cu \
    >"$WORK/waits.cu"
"$BANKSCOPE" run "$WORK/waits.cu" >"$WORK/waits" 2>&1 &
waits=$!

watched "in, behind its end" "kernel stride, stage setup, round 0, block 0, thread 0 .line $fill.: in\[128\] is outside its 128 words" \
    's/in\[k \* p.u + t\]/in[2 * k * p.u + t]/'
watched "in, before its beginning" "kernel stride, stage setup, .* thread 0 .line $fill.: in\[-1\] is outside" \
    's/in\[k \* p.u + t\]/in[k * p.u + t - 1]/'
watched "in, far away" "kernel stride, stage setup, .* thread 0 .line $fill.: in\[1000000\] is outside" \
    's/in\[k \* p.u + t\]/in[1000000 + t]/'
watched "in, written" "$at 0 .line $read.: writes in\[3\]; a kernel may only read in" \
    's/^    STAGE(read);/    STAGE(read); ((int *)in)[3] = 1;/'
watched "out, behind its end" "kernel stride, stage read, round 0, block 1, thread 63 .line $last.: out\[128\] is outside its 128 words" \
    's/^    out\[.*\] =/    out[(int)blockIdx.x * p.u + t + 1] =/'
watched "out, two threads of a block" "$at 1 .line $last.: race: writes out\[0\], which thread 0 writes .line $last." \
    's/^    out\[.*\] =/    out[((int)blockIdx.x * p.u + t) \/ 2] =/'
watched "out, two blocks" "kernel stride, stage read, round 0, block 1, thread 0 .line $last.: race: writes out\[0\], which thread 0 of block 0 writes .line $last." \
    's/^    out\[.*\] =/    out[t] =/'
watched "out, read before it is written" "$at 0 .line $last.: reads out\[5\], which no thread has written" \
    's/^    out\[\(.*\)\] = (int)sum;/    out[\1] = (int)sum + out[5];/'
watched "out, part of a word" "$at 1 .line $last.: race: writes out\[0\]" \
    's/^    out\[.*\] = (int)sum;/    ((char *)out)[t] = (char)sum;/'
watched "out, never written" 'kernel stride: wrong result: sum 7 .*; out\[7\] was never written' \
    's/^    out\[/    if (t != 7) out[/'
watched "shared memory, past LOAD" "$at 0 .line $load.: reads shared memory at address 0 past LOAD and STORE" \
    's/LOAD(tile, \(.*\));/((int2 *)tile)[(\1) \/ 2].x;/'
watched "an array of its own" "$at 4: .*/own.cu:$read:[0-9]*: index 4 is outside an array of type 'int ?\[4\]'" \
    's/^    STAGE(read);/    int items[4] = {0}; STAGE(read); sum += (unsigned)items[t];/'
watched "an array of its own, from below" "$at 0: .*/own.cu:$read:[0-9]*: index -1 is outside" \
    's/^    STAGE(read);/    int items[4] = {0}; STAGE(read); sum += (unsigned)items[t - 1];/'
watched "a division by zero" "$at 3: .*/own.cu:$read:[0-9]*: a division by zero" \
    's/^    STAGE(read);/    STAGE(read); sum += (unsigned)(t \/ (t - 3));/'
watched "a shift too far" "$at 32: .*/own.cu:$read:[0-9]*: a shift" \
    's/^    STAGE(read);/    STAGE(read); sum += 1u << t;/'
watched "a crash" "$at 0 .line $read.: crashed .Segmentation fault. at address 0x10" \
    's/^    STAGE(read);/    STAGE(read); *(volatile int *)16 = 1;/'
watched "a full stack" "$at 9 .*: its stack of 256 KiB is full" \
    's/^    STAGE(read);/    STAGE(read); volatile char big[t == 9 ? 300000 : 1]; big[0] = 1;/'
watched "what its own functions do" "kernel stride, outside of its threads: .*/own.cu:[0-9]*:[0-9]*: index 64 is outside an array of type 'int ?\[3\]'" \
    's/^    for (int i = 0; i < p->u/    int z[3] = {0}; z[p->u] = 1; if (!z[1])\n&/'

# All that the catalogue has, watched: nothing is said, and the numbers are the same.
same() {
    "$BANKSCOPE" run "$1" >"$WORK/own.txt" && "$BANKSCOPE" run "$2" >"$WORK/here.txt" &&
        diff "$WORK/own.txt" "$WORK/here.txt"
}
for file in kernels/*.cu; do
    ok "$file is clean" same "$file" "$(basename "$file" .cu | tr _ -)"
done

wait "$forever"
ok "a loop without end" grep -q "^bankscope run: $at 0 (line $read): has run for a second without" \
    "$WORK/forever"
wait "$waits"
ok "barriers without end" grep -Eq \
    "^bankscope run: $at [0-9]+ .line $read.: (has run for|waits at barriers without end)" "$WORK/waits"
finish
