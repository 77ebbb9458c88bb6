/* test_catalogue_small.c - the catalogue's kernels by the kernel compiler (simt_machine.h) on the machine: of every
 * kernel, with its default parameters and input, the result is right, and the stages, their accesses of warps and their
 * passes are those of the host backend. What differs, the table `differs` has, with the reason. */
#include "kernelc/kernelc.h"
#include "grade/recording.h"
#include "kernels/catalogue.h"
#include "machine/machine.h"
#include "system/file.h"

#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { STAGES_MOST = 200, WARPS_MOST = 4096, FILES_MOST = 100, SOURCE_MOST = 1 << 20 };

/* ---- what differs, and why -------------------------------------------------------------------------- */

enum differs {
    ALIKE,
    NAMES /* stages are called after their numbers: the host part names them (stage_name) */
};
static const struct {
    const char *kernel;
    enum differs differs;
} differs[] = {{"thrust-sort", NAMES}, {"cf-sort", NAMES},  {"cf-sort4", NAMES},
               {"bcf-merge", NAMES},   {"bcf-sort", NAMES}, {"warp-sort", NAMES}};

static enum differs differs_of(const char *kernel)
{
    for (size_t i = 0; i < sizeof differs / sizeof *differs; i++)
        if (!strcmp(differs[i].kernel, kernel))
            return differs[i].differs;
    return ALIKE;
}

/* ---- the source ----------------------------------------------------------------------------------- */

struct sources {
    struct kernelc_source file[FILES_MOST];
    int files;
};

static void add_files(struct sources *sources, const char *pattern)
{
    glob_t found;
    struct error error = {{0}};
    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        struct kernelc_source *file = &sources->file[sources->files++];
        assert_true(sources->files < FILES_MOST);
        file->name = strdup(found.gl_pathv[i]);
        file->text = file_read(file->name, SOURCE_MOST, &file->length, &error);
        assert_non_null(file->text);
    }
    globfree(&found);
}

static void free_files(struct sources *sources)
{
    for (int i = 0; i < sources->files; i++) {
        free((char *)(uintptr_t)sources->file[i].name);
        free((char *)(uintptr_t)sources->file[i].text);
    }
}

/* ---- a run on the machine ------------------------------------------------------------------------- */

/* What a stage did: of one kind of access. */
struct stage {
    char name[64];
    uint64_t accesses, lanes, passes;
};
struct recorded {
    struct trace_header header;
    const struct kernel *kernel;
    const struct kernelc_result *code;
    struct stage stage[STAGES_MOST];
    int stages;
    int at[WARPS_MOST]; /* the stage of each warp of the grid */
    char fault[600];
    struct kernel_recording names; /* only its parts: arrays that the kernel names */
    int unnamed;                   /* accesses to none of them */
};

static int find_stage(struct recorded *r, const char *name, size_t length)
{
    char wanted[64];
    snprintf(wanted, sizeof wanted, "%.*s", (int)length, name);
    for (char *dash = wanted; (dash = strchr(dash, '_')) != NULL;)
        *dash = '-'; /* as the host has it */
    for (int i = 0; i < r->stages; i++)
        if (!strcmp(r->stage[i].name, wanted))
            return i;
    assert_true(r->stages < STAGES_MOST);
    snprintf(r->stage[r->stages].name, sizeof wanted, "%s", wanted);
    return r->stages++;
}

static void add_cost(struct recorded *r, int at, const struct warp_access *access)
{
    struct bank_cost cost;
    bank_model_cost(&r->header, access, &cost);
    r->stage[at].accesses++;
    r->stage[at].lanes += (uint64_t)access->lanes;
    r->stage[at].passes += (uint64_t)cost.passes;
}

static bool on_want(void *context, uint64_t block)
{
    (void)context;
    (void)block;
    return true;
}

static int *stage_at(struct recorded *r, uint64_t block, uint32_t warp)
{
    const uint64_t warps = (uint64_t)(r->header.threads / r->header.warp);
    assert_true(block * warps + warp < WARPS_MOST);
    return &r->at[block * warps + warp];
}

/* What the host calls a stage that the machine calls after its number: "store_1-4" is the fourth behind store_1, the last
 * one that STAGES names. */
static const char *name_by_number(const struct recorded *r, const char *name, size_t length)
{
    int number = 0;
    for (const char *at = r->kernel->stages; *at; at += strspn(at, ", "), number++) {
        const size_t named = strcspn(at, ", ");
        if (length >= named && !memcmp(at, name, named) &&
            (length == named || (!at[named] && name[named] == '-')))
            return r->header
                .stage[number + (length > named ? (int)strtol(name + named + 1, NULL, 10) : 0)];
        at += named;
    }
    fail_msg("%s: no stage %.*s", r->kernel->name, (int)length, name);
    return NULL;
}

static void on_stage(void *context, uint64_t block, uint32_t warp, const char *name, size_t length)
{
    struct recorded *r = context;
    if (differs_of(r->kernel->name) == NAMES) {
        name = name_by_number(r, name, length);
        length = strlen(name);
    }
    *stage_at(r, block, warp) = find_stage(r, name, length);
}

static void on_array(void *context, uint64_t block, uint32_t warp, const char *text, size_t length)
{
    struct recorded *r = context;
    (void)block;
    (void)warp;
    kernel_recording_array(&r->names, text, length);
}

/* Whether the kernel has named an array that this address is in. */
static bool is_named(const struct recorded *r, uint32_t address)
{
    for (int i = 0; i < r->names.parts; i++)
        if (address - r->names.part[i].from < r->names.part[i].bytes)
            return true;
    return false;
}

static void on_access(void *context, const struct machine_access *access)
{
    struct recorded *r = context;
    uint8_t lane[MAX_WARP];
    uint32_t addr[MAX_WARP];
    struct warp_access of = {.warp = (int)access->warp,
                             .op = access->op,
                             .bytes = access->bytes,
                             .lane = lane,
                             .addr = addr};
    if (access->global)
        return;
    for (uint64_t left = access->mask; left; left &= left - 1) {
        lane[of.lanes] = (uint8_t)__builtin_ctzll(left);
        addr[of.lanes] = (uint32_t)access->address[lane[of.lanes]];
        r->unnamed += !is_named(r, addr[of.lanes]);
        of.lanes++;
    }
    add_cost(r, *stage_at(r, access->block, access->warp), &of);
}

static void on_fault(void *context, const struct machine_fault *fault)
{
    struct recorded *r = context;
    if (!r->fault[0] && fault->kind != MACHINE_FAULT_LANES)
        snprintf(r->fault, sizeof r->fault, "%s: %s", machine_fault_name(fault->kind), fault->text);
}

/* Instead of host_run. */
static bool run_on_machine(void *context, const struct launch *launch,
                           const struct trace_sink *sink, struct run_result *result,
                           struct error *error)
{
    struct recorded *r = context;
    const struct trace_header *header = launch->header;
    const struct kernelc_kernel *kernel = &r->code->kernel[0];
    const struct machine_text ptx = {r->code->ptx, r->code->length, "kernel.ptx"};
    struct machine_observer observer = {.context = r,
                                        .wants = on_want,
                                        .stage = on_stage,
                                        .array = on_array,
                                        .access = on_access,
                                        .fault = on_fault};
    uint8_t parameters[512] = {0};
    const uint64_t in = (uintptr_t)launch->in, out = (uintptr_t)launch->out;
    struct machine_memory *memory = machine_memory_new(&heap_allocator);
    const struct machine_range ranges[] = {
        {.address = in,
         .bytes = launch->in_bytes,
         .host = (uint8_t *)(uintptr_t)launch->in,
         .kind = MACHINE_DEVICE,
         .read_only = true},
        {.address = out, .bytes = launch->out_bytes, .host = launch->out, .kind = MACHINE_DEVICE}};
    (void)sink;
    *result = (struct run_result){.records = 0};
    r->names.parts = r->unnamed = 0;
    header_free(&r->header);
    header_copy(&r->header, header);
    memcpy(parameters, launch->params, (size_t)kernel->parameter[0].size);
    memcpy(parameters + kernel->parameter[1].offset, &in, 8);
    memcpy(parameters + kernel->parameter[2].offset, &out, 8);
    for (int i = 0; i < 2; i++)
        if (ranges[i].bytes && !machine_memory_add(memory, &ranges[i], false, error))
            return false;
    struct machine_module *module = machine_load(memory, &ptx, 1, error);
    const struct machine_launch on = {.kernel =
                                          module ? machine_kernel(module, kernel->symbol) : NULL,
                                      .grid = {(uint32_t)header->blocks, 1, 1},
                                      .block = {(uint32_t)header->threads, 1, 1},
                                      .parameters = parameters,
                                      .warp = header->warp,
                                      .banks = header->banks,
                                      .bank_bytes = header->bank_bytes,
                                      .check = true,
                                      .instruction_limit = 100000000,
                                      .observer = &observer};
    struct machine_run *run = module ? machine_begin(&on, error) : NULL;
    bool good = run != NULL;
    if (run) {
        struct machine_outcome outcome;
        machine_work(run);
        machine_end(run, &outcome);
        good = (outcome.good || error_set(error, "%s", outcome.fault.text)) &&
               (!r->fault[0] || error_set(error, "%s", r->fault)) &&
               (!r->unnamed || error_set(error, "%d accesses are to no array", r->unnamed));
        for (int i = 0; good && i < r->names.parts; i++)
            good =
                r->names.part[i].from + r->names.part[i].bytes <= (uint32_t)header->shared_bytes ||
                error_set(error, "'%s' ends beyond shared memory", r->names.part[i].name);
        machine_free_run(run);
    }
    if (module)
        machine_unload(module);
    machine_memory_free(memory);
    return good;
}

/* ---- a run on the host ---------------------------------------------------------------------------- */

static bool host_header(void *context, const struct trace_header *header, struct error *error)
{
    struct recorded *r = context;
    (void)error;
    header_free(&r->header);
    header_copy(&r->header, header);
    return true;
}

static bool host_access(void *context, const struct warp_access *access, struct error *error)
{
    struct recorded *r = context;
    const char *name = r->header.stage[access->stage];
    (void)error;
    add_cost(r, find_stage(r, name, strlen(name)), access);
    return true;
}

static bool host_end(void *context, const struct trace_end *end, struct error *error)
{
    (void)context;
    (void)error;
    return end->complete;
}

/* ---- the whole catalogue -------------------------------------------------------------------------- */

static bool same_stage(const struct stage *a, const struct stage *b)
{
    const bool same = !strcmp(a->name, b->name) && a->lanes == b->lanes &&
                      a->accesses == b->accesses && a->passes == b->passes;
    if (!same)
        print_error("  host %s %llu %llu %llu, machine %s %llu %llu %llu\n", a->name,
                    (unsigned long long)a->accesses, (unsigned long long)a->lanes,
                    (unsigned long long)a->passes, b->name, (unsigned long long)b->accesses,
                    (unsigned long long)b->lanes, (unsigned long long)b->passes);
    return same;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct stage *)a)->name, ((const struct stage *)b)->name);
}

/* By name, and without stages that have no access. */
static void tidy(struct recorded *r)
{
    int kept = 0;
    for (int i = 0; i < r->stages; i++)
        if (r->stage[i].accesses)
            r->stage[kept++] = r->stage[i];
    r->stages = kept;
    qsort(r->stage, (size_t)kept, sizeof *r->stage, by_name);
}

static bool compare(struct recorded *host, struct recorded *machine)
{
    tidy(host);
    tidy(machine);
    bool good = host->stages == machine->stages && host->stages > 0;
    if (!good)
        print_error("  %d stages on the host, %d on the machine\n", host->stages, machine->stages);
    for (int i = 0; i < host->stages && i < machine->stages; i++)
        good = same_stage(&host->stage[i], &machine->stage[i]) && good;
    return good;
}

static bool same_on_both(const struct kernel *kernel, const struct sources *sources)
{
    struct recorded *host = calloc(1, sizeof *host), *machine = calloc(1, sizeof *machine);
    const struct trace_sink sink = {host_header, host_access, host_end, host};
    const struct run_options on_machine = {.run = run_on_machine, .context = machine};
    struct kernelc_result code;
    struct run_result result;
    struct recipe recipe = {0};
    struct error error = {{0}};
    char path[100];
    struct kernelc_job job = {
        .allocator = &heap_allocator, .include = sources->file, .includes = sources->files};
    snprintf(path, sizeof path, "kernels/%s.cu", kernel->name);
    for (char *dash = path; (dash = strchr(dash, '-')) != NULL;)
        *dash = '_';
    job.source.name = path;
    job.source.text = file_read(path, SOURCE_MOST, &job.source.length, &error);
    assert_non_null(job.source.text);
    bool good = kernelc_compile(&job, &code);
    if (!good)
        print_error("%s: %s:%d: %s\n", kernel->name, code.message[0].file, code.message[0].line,
                    code.message[0].text);
    machine->code = &code;
    machine->kernel = kernel;
    recipe_init(&recipe, kernel);
    good = good && recipe_run(&recipe, NULL, &sink, &result, &error) &&
           recipe_run(&recipe, &on_machine, NULL, &result, &error);
    if (error.text[0])
        print_error("%s: %s\n", kernel->name, error.text);
    if (good && !compare(host, machine)) {
        print_error("%s differs\n", kernel->name);
        good = false;
    }
    recipe_free(&recipe);
    kernelc_free(&code);
    free((char *)(uintptr_t)job.source.text);
    header_free(&host->header);
    header_free(&machine->header);
    free(host);
    free(machine);
    return good;
}

static void catalogue_is_the_same(void **state)
{
    struct sources sources = {.files = 0};
    int wrong = 0;
    (void)state;
    add_files(&sources, "kernels/*.h");
    add_files(&sources, "instrument/simt*.h");
    add_files(&sources, "sort/*.h");
    for (int i = 0; catalogue[i]; i++)
        wrong += !same_on_both(catalogue[i], &sources);
    free_files(&sources);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(catalogue_is_the_same)};
    return cmocka_run_group_tests_name("catalogue_small", tests, NULL, NULL);
}
