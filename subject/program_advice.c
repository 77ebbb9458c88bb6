/* program_advice.c - advice for the kernels of a CUDA program. */
#include "subject/program_advice.h"

#include <stdlib.h>
#include <string.h>

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

bool program_advise(const char *command, const struct program_options *options,
                    struct advised_program *program, int *status, struct error *error)
{
    *program =
        (struct advised_program){.taker = {launch_begin, launch_end, program, NULL, NULL, ""}};
    *status = program_record_each(command, options, &program->taker, error);
    if (*status < 0)
        return false;
    if (!program->kernels)
        return program_has_none(&program->taker, options, error);
    return search_all(program, error);
}

void advised_program_free(struct advised_program *program)
{
    for (int i = 0; i < program->kernels; i++) {
        advice_free(&program->kernel[i].advice);
        free(program->kernel[i].name);
    }
    free(program->kernel);
}
