/* run.c - runs a kernel of an exercise on the machine: arrays and parameters by their names. */
#include "grade/run.h"

#include "base/text.h"
#include "instrument/trace.h"

#include <string.h>

static const uint64_t arrays_begin = UINT64_C(1) << 40, arrays_apart = UINT64_C(1) << 32;

uint64_t grade_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* ---- compiling ------------------------------------------------------------------------------------- */

bool grade_compile(const struct allocator *allocator, const struct grade_text *text,
                   const struct grade_text *part, struct kernelc_result *compiled)
{
    const struct kernelc_job job = {
        .allocator = allocator,
        .source = {GRADE_EXERCISE_FILE, text->text, text->length},
        .part = {GRADE_PART_FILE, part ? part->text : NULL, part ? part->length : 0},
        .memory_limit = 64 << 20,
        .work_limit = 4000000};
    return kernelc_compile(&job, compiled);
}

char *grade_placed(const struct allocator *allocator, const struct grade_source *source,
                   size_t *length)
{
    const size_t before = (size_t)source->first_line - 1;
    char *text = allocator->resize(allocator->context, NULL, 0, before + source->part.length + 1);
    if (!text)
        return NULL;
    memset(text, '\n', before);
    memcpy(text + before, source->part.text, source->part.length);
    *length = before + source->part.length;
    text[*length] = '\0';
    return text;
}

/* ---- memory --------------------------------------------------------------------------------------- */

static void *resize(void *context, void *pointer, size_t old_size, size_t size)
{
    struct grade_memory *memory = context;
    if (size > old_size && size - old_size > memory->most - memory->used)
        return NULL;
    void *got = memory->from->resize(memory->from->context, pointer, old_size, size);
    if (got || !size)
        memory->used += size - old_size;
    else
        memory->refused = true;
    return got;
}

struct allocator grade_allocator(struct grade_memory *memory)
{
    return (struct allocator){resize, memory};
}

/* ---- cases ---------------------------------------------------------------------------------------- */

void grade_case_show(const struct grade_case *of, char *text, size_t room)
{
    *text = '\0';
    for (int i = 0; i < of->table->parameters; i++)
        text_add(text, room, "%s=%d ", of->table->parameter[i].name, of->value[i]);
    text_add(text, room, "seed=%llu", (unsigned long long)of->seed);
}

int grade_case_warp(const struct grade_case *of)
{
    const int w = grade_parameter(of->table, "w");
    return w < 0 ? 32 : of->value[w];
}

bool grade_words_new(const struct grade_case *of, const struct allocator *allocator,
                     struct grade_words *words, struct error *error)
{
    *words = (struct grade_words){.allocator = allocator};
    for (int i = 0; i < of->table->arrays; i++) {
        const int count = grade_size(&of->table->array[i].words, of->value);
        words->word[i] = allocator->resize(allocator->context, NULL, 0, (size_t)count * 4);
        if (!words->word[i])
            return error_set(error, "out of memory for %d words of an array", count);
        memset(words->word[i], 0, (size_t)count * 4);
        words->count[i] = count;
    }
    return true;
}

void grade_words_free(struct grade_words *words)
{
    for (int i = 0; i < GRADE_ARRAYS; i++)
        if (words->word[i])
            words->allocator->resize(words->allocator->context, words->word[i],
                                     (size_t)words->count[i] * 4, 0);
    *words = (struct grade_words){.allocator = NULL};
}

void grade_words_copy(const struct grade_table *table, struct grade_words *words,
                      const struct grade_words *from, bool choices)
{
    for (int i = 0; i < table->arrays; i++)
        if (choices ? table->array[i].is_choice : !table->array[i].is_output)
            memcpy(words->word[i], from->word[i], (size_t)words->count[i] * 4);
}

void grade_words_random(const struct grade_table *table, struct grade_words *words, bool outputs,
                        uint64_t seed)
{
    for (int i = 0; i < table->arrays; i++)
        for (int k = 0; table->array[i].is_output == outputs && k < words->count[i]; k++)
            words->word[i][k] = (uint32_t)(grade_random(&seed) >> 33);
}

/* ---- a launch ------------------------------------------------------------------------------------- */

uint64_t grade_address(int array)
{
    return arrays_begin + (uint64_t)array * arrays_apart;
}

static bool add_arrays(const struct grade_case *of, struct machine_memory *memory,
                       struct grade_words *words, bool teachers, struct error *error)
{
    for (int i = 0; i < of->table->arrays; i++) {
        const struct grade_array *array = &of->table->array[i];
        const bool undefined = array->is_output && !(teachers && array->is_choice);
        const struct machine_range range = {.address = grade_address(i),
                                            .bytes = (uint64_t)words->count[i] * 4,
                                            .host = (uint8_t *)words->word[i],
                                            .kind = MACHINE_DEVICE,
                                            .read_only = !array->is_output && !teachers,
                                            .name = array->name};
        if (!machine_memory_add(memory, &range, undefined, error))
            return false;
    }
    return true;
}

/* Its value: an array's address, a parameter's number, the seed. */
static bool value_of(const struct grade_case *of, const struct kernelc_parameter *parameter,
                     uint64_t *value)
{
    const struct grade_table *table = of->table;
    const int number = grade_parameter(table, parameter->name);
    for (int i = 0; i < table->arrays; i++)
        if (parameter->is_pointer && !strcmp(table->array[i].name, parameter->name)) {
            *value = grade_address(i);
            return true;
        }
    if (parameter->is_pointer || parameter->is_float || parameter->size > 8)
        return false;
    *value = number >= 0 ? (uint64_t)of->value[number] : of->seed;
    return number >= 0 || !strcmp(parameter->name, "seed");
}

static bool fill_parameters(const struct grade_case *of, const struct kernelc_kernel *kernel,
                            uint8_t *bytes, size_t room, struct error *error)
{
    for (int i = 0; i < kernel->parameters; i++) {
        const struct kernelc_parameter *parameter = &kernel->parameter[i];
        uint64_t value;
        if ((size_t)parameter->offset + 8 > room || !parameter->name ||
            !value_of(of, parameter, &value))
            return error_set(
                error, "the exercise's table says nothing of '%s', a parameter of kernel '%s'",
                parameter->name ? parameter->name : "", kernel->name);
        memcpy(bytes + parameter->offset, &value, (size_t)parameter->size);
    }
    return true;
}

static const struct kernelc_kernel *kernel_called(const struct kernelc_result *code,
                                                  const char *name)
{
    for (int i = 0; i < code->kernels; i++)
        if (!strcmp(code->kernel[i].name, name))
            return &code->kernel[i];
    return NULL;
}

static bool grade_has_kernel(const struct kernelc_result *code, const char *kernel)
{
    return kernel_called(code, kernel) != NULL;
}

void grade_tell_fault(struct grade_outcome *outcome, const struct machine_module *module,
                      const struct machine_fault *fault)
{
    struct machine_site site;
    if (outcome->why[0] || fault->kind == MACHINE_FAULT_LANES)
        return;
    snprintf(outcome->why, sizeof outcome->why, "%s: ", machine_fault_name(fault->kind));
    if (fault->site >= 0) {
        machine_module_site(module, fault->site, &site);
        if (!strcmp(site.file, GRADE_PART_FILE))
            text_add(outcome->why, sizeof outcome->why, "line %d: ", site.line);
    }
    text_add(outcome->why, sizeof outcome->why, "%s", fault->text);
}

/* What is heard of kernels that nobody looks at. */
struct heard {
    struct grade_outcome *outcome;
    const struct machine_module *module;
};
static void on_fault(void *context, const struct machine_fault *fault)
{
    const struct heard *heard = context;
    grade_tell_fault(heard->outcome, heard->module, fault);
}

static bool take_sizes(const struct grade_case *of, struct machine_launch *launch)
{
    const struct grade_table *table = of->table;
    const int grid = grade_size(&table->grid, of->value);
    const int block = grade_size(&table->block, of->value);
    const int shared = grade_size(&table->shared, of->value);
    if (grid < 1 || block < 1 || block > MACHINE_THREADS || shared < 0 || shared > MACHINE_SHARED)
        return false;
    launch->grid[0] = (uint32_t)grid;
    launch->block[0] = (uint32_t)block;
    launch->dynamic_shared = (uint32_t)shared;
    return true;
}

bool grade_case_fits(const struct grade_case *of)
{
    struct machine_launch launch;
    bool fits = grade_where(of->table, of->value) && take_sizes(of, &launch);
    for (int i = 0; i < of->table->arrays; i++)
        fits = fits && grade_size(&of->table->array[i].words, of->value) > 0;
    return fits;
}

static bool decode(struct machine_kernel *kernel, struct error *error)
{
    struct machine_kernel_facts facts;
    if (!machine_kernel_decode(kernel, error))
        return false;
    machine_kernel_facts(kernel, &facts);
    if (facts.local_bytes > GRADE_LOCAL)
        return error_set(error, "each thread has arrays of %u bytes of its own, at most %d",
                         facts.local_bytes, GRADE_LOCAL);
    return true;
}

static bool launch_it(const struct machine_launch *launch, struct grade_outcome *outcome,
                      struct error *error)
{
    struct machine_outcome ended;
    struct machine_run *run = machine_begin(launch, error);
    if (!run)
        return false;
    outcome->began = true;
    machine_work(run);
    machine_end(run, &ended);
    outcome->good = ended.good;
    outcome->instructions = ended.instructions + ended.charged;
    outcome->endless = !ended.good && ended.fault.kind == MACHINE_FAULT_LIMIT;
    if (outcome->endless)
        snprintf(outcome->why, sizeof outcome->why,
                 "it does not end within %llu instructions of warps: is there a loop without end?",
                 (unsigned long long)launch->instruction_limit);
    else if (!ended.good && !outcome->why[0]) /* no observer was told */
        snprintf(outcome->why, sizeof outcome->why, "%s",
                 ended.fault.text[0] ? ended.fault.text : "out of memory for its threads");
    machine_free_run(run);
    return true;
}

/* All but the memory and the module. */
static bool run_in(const struct grade_case *of, const struct kernelc_kernel *of_source,
                   struct machine_memory *memory, struct machine_module *module,
                   struct grade_words *words, const struct grade_watch *watch,
                   struct grade_outcome *outcome, struct error *error)
{
    uint64_t parameters[GRADE_ARRAYS + GRADE_NUMBERS + 1] = {0};
    struct heard heard = {outcome, module};
    struct machine_observer faults = {.context = &heard, .fault = on_fault};
    struct machine_kernel *kernel = machine_kernel(module, of_source->symbol);
    struct machine_launch launch = {.kernel = kernel,
                                    .grid = {1, 1, 1},
                                    .block = {1, 1, 1},
                                    .parameters = parameters,
                                    .warp = grade_case_warp(of),
                                    .banks = grade_case_warp(of),
                                    .bank_bytes = 4,
                                    .check = watch->check,
                                    .values = watch->values,
                                    .global = watch->observer != NULL,
                                    .heap_bytes = 4096,
                                    .instruction_limit = watch->limit,
                                    .observer = watch->observer ? watch->observer : &faults};
    if (!fill_parameters(of, of_source, (uint8_t *)parameters, sizeof parameters, error) ||
        !take_sizes(of, &launch) || !add_arrays(of, memory, words, watch->teachers, error) ||
        !decode(kernel, error) || (watch->begin && !watch->begin(watch->context, module, kernel)) ||
        !launch_it(&launch, outcome, error))
        return false;
    if (watch->end)
        watch->end(watch->context, &launch);
    return true;
}

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_$"

/* The array whose symbol, or else whose name, these letters are; NULL: none, or several of that name. */
static const struct kernelc_array *array_called(const struct kernelc_result *code,
                                                const char *letters, size_t length)
{
    const struct kernelc_array *named = NULL;
    int count = 0;
    for (int i = 0; i < code->arrays; i++) {
        const struct kernelc_array *array = &code->array[i];
        if (strlen(array->symbol) == length && !memcmp(array->symbol, letters, length))
            return array;
        if (strlen(array->name) == length && !memcmp(array->name, letters, length))
            named = array, count++;
    }
    return count == 1 ? named : NULL;
}

/* An array of global memory, which is called as the kernel's parameter; its type, "float" of "const float *", goes to type.
 * false: there is none of that name, or kernels have it with different types. */
static bool parameter_called(const struct kernelc_result *code, const char *letters, size_t length,
                             struct kernelc_array *array, char *type, size_t room)
{
    *array = (struct kernelc_array){.name = NULL, .type = type, .dimensions = 1};
    for (int k = 0; k < code->kernels; k++)
        for (int i = 0; i < code->kernel[k].parameters; i++) {
            const struct kernelc_parameter *parameter = &code->kernel[k].parameter[i];
            const char *from = parameter->type, *star = strrchr(from, '*');
            char element[80];
            if (!parameter->is_pointer || strlen(parameter->name) != length ||
                memcmp(parameter->name, letters, length) != 0)
                continue;
            from += strncmp(from, "const ", 6) ? 0 : 6;
            while (star && star > from && star[-1] == ' ')
                star--;
            snprintf(element, sizeof element, "%.*s", star ? (int)(star - from) : 0, from);
            if (array->name && strcmp(type, element) != 0)
                return false;
            snprintf(type, room, "%s", element);
            array->name = parameter->name;
        }
    return array->name;
}

/* Adds "tile[-1][3]" for a byte of an array, or beyond it; false: its elements are not known. */
static bool add_element(char *to, size_t room, const struct kernelc_array *array, long long byte)
{
    const int each = type_bytes(array->type);
    if (each <= 0 || (!array->dimensions && (byte < 0 || byte >= each)))
        return false;
    text_add_element(to, room, array->name, array->dimension, array->dimensions, false, byte, each);
    return true;
}

void grade_name_arrays(const struct kernelc_result *code, const char *text, char *to, size_t room)
{
    to[0] = '\0';
    while (*text) {
        long long byte;
        int used = 0;
        const bool place = sscanf(text, "byte %lld of %n", &byte, &used) == 1 && used;
        const char *name = text + (place ? used : 0);
        const size_t length = strspn(name, LETTERS);
        const struct kernelc_array *array = length ? array_called(code, name, length) : NULL;
        const bool global = !strncmp(name + length, " (", 2);
        const bool small = global || !strncmp(name + length, ", which has", 11);
        struct kernelc_array parameter;
        char type[80];
        if (place && global && strncmp(name + length, " (the variable", 14) != 0)
            array = parameter_called(code, name, length, &parameter, type, sizeof type) ? &parameter
                                                                                        : NULL;
        if (array && place && add_element(to, room, array, byte)) {
            if (small)
                text_add(to, room, ", byte %lld of %s", byte, array->name);
        } else if (array) {
            text_add(to, room, "%.*s%s", (int)(name - text), text, array->name);
        } else if (place || !length) {
            text_add(to, room, "%c", *text++);
            continue;
        } else {
            text_add(to, room, "%.*s", (int)length, name);
        }
        text = name + length;
    }
}

void grade_run(const struct grade_case *of, const struct kernelc_result *code, const char *kernel,
               struct grade_words *words, const struct allocator *allocator,
               const struct grade_watch *watch, struct grade_outcome *outcome)
{
    struct error error = {""};
    const struct machine_text text = {code->ptx, code->length, "part.ptx"};
    const struct kernelc_kernel *called = kernel_called(code, kernel);
    struct machine_memory *memory = machine_memory_new(allocator);
    struct machine_module *module = NULL;
    *outcome = (struct grade_outcome){.good = false};
    if (!memory)
        error_set(&error, "out of memory for the machine");
    else if (!called)
        error_set(&error, "there is no kernel '%s'", kernel);
    else
        module = machine_load(memory, &text, 1, &error);
    if (module)
        run_in(of, called, memory, module, words, watch, outcome, &error);
    char told[sizeof outcome->why];
    grade_name_arrays(code, outcome->why, told, sizeof told);
    memcpy(outcome->why, told, sizeof told);
    if (!outcome->began)
        snprintf(outcome->why, sizeof outcome->why, "%s",
                 error.text[0] ? error.text : "out of memory for a run");
    if (module)
        machine_unload(module);
    machine_memory_free(memory);
}

bool grade_words_prepare(const struct grade_case *of, const struct kernelc_result *grading,
                         struct grade_words *words, const struct allocator *allocator,
                         struct error *error)
{
    grade_words_random(of->table, words, false, of->seed);
    const bool good = !grade_has_kernel(grading, "prepare") ||
                      grade_run_teachers(of, grading, "prepare", words, allocator, error);
    grade_words_random(of->table, words, true, ~of->seed);
    return good;
}

bool grade_run_teachers(const struct grade_case *of, const struct kernelc_result *grading,
                        const char *kernel, struct grade_words *words,
                        const struct allocator *allocator, struct error *error)
{
    const struct grade_watch nobody = {.teachers = true, .limit = GRADE_INSTRUCTIONS};
    struct grade_outcome outcome;
    grade_run(of, grading, kernel, words, allocator, &nobody, &outcome);
    return outcome.good && !outcome.why[0]
               ? true
               : error_set(error, "the exercise's kernel '%s': %s", kernel, outcome.why);
}
