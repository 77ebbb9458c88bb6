/* gpu_app.c - a program that behaves as one on a GPU that records itself: it writes records
 * (program/stream.h) as inject/inject.c does, and leaves its machine code, for test_gpu_app.sh and
 * test_gpu_processes.sh.
 *
 * usage: gpu_app CUBIN LAUNCHES [cut | graph | fail | half | unsent | copy | late | stay | STATUS]
 *
 * The kernel k(int *) of `test_cubin --write` has instructions of 16 bytes: 0 stores 4 bytes (line 5),
 * 2 loads 16 (line 7), 14 counts in a word, 15 compares and swaps, 16 does so in a loop. One warp executes 0
 * on words of one bank, 2 on rows side by side, and 4 and 14 to 16 as atomic operations on one word;
 * instruction 40 is behind its end. Launches that --kernel and --launch do not
 * choose are counted only; with `graph`, all but the first are said to be in a CUDA graph. After its launches it is
 * killed, with `half` in the middle of one more, with `unsent` in one of which it has told nothing yet; a `copy` (fork)
 * of it launches, too; `late` launches once its parent has ended, and `stay` runs on until nobody reads.
 */
#include "instrument/instrument.h"
#include "program/ring.h"

#include <regex.h>
#include <signal.h>
#include <stddef.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const uint64_t CODE = UINT64_C(0x7f0000001000);

static void put_access(struct ring_writer *to, int instruction, int operation, int bytes,
                       uint32_t stride)
{
    struct record_access access = {.pc = CODE + 16u * (unsigned)instruction + 1,
                                   .mask = UINT32_MAX,
                                   .round = (uint32_t)instruction,
                                   .operation = (uint8_t)operation,
                                   .bytes = (uint8_t)bytes};
    for (uint32_t lane = 0; lane < RECORD_WARP; lane++)
        access.addr[lane] = lane * stride;
    ring_put(to, RECORD_ACCESS, &access, sizeof access);
}

static const char kernel_name[] = "k(int*)";

static bool is_wanted(uint64_t number)
{
    const char *kernel = getenv(RECORDS_KERNEL), *launch = getenv(RECORDS_LAUNCH);
    regex_t regex;
    bool wanted = !launch || strtoull(launch, NULL, 10) == number;
    if (kernel && !regcomp(&regex, kernel, REG_EXTENDED | REG_NOSUB)) {
        wanted = wanted && !regexec(&regex, kernel_name, 0, NULL, 0);
        regfree(&regex);
    }
    return wanted;
}

static void put_launch(struct ring_writer *to, bool in_graph, bool fails, bool half)
{
    struct record_launch launch = {
        .number = ring_launch(to), .process = to->process, .grid = {1, 1, 1}, .block = {32, 1, 1}};
    struct record_block block = {0};
    struct record_launch_end end = {
        .blocks = 1, .recorded_blocks = !in_graph, .reason = in_graph ? RECORD_GRAPH : RECORD_ALL};
    const struct record_launch_end failed = {.blocks = 1, .status = 719, .reason = RECORD_ASKED};
    if (!is_wanted(launch.number))
        return;
    ring_promise(to);
    memcpy(launch.name, kernel_name, sizeof kernel_name);
    ring_put(to, RECORD_LAUNCH, &launch, offsetof(struct record_launch, name) + sizeof kernel_name);
    if (in_graph || fails) {
        ring_put(to, RECORD_LAUNCH_END, fails ? &failed : &end, sizeof end);
        return;
    }
    ring_put(to, RECORD_BLOCK, &block, sizeof block);
    put_access(to, 0, OP_STORE, 4, 128);
    if (half)
        kill(getpid(), SIGKILL);
    put_access(to, 2, OP_LOAD, 16, 16);
    put_access(to, 4, OP_ATOMIC, 4, 0);
    for (int i = 14; i <= 16; i++)
        put_access(to, i, OP_ATOMIC, 4, 0);
    put_access(to, 40, OP_LOAD, 4, 4);
    ring_put(to, RECORD_BLOCK_END, NULL, 0);
    ring_put(to, RECORD_LAUNCH_END, &end, sizeof end);
}

static int keep_code(const char *from_path, const char *folder, uint32_t number)
{
    char path[4096], bytes[1 << 16];
    snprintf(path, sizeof path, "%s/%u.cubin", folder, number);
    FILE *from = fopen(from_path, "rb"), *to = fopen(path, "wb");
    size_t size = from ? fread(bytes, 1, sizeof bytes, from) : 0;
    return to && fwrite(bytes, 1, size, to) == size && !fclose(to) && size ? 0 : 1;
}

int main(int argc, char **argv)
{
    static const char name[] = "_Z1kPi";
    const char *folder = getenv(RECORDS_CUBINS), *how = argc > 3 ? argv[3] : "7";
    struct ring_writer ring = RING_WRITER, *to = &ring;
    const pid_t parent = getppid();
    const char *why = ring_attach(to);
    if (why && *why)
        fprintf(stderr, "gpu_app: %s\n", why);
    if (argc < 3 || why || !folder || !getenv("CUDA_INJECTION64_PATH"))
        return 3;
    printf("the program's own output\n");
    fflush(stdout);
    while (!strcmp(how, "late") && getppid() == parent)
        usleep(1000);
    struct record_start start = {.version = RECORDS_VERSION};
    struct record_function function = {
        .pc = CODE, .bytes = 18 * 16, .module = to->number * 4096 + 1};
    memcpy(function.name, name, sizeof name);
    ring_put(to, RECORD_START, &start, sizeof start);
    ring_put(to, RECORD_FUNCTION, &function, offsetof(struct record_function, name) + sizeof name);
    if (strcmp(argv[1], "none") && keep_code(argv[1], folder, function.module))
        return 4;
    uint64_t launches = strtoull(argv[2], NULL, 10);
    for (uint64_t i = 0; i < launches; i++)
        put_launch(to, i > 0 && !strcmp(how, "graph"), i > 0 && !strcmp(how, "fail"), false);
    if (!strcmp(how, "cut"))
        abort();
    if (!strcmp(how, "half"))
        put_launch(to, false, false, true);
    if (!strcmp(how, "unsent")) {
        ring_launch(to);
        ring_promise(to);
        kill(getpid(), SIGKILL);
    }
    if (!strcmp(how, "copy") && !fork()) {
        put_launch(to, false, false, false);
        _exit(0);
    }
    while (wait(NULL) > 0)
        continue;
    while (!strcmp(how, "stay") && !ring_is_deserted(to->rings))
        usleep(1000);
    ring_put(to, RECORD_EXIT, NULL, 0);
    return atoi(how);
}
