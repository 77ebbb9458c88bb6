/* alone.c - kernels without a host program: sources and launches (--call, --array), or files of PTX.
 *
 *     k.cu + launches --(clang | nvcc | small.c)--> PTX --+
 *     k.ptx, or text from standard input -----------------+--> launches checked --> words for launcher/launcher.c
 *
 * Everything is checked here against the PTX, before anything runs: so what is wrong is one line.
 */
#define _GNU_SOURCE /* realpath */
#include "base/text.h"
#include "program/alone.h"
#include "system/file.h"
#include "system/output.h"
#include "system/paths.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_TEXT = 1 << 30, MOST_STANDARD = 64 << 20 };

bool alone_is_ptx(const char *path)
{
    return text_ends_with(path, ".ptx");
}

bool alone_asked(const struct program_request *request)
{
    for (int i = 0; i < request->sources; i++)
        if (alone_is_ptx(request->source[i]) || !strcmp(request->source[i], "-"))
            return true;
    return request->calls.calls || request->calls.arrays;
}

/* ---- standard input ------------------------------------------------------------------------------------ */

/* Whether a text is PTX: its first line that is neither empty nor a comment says .version. */
static bool is_ptx_text(const char *text)
{
    for (;;) {
        text += strspn(text, " \t\r\n\f\v");
        if (!strncmp(text, "//", 2)) {
            text += strcspn(text, "\n");
        } else if (!strncmp(text, "/*", 2)) {
            const char *end = strstr(text, "*/");
            text = end ? end + 2 : text + strlen(text);
        } else {
            return !strncmp(text, ".version", 8);
        }
    }
}

static char *read_standard(struct error *error)
{
    char *text = NULL;
    size_t used = 0, room = 0, got;
    do {
        if (!memory_grow(&text, &room, used + 65536, 1, "bytes of standard input", error))
            break;
        got = fread(text + used, 1, room - used - 1, stdin);
        used += got;
    } while (got && used < MOST_STANDARD);
    if (used >= MOST_STANDARD)
        error_set(error, "standard input has more than %d MB", MOST_STANDARD >> 20);
    if (text)
        text[used] = '\0';
    if (!used)
        error_set(error, "standard input is empty: it must be PTX or CUDA");
    if (!*error->text)
        return text;
    free(text);
    return NULL;
}

/* Standard input becomes a file in the program's folder. */
static bool take_standard(struct alone *alone, const char **source)
{
    struct built_program *program = alone->program;
    char path[300];
    char *text = read_standard(alone->error);
    if (!text)
        return false;
    const bool ptx = is_ptx_text(text);
    snprintf(path, sizeof path, "%s/stdin.%s", program->folder, ptx ? "ptx" : "cu");
    FILE *file = fopen(path, "w");
    bool good = file && fputs(text, file) >= 0;
    if (file && fclose(file))
        good = false;
    free(text);
    program->alias = memory_copy(ptx ? "stdin.ptx" : "stdin.cu");
    *source = program->alias_path = memory_copy(path);
    return good || error_set(alone->error, "cannot write %s", path);
}

static bool take_sources(struct alone *alone)
{
    const struct program_request *request = alone->request;
    int ptx = 0;
    for (int i = 0; i < request->sources; i++) {
        alone->source[i] = request->source[i];
        if (!strcmp(request->source[i], "-") &&
            (alone->program->alias ? !error_set(alone->error, "standard input is one source")
                                   : !take_standard(alone, &alone->source[i])))
            return false;
        ptx += alone_is_ptx(alone->source[i]);
    }
    if (ptx && ptx < request->sources)
        return error_set(alone->error,
                         "sources and PTX are not launched together: give one of them");
    alone->ptx = ptx;
    return true;
}

/* ---- compiling ------------------------------------------------------------------------------------------ */

/* What is compiled behind a source, freed by the caller. */
/* typed: the launches once more, as call_put_typed has them. */
static char *compose(struct alone *alone, bool typed)
{
    char *text = NULL;
    size_t length;
    FILE *file = open_memstream(&text, &length);
    if (!file)
        memory_exhausted();
    call_compose(&alone->request->calls, &alone->names, file, alone->error);
    if (typed)
        call_put_typed(&alone->request->calls, file);
    if (fclose(file))
        memory_exhausted();
    return text;
}

/* The source with the launches behind it, as a file. */
static bool write_calls(struct alone *alone, const char *source, const char *path)
{
    char real[PATH_MAX], include[PATH_MAX];
    if (!realpath(source, real))
        return error_set(alone->error, "cannot read %s: %s", source, strerror(errno));
    if (!data_path("program/compile/include", include, sizeof include, alone->error))
        return false;
    FILE *file = fopen(path, "w");
    if (!file)
        return error_set(alone->error, "cannot write %s: %s", path, strerror(errno));
    char *text = compose(alone, false);
    fprintf(file, "#include \"%s\"\n#include \"%s/bankscope/call.h\"\n%s", real, include, text);
    free(text);
    return (fclose(file) == 0 || error_set(alone->error, "cannot write %s", path)) &&
           !*alone->error->text;
}

static bool compile_with_others(struct alone *alone, int first)
{
    const struct program_request *request = alone->request;
    struct built_program *program = alone->program;
    char path[300];
    const char *source[PROGRAM_MOST];
    memcpy(source, alone->source, sizeof source);
    snprintf(path, sizeof path, "%s/call.cu", program->folder);
    if (!write_calls(alone, source[first], path))
        return false;
    source[first] = path;
    const struct compile_request compile = {.source = source,
                                            .sources = request->sources,
                                            .word = request->word,
                                            .words = request->words,
                                            .with = request->with,
                                            .ptx_only = true,
                                            .names = true,
                                            .cubins = true};
    return compile_program(&program->compiled, &compile, alone->error);
}

/* Templates that calls name with their arguments. */
static int list_instances(const struct program_calls *calls, char *instance[CALLS_MOST])
{
    struct error none = {{0}};
    struct given_call call;
    int count = 0;
    for (int i = 0; i < calls->calls; i++)
        if (given_call_split(calls->call[i], &call, &none) &&
            memchr(call.kernel.at, '<', (size_t)call.kernel.length))
            instance[count++] = memory_copy_of(call.kernel.at, (size_t)call.kernel.length);
    return count;
}

static bool compile_small(struct alone *alone, int first)
{
    const struct program_request *request = alone->request;
    struct built_program *program = alone->program;
    char *instance[CALLS_MOST], include[PATH_MAX];
    size_t length;
    int instances = list_instances(&request->calls, instance);
    bool good = data_path("program/compile/include/bankscope/call.h", include, sizeof include,
                          alone->error);
    char *header = good ? file_read(include, MOST_TEXT, &length, alone->error) : NULL;
    char *calls = compose(alone, true);
    const size_t room = strlen(calls) + (header ? strlen(header) : 0) + 1;
    char *behind = memory_new(room, 1);
    snprintf(behind, room, "%s%s", header ? header : "", calls);
    program->compiled.unit = memory_new(PROGRAM_MOST, sizeof *program->compiled.unit);
    good = header && !*alone->error->text;
    for (int i = 0; i < request->sources && good; i++)
        good =
            small_compile(program, request, alone->source[i], i == first ? behind : "",
                          (const char *const *)instance, i == first ? instances : 0, alone->error);
    free(behind);
    free(calls);
    free(header);
    while (instances > 0)
        free(instance[--instances]);
    return good;
}

static void ask_which(struct alone *alone, const struct source_seen *seen)
{
    char proposal[1000];
    call_propose(seen, proposal, sizeof proposal);
    error_set(alone->error, "which kernel? For example %s",
              *proposal ? proposal : "--call 'k<<<1, 32>>>()'");
}

/* Whether there is any compiler but the small one. */
static bool have_compiler(void)
{
    struct compiler compiler;
    struct error none = {{0}};
    return compiler_find_nvcc(&compiler, &none) ||
           (none.text[0] = '\0', compiler_find_clang(&compiler, 0, &none));
}

static bool compile_sources(struct alone *alone)
{
    const struct program_request *request = alone->request;
    struct program_request scanned = *request;
    struct source_seen seen = {0};
    int first;
    memcpy(scanned.source, alone->source, sizeof scanned.source);
    bool good = request_scan(&scanned, &seen, &first, alone->error);
    if (good && seen.main)
        good = error_set(alone->error,
                         "%s has a main(), which launches its kernels; --call and --array are for "
                         "files that have none",
                         request->source[0]);
    else if (good && first < 0)
        good = error_set(alone->error, "--call: there is no source with kernels");
    else if (good && !request->calls.calls) {
        ask_which(alone, &seen);
        good = false;
    }
    good = good && call_check(&request->calls, seen.kernel_list, alone->error);
    const bool dialect = seen.dialect && !seen.kernels;
    bool small = request->with == COMPILE_SMALL || (dialect && request->with == COMPILE_ANY);
    if (good && dialect && !small)
        good = error_set(alone->error,
                         "%s is a kernel in the dialect, which only --compiler small compiles for "
                         "--call",
                         request->source[0]);
    if (good && request->with == COMPILE_ANY && !small && !have_compiler()) {
        small = true;
        snprintf(alone->program->compiled.note, sizeof alone->program->compiled.note,
                 "compiled by the kernel compiler, for there is neither clang nor nvcc");
    }
    good = good && (small ? compile_small(alone, first) : compile_with_others(alone, first));
    alone->list = seen.kernel_list;
    seen.kernel_list = NULL;
    seen_free(&seen);
    return good;
}

/* Files of PTX are units as they stand. */
static void take_ptx(struct alone *alone)
{
    struct compiled_program *compiled = &alone->program->compiled;
    compiled->unit = memory_new(PROGRAM_MOST, sizeof *compiled->unit);
    for (int i = 0; i < alone->request->sources; i++)
        compiled->unit[compiled->units++] =
            (struct compiled_unit){alone->source[i], memory_copy(alone->source[i]), NULL, NULL};
    snprintf(compiled->compiler, sizeof compiled->compiler, "PTX");
}

/* ---- the code ------------------------------------------------------------------------------------------- */

static bool load_code(struct alone *alone)
{
    struct compiled_program *compiled = &alone->program->compiled;
    struct machine_text text[PROGRAM_MOST];
    struct error ignored = {{0}};
    for (int i = 0; i < compiled->units; i++) {
        alone->text[i] = file_read(compiled->unit[i].ptx, MOST_TEXT, &text[i].length, alone->error);
        if (!alone->text[i])
            return false;
        text[i].text = alone->text[i];
        text[i].name = !alone->ptx             ? "the PTX"
                       : alone->program->alias ? alone->program->alias
                                               : compiled->unit[i].source;
        if (compiled->unit[i].names)
            source_names_read(&alone->source_names, compiled->unit[i].names, &ignored);
    }
    alone->memory = machine_memory_new(&heap_allocator);
    alone->module =
        alone->memory ? machine_load(alone->memory, text, compiled->units, alone->error) : NULL;
    return alone->module || error_set(alone->error, "there is no memory for the code");
}

/* The bytes of a variable of the module's. */
static bool variable(const struct alone *alone, const char *name, int number, void *to,
                     size_t bytes)
{
    char symbol[64];
    uint64_t address, size;
    snprintf(symbol, sizeof symbol, "%s%d", name, number);
    if (!machine_variable(alone->module, symbol, &address, &size) || size < bytes)
        return false;
    const struct machine_range *range = machine_memory_find(alone->memory, address);
    if (!range)
        return false;
    memcpy(to, range->host + (address - range->address), bytes);
    return true;
}

/* What the compiler says of what only the source knows. */
static bool learn(struct alone *alone)
{
    for (int i = 0; i < alone->names.rows; i++) {
        struct given_known *known = &alone->known[i];
        int32_t kind;
        int64_t whole;
        double real = 0;
        if (!variable(alone, CALL_KIND, i, &kind, sizeof kind) ||
            !variable(alone, CALL_WHOLE, i, &whole, sizeof whole) ||
            (!known->is_type && !variable(alone, CALL_REAL, i, &real, sizeof real)))
            return error_set(alone->error, "'%.*s' is no constant of the source's",
                             GIVEN_TEXT(known->text));
        if (known->is_type)
            known->type =
                (struct given_type){(enum given_format)kind, (uint32_t)whole, 1, (uint32_t)whole};
        else
            known->number = (struct given_number){kind & 2, real, whole, kind & 1 ? 8 : 4};
    }
    alone->names.collect = false;
    return true;
}

/* ---- launches --------------------------------------------------------------------------------------------- */

/* Parameters as the source has them, if it is one kernel of that name with as many; else NULL. */
static const char **declared(const struct alone *alone, const struct given_call *call, int count)
{
    const char *angle = memchr(call->kernel.at, '<', (size_t)call->kernel.length);
    const struct given_text name = given_last_name(
        given_trim(call->kernel.at, angle ? angle : call->kernel.at + call->kernel.length));
    for (char *line = alone->list; line && *line; line = strchr(line, '\n') + 1) {
        const char *end = strchr(line, '\n');
        int parameters = 0;
        if (strncmp(line, name.at, (size_t)name.length) != 0 || !strchr("\t\n<", line[name.length]))
            continue;
        for (const char *at = line; at < end; at++)
            parameters += *at == '\t';
        if (parameters != count)
            return NULL;
        const char **each = memory_new((size_t)count + 1, sizeof *each);
        const char *at = line + strcspn(line, "\t\n");
        for (int i = 0; i < count; i++) {
            const size_t length = strcspn(at + 1, "\t\n");
            each[i] = memory_copy_of(at + 1, length);
            at += 1 + length;
        }
        return each;
    }
    return NULL;
}

static void free_declared(const char **each, int count)
{
    for (int i = 0; each && i < count; i++)
        free((char *)(uintptr_t)each[i]);
    free(each);
}

static void add_word(struct built_program *program, const char *what, const char *text)
{
    const size_t room = strlen(what) + strlen(text) + 1;
    char *word = memory_new(room, 1);
    snprintf(word, room, "%s%s", what, text);
    program->word[program->words++] = word;
}

static bool check_call(struct alone *alone, const char *text)
{
    struct given_call call;
    struct machine_kernel_facts facts;
    if (!given_call_read(text, &alone->names, &call, alone->error))
        return false;
    struct machine_kernel *kernel = alone_kernel(alone, &call);
    if (!kernel || !machine_kernel_decode(kernel, alone->error))
        return false;
    machine_kernel_facts(kernel, &facts);
    const char **as_declared = declared(alone, &call, facts.parameters);
    uint8_t *parameters = memory_new(facts.parameter_bytes + 8, 1);
    const struct given_binding binding = {
        &call, &facts, alone->array, alone->request->calls.arrays, as_declared, &alone->names};
    const bool good = given_check_shape(&call, &facts, alone->error) &&
                      given_bind(&binding, parameters, alone->error);
    if (good) {
        const size_t room = strlen(text) + strlen(facts.name) + 1;
        char *named = memory_new(room, 1);
        snprintf(named, room, "%s%s", facts.name, strstr(text, "<<<"));
        add_word(alone->program, "call=", named);
        free(named);
    }
    free_declared(as_declared, facts.parameters);
    free(parameters);
    return good;
}

static bool check_array(struct alone *alone, int number, uint64_t *all)
{
    const char *text = alone->request->calls.array[number];
    struct given_array *array = &alone->array[number];
    if (!given_array_read(text, &alone->names, GIVEN_MOST, array, alone->error))
        return false;
    array->address = UINT64_C(1) << 40;
    *all += given_array_bytes(array);
    if (*all > GIVEN_MOST)
        return error_set(alone->error, "--array: the arrays up to %s have over %d MB together",
                         array->name, (int)(GIVEN_MOST >> 20));
    for (int i = 0; i < number; i++)
        if (!strcmp(alone->array[i].name, array->name))
            return error_set(alone->error, "--array: two arrays are called %s", array->name);
    if (array->contents == GIVEN_FILE) {
        char *path = memory_copy_of(array->file.at, (size_t)array->file.length);
        FILE *file = file_open(path, alone->error);
        if (file)
            fclose(file);
        free(path);
        if (!file)
            return false;
    }
    add_word(alone->program, "array=", text);
    return true;
}

/* "NAME\tfloat *p0\tint p1\n" of each kernel of the PTX, for proposals. */
static char *list_kernels(const struct alone *alone, struct source_seen *seen)
{
    struct machine_kernel *kernel;
    struct machine_kernel_facts facts;
    size_t length;
    char *list = NULL;
    FILE *file = open_memstream(&list, &length);
    if (!file)
        memory_exhausted();
    for (int i = 0; (kernel = machine_kernel_at(alone->module, i)) != NULL; i++) {
        machine_kernel_facts(kernel, &facts);
        if (!i)
            seen->threads = (int)(facts.required[0] * facts.required[1] * facts.required[2]);
        fputs(facts.name, file);
        for (int k = 0; k < facts.parameters; k++) {
            const struct machine_parameter *p = &facts.parameter[k];
            fprintf(file, "\t%sp%d",
                    *p->type == 'f'                   ? p->size == 8 ? "double " : "float "
                    : p->size == 8 && *p->type != 'f' ? "float *"
                                                      : "int ",
                    k);
        }
        fputc('\n', file);
    }
    if (fclose(file))
        memory_exhausted();
    seen->dynamic = false;
    for (int i = 0; i < alone->program->compiled.units; i++)
        seen->dynamic |= strstr(alone->text[i], ".extern .shared") != NULL;
    return list;
}

static bool check_all(struct alone *alone)
{
    const struct program_calls *calls = &alone->request->calls;
    struct built_program *program = alone->program;
    uint64_t bytes = 0;
    bool good = true;
    if (!calls->calls) {
        struct source_seen seen = {0};
        seen.kernel_list = list_kernels(alone, &seen);
        ask_which(alone, &seen);
        seen_free(&seen);
        return false;
    }
    for (int i = 0; i < alone->names.rows; i++) {
        char row[1000];
        given_known_print(&alone->known[i], row, sizeof row);
        add_word(program, "known=", row);
    }
    for (int i = 0; i < program->compiled.units; i++)
        add_word(program, alone->ptx ? "ptx=" : "code=", program->compiled.unit[i].ptx);
    for (int i = 0; i < calls->arrays && good; i++)
        good = check_array(alone, i, &bytes);
    for (int i = 0; i < calls->calls && good; i++)
        good = check_call(alone, calls->call[i]);
    return good;
}

/* Notes what only the source's compiler knows. */
static bool collect(struct alone *alone)
{
    const struct program_calls *calls = &alone->request->calls;
    struct given_call call;
    bool good = true;
    alone->names = (struct given_names){alone->known, 0, CALLS_KNOWN, !alone->ptx};
    for (int i = 0; i < calls->arrays && good && !alone->ptx; i++)
        good = given_array_read(calls->array[i], &alone->names, GIVEN_MOST, &alone->array[i],
                                alone->error);
    for (int i = 0; i < calls->calls && good && !alone->ptx; i++) {
        good = given_call_read(calls->call[i], &alone->names, &call, alone->error);
        if (good)
            given_collect(&alone->names, call.arguments, alone->array, calls->arrays);
    }
    return good;
}

bool alone_build(struct built_program *program, const struct program_request *request,
                 struct error *error)
{
    struct alone *alone = memory_new(1, sizeof *alone);
    struct machine_kernel_facts facts;
    *alone = (struct alone){.program = program, .request = request, .error = error};
    bool good = temporary_make(program->folder, sizeof program->folder, error) &&
                take_sources(alone) && collect(alone);
    if (good && alone->ptx)
        take_ptx(alone);
    else
        good = good && compile_sources(alone);
    good = good && load_code(alone) && learn(alone) && check_all(alone) &&
           library_path("launcher", program->compiled.executable,
                        sizeof program->compiled.executable, error);
    if (good && alone->ptx && machine_kernel_at(alone->module, 0)) {
        machine_kernel_facts(machine_kernel_at(alone->module, 0), &facts);
        program->compiled.capability = facts.target;
    }
    if (alone->module)
        machine_unload(alone->module);
    if (alone->memory)
        machine_memory_free(alone->memory);
    for (int i = 0; i < PROGRAM_MOST; i++)
        free(alone->text[i]);
    source_names_free(&alone->source_names);
    free(alone->list);
    free(alone);
    return good;
}
