#!/bin/sh
# However a program ends, what it launched until then is reported, and one line says what happened unless it
# ended by itself.
. tests/support/tap.sh
# shellcheck source=tests/support/cuda.sh
. tests/support/cuda.sh
cd "$WORK" || exit 1

# It launches fill twice, 256 blocks, and ends as its argument says.
cat >ends.cu <<'EOF'
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

__global__ void fill(int *out, int rounds)
{
    __shared__ int tile[512];
    for (int i = 0; i < rounds; i++)
        tile[threadIdx.x * 2 + i % 2] = i;
    __syncthreads();
    out[blockIdx.x * 256 + threadIdx.x] = tile[threadIdx.x * 2];
}
__global__ void endless(volatile int *out)
{
    __shared__ int tile[32];
    tile[threadIdx.x] = 1;
    __syncthreads();
    while (!out[0])
        out[1] = tile[31 - threadIdx.x];
}
static int *out;
static void launch()
{
    fill<<<256, 256>>>(out, 10);
    cudaDeviceSynchronize();
}
static void close_all()
{
    for (int i = 0; i < 1024; i++)
        if (i != 1)
            close(i);
}
static void scribble() // over the records
{
    char line[300];
    unsigned long from;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (fgets(line, sizeof line, maps))
        if (strstr(line, "memfd:bankscope") && sscanf(line, "%lx", &from) == 1)
            memset((void *)from, 0x55, 4096);
}
static void *leave(void *)
{
    exit(8);
}
int main(int, char **argv)
{
    const char *how = argv[1];
    auto is = [&](const char *word) { return !strcmp(how, word); };
    if (is("before"))
        _exit(9);
    cudaMalloc(&out, 256 * 256 * sizeof(int));
    if (is("close"))
        close_all();
    launch();
    if (is("reopen")) {
        close_all();
        for (int i = 0; i < 500; i++)
            if (!fopen("/dev/null", "w"))
                _exit(99);
    }
    launch();
    if (is("_exit") || is("_exit0"))
        _exit(is("_exit") ? 7 : 0);
    if (is("quick_exit"))
        quick_exit(3);
    if (is("exit"))
        exit(4);
    if (is("abort"))
        abort();
    if (is("throw"))
        throw std::runtime_error("nobody catches it");
    if (is("kill"))
        raise(SIGKILL);
    if (is("term"))
        raise(SIGTERM);
    if (is("segv"))
        *(volatile int *)8 = 1;
    if (is("exec"))
        execlp("sh", "sh", "-c", "exit 3", (char *)nullptr);
    if (is("thread")) {
        pthread_t thread;
        pthread_create(&thread, nullptr, leave, nullptr);
        pause();
    }
    if (is("child")) {
        if (!fork()) {
            launch();
            exit(0);
        }
        wait(nullptr);
    }
    if (is("orphan") && !fork()) {
        FILE *file = fopen("orphan", "w");
        fprintf(file, "%d", getpid());
        fclose(file);
        sleep(300);
        exit(0);
    }
    if (is("scribble"))
        scribble();
    if (is("kernel")) {
        cudaMemset(out, 0, 8);
        alarm(1);
        endless<<<1, 32>>>(out);
    }
    if (is("wait")) {
        printf("launched\n");
        fflush(stdout);
        pause();
    }
    cudaFree(out);
    return 0;
}
EOF
"$BANKSCOPE" run ends.cu --csv=whole -- return >/dev/null 2>said || cat said
ok "the program" test "$(grep -c '^fill' whole)" -eq 4

# ends HOW STATUS LINES: the launches are reported, and standard error is the given lines.
ends() {
    ends_how=$1 ends_status=$2
    shift 2
    printf '%s' "${*:+$*
}" >wanted
    run_it timeout 60 "$BANKSCOPE" run ends.cu --csv=rows -- "$ends_how"
    grep '^fill' rows >got
    ok "$ends_how: its launches are reported" sh -c 'grep "^fill" whole | diff - got'
    ok "$ends_how: with status $ends_status" test "$status" -eq "$ends_status"
    grep -v -e 'leak: ' -e '^terminate called' -e '^ *what():' stderr >said
    ok "$ends_how: it is said how it ended" diff wanted said
}
b="bankscope run:"
ends exit 4 "$b the program ended with status 4"
ends thread 8 "$b the program ended with status 8"
ends close 0
ends reopen 0
ends orphan 0
eventually test -s orphan
kill "$(cat orphan)"
ends _exit 7 "$b the program ended with status 7"
ends _exit0 0
ends quick_exit 3 "$b the program ended with status 3"
ends exec 3 "$b the program ended with status 3"
ends abort 134 "$b the program was ended by signal 6 (Aborted)"
ends throw 134 "$b the program was ended by signal 6 (Aborted)"
ends kill 137 "$b the program was ended by signal 9 (Killed)"
ends term 143 "$b the program was ended by signal 15 (Terminated)"
ends segv 139 "$b the program was ended by signal 11 (Segmentation fault)"
ends child 0 # whose launch fails, as on a GPU
ends kernel 142 "$b the program ended inside kernel endless (launch 2); what was recorded before is kept
$b the program was ended by signal 14 (Alarm clock)"
run_it "$BANKSCOPE" run ends.cu -- before
ok "without a launch, its status is there" test "$status" -eq 9
refuses "who writes over the records" 1 "records are damaged" "$BANKSCOPE" run ends.cu -- scribble
no_memory() {
    # shellcheck disable=SC3045
    (ulimit -v "$1" && "$BANKSCOPE" run ends.cu -- exit >stdout 2>stderr)
    [ $? -eq 1 ] && cat stderr && [ "$(wc -l <stderr)" -eq 1 ] && grep -Eq "$2" stderr
}
case $BANKSCOPE in
*-san/*) skip "no memory for what is recorded is said" "the address sanitizer reserves terabytes" ;;
*) ok "no memory for what is recorded is said" no_memory 300000 'cannot map .*ulimit -v' ;;
esac

# A signal from outside, to the program or to all.
signalled() { # SIGNAL STATUS
    env --default-signal=INT setsid "$BANKSCOPE" run ends.cu --csv=rows -- wait >stdout 2>stderr &
    group=$!
    eventually grep -q launched stdout
    kill -s "$1" -- -$group || kill -s KILL $group
    wait $group
    [ $? -eq "$2" ] && grep '^fill' rows | diff whole-rows - && grep -q 'ended by signal' stderr
}
grep '^fill' whole >whole-rows
ok "an interrupt: what ran is reported" signalled INT 130

# A launch that was stopped: nothing is said to have had no access that was not looked at to the end.
cat >stops.cu <<'EOF'
__global__ void early(int *out)
{
    __shared__ int tile[32];
    if (out)
        __trap();
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = tile[31 - threadIdx.x];
}
int main()
{
    int *out;
    cudaMalloc(&out, 128);
    early<<<1, 32>>>(out);
    return cudaDeviceSynchronize() != cudaSuccess;
}
EOF
run_it "$BANKSCOPE" run stops.cu --json=stops.json
ok "a kernel that stops before its first access is none without accesses" \
    grep -qx 'no access to shared memory was recorded until then' stdout
ok "... and stopped early" grep -q '^early: launch 0, .*, stopped early, as compiled by clang' stdout
ok "... in JSON too" grep -q '"stopped":true' stops.json
finish
