/* gpu_app.c - a program that behaves as one on a GPU that records itself: it writes records
 * (program/stream.h) as inject/inject.c does, and leaves its machine code, for test_gpu_app.sh.
 *
 * usage: gpu_app CUBIN LAUNCHES [cut | graph | STATUS]
 *
 * The kernel k(int *) of `test_cubin --write` has instructions of 16 bytes: 0 stores 4 bytes (line 5),
 * 2 loads 16 (line 7), 14 counts in a word, 15 compares and swaps, 16 does so in a loop. One warp executes 0
 * on words of one bank, 2 on rows side by side, and 4 and 14 to 16 as atomic operations on one word;
 * instruction 40 is behind its end. Launches that --kernel and --launch do not
 * choose are counted only; with `graph`, all but the first are said to be in a CUDA graph.
 */
#include "instrument/instrument.h"
#include "program/ring.h"

#include <regex.h>
#include <stddef.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static void put_launch(struct ring_writer *to, uint64_t number, bool in_graph, bool fails)
{
    struct record_launch launch = {.number = number, .grid = {1, 1, 1}, .block = {32, 1, 1}};
    struct record_block block = {0};
    struct record_launch_end end = {
        .blocks = 1, .recorded_blocks = !in_graph, .reason = in_graph ? RECORD_GRAPH : RECORD_ALL};
    const struct record_launch_end failed = {.blocks = 1, .status = 719, .reason = RECORD_ASKED};
    memcpy(launch.name, kernel_name, sizeof kernel_name);
    ring_put(to, RECORD_LAUNCH, &launch, offsetof(struct record_launch, name) + sizeof kernel_name);
    if (in_graph || fails) {
        ring_put(to, RECORD_LAUNCH_END, fails ? &failed : &end, sizeof end);
        return;
    }
    ring_put(to, RECORD_BLOCK, &block, sizeof block);
    put_access(to, 0, OP_STORE, 4, 128);
    put_access(to, 2, OP_LOAD, 16, 16);
    put_access(to, 4, OP_ATOMIC, 4, 0);
    for (int i = 14; i <= 16; i++)
        put_access(to, i, OP_ATOMIC, 4, 0);
    put_access(to, 40, OP_LOAD, 4, 4);
    ring_put(to, RECORD_BLOCK_END, NULL, 0);
    ring_put(to, RECORD_LAUNCH_END, &end, sizeof end);
}

static int copy(const char *from_path, const char *folder)
{
    char path[4096], bytes[1 << 16];
    snprintf(path, sizeof path, "%s/0.cubin", folder);
    FILE *from = fopen(from_path, "rb"), *to = fopen(path, "wb");
    size_t size = from ? fread(bytes, 1, sizeof bytes, from) : 0;
    return to && fwrite(bytes, 1, size, to) == size && !fclose(to) && size ? 0 : 1;
}

int main(int argc, char **argv)
{
    static const char name[] = "_Z1kPi";
    const char *folder = getenv(RECORDS_CUBINS);
    struct ring_writer ring = RING_WRITER, *to = &ring;
    if (argc < 3 || !ring_attach(to) || !folder || !getenv("CUDA_INJECTION64_PATH"))
        return 3;
    printf("the program's own output\n");
    struct record_start start = {.version = RECORDS_VERSION};
    struct record_function function = {.pc = CODE, .bytes = 18 * 16};
    memcpy(function.name, name, sizeof name);
    ring_put(to, RECORD_START, &start, sizeof start);
    ring_put(to, RECORD_FUNCTION, &function, offsetof(struct record_function, name) + sizeof name);
    if (strcmp(argv[1], "none") && copy(argv[1], folder))
        return 4;
    uint64_t launches = strtoull(argv[2], NULL, 10);
    for (uint64_t i = 0; i < launches; i++)
        if (is_wanted(i))
            put_launch(to, i, i > 0 && argc > 3 && !strcmp(argv[3], "graph"),
                       i > 0 && argc > 3 && !strcmp(argv[3], "fail"));
    if (argc > 3 && !strcmp(argv[3], "cut"))
        abort();
    ring_count(to, launches);
    ring_put(to, RECORD_EXIT, NULL, 0);
    return argc > 3 ? atoi(argv[3]) : 7;
}
