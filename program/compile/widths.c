/* widths.c - compares the machine's accesses with those of machine code: with all loops as they are written, with all
 * unrolled that can be, and so that their first turns are apart. */
#define _GNU_SOURCE /* memmem */
#include "program/compile/widths.h"
#include "program/compile/cubin.h"
#include "machine/machine.h"
#include "system/file.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_PTX = 1 << 30, MOST_CODE = 1 << 30 };

/* Ways of unrolling. */
enum { TOGETHER, FIRST_APART, WAYS };

/* A text as a module. */
struct side {
    struct machine_memory *memory;
    struct machine_module *module;
};

/* An operation of a line of the source, in one kernel. */
struct key {
    const char *file;
    int line;
    enum op op;
    bool global;
    int written[WIDTHS], unrolled[WAYS][WIDTHS], code[WIDTHS];
    bool matrix; /* of wmma's, which the machine code does in several instructions of one width */
    int group;   /* of loops that share lines; -1: it is in none */
};
struct loop {
    struct machine_loop is;
    int group;
};
struct comparing {
    struct widths *widths;
    struct side written, unrolled[WAYS]; /* FIRST_APART: only if it was needed */
    struct cubin cubin;
    char **path; /* of files of the machine code, by number */
    size_t paths, path_room;
    struct key *key; /* of the kernel that is looked at */
    size_t keys, key_room;
    struct loop *loop;
    size_t loops, loop_room;
    const char *ptx;
    size_t length; /* of it */
    struct error *error;
};

/* ---- modules ----------------------------------------------------------------------------------- */

static bool load_side(struct side *side, const char *text, size_t length, const char *name,
                      struct error *error)
{
    const struct machine_text whole = {text, length, name};
    side->memory = machine_memory_new(&heap_allocator);
    if (!side->memory)
        return error_set(error, "out of memory for %s", name);
    side->module = machine_load(side->memory, &whole, 1, error);
    return side->module;
}

/* ---- files ------------------------------------------------------------------------------------- */

/* Gives a file of the line table a number. */
static int number_file(void *context, const char *folder, const char *name)
{
    struct comparing *to = context;
    char path[4200];
    const bool whole = *name == '/' || !*folder;
    snprintf(path, sizeof path, "%s%s%s", whole ? "" : folder, whole ? "" : "/", name);
    for (size_t i = 0; i < to->paths; i++)
        if (!strcmp(to->path[i], path))
            return (int)i;
    if (!memory_grow(&to->path, &to->path_room, to->paths + 1, sizeof *to->path, "files",
                     to->error))
        return -1;
    to->path[to->paths++] = memory_copy(path);
    return (int)to->paths - 1;
}

/* ---- counting ---------------------------------------------------------------------------------- */

static struct key *key_of(struct comparing *to, const char *file, int line, enum op op, bool global)
{
    for (size_t i = 0; i < to->keys; i++)
        if (to->key[i].line == line && to->key[i].op == op && to->key[i].global == global &&
            !strcmp(to->key[i].file, file))
            return &to->key[i];
    if (!memory_grow(&to->key, &to->key_room, to->keys + 1, sizeof *to->key, "lines", to->error))
        return NULL;
    to->key[to->keys] =
        (struct key){.file = file, .line = line, .op = op, .global = global, .group = -1};
    return &to->key[to->keys++];
}

static void count_one(int count[WIDTHS], int bytes)
{
    for (int i = 0; i < WIDTHS; i++)
        count[i] += bytes == 1 << i;
}

static bool is_looked_at(enum op op)
{
    return op == OP_LOAD || op == OP_STORE;
}

/* Whether an access to global memory is known to be one: a generic one is looked at as one to shared memory. */
static bool is_global(const struct machine_access_facts *facts)
{
    return facts->global && !facts->local && facts->text &&
           memmem(facts->text, (size_t)facts->text_length, ".global", 7);
}

/* The line of an access of the machine's; NULL: it is not looked at. */
static struct key *key_of_access(struct comparing *to, const struct side *side,
                                 const struct machine_access_facts *facts)
{
    struct machine_site site = {.file = ""};
    if ((facts->global && !is_global(facts)) || !is_looked_at(facts->op))
        return NULL;
    if (facts->site >= 0)
        machine_module_site(side->module, facts->site, &site);
    return key_of(to, site.file, site.line, facts->op, facts->global);
}

/* way: -1: as it is written. */
static void count_machine(struct comparing *to, const struct side *side,
                          const struct machine_kernel *kernel, int way)
{
    for (int i = 0; i < machine_kernel_accesses(kernel); i++) {
        struct machine_access_facts facts;
        machine_kernel_access(kernel, i, &facts);
        struct key *key = key_of_access(to, side, &facts);
        if (!key)
            continue;
        count_one(way < 0 ? key->written : key->unrolled[way], facts.bytes);
        key->matrix = key->matrix || (facts.text && !strncmp(facts.text, "wmma.", 5));
    }
}

/* If it is a function that kernels call, counts only lines that the kernel has and that are not its own. */
static void count_code(struct comparing *to, const struct cubin_function *function, bool called)
{
    const size_t known = to->keys, all = function->accesses + function->globals;
    bool *own = memory_new(known + 1, sizeof *own);
    for (size_t i = 0; called && i < known; i++)
        for (int k = 0; k < WIDTHS; k++)
            own[i] |= to->key[i].code[k] != 0;
    for (size_t i = 0; i < all; i++) {
        const bool global = i >= function->accesses;
        const struct cubin_access *access =
            global ? &function->global[i - function->accesses] : &function->access[i];
        const char *file = access->file >= 0 ? to->path[access->file] : "";
        if (!is_looked_at(access->op))
            continue;
        struct key *key = key_of(to, file, access->line, access->op, global);
        const size_t at = key ? (size_t)(key - to->key) : 0;
        if (key && !(called && (at >= known || own[at])))
            count_one(key->code, access->bytes);
    }
    if (called)
        to->keys = known;
    free(own);
}

/* ---- loops ------------------------------------------------------------------------------------- */

static void rename_group(struct comparing *to, int from, int into)
{
    for (size_t i = 0; i < to->keys; i++)
        if (to->key[i].group == from)
            to->key[i].group = into;
    for (size_t i = 0; i < to->loops; i++)
        if (to->loop[i].group == from)
            to->loop[i].group = into;
}

/* Loops that have accesses of one line are one group. */
static void find_loops(struct comparing *to, const struct machine_kernel *kernel)
{
    struct machine_loop is;
    to->loops = 0;
    for (int n = 0; machine_kernel_loop(kernel, n, &is); n++) {
        if (!memory_grow(&to->loop, &to->loop_room, to->loops + 1, sizeof *to->loop, "loops",
                         to->error))
            return;
        struct loop *loop = &to->loop[to->loops++];
        *loop = (struct loop){is, n};
        for (int i = 0; i < machine_kernel_accesses(kernel); i++) {
            struct machine_access_facts facts;
            machine_kernel_access(kernel, i, &facts);
            if (facts.text < is.begin || facts.text >= is.end)
                continue;
            struct key *key = key_of_access(to, &to->written, &facts);
            if (key && key->group >= 0)
                rename_group(to, key->group, loop->group);
            else if (key)
                key->group = loop->group;
        }
    }
}

static bool same(const int a[WIDTHS], const int b[WIDTHS])
{
    return !memcmp(a, b, WIDTHS * sizeof *a);
}

/* Whether there are accesses of one width only, the same in both. */
static bool same_width(const struct key *key)
{
    int widths = 0;
    for (int i = 0; i < WIDTHS; i++) {
        if (!key->written[i] != !key->code[i])
            return false;
        widths += key->written[i] != 0;
    }
    return widths == 1;
}

static bool has_shared(const struct comparing *to, int group)
{
    for (size_t i = 0; i < to->keys; i++)
        if (to->key[i].group == group && !to->key[i].global)
            return true;
    return false;
}

/* Whether the lines of a group are those of the machine code when it is unrolled, and not as it is. Accesses to shared
 * memory say it, where there are any. */
static bool is_unrolled(const struct comparing *to, int group, int way)
{
    bool written = true, unrolled = true;
    const bool shared = has_shared(to, group);
    int keys = 0;
    for (size_t i = 0; i < to->keys; i++) {
        const struct key *key = &to->key[i];
        if (key->group != group || (key->global && shared))
            continue;
        keys++;
        written = written && same(key->written, key->code);
        unrolled = unrolled && same(key->unrolled[way], key->code);
    }
    return keys && unrolled && !written;
}

static void add_loop(struct comparing *to, const struct machine_loop *loop, int way)
{
    struct widths *widths = to->widths;
    const size_t before = strlen(widths->loops), room = before + (size_t)loop->function_length + 20;
    char *loops = memory_new(room, 1);
    snprintf(loops, room, "%s%s%d %.*s\n", widths->loops, way == FIRST_APART ? "1+" : "",
             loop->line, loop->function_length, loop->function);
    if (strstr(widths->loops, loops + before)) { /* a function that several kernels call */
        free(loops);
        return;
    }
    free(widths->loops);
    widths->loops = loops;
}

/* Settles for each line what the machine will do. */
static void choose_widths(struct comparing *to, int way)
{
    for (size_t i = 0; i < to->loops; i++) {
        const int group = to->loop[i].group;
        if (!is_unrolled(to, group, way))
            continue;
        for (size_t k = i; k < to->loops; k++)
            if (to->loop[k].group == group)
                add_loop(to, &to->loop[k].is, way);
        for (size_t k = 0; k < to->keys; k++)
            if (to->key[k].group == group)
                memcpy(to->key[k].written, to->key[k].unrolled[way], sizeof to->key[k].written);
    }
}

/* Whether a line of a loop differs. */
static bool has_other_loops(const struct comparing *to)
{
    for (size_t i = 0; i < to->keys; i++)
        if (to->key[i].group >= 0 && !to->key[i].global &&
            !same(to->key[i].written, to->key[i].code))
            return true;
    return false;
}

/* Counts what the kernel does with all loops unrolled in that way. false: it is not understood. */
static bool count_unrolled(struct comparing *to, const char *name, int way)
{
    struct side *side = &to->unrolled[way];
    struct error ignored = {{0}};
    if (!side->module && !load_side(side, to->ptx, to->length, "unrolled", to->error))
        return false;
    struct machine_kernel *kernel = machine_kernel(side->module, name);
    for (size_t i = 0; i < to->loops && kernel; i++) {
        const struct machine_loop *is = &to->loop[i].is;
        machine_unroll(side->module, is->function, is->function_length, is->line,
                       way == FIRST_APART);
    }
    if (!kernel || !machine_kernel_decode(kernel, &ignored))
        return false;
    count_machine(to, side, kernel, way);
    return true;
}

/* ---- lines that differ ------------------------------------------------------------------------- */

static void add_line(struct comparing *to, const struct key *key)
{
    struct widths *widths = to->widths;
    for (size_t i = 0; i < widths->lines; i++) /* another instance of a template */
        if (widths->line[i].line == key->line && widths->line[i].op == key->op &&
            widths->line[i].global == key->global && !strcmp(widths->line[i].file, key->file))
            return;
    if (!memory_grow(&widths->line, &widths->room, widths->lines + 1, sizeof *widths->line, "lines",
                     to->error))
        return;
    struct widths_line *line = &widths->line[widths->lines++];
    *line = (struct widths_line){
        .file = memory_copy(key->file), .line = key->line, .op = key->op, .global = key->global};
    memcpy(line->expected, key->written, sizeof line->expected);
    memcpy(line->found, key->code, sizeof line->found);
}

/* Whether the lines that differ have the same accesses together: ptxas says another line of some. */
static bool is_elsewhere(const struct comparing *to, enum op op, bool global)
{
    int written[WIDTHS] = {0}, code[WIDTHS] = {0};
    for (size_t i = 0; i < to->keys; i++)
        for (int k = 0; to->key[i].op == op && to->key[i].global == global && k < WIDTHS; k++) {
            written[k] += to->key[i].written[k];
            code[k] += to->key[i].code[k];
        }
    return same(written, code);
}

/* Whether the kernel's PTX has memory of each thread's own: its body is from its name to the next kernel. */
static bool has_local(const char *ptx, const char *name)
{
    const char *body = ptx;
    const size_t length = strlen(name);
    while ((body = strstr(body, ".entry ")) &&
           (strncmp(body + 7, name, length) || body[7 + length] != '('))
        body += 7;
    const char *end = body ? strstr(body + 7, ".entry ") : NULL;
    const char *local = body ? strstr(body, ".local") : NULL;
    return !body || (local && (!end || local < end));
}

static void note_spill(struct comparing *to, const struct cubin_function *code)
{
    struct widths *widths = to->widths;
    if ((!code->local_loads && !code->local_stores) || has_local(to->ptx, code->name) ||
        !memory_grow(&widths->spill, &widths->spill_room, widths->spills + 1, sizeof *widths->spill,
                     "kernels", to->error))
        return;
    widths->spill[widths->spills++] =
        (struct widths_spill){memory_copy(code->name), code->local_loads, code->local_stores};
}

static void compare_kernel(struct comparing *to, struct machine_kernel *kernel, const char *name)
{
    const struct cubin_function *code = NULL;
    struct error ignored = {{0}};
    for (size_t i = 0; i < to->cubin.functions; i++)
        if (!strcmp(to->cubin.function[i].name, name))
            code = &to->cubin.function[i];
    to->widths->kernels++;
    if (!code || !machine_kernel_decode(kernel, &ignored))
        return;
    to->widths->compared++;
    note_spill(to, code);
    to->keys = 0;
    count_machine(to, &to->written, kernel, -1);
    find_loops(to, kernel);
    count_unrolled(to, name, TOGETHER);
    count_code(to, code, false);
    for (size_t i = 0; i < to->cubin.functions; i++)
        if (!to->cubin.function[i].kernel)
            count_code(to, &to->cubin.function[i], true);
    choose_widths(to, TOGETHER);
    if (has_other_loops(to) && count_unrolled(to, name, FIRST_APART))
        choose_widths(to, FIRST_APART);
    for (size_t i = 0; i < to->keys; i++)
        if (!same(to->key[i].written, to->key[i].code) &&
            !(to->key[i].matrix && same_width(&to->key[i])) &&
            !is_elsewhere(to, to->key[i].op, to->key[i].global))
            add_line(to, &to->key[i]);
}

/* ---- all --------------------------------------------------------------------------------------- */

static void unload(struct side *side)
{
    machine_unload(side->module);
    if (side->memory)
        machine_memory_free(side->memory);
}

static char *list_registers(const struct cubin *cubin)
{
    char *text = NULL;
    size_t length;
    FILE *list = open_memstream(&text, &length);
    if (!list)
        memory_exhausted();
    for (size_t i = 0; i < cubin->functions; i++)
        if (cubin->function[i].kernel && cubin->function[i].registers)
            fprintf(list, "r%d %s\n", cubin->function[i].registers, cubin->function[i].name);
    if (fclose(list))
        memory_exhausted();
    return text;
}

bool widths_compare(struct widths *widths, const char *ptx, const char *cubin, struct error *error)
{
    struct comparing to = {.widths = widths, .error = error};
    size_t length = 0, bytes = 0;
    *widths = (struct widths){.loops = memory_copy("")};
    char *text = file_read(ptx, MOST_PTX, &length, error);
    char *code = text ? file_read(cubin, MOST_CODE, &bytes, error) : NULL;
    to.ptx = text;
    to.length = length;
    bool good = code && load_side(&to.written, text, length, ptx, error) &&
                cubin_read(&to.cubin, code, bytes, number_file, &to, error);
    struct machine_kernel *kernel;
    for (int i = 0; good && (kernel = machine_kernel_at(to.written.module, i)); i++) {
        struct machine_kernel_facts facts;
        machine_kernel_facts(kernel, &facts);
        compare_kernel(&to, kernel, facts.name);
        good = !error->text[0];
    }
    widths->registers = list_registers(&to.cubin);
    unload(&to.written);
    for (int way = 0; way < WAYS; way++)
        unload(&to.unrolled[way]);
    if (to.cubin.function)
        cubin_free(&to.cubin);
    for (size_t i = 0; i < to.paths; i++)
        free(to.path[i]);
    free(to.path);
    free(to.key);
    free(to.loop);
    free(text);
    free(code);
    return good;
}

void widths_free(struct widths *widths)
{
    for (size_t i = 0; i < widths->lines; i++)
        free(widths->line[i].file);
    for (size_t i = 0; i < widths->spills; i++)
        free(widths->spill[i].kernel);
    free(widths->spill);
    free(widths->line);
    free(widths->loops);
    free(widths->registers);
    *widths = (struct widths){.lines = 0};
}
