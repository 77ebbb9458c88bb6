/* kernel.c - what a page calls to compile and run a kernel that is written in it.
 *
 * It runs in a worker of the page's. Texts come and go as in page.c: in through kernel_room, out as C strings
 * that live until the next call. What compile and run tell is JSON; the trace is at kernel_bytes.
 *
 * A launch is lines of words:
 *
 *     kernel 0            of the kernels that compile told
 *     grid 4 1 1
 *     block 32 8 1
 *     shared 1024         bytes of dynamic shared memory
 *     warp 32             lanes, 1..64
 *     banks 32
 *     limit 100000000     instructions of warps
 *     array 0 4096 iota   parameter 0: so many elements, and what they are (machine/given.h)
 *     number 1 64         parameter 1
 */
#include "web/kernel.h"

#include "grade/recording.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_ARRAYS = 256 << 20, /* bytes of all arrays */
    MOST_SHOWN = 32,         /* elements of an array */
    MOST_LANES = 1 << 20,    /* accesses of lanes in a picture */
};
static const uint64_t arrays_begin = UINT64_C(1) << 40, arrays_apart = UINT64_C(1) << 32;

/* ---- texts ----------------------------------------------------------------------------------------- */

/* Its end is all that JavaScript is told. */
static void end_program(void)
{
    _Exit(1);
}

EXPORT(create) struct kernels *kernels_create(void)
{
    memory_on_exhaustion(end_program);
    return memory_new(1, sizeof(struct kernels));
}

EXPORT(room) char *kernels_room(struct kernels *k, size_t bytes)
{
    if (!memory_grow(&k->room, &k->room_bytes, bytes + 1, 1, "bytes", &k->error))
        return NULL;
    k->room[bytes] = '\0';
    return k->room;
}

EXPORT(error) const char *kernels_error(struct kernels *k)
{
    free(k->text);
    k->text = memory_copy(k->error.text);
    k->error.text[0] = '\0';
    return k->text;
}

EXPORT(bytes) const void *kernels_bytes(struct kernels *k)
{
    return k->recorded.byte;
}

EXPORT(byte_count) size_t kernels_byte_count(struct kernels *k)
{
    return k->recorded.count;
}

FILE *kernels_text(struct kernels *k, size_t *length)
{
    free(k->text);
    k->text = NULL;
    FILE *file = open_memstream(&k->text, length);
    if (!file)
        memory_exhausted();
    return file;
}

/* Bytes of the source's that are no UTF-8 come out as U+FFFD by the page's decoder. */
void kernels_put_text(FILE *file, const char *text)
{
    fputc('"', file);
    for (; text && *text; text++)
        if (*text == '"' || *text == '\\' || (unsigned char)*text < ' ')
            fprintf(file, "\\u%04x", (unsigned char)*text);
        else
            fputc(*text, file);
    fputc('"', file);
}

void kernels_put_name(FILE *file, const char *before, const char *text)
{
    fprintf(file, "%s:", before);
    kernels_put_text(file, text);
}

/* ---- compiling ------------------------------------------------------------------------------------- */

static void put_messages(FILE *file, const struct kernelc_result *compiled)
{
    fputs("\"messages\":[", file);
    for (int i = 0; i < compiled->messages; i++) {
        const struct kernelc_message *message = &compiled->message[i];
        fprintf(file, "%s{\"line\":%d,\"column\":%d", i ? "," : "", message->line, message->column);
        kernels_put_name(file, ",\"text\"", message->text);
        fputc('}', file);
    }
    fputc(']', file);
}

static void put_kernel(FILE *file, const struct kernelc_kernel *kernel)
{
    kernels_put_name(file, "{\"name\"", kernel->name);
    fprintf(file, ",\"line\":%d,\"parameters\":[", kernel->line);
    for (int i = 0; i < kernel->parameters; i++) {
        const struct kernelc_parameter *p = &kernel->parameter[i];
        kernels_put_name(file, i ? ",{\"name\"" : "{\"name\"", p->name ? p->name : "");
        kernels_put_name(file, ",\"type\"", p->type);
        fprintf(file, ",\"size\":%d,\"pointer\":%d,\"real\":%d}", p->size, p->is_pointer,
                p->is_float);
    }
    fputs("]}", file);
}

/* Compiles the text in the room: {"messages": [...], "kernels": [{"name", "line", "parameters"}],
 * "dynamic": whether shared memory is used whose size the launch says}. */
EXPORT(compile) const char *kernels_compile(struct kernels *k, size_t length)
{
    size_t ignored;
    kernelc_free(&k->compiled);
    free(k->source);
    k->source = memory_new(length + 1, 1);
    memcpy(k->source, k->room, length);
    const struct kernelc_job job = {.allocator = &heap_allocator,
                                    .source = {"kernel.cu", k->source, length},
                                    .memory_limit = 64 << 20,
                                    .work_limit = 20000000};
    const bool good = kernelc_compile(&job, &k->compiled);
    bool dynamic = false;
    for (int i = 0; i < k->compiled.arrays; i++)
        dynamic |= k->compiled.array[i].shared && !k->compiled.array[i].bytes;
    FILE *file = kernels_text(k, &ignored);
    fputc('{', file);
    put_messages(file, &k->compiled);
    fprintf(file, ",\"dynamic\":%d,\"kernels\":[", dynamic);
    for (int i = 0; i < k->compiled.kernels && good; i++) {
        fputs(i ? "," : "", file);
        put_kernel(file, &k->compiled.kernel[i]);
    }
    fputs("]}", file);
    fclose(file);
    return k->text;
}

EXPORT(ptx) const char *kernels_ptx(struct kernels *k)
{
    return k->compiled.ptx ? k->compiled.ptx : "";
}

/* ---- arrays and numbers ---------------------------------------------------------------------------- */

/* What a pointer points to, from its type as C++ says it. */
static bool pointee(const char *type, char *name, size_t size)
{
    if (strncmp(type, "const ", 6) == 0)
        type += 6;
    const char *star = strrchr(type, '*');
    if (!star)
        return false;
    const int length = (int)(star - type) - (star > type && star[-1] == ' ');
    snprintf(name, size, "%.*s", length, type);
    return true;
}

/* A vector of floats is one of its parts, many times. */
static void scalar_of(const char *name, int bytes, bool *real, int *part)
{
    *real = strstr(name, "float") || strstr(name, "double");
    const size_t length = strlen(name);
    const char last = length ? name[length - 1] : 0;
    const bool is_vector = last >= '1' && last <= '4' && !strstr(name, "64") && !strstr(name, "32");
    *part = is_vector ? bytes / (last - '0') : bytes;
}

static bool make_array(struct kernels *k, struct machine_memory *memory,
                       const struct kernelc_kernel *kernel, unsigned index, uint64_t count,
                       const char *how)
{
    const struct kernelc_parameter *parameter = &kernel->parameter[index];
    struct array *array = &k->array[index];
    struct given_array given;
    char type[200], text[400];
    uint64_t all = 0;
    for (int i = 0; i < MOST_PARAMETERS; i++)
        all += k->array[i].size;
    if (!pointee(parameter->type, type, sizeof type) || array->bytes)
        return error_set(&k->error, "parameter '%s' cannot be an array of '%s'", parameter->name,
                         how);
    if (count < 1 || count > MOST_ARRAYS)
        return error_set(&k->error,
                         "'%s' has %" PRIu64 " elements: a page has room for %d MB of "
                         "arrays, and an array has at least one element",
                         parameter->name, count, MOST_ARRAYS >> 20);
    if (!given_type(NULL, given_trim(type, type + strlen(type)), &given.type))
        snprintf(type, sizeof type, "u8"); /* of a struct: bytes */
    snprintf(text, sizeof text, "%s %s[%" PRIu64 "] = %s", type, parameter->name, count,
             !strcmp(how, "random") ? "random 1000" : how);
    if (!given_array_read(text, NULL, MOST_ARRAYS - all, &given, &k->error))
        return false;
    array->count = count;
    array->size = given_array_bytes(&given);
    array->bytes = memory_array(array->size, 1, "bytes of an array", &k->error);
    if (!array->bytes)
        return false;
    given_array_fill(&given, array->bytes);
    const uint64_t address = arrays_begin + index * arrays_apart;
    const struct machine_range range = {.address = address,
                                        .bytes = array->size,
                                        .host = array->bytes,
                                        .kind = MACHINE_DEVICE,
                                        .name = parameter->name};
    memcpy(k->parameters + parameter->offset, &address, 8);
    return machine_memory_add(memory, &range, given.contents == GIVEN_UNWRITTEN, &k->error);
}

static bool make_number(struct kernels *k, const struct kernelc_kernel *kernel, unsigned index,
                        const char *text)
{
    const struct kernelc_parameter *parameter = &kernel->parameter[index];
    const uint32_t size = (uint32_t)parameter->size;
    struct given_type type = {parameter->is_float && size == 8   ? GIVEN_F64
                              : parameter->is_float && size == 4 ? GIVEN_F32
                                                                 : GIVEN_SIGNED,
                              size, 1, size};
    struct given_type named;
    struct given_number number;
    struct error none = {{0}};
    if (given_type(NULL, given_trim(parameter->type, parameter->type + strlen(parameter->type)),
                   &named) &&
        named.bytes == size && named.parts == 1)
        type = named; /* half */
    if (parameter->size > 8 || parameter->is_pointer ||
        !given_number(NULL, given_trim(text, text + strlen(text)), &number, &none))
        return error_set(&k->error, "parameter '%s' of type '%s' cannot be '%.40s'",
                         parameter->name, parameter->type, text);
    given_put(&type, &number, k->parameters + parameter->offset);
    return true;
}

/* ---- the launch ------------------------------------------------------------------------------------- */

static bool take_sizes(const char *line, uint32_t size[3], struct error *error)
{
    long long x = 0, y = 0, z = 0;
    if (sscanf(line, "%*s %lld %lld %lld", &x, &y, &z) != 3 || x < 1 || y < 1 || z < 1 ||
        x > INT32_MAX || y > 65535 || z > 65535)
        return error_set(error, "'%.60s': a size has three numbers from 1", line);
    size[0] = (uint32_t)x, size[1] = (uint32_t)y, size[2] = (uint32_t)z;
    return true;
}

/* One line of words. */
static bool take_line(struct kernels *k, struct machine_memory *memory, const char *line,
                      struct machine_launch *launch, const struct kernelc_kernel **kernel)
{
    char word[16] = "", how[64] = "";
    unsigned index = 0;
    long long number = 0;
    sscanf(line, "%15s", word);
    sscanf(line, "%*s %lld", &number);
    if (!strcmp(word, "kernel")) {
        if (number < 0 || number >= k->compiled.kernels)
            return error_set(&k->error, "there is no kernel %lld", number);
        *kernel = &k->compiled.kernel[number];
    } else if (!strcmp(word, "grid") || !strcmp(word, "block")) {
        return take_sizes(line, word[0] == 'g' ? launch->grid : launch->block, &k->error);
    } else if (!strcmp(word, "shared") && number >= 0 && number <= MACHINE_SHARED) {
        launch->dynamic_shared = (uint32_t)number;
    } else if (!strcmp(word, "warp") && number >= 1 && number <= MACHINE_LANES) {
        launch->warp = (int)number;
    } else if (!strcmp(word, "banks") && number >= 1 && number <= MAX_WARP) {
        launch->banks = (int)number;
    } else if (!strcmp(word, "limit") && number >= 1) {
        launch->instruction_limit = (uint64_t)number;
    } else if (*kernel && sscanf(line, "%*s %u %63s", &index, how) == 2 &&
               index < (unsigned)(*kernel)->parameters && index < MOST_PARAMETERS) {
        if (!strcmp(word, "number"))
            return make_number(k, *kernel, index, how);
        if (!strcmp(word, "array") && sscanf(line, "%*s %*u %lld %63s", &number, how) == 2)
            return make_array(k, memory, *kernel, index, number < 0 ? 0 : (uint64_t)number, how);
        return error_set(&k->error, "'%.60s' is not understood", line);
    } else {
        return error_set(&k->error, "'%.60s' is not understood", line);
    }
    return true;
}

static bool take_words(struct kernels *k, struct machine_memory *memory, char *words,
                       struct machine_launch *launch, const struct kernelc_kernel **kernel)
{
    for (char *line = words, *next; line && *line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        if (*line && !take_line(k, memory, line, launch, kernel))
            return false;
    }
    if (!*kernel)
        return error_set(&k->error, "no kernel is named");
    const uint64_t blocks = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    if (blocks > MAX_BLOCKS)
        return error_set(&k->error, "%" PRIu64 " blocks are more than a picture shows: %d", blocks,
                         MAX_BLOCKS);
    for (int i = 0; i < (*kernel)->parameters; i++)
        if ((*kernel)->parameter[i].is_pointer && (i >= MOST_PARAMETERS || !k->array[i].bytes))
            return error_set(&k->error, "parameter '%s' needs an array",
                             (*kernel)->parameter[i].name);
    return true;
}

static void hear_fault(void *context, const struct machine_fault *fault)
{
    struct kernels *k = context;
    if (k->faults < MOST_FAULTS)
        k->fault[k->faults++] = *fault;
}

static void hear_print(void *context, const char *text, size_t length)
{
    struct kernels *k = context;
    const size_t room = MOST_PRINTED - k->print_length;
    const size_t count = length < room ? length : room;
    memcpy(k->printed + k->print_length, text, count);
    k->print_length += count;
    k->printed[k->print_length] = '\0';
}

/* The observer has one context for all: the recording's is behind the kernels'. */
struct heard {
    struct kernels *kernels;
    struct kernel_recording recording;
};
static void on_fault(void *context, const struct machine_fault *fault)
{
    hear_fault(((struct heard *)context)->kernels, fault);
}
static void on_print(void *context, const char *text, size_t length)
{
    hear_print(((struct heard *)context)->kernels, text, length);
}
static bool on_wants(void *context, uint64_t block)
{
    return kernel_recording_wants(&((struct heard *)context)->recording, block);
}
static void on_access(void *context, const struct machine_access *access)
{
    kernel_recording_access(&((struct heard *)context)->recording, access);
}
static void on_stage(void *context, uint64_t block, uint32_t warp, const char *name, size_t length)
{
    kernel_recording_stage(&((struct heard *)context)->recording, block, warp, name, length);
}
static void on_round(void *context, uint64_t block, uint32_t warp, int64_t round)
{
    kernel_recording_round(&((struct heard *)context)->recording, block, warp, round);
}

/* ---- what a launch tells ------------------------------------------------------------------------------ */

static const char *array_name(const struct kernels *k, const char *symbol)
{
    for (int i = 0; i < k->compiled.arrays; i++)
        if (symbol && !strcmp(k->compiled.array[i].symbol, symbol))
            return k->compiled.array[i].name;
    for (int i = 0; symbol && i < k->compiled.kernels; i++) {
        const struct kernelc_kernel *kernel = &k->compiled.kernel[i];
        const size_t length = strlen(kernel->symbol);
        int number = -1;
        if (!strncmp(symbol, kernel->symbol, length) &&
            sscanf(symbol + length, "_param_%d", &number) == 1 && number >= 0 &&
            number < kernel->parameters)
            return kernel->parameter[number].name;
    }
    return symbol ? symbol : "";
}

static void put_accesses(FILE *file, const struct kernels *k, const struct machine_module *module,
                         const struct machine_kernel *kernel, const struct machine_outcome *outcome)
{
    bool first = true;
    fputs(",\"accesses\":[", file);
    for (int i = 0; i < outcome->counts; i++) {
        const struct machine_count *count = &outcome->count[i];
        struct machine_access_facts facts;
        machine_kernel_access(kernel, i, &facts);
        if (!count->instructions)
            continue;
        fprintf(
            file,
            "%s{\"line\":%d,\"global\":%d,\"bytes\":%d,\"instructions\":%" PRIu64
            ",\"lanes\":%" PRIu64 ",\"passes\":%" PRIu64 ",\"conflicts\":%" PRIu64 ",\"ways\":%u",
            first ? "" : ",", kernel_line(module, facts.site), facts.global, facts.bytes,
            count->instructions, count->lanes, count->passes, count->conflicts, count->max_ways);
        kernels_put_name(file, ",\"op\"", op_name(facts.op));
        kernels_put_name(file, ",\"array\"", array_name(k, facts.array));
        fputc('}', file);
        first = false;
    }
    fputc(']', file);
}

/* A fault's text, in which arrays are called as in the source. */
static void put_fault_text(FILE *file, const struct kernels *k, const char *text)
{
    char named[sizeof k->fault->text];
    size_t length = 0;
    while (*text && length + 1 < sizeof named) {
        const struct kernelc_array *array = NULL;
        for (int i = 0; i < k->compiled.arrays && !array; i++)
            if (!strncmp(text, k->compiled.array[i].symbol, strlen(k->compiled.array[i].symbol)))
                array = &k->compiled.array[i];
        const char *name = array ? array->name : text;
        const size_t count = array ? strlen(name) : 1;
        if (length + count >= sizeof named)
            break;
        memcpy(named + length, name, count);
        length += count;
        text += array ? strlen(array->symbol) : 1;
    }
    named[length] = '\0';
    kernels_put_name(file, ",\"text\"", named);
}

static void put_faults(FILE *file, const struct kernels *k, const struct machine_module *module)
{
    fputs(",\"faults\":[", file);
    for (int i = 0; i < k->faults; i++) {
        const struct machine_fault *fault = &k->fault[i];
        kernels_put_name(file, i ? ",{\"kind\"" : "{\"kind\"", machine_fault_name(fault->kind));
        put_fault_text(file, k, fault->text);
        fprintf(file, ",\"line\":%d,\"other\":%d,\"ends\":%d,\"count\":%" PRIu64 "}",
                kernel_line(module, fault->site), kernel_line(module, fault->other_site),
                machine_fault_ends(fault->kind), fault->count);
    }
    fputc(']', file);
}

static void put_element(FILE *file, const uint8_t *at, bool real, int bytes)
{
    float single;
    double number;
    int64_t whole = 0;
    if (real && bytes == 4) {
        memcpy(&single, at, 4);
        number = single;
    } else if (real && bytes == 8) {
        memcpy(&number, at, 8);
    } else {
        memcpy(&whole, at, bytes < 8 ? (size_t)bytes : 8);
        const int shift = bytes < 8 ? 64 - 8 * bytes : 0;
        fprintf(file, "\"%" PRId64 "\"", (int64_t)((uint64_t)whole << shift) >> shift);
        return;
    }
    fprintf(file, "\"%.6g\"", number);
}

static void put_arrays(FILE *file, const struct kernels *k, const struct kernelc_kernel *kernel)
{
    bool first = true;
    fputs(",\"arrays\":[", file);
    for (int i = 0; i < kernel->parameters && i < MOST_PARAMETERS; i++) {
        const struct array *array = &k->array[i];
        char type[200];
        bool real;
        int part;
        if (!array->bytes || !pointee(kernel->parameter[i].type, type, sizeof type))
            continue;
        scalar_of(type, (int)(array->size / array->count), &real, &part);
        kernels_put_name(file, first ? "{\"name\"" : ",{\"name\"", kernel->parameter[i].name);
        fprintf(file, ",\"parts\":%" PRIu64 ",\"values\":[", array->size / (uint64_t)part);
        for (uint64_t j = 0; j < array->size / (uint64_t)part && j < MOST_SHOWN; j++) {
            fputs(j ? "," : "", file);
            put_element(file, array->bytes + j * (uint64_t)part, real, part);
        }
        fputs("]}", file);
        first = false;
    }
    fputc(']', file);
}

static void put_outcome(struct kernels *k, const struct heard *heard,
                        const struct machine_module *module, const struct machine_kernel *kernel,
                        const struct machine_outcome *outcome)
{
    size_t ignored;
    FILE *file = kernels_text(k, &ignored);
    fprintf(file,
            "{\"good\":%d,\"blocks\":%" PRIu64 ",\"kept\":%" PRIu64 ",\"instructions\":%" PRIu64
            ",\"lanes\":%" PRIu64,
            outcome->good, outcome->blocks, heard->recording.blocks, outcome->instructions,
            outcome->lane_instructions);
    put_accesses(file, k, module, kernel, outcome);
    put_faults(file, k, module);
    put_arrays(file, k, heard->recording.of);
    kernels_put_name(file, ",\"printed\"", k->printed);
    fputc('}', file);
    fclose(file);
}

/* ---- running ------------------------------------------------------------------------------------------ */

static bool run_launch(struct kernels *k, struct heard *heard, struct machine_launch *launch,
                       struct machine_module *module)
{
    struct kernel_recording *recording = &heard->recording;
    struct machine_outcome outcome;
    struct trace_sink sink = trace_bytes_sink(&k->recorded);
    launch->kernel = machine_kernel(module, recording->of->symbol);
    if (!launch->kernel)
        return error_set(&k->error, "kernel '%s' is not in its own code", recording->of->name);
    recording->module = module;
    recording->kernel = launch->kernel;
    struct machine_run *running = machine_begin(launch, &k->error);
    if (!running)
        return false;
    machine_work(running);
    machine_end(running, &outcome);
    put_outcome(k, heard, module, launch->kernel, &outcome);
    const bool good = kernel_recording_put(recording, outcome.good, &sink, &k->error);
    machine_free_run(running);
    return good;
}

static void forget_kernels(struct kernels *k)
{
    for (int i = 0; i < MOST_PARAMETERS; i++)
        free(k->array[i].bytes);
    memset(k->array, 0, sizeof k->array);
    memset(k->parameters, 0, sizeof k->parameters);
    free(k->recorded.byte);
    k->recorded = (struct trace_bytes){.byte = NULL};
    k->faults = 0;
    k->print_length = 0;
    k->printed[0] = '\0';
}

/* Runs a kernel of what was compiled, as the words in the room say: {"good", "blocks", "kept" (how many of
 * them the picture has), "accesses", "faults", "arrays", "printed", ...}; the trace is at kernels_bytes.
 * NULL: kernels_error says why not. */
EXPORT(run) const char *kernels_run(struct kernels *k)
{
    struct heard heard = {.kernels = k};
    const struct machine_observer observer = {.context = &heard,
                                              .fault = on_fault,
                                              .print = on_print,
                                              .wants = on_wants,
                                              .access = on_access,
                                              .stage = on_stage,
                                              .round = on_round};
    struct machine_launch launch = {.grid = {1, 1, 1},
                                    .block = {32, 1, 1},
                                    .parameters = k->parameters,
                                    .warp = 32,
                                    .banks = 32,
                                    .bank_bytes = 4,
                                    .count = true,
                                    .check = true,
                                    .global = true,
                                    .instruction_limit = 100000000,
                                    .observer = &observer};
    forget_kernels(k);
    if (!k->compiled.ptx) {
        error_set(&k->error, "nothing is compiled");
        return NULL;
    }
    const struct machine_text text = {k->compiled.ptx, k->compiled.length, "kernel.ptx"};
    struct machine_memory *memory = machine_memory_new(&heap_allocator);
    struct machine_module *module = NULL;
    heard.recording = (struct kernel_recording){.compiled = &k->compiled,
                                                .launch = &launch,
                                                .source = {{"kernel.cu", k->source, "kernel.cu"}},
                                                .lanes_most = MOST_LANES};
    bool good = memory ? true : error_set(&k->error, "there is no memory for a launch");
    good = good && take_words(k, memory, k->room, &launch, &heard.recording.of);
    good = good && (module = machine_load(memory, &text, 1, &k->error));
    good = good && run_launch(k, &heard, &launch, module);
    kernel_recording_free(&heard.recording);
    if (module)
        machine_unload(module);
    machine_memory_free(memory);
    return good ? k->text : NULL;
}
