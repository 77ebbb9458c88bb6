/* build.c - from sources to a program: rewrites what the user wrote, then calls g++. */
#define _GNU_SOURCE /* memmem, realpath */
#include "hostcuda/driver.h"
#include "record/record.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_SOURCE = 512 << 20 }; /* bytes of a file */

static char *read_source(const char *path, size_t *length, struct error *error)
{
    return file_read(path, MOST_SOURCE, length, error);
}

enum program_kind program_kind(const char *path)
{
    struct rewrite_seen seen = {0};
    struct rewrite_text text = {0};
    struct error error = {{0}};
    size_t length = 0;
    char *source = read_source(path, &length, &error);
    bool read = source && rewrite_source(source, length, path, NULL, NULL, &text, &seen, &error);
    rewrite_text_free(&text);
    rewrite_text_free(&seen.kernel_list);
    free(source);
    /* A file that cannot be rewritten was not meant for the dialect, which has no launches. */
    if (!source)
        return PROGRAM_NEITHER;
    if (read && seen.dialect && !seen.launches &&
        !seen.kernels) /* a program may have such a macro */
        return PROGRAM_DIALECT;
    return !read || seen.launches || seen.kernels || seen.main ? PROGRAM_PLAIN : PROGRAM_NEITHER;
}

/* ---- rewriting ------------------------------------------------------------------------------- */

struct rewriting {
    struct built_program *program;
    const struct program_request *request;
    size_t file;  /* the one that is being rewritten */
    char *behind; /* what is compiled behind the next file that is rewritten, or NULL */
    struct error *error;
    bool failed;
};

static bool rewrite_file(struct rewriting *all, size_t index);

/* Where a source's #include leads, if to a file of the user's: next to it or in a -I folder. */
static const char *follow_include(void *context, const char *name, bool quoted)
{
    struct rewriting *all = context;
    struct built_program *program = all->program;
    char path[PATH_MAX], real[PATH_MAX];
    bool found = false;
    if (quoted) {
        const char *from = program->file[all->file].path, *slash = strrchr(from, '/');
        int folder = slash && *name != '/' ? (int)(slash - from + 1) : 0;
        snprintf(path, sizeof path, "%.*s%s", folder, from, name);
        found = realpath(path, real);
    }
    for (int i = 0; i < all->request->words && !found; i++)
        if (!strncmp(all->request->word[i], "-I", 2)) {
            snprintf(path, sizeof path, "%s/%s", all->request->word[i] + 2, name);
            found = realpath(path, real);
        }
    if (!found || !file_is_regular(real))
        return NULL;
    for (size_t i = 0; i < program->files; i++)
        if (!strcmp(program->file[i].real, real))
            return program->file[i].rewritten;
    if (!memory_grow(&program->file, &program->room, program->files + 1, sizeof *program->file,
                     "sources", all->error)) {
        all->failed = true;
        return NULL;
    }
    char rewritten[2 * PATH_MAX];
    const char *base = strrchr(real, '/');
    snprintf(rewritten, sizeof rewritten, "%s/%zu-%s", program->folder, program->files,
             base ? base + 1 : real);
    size_t index = program->files++;
    program->file[index] =
        (struct program_file){memory_copy(path), memory_copy(real), memory_copy(rewritten)};
    size_t before = all->file;
    if (!rewrite_file(all, index))
        all->failed = true;
    all->file = before;
    return program->file[index].rewritten;
}

/* Whether it may call a special function of the C++ library, which costs time to compile. */
static bool names_special(const char *source)
{
    static const char *const parts[] = {
        "beta(",    "beta (",  "::beta", "betaf",      "betal",       "cyl_",
        "sph_",     "ellint_", "expint", "hermite",    "hyperg",      "laguerre",
        "legendre", "zeta",    "tr1/",   "SPEC_FUNCS", "math_special"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strstr(source, parts[i]))
            return true;
    return false;
}

/* Writes file[index].rewritten. */
static bool rewrite_file(struct rewriting *all, size_t index)
{
    const struct program_file file = all->program->file[index];
    struct rewrite_text text = {0};
    size_t length = 0;
    all->file = index;
    char *source = read_source(file.real, &length, all->error);
    if (source && all->behind) {
        size_t more = strlen(all->behind);
        char *both = memory_array(length + more + 1, 1, "bytes of a source", all->error);
        if (both) {
            memcpy(both, source, length);
            memcpy(both + length, all->behind, more + 1);
            length += more;
        }
        free(source);
        source = both;
        all->behind = NULL;
    }
    all->program->special |= source && names_special(source);
    bool good = source &&
                rewrite_source(source, length, file.path, follow_include, all, &text,
                               &all->program->seen, all->error) &&
                !all->failed;
    if (good) {
        FILE *to = fopen(file.rewritten, "wb");
        good = to && fprintf(to, "#line 1 \"") > 0;
        if (good)
            text_put(to, TEXT_C, file.path);
        good = good && fputs("\"\n", to) != EOF &&
               fwrite(text.at ? text.at : "", 1, text.length, to) == text.length;
        if (to && fclose(to))
            good = false;
        if (!good)
            error_set(all->error, "cannot write %s: %s", file.rewritten, strerror(errno));
    }
    rewrite_text_free(&text);
    free(source);
    return good;
}

/* ---- compiling ------------------------------------------------------------------------------- */

/* The files that include each other, as the compiler tells them: the innermost first. */
struct inclusions {
    char place[8][300]; /* "app.cu:3" */
    int places;
};

/* Takes "In file included from a.h:3," and "                 from app.cu:1:". */
static void note_inclusion(struct inclusions *inclusions, const char *line)
{
    static const char first[] = "In file included from ", next[] = "                 from ";
    bool begins = !strncmp(line, first, sizeof first - 1);
    if (!begins && strncmp(line, next, sizeof next - 1) != 0)
        return;
    line += begins ? sizeof first - 1 : sizeof next - 1;
    int length = (int)strlen(line);
    while (length > 0 && (line[length - 1] == ':' || line[length - 1] == ','))
        length--;
    inclusions->places = begins ? 0 : inclusions->places;
    if (inclusions->places < 8)
        snprintf(inclusions->place[inclusions->places++], sizeof inclusions->place[0], "%.*s",
                 length, line);
}

/* Says what one of our headers refuses: the #error in `line`, at the user's line that includes the
 * header. false: the line is no such thing. */
static bool tell_refusal(const char *line, const struct inclusions *inclusions, struct error *error)
{
    static const char begins[] = "#error \"bankscope: ";
    const char *text = strstr(line, begins), *header = strchr(line, ':'), *from = "";
    if (!text || !header)
        return false;
    while (header > line && *header != '/')
        header--; /* the folder of our headers lies before it */
    for (int i = 0; i < inclusions->places && !*from; i++)
        if (strncmp(inclusions->place[i], line, (size_t)(header - line) + 1) != 0)
            from = inclusions->place[i];
    text += sizeof begins - 1;
    error_set(error, "%s%s%.*s", from, *from ? ": " : "", (int)strcspn(text, "\""), text);
    return true;
}

/* The compiler's first error out of its messages: the line with "error:", or "undefined
 * reference", else the first line. */
static void first_message(FILE *messages, struct error *error)
{
    struct inclusions inclusions = {.places = 0};
    char line[400], best[400] = "";
    int rank = 0;
    rewind(messages);
    while (rank < 3 && fgets(line, sizeof line, messages)) {
        line[strcspn(line, "\r\n")] = '\0';
        note_inclusion(&inclusions, line);
        bool is_error = strstr(line, "error: ") && !strstr(line, "ld returned");
        bool link = strstr(line, "undefined reference") || strstr(line, "multiple definition");
        int now = is_error || strstr(line, ": Error: ") ? 3 : link ? 2 : *line ? 1 : 0;
        if (now > rank) {
            rank = now;
            snprintf(best, sizeof best, "%s", line);
        }
    }
    const char *assembler = strstr(best, ": Error: ");
    const char *object = rank == 2 ? strstr(best, "undefined reference") : NULL;
    const char *twice = rank == 2 ? strstr(best, "multiple definition") : NULL;
    if (tell_refusal(best, &inclusions, error))
        return;
    if (twice)
        error_set(error, "the program does not link: %s", twice);
    else if (object)
        error_set(error,
                  "the program does not link: %s; give the file or library that has it, or it is "
                  "something that cannot be had without a GPU",
                  object);
    else if (assembler)
        error_set(error, "%.*s: this asm is neither PTX nor this processor's; write it in CUDA C++",
                  (int)(assembler - best), best);
    else
        error_set(error, "%s%s", *best ? best : "the compiler failed without a word",
                  strstr(best, "constraint") ? " (this asm was not recognized as PTX)" : "");
}

/* Runs the compiler, whose passing files are in the program's folder; its messages are kept and only the
 * first error is told. */
static bool compile(const struct built_program *program, const char *const *words,
                    struct error *error)
{
    FILE *messages = tmpfile();
    if (!messages)
        return error_set(error, "cannot make a temporary file: %s", strerror(errno));
    struct program compiler = {.words = words,
                               .output = fileno(messages),
                               .messages = fileno(messages),
                               .temporary = program->folder,
                               .confined = program->confined,
                               .hint = "install the package g++, or set CXX"};
    int status = process_run(&compiler, error);
    if (status > 0)
        first_message(messages, error);
    fclose(messages);
    return status == 0;
}

/* What assembly.c makes of the file `from`. */
static bool rewrite_assembly(const char *from, const char *to, const char *kernels, bool alone,
                             struct error *error)
{
    size_t length = 0;
    char *text = read_source(from, &length, error);
    FILE *file = text ? fopen(to, "wb") : NULL;
    bool good = file && assembly_write(text, length, kernels, alone, file);
    if (file && fclose(file))
        good = false;
    free(text);
    return good || error_set(error, "cannot write %s: %s", to, strerror(errno));
}

static bool is_c(const char *path)
{
    size_t length = strlen(path);
    return length > 2 && !strcmp(path + length - 2, ".c");
}

static bool is_cuda(const char *path)
{
    const char *end = strrchr(path, '.');
    return end && !strcmp(end, ".cu");
}

static bool is_object(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && (!strcmp(dot, ".o") || !strcmp(dot, ".a") || !strcmp(dot, ".so"));
}

/* Writes the main() of --call and --array, to be compiled behind source *index. */
static bool compose_calls(const struct program_request *request, int *index,
                          struct rewrite_text *to, struct error *error)
{
    struct rewrite_seen seen = {0};
    bool good = true;
    *index = -1;
    for (int i = 0; good && i < request->sources; i++) {
        struct rewrite_text text = {0};
        size_t length = 0, before = seen.kernel_list.length;
        if (is_object(request->source[i]) || is_c(request->source[i]))
            continue;
        char *source = read_source(request->source[i], &length, error);
        good = source &&
               rewrite_source(source, length, request->source[i], NULL, NULL, &text, &seen, error);
        if (*index < 0 || (!before && seen.kernel_list.length))
            *index = i;
        rewrite_text_free(&text);
        free(source);
    }
    if (good && (seen.main || !request->calls.calls)) {
        char proposal[1000];
        call_propose(seen.kernel_list.at, seen.dynamics, proposal, sizeof proposal);
        good = seen.main ? error_set(error,
                                     "%s has a main(), which launches its kernels; --call and "
                                     "--array are for files that have none",
                                     request->source[0])
                         : error_set(error, "--array without --call: which kernel? For example %s",
                                     proposal);
    }
    good = good && call_compose(&request->calls, seen.kernel_list.at, to, error);
    rewrite_text_free(&seen.kernel_list);
    return good;
}

/* Whether there is a main(), or an object that may have one. */
static bool has_main(const struct built_program *program, const struct program_request *request,
                     struct error *error)
{
    bool objects = false;
    for (int i = 0; i < request->sources; i++)
        objects |= is_object(request->source[i]);
    if (!program->seen.main && !objects) {
        char proposal[1000];
        call_propose(program->seen.kernel_list.at, program->seen.dynamics, proposal,
                     sizeof proposal);
        return error_set(
            error, "%s has no main(): give the file that launches its kernels, too%s%s",
            request->source[0], *proposal ? ", or say how to launch one, as in " : "", proposal);
    }
    return true;
}

/* A source on its way to an object. */
struct unit {
    size_t file;    /* its place among the program's */
    bool cuda;      /* others know of CUDA what they include, as with nvcc */
    size_t kernels; /* bytes of the list of kernels that it and those before it have */
    char object[300];
};
/* What compiles them. */
struct compilers {
    const char *cxx, *engine;
    char flags[PATH_MAX + 16], headers[PATH_MAX + 8], precompiled[PATH_MAX + 16];
};

/* Rewrites all sources. */
static bool rewrite_all(struct built_program *program, const struct program_request *request,
                        struct unit *unit, struct error *error)
{
    struct rewriting all = {.program = program, .request = request, .error = error};
    int called = -1;
    if ((request->calls.calls || request->calls.arrays) &&
        !compose_calls(request, &called, &program->calls, error))
        return false;
    for (int i = 0; i < request->sources; i++) {
        const char *path = request->source[i];
        char real[PATH_MAX], rewritten[PATH_MAX];
        if (is_object(path)) {
            snprintf(unit[i].object, sizeof unit[i].object, "%s", path);
            continue;
        }
        if (!realpath(path, real))
            return error_set(error, "cannot read %s: %s", path, strerror(errno));
        if (!memory_grow(&program->file, &program->room, program->files + 1, sizeof *program->file,
                         "sources", error))
            return false;
        size_t index = program->files++;
        snprintf(rewritten, sizeof rewritten, "%s/%zu-source.%s", program->folder, index,
                 is_c(path) ? "c" : "cpp");
        program->file[index] =
            (struct program_file){memory_copy(path), memory_copy(real), memory_copy(rewritten)};
        all.behind = i == called ? program->calls.at : NULL;
        int launches = program->seen.launches, kernels = program->seen.kernels;
        if (!rewrite_file(&all, index))
            return false;
        unit[i].file = index;
        unit[i].cuda =
            is_cuda(path) || program->seen.launches > launches || program->seen.kernels > kernels;
        unit[i].kernels = program->seen.kernel_list.length;
        snprintf(unit[i].object, sizeof unit[i].object, "%s/%d.o", program->folder, i);
    }
    return true;
}

/* Compiles one that is rewritten. */
static bool compile_unit(const struct built_program *program, const struct program_request *request,
                         const struct compilers *with, const struct unit *unit, struct cache *cache,
                         struct error *error)
{
    const struct program_file *file = &program->file[unit->file];
    char folder[PATH_MAX], assembly[320], spaced[320], rule[320];
    const char *slash = strrchr(file->path, '/'), *words[PROGRAM_MOST + 40];
    int n = 0;
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - file->path + 1) : 1,
             slash ? file->path : ".");
    snprintf(assembly, sizeof assembly, "%s/0.s", program->folder);
    snprintf(spaced, sizeof spaced, "%s/1.s", program->folder);
    snprintf(rule, sizeof rule, "%s/0.d", program->folder);
    words[n++] = with->cxx;
    if (is_c(file->path)) { /* which g++ would take for C++ */
        words[n++] = "-xc";
    } else if (unit->cuda) {
        words[n++] = "-include";
        words[n++] = "hostcuda_program.h";
    }
    if (program->special && !is_c(file->path)) {
        words[n++] = "-include";
        words[n++] = "hostcuda_special.h";
    }
    words[n++] = with->flags;
    for (int k = 0; k < request->words; k++)
        if (strncmp(request->word[k], "-l", 2) && strncmp(request->word[k], "-L", 2))
            words[n++] = request->word[k];
    words[n++] = "-iquote";
    words[n++] = folder;
    words[n++] = with->precompiled;
    words[n++] = with->headers;
    words[n++] = "-S";
    words[n++] = file->rewritten;
    words[n++] = "-o";
    words[n++] = assembly;
    if (cache->to) {
        words[n++] = "-MD";
        words[n++] = "-MF";
        words[n++] = rule;
    }
    words[n] = NULL;
    const char *const assemble[] = {with->cxx, "-c", spaced, "-o", unit->object, NULL};
    char *kernels =
        unit->kernels ? memory_copy_of(program->seen.kernel_list.at, unit->kernels) : NULL;
    bool good = compile(program, words, error) &&
                rewrite_assembly(assembly, spaced, kernels, request->sources == 1, error) &&
                compile(program, assemble, error);
    free(kernels);
    if (good)
        cache_read(cache, rule);
    unlink(assembly);
    unlink(spaced);
    unlink(rule);
    return good;
}

/* Links the objects with the engine; the linker is g++'s own, or the one that is named. */
static bool link_with(const char *linker, const struct built_program *program,
                      const struct program_request *request, const struct compilers *with,
                      const struct unit *unit, struct error *error)
{
    static const char *const wrapped[] = {
        "-Wl,--wrap=malloc,--wrap=free",     "-Wl,--wrap=_Znwm,--wrap=_Znam",
        "-Wl,--wrap=_ZnwmRKSt9nothrow_t",    "-Wl,--wrap=_ZnamRKSt9nothrow_t",
        "-Wl,--wrap=_ZnwmSt11align_val_t",   "-Wl,--wrap=_ZnamSt11align_val_t",
        "-Wl,--wrap=_ZdlPv,--wrap=_ZdaPv",   "-Wl,--wrap=_ZdlPvm,--wrap=_ZdaPvm",
        "-Wl,--wrap=_ZdlPvSt11align_val_t",  "-Wl,--wrap=_ZdaPvSt11align_val_t",
        "-Wl,--wrap=_ZdlPvmSt11align_val_t", "-Wl,--wrap=_ZdaPvmSt11align_val_t"};
    const char *words[2 * PROGRAM_MOST + 60];
    int n = 0;
    words[n++] = with->cxx;
    if (linker)
        words[n++] = linker;
    words[n++] = "-fno-use-linker-plugin"; /* which is for -flto only */
    words[n++] = "-no-pie";
    words[n++] = "-o";
    words[n++] = program->executable;
    for (int i = 0; i < request->sources; i++)
        words[n++] = unit[i].object;
    words[n++] = with->engine;
    for (int k = 0; k < request->words; k++)
        if (!strncmp(request->word[k], "-l", 2) || !strncmp(request->word[k], "-L", 2) ||
            !strncmp(request->word[k], "-f", 2))
            words[n++] = request->word[k];
    /* What kernels allocate comes from the engine (heap.c). */
    for (size_t k = 0; k < sizeof wrapped / sizeof *wrapped; k++)
        words[n++] = wrapped[k];
    words[n++] = "-lpthread";
    words[n++] = "-lm";
    words[n++] = "-ldl";
    words[n] = NULL;
    return compile(program, words, error);
}

/* Links the program. GNU ld takes twice as long as others: the first of them that is here is asked before,
 * but only what GNU ld says is told. */
static bool link_all(const struct built_program *program, const struct program_request *request,
                     const struct compilers *with, const struct unit *unit, struct error *error)
{
    static const char *const quick[][2] = {{"ld.gold", "-fuse-ld=gold"},
                                           {"ld.lld", "-fuse-ld=lld"}};
    char path[PATH_MAX];
    const char *linker = NULL;
    struct error none = {{0}};
    for (size_t i = 0; !linker && i < sizeof quick / sizeof *quick; i++)
        if (tool_path(quick[i][0], path, sizeof path))
            linker = quick[i][1];
    return (linker && link_with(linker, program, request, with, unit, &none)) ||
           link_with(NULL, program, request, with, unit, error);
}

bool program_is_kept(const struct program_request *request)
{
    bool plain = !request->confined;
    for (int i = 0; i < request->sources; i++)
        plain = plain && !is_object(request->source[i]);
    for (int i = 0; i < request->words; i++)
        plain = plain && request->word[i][0] == '-' && strchr("IDUs", request->word[i][1]);
    return plain;
}

/* Begins the key of what comes out. */
static void open_cache(struct cache *cache, const struct built_program *program,
                       const struct program_request *request, const struct compilers *with,
                       const struct unit *unit)
{
    char header[PATH_MAX + 64];
    *cache = (struct cache){.to = NULL};
    if (!program_is_kept(request))
        return;
    cache_open(cache, "program", program->folder);
    cache_tool(cache, with->cxx);
    cache_file(cache, with->engine);
    cache_file(cache, with->flags + 1);
    snprintf(header, sizeof header, "%s/hostcuda_program.h.gch", with->precompiled + 2);
    cache_file(cache, header);
    cache_word(cache, with->headers);
    for (int i = 0; i < request->words; i++)
        cache_word(cache, request->word[i]);
    for (int i = 0; i < request->sources; i++) {
        char place[64];
        snprintf(place, sizeof place, "%zu %s", unit[i].file,
                 unit[i].cuda               ? "CUDA"
                 : is_c(request->source[i]) ? "C"
                                            : "C++");
        cache_word(cache, place);
    }
    for (size_t i = 0; i < program->files; i++) {
        struct error none = {{0}};
        size_t length = 0, within = strlen(program->folder);
        char *text = read_source(program->file[i].rewritten, &length, &none);
        if (!text) {
            cache_close(cache);
            return;
        }
        /* The passing folder, which has another name each time, stands in the includes. */
        for (char *at = text;
             (at = memmem(at, length - (size_t)(at - text), program->folder, within)) != NULL;)
            memset(at, '*', within);
        cache_word(cache, program->file[i].path);
        cache_text(cache, text, length);
        free(text);
    }
}

bool program_build(struct built_program *program, const struct program_request *request,
                   const char *engine, const char *include, struct error *error)
{
    *program = (struct built_program){.confined = request->confined};
    const char *compiler = getenv("CXX"), *slash = strrchr(engine, '/');
    struct compilers with = {.cxx = compiler && *compiler ? compiler : "g++", .engine = engine};
    struct unit unit[PROGRAM_MOST] = {{.cuda = false}};
    struct cache cache;
    if (!temporary_make(program->folder, sizeof program->folder, error))
        return false;
    snprintf(program->executable, sizeof program->executable, "%s/program", program->folder);

    /* program.flags has the compiler's flags, which precompiling must use, too:
     * -fno-reorder-blocks: blocks stay in the source's order, so that the lanes with the lowest
     * address are the ones that the others wait for. No function is compiled for more than one way
     * of calling it, and none is called by a jump: a line is one place. As nvcc does, -finline-*:
     * functions become part of their kernel; g++ sees no access where a struct in memory is an
     * argument or a result. -fno-tree-sra: a float4 is read and written whole. What a kernel
     * allocates, it allocates, even if nothing comes of it: -fno-allocation-dce. A function without its
     * return goes on in its caller: -fsanitize=unreachable. Nobody asks in which registers variables
     * are, which takes a quarter of the time: -fno-var-tracking. */
    snprintf(with.flags, sizeof with.flags, "@%s/program.flags", include);
    /* The precompiled hostcuda_program.h is in a folder beside the engine. g++ uses it unless this
     * compiler or a macro of the user's makes it different; then g++ reads the header itself. */
    snprintf(with.headers, sizeof with.headers, "-I%s", include);
    snprintf(with.precompiled, sizeof with.precompiled, "-I%.*s/precompiled",
             slash ? (int)(slash - engine) : 1, slash ? engine : ".");
    if (!rewrite_all(program, request, unit, error))
        return false;
    open_cache(&cache, program, request, &with, unit);
    if (cache_find(&cache, program->executable)) {
        cache_close(&cache);
        return true;
    }
    bool good = true;
    for (int i = 0; good && i < request->sources; i++)
        good = is_object(request->source[i]) ||
               compile_unit(program, request, &with, &unit[i], &cache, error);
    good =
        good && has_main(program, request, error) && link_all(program, request, &with, unit, error);
    if (good)
        cache_keep(&cache, program->executable);
    cache_close(&cache);
    return good;
}

void program_free(struct built_program *program)
{
    for (size_t i = 0; i < program->files; i++) {
        if (program->file[i].rewritten)
            unlink(program->file[i].rewritten);
        free(program->file[i].path);
        free(program->file[i].real);
        free(program->file[i].rewritten);
    }
    free(program->file);
    rewrite_text_free(&program->calls);
    rewrite_text_free(&program->seen.kernel_list);
    if (*program->folder)
        passing_remove(program->folder);
    *program = (struct built_program){.files = 0};
}
