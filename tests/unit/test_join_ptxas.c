/* test_join_ptxas.c - holds machine/ptxas/join.c against ptxas: how many loads and stores of shared memory of each
 * width a kernel's machine code has, and how many its PTX is said to have.
 *
 * tests/data/ptxas-widths.tsv has what ptxas made of tests/data/ptx. Its rows come from
 *
 *     ptxas -arch=sm_90 tests/data/ptx/NAME.ptx -o NAME.cubin
 *     build/cc/tests/test_join_ptxas tests/data/ptx/NAME.ptx NAME.cubin
 *
 * With a kernel as third argument, its instructions are shown with what becomes of them.
 */
#include "program/compile/cubin.h"
#include "machine/ptxas/join.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char *read_whole(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    if (file && !fseek(file, 0, SEEK_END)) {
        *size = (size_t)ftell(file);
        text = malloc(*size + 1);
        rewind(file);
        if (text && fread(text, 1, *size, file) != *size) {
            free(text);
            text = NULL;
        }
    }
    if (file)
        fclose(file);
    return text;
}

/* ---- where shared variables lie -------------------------------------------------------------- */

enum { MOST_SHARED = 500, MOST_FUNCTIONS = 500 };
struct shared {
    struct ptx_module *module;
    const struct ptx_variable *variable[MOST_SHARED];
    int64_t at[MOST_SHARED];
    int count;
    const struct ptx_function *function[MOST_FUNCTIONS];
    int functions;
};

static bool visit(struct shared *shared, struct ptx_function *function, struct error *error);

static bool visit_operand(struct shared *shared, const struct ptx_operand *operand,
                          struct error *error)
{
    bool known = false;
    for (int i = 0; i < shared->count; i++)
        known |= shared->variable[i] == operand->variable;
    if (operand->kind == PTX_VARIABLE && operand->variable->space == PTX_SHARED && !known &&
        shared->count < MOST_SHARED)
        shared->variable[shared->count++] = operand->variable;
    if (operand->kind == PTX_FUNCTION && operand->function->body &&
        !visit(shared, operand->function, error))
        return false;
    for (int i = 0; i < operand->elements; i++)
        if (!visit_operand(shared, &operand->element[i], error))
            return false;
    return true;
}

static bool visit(struct shared *shared, struct ptx_function *function, struct error *error)
{
    for (int i = 0; i < shared->functions; i++)
        if (shared->function[i] == function)
            return true;
    if (shared->functions == MOST_FUNCTIONS || !ptx_parse_body(shared->module, function, error))
        return false;
    shared->function[shared->functions++] = function;
    const struct ptx_body *body = function->parsed;
    for (int i = 0; i < body->instructions; i++)
        for (int k = 0; k < body->instruction[i].operands; k++)
            if (!visit_operand(shared, &body->instruction[i].operand[k], error))
                return false;
    return true;
}

static int by_order(const void *left, const void *right)
{
    const struct ptx_variable *const *a = left, *const *b = right;
    const bool dynamic_a = (*a)->open, dynamic_b = (*b)->open;
    return dynamic_a != dynamic_b ? dynamic_a - dynamic_b : (*a)->order - (*b)->order;
}

static void lay_out(struct shared *shared)
{
    uint64_t at = 0;
    qsort(shared->variable, (size_t)shared->count, sizeof *shared->variable, by_order);
    for (int i = 0; i < shared->count; i++) {
        const struct ptx_variable *variable = shared->variable[i];
        uint64_t align = variable->align ? variable->align : 1;
        if (variable->open && align < 16)
            align = 16;
        shared->at[i] = (int64_t)(at = (at + align - 1) / align * align);
        at += variable->open ? 0 : variable->bytes;
    }
}

static int64_t place(void *context, const struct ptx_variable *variable)
{
    const struct shared *shared = context;
    for (int i = 0; i < shared->count; i++)
        if (shared->variable[i] == variable)
            return shared->at[i];
    return -1;
}

/* ---- widths ---------------------------------------------------------------------------------- */

/* Loads, then stores, of 1, 2, 4, 8 and 16 bytes. */
struct piece_widths {
    int count[2][5];
};

static void add(struct piece_widths *widths, bool store, int bytes)
{
    for (int i = 0; i < 5; i++)
        if (bytes == 1 << i)
            widths->count[store][i]++;
}

/* "ld4:2 st16:1", or "-": there is none. */
static void print(const struct piece_widths *widths, char *out, size_t room)
{
    size_t at = 0;
    snprintf(out, room, "-");
    for (int store = 0; store < 2; store++)
        for (int i = 0; i < 5; i++)
            if (widths->count[store][i] && at < room)
                at += (size_t)snprintf(out + at, room - at, "%s%s%d:%d", at ? " " : "",
                                       store ? "st" : "ld", 1 << i, widths->count[store][i]);
}

static struct piece_widths of_code(const struct cubin_function *function)
{
    struct piece_widths widths = {0};
    for (size_t i = 0; i < function->accesses; i++)
        if (function->access[i].op == OP_LOAD || function->access[i].op == OP_STORE)
            add(&widths, function->access[i].op == OP_STORE, function->access[i].bytes);
    return widths;
}

static void show_instruction(const struct ptx_instruction *instruction,
                             const struct join_access *access)
{
    printf("%s%.*s", instruction->guard >= 0 ? "@ " : "", SLICE(instruction->text));
    if (access->fate == JOIN_LEADS)
        printf("   // %d bytes from %+d:", access->bytes, (int)access->offset);
    printf("%s%s\n", access->fate == JOIN_AS_WRITTEN || access->fate == JOIN_LEADS ? " " : "   // ",
           join_rule_text(access->rule));
}

static bool of_kernel(struct ptx_module *module, struct ptx_function *function,
                      struct piece_widths *widths, bool show, struct error *error)
{
    struct shared shared = {.module = module};
    if (!visit(&shared, function, error))
        return false;
    lay_out(&shared);
    const struct join_context context = {&shared, place, NULL};
    const struct flow *flow = flow_arrange(module, function, error);
    const struct join_access *access =
        flow ? join_accesses(module, function, flow, &context, error) : NULL;
    *widths = (struct piece_widths){0};
    for (int i = 0; access && i < flow->items; i++) {
        const int at = flow->item[i].instruction;
        if (show && flow->item[i].begins)
            printf("\n");
        if (at < 0)
            continue;
        if (show)
            show_instruction(&function->parsed->instruction[at], &access[at]);
        const struct effect *effect = &flow->effects.of[at];
        if ((effect->kind == EFFECT_LOAD || effect->kind == EFFECT_STORE) &&
            effect->space == PTX_SHARED && access[at].fate != JOIN_PART &&
            access[at].fate != JOIN_VANISHES)
            add(widths, effect->kind == EFFECT_STORE,
                access[at].fate == JOIN_LEADS ? access[at].bytes : effect->bytes);
    }
    return access;
}

/* ---- by hand: what ptxas made ------------------------------------------------------------------ */

static bool begin(struct ptx_module *module, const char *path, char **text, struct error *error)
{
    size_t size = 0;
    *text = read_whole(path, &size);
    *module = (struct ptx_module){.arena.allocator = heap_allocator};
    const struct machine_text whole = {*text, size, path};
    return (*text || error_set(error, "%s cannot be read", path)) &&
           ptx_read(module, &whole, error) && ptx_link(module, error);
}

static int no_file(void *context, const char *folder, const char *name)
{
    (void)context;
    (void)folder;
    (void)name;
    return -1;
}

static bool compare(struct ptx_module *module, const struct cubin *cubin, const char *only,
                    struct error *error)
{
    for (int i = 0; i < module->functions; i++) {
        struct ptx_function *function = module->function[i];
        const struct cubin_function *code = NULL;
        struct piece_widths ours, theirs;
        char ours_text[200], theirs_text[200];
        for (size_t k = 0; k < cubin->functions; k++)
            if (slice_is(function->name, cubin->function[k].name))
                code = &cubin->function[k];
        if (!function->entry || !code || (only && !slice_is(function->name, only)))
            continue;
        if (!of_kernel(module, function, &ours, only, error))
            return false;
        theirs = of_code(code);
        print(&ours, ours_text, sizeof ours_text);
        print(&theirs, theirs_text, sizeof theirs_text);
        printf("%.*s\t%s\t%s\n", SLICE(function->name), theirs_text, ours_text);
    }
    return true;
}

static int by_hand(char **argument, int count)
{
    struct error error = {""};
    struct ptx_module module;
    struct cubin cubin;
    char *text, *code;
    size_t size = 0;
    bool good = begin(&module, argument[1], &text, &error);
    code = read_whole(argument[2], &size);
    good = good && (code || error_set(&error, "%s cannot be read", argument[2])) &&
           cubin_read(&cubin, code, size, no_file, NULL, &error);
    if (good) {
        good = compare(&module, &cubin, count > 3 ? argument[3] : NULL, &error);
        cubin_free(&cubin);
    }
    if (!good)
        fprintf(stderr, "test_join_ptxas: %s\n", error.text);
    arena_free(&module.arena);
    free(text);
    free(code);
    return good ? 0 : 1;
}

/* ---- the test -------------------------------------------------------------------------------- */

/* A row of the table: program, kernel, what ptxas made, what join.c says: "=": the same, and why not. */
struct row {
    char program[40], kernel[400], theirs[200], ours[200];
};

static struct ptx_function *kernel_named(struct ptx_module *module, const char *name)
{
    for (int i = 0; i < module->functions; i++)
        if (module->function[i]->entry && slice_is(module->function[i]->name, name))
            return module->function[i];
    return NULL;
}

static int wrong(const struct row *row)
{
    struct error error = {""};
    struct ptx_module module;
    struct piece_widths widths;
    char path[100], got[200], *text;
    snprintf(path, sizeof path, "tests/data/ptx/%s.ptx", row->program);
    if (!begin(&module, path, &text, &error))
        fail_msg("%s", error.text);
    struct ptx_function *function = kernel_named(&module, row->kernel);
    if (!function || !of_kernel(&module, function, &widths, false, &error))
        fail_msg("%s: %s: %s", row->program, row->kernel, error.text);
    print(&widths, got, sizeof got);
    const char *expected = strcmp(row->ours, "=") ? row->ours : row->theirs;
    const int differs = strcmp(got, expected) != 0;
    if (differs)
        print_error("%s %s: %s, not %s\n", row->program, row->kernel, got, expected);
    arena_free(&module.arena);
    free(text);
    return differs;
}

static void widths_are_those_of_ptxas(void **state)
{
    (void)state;
    FILE *file = fopen("tests/data/ptxas-widths.tsv", "r");
    char line[1000];
    int rows = 0, others = 0;
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        struct row row;
        if (sscanf(line, "%39[^\t]\t%399[^\t]\t%199[^\t]\t%199[^\t\n]", row.program, row.kernel,
                   row.theirs, row.ours) != 4)
            continue;
        rows += strcmp(row.program, "program") != 0;
        others += strcmp(row.program, "program") && wrong(&row);
    }
    fclose(file);
    assert_true(rows > 100);
    assert_int_equal(others, 0);
}

int main(int count, char **argument)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(widths_are_those_of_ptxas),
    };
    return count > 2 ? by_hand(argument, count) : cmocka_run_group_tests(tests, NULL, NULL);
}
