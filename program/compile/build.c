/* build.c - a program, by one compiler after another until one does; or what was kept of the last time. */
#include "base/text.h"
#include "program/compile/compile.h"
#include "system/cache.h"
#include "system/file.h"
#include "system/output.h"
#include "system/paths.h"
#include "system/process.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- running compilers ----------------------------------------------------------------------------- */

/* What is in the file, from its beginning; freed by the caller. */
static char *read_messages(FILE *file)
{
    long length = fseek(file, 0, SEEK_END) ? 0 : ftell(file);
    char *text = memory_new((size_t)(length > 0 ? length : 0) + 1, 1);
    rewind(file);
    if (length > 0 && length < COMPILE_MOST_SAID)
        text[fread(text, 1, (size_t)length, file)] = '\0';
    return text;
}

int compile_run_and_hear(const struct compiling *with, const struct words *words, char **said,
                         struct error *error)
{
    FILE *messages = tmpfile();
    *said = NULL;
    if (!messages)
        return error_set(error, "cannot make a temporary file: %s", strerror(errno)), -1;
    struct program compiler = {.words = (const char *const *)words->word,
                               .output = fileno(messages),
                               .messages = fileno(messages),
                               .temporary = with->folder,
                               .hint = "install it again"};
    int status = process_run(&compiler, error);
    if (status >= 0)
        *said = read_messages(messages);
    fclose(messages);
    return status;
}

bool compile_run(const struct compiling *with, const struct words *words, const char *what,
                 struct error *error)
{
    char *said;
    int status = compile_run_and_hear(with, words, &said, error);
    if (said)
        messages_add(with->messages, said);
    free(said);
    if (status > 0)
        error_set(error, "%s does not %s%s", with->compiler.label, what,
                  **with->messages ? "" : ", and does not say why");
    return status == 0;
}

/* ---- the sources ------------------------------------------------------------------------------------- */

/* Names what is made of each source. */
static void name_units(const struct compiled_program *program, const struct compiling *with,
                       struct unit *unit)
{
    const struct compile_request *request = with->request;
    const bool cuda = with->common->cuda;
    for (int i = 0; i < request->sources; i++) {
        const char *path = request->source[i];
        unit[i] = (struct unit){
            .source = path,
            .cuda = (cuda && !link_takes(path)) || text_ends_with(path, ".cu") ||
                    text_ends_with(path, ".cuh") || (request->own && request->own[i].cuda),
            .c = !cuda && text_ends_with(path, ".c"),
            .reads = request->host_reads && i + 1 < request->sources};
        snprintf(unit[i].ptx, sizeof unit[i].ptx, "%s/%d.ptx", program->folder, i);
        snprintf(unit[i].cubin, sizeof unit[i].cubin, "%s/%d.cubin", program->folder, i);
        snprintf(unit[i].names, sizeof unit[i].names, "%s/%d.names", program->folder, i);
        snprintf(unit[i].object, sizeof unit[i].object, "%s/%d.o", program->folder, i);
        for (int k = 0; k < 2; k++)
            snprintf(unit[i].rule[k], sizeof unit[i].rule[k], "%s/%d-%d.d", program->folder, i, k);
    }
}

static int count_cuda(const struct unit *unit, const struct compile_request *request)
{
    int count = 0;
    for (int i = 0; i < request->sources; i++)
        count += unit[i].cuda;
    return count;
}

/* ---- one compiler, and all ------------------------------------------------------------------------------ */

/* The release that nvcc's PTX names: "// Cuda compilation tools, release 13.0, V13.0.48". */
static void read_release(struct compiler *nvcc, const char *ptx)
{
    char line[200];
    FILE *file = fopen(ptx, "r");
    for (int i = 0; file && i < 20 && fgets(line, sizeof line, file); i++) {
        const char *at = strstr(line, "release ");
        if (!at)
            continue;
        snprintf(nvcc->label, sizeof nvcc->label, "nvcc %.*s", (int)strspn(at + 8, "0123456789."),
                 at + 8);
        nvcc->version = atoi(at + 8);
        break;
    }
    if (file)
        fclose(file);
}

static char *path_if_there(const char *path)
{
    return access(path, F_OK) ? NULL : memory_copy(path);
}

/* " -O0", where that is how clang compiled kernels; "" for its -O3. */
static const char *level_note(const struct compiling *with)
{
    const char *level = "";
    for (int i = 0; i < with->options->both.count && !with->compiler.is_nvcc; i++) {
        const char *word = with->options->both.word[i];
        if (!strncmp(word, "-O", 2))
            level = !strcmp(word, "-O0") ? " -O0" : !strcmp(word, "-O1") ? " -O1" : "";
    }
    return level;
}

/* What is told of a program that is there. */
static void describe(struct compiled_program *program, struct compiling *with,
                     const struct unit *unit)
{
    enum { ROOM = sizeof program->note };
    program->unit = memory_new((size_t)with->request->sources, sizeof *program->unit);
    for (int i = 0; i < with->request->sources; i++) {
        if (!unit[i].cuda || access(unit[i].ptx, F_OK))
            continue;
        program->unit[program->units++] =
            (struct compiled_unit){unit[i].source, memory_copy(unit[i].ptx),
                                   path_if_there(unit[i].cubin), path_if_there(unit[i].names)};
        if (with->compiler.is_nvcc && program->units == 1)
            read_release(&with->compiler, unit[i].ptx);
    }
    int wanted = with->options->capability;
    if (with->compiler.is_nvcc)
        program->capability = toolkit_capability(wanted);
    else
        program->capability = clang_capability(&with->compiler, wanted, program->note, ROOM);
    if (with->serial && !program->note[0])
        snprintf(
            program->note, ROOM,
            "OpenMP is left out, for clang's libomp is not installed: the host has one thread");
    snprintf(program->compiler, sizeof program->compiler, "%s%s", with->compiler.label,
             level_note(with));
}

/* Forgets what a compiler left that failed. */
static void begin_anew(struct compiled_program *program)
{
    free(program->messages);
    program->messages = memory_copy("");
    program->note[0] = '\0';
}

static bool respace_all(const struct compiling *with, struct unit *unit, struct error *error)
{
    for (int i = 0; i < with->request->sources; i++)
        if (unit[i].cuda && !clang_respace(with->folder, &unit[i], error))
            return false;
    return true;
}

/* Whether an error is in a macro that stands for a directive, as in "#define UNROLL #pragma unroll". */
static bool has_directive_macro(const char *messages)
{
    static const char note[] = "note: expanded from macro ";
    for (const char *at = messages; (at = strstr(at, note)) != NULL; at += sizeof note - 1) {
        const char *hash = at + strcspn(at, "\n");
        for (int i = 0; i < 2; i++) /* that of #define, on the note's next line, and another */
            hash += *hash ? 1 + strcspn(hash + 1, "#\n") : 0;
        if (*hash == '#' && !strncmp(hash + 1 + strspn(hash + 1, " \t"), "pragma", 6))
            return true;
    }
    return false;
}

/* The folder of cuRAND's headers for kernels: that in which clang has found them, and made errors of them, or that of nvcc. */
static bool find_curand(const char *messages, char folder[PATH_MAX])
{
    static const char from[] = "In file included from ", header[] = "curand_kernel.h";
    for (const char *at = messages; (at = strstr(at, from)) != NULL;) {
        at += sizeof from - 1;
        const char *name = at + strcspn(at, ":\n");
        name -= name - at < (int)sizeof header ? name - at : (int)sizeof header;
        if (*name == '/' && !strncmp(name + 1, header, sizeof header - 1))
            return snprintf(folder, PATH_MAX, "%.*s", (int)(name - at), at) < PATH_MAX;
    }
    return strstr(messages, "'curand_kernel.h' file not found") &&
           toolkit_headers(header, folder, PATH_MAX);
}

/* What clang takes only when it is told of it; whether there is any such thing by what it has said. */
static bool mend(const struct compiled_program *program, struct compiling *with, struct unit *unit,
                 struct error *error)
{
    bool references = strstr(program->messages, "no template named 'texture'") && !with->references;
    bool blanks = (strstr(program->messages, "error: expected expression") ||
                   strstr(program->messages, "error: cannot initialize a variable of type")) &&
                  !with->spaced;
    /* Bessel's functions and others, which take long to compile. */
    bool special = strstr(program->messages, "in namespace 'std'") && !with->special;
    bool separate = has_directive_macro(program->messages) && !with->separate;
    bool own_warp = strstr(program->messages, "redefinition of 'warpSize'") && !with->own_warp;
    bool curand = !*with->toolkit && find_curand(program->messages, with->toolkit);
    with->references = with->references || references;
    with->own_warp = with->own_warp || own_warp;
    with->special = with->special || special;
    with->spaced = with->spaced || blanks;
    with->separate = with->separate || separate;
    return (!blanks || respace_all(with, unit, error)) &&
           (references || blanks || special || separate || own_warp || curand);
}

/* All sources; once more, if clang does not take what can be mended. */
static bool compile_all(struct compiled_program *program, struct compiling *with, struct unit *unit,
                        struct error *error)
{
    struct error first = {{0}};
    if (with->compiler.is_nvcc && with->request->cubins)
        toolkit_find_tools(with);
    if (compile_each(with, unit, &first))
        return true;
    for (int tries = 0; tries < 4 && !with->compiler.is_nvcc; tries++) {
        if (!mend(program, with, unit, error))
            break;
        begin_anew(program);
        first.text[0] = '\0';
        if (compile_each(with, unit, &first))
            return true;
    }
    return error_set(error, "%s", first.text);
}

/* Reads the options of single sources. The device code of all is for one capability, and linked apart if that of one
 * is. */
static bool read_own(struct compile_options *common, const struct compile_request *request,
                     struct unit *unit, struct error *error)
{
    for (int i = 0; request->own && i < request->sources; i++) {
        unit[i].own = memory_new(1, sizeof *unit[i].own);
        if (!options_read(unit[i].own, request, &request->own[i], error))
            return false;
        common->apart |= unit[i].own->apart;
        if (common->capability < unit[i].own->capability)
            common->capability = unit[i].own->capability;
    }
    for (int i = 0; request->own && i < request->sources; i++) {
        unit[i].own->apart = common->apart;
        unit[i].own->capability = common->capability;
    }
    return true;
}

static void free_own(struct unit *unit, int units)
{
    for (int i = 0; i < units; i++) {
        if (unit[i].own)
            options_free(unit[i].own);
        free(unit[i].own);
    }
}

/* Compiles and links. *links: it failed only there. */
static bool compile_and_link(struct compiled_program *program, struct compiling *with,
                             struct unit *unit, bool *links, struct error *error)
{
    *links = compile_all(program, with, unit, error);
    return *links &&
           (with->request->ptx_only || link_program(with, unit, program->executable, error));
}

/* Whether files use each other's device code, by what was said of them as nvcc compiles files unless it is told
 * -rdc=true: each for itself. That is other code (of shared arrays it knows where they are), so it is not done for all. */
static bool wants_device_linker(const struct compiled_program *program, const struct error *error)
{
    static const char *const signs[] = {"Unresolved extern", "treated as a static definition",
                                        "-rdc=true", "not allowed in whole-program",
                                        "requires separate compilation mode"};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (strstr(program->messages, signs[i]))
            return true;
    return strstr(error->text, "undefined reference");
}

/* Whether kernels launch kernels, which nvcc takes with -rdc=true only. */
static bool launches_from_kernels(const struct compiled_program *program)
{
    return strstr(program->messages, "requires separate compilation mode");
}

/* Compiles all with one compiler. *links: it failed only there. */
static bool build_with(struct compiled_program *program, struct compiling *with, bool *links,
                       struct error *error)
{
    const struct compile_request *request = with->request;
    struct unit unit[COMPILE_MOST];
    struct cache cache;
    name_units(program, with, unit);
    bool good = read_own(with->common, request, unit, error);
    if (!good)
        return free_own(unit, request->sources), false;
    with->linked = with->compiler.is_nvcc && with->options->apart;
    kept_open(&cache, with);
    if (!kept_find(&cache, program, unit, request->sources)) {
        precompiled_find(with, unit);
        const bool several = with->compiler.is_nvcc && count_cuda(unit, request) > 1;
        struct error first = {{0}};
        good = compile_and_link(program, with, unit, links, &first);
        const bool alone = with->compiler.is_nvcc && !several && launches_from_kernels(program);
        if ((several || alone) && !with->linked && wants_device_linker(program, &first)) {
            begin_anew(program);
            with->linked = true;
            good = compile_and_link(program, with, unit, links, error);
        } else if (!good) {
            *error = first;
        }
        if (good)
            kept_add(&cache, program, with, unit);
    }
    cache_close(&cache);
    if (good)
        describe(program, with, unit);
    free_own(unit, request->sources);
    return good;
}

/* The first error among the messages, for a note; without any, the first message. */
static void first_error(const char *messages, char *line, size_t room)
{
    const char *at = strstr(messages, "error");
    if (!at)
        at = strstr(messages, "fatal"); /* ptxas */
    if (!at)
        at = messages;
    while (at && at > messages && at[-1] != '\n')
        at--;
    snprintf(line, room, "%.*s", at ? (int)strcspn(at, "\n") : 0, at ? at : "");
    text_clean(line);
}

static bool names_openmp(const char *const *word, int words)
{
    for (int i = 0; i < words; i++)
        if (strstr(word[i], "-fopenmp"))
            return true;
    return false;
}

/* Asks clang where a library is. */
static bool clang_finds(const struct compiling *with, const char *library, char *path, size_t room)
{
    struct words words = {.count = 0};
    char *said = NULL;
    struct error none = {{0}};
    words_add(&words, "%s", with->compiler.path);
    words_add(&words, "-print-file-name=%s", library);
    const bool good = compile_run_and_hear(with, &words, &said, &none) == 0 && said && *said == '/';
    if (good)
        snprintf(path, room, "%.*s", (int)strcspn(said, "\r\n"), said);
    words_free(&words);
    free(said);
    return good;
}

/* OpenMP's library, where the program is compiled with it, by clang: the linker finds that of the package for
 * developers; the other is what programs run with. */
static void find_openmp(struct compiling *with)
{
    const struct compile_request *request = with->request;
    bool named = names_openmp(request->word, request->words);
    for (int i = 0; request->own && i < request->sources; i++)
        named |= names_openmp(request->own[i].word, request->own[i].words);
    char path[PATH_MAX];
    with->openmp[0] = '\0';
    with->serial = named && !with->compiler.is_nvcc &&
                   !clang_finds(with, "libomp.so", path, sizeof path) &&
                   !clang_finds(with, "libomp.so.5", with->openmp, sizeof with->openmp);
}

/* The compilers to be asked, the best first; returns how many. */
enum { COMPILERS = 3 };
static int choose_compiler(struct compiler *compiler, enum compile_with with, struct error *error)
{
    int count = 0;
    const char *set = getenv("CLANG");
    const char *nvcc = getenv("NVCC");
    const bool wanted = with == COMPILE_NVCC || (with != COMPILE_CLANG && nvcc && *nvcc);
    struct error none = {{0}};
    if (with != COMPILE_CLANG)
        count += compiler_find_nvcc(&compiler[count], wanted ? error : &none);
    if (with == COMPILE_NVCC || (wanted && !count))
        return count;
    none.text[0] = '\0';
    if (!compiler_find_clang(&compiler[count], 0, count ? &none : error))
        return count;
    count++;
    none.text[0] = '\0';
    if (!(set && *set))
        count += compiler_find_clang(&compiler[count], compiler[count - 1].version, &none);
    return count;
}

static bool has_nvcc(void)
{
    struct compiler nvcc;
    return compiler_find_nvcc(&nvcc, &(struct error){{0}});
}

static bool build(struct compiled_program *program, struct compiling *with, struct error *error)
{
    struct compiler compiler[COMPILERS];
    struct error first = {{0}}, last = {{0}};
    char *said = NULL, reason[200] = "";
    bool good = false, links = false;
    int count = choose_compiler(compiler, with->request->with, error);
    for (int i = 0; i < count && !good && !links; i++) {
        begin_anew(program);
        last.text[0] = '\0';
        with->compiler = compiler[i];
        with->references = with->spaced = with->special = with->separate = with->own_warp = false;
        with->toolkit[0] = '\0';
        find_openmp(with);
        good = build_with(program, with, &links, &last);
        if (good && i && !program->note[0])
            snprintf(program->note, sizeof program->note,
                     "compiled by %s, for %s does not take it: %s", compiler[i].label,
                     compiler[0].label, reason);
        if (good || (i && !links))
            continue; /* what the first one said is told */
        first = last;
        free(said);
        said = memory_copy(program->messages);
        first_error(said, reason, sizeof reason);
        if (!*reason)
            snprintf(reason, sizeof reason, "%.199s", last.text);
        if (!links && !compiler[i].is_nvcc &&
            messages_name_header(said, !compiler[0].is_nvcc, false, &(struct error){{0}}))
            break; /* no clang has it */
    }
    if (!good && count) {
        struct error named = {{0}};
        free(program->messages);
        program->messages = said;
        said = NULL;
        if (!links &&
            messages_name_header(program->messages, !compiler[0].is_nvcc, has_nvcc(), &named)) {
            first = named;
            begin_anew(program);
        }
        error_set(error, "%s", first.text);
    }
    free(said);
    return good;
}

bool compile_program(struct compiled_program *program, const struct compile_request *request,
                     struct error *error)
{
    struct compile_options options = {.capability = 0, .variant = ""};
    struct compiling with = {.request = request, .options = &options, .common = &options};
    *program = (struct compiled_program){.messages = memory_copy("")};
    if (request->sources > COMPILE_MOST || request->words > COMPILE_MOST)
        return error_set(error, "a program has at most %d sources and as many options",
                         COMPILE_MOST);
    if (!temporary_make(program->folder, sizeof program->folder, error))
        return false;
    snprintf(program->executable, sizeof program->executable, "%s/program", program->folder);
    with.folder = program->folder;
    with.messages = &program->messages;
    bool good =
        data_path("program/compile/include", with.headers[0], sizeof with.headers[0], error) &&
        library_path("headers", with.headers[1], sizeof with.headers[1], error) &&
        options_read(&options, request, NULL, error) && build(program, &with, error);
    options_free(&options);
    if (request->ptx_only)
        program->executable[0] = '\0';
    return good;
}

void compiled_free(struct compiled_program *program)
{
    for (int i = 0; i < program->units; i++) {
        free(program->unit[i].ptx);
        free(program->unit[i].cubin);
        free(program->unit[i].names);
    }
    free(program->unit);
    free(program->messages);
    if (*program->folder)
        passing_remove(program->folder);
    *program = (struct compiled_program){.units = 0};
}

char *compiled_reads(const struct compiled_program *program, int sources)
{
    enum { MOST = 1 << 24 };
    char *list = NULL;
    size_t size;
    FILE *to = open_memstream(&list, &size);
    if (!to)
        memory_exhausted();
    for (int i = 0; i < 2 * sources; i++) {
        char name[300], *path;
        size_t length;
        struct error none = {{0}};
        snprintf(name, sizeof name, "%s/%d-%d.d", program->folder, i / 2, i % 2);
        char *text = file_read(name, MOST, &length, &none);
        char *rest = text ? strchr(text, ':') : NULL;
        for (rest += rest != NULL; rest && rule_next(&rest, &path);)
            if (strncmp(path, "/usr/", 5) &&
                strncmp(path, program->folder, strlen(program->folder)))
                fprintf(to, "%s\n", path);
        free(text);
    }
    fclose(to);
    return list;
}
