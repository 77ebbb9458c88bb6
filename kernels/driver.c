/* driver.c - from parameters and an input to a run whose result is checked. */
#include "kernels/kernel.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { POISON = (int)0xBADC0DEDu }; /* what out holds before a kernel runs */

static const struct {
    enum input_kind kind;
    const char *name;
    bool argument;
} INPUTS[] = {
    {INPUT_RANDOM, "random", false},
    {INPUT_SORTED, "sorted", false},
    {INPUT_REVERSE, "reverse", false},
    {INPUT_WORST, "worst", false},
    {INPUT_DUPLICATES, "duplicates", false},
    {INPUT_SPLITS, "splits", true},
    {INPUT_FILE, "file", true},
};
enum { INPUT_COUNT = sizeof INPUTS / sizeof INPUTS[0] };

const char *input_name(int bit)
{
    return bit < INPUT_COUNT ? INPUTS[bit].name : NULL;
}

void setup_init(struct kernel_setup *setup, const struct kernel *kernel)
{
    memset(setup, 0, sizeof *setup);
    setup->kernel = kernel;
    for (int i = 0; i < MAX_PARAMS && kernel->params[i].name; i++)
        setup->value[i] = kernel->params[i].standard;
    setup->input = (struct input){.kind = INPUT_RANDOM, .name = "random", .seed = 1};
}

void setup_free(struct kernel_setup *setup)
{
    free(setup->input.number);
    setup->input.number = NULL;
}

static bool param_value(const struct kernel *kernel, const struct kernel_param *param,
                        const char *text, int *value, struct error *error)
{
    char names[256] = "";
    if (param->words) {
        for (int i = 0; param->words[i]; i++) {
            if (!strcmp(param->words[i], text)) {
                *value = i;
                return true;
            }
            snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? ", " : "",
                     param->words[i]);
        }
        const char *near = nearest_name(text, param->words);
        return error_set(error, "%s: parameter %s is \"%s\", but takes %s%s%s%s", kernel->name,
                         param->name, text, names, near ? "; did you mean " : "", near ? near : "",
                         near ? "?" : "");
    }
    char *end;
    errno = 0;
    long number = strtol(text, &end, 10);
    if (end == text || *end)
        return error_set(error,
                         "%s: parameter %s is \"%s\", but takes a whole number from %d to %d",
                         kernel->name, param->name, text, param->lowest, param->highest);
    if (errno || number < param->lowest || number > param->highest)
        return error_set(error, "%s: parameter %s is %s, but must be from %d to %d", kernel->name,
                         param->name, text, param->lowest, param->highest);
    *value = (int)number;
    return true;
}

bool setup_param(struct kernel_setup *setup, const char *assignment, struct error *error)
{
    const struct kernel *kernel = setup->kernel;
    const char *equals = strchr(assignment, '=');
    size_t length = equals ? (size_t)(equals - assignment) : strlen(assignment);
    const char *names[MAX_PARAMS + 1] = {NULL};
    char list[256] = "", word[64];

    if (!equals)
        return error_set(error, "-p takes NAME=VALUE, as in -p w=32, not \"%s\"", assignment);
    for (int i = 0; i < MAX_PARAMS && kernel->params[i].name; i++) {
        names[i] = kernel->params[i].name;
        if (strlen(names[i]) == length && !memcmp(names[i], assignment, length))
            return param_value(kernel, &kernel->params[i], equals + 1, &setup->value[i], error);
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : "", names[i]);
    }
    snprintf(word, sizeof word, "%.*s", (int)length, assignment);
    const char *near = nearest_name(word, names);
    return error_set(error, "%s has no parameter %s; it takes %s%s%s%s", kernel->name, word, list,
                     near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

bool setup_params(struct kernel_setup *setup, const char *assignments, struct error *error)
{
    char *copy = strdup(assignments), *rest = copy;
    bool good = copy || error_set(error, "out of memory");
    for (char *word; good && (word = strtok_r(rest, " ", &rest));)
        good = setup_param(setup, word, error);
    free(copy);
    return good;
}

/* Appends the whole numbers in text, separated as `between` allows, to the input. */
static bool parse_numbers(struct input *input, const char *text, bool commas, const char *what,
                          struct error *error)
{
    size_t room = input->count;
    while (*text) {
        while (isspace((unsigned char)*text))
            text++;
        if (!*text)
            break;
        char *end;
        errno = 0;
        long number = strtol(text, &end, 10);
        bool ends = !*end || isspace((unsigned char)*end) || (commas && *end == ',');
        if (end == text || !ends)
            return error_set(error, "%s: number %zu is \"%.20s\", not a whole number", what,
                             input->count + 1, text);
        if (errno || number < INT_MIN || number > INT_MAX)
            return error_set(error, "%s: number %zu does not fit into 32 bits", what,
                             input->count + 1);
        if (input->count == room) {
            room = 2 * room + 64;
            int *grown = realloc(input->number, room * sizeof *grown);
            if (!grown)
                return error_set(error, "%s: out of memory", what);
            input->number = grown;
        }
        input->number[input->count++] = (int)number;
        text = end + (*end == ',');
    }
    return true;
}

static bool read_numbers(struct input *input, const char *path, struct error *error)
{
    enum { CHUNK = 1 << 16, LARGEST = 1 << 30 };
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    size_t length = 0, got = 1;
    bool good = true;
    while (file && good && got) {
        char *grown = length > LARGEST ? NULL : realloc(text, length + CHUNK + 1);
        if (grown) {
            text = grown;
            got = fread(text + length, 1, CHUNK, file);
            length += got;
        } else {
            good = error_set(error, "--input file=%s: too large", path);
        }
    }
    if (!file || ferror(file))
        good = error_set(error, "--input file=%s: %s", path, strerror(errno));
    if (good) {
        text[length] = '\0';
        good = strlen(text) == length ? parse_numbers(input, text, false, path, error)
                                      : error_set(error, "%s: a zero byte is not a number", path);
    }
    free(text);
    if (file)
        fclose(file);
    return good;
}

bool setup_input(struct kernel_setup *setup, const char *text, struct error *error)
{
    const char *equals = strchr(text, '=');
    size_t length = equals ? (size_t)(equals - text) : strlen(text);
    const char *names[INPUT_COUNT + 1] = {NULL};
    char list[256] = "", word[64];
    int known = 0;

    for (int i = 0; i < INPUT_COUNT; i++) {
        if (!(setup->kernel->inputs & INPUTS[i].kind))
            continue;
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s%s", known ? ", " : "",
                 INPUTS[i].name,
                 INPUTS[i].kind == INPUT_SPLITS ? "=n,n,..."
                 : INPUTS[i].kind == INPUT_FILE ? "=PATH"
                                                : "");
        names[known++] = INPUTS[i].name;
        if (strlen(INPUTS[i].name) != length || memcmp(INPUTS[i].name, text, length))
            continue;
        if (INPUTS[i].argument != (equals != NULL))
            return error_set(error, "--input %s %s", INPUTS[i].name,
                             equals ? "takes no value"
                                    : "needs a value, as in splits=3,2,5 or file=PATH");
        setup->input.kind = INPUTS[i].kind;
        setup->input.name = INPUTS[i].name;
        setup->input.count = 0;
        if (INPUTS[i].kind == INPUT_SPLITS)
            return parse_numbers(&setup->input, equals + 1, true, "--input splits", error);
        return INPUTS[i].kind != INPUT_FILE || read_numbers(&setup->input, equals + 1, error);
    }
    snprintf(word, sizeof word, "%.*s", (int)length, text);
    const char *near = nearest_name(word, names);
    return error_set(error, "%s does not take input %s; it takes %s%s%s%s", setup->kernel->name,
                     word, list, near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

/* The value of a parameter by name, or `otherwise` when the kernel has none of that name. */
static int value_of(const struct kernel_setup *setup, const char *name, int otherwise)
{
    for (int i = 0; i < MAX_PARAMS && setup->kernel->params[i].name; i++)
        if (!strcmp(setup->kernel->params[i].name, name))
            return setup->value[i];
    return otherwise;
}

static bool make_shape(const struct kernel_setup *setup, struct kernel_shape *shape,
                       struct error *error)
{
    int w = value_of(setup, "w", 32), u = value_of(setup, "u", w);
    *shape = (struct kernel_shape){.warp = w,
                                   .banks = w,
                                   .bank_bytes = 4,
                                   .threads = u,
                                   .blocks = value_of(setup, "blocks", 1)};
    if (u % w)
        return error_set(error, "%s: u = %d must be a multiple of w = %d", setup->kernel->name, u,
                         w);
    if (!setup->kernel->shape(setup->value, shape, error))
        return false;
    if (shape->threads < 1 || shape->threads > MAX_THREADS)
        return error_set(error, "%s: a block of %d threads; at most %d are possible",
                         setup->kernel->name, shape->threads, MAX_THREADS);
    if (shape->in_words > INT_MAX || shape->out_words > INT_MAX)
        return error_set(error,
                         "%s: %zu words of input and %zu of output; at most %d are possible, so "
                         "choose smaller parameters",
                         setup->kernel->name, shape->in_words, shape->out_words, INT_MAX);
    int launches = setup->kernel->launches ? setup->kernel->launches(setup->value) : 1;
    if ((int64_t)shape->blocks * launches > MAX_BLOCKS)
        return error_set(error,
                         "%s: %d launches of %d blocks are more than %d blocks; choose a "
                         "smaller n, or larger blocks",
                         setup->kernel->name, launches, shape->blocks, MAX_BLOCKS);
    if (shape->shared_bytes > MAX_SHARED)
        return error_set(error,
                         "%s: a block would need %zu bytes of shared memory; at most %d are "
                         "possible, so choose smaller parameters",
                         setup->kernel->name, shape->shared_bytes, MAX_SHARED);
    return true;
}

/* Adds a stage name to the header. C has no dash in a name, so stage_1 stands for stage-1. */
static void add_stage(struct trace_header *header, const char *name, size_t length)
{
    header->stage = realloc(header->stage, ((size_t)header->stages + 2) * sizeof *header->stage);
    char *copy = strndup(name, length);
    for (char *dash = copy; (dash = strchr(dash, '_')) != NULL;)
        *dash = '-';
    header->stage[header->stages++] = copy;
}

static void make_header(const struct kernel_setup *setup, const struct kernel_shape *shape,
                        const char *backend, struct trace_header *header)
{
    const struct kernel *kernel = setup->kernel;
    char name[64];
    *header = (struct trace_header){.kernel = strdup(kernel->name),
                                    .backend = strdup(backend),
                                    .device = strdup(""),
                                    .input = strdup(setup->input.name),
                                    .seed = setup->input.seed,
                                    .banks = shape->banks,
                                    .bank_bytes = shape->bank_bytes,
                                    .warp = shape->warp,
                                    .threads = shape->threads,
                                    .blocks = shape->blocks,
                                    .shared_bytes = (int)shape->shared_bytes,
                                    .partition = shape->partition};
    if (kernel->stage_name) {
        for (int i = 0; i < MAX_STAGES && kernel->stage_name(setup->value, i, name); i++)
            add_stage(header, name, strlen(name));
    } else {
        for (const char *at = kernel->stages; *at; at += strspn(at, ", ")) {
            size_t length = strcspn(at, ", ");
            add_stage(header, at, length);
            at += length;
        }
    }
    header->param = calloc(MAX_PARAMS, sizeof *header->param);
    for (int i = 0; i < MAX_PARAMS && kernel->params[i].name; i++) {
        const struct kernel_param *param = &kernel->params[i];
        if (!strcmp(param->name, "blocks") && !kernel->launches)
            continue; /* the header has it as a field */
        header->param[header->params++] = (struct trace_param){
            .name = strdup(param->name),
            .word = param->words ? strdup(param->words[setup->value[i]]) : NULL,
            /* u may be 0 for "what follows from the others": the trace says what it was */
            .number = strcmp(param->name, "u") ? setup->value[i] : shape->threads};
    }
}

/* ---- launches -------------------------------------------------------------------------------- */

/* Makes one trace of several launches: one header, one end, blocks numbered on. */
struct relay {
    const struct trace_sink *to;
    int blocks; /* of one launch */
    int launch, launches;
    struct trace_end end; /* of the launches so far */
};

static bool relay_header(void *context, const struct trace_header *header, struct error *error)
{
    struct relay *relay = context;
    struct trace_header whole = *header; /* the backend may have named its device in it */
    whole.blocks = relay->blocks * relay->launches;
    return relay->launch || !relay->to->header ||
           relay->to->header(relay->to->context, &whole, error);
}

static bool relay_access(void *context, const struct warp_access *access, struct error *error)
{
    struct relay *relay = context;
    struct warp_access moved = *access;
    moved.block += relay->launch * relay->blocks;
    return !relay->to->access || relay->to->access(relay->to->context, &moved, error);
}

static bool relay_end(void *context, const struct trace_end *end, struct error *error)
{
    struct relay *relay = context;
    relay->end.warp_accesses += end->warp_accesses;
    relay->end.dropped += end->dropped;
    relay->end.complete = end->complete;
    if (!relay->to->end || (end->complete && relay->launch < relay->launches - 1))
        return true;
    return relay->to->end(relay->to->context, &relay->end, error);
}

/* One launch on that backend. */
static bool run_on(enum backend backend, const struct launch *launch, const struct trace_sink *sink,
                   struct run_result *result, struct error *error)
{
    if (backend != BACKEND_CUDA && backend != BACKEND_BARE)
        return host_run(launch, sink, result, error);
#ifdef HAVE_CUDA
    return backend == BACKEND_CUDA ? cuda_run(launch, sink, result, error)
                                   : cuda_run_bare(launch, result, error);
#else
    return error_set(error, "this program was built without the CUDA backend; use --backend host, "
                            "or build it where nvcc is found");
#endif
}

/* Runs all launches of the kernel. Each reads what the one before wrote, the first reads `in`; the
 * last one's result is in *out. `spare` is as large as *out, and may be swapped with it. */
static bool run_launches(const struct kernel_setup *setup, enum backend backend,
                         const struct kernel_shape *shape, const struct trace_header *header,
                         const int *in, int **out, int **spare, const struct trace_sink *sink,
                         struct run_result *result, struct error *error)
{
    const struct kernel *kernel = setup->kernel;
    int value[MAX_PARAMS], *number = value;
    struct relay relay = {.to = sink,
                          .blocks = shape->blocks,
                          .launches = kernel->launches ? kernel->launches(setup->value) : 1};
    struct trace_sink relayed = {relay_header, relay_access, relay_end, &relay};
    struct launch launch = {.header = header,
                            .body = kernel->body,
                            .cuda = kernel->cuda,
                            .params = value,
                            .in_bytes = shape->in_words * sizeof *in,
                            .out_bytes = shape->out_words * sizeof *in,
                            .records = setup->records,
                            .repeat = setup->repeat};
    struct run_result one;

    memcpy(value, setup->value, sizeof value);
    for (const struct kernel_param *param = kernel->params; param->name; param++, number++)
        if (!strcmp(param->name, "u"))
            *number = shape->threads; /* the kernel knows it where u is 0; BARE sets say it */
    memset(result, 0, sizeof *result);
    for (; relay.launch < relay.launches; relay.launch++) {
        if (relay.launch) {
            int *last = *out;
            *out = *spare;
            *spare = last;
        }
        if (kernel->launches)
            *number = relay.launch;
        for (size_t i = 0; i < shape->out_words; i++)
            (*out)[i] = POISON;
        launch.in = relay.launch ? *spare : in;
        launch.out = *out;
        if (!run_on(backend, &launch, sink ? &relayed : NULL, &one, error))
            return false;
        result->fills += one.fills;
        result->fill_passes += one.fill_passes;
        result->kernel_seconds += one.kernel_seconds;
        result->dump_seconds += one.dump_seconds;
        result->records += one.records;
        result->constants = one.constants;
    }
    return true;
}

bool setup_run(const struct kernel_setup *setup, enum backend backend,
               const struct trace_sink *sink, struct run_result *result, struct error *error)
{
    const struct kernel *kernel = setup->kernel;
    struct kernel_shape shape;
    struct trace_header header = {0};
    int *in = NULL, *out = NULL, *spare = NULL;
    bool good = make_shape(setup, &shape, error);

    if (!good)
        return false;
    in = calloc(shape.in_words + 1, sizeof *in);
    out = malloc((shape.out_words + 1) * sizeof *out);
    spare = kernel->launches ? malloc((shape.out_words + 1) * sizeof *out) : NULL;
    if (!in || !out || (kernel->launches && !spare)) {
        good = error_set(error, "%s: out of memory for %zu words", kernel->name,
                         shape.in_words + shape.out_words);
        goto done;
    }
    make_header(setup, &shape, backend == BACKEND_CUDA ? "cuda" : "host", &header);
    good = kernel->prepare(setup->value, &shape, &setup->input, in, error) &&
           run_launches(setup, backend, &shape, &header, in, &out, &spare, sink, result, error);
    if (good && !kernel->check(setup->value, &shape, in, out, error)) {
        char text[sizeof error->text];
        memcpy(text, error->text, sizeof text);
        error->text[0] = '\0';
        good = error_set(error, "kernel %s on input %s: %s", kernel->name, setup->input.name, text);
    }
done:
    header_free(&header);
    free(in);
    free(out);
    free(spare);
    return good;
}
