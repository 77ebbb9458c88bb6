# The instructions that a program's source became: in its recording, and beside the picture.
# shellcheck shell=sh disable=SC2317
# shellcheck disable=SC2154 # what run_it and starts set
. tests/support/tap.sh
. tests/support/window.sh

if ! have clang; then
    skip "the instructions of a program" "needs clang"
    finish
    exit 0
fi
# Two neighbours of a thread are one access, and what nobody needs is none.
cat >"$WORK/pairs.cu" <<'END'
#include <cstdio>
__global__ void pairs(float *out)
{
    __shared__ __align__(8) float tile[64];
    tile[threadIdx.x] = threadIdx.x;
    tile[threadIdx.x + 32] = 1;
    __syncthreads();
    if (threadIdx.x < 20) {
        float first = tile[2 * threadIdx.x];
        float second = tile[2 * threadIdx.x + 1];
        out[threadIdx.x] = first + second;
    }
}
int main()
{
    float *out;
    cudaMalloc(&out, 128);
    pairs<<<1, 32>>>(out);
    return cudaDeviceSynchronize();
}
END
cd "$WORK" || exit 1
ok "a program is recorded" "$BANKSCOPE" run pairs.cu --compiler clang -o pairs.jsonl
head -n 1 pairs.jsonl >header
has() { # PATTERN
    grep -Eq "$1" header || { cut -c 1-3000 header; false; }
}
ok "with the instructions of its lines" \
    has '"text":"st.shared.f32 [^"]*","line":5[,}]|"line":5[},]*.*"text":"st.shared'
ok "one of two neighbours counts both" \
    has '"became":"joined: one access of 8 bytes with 1 more \(neighbours are one access\)"'
ok "the other says with which" \
    has '"became":"joined: counted with ld.shared.f32 %[a-z]+[0-9]+, \[[^"]*\] \(neighbours'
ok "and a site says which instruction it is" has '"line":5,"function":"pairs","text":"tile[^"]*","code":[0-9]+'
"$BANKSCOPE" stats pairs.jsonl --by line >by-line
ok "what is counted by line stays the same" grep -Eq 'pairs.cu:9 +load +1 ' by-line

cat >long.cu <<'END'
__global__ void many()
{
    __shared__ volatile int word[32];
#pragma unroll
    for (int i = 0; i < 3000; i++)
        word[threadIdx.x] = i;
}
int main()
{
    many<<<1, 32>>>();
    return cudaDeviceSynchronize();
}
END
ok "a kernel of many instructions is recorded" "$BANKSCOPE" run long.cu --compiler clang -o long.jsonl
head -n 1 long.jsonl >header
ok "the last one that is kept says that there are more" \
    has '\{"text":"\(a recording keeps no more instructions than these\)","file":"","line":0\}\]'

nvcc=$(find_nvcc)
if [ -n "$nvcc" ]; then
    ok "a program is recorded by nvcc" env NVCC="$nvcc" "$BANKSCOPE" run pairs.cu --compiler nvcc -o nvcc.jsonl
    head -n 1 nvcc.jsonl >header
    ok "with the accesses of its machine code" has '"text":"LDS.64 \[R[0-9]+\]","line":9,"sass":1'
    ok "two stores stay two" has '"text":"STS \[R[0-9]+\+0x80\]","line":6,"sass":1'
else
    skip "the machine code of a program" "needs nvcc"
fi

if ! have Xvfb xdotool; then
    skip "the instructions in the window" "needs Xvfb and xdotool"
    finish
    exit 0
fi
screen 1900x1000
ok "the recording is shown" starts view pairs.jsonl
ok "without the instructions at first" misses '"PTX"'
xdotool windowsize "$window" 1880 980
xdotool key i
ok "i shows them" shows '^text .*"PTX"'
ok "with what became of an access" shows '^text .*"joined"'
ok "all lanes store" shows '"32 of 32 lanes"'
xdotool key End End
ok "20 of them load" shows '"20 of 32 lanes"'
ok "the instruction of the step is said in full" shows 'joined: one access of 8 bytes'
ok "a recording alone says what it puts in its register: the first of two neighbours, 0" \
    shows 'code ink "0x00000000 \(0\)"'
# row TEXT: the middle of the row with that text, as "x y".
row() {
    awk -v text="$1" '$1 == "text" && index($0, text) { print int($2 + 5), int($3 - 4); exit }' "$dump"
}
# shellcheck disable=SC2046
xdotool mousemove --window "$window" $(row '"bar.sync')
ok "pointing at an instruction says what it is" shows 'code faint "bar.sync'
moves_to() { # one step on, unless it is shown
    grep -aEq "$1" "$dump" || { xdotool key Right; false; }
}
marked() { # the row of the source with that text has a mark of the pointer: a box at its height
    y=$(row "$1" | cut -d ' ' -f 2)
    awk -v y="$y" '$1 == "box" && /cursor/ && $3 <= y && $3 + $5 >= y && $4 > 200 { found = 1 }
        END { exit !found }' "$dump"
}
ok "and marks its line of the source" eventually marked '"    __syncthreads'
# shellcheck disable=SC2046
xdotool mousemove --window "$window" $(row '"st.shared.') click 1
ok "a click on an access goes there" shows '"phase 0 .*32 lanes'
xdotool key i
ok "i again: without them" hides '^text .*"PTX"'
closes
cat >gap.cu <<'CODE'
__global__ void gap(int *out)
{
    __shared__ int tile[64];
#pragma unroll 1
    for (int i = 0; i < 6; i++) {
        if ((threadIdx.x >= 32) == (i == 2))
            tile[threadIdx.x] = i;
        __syncthreads();
    }
    out[threadIdx.x] = tile[63 - threadIdx.x];
}
int main()
{
    int *out;
    cudaMalloc(&out, 256);
    gap<<<1, 64>>>(out);
    return cudaDeviceSynchronize();
}
CODE
"$BANKSCOPE" run gap.cu --compiler clang -o gap.jsonl >stdout 2>stderr
ok "a recording in which a warp leaves a phase to another is shown" starts view gap.jsonl
xdotool windowsize "$window" 1880 980
xdotool key i Home
ok "in the third phase the first warp does nothing" eventually moves_to '"phase 2 \(stage 3'
# shellcheck disable=SC2046
xdotool mousemove --window "$window" $(row '"st.shared.') click 1
ok "a click on an access goes to the next one from there" shows '"phase 3 \(stage 4'
closes
cat >turns.cu <<'CODE'
__global__ void turns(float *out)
{
    __shared__ float tile[32 * 8];
    float sum = 0;
    for (int i = threadIdx.x; i < 256; i += 32)
        tile[i] = 2 * i;
    __syncthreads();
    for (int i = 0; i < 8; i++)
        if (threadIdx.x < 16)
            sum += tile[8 * threadIdx.x + i];
    out[threadIdx.x + 32 * blockIdx.x] = sum;
}
int main()
{
    float *out;
    cudaMalloc(&out, 256);
    turns<<<1, 32>>>(out);
    turns<<<2, 32>>>(out);
    return cudaDeviceSynchronize();
}
CODE
ok "a program is shown, with its launches" starts view turns.cu --compiler clang
ok "of which there are two" shows '"turns.cu: 2 launches'
xdotool key Down Return
ok "one is opened" shows '^text .*"phase '
ok "with the work done" hides 'opening launch'
xdotool key i
ok "beside the instructions are the registers of a lane" shows '"registers in lane 0"'
ok "an access names its address" shows '"read"'
xdotool key Home Home
ok "lane 0 stores 0 first" shows '"0x00000000 \(0\)"'
xdotool key Right
ok "then 2 * 32: forwards" shows '"0x42800000 \(64\)"'
xdotool key Left
ok "and back" shows '"0x00000000 \(0\)"'
xdotool key End End
ok "the last load of the warp writes what it finds, 2 * 7" shows '"0x41600000 \(14\)"'
ok "and says so" shows '"written"'
cell() { # the middle of the cell that thread 3 loads last, word 31: the box around its label
    awk '$1 == "text" && /"3"/ { print int($2), int($3 - 3); exit }' "$dump"
}
# shellcheck disable=SC2046
xdotool mousemove --window "$window" $(cell)
ok "that of the lane that one points at" shows '"registers in lane 3"'
ok "with what it finds, 2 * 31" shows '"0x42780000 \(62\)"'
closes
if [ -e nvcc.jsonl ]; then
    ok "the recording by nvcc is shown" starts view nvcc.jsonl
    xdotool key i
    ok "i shows its PTX" shows '"PTX"'
    xdotool key i
    ok "i again: its machine code" shows '"machine code: accesses to memory"'
    ok "line by line" shows '"LDS.64 '
    xdotool key i
    ok "and again: neither" hides '"machine code'
    closes
fi
finish
