/* build.c - all sources, by one compiler after another until one does, and the link; or what was kept of the
 * last time. */
#include "program/compile/compile.h"
#include "system/cache.h"
#include "system/file.h"
#include "system/output.h"
#include "system/paths.h"
#include "system/process.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_MESSAGES = 64 << 20 }; /* bytes */

/* ---- running compilers ----------------------------------------------------------------------------- */

/* What is in the file, from its beginning; freed by the caller. */
static char *read_messages(FILE *file)
{
    long length = fseek(file, 0, SEEK_END) ? 0 : ftell(file);
    char *text = memory_new((size_t)(length > 0 ? length : 0) + 1, 1);
    rewind(file);
    if (length > 0 && length < MOST_MESSAGES)
        text[fread(text, 1, (size_t)length, file)] = '\0';
    return text;
}

/* Runs it; *said is what it says, to be freed. */
static int run(const struct compiling *with, const struct words *words, char **said,
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
    int status = run(with, words, &said, error);
    if (said)
        messages_add(with->messages, said);
    free(said);
    if (status > 0)
        error_set(error, "%s does not %s%s", with->compiler.label, what,
                  **with->messages ? "" : ", and does not say why");
    return status == 0;
}

/* ---- the sources ------------------------------------------------------------------------------------- */

#define LINKED "%s/linked.o" /* device code that nvcc has linked, in the folder */

static bool ends_with(const char *path, const char *ending)
{
    size_t length = strlen(path), tail = strlen(ending);
    return length > tail && !strcmp(path + length - tail, ending);
}

static bool is_object(const char *path)
{
    return ends_with(path, ".o") || ends_with(path, ".a") || ends_with(path, ".so");
}

/* Names what is made of each source. */
static void name_units(const struct compiled_program *program,
                       const struct compile_request *request, struct unit *unit)
{
    for (int i = 0; i < request->sources; i++) {
        const char *path = request->source[i];
        unit[i] = (struct unit){.source = path,
                                .cuda = ends_with(path, ".cu") || ends_with(path, ".cuh") ||
                                        (request->own && request->own[i].cuda),
                                .c = ends_with(path, ".c"),
                                .reads = request->host_reads && i + 1 < request->sources};
        snprintf(unit[i].ptx, sizeof unit[i].ptx, "%s/%d.ptx", program->folder, i);
        snprintf(unit[i].cubin, sizeof unit[i].cubin, "%s/%d.cubin", program->folder, i);
        snprintf(unit[i].names, sizeof unit[i].names, "%s/%d.names", program->folder, i);
        snprintf(unit[i].object, sizeof unit[i].object, "%s/%d.o", program->folder, i);
        for (int k = 0; k < 2; k++)
            snprintf(unit[i].rule[k], sizeof unit[i].rule[k], "%s/%d-%d.d", program->folder, i, k);
    }
}

const char *object_of(const struct unit *unit)
{
    return is_object(unit->source) ? unit->source : unit->object;
}

static int count_cuda(const struct unit *unit, const struct compile_request *request)
{
    int count = 0;
    for (int i = 0; i < request->sources; i++)
        count += unit[i].cuda;
    return count;
}

/* What a link needs no more: the toolkit's libraries, for which the runtime and our headers stand. */
static bool is_toolkits(const char *word)
{
    static const char *const names[] = {"cudart", "cudart_static", "cudadevrt",  "cuda",
                                        "cublas", "cublas_static", "curand",     "curand_static",
                                        "cufft",  "cufft_static",  "nvToolsExt", "culibos"};
    for (size_t i = 0; !strncmp(word, "-l", 2) && i < sizeof names / sizeof *names; i++)
        if (!strcmp(word + 2, names[i]))
            return true;
    return false;
}

/* Links with that linker, or with the compiler's own; stubs: a file in C that is linked, too, or NULL. *said: what
 * the linker says, to be freed. */
static bool link_with(const char *linker, const struct compiling *with, const struct unit *unit,
                      const char *executable, const char *stubs, char **said, struct error *error)
{
    const struct compile_request *request = with->request;
    struct words words = {.count = 0};
    if (with->compiler.is_nvcc)
        words_add(&words, "g++");
    else
        words_add(&words, "%s", with->compiler.path);
    if (!with->compiler.is_nvcc)
        words_add(&words, "--driver-mode=g++");
    if (linker)
        words_add(&words, "%s", linker);
    words_add(&words, "-o");
    words_add(&words, "%s", executable);
    for (int i = 0; i < request->sources; i++)
        words_add(&words, "%s", object_of(&unit[i]));
    if (with->linked)
        words_add(&words, LINKED, with->folder);
    if (stubs) {
        words_add(&words, "-xc");
        words_add(&words, "%s", stubs);
        words_add(&words, "-xnone");
    }
    for (int i = 0; i < with->options->both.count; i++) /* -fopenmp, -fsanitize= */
        if (!strncmp(with->options->both.word[i], "-f", 2) ||
            !strcmp(with->options->both.word[i], "-pthread"))
            words_add(&words, "%s", with->options->both.word[i]);
    for (int i = 0; i < with->options->host.count; i++)
        if (!strncmp(with->options->host.word[i], "-f", 2))
            words_add(&words, "%s", with->options->host.word[i]);
    if (request->runtime) {
        const char *slash = strrchr(request->runtime, '/');
        words_add(&words, "%s", request->runtime);
        if (slash &&
            strstr(slash, ".so")) /* before LD_LIBRARY_PATH, which may have the toolkit's */
            words_add(&words, "-Wl,--disable-new-dtags,-rpath,%.*s",
                      (int)(slash - request->runtime), request->runtime);
    }
    for (int i = 0; i < with->options->link.count; i++)
        if (!is_toolkits(with->options->link.word[i]))
            words_add(&words, "%s", with->options->link.word[i]);
    words_add(&words, "-lpthread");
    words_add(&words, "-lm");
    words_add(&words, "-ldl");
    int status = run(with, &words, said, error);
    words_free(&words);
    return status == 0;
}

/* GNU ld takes twice as long as others: the first of them that is here is asked before, but only what GNU ld
 * says is told. */
static bool link_host(const struct compiling *with, const struct unit *unit, const char *executable,
                      struct error *error)
{
    static const char *const quick[][2] = {{"ld.gold", "-fuse-ld=gold"},
                                           {"ld.lld", "-fuse-ld=lld"}};
    char path[PATH_MAX];
    const char *linker = NULL;
    struct error none = {{0}};
    for (size_t i = 0; !linker && i < sizeof quick / sizeof *quick; i++)
        if (tool_path(quick[i][0], path, sizeof path))
            linker = quick[i][1];
    char *said = NULL;
    bool good = linker && link_with(linker, with, unit, executable, NULL, &said, &none);
    if (!good) {
        free(said);
        good = link_with(NULL, with, unit, executable, NULL, &said, error);
    }
    snprintf(path, sizeof path, "%s/missing.c", with->folder);
    if (!good && !*error->text && missing_functions(said, path, error)) {
        free(said);
        good = link_with(linker, with, unit, executable, path, &said, error);
    }
    if (!good && !*error->text)
        messages_of_linker(said, error);
    free(said);
    return good;
}

static bool link_all(const struct compiling *with, const struct unit *unit, const char *executable,
                     struct error *error)
{
    char linked[320];
    snprintf(linked, sizeof linked, LINKED, with->folder);
    return (!with->linked || toolkit_link(with, unit, linked, error)) &&
           link_host(with, unit, executable, error);
}

/* ---- what was made the last time --------------------------------------------------------------------- */

/* Whether what comes out depends on nothing but sources, their headers and the options: no objects, no
 * libraries but the system's. */
static bool is_kept(const struct compile_request *request, const struct compile_options *options)
{
    static const char *const plain[] = {"-lm", "-lpthread", "-ldl", "-lrt", "-lstdc++"};
    bool kept = true;
    for (int i = 0; i < request->sources; i++)
        kept = kept && !is_object(request->source[i]);
    for (int i = 0; i < options->link.count; i++) {
        bool known = is_toolkits(options->link.word[i]);
        for (size_t k = 0; k < sizeof plain / sizeof *plain; k++)
            known = known || !strcmp(options->link.word[i], plain[k]);
        kept = kept && known;
    }
    return kept;
}

static void open_cache(struct cache *cache, const struct compiling *with)
{
    const struct compile_request *request = with->request;
    char how[64];
    *cache = (struct cache){.to = NULL};
    if (!is_kept(request, with->options))
        return;
    cache_open(cache, "CUDA program", with->folder);
    cache_tool(cache, with->compiler.path);
    if (with->compiler.is_nvcc)
        cache_tool(cache, "g++"); /* whose headers nvcc takes */
    if (request->runtime)
        cache_file(cache, request->runtime);
    for (int i = 0; i < 2; i++)
        cache_word(cache, with->headers[i]);
    snprintf(how, sizeof how, "%s %d %d %d %d", with->compiler.label, request->ptx_only,
             request->names, request->cubins, request->host_reads);
    cache_word(cache, how);
    for (int i = 0; i < request->words; i++)
        cache_word(cache, request->word[i]);
    for (int i = 0; i < request->sources; i++) {
        for (int k = 0; request->own && k < request->own[i].words; k++)
            cache_word(cache, request->own[i].word[k]);
        cache_word(cache, request->source[i]);
        cache_source(cache, request->source[i]);
    }
}

/* The files of a program, of which some may not be there: its PTX, its cubins, itself, and what the
 * compiler said. */
struct files {
    const char *path[3 * COMPILE_MOST + 2];
    int count;
    char messages[300];
};
static void list_files(struct files *files, const struct compiled_program *program,
                       const struct unit *unit, int units)
{
    files->count = 0;
    for (int i = 0; i < units; i++) {
        files->path[files->count++] = unit[i].ptx;
        files->path[files->count++] = unit[i].cubin;
        files->path[files->count++] = unit[i].names;
    }
    files->path[files->count++] = program->executable;
    snprintf(files->messages, sizeof files->messages, "%s/messages", program->folder);
    files->path[files->count++] = files->messages;
}

static bool find_again(struct cache *cache, struct compiled_program *program,
                       const struct unit *unit, int units)
{
    char bundle[300];
    struct files files;
    size_t length;
    struct error none = {{0}};
    list_files(&files, program, unit, units);
    snprintf(bundle, sizeof bundle, "%s/bundle", program->folder);
    if (!cache_find(cache, bundle) || !bundle_read(bundle, files.path, files.count))
        return false;
    unlink(bundle);
    chmod(program->executable, 0700); /* there is none of PTX alone */
    char *said = file_read(files.messages, MOST_MESSAGES, &length, &none);
    if (said)
        messages_add(&program->messages, said);
    free(said);
    return true;
}

static void keep(struct cache *cache, const struct compiled_program *program,
                 const struct compiling *with, const struct unit *unit)
{
    char bundle[300];
    struct files files;
    list_files(&files, program, unit, with->request->sources);
    for (int i = 0; i < with->request->sources; i++)
        for (int k = 0; k < 2; k++)
            if (!access(unit[i].rule[k], F_OK))
                cache_read(cache, unit[i].rule[k]);
    FILE *said = fopen(files.messages, "w");
    if (said) {
        fputs(program->messages, said);
        fclose(said);
    }
    snprintf(bundle, sizeof bundle, "%s/bundle", program->folder);
    if (bundle_write(bundle, files.path, files.count))
        cache_keep(cache, bundle);
    unlink(bundle);
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

/* What clang takes only when it is told of it; whether there is any such thing by what it has said. */
static bool mend(const struct compiled_program *program, struct compiling *with, struct unit *unit,
                 struct error *error)
{
    bool references = strstr(program->messages, "no template named 'texture'") && !with->references;
    bool blanks = strstr(program->messages, "error: expected expression") && !with->spaced;
    /* Bessel's functions and others, which take long to compile. */
    bool special = strstr(program->messages, "in namespace 'std'") && !with->special;
    bool separate = has_directive_macro(program->messages) && !with->separate;
    with->references = with->references || references;
    with->special = with->special || special;
    with->spaced = with->spaced || blanks;
    with->separate = with->separate || separate;
    return (!blanks || respace_all(with, unit, error)) &&
           (references || blanks || special || separate);
}

/* All sources; once more, if clang does not take what can be mended. */
static bool compile_all(struct compiled_program *program, struct compiling *with, struct unit *unit,
                        struct error *error)
{
    struct error first = {{0}};
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

/* Compiles all with one compiler. *links: it failed only there. */
static bool build_with(struct compiled_program *program, struct compiling *with, bool *links,
                       struct error *error)
{
    const struct compile_request *request = with->request;
    struct unit unit[COMPILE_MOST];
    struct cache cache;
    name_units(program, request, unit);
    bool good = read_own(with->common, request, unit, error);
    if (!good)
        return free_own(unit, request->sources), false;
    with->linked =
        with->compiler.is_nvcc && (with->options->apart || count_cuda(unit, request) > 1);
    open_cache(&cache, with);
    if (!find_again(&cache, program, unit, request->sources)) {
        good = compile_all(program, with, unit, error);
        *links = good;
        good = good && (request->ptx_only || link_all(with, unit, program->executable, error));
        if (good)
            keep(&cache, program, with, unit);
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

/* The compilers to be asked, the best first; returns how many. */
enum { COMPILERS = 3 };
static int choose(struct compiler *compiler, enum compile_with with, struct error *error)
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

static bool build(struct compiled_program *program, struct compiling *with, struct error *error)
{
    struct compiler compiler[COMPILERS];
    struct error first = {{0}}, last = {{0}};
    char *said = NULL, reason[200] = "";
    bool good = false, links = false;
    int count = choose(compiler, with->request->with, error);
    for (int i = 0; i < count && !good && !links; i++) {
        begin_anew(program);
        last.text[0] = '\0';
        with->compiler = compiler[i];
        with->references = with->spaced = with->special = with->separate = false;
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
        if (!links && messages_name_header(said, compiler[0].is_nvcc, &(struct error){{0}}) &&
            !compiler[i].is_nvcc)
            break; /* no clang has it */
    }
    if (!good && count) {
        struct error named = {{0}};
        free(program->messages);
        program->messages = said;
        said = NULL;
        if (!links && messages_name_header(program->messages, compiler[0].is_nvcc, &named)) {
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
