/* machine-example.c - PTX in, accesses of warps out (machine-library.md). Runs the first kernel of standard input,
 * which is given the address of 1,024 words, with a block of 64 threads. */
#include <machine/machine.h>

static bool wants(void *context, uint64_t block)
{
    return context && block == 0; /* the only one */
}
static void show(void *context, const struct machine_access *access)
{
    fprintf(context, "warp %u: %s, %s memory, at", access->warp, op_name(access->op),
            access->global ? "global" : "shared");
    for (int lane = 0; lane < 32; lane++)
        if (access->mask >> lane & 1)
            fprintf(context, " %d", (int)(access->address[lane] % 4096));
    fprintf(context, "\n");
}

int main(void)
{
    static char ptx[100000];
    static uint32_t words[1024] __attribute__((aligned(4096)));
    const uint64_t address = (uintptr_t)words;
    const struct machine_range range = {address, sizeof words, (uint8_t *)words, .name = "words"};
    const struct machine_text text = {ptx, fread(ptx, 1, sizeof ptx, stdin), "standard input"};
    const struct machine_observer observer = {.context = stdout, .wants = wants, .access = show};
    struct machine_memory *memory = machine_memory_new(&heap_allocator);
    struct error error = {""};
    struct machine_outcome outcome = {0};
    struct machine_run *run = NULL;
    bool good = machine_memory_add(memory, &range, false, &error);
    struct machine_module *module = good ? machine_load(memory, &text, 1, &error) : NULL;
    if (module) {
        struct machine_launch launch = {.kernel = machine_kernel_at(module, 0), .grid = {1, 1, 1}};
        launch.block[0] = 64, launch.block[1] = launch.block[2] = 1;
        launch.parameters = &address, launch.observer = &observer, launch.count = true;
        run = machine_begin(&launch, &error);
    }
    if (run) {
        machine_work(run);
        machine_end(run, &outcome);
    }
    for (int i = 0; i < outcome.counts; i++)
        printf("access %d: %d passes, %d conflicts\n", i, (int)outcome.count[i].passes,
               (int)outcome.count[i].conflicts);
    fprintf(stderr, "%s%s\n", error.text, outcome.fault.text);
    return !outcome.good; /* freeing: machine_free_run, machine_unload, machine_memory_free */
}
