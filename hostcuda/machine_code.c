/* machine_code.c - what nvcc made of a kernel's lines: its instructions by line and operation. */
#include "hostcuda/machine.h"

#include <stdlib.h>
#include <string.h>

/* The entry of a line and operation, made when there is none. */
static struct made *made_of(struct code *code, const char *file, int line, enum op op)
{
    struct error ignored = {{0}};
    for (size_t i = 0; i < code->mades; i++) {
        struct made *made = code->made[i];
        if (made->line == line && made->op == op && made->file == file)
            return made;
    }
    if (!memory_grow(&code->made, &code->made_room, code->mades + 1, sizeof *code->made, "lines",
                     &ignored))
        memory_exhausted();
    struct made *made = memory_new(1, sizeof *made);
    *made = (struct made){.file = file, .line = line, .op = op};
    code->made[code->mades++] = made;
    return made;
}

static bool same_base(const struct cubin_access *a, const struct cubin_access *b)
{
    return a->segment == b->segment && a->base == b->base && a->written == b->written &&
           a->uniform == b->uniform && a->guard == b->guard;
}

static void add_wide(struct made *made, const struct cubin_function *function,
                     const struct cubin_access *access)
{
    struct error ignored = {{0}};
    struct wide wide = {.bytes = access->bytes};
    for (size_t i = 0; i < function->accesses && wide.siblings < SIBLINGS; i++) {
        const struct cubin_access *other = &function->access[i];
        int64_t apart = (int64_t)other->offset - access->offset;
        if (other != access && other->op == access->op && other->line == access->line &&
            other->file == access->file && same_base(access, other) && apart >= -64 && apart <= 64)
            wide.sibling[wide.siblings++] = (int32_t)apart;
    }
    for (size_t i = 0; i < made->wides; i++) /* an unrolled loop has many of the same */
        if (made->wide[i].bytes == wide.bytes && made->wide[i].siblings == wide.siblings &&
            !memcmp(made->wide[i].sibling, wide.sibling, sizeof wide.sibling))
            return;
    if (memory_grow(&made->wide, &made->wide_room, made->wides + 1, sizeof *made->wide,
                    "instructions", &ignored))
        made->wide[made->wides++] = wide;
}

/* Whether every load of a line goes where a store of the line goes afterwards. */
static bool is_reread(const struct cubin_function *function, const struct made *stores)
{
    int loads = 0, matched = 0;
    for (size_t i = 0; i < function->accesses; i++) {
        const struct cubin_access *load = &function->access[i];
        if (load->op != OP_LOAD || load->line != stores->line)
            continue;
        loads++;
        for (size_t k = i + 1; k < function->accesses; k++) {
            const struct cubin_access *store = &function->access[k];
            if (store->op == OP_STORE && store->line == load->line && store->file == load->file &&
                same_base(load, store) && store->offset == load->offset &&
                store->bytes == load->bytes) {
                matched++;
                break;
            }
        }
    }
    return loads && loads == matched && loads == stores->count;
}

static void add_accesses(struct machine *machine, struct code *code,
                         const struct cubin_function *function)
{
    for (size_t i = 0; i < function->accesses; i++) {
        const struct cubin_access *access = &function->access[i];
        if (access->file < 0 || !access->line || (int)access->op >= OPERATIONS)
            continue;
        struct made *made =
            made_of(code, machine->program->file[access->file].path, access->line, access->op);
        bool absolute = access->base == CUBIN_NO_REGISTER && access->uniform >= 0 && !made->count;
        made->absolute = absolute ? access : NULL;
        made->count++;
        made->widths |= access->bytes;
        made->wide_count[__builtin_ctz((unsigned)access->bytes)]++;
        made->looped |= access->looped;
        code->widths[access->op] |= access->bytes;
        add_wide(made, function, access);
    }
}

struct code *machine_code_of(struct machine *machine, const char *name)
{
    struct error ignored = {{0}};
    for (size_t i = 0; i < machine->codes; i++)
        if (!strcmp(machine->code[i]->name, name))
            return machine->code[i];
    if (!memory_grow(&machine->code, &machine->code_room, machine->codes + 1, sizeof *machine->code,
                     "kernels", &ignored))
        memory_exhausted();
    struct code *code = memory_new(1, sizeof *code);
    code->name = memory_copy(name);
    code->function = nvcc_function(machine->nvcc, name, &code->cubin);
    machine->code[machine->codes++] = code;
    if (!code->function)
        return code;
    add_accesses(machine, code, code->function);
    for (size_t i = 0; i < code->cubin->functions; i++)
        if (!code->cubin->function[i].kernel) {
            add_accesses(machine, code, &code->cubin->function[i]);
            for (size_t k = 0; k < code->mades; k++)
                code->made[k]->looped = true;
        }
    for (size_t i = 0; i < code->mades; i++)
        if (code->made[i]->op == OP_STORE)
            code->made[i]->reread = is_reread(code->function, code->made[i]);
    return code;
}

void machine_code_free(struct code *code)
{
    for (size_t k = 0; k < code->mades; k++) {
        free(code->made[k]->wide);
        free(code->made[k]);
    }
    free(code->made);
    free(code->site);
    free(code->name);
    free(code);
}

const struct site *machine_site_of(struct machine *machine, uint64_t pc)
{
    struct code *code = machine->now;
    if (2 * code->sites >= code->site_room) {
        size_t room = code->site_room ? 2 * code->site_room : 64;
        struct site *bigger = memory_new(room, sizeof *bigger);
        for (size_t i = 0; i < code->site_room; i++)
            if (code->site[i].pc) {
                size_t at = (size_t)(code->site[i].pc * UINT64_C(0x9e3779b97f4a7c15) >> 32);
                while (bigger[at % room].pc)
                    at++;
                bigger[at % room] = code->site[i];
            }
        free(code->site);
        code->site = bigger;
        code->site_room = room;
    }
    size_t at = (size_t)(pc * UINT64_C(0x9e3779b97f4a7c15) >> 32);
    while (code->site[at % code->site_room].pc && code->site[at % code->site_room].pc != pc)
        at++;
    struct site *site = &code->site[at % code->site_room];
    if (!site->pc) {
        const struct source_place *place = lines_place(machine->lines, pc);
        site->pc = pc;
        code->sites++;
        for (int op = 0; op < OPERATIONS && place->line; op++)
            site->made[op] = made_of(code, place->file, place->line, (enum op)op);
    }
    return site;
}
