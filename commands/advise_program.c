/* advise_program.c - advice for the kernels of a CUDA program. */
#include "commands/advise.h"

#include <stdlib.h>
#include <string.h>

/* A kernel of a program: a layout is written once, for all launches in which its arrays are alike. */
struct advised_kernel {
    char *name;
    int launches;
    uint64_t conflicts;
    struct advice advice;
};

struct advised_program {
    struct launch_taker taker;
    const char *name; /* of the launch that is being taken */
    int kernels;
    size_t room;
    struct advised_kernel *kernel;
    struct trace_sink to; /* of the launch's kernel */
};

static bool same_arrays(const struct trace_header *a, const struct trace_header *b)
{
    bool same = a->arrays == b->arrays && a->shared_bytes == b->shared_bytes;
    for (int i = 0; same && i < a->arrays; i++) {
        const struct trace_array *x = &a->array[i], *y = &b->array[i];
        same = x->addr == y->addr && x->bytes == y->bytes && x->dims == y->dims &&
               !memcmp(x->dim, y->dim, (size_t)x->dims * sizeof *x->dim) &&
               !strcmp(x->name, y->name);
    }
    return same;
}

/* Finds the launch's kernel, or makes a new one. */
static bool launch_header(void *context, const struct trace_header *header, struct error *error)
{
    struct advised_program *program = context;
    struct advised_kernel *kernel = program->kernel;
    int i = 0;
    while (i < program->kernels && (strcmp(kernel[i].name, program->name) ||
                                    !same_arrays(&kernel[i].advice.header, header)))
        i++;
    if (i == program->kernels) {
        if (!memory_grow(&program->kernel, &program->room, (size_t)i + 1, sizeof *program->kernel,
                         "kernels", error))
            return false;
        kernel = program->kernel;
        kernel[i] = (struct advised_kernel){.name = memory_copy(program->name)};
        struct trace_sink fresh = advice_sink(&kernel[i].advice);
        fresh.header(fresh.context, header, error);
        program->kernels++;
    }
    kernel[i].launches++;
    program->to = advice_sink(&kernel[i].advice);
    return true;
}

static bool launch_access(void *context, const struct warp_access *access, struct error *error)
{
    struct advised_program *program = context;
    return program->to.access(program->to.context, access, error);
}

static bool launch_begin(void *context, const struct program_launch *launch,
                         struct trace_sink *sink, struct error *error)
{
    struct advised_program *program = context;
    (void)error;
    program->name = launch->name; /* until its header comes */
    *sink = (struct trace_sink){launch_header, launch_access, NULL, program};
    return true;
}

static bool launch_end(void *context, struct error *error)
{
    (void)context, (void)error;
    return true;
}

static int by_conflicts(const void *left, const void *right)
{
    const struct advised_kernel *a = left, *b = right;
    return (a->conflicts < b->conflicts) - (a->conflicts > b->conflicts);
}

static bool search_all(struct advised_program *program, struct error *error)
{
    for (int i = 0; i < program->kernels; i++) {
        struct advised_kernel *kernel = &program->kernel[i];
        if (!advice_search(&kernel->advice, error))
            return false;
        for (int k = 0; k < kernel->advice.arrays; k++)
            kernel->conflicts += kernel->advice.array[k].today.conflicts;
    }
    if (program->kernels > 1)
        qsort(program->kernel, (size_t)program->kernels, sizeof *program->kernel, by_conflicts);
    return true;
}

static void print_kernels(const struct advised_program *program)
{
    for (int i = 0; i < program->kernels; i++) {
        const struct advised_kernel *kernel = &program->kernel[i];
        printf("%s%s, %d launch%s:\n", i ? "\n" : "", kernel->name, kernel->launches,
               kernel->launches == 1 ? "" : "es");
        advice_print(&kernel->advice);
    }
}

static bool put_kernels(const struct advised_program *program, struct error *error)
{
    cJSON *root = cJSON_CreateObject(), *kernels = cJSON_AddArrayToObject(root, "kernels");
    for (int i = 0; i < program->kernels; i++) {
        cJSON *object = cJSON_CreateObject();
        cJSON_AddItemToArray(kernels, object);
        cJSON_AddStringToObject(object, "kernel", program->kernel[i].name);
        cJSON_AddNumberToObject(object, "launches", program->kernel[i].launches);
        advice_add_json(object, &program->kernel[i].advice);
    }
    return advise_put_json(root, error);
}

static int advise_launches(const struct program_options *options)
{
    struct error error = {{0}};
    struct advised_program program = {.taker = {launch_begin, launch_end, &program, NULL}};
    int status = program_record_each("advise", options, &program.taker, &error);
    bool good =
        status >= 0 &&
        (program.kernels > 0 || error_set(&error, "no recorded launch of %s used shared memory",
                                          options->request.sources ? options->request.source[0]
                                                                   : options->request.database)) &&
        search_all(&program, &error);
    if (good && options->json)
        good = put_kernels(&program, &error);
    if (good && options->csv) {
        advice_csv_head();
        for (int i = 0; i < program.kernels; i++)
            advice_csv_rows(program.kernel[i].name, &program.kernel[i].advice);
    }
    if (good && !options->json && !options->csv)
        print_kernels(&program);
    for (int i = 0; i < program.kernels; i++) {
        advice_free(&program.kernel[i].advice);
        free(program.kernel[i].name);
    }
    free(program.kernel);
    return good ? status : command_fail("advise", &error);
}

int advise_program(int argc, char **argv)
{
    static const struct option longs[] = {PROGRAM_CHOICE,
                                          {"seed", required_argument, NULL, OPTION_SEED},
                                          {"json", no_argument, NULL, PROGRAM_JSON},
                                          {"csv", no_argument, NULL, PROGRAM_CSV},
                                          {NULL, 0, NULL, 0}};
    struct program_options options = {.by = TABLE_BY_LINE};
    int status = 2;
    if (program_read(argc, argv, ":" PROGRAM_SHORT, longs, &options))
        status = advise_launches(&options);
    program_options_free(&options);
    return status;
}
