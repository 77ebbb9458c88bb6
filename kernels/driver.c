/* driver.c - from a recipe to a run whose result is checked. */
#include "kernels/catalogue.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

const char *const backend_names[] = {"auto", "host", "cuda", NULL};

/* A word that no kernel has written. */
static const int POISON = (int)(POISON_BYTE * 0x01010101u);

int recipe_launches(const struct recipe *recipe)
{
    return recipe->kernel->launches ? recipe->kernel->launches(recipe->params) : 1;
}

bool recipe_shape(const struct recipe *recipe, struct kernel_shape *shape, struct error *error)
{
    int w = recipe_value(recipe, "w", 32), u = recipe_value(recipe, "u", w);
    *shape = (struct kernel_shape){.warp = w,
                                   .banks = w,
                                   .bank_bytes = 4,
                                   .threads = u,
                                   .blocks = recipe_value(recipe, "blocks", 1)};
    if (u % w)
        return error_set(error, "%s: u = %d must be a multiple of w = %d", recipe->kernel->name, u,
                         w);
    if (!recipe->kernel->shape(recipe->params, shape, error))
        return false;
    if (shape->threads < 1 || shape->threads > MAX_THREADS)
        return error_set(error, "%s: a block of %d threads; the limit is %d", recipe->kernel->name,
                         shape->threads, MAX_THREADS);
    if (shape->in_words > INT_MAX || shape->out_words > INT_MAX)
        return error_set(error,
                         "%s: %zu words of input and %zu of output; the limit is %d, so "
                         "choose smaller parameters",
                         recipe->kernel->name, shape->in_words, shape->out_words, INT_MAX);
    int launches = recipe_launches(recipe);
    if ((int64_t)shape->blocks * launches > MAX_BLOCKS)
        return error_set(error,
                         "%s: %d launches of %d blocks exceed the limit of %d blocks; choose a "
                         "smaller n or larger blocks",
                         recipe->kernel->name, launches, shape->blocks, MAX_BLOCKS);
    if (shape->shared_bytes > MAX_SHARED)
        return error_set(error,
                         "%s: a block would need %zu bytes of shared memory; the limit is %d, "
                         "so choose smaller parameters",
                         recipe->kernel->name, shape->shared_bytes, MAX_SHARED);
    return true;
}

/* Adds a stage name to the header. C has no dash in a name, so stage_1 stands for stage-1. */
static void add_stage(struct trace_header *header, const char *name, size_t length)
{
    char *copy = memory_copy_of(name, length);
    for (char *dash = copy; (dash = strchr(dash, '_')) != NULL;)
        *dash = '-';
    header->stage[header->stages++] = copy;
}

static int count_stages(const struct recipe *recipe)
{
    const struct kernel *kernel = recipe->kernel;
    char name[64];
    int count = 0;
    if (!kernel->stage_name)
        return (int)strlen(kernel->stages); /* more than enough */
    while (count < MAX_STAGES && kernel->stage_name(recipe->params, count, name))
        count++;
    return count;
}

static void make_header(const struct recipe *recipe, const struct kernel_shape *shape,
                        const char *backend, struct trace_header *header)
{
    const struct kernel *kernel = recipe->kernel;
    char name[64];
    *header = (struct trace_header){.kernel = memory_copy(kernel->name),
                                    .backend = memory_copy(backend),
                                    .device = memory_copy(""),
                                    .input = memory_copy(recipe->input.name),
                                    .seed = recipe->input.seed,
                                    .banks = shape->banks,
                                    .bank_bytes = shape->bank_bytes,
                                    .warp = shape->warp,
                                    .threads = shape->threads,
                                    .blocks = shape->blocks,
                                    .shared_bytes = (int)shape->shared_bytes,
                                    .partition = shape->partition};
    header->stage = memory_new((size_t)count_stages(recipe), sizeof *header->stage);
    if (kernel->stage_name) {
        for (int i = 0; i < MAX_STAGES && kernel->stage_name(recipe->params, i, name); i++)
            add_stage(header, name, strlen(name));
    } else {
        for (const char *at = kernel->stages; *at; at += strspn(at, ", ")) {
            size_t length = strcspn(at, ", ");
            add_stage(header, at, length);
            at += length;
        }
    }
    header->param = memory_new(kernel->size / sizeof(int), sizeof *header->param);
    for (const struct kernel_param *param = kernel->params; param->name; param++) {
        int value = *param_of(recipe->params, param);
        if (!strcmp(param->name, "blocks") && !kernel->launches)
            continue; /* the header has it as a field */
        header->param[header->params++] = (struct trace_param){
            .name = memory_copy(param->name),
            .word = param->words ? memory_copy(param->words[value]) : NULL,
            /* u may be 0 for "what follows from the others": the trace says what it was */
            .number = strcmp(param->name, "u") ? value : shape->threads};
    }
}

/* ---- launches -------------------------------------------------------------------------------- */

/* One launch, or all those of a bare run. */
static bool run_on(enum backend backend, const struct launch *launch, const struct trace_sink *sink,
                   struct run_result *result, struct error *error)
{
    if (backend != BACKEND_CUDA && backend != BACKEND_BARE)
        return host_run(launch, sink, result, error);
#ifdef HAVE_CUDA
    return backend == BACKEND_CUDA ? cuda_run(launch, sink, result, error)
                                   : cuda_run_bare(launch, result, error);
#else
    return error_set(error,
                     "this program was built without the CUDA backend; 'make CUDA=yes' builds it, "
                     "with nvcc%s",
                     backend == BACKEND_CUDA ? "; recording with --backend host needs none" : "");
#endif
}

/* The kernel's struct for each of the launches; the caller frees them. */
static char *launch_params(const struct recipe *recipe, const struct kernel_shape *shape,
                           int launches)
{
    const struct kernel *kernel = recipe->kernel;
    char *params = memory_new((size_t)launches, kernel->size);
    for (int i = 0; i < launches; i++) {
        char *of = params + (size_t)i * kernel->size;
        memcpy(of, recipe->params, kernel->size);
        for (const struct kernel_param *param = kernel->params; param->name; param++)
            if (!strcmp(param->name, "u"))
                *param_of(of, param) =
                    shape->threads; /* the kernel knows it where u is 0; BARE sets say it */
        if (kernel->launches)
            *(int *)(of + kernel->launch) = i;
    }
    return params;
}

/* Runs all launches of the kernel. Each reads what the one before wrote, the first reads `in`; the
 * last one's result is in *out. `spare` is as large as *out, and may be swapped with it. */
static bool run_launches(const struct recipe *recipe, const struct run_options *options,
                         const struct kernel_shape *shape, const struct trace_header *header,
                         const int *in, int **out, int **spare, const struct trace_sink *sink,
                         struct run_result *result, struct error *error)
{
    const struct kernel *kernel = recipe->kernel;
    const int launches = recipe_launches(recipe);
    const int at_once = options->backend == BACKEND_BARE ? launches : 1;
    char *params = launch_params(recipe, shape, launches);
    struct trace_check check = {0};
    struct trace_sink checked = sink ? trace_check_sink(&check, sink) : (struct trace_sink){0};
    struct relay relay = {.to = &checked, .blocks = shape->blocks, .launches = launches};
    struct trace_sink relayed = relay_sink(&relay);
    struct launch launch = {.header = header,
                            .body = kernel->body,
                            .cuda = kernel->cuda,
                            .in_bytes = shape->in_words * sizeof *in,
                            .out_bytes = shape->out_words * sizeof *in,
                            .records = options->records,
                            .repeat = options->repeat,
                            .launches = at_once,
                            .params_bytes = kernel->size};
    struct run_result one;
    bool good = true;

    memset(result, 0, sizeof *result);
    for (; good && relay.launch < launches; relay.launch += at_once) {
        if (relay.launch) {
            int *last = *out;
            *out = *spare;
            *spare = last;
        }
        memset(*out, POISON_BYTE, launch.out_bytes);
        launch.params = params + (size_t)relay.launch * kernel->size;
        launch.in = relay.launch ? *spare : in;
        launch.out = *out;
        const struct trace_sink *to = sink ? &relayed : NULL;
        good = options->run ? options->run(options->context, &launch, to, &one, error)
                            : run_on(options->backend, &launch, to, &one, error);
        if (!good)
            break;
        result->kernel.least += one.kernel.least;
        result->kernel.median += one.kernel.median;
        result->kernel.most += one.kernel.most;
        result->last = one.last;
        result->dump_seconds += one.dump_seconds;
        result->records += one.records;
        result->constants = one.constants;
    }
    trace_check_free(&check);
    free(params);
    return good;
}

bool recipe_run(const struct recipe *recipe, const struct run_options *options,
                const struct trace_sink *sink, struct run_result *result, struct error *error)
{
    const struct kernel *kernel = recipe->kernel;
    static const struct run_options on_host = {.backend = BACKEND_HOST};
    struct kernel_shape shape;
    struct trace_header header = {0};
    int *in = NULL, *out = NULL, *spare = NULL;
    bool good = recipe_shape(recipe, &shape, error);

    if (!good)
        return false;
    if (!options)
        options = &on_host;
    size_t in_bytes = shape.in_words * sizeof *in, out_bytes = shape.out_words * sizeof *out;
    in = global_new(in_bytes, error);
    out = in ? global_new(out_bytes, error) : NULL;
    if (out && kernel->launches)
        spare = global_new(out_bytes, error);
    good = out && (spare || !kernel->launches);
    if (!good)
        goto done;
    make_header(recipe, &shape, options->backend == BACKEND_CUDA ? "cuda" : "host", &header);
    struct error what = {{0}};
    good = (trace_check_header(&header, &what) ||
            error_set(error, "kernel %s: %s", kernel->name, what.text)) &&
           kernel->prepare(recipe->params, &shape, &recipe->input, in, error) &&
           run_launches(recipe, options, &shape, &header, in, &out, &spare, sink, result, error);
    if (good && !kernel->check(recipe->params, &shape, in, out, error)) {
        struct error cause = *error;
        char *text = recipe_text(recipe), never[64] = "";
        size_t word = 0;
        while (word < shape.out_words && out[word] != POISON)
            word++;
        if (word < shape.out_words)
            snprintf(never, sizeof never, "; out[%zu] was never written", word);
        error->text[0] = '\0';
        good = error_set(error, "kernel %s: %s%s (%s)", kernel->name, cause.text, never, text);
        free(text);
    }
done:
    header_free(&header);
    global_free(in, in_bytes);
    global_free(out, out_bytes);
    global_free(spare, out_bytes);
    return good;
}
