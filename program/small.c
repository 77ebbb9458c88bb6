/* small.c - kernels by the compiler that is a part of this program (kernelc/): files in, a unit of PTX with its names
 * out. No other program is needed. */
#include "program/program.h"
#include "program/compile/names.h"
#include "kernelc/kernelc.h"
#include "system/file.h"
#include "system/paths.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_SOURCE = 16 << 20, MOST_INCLUDES = 256, MOST_PATH = 4096, CAPABILITY = 90 };

/* What a source includes of the user's own files, by the name that it has there. */
struct included {
    struct kernelc_source file[MOST_INCLUDES];
    char *folder[MOST_INCLUDES]; /* that the file is in */
    int files;
    const struct program_request *request;
    bool dialect;
};

static void folder_of(const char *path, char *folder, size_t room)
{
    const char *slash = strrchr(path, '/');
    if (slash)
        snprintf(folder, room, "%.*s", (int)(slash - path), path);
    else
        snprintf(folder, room, ".");
}

static bool is_known(const struct included *included, const char *name, int length)
{
    for (int i = 0; i < included->files; i++)
        if (strlen(included->file[i].name) == (size_t)length &&
            !memcmp(included->file[i].name, name, (size_t)length))
            return true;
    return false;
}

/* Reads it if it is there. */
static bool take_file(struct included *included, const char *folder, const char *name, int length)
{
    char path[MOST_PATH];
    struct error none = {{0}};
    if (snprintf(path, sizeof path, "%s/%.*s", folder, length, name) >= (int)sizeof path ||
        !file_is_regular(path))
        return false;
    struct kernelc_source *file = &included->file[included->files];
    file->text = file_read(path, MOST_SOURCE, &file->length, &none);
    if (!file->text || file->length > MOST_SOURCE) {
        free((char *)(uintptr_t)file->text);
        return false;
    }
    file->name = memory_copy_of(name, (size_t)length);
    char *slash = strrchr(path, '/'); /* there is one: of its folder */
    *slash = '\0';
    included->folder[included->files++] = memory_copy(path);
    return true;
}

static void take_include(struct included *included, const char *folder, const char *name,
                         int length)
{
    const struct program_request *request = included->request;
    if (!length || length > 1000 || included->files == MOST_INCLUDES ||
        is_known(included, name, length) || take_file(included, folder, name, length))
        return;
    for (int i = 0; i < request->words; i++) {
        const char *word = request->word[i];
        if (strncmp(word, "-I", 2) != 0)
            continue;
        const char *path = word[2] ? word + 2 : i + 1 < request->words ? request->word[i + 1] : "";
        if (*path && take_file(included, path, name, length))
            return;
    }
    char ours[MOST_PATH]; /* what a kernel in the dialect includes */
    struct error none = {{0}};
    if (included->dialect && data_path("", ours, sizeof ours, &none))
        take_file(included, ours, name, length);
}

/* All that #include "..." and <...> name, as far as it is there: what is not used does no harm. */
static void take_includes(struct included *included, const char *text, const char *folder)
{
    for (const char *at = text; (at = strstr(at, "include")) != NULL;) {
        at += strlen("include");
        const char *from = at + strspn(at, " \t");
        if (*from != '"' && *from != '<')
            continue;
        const char *end = strpbrk(from + 1, *from == '"' ? "\"\n" : ">\n");
        if (end && *end != '\n')
            take_include(included, folder, from + 1, (int)(end - from - 1));
    }
}

static void free_included(struct included *included)
{
    for (int i = 0; i < included->files; i++) {
        free((char *)(uintptr_t)included->file[i].name);
        free((char *)(uintptr_t)included->file[i].text);
        free(included->folder[i]);
    }
}

/* ---- what comes out ------------------------------------------------------------------------------------ */

/* What is wrong in the launches, which stand behind the source's lines and several times, is told once. */
static void put_messages(const struct kernelc_result *result, const char *source, int lines,
                         char **messages)
{
    bool told = false;
    size_t length;
    FILE *file = open_memstream(messages, &length);
    if (!file)
        memory_exhausted();
    for (int i = 0; i < result->messages; i++) {
        const struct kernelc_message *message = &result->message[i];
        if (message->line > lines && !strcmp(message->file, source)) {
            if (!told)
                fprintf(file,
                        "--call: error: %s (a launch names arrays as they are: what they are of, "
                        "--array says)\n",
                        message->text);
            told = true;
        } else if (message->line)
            fprintf(file, "%s:%d:%d: error: %s\n", message->file, message->line, message->column,
                    message->text);
        else
            fprintf(file, "error: %s\n", message->text);
    }
    if (fclose(file))
        memory_exhausted();
}

/* The parameters, by the names that the PTX gives them. */
static bool add_parameters(struct source_names *names, const struct kernelc_kernel *kernel,
                           const char *source, struct error *error)
{
    for (int i = 0; i < kernel->parameters; i++) {
        const struct kernelc_parameter *from = &kernel->parameter[i];
        const size_t room = strlen(kernel->symbol) + 30;
        char type[200], *symbol, *star;
        if (!memory_grow(&names->variable, &names->variable_room, names->variables + 1,
                         sizeof *names->variable, "variables", error))
            return false;
        symbol = memory_new(room, 1);
        snprintf(symbol, room, "%s_param_%d", kernel->symbol, i);
        snprintf(type, sizeof type, "%s", from->type + 6 * !strncmp(from->type, "const ", 6));
        star = from->is_pointer ? strrchr(type, '*') : NULL;
        while (star && star > type && (*star == '*' || *star == ' '))
            *star-- = '\0';
        const int element = type_bytes(type);
        names->variable[names->variables++] =
            (struct source_variable){.symbol = symbol,
                                     .name = memory_copy(from->name),
                                     .function = memory_copy(kernel->name),
                                     .file = memory_copy(source),
                                     .type = memory_copy(element ? type : ""),
                                     .line = kernel->line,
                                     .space = SOURCE_GLOBAL,
                                     .dynamic = from->is_pointer,
                                     .element = element};
    }
    return true;
}

static bool write_names(const struct kernelc_result *result, const char *source, const char *path,
                        struct error *error)
{
    struct source_names names = {.variables = 0};
    bool good = memory_grow(&names.variable, &names.variable_room, (size_t)result->arrays + 1,
                            sizeof *names.variable, "variables", error) &&
                memory_grow(&names.function, &names.function_room, (size_t)result->kernels + 1,
                            sizeof *names.function, "kernels", error);
    for (int i = 0; i < result->arrays && good; i++) {
        const struct kernelc_array *from = &result->array[i];
        const int element = type_bytes(from->type);
        struct source_variable *to = &names.variable[names.variables++];
        const bool dynamic = from->shared && !from->bytes;
        *to = (struct source_variable){.symbol = memory_copy(from->symbol),
                                       .name = memory_copy(from->name),
                                       .function = memory_copy(""),
                                       .file = memory_copy(source),
                                       .type = memory_copy(element ? from->type : ""),
                                       .line = from->line,
                                       .space = from->shared ? SOURCE_SHARED : SOURCE_GLOBAL,
                                       .dynamic = dynamic,
                                       .bytes = from->bytes,
                                       .element = element};
        for (int k = dynamic; k < from->dimensions && to->dims < MAX_ARRAY_DIMS; k++)
            to->dim[to->dims++] = from->dimension[k];
    }
    for (int i = 0; i < result->kernels && good; i++)
        good = add_parameters(&names, &result->kernel[i], source, error);
    for (int i = 0; i < result->kernels && good; i++)
        names.function[names.functions++] = (struct source_function){
            memory_copy(result->kernel[i].symbol), memory_copy(result->kernel[i].name)};
    good = good && source_names_write(&names, path, error);
    source_names_free(&names);
    return good;
}

static bool write_ptx(const struct kernelc_result *result, const char *path, struct error *error)
{
    FILE *file = fopen(path, "w");
    bool good = file && fwrite(result->ptx, 1, result->length, file) == result->length;
    if (file && fclose(file))
        good = false;
    return good || error_set(error, "cannot write %s", path);
}

static bool add_unit(struct built_program *program, const struct kernelc_result *result,
                     const char *source, struct error *error)
{
    struct compiled_program *compiled = &program->compiled;
    char ptx[300], names[300];
    snprintf(ptx, sizeof ptx, "%s/small%d.ptx", program->folder, compiled->units);
    snprintf(names, sizeof names, "%s/small%d.names", program->folder, compiled->units);
    if (!write_ptx(result, ptx, error) || !write_names(result, source, names, error))
        return false;
    compiled->unit[compiled->units++] =
        (struct compiled_unit){source, memory_copy(ptx), NULL, memory_copy(names)};
    return true;
}

/* ---- compiling ------------------------------------------------------------------------------------------ */

bool small_compile(struct built_program *program, const struct program_request *request,
                   const char *source, const char *behind, const char *const *instance,
                   int instances, struct error *error)
{
    struct included included = {.request = request,
                                .dialect = program_kind(source) == PROGRAM_DIALECT};
    const char *define[PROGRAM_MOST];
    char folder[MOST_PATH];
    size_t length;
    char *text = file_read(source, MOST_SOURCE, &length, error);
    if (!text || length > MOST_SOURCE) {
        free(text);
        return error_set(error, "%s is too large for the kernel compiler", source);
    }
    folder_of(source, folder, sizeof folder);
    take_includes(&included, text, folder);
    for (int i = 0; i < included.files; i++)
        take_includes(&included, included.file[i].text, included.folder[i]);
    const size_t room = length + strlen(behind) + 2;
    char *whole = memory_new(room, 1);
    int lines = 1;
    memcpy(whole, text, length);
    for (const char *at = text; (at = memchr(at, '\n', length - (size_t)(at - text))) != NULL; at++)
        lines++;
    length += (size_t)snprintf(whole + length, room - length, "\n%s", behind);
    struct kernelc_job job = {.allocator = &heap_allocator,
                              .source = {source, whole, length},
                              .include = included.file,
                              .includes = included.files,
                              .define = define,
                              .instance = instance,
                              .instances = instances};
    for (int i = 0; i < request->words && job.defines < PROGRAM_MOST; i++)
        if (!strncmp(request->word[i], "-D", 2))
            define[job.defines++] = request->word[i] + 2;
    for (int i = 0; i < request->words; i++)
        job.apart = job.apart || !strcmp(request->word[i], "-fmad=false") ||
                    !strcmp(request->word[i], "--fmad=false");
    struct kernelc_result result;
    bool good = kernelc_compile(&job, &result);
    free(program->compiled.messages);
    put_messages(&result, source, lines, &program->compiled.messages);
    good = good ? add_unit(program, &result, source, error)
                : error_set(error, "the kernel compiler does not compile %s", source);
    snprintf(program->compiled.compiler, sizeof program->compiled.compiler,
             "the kernel compiler, as written,");
    program->compiled.capability = CAPABILITY;
    kernelc_free(&result);
    free_included(&included);
    free(whole);
    free(text);
    return good;
}
