/* report_kernels.c - kernels in the file of records: where their source lines are, what accesses and arrays they
 * have; and which of them are asked for. Under report.c's lock.
 */
#include "program/runtime/report.h"

#include <string.h>

static uint32_t site_row(const struct runtime_module *module, int site)
{
    return module && site >= 0 && (size_t)site < module->sites ? module->site[site]
                                                               : RECORDS_NOTHING;
}

uint32_t runtime_report_site(struct runtime_kernel *kernel, int site)
{
    return site_row(kernel->module, site);
}

void report_sites(struct runtime_module *module)
{
    int all = machine_module_sites(module->module);
    size_t before = module->sites;
    uint64_t first;
    if (all < 0 || (size_t)all <= before ||
        !runtime_grow(&module->site, &module->site_room, (size_t)all, sizeof *module->site))
        return;
    struct records_site *row = runtime_claim(RECORDS_TABLE_SITES, (size_t)all - before, &first);
    for (size_t i = before; i < (size_t)all; i++)
        module->site[i] = row ? (uint32_t)(first + i - before) : RECORDS_NOTHING;
    module->sites = (size_t)all;
    for (size_t i = before; row && i < (size_t)all; i++, row++) {
        struct machine_site site;
        machine_module_site(module->module, (int)i, &site);
        row->line = (uint32_t)site.line;
        row->column = (uint32_t)site.column;
        row->inlined_at = site_row(module, site.inlined_at);
        row->file = report_string(site.file);
        row->function = report_string(site.function);
        report_publish(&row->ready);
    }
}

static void add_accesses(const struct runtime_kernel *kernel, struct records_access *row,
                         uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct machine_access_facts facts = {0};
        machine_kernel_access(kernel->kernel, (int)i, &facts);
        row[i].global = facts.local    ? RECORDS_LOCAL
                        : facts.global ? RECORDS_GLOBAL
                                       : RECORDS_SHARED;
        row[i].op = (uint32_t)facts.op;
        row[i].bytes = (uint32_t)facts.bytes;
        row[i].site = site_row(kernel->module, facts.site);
        row[i].text = report_text(facts.text, (size_t)(facts.text ? facts.text_length : 0));
        row[i].array = report_string(facts.array);
        report_publish(&row[i].ready);
    }
}

/* Whether the array of an access has been named by one before it; `of`: an access to global memory. */
static bool is_named(const struct runtime_kernel *kernel, int of, const char *name)
{
    for (int i = 0; i < of; i++) {
        struct machine_access_facts facts = {0};
        machine_kernel_access(kernel->kernel, i, &facts);
        if (facts.global && facts.array && !strcmp(facts.array, name))
            return true;
    }
    return false;
}

/* The next access, from *at on, that is the first of a global array: its name, or NULL. */
static const char *next_global(const struct runtime_kernel *kernel, int *at)
{
    while (*at < machine_kernel_accesses(kernel->kernel)) {
        struct machine_access_facts facts = {0};
        machine_kernel_access(kernel->kernel, (*at)++, &facts);
        if (facts.global && facts.array && !is_named(kernel, *at - 1, facts.array))
            return facts.array;
    }
    return NULL;
}

static uint32_t add_arrays(const struct runtime_kernel *kernel, uint64_t *first)
{
    struct machine_shared shared;
    uint32_t count = 0, all;
    const char *name;
    while (machine_kernel_shared(kernel->kernel, (int)count, &shared))
        count++;
    all = count;
    for (int at = 0; next_global(kernel, &at);)
        all++;
    struct records_array *row = runtime_claim(RECORDS_TABLE_ARRAYS, all, first);
    for (uint32_t i = 0; row && i < count; i++) {
        machine_kernel_shared(kernel->kernel, (int)i, &shared);
        row[i].offset = shared.offset;
        row[i].bytes = shared.bytes;
        row[i].dynamic = shared.dynamic;
        row[i].name = report_string(shared.name);
        report_publish(&row[i].ready);
    }
    for (int at = 0; row && (name = next_global(kernel, &at)); count++) {
        row[count].global = 1;
        row[count].name = report_string(name);
        report_publish(&row[count].ready);
    }
    return row ? all : 0;
}

uint32_t report_kernel(struct runtime_kernel *kernel)
{
    uint64_t at, first = 0;
    if (kernel->row)
        return kernel->row - 1;
    int accesses = machine_kernel_accesses(kernel->kernel);
    report_sites(kernel->module);
    struct records_access *access =
        runtime_claim(RECORDS_TABLE_ACCESSES, (uint64_t)accesses, &first);
    struct records_kernel *row = access ? runtime_claim(RECORDS_TABLE_KERNELS, 1, &at) : NULL;
    if (!row)
        return RECORDS_NOTHING;
    add_accesses(kernel, access, (uint32_t)accesses);
    row->accesses = (uint32_t)accesses;
    row->first_access = first;
    row->arrays = add_arrays(kernel, &row->first_array);
    row->target = (uint32_t)kernel->facts.target;
    row->launches = kernel->facts.launches;
    row->name = report_string(kernel->name);
    report_publish(&row->ready);
    kernel->row = (uint32_t)at + 1;
    return (uint32_t)at;
}

bool runtime_wants_kernel(const struct runtime_kernel *kernel)
{
    const struct records_choice *choice = runtime_choice();
    if (!runtime_is_recorded())
        return false;
    if (!choice->kernels_length)
        return true;
    const char *at = report_text_at((struct records_text){choice->kernels, choice->kernels_length});
    const char *end = at + choice->kernels_length;
    size_t length = strlen(kernel->name);
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t here = (size_t)((stop ? stop : end) - at);
        if (here == length && !memcmp(at, kernel->name, length))
            return true;
        at += here + 1;
    }
    return false;
}

void runtime_tell_loops(struct machine_module *module)
{
    const struct records_choice *choice = runtime_choice();
    if (!runtime_is_recorded() || !choice->loops_length)
        return;
    const char *at = report_text_at((struct records_text){choice->loops, choice->loops_length});
    for (const char *end = at + choice->loops_length, *stop; at < end; at = stop + 1) {
        int line = 0;
        stop = memchr(at, '\n', (size_t)(end - at));
        if (!stop)
            return;
        const bool first_apart = *at == '1' && at[1] == '+';
        at += first_apart ? 2 : 0;
        for (; at < stop && *at >= '0' && *at <= '9' && line < 100000000; at++)
            line = 10 * line + (*at - '0');
        if (at < stop && *at == ' ')
            machine_unroll(module, at + 1, (int)(stop - at - 1), line, first_apart);
    }
}

int runtime_registers(const struct runtime_kernel *kernel)
{
    const struct records_choice *choice = runtime_choice();
    if (!runtime_is_recorded() || !choice->loops_length)
        return 0;
    const size_t length = strlen(kernel->name);
    const char *at = report_text_at((struct records_text){choice->loops, choice->loops_length});
    for (const char *end = at + choice->loops_length, *stop; at < end; at = stop + 1) {
        int registers = 0;
        stop = memchr(at, '\n', (size_t)(end - at));
        if (!stop)
            return 0;
        if (*at++ != 'r')
            continue;
        for (; at < stop && *at >= '0' && *at <= '9' && registers < 256; at++)
            registers = 10 * registers + (*at - '0');
        if ((size_t)(stop - at) == length + 1 && !memcmp(at + 1, kernel->name, length))
            return registers;
    }
    return 0;
}
