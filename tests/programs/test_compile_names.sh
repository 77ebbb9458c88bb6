#!/bin/sh
# Names, types and inlined calls that clang tells of its PTX, and that nvcc's symbols find.
. tests/support/tap.sh
. tests/support/compile.sh

cat >"$WORK/named.cu" <<'END'
namespace ours { struct pair { float a; int b[2]; }; }
typedef struct { short x, y; } duo;
/* what a launch asks for */ extern __shared__ unsigned short some[];
__device__ int twice(int *sum, int i)
{
    return atomicAdd(sum, 2 * i);
}
static __global__ void hidden(float *out)
{
    __shared__ ours::pair pairs[4][8];
    __shared__ duo duos[32];
    __shared__ float4 vectors[32];
    __shared__ int sum;
    int i = threadIdx.x;
    pairs[i % 4][i / 4].b[1] = i, duos[i].y = i, vectors[i].w = i, some[i] = i;
    twice(&sum, i);
    __syncthreads();
    int j = 31 - i;
    out[i] = pairs[j % 4][j / 4].b[1] + duos[j].y + vectors[j].w + some[j] + sum;
}
namespace {
template <typename T, int N> __global__ void turn(T *out)
{
    __shared__ T tile[N][N + 1];
    tile[threadIdx.x % N][threadIdx.x / N] = out[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x / N][threadIdx.x % N];
}
}
int main()
{
    hidden<<<1, 32, 64>>>(nullptr);
    turn<float, 4><<<1, 16>>>(nullptr);
    turn<double, 2><<<1, 4>>>(nullptr);
}
END
# shellcheck disable=SC2086 # several words
run_it "$compile" --compile "$WORK" --with clang "$WORK/named.cu" $open_ends
tab=$(printf '\t')
# variable NAME FUNCTION TYPE BYTES ELEMENT [DIM]...: that there is one of these.
variable() {
    grep -q "^v${tab}[^$tab]*${tab}$1${tab}$2${tab}.*/named.cu${tab}$3${tab}[1-9][0-9]*${tab}0${tab}[01]$tab$4\$" "$WORK/0.names"
}
known() {
    cat "$WORK/stderr" "$WORK/0.names"
    variable pairs hidden 'struct pair' "384${tab}12${tab}4${tab}8" &&
        grep -q "^m${tab}b\[1\]${tab}int${tab}8\$" "$WORK/0.names" &&
        variable duos hidden 'struct duo' "128${tab}4${tab}32" &&
        variable vectors hidden float4 "512${tab}16${tab}32" &&
        variable sum hidden int "4${tab}4" &&
        variable some '' 'unsigned short' "0${tab}2" &&
        variable tile 'turn<float, 4>' float "80${tab}4${tab}4${tab}5" &&
        variable tile 'turn<double, 2>' double "48${tab}8${tab}2${tab}3"
}
ok "variables have names, types and dimensions; instances of a template are functions of their own" known

# The atomic operation is in a header's line, in line 6, in line 15; the outer ones are said first.
inlined() {
    grep '\.loc' "$WORK/0.ptx"
    line=$(grep -n 'twice(&sum, i);' "$WORK/named.cu" | cut -d: -f1)
    awk -v line="$line" '
        $1 == ".loc" { place = $2 " " $3; split($0, part, "inlined_at "); split(part[2], at, " ")
            outer[place] = at[1] " " at[2]; now = place }
        /atom\./ { first = outer[now]; second = outer[first]
            found = first ~ / 6$/ && second ~ " " line "$" }
        END { exit !found }' "$WORK/0.ptx"
}
ok "calls that are inlined are chains" inlined
plain_ptx() {
    ! grep -q '\.debug_info\|\.debug_loc\|16777' "$WORK/0.ptx" &&
        { [ -z "$ptxas" ] || assemble "$WORK/0.ptx"; }
}
ok "PTX has no more than that" plain_ptx

nvcc=$(find_nvcc)
if [ -n "$nvcc" ]; then
    mkdir -p "$WORK/nvcc"
    export NVCC="$nvcc"
    run_it "$compile" --compile "$WORK/nvcc" --with nvcc --names --ptx-only "$WORK/named.cu"
    same_table() {
        cat "$WORK/stderr"
        grep '^v' "$WORK/nvcc/0.names" | cut -f 3,4,6,10- | sort >"$WORK/nvcc/variables"
        grep '^v' "$WORK/0.names" | cut -f 3,4,6,10- | sort | cmp - "$WORK/nvcc/variables"
    }
    ok "clang tells names for nvcc's PTX, too" same_table
else
    skip "names for nvcc's PTX" "there is no nvcc"
fi
finish
