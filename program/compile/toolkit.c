/* toolkit.c - one source by nvcc, with the toolkit's own headers: its PTX for the machine, a host object that
 * has it, too, and, where it is asked for, what ptxas makes of it.
 *
 * For compute_90 only PTX is made, and ptxas runs apart: so device functions that other files have are
 * no error here, and a program without cubins waits for no ptxas. What does not need another's result runs at the same
 * time: nvcc preprocesses the host's and the device's text, clang names variables.
 */
#include "program/compile/compile.h"
#include "system/process.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEFAULT = 90 };

/* bankscope.h alone: the other headers beside it stand in for nvcc's own. */
static void offer_header(const struct compiling *with)
{
    char from[PATH_MAX], to[PATH_MAX];
    snprintf(from, sizeof from, "%.4000s/bankscope.h", with->headers[0]);
    snprintf(to, sizeof to, "%.4000s/bankscope.h", with->folder);
    if (symlink(from, to))
        return; /* it is there already, or nvcc will say that it is missing */
}

static bool compile_by_nvcc(const struct compiling *with, const struct unit *unit,
                            const struct words *words, struct error *error)
{
    char what[300];
    snprintf(what, sizeof what, "compile %.250s", unit->source);
    return compile_run(with, words, what, error);
}

bool toolkit_link(const struct compiling *with, const struct unit *unit, const char *linked_object,
                  struct error *error)
{
    const struct compile_request *request = with->request;
    struct words words = {.count = 0};
    words_add(&words, "%s", with->compiler.path);
    words_add(&words, "-dlink");
    words_add(&words, "-arch=sm_%d%s", toolkit_capability(with->options->capability),
              with->options->variant);
    words_add(&words, "-o");
    words_add(&words, "%s", linked_object);
    for (int i = 0; i < request->sources; i++)
        words_add(&words, "%s", object_of(&unit[i]));
    bool good = compile_run(with, &words, "link the device code", error);
    words_free(&words);
    return good;
}

/* What nvcc says of itself, behind `key`: where its tools and headers are. It may be a script, or a link, far from
 * the toolkit. */
static bool ask_nvcc(const struct compiler *nvcc, const char *key, char *answer, size_t room)
{
    char command[PATH_MAX + 60], line[PATH_MAX];
    snprintf(command, sizeof command, "'%s' --dryrun -x cu -c /dev/null 2>&1", nvcc->path);
    FILE *said = strchr(nvcc->path, '\'') ? NULL : popen(command, "r");
    *answer = '\0';
    while (said && fgets(line, sizeof line, said)) {
        const char *value = strstr(line, key);
        if (value && !*answer)
            snprintf(answer, room, "%.*s", (int)strcspn(value + strlen(key), "\"\n"),
                     value + strlen(key));
    }
    if (said)
        pclose(said);
    return *answer;
}

void toolkit_find_tools(struct compiling *with)
{
    ask_nvcc(&with->compiler, " _HERE_=", with->tools, sizeof with->tools);
}

bool toolkit_headers(const char *header, char *folder, size_t room)
{
    struct compiler nvcc;
    struct error none = {{0}};
    char there[PATH_MAX + 200];
    if (compiler_find_nvcc(&nvcc, &none) && ask_nvcc(&nvcc, " INCLUDES=\"-I", folder, room)) {
        snprintf(there, sizeof there, "%.4000s/%.60s", folder, header);
        if (!access(there, R_OK))
            return true;
    }
    *folder = '\0';
    return false;
}

int toolkit_capability(int wanted)
{
    return wanted ? wanted : DEFAULT;
}

struct toolkit_stem toolkit_stem_of(const char *source)
{
    const char *slash = strrchr(source, '/'), *name = slash ? slash + 1 : source;
    const char *dot = strrchr(name, '.');
    return (struct toolkit_stem){name, dot ? (int)(dot - name) : (int)strlen(name)};
}

static bool take_ptx(const struct compiling *with, const struct unit *unit, struct error *error)
{
    char kept[PATH_MAX];
    const struct toolkit_stem stem = toolkit_stem_of(unit->source);
    snprintf(kept, sizeof kept, "%s/%.*s.ptx", *unit->keep ? unit->keep : with->folder, stem.length,
             stem.name);
    return !rename(kept, unit->ptx) ||
           error_set(error, "%s left no PTX of %s", with->compiler.label, unit->source);
}

/* How the host's part is compiled where nothing is said of it. nvcc would have it without optimisation, and many programs
 * spend most of their time in their own check of the results. It is optimised as far as what it does stays the same where
 * C++ says nothing, or where it waits for what kernels and other threads store. */
static const char *const host_flags[] = {
    "-O1",
    "-U__OPTIMIZE__", /* headers read the same text */
    /* Memory is read wherever the source reads it: a loop may wait for it. */
    "-fno-tree-fre",
    "-fno-tree-pre",
    "-fno-tree-dominator-opts",
    "-fno-tree-loop-im",
    "-fno-move-loop-invariants",
    /* Functions return, even without a return statement; overflow wraps. */
    "-fsanitize=unreachable",
    "-fsanitize-undefined-trap-on-error",
    "-fwrapv",
    "-fno-delete-null-pointer-checks",
    /* Numbers: no fused operations, and the library's powers. */
    "-ffp-contract=off",
    "-fno-builtin-pow",
    "-fno-builtin-powf",
    /* Who calls is found by frames. */
    "-fno-omit-frame-pointer",
    "-fno-optimize-sibling-calls",
    "-fno-inline-functions-called-once",
};

/* Whether the user has said how the host's part is compiled, or by whom: those flags are gcc's. */
static bool is_host_chosen(const struct compile_options *options)
{
    const struct words *nvcc = &options->nvcc, *host = &options->host;
    bool chosen = getenv("NVCC_CCBIN") != NULL;
    for (int i = 0; i < nvcc->count; i++)
        chosen |= !strncmp(nvcc->word[i], "-O", 2) || strstr(nvcc->word[i], "-ccbin") ||
                  strstr(nvcc->word[i], "-compiler-bindir");
    for (int i = 0; i < host->count; i++)
        chosen |= !strncmp(host->word[i], "-O", 2);
    return chosen;
}

static void add_host_flags(struct words *words)
{
    for (size_t i = 0; i < sizeof host_flags / sizeof *host_flags; i++)
        words_add(words, "-Xcompiler=%s", host_flags[i]);
}

/* To PTX, or to an object and the PTX that is in it. */
static bool run_nvcc(const struct compiling *with, const struct unit *unit, struct error *error)
{
    struct words words = {.count = 0};
    bool host = !with->request->ptx_only;
    words_add(&words, "%s", with->compiler.path);
    words_append(&words, &with->options->nvcc);
    words_add(&words, "-lineinfo");
    words_add(&words, "--threads=2"); /* the host's and the device's text are made at a time */
    words_add(&words, "--extended-lambda");
    words_add(&words, "--expt-relaxed-constexpr");
    const int capability = toolkit_capability(with->options->capability);
    const char *variant = with->options->variant;
    words_add(&words, "-gencode=arch=compute_%d%s,code=compute_%d%s", capability, variant,
              capability, variant); /* -arch=compute_90a would make PTX for 90, too */
    words_add(&words, "-I%s", with->folder);
    words_add(&words, "-MD");
    words_add(&words, "-MF");
    words_add(&words, "%s", unit->rule[0]);
    words_add(&words, host ? "-c" : "-ptx");
    if (with->linked)
        words_add(&words, "-rdc=true");
    if (host) {
        words_add(&words, "-Xcompiler");
        words_add(&words, "-g1"); /* lines of launches and calls that faults are told of */
        if (unit->reads)
            words_add(&words, "-Xcompiler=-fsanitize=thread,--param=tsan-distinguish-volatile=1");
        else if (!is_host_chosen(with->options))
            add_host_flags(&words);
        words_add(&words, "-cudart=shared");
        words_add(&words, "--no-compress");
        words_add(&words, "--keep");
        words_add(&words, "--keep-dir=%s", *unit->keep ? unit->keep : with->folder);
    }
    words_add(&words, "-o");
    words_add(&words, "%s", host ? unit->object : unit->ptx);
    words_add(&words, "%s", unit->source);
    bool good = compile_by_nvcc(with, unit, &words, error) &&
                (!host || !unit->cuda || take_ptx(with, unit, error));
    words_free(&words);
    return good;
}

/* nvcc's own ptxas. */
static bool run_ptxas(const struct compiling *with, const struct unit *unit, struct error *error)
{
    struct words words = {.count = 0};
    words_add(&words, "%s%sptxas", with->tools, *with->tools ? "/" : "");
    words_append(&words, &with->options->ptxas);
    words_add(&words, "-lineinfo");
    words_add(&words, "-arch=sm_%d%s", toolkit_capability(with->options->capability),
              with->options->variant);
    if (with->linked)
        words_add(&words, "-c");
    words_add(&words, "%s", unit->ptx);
    words_add(&words, "-o");
    words_add(&words, "%s", unit->cubin);
    bool good = compile_by_nvcc(with, unit, &words, error);
    words_free(&words);
    return good;
}

/* ---- names ------------------------------------------------------------------------------------------- */

/* A source whose variables are to be named while nvcc compiles it. */
struct naming {
    const struct compiling *with;
    const struct unit *unit;
    struct process process;
    bool started;
};

/* Names of clang's for nvcc's PTX, where there is a clang and it takes the source. */
static int work_on_names(void *context, void *shared)
{
    const struct naming *naming = context;
    struct compiling clang = *naming->with;
    (void)shared;
    if (compiler_find_clang(&clang.compiler, 0, &(struct error){{0}}))
        clang_name(&clang, naming->unit);
    return 0;
}

/* Without a process there are no names: nvcc's registers and addresses serve. */
static void start_naming(struct naming *naming)
{
    naming->started =
        naming->unit->cuda && naming->with->request->names &&
        process_start(&naming->process, 1, work_on_names, naming, &(struct error){{0}});
}

static void end_naming(struct naming *naming)
{
    if (!naming->started)
        return;
    process_wait(&naming->process);
    process_free(&naming->process);
}

/* ---- all --------------------------------------------------------------------------------------------- */

bool toolkit_compile(const struct compiling *with, struct unit *unit, struct error *error)
{
    struct naming naming = {.with = with, .unit = unit};
    offer_header(with);
    start_naming(&naming);
    const bool compiled = run_nvcc(with, unit, error);
    end_naming(&naming);
    return compiled && (!unit->cuda || !with->request->cubins || run_ptxas(with, unit, error));
}
