/* beside.cu - which loads beside an allocation a GPU lets pass. For each size of an allocation and each distance from
 * its last byte (below 0: from its first), a process of its own loads one byte there and says "ok" or "FAULT", for a
 * fault ends all that its process has on the GPU. The allocation's address is that of the process at distance 0.
 *
 *     nvcc -arch=sm_90 -o beside tests/gpu/beside.cu && ./beside >tests/data/h100-beside.txt
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

__global__ void load(const volatile char *memory, long at, int *out)
{
    *out = memory[at];
}

/* One load, of byte AT of SIZE bytes. Its result is the process's status: 1 if it faults. */
static int load_once(size_t size, long at)
{
    char *memory;
    int *out;
    if (cudaMalloc(&out, sizeof *out) || cudaMalloc(&memory, size))
        return 2;
    load<<<1, 1>>>(memory, at, out);
    const bool faults = cudaDeviceSynchronize() != cudaSuccess;
    if (at == 0)
        printf("%p, byte %#zx of its page:", (void *)memory, (size_t)memory % (2 << 20));
    return faults;
}

int main(int argc, char **argv)
{
    static const size_t sizes[] = {256,     4096,    65536,   1 << 20, (1 << 20) + 512,
                                   2 << 20, 3 << 20, 4 << 20, 10 << 20};
    static const long distances[] = {0,       64,       512, 65536, 1 << 20,    2 << 20,
                                     4 << 20, 32 << 20, -1,  -512,  -(1 << 20), -(2 << 20)};
    static const char *const said[] = {"ok", "FAULT", "no memory"};
    if (argc == 3)
        return load_once(strtoull(argv[1], NULL, 0), strtol(argv[2], NULL, 0));
    for (size_t size : sizes) {
        printf("%zu bytes at ", size);
        for (long distance : distances) {
            char command[300];
            const long at = distance > 0 ? (long)size + distance - 1 : distance;
            fflush(stdout);
            snprintf(command, sizeof command, "timeout 20 %s %zu %ld", argv[0], size, at);
            const int status = system(command);
            printf(" %ld %s", distance,
                   WIFEXITED(status) && WEXITSTATUS(status) <= 2 ? said[WEXITSTATUS(status)]
                                                                 : "ended otherwise");
        }
        printf("\n");
    }
}
