/* runtime_program.c - programs as a user might write them, for test_runtime.c: one a word. They call the
 * runtime API as compilers make programs call it, with kernels of a fake machine. A program says "good" if
 * what it saw is what CUDA's manual says. */
#define _GNU_SOURCE
#include "tests/support/fake_machine.h"

#include "driver_types.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- what the toolkit's headers declare --------------------------------------------------------- */

void **__cudaRegisterFatBinary(void *data);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                            int threads, void *tid, void *bid, void *block, void *grid, int *warp);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int external,
                       size_t bytes, int constant, int global);
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared,
                                       cudaStream_t *stream);
cudaError_t cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments,
                             size_t shared, cudaStream_t stream);
cudaError_t cudaLaunchCooperativeKernel(const void *kernel, dim3 grid, dim3 block, void **arguments,
                                        size_t shared, cudaStream_t stream);
cudaError_t cudaMalloc(void **memory, size_t bytes);
cudaError_t cudaFree(void *memory);
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind);
cudaError_t cudaMemset(void *at, int value, size_t bytes);
cudaError_t cudaMemsetAsync(void *at, int value, size_t bytes, cudaStream_t stream);
cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset,
                               enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset,
                                 enum cudaMemcpyKind kind);
cudaError_t cudaGetSymbolSize(size_t *bytes, const void *symbol);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaDeviceReset(void);
cudaError_t cudaGetLastError(void);
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device);
cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute attribute, int value);
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *function);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function,
                                                          int threads, size_t shared);
cudaError_t cudaStreamCreate(cudaStream_t *stream);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                                 unsigned long long flags);
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream);
cudaError_t cudaIpcGetMemHandle(void *handle, void *memory);

/* ---- kernels -------------------------------------------------------------------------------------- */

static pthread_t main_thread;
static char *main_stack;

/* x[block] *= by */
static void scale(struct fake_block *block)
{
    float *x, by;
    uint64_t address;
    memcpy(&address, block->parameters, 8);
    const struct machine_range *range = machine_memory_find(block->memory, address);
    x = (float *)(void *)(range->host + (address - range->address));
    memcpy(&by, block->parameters + 8, 4);
    x[block->number] *= by;
    fake_access(block, 0, 32, 4);
    fake_access(block, 1, 32, 8);
}

static void forty(struct fake_block *block)
{
    for (int i = 0; i < 40; i++)
        fake_access(block, i % 2, 32, 4);
}

static void says(struct fake_block *block)
{
    fake_print(block, "kernel\n");
}

static void faults(struct fake_block *block)
{
    fake_fault(block, MACHINE_FAULT_RACE, "a race of two");
    if (block->number == 2)
        fake_fault(block, MACHINE_FAULT_ADDRESS, "nothing is there");
}

static void loops(struct fake_block *block)
{
    while (!fake_stop(block))
        ;
}

/* Runs on no stack of the program's; other threads leave the program's signals alone. */
static void signals(struct fake_block *block)
{
    char here, *limit = main_stack - (8 << 20);
    sigset_t blocked;
    kill(getpid(), SIGUSR1);
    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    bool own = pthread_equal(pthread_self(), main_thread);
    if ((&here<main_stack && & here> limit) || (!own && !sigismember(&blocked, SIGUSR1)))
        fake_fault(block, MACHINE_FAULT_TRAP, "as a part of the program");
}

static void dies(struct fake_block *block)
{
    if (block->number == 1)
        kill(getpid(), SIGKILL);
}

static void counts(struct fake_block *block)
{
    uint64_t address, bytes;
    machine_variable(block->module, "counter", &address, &bytes);
    ++*(int *)(uintptr_t)address;
}

const struct fake_kernel fake_kernels[] = {
    {"scale", scale},   {"forty", forty},     {"says", says}, {"faults", faults}, {"loops", loops},
    {"counts", counts}, {"signals", signals}, {"dies", dies}, {NULL, NULL}};

static const char text[] = ".target sm_86\n.kernel scale 8 4\n.kernel forty\n.kernel says\n"
                           ".kernel faults\n.kernel loops\n.kernel signals\n.kernel dies\n"
                           ".kernel counts\n.kernel strange\n.var counter 4\n";
static const char damaged_text[] = ".target sm_86\ndamaged\n.kernel scale 8 4\n";
static const char extern_text[] =
    ".target sm_90\n.extern .func (.param .b32 r) twice\n(.param .b32 a)\n;\n.kernel scale 8 4\n";
static const char twice_text[] =
    ".target sm_90\n.visible .func (.param .b32 r) twice(.param .b32 a)\n.kernel forty\n";
static const unsigned char machine_code[] = "\177ELF\2\1\1";

static char stub[16]; /* what stands for kernels in the host's code */
static int counter;

static void **register_data(const void *data)
{
    static struct wrapper {
        int magic, version;
        const void *data;
        void *list;
    } wrapper[4];
    static int used;
    wrapper[used] = (struct wrapper){0x466243b1, 1, data, NULL};
    return __cudaRegisterFatBinary(&wrapper[used++]);
}

static void register_kernels(void **handle)
{
    for (int i = 0; fake_kernels[i].name; i++)
        __cudaRegisterFunction(handle, stub + i, NULL, fake_kernels[i].name, -1, NULL, NULL, NULL,
                               NULL, NULL);
    __cudaRegisterFunction(handle, stub + 15, NULL, "strange", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterVar(handle, (char *)&counter, NULL, "counter", 0, 4, 0, 0);
    __cudaRegisterFatBinaryEnd(handle);
}

static const void *stub_of(const char *name)
{
    int i = 0;
    while (fake_kernels[i].name && strcmp(fake_kernels[i].name, name))
        i++;
    return stub + (fake_kernels[i].name ? i : 15);
}

/* kernel<<<grid, block>>>(...) */
static cudaError_t launch(const char *name, unsigned grid, unsigned block, void **arguments)
{
    dim3 g = {grid, 1, 1}, b = {block, 1, 1};
    size_t shared;
    cudaStream_t stream;
    __cudaPushCallConfiguration(g, b, 0, NULL);
    __cudaPopCallConfiguration(&g, &b, &shared, &stream);
    return cudaLaunchKernel(stub_of(name), g, b, arguments, shared, stream);
}

/* ---- programs --------------------------------------------------------------------------------------- */

static bool scales(void)
{
    float host[4] = {1, 2, 3, 4}, by = 10, *x;
    void *arguments[] = {&x, &by};
    bool good = !cudaMalloc((void **)&x, sizeof host) &&
                !cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice) &&
                !launch("scale", 4, 32, arguments) && !cudaDeviceSynchronize() &&
                !cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost) && !cudaFree(x);
    return good && host[0] == 10 && host[3] == 40;
}

static bool prints(void)
{
    printf("host 1\n");
    launch("says", 1, 1, NULL);
    printf("host 2\n");
    fflush(stdout);
    launch("says", 1, 1, NULL);
    _exit(0);
}

static bool is_killed(void)
{
    scales();
    launch("dies", 4, 32, NULL);
    return false;
}

static bool launches_often(void)
{
    for (int i = 0; i < 5000; i++)
        if (launch("forty", i % 2 ? 1 : 2, 32, NULL))
            return false;
    return true;
}

static bool keeps(void)
{
    return !launch("forty", 9, 32, NULL);
}

static bool sticks(void)
{
    void *at;
    return launch("faults", 4, 32, NULL) == cudaErrorIllegalAddress &&
           cudaMalloc(&at, 8) == cudaErrorIllegalAddress &&
           cudaGetLastError() == cudaErrorIllegalAddress &&
           cudaDeviceSynchronize() == cudaErrorIllegalAddress && !cudaDeviceReset() &&
           !cudaMalloc(&at, 8) && !cudaGetLastError();
}

static bool passes_nonsense(void)
{
    char host[64], *x, *y;
    cudaMalloc((void **)&x, 32);
    cudaMalloc((void **)&y, 32);
    bool good = cudaMemcpy(x, host, 33, cudaMemcpyHostToDevice) == cudaErrorInvalidValue &&
                cudaMemset(x + 30, 0, 4) == cudaErrorInvalidValue &&
                cudaMemcpy(host, host, 4, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue &&
                !cudaFree(y) &&
                cudaMemcpy(host, y, 4, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue &&
                cudaFree(y) == cudaErrorInvalidValue && cudaFree(x + 1) == cudaErrorInvalidValue &&
                cudaFree(host) == cudaErrorInvalidValue;
    return good && cudaGetLastError() == cudaErrorInvalidValue && !cudaGetLastError();
}

/* Rows: from and to memory of the device or the host; columns: kinds of copies, of which an H100 does these. */
static bool copies_in_all_directions(void)
{
    static const bool done[4][4] = {
        [3] = {true, true, true, true},   /* device to device */
        [1] = {true, true, false, false}, /* host to device */
        [2] = {true, false, true, false}, /* device to host */
        [0] = {true, false, false, false} /* host to host */
    };
    int there[2] = {7}, here[2] = {7}, *x, *y, got;
    bool good = !cudaMalloc((void **)&x, 8) && !cudaMalloc((void **)&y, 8) &&
                !cudaMemcpy(x, here, 8, cudaMemcpyHostToDevice);
    for (int side = 0; side < 4; side++)
        for (int kind = 0; kind < 4; kind++) {
            int *const to = side & 1 ? y : there;
            const cudaError_t wanted = done[side][kind] ? cudaSuccess : cudaErrorInvalidValue;
            good &= !cudaMemset(y, 0, 8);
            there[0] = 0;
            good &= cudaMemcpy(to, side & 2 ? x : here, 8, (enum cudaMemcpyKind)kind) == wanted;
            cudaGetLastError();
            good &= !cudaMemcpy(&got, to, 4, cudaMemcpyDefault) && got == (wanted ? 0 : 7);
        }
    return good;
}

static bool asks_for_no_error(void)
{
    return launch("forty", 1, 2048, NULL) == cudaErrorInvalidConfiguration;
}

static bool asks_for_errors(void)
{
    bool good = launch("forty", 0, 32, NULL) == cudaErrorInvalidConfiguration;
    return good && cudaGetLastError() == cudaErrorInvalidConfiguration && !cudaGetLastError();
}

static void *scale_often(void *good)
{
    for (int i = 0; i < 200; i++)
        *(bool *)good = *(bool *)good && scales();
    return NULL;
}

static bool has_threads(void)
{
    pthread_t thread[4];
    bool good[4] = {true, true, true, true};
    for (int i = 0; i < 4; i++)
        pthread_create(&thread[i], NULL, scale_often, &good[i]);
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
    return good[0] && good[1] && good[2] && good[3];
}

static bool forks(void)
{
    scales();
    pid_t child = fork();
    if (child == 0) {
        void *at;
        _exit(cudaMalloc(&at, 8) == cudaErrorInitializationError ? 7 : 1);
    }
    int status;
    waitpid(child, &status, 0);
    return scales() && WEXITSTATUS(status) == 7;
}

static bool forks_before(void)
{
    pid_t child = fork();
    if (child == 0)
        _exit(scales() ? 7 : 1);
    int status;
    waitpid(child, &status, 0);
    return WEXITSTATUS(status) == 7 && scales();
}

static bool closes_everything(void)
{
    for (int i = 3; i < 1024; i++)
        close(i);
    return scales();
}

static bool never_ends(void)
{
    return launch("loops", 2, 32, NULL) == cudaErrorLaunchTimeout;
}

static volatile sig_atomic_t handled;
static void handle(int signal)
{
    (void)signal;
    handled += pthread_equal(pthread_self(), main_thread) ? 1 : 100;
}

static bool handles_signals(void)
{
    signal(SIGUSR1, handle);
    return !launch("signals", 20, 32, NULL) && handled > 0 && handled <= 20;
}

static bool uses_graphs(void)
{
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    float by = 10, host = 1, *x;
    void *arguments[] = {&x, &by};
    dim3 one = {1, 1, 1};
    bool good = !cudaMalloc((void **)&x, 4) && !cudaStreamCreate(&stream) &&
                !cudaMemcpy(x, &host, 4, cudaMemcpyHostToDevice) &&
                !cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed) &&
                !cudaLaunchKernel(stub_of("scale"), one, one, arguments, 0, stream);
    by = 1; /* the graph has its own */
    good = good && !cudaLaunchKernel(stub_of("scale"), one, one, arguments, 0, stream) &&
           !cudaStreamEndCapture(stream, &graph) && !cudaGraphInstantiate(&exec, graph, 0) &&
           !cudaGraphLaunch(exec, stream) && !cudaGraphLaunch(exec, stream) &&
           !cudaMemcpy(&host, x, 4, cudaMemcpyDeviceToHost) && !cudaStreamDestroy(stream);
    return good && host == 100;
}

static bool uses_variables(void)
{
    int value = 41;
    size_t bytes;
    bool good = !cudaMemcpyToSymbol(&counter, &value, 4, 0, cudaMemcpyHostToDevice) &&
                !launch("counts", 1, 1, NULL) &&
                !cudaMemcpyFromSymbol(&value, &counter, 4, 0, cudaMemcpyDeviceToHost) &&
                !cudaGetSymbolSize(&bytes, &counter);
    return good && value == 42 && bytes == 4 && counter == 0;
}

static bool has_no_such_variable(void)
{
    int value = 41;
    return cudaMemcpyToSymbol(&value, &value, 4, 0, cudaMemcpyHostToDevice) ==
           cudaErrorInvalidSymbol;
}

static bool asks_for_the_device(void)
{
    struct cudaDeviceProp p;
    struct cudaFuncAttributes a;
    int blocks;
    dim3 many = {133 * 2, 1, 1}, block = {1024, 1, 1};
    if (cudaGetDeviceProperties(&p, 0) || cudaFuncGetAttributes(&a, stub_of("forty")) ||
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, stub_of("forty"), 1024, 0))
        return false;
    printf("%s: %d.%d, %d multiprocessors, %d blocks of 1024, %zu bytes, ptx %d\n", p.name, p.major,
           p.minor, p.multiProcessorCount, blocks, p.sharedMemPerBlockOptin, a.ptxVersion);
    cudaError_t too_large =
        cudaLaunchCooperativeKernel(stub_of("forty"), many, block, NULL, 0, NULL);
    cudaError_t shared = cudaLaunchKernel(stub_of("forty"), block, block, NULL, 49153, NULL);
    cudaError_t allowed =
        cudaFuncSetAttribute(stub_of("forty"), cudaFuncAttributeMaxDynamicSharedMemorySize, 60000);
    many.x = 1;
    return too_large == cudaErrorCooperativeLaunchTooLarge && shared == cudaErrorInvalidValue &&
           !allowed && !cudaLaunchKernel(stub_of("forty"), many, block, NULL, 60000, NULL);
}

static bool is_strange(void)
{
    return launch("strange", 1, 1, NULL) == cudaErrorInvalidPtx && cudaGetLastError() &&
           cudaIpcGetMemHandle(NULL, NULL) == cudaErrorNotSupported;
}

static bool has_other_code(void)
{
    void *at;
    return launch("scale", 1, 1, &at) == cudaErrorNoKernelImageForDevice;
}

static bool reads_device_memory(void)
{
    int *at;
    cudaMalloc((void **)&at, 100);
    return at[3] == 0;
}

static bool leaks(void)
{
    void *at;
    return !cudaMalloc(&at, 100);
}

static const struct {
    const char *name;
    bool (*function)(void);
    const void *data;
} programs[] = {
    {"scales", scales, text},
    {"prints", prints, text},
    {"is-killed", is_killed, text},
    {"launches-often", launches_often, text},
    {"keeps", keeps, text},
    {"sticks", sticks, text},
    {"passes-nonsense", passes_nonsense, text},
    {"copies-in-all-directions", copies_in_all_directions, text},
    {"asks-for-no-error", asks_for_no_error, text},
    {"asks-for-errors", asks_for_errors, text},
    {"forks", forks, text},
    {"forks-before", forks_before, text},
    {"closes-everything", closes_everything, text},
    {"never-ends", never_ends, text},
    {"handles-signals", handles_signals, text},
    {"uses-graphs", uses_graphs, text},
    {"uses-variables", uses_variables, text},
    {"has-no-such-variable", has_no_such_variable, text},
    {"asks-for-the-device", asks_for_the_device, text},
    {"is-strange", is_strange, text},
    {"is-damaged", has_other_code, damaged_text},
    {"has-machine-code", has_other_code, machine_code},
    {"has-several-units", scales, extern_text},
    {"leaks", leaks, text},
    {"reads-device-memory", reads_device_memory, text},
    {"has-threads", has_threads, text},
};

int main(int count, char **words)
{
    char here;
    main_thread = pthread_self();
    main_stack = &here;
    for (size_t i = 0; i < sizeof programs / sizeof *programs && count > 1; i++)
        if (!strcmp(words[1], programs[i].name)) {
            if (programs[i].data == extern_text)
                register_data(twice_text);
            register_kernels(register_data(programs[i].data));
            bool good = programs[i].function();
            printf("%s\n", good ? "good" : "bad");
            return !good;
        }
    return 2;
}
