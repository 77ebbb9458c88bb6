#!/bin/sh
# view --watch of a program of several sources: whichever is saved, or a header of theirs, it is compiled and run again.
# shellcheck disable=SC2154 # what run_it and starts set
. tests/support/tap.sh
if ! have clang Xvfb xdotool || ! "$BANKSCOPE" help view >/dev/null 2>&1 ||
    "$BANKSCOPE" --version | grep -Eq 'without .*(libdw|SDL)'; then
    skip "sources are watched" "needs clang, libdw, Xvfb and xdotool"
    finish
    exit
fi
. tests/support/window.sh
screen 1400x1000
cd "$WORK" || exit 1
cat >first.cu <<'CU'
void second();
int main()
{
    second();
}
CU
echo '#define STEP 2' >step.h
cat >later.cu <<'CU'
#include "step.h"
__global__ void k(int *a)
{
    __shared__ int s[128];
    s[STEP * threadIdx.x] = 1;
    __syncthreads();
    a[threadIdx.x] = s[STEP * (31 - threadIdx.x)];
}
void second()
{
    int *a;
    cudaMalloc(&a, 128);
    k<<<1, 32>>>(a);
    cudaDeviceSynchronize();
    cudaFree(a);
}
CU
ok "a program of two sources is watched" starts view first.cu later.cu --compiler clang --watch
ok "as it is" shows ', 2 passes, 1 conflict'
echo '#define STEP 4' >other.h
mv other.h step.h
ok "a header that it includes is saved: it is compiled and run again" shows ', 4 passes, 3 conflicts'
sed 's/STEP [*] //' later.cu >other.cu
mv other.cu later.cu
ok "its second source saved, it is compiled and run again" shows ', 1 pass, 0 conflicts"'
sed 's/^}$/} \/\/ as before/' first.cu >other.cu
frames=$(tail -n 1 "$dump")
mv other.cu first.cu
ok "its first one, too" eventually sh -c "test \"\$(tail -n 1 '$dump')\" != '$frames'"
closes
finish
