#!/bin/sh
# program: sources and options from a build system's database.
# shellcheck disable=SC2154 # what run_it and starts set
. tests/support/tap.sh
. tests/support/cuda.sh
cd "$WORK" || exit 1

# A program of two files in CUDA and one in C++, of which one file is in a library with options of its own.
mkdir -p src lib/include "build/CMakeFiles/app.dir" build/CMakeFiles/kernels.dir build/CMakeFiles/tool.dir "build/a folder"
cat >lib/include/kernels.h <<'END'
void launch(int *);
END
cat >"build/a folder/other.h" <<'END'
#define OTHER 1
END
cat >lib/kernels.cu <<'END'
#include "kernels.h"
#include "other.h"
#ifdef OF_APP
#error an option of another source
#endif
__global__ void k(int *o)
{
    __shared__ int s[32 * STRIDE];
    s[threadIdx.x * STRIDE] = sizeof NAME;
    __syncwarp();
    o[threadIdx.x] = s[threadIdx.x * STRIDE];
}
void launch(int *d)
{
    k<<<1, 32>>>(d);
}
END
cat >src/main.cpp <<'END'
#include "kernels.h"
#include <cstdio>
#include <cuda_runtime.h>
void extra(int *);
int main(int argc, char **argv)
{
    int *d, h[32];
    cudaMalloc((void **)&d, 128);
    launch(d);
    extra(d);
    cudaMemcpy(h, d, 128, cudaMemcpyDeviceToHost);
    printf("%d %s\n", h[0], argc > 1 ? argv[1] : "");
    cudaFree(d);
}
END
cat >src/extra.cpp <<'END'
#include <cuda_runtime.h>
__global__ void e(int *o)
{
    o[threadIdx.x] += OF_APP;
}
void extra(int *d)
{
    e<<<1, 32>>>(d);
}
END
echo 'int main() {}' >src/tool.cu

# As CMake writes it; @ is the folder.
cat >database <<'END'
[
{"directory": "@/build",
 "command": "/usr/local/cuda/bin/nvcc -forward-unknown-to-host-compiler -ccbin=/usr/bin/c++ -DSTRIDE=32 -DNAME=\"\\\"a b\\\"\" --options-file CMakeFiles/kernels.dir/includes_CUDA.rsp -isystem=\"a folder\" -O3 -g -DNDEBUG -std=c++17 \"--generate-code=arch=compute_75,code=[compute_75,sm_75]\" -Xcompiler=-fPIC -Wall -MD -MT kernels.o -MF kernels.d -x cu -rdc=true -c ../lib/kernels.cu -o CMakeFiles/kernels.dir/lib/kernels.cu.o",
 "file": "../lib/kernels.cu"},
{"directory": "@/build",
 "arguments": ["/usr/bin/ccache", "/usr/bin/c++", "-I../lib/include", "-O2", "-Wextra", "-fdiagnostics-color=always", "-std=gnu++17", "-c", "@/src/main.cpp", "-o", "CMakeFiles/app.dir/src/main.cpp.o"],
 "file": "@/src/main.cpp", "output": "CMakeFiles/app.dir/src/main.cpp.o"},
{"directory": "@/build",
 "command": "nvcc -DOF_APP=100 -std=gnu++17 --generate-code=arch=compute_80,code=[compute_80,sm_80] -x cu -c @/src/extra.cpp -o CMakeFiles/app.dir/src/extra.cpp.o",
 "file": "@/src/extra.cpp"},
{"directory": "@/build",
 "command": "nvcc -c @/src/tool.cu -o CMakeFiles/tool.dir/src/tool.cu.o",
 "file": "@/src/tool.cu"}
]
END
sed "s|@|$WORK|g" database >build/compile_commands.json
echo '-I../lib/include' >build/CMakeFiles/kernels.dir/includes_CUDA.rsp
echo '/usr/bin/c++ CMakeFiles/app.dir/src/main.cpp.o CMakeFiles/app.dir/src/extra.cpp.o CMakeFiles/app.dir/cmake_device_link.o -o app -L/usr/local/cuda/lib64 libfirst.a -lcudadevrt -lcudart_static -lrt -lpthread -ldl' \
    >build/CMakeFiles/app.dir/link.txt
echo '/usr/bin/ar qc libfirst.a CMakeFiles/kernels.dir/lib/kernels.cu.o' >build/CMakeFiles/kernels.dir/link.txt
echo '/usr/bin/c++ CMakeFiles/tool.dir/src/tool.cu.o -o tool' >build/CMakeFiles/tool.dir/link.txt

# shellcheck disable=SC2329 # called by ok
shows() { cat stderr stdout; grep -Eq "$1" stdout; }
build() { run_it timeout 90 "$BANKSCOPE" run --compiler clang "$@"; }
# shellcheck disable=SC2329 # called by ok
counts() {
    cat stderr stdout
    [ "$status" -eq 0 ] && grep -Eq '^lib/kernels.cu:9 +store +1 +32 +31 +32 ' stdout && grep -q '^104 ' stdout
}
build --build build --target app -- word
ok "a target: its sources, each with its options, and those of its library" counts
ok "... the program's arguments" grep -qx '104 word' stdout
ok "... for the newest capability of all" grep -q 'as compiled by clang [0-9]* for sm_80' stdout
build --build build/compile_commands.json src/main.cpp
ok "the target that has the source" counts
cd src && run_it timeout 90 "$BANKSCOPE" run --compiler clang --build ../build --target app
cd ..
ok "from another folder" grep -Eq "^$WORK/lib/kernels.cu:9 +store" stdout
build --build build --target app --json=report.json
ok "a report has the options, without folders" jq -e \
    '.flags | index("-DOF_APP=100") and (join(" ") | contains("include") | not)
        and index("-std=c++17") and (join(" ") | contains("gnu") | not)' report.json
build --build build --target app -DSTRIDE=1
ok "options of the command line come last" grep -Eq '^lib/kernels.cu:9 +store +1 +1 +0 ' stdout
cp build/CMakeFiles/app.dir/link.txt kept
sed 's/.* -o app *//' kept >build/CMakeFiles/app.dir/libraries.rsp
sed -i 's/ -o app .*/ -o app @CMakeFiles\/app.dir\/libraries.rsp/' build/CMakeFiles/app.dir/link.txt
ok "libraries in a file that the command names" sh -c 'grep -q libraries.rsp build/CMakeFiles/app.dir/link.txt &&
    grep -q "[.]a" build/CMakeFiles/app.dir/libraries.rsp'
run_it "$BANKSCOPE" run --compiler clang --build build --target app -- word
ok "... belong to it" counts
rm build/CMakeFiles/app.dir/libraries.rsp
refuses "one that is not there is named" 1 'cannot read .*build/CMakeFiles/app.dir/libraries.rsp' \
    "$BANKSCOPE" run --compiler clang --build build --target app -- word
cp kept build/CMakeFiles/app.dir/link.txt
cp build/CMakeFiles/kernels.dir/link.txt archived
echo '/usr/bin/ar qc @CMakeFiles/kernels.dir/objects1.rsp' >build/CMakeFiles/kernels.dir/link.txt
refuses "... that a library's command names" 1 'libfirst.a: cannot read .*build/CMakeFiles/kernels.dir/objects1.rsp' \
    "$BANKSCOPE" run --compiler clang --build build --target app -- word
cp archived build/CMakeFiles/kernels.dir/link.txt
rm build/CMakeFiles/app.dir/link.txt build/CMakeFiles/kernels.dir/link.txt
cat >build/build.ninja <<'END'
build libfirst.a: CUDA_STATIC_LIBRARY_LINKER__kernels_ CMakeFiles/kernels.dir/lib/kernels.cu.o
  TARGET_FILE = libfirst.a

build CMakeFiles/app.dir/cmake_device_link.o: CUDA_EXECUTABLE_DEVICE_LINKER__app_ CMakeFiles/app.dir/src/extra.cpp.o
  LINK_LIBRARIES = libother.a

build app: CXX_EXECUTABLE_LINKER__app_ CMakeFiles/app.dir/src/main.cpp.o CMakeFiles/app.dir/src/extra.cpp.o | libfirst.a || libfirst.a
  LINK_LIBRARIES = libfirst.a  -lcudadevrt  -lrt
END
build --build build --target app
ok "as ninja has it" counts
rm build/build.ninja
build --build build --target app
ok "where nobody tells of the library, the link says what is missing" sh -c \
    'test '"$status"' -eq 1 && grep -q launch stderr'
echo '/usr/bin/c++ CMakeFiles/app.dir/src/main.cpp.o CMakeFiles/app.dir/src/extra.cpp.o CMakeFiles/kernels.dir/lib/kernels.cu.o -o app' \
    >build/CMakeFiles/app.dir/link.txt
build --build build --target app
ok "objects of another target" counts
cp kept build/CMakeFiles/app.dir/link.txt
echo '/usr/bin/ar qc libfirst.a CMakeFiles/kernels.dir/lib/kernels.cu.o' >build/CMakeFiles/kernels.dir/link.txt

# One that names no targets, as other tools write it.
jq 'map(del(.output) | if .command then .command |= sub("-o [^ ]*"; "") else .arguments |= .[:-2] end)' \
    build/compile_commands.json >plain.json
build --build plain.json src/main.cpp
ok "without targets, all but other programs" counts
refuses "... which program must be said" 1 'several sources have a main\(\)' "$BANKSCOPE" run --build plain.json
refuses "... and no target" 1 'names no targets' "$BANKSCOPE" run --build plain.json --target app

refuses "which of several programs" 1 'several programs: --target NAME chooses one of app, tool' "$BANKSCOPE" run --build build
refuses "a target that is not there" 1 "no target 'ap'; did you mean 'app'" "$BANKSCOPE" run --build build --target ap
refuses "a source that is not in it" 1 'database.cu is not a source of build' "$BANKSCOPE" run --build build database.cu
refuses "no database" 1 'nowhere.*EXPORT_COMPILE_COMMANDS' "$BANKSCOPE" run --build nowhere
echo '{}' >wrong.json
refuses "a file that is none" 1 'wrong.json is no compilation database' "$BANKSCOPE" run --build wrong.json
refuses "a target without a database" 2 'needs --build' "$BANKSCOPE" run src/tool.cu --target app
refuses "the other program" 1 'nothing was recorded: .*has no kernel' "$BANKSCOPE" run --build build --target tool

run_it timeout 90 "$BANKSCOPE" stats src/main.cpp --compiler clang --build build --by line
ok "stats takes it, too" shows '^lib/kernels.cu:9 +store +1 '

run_it timeout 90 "$BANKSCOPE" stats --compiler clang --build build --target app --by line -- word
ok "... a target without a source, with its arguments" sh -c \
    'grep -Eq "^lib/kernels.cu:9 +store +1 " stdout && grep -qx "104 word" stderr'
run_it timeout 90 "$BANKSCOPE" stats src/main.cpp --compiler clang --build build --by line -- word
ok "... a source that does not end in .cu, with its arguments" grep -qx "104 word" stderr

# What CMake itself writes.
nvcc=${CUDACXX:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
if have cmake && [ -x "$nvcc" ]; then
    cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.18)
project(demo LANGUAGES CXX CUDA)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_CUDA_ARCHITECTURES 80)
add_library(kernels STATIC lib/kernels.cu)
target_include_directories(kernels PUBLIC lib/include PRIVATE "build/a folder")
target_compile_definitions(kernels PRIVATE STRIDE=32 "NAME=\"a b\"")
set_target_properties(kernels PROPERTIES CUDA_SEPARABLE_COMPILATION ON)
set_source_files_properties(src/extra.cpp PROPERTIES LANGUAGE CUDA)
add_executable(app src/main.cpp src/extra.cpp)
target_compile_definitions(app PRIVATE OF_APP=100)
target_link_libraries(app PRIVATE kernels)
END
    for generator in "Unix Makefiles" Ninja; do
        if [ "$generator" = Ninja ] && ! is_long; then
            skip "CMake with Ninja" "make check-long does that; what Ninja writes is tried above"
            continue
        elif [ "$generator" = Ninja ] && ! have ninja; then
            skip "CMake with Ninja" "needs ninja"
            continue
        fi
        rm -rf of_cmake
        run_it timeout 120 env CUDACXX="$nvcc" cmake -G "$generator" -S . -B of_cmake
        ok "CMake with $generator" test "$status" -eq 0
        build --build of_cmake
        ok "... its program runs" counts
    done
else
    skip "CMake's own database" "needs cmake and nvcc"
fi

finish
