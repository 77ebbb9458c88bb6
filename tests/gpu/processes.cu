/* processes.cu - a program of several processes on a GPU, for processes.sh.
 *
 *   nvcc -O3 -lineinfo -std=c++17 -arch=sm_90 -o processes tests/gpu/processes.cu
 *   ./processes HOW N     N processes, of which number i, from 0, launches strided<<<4, 64>>>(2^(i % 6)) i % 3 + 1 times
 *   ./processes rank I    one of them
 *
 * HOW: exec      the processes are started anew
 *      fork      they are copies of this one, which does not use the GPU
 *      used      likewise, but this one has used it; there is nothing that they could do with it then
 *      _exit     they end by _exit, copies of this one
 *      killed    they kill themselves, copies of this one
 *      flood     they launch until they are killed, when each has 20 times
 *      again     one launches, goes on as another program that launches, and that once more: N launches
 *      orphans   this one ends when they have begun to use the GPU, before they launch
 *      none      they do not use the GPU, but this one does
 *
 * Prints "process STRIDE LAUNCHES" for each, before it ends; each checks its own result.
 */
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

enum { BLOCKS = 4, THREADS = 64, WORDS = THREADS * 32 };

/* A pass for each of `stride` words of a bank: 2 * stride passes a block for loads, 64 for stores. */
__global__ void strided(int *out, int stride)
{
    __shared__ int tile[WORDS];
    for (int i = threadIdx.x; i < WORDS; i += THREADS)
        tile[i] = i;
    __syncthreads();
    out[blockIdx.x * THREADS + threadIdx.x] = tile[threadIdx.x * stride];
}

static int ready[2]; /* a pipe: children tell that they are there */

static void tell_ready(void)
{
    if (write(ready[1], "", 1) != 1)
        _exit(8);
}

static bool launch(int stride, int times)
{
    static int result[BLOCKS * THREADS];
    int *out;
    if (cudaMalloc(&out, sizeof result) != cudaSuccess)
        return false;
    for (int i = 0; i < times; i++) {
        if (i == 20)
            tell_ready();
        strided<<<BLOCKS, THREADS>>>(out, stride);
        if (cudaDeviceSynchronize() != cudaSuccess)
            return false;
    }
    if (cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost) != cudaSuccess)
        return false;
    for (int i = 0; i < BLOCKS * THREADS; i++)
        if (result[i] != i % THREADS * stride)
            return false;
    cudaFree(out);
    return true;
}

/* What a process does. */
static int work(int number, int times)
{
    const int stride = 1 << number % 6;
    if (!launch(stride, times)) {
        fprintf(stderr, "process %d: WRONG\n", number);
        return 1;
    }
    printf("process %d %d\n", stride, times);
    fflush(stdout);
    return 0;
}

/* Goes on as another program. */
static void become(const char *program, const char *how, int number)
{
    char text[16];
    snprintf(text, sizeof text, "%d", number);
    execl("/proc/self/exe", program, how, text, (char *)NULL);
    _exit(9);
}

static void be_child(const char *program, const char *how, int number, pid_t parent)
{
    if (!strcmp(how, "exec"))
        become(program, "rank", number);
    if (!strcmp(how, "none"))
        exit(0);
    if (!strcmp(how, "used")) /* cudaErrorInitializationError */
        exit(launch(1, 1));
    if (!strcmp(how, "orphans")) {
        if (cudaFree(NULL) != cudaSuccess)
            exit(1);
        tell_ready();
        while (getppid() == parent)
            usleep(1000);
        exit(work(number, number % 3 + 1));
    }
    if (!strcmp(how, "flood"))
        exit(work(number, 1 << 30));
    const int bad = work(number, number % 3 + 1);
    if (!strcmp(how, "killed"))
        kill(getpid(), SIGKILL);
    if (!strcmp(how, "_exit"))
        _exit(bad);
    exit(bad);
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: processes HOW N\n");
        return 2;
    }
    const char *how = argv[1];
    const int number = atoi(argv[2]);
    if (!strcmp(how, "rank"))
        return work(number, number % 3 + 1);
    if (!strcmp(how, "again")) {
        int bad = work(number, 1);
        if (number > 1)
            become(argv[0], how, number - 1);
        return bad;
    }
    if ((!strcmp(how, "used") || !strcmp(how, "none")) && work(0, 1))
        return 1;
    pid_t child[64], self = getpid();
    if (pipe(ready) || number > 64)
        return 1;
    for (int i = 0; i < number; i++) {
        child[i] = fork();
        if (child[i] == 0)
            be_child(argv[0], how, i, self);
    }
    const bool orphans = !strcmp(how, "orphans"), flood = !strcmp(how, "flood");
    char byte;
    for (int i = 0; i < number && (orphans || flood); i++)
        if (read(ready[0], &byte, 1) != 1)
            return 1;
    for (int i = 0; i < number && flood; i++)
        kill(child[i], SIGKILL);
    int bad = 0, status;
    while (!orphans && wait(&status) > 0)
        bad |= WIFEXITED(status) ? status : 0;
    return bad != 0;
}
