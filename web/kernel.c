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
 *     array 0 4096 given  the same, its bytes at kernels_given
 *     number 1 64         parameter 1
 *     words 2 32 -1       parameter 2, a struct of int
 *     stages load,x_1 load x-1 x-2    what the source calls stages, and what the host does (kernels/)
 */
#include "web/kernel.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_ARRAYS = 256 << 20, /* bytes of all arrays */
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

void kernels_put_message(FILE *file, int number, int line, int column, const char *text)
{
    fprintf(file, "%s{\"line\":%d,\"column\":%d", number ? "," : "", line, column);
    kernels_put_name(file, ",\"text\"", text);
    fputc('}', file);
}

/* ---- compiling ------------------------------------------------------------------------------------- */

static void put_messages(FILE *file, const struct kernelc_result *compiled)
{
    fputs("\"messages\":[", file);
    for (int i = 0; i < compiled->messages; i++) {
        const struct kernelc_message *message = &compiled->message[i];
        kernels_put_message(file, i, message->line, message->column, message->text);
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

/* Takes a file that sources may include from the room: its name, a null byte and its text. */
EXPORT(file) bool kernels_file(struct kernels *k, size_t length)
{
    const size_t name = strlen(k->room);
    if (name >= length || k->files == MOST_FILES)
        return false;
    char *copy = memory_new(length + 1, 1);
    memcpy(copy, k->room, length);
    k->file[k->files++] = (struct kernelc_source){copy, copy + name + 1, length - name - 1};
    return true;
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
                                    .include = k->file,
                                    .includes = k->files,
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

/* Room for the elements of an array that is given. NULL: there is not so much memory. */
EXPORT(given) void *kernels_given(struct kernels *k, size_t bytes)
{
    free(k->given);
    k->given = memory_array(bytes, 1, "bytes of an array", &k->error);
    k->given_bytes = k->given ? bytes : 0;
    return k->given;
}

/* The elements of an array after the launch. */
EXPORT(array) const void *kernels_array(const struct kernels *k, unsigned index)
{
    return index < MOST_PARAMETERS ? k->array[index].bytes : NULL;
}

bool kernels_pointee(const char *type, char *name, size_t size)
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
    if (!kernels_pointee(parameter->type, type, sizeof type) || array->bytes)
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
             !strcmp(how, "random")  ? "random 1000"
             : !strcmp(how, "given") ? "zero"
                                     : how);
    if (!given_array_read(text, NULL, MOST_ARRAYS - all, &given, &k->error))
        return false;
    array->count = count;
    array->size = given_array_bytes(&given);
    array->bytes = memory_array(array->size, 1, "bytes of an array", &k->error);
    if (!array->bytes)
        return false;
    given_array_fill(&given, array->bytes);
    if (!strcmp(how, "given") && k->given)
        memcpy(array->bytes, k->given, array->size < k->given_bytes ? array->size : k->given_bytes);
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

/* The members of a struct of int, between blanks. */
static bool make_words(struct kernels *k, const struct kernelc_kernel *kernel, unsigned index,
                       const char *text)
{
    const struct kernelc_parameter *parameter = &kernel->parameter[index];
    int32_t word;
    int at = 0, length;
    for (; at < parameter->size && sscanf(text, "%" SCNd32 "%n", &word, &length) == 1; at += 4) {
        memcpy(k->parameters + parameter->offset + at, &word, 4);
        text += length;
    }
    return at == parameter->size ||
           error_set(&k->error, "parameter '%s' of type '%s' has not %d members", parameter->name,
                     parameter->type, at / 4);
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
    } else if (!strcmp(word, "stages")) {
        k->stages = line + strlen("stages ");
    } else if (!strcmp(word, "limit") && number >= 1) {
        launch->instruction_limit = (uint64_t)number;
    } else if (*kernel && sscanf(line, "%*s %u %63s", &index, how) == 2 &&
               index < (unsigned)(*kernel)->parameters && index < MOST_PARAMETERS) {
        if (!strcmp(word, "words"))
            return make_words(k, *kernel, index, strstr(line, how));
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
/* What the host calls a stage: "store_1-4" is the fourth behind store_1, the last one that the source names.
 * "load,store_1 load store-1 store-2": first those of the source, then the host's. */
static const char *host_stage(const char *stages, const char *name, size_t *length)
{
    const char *host = stages + strcspn(stages, " ");
    for (int number = 0; stages < host; number++) {
        const size_t named = strcspn(stages, ", ");
        const bool numbered = stages + named == host && *length > named && name[named] == '-';
        if (*length >= named && !memcmp(stages, name, named) && (*length == named || numbered)) {
            for (number += numbered ? atoi(name + named + 1) : 0; number && *host; number--)
                host += 1 + strcspn(host + 1, " ");
            if (!*host)
                break;
            *length = strcspn(host + 1, " ");
            return host + 1;
        }
        stages += named + (stages + named < host);
    }
    return name;
}
static void on_stage(void *context, uint64_t block, uint32_t warp, const char *name, size_t length)
{
    const char *stages = ((struct heard *)context)->kernels->stages;
    if (stages)
        name = host_stage(stages, name, &length);
    kernel_recording_stage(&((struct heard *)context)->recording, block, warp, name, length);
}
static void on_array(void *context, uint64_t block, uint32_t warp, const char *text, size_t length)
{
    (void)block;
    (void)warp;
    kernel_recording_array(&((struct heard *)context)->recording, text, length);
}
static void on_round(void *context, uint64_t block, uint32_t warp, int64_t round)
{
    kernel_recording_round(&((struct heard *)context)->recording, block, warp, round);
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
    kernels_tell(k, recording, &outcome);
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
    k->stages = NULL;
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
                                              .array = on_array,
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
                                    .values = true,
                                    .instruction_limit = 100000000,
                                    .stack_bytes = MACHINE_STACK,
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
