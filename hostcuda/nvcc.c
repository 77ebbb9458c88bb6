/* nvcc.c - what nvcc makes of the user's program: runs it in the background and reads its cubins.
 *
 * Only the device code is compiled, to a cubin for the GPU that the engine stands for; with $NVCC, or the
 * nvcc that is found. The program is compiled as it stands, not as the rewriter makes it.
 */
#define _GNU_SOURCE /* realpath */
#include "hostcuda/cubin.h"
#include "record/record.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

struct nvcc {
    const struct program_request *request;
    char path[PATH_MAX]; /* "": there is none */
    char folder[256];    /* "": none */
    struct process process;
    bool started, found; /* whether it runs; whether all cubins were made before */
    struct cache *cache; /* of each source's cubin */
    char reason[400];
    char told[40];
    struct cubin *cubin;
    int cubins;
    const struct built_program *program;
};

/* ---- running it ------------------------------------------------------------------------------ */

static bool is_cu(const char *path)
{
    size_t length = strlen(path);
    return length > 3 && !strcmp(path + length - 3, ".cu");
}

/* $NVCC, or nvcc where the shell would find it, or where the toolkit puts it; "": none. */
static void find_nvcc(char *path, size_t room)
{
    const char *set = getenv("NVCC");
    if (set)
        snprintf(path, room, "%s", set);
    else if (!tool_path("nvcc", path, room) && !tool_path("/usr/local/cuda/bin/nvcc", path, room))
        *path = '\0';
}

/* A file that nvcc makes of a source: "cubin", or "d", which lists what it read. */
static void name_made(const struct nvcc *nvcc, int index, const char *ending, char *path,
                      size_t room)
{
    snprintf(path, room, "%s/%d.%s", nvcc->folder, index, ending);
}

static const char *const options[] = {"-cubin", "-lineinfo",         "-arch=sm_90",
                                      "-w",     "--extended-lambda", "--expt-relaxed-constexpr"};

/* Becomes nvcc, for one source. */
static void become_nvcc(const struct nvcc *nvcc, int index)
{
    const char *words[PROGRAM_MOST + 20];
    char output[300], rule[300], include[PATH_MAX + 8];
    int n = 0;
    const struct program_request *request = nvcc->request;
    name_made(nvcc, index, "cubin", output, sizeof output);
    name_made(nvcc, index, "d", rule, sizeof rule);
    snprintf(include, sizeof include, "-I%s", nvcc->folder);
    words[n++] = nvcc->path;
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        words[n++] = options[i];
    for (int i = 0; i < request->words; i++)
        if (strncmp(request->word[i], "-l", 2) && strncmp(request->word[i], "-L", 2))
            words[n++] = request->word[i];
    words[n++] = include;
    words[n++] = "-MD";
    words[n++] = "-MF";
    words[n++] = rule;
    words[n++] = "-o";
    words[n++] = output;
    words[n++] = request->source[index];
    words[n] = NULL;
    setenv("TMPDIR", nvcc->folder, 1);
    execvp(words[0], (char *const *)(uintptr_t)words);
    fprintf(stderr, "cannot start %s: %s\n", words[0], strerror(errno));
    _exit(127);
}

/* In a process of its own: compiles one source after the other. */
static int compile_all(void *context, void *shared)
{
    const struct nvcc *nvcc = context;
    char messages[300];
    (void)shared;
    setpgid(0, 0); /* so that nvcc's own children end with it */
    signal(SIGTERM, SIG_DFL);
    snprintf(messages, sizeof messages, "%s/messages", nvcc->folder);
    int file = open(messages, O_WRONLY | O_CREAT | O_TRUNC, 0600), none = open("/dev/null", O_RDWR);
    if (file < 0 || none < 0)
        return 1;
    dup2(none, STDIN_FILENO);
    dup2(file, STDOUT_FILENO);
    dup2(file, STDERR_FILENO);
    for (int i = 0; i < nvcc->request->sources; i++) {
        int status = 0;
        char cubin[300];
        name_made(nvcc, i, "cubin", cubin, sizeof cubin);
        if (!is_cu(nvcc->request->source[i]) || !access(cubin, F_OK)) /* found again */
            continue;
        pid_t child = fork();
        if (child == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            become_nvcc(nvcc, i);
        }
        while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
            continue;
        if (child < 0 || status)
            return 1;
    }
    return 0;
}

/* bankscope.h alone: the other headers beside it are stand-ins for nvcc's own. */
static void offer_header(const struct nvcc *nvcc, const char *include)
{
    char from[PATH_MAX], to[300];
    snprintf(from, sizeof from, "%s/bankscope.h", include);
    snprintf(to, sizeof to, "%s/bankscope.h", nvcc->folder);
    if (symlink(from, to))
        return; /* nvcc will say that it is missing */
}

/* Whether nvcc made the cubin of a source before, which is then there. */
static bool find_again(const struct nvcc *nvcc, int index, const char *include)
{
    const struct program_request *request = nvcc->request;
    struct cache *cache = &nvcc->cache[index];
    char path[PATH_MAX + 16];
    if (!program_is_kept(request))
        return false;
    cache_open(cache, "cubin", nvcc->folder);
    cache_tool(cache, nvcc->path);
    cache_tool(cache, "g++"); /* whose headers nvcc takes */
    snprintf(path, sizeof path, "%s/bankscope.h", include);
    cache_file(cache, path);
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        cache_word(cache, options[i]);
    for (int i = 0; i < request->words; i++)
        cache_word(cache, request->word[i]);
    cache_word(cache, request->source[index]);
    cache_source(cache, request->source[index]);
    name_made(nvcc, index, "cubin", path, sizeof path);
    return cache_find(cache, path);
}

struct nvcc *nvcc_start(const struct program_request *request, const char *include)
{
    struct nvcc *nvcc = memory_new(1, sizeof *nvcc);
    struct error error = {{0}};
    nvcc->request = request;
    find_nvcc(nvcc->path, sizeof nvcc->path);
    bool any = false;
    for (int i = 0; i < request->sources; i++)
        any |= is_cu(request->source[i]);
    if (!*nvcc->path || !any)
        return nvcc;
    if (!temporary_make(nvcc->folder, sizeof nvcc->folder, &error))
        return nvcc;
    offer_header(nvcc, include);
    nvcc->cache = memory_new((size_t)request->sources, sizeof *nvcc->cache);
    bool missing = false;
    for (int i = 0; i < request->sources; i++)
        missing |= is_cu(request->source[i]) && !find_again(nvcc, i, include);
    nvcc->started = missing && process_start(&nvcc->process, 1, compile_all, nvcc, &error);
    nvcc->found = !missing;
    if (missing && !nvcc->started)
        snprintf(nvcc->reason, sizeof nvcc->reason, "%.300s", error.text);
    return nvcc;
}

/* The first line of nvcc's messages that names an error. */
static void read_reason(struct nvcc *nvcc)
{
    char path[300], line[300];
    snprintf(path, sizeof path, "%s/messages", nvcc->folder);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\r\n")] = '\0';
        bool is_error = strstr(line, "error") || strstr(line, "cannot start");
        if (*line && (is_error || !*nvcc->reason))
            snprintf(nvcc->reason, sizeof nvcc->reason, "%s", line);
        if (is_error)
            break;
    }
    if (file)
        fclose(file);
    if (!*nvcc->reason)
        snprintf(nvcc->reason, sizeof nvcc->reason, "it failed without a word");
    text_clean(nvcc->reason);
}

/* The index of the user's file of that path, or -1. */
static int user_file(void *context, const char *folder, const char *name)
{
    const struct nvcc *nvcc = context;
    char path[2 * PATH_MAX], real[PATH_MAX];
    snprintf(path, sizeof path, "%s%s%s", *name == '/' ? "" : folder,
             *name == '/' || !*folder ? "" : "/", name);
    if (!realpath(path, real))
        return -1;
    for (size_t i = 0; i < nvcc->program->files; i++)
        if (!strcmp(nvcc->program->file[i].real, real))
            return (int)i;
    return -1;
}

static bool read_cubin(struct nvcc *nvcc, int index, struct error *error)
{
    char path[300];
    struct error ignored = {{0}};
    size_t size;
    name_made(nvcc, index, "cubin", path, sizeof path);
    char *bytes = file_read(path, MOST_CUBIN, &size, &ignored);
    bool good = (bytes || error_set(error, "nvcc left no machine code")) &&
                cubin_read(&nvcc->cubin[nvcc->cubins], bytes, size, user_file, nvcc, error);
    nvcc->cubins += good;
    free(bytes);
    return good;
}

/* Waits for nvcc, and says so where it takes long. */
static int wait_for_nvcc(struct nvcc *nvcc)
{
    int status = 0;
    double begin = clock_seconds();
    bool said = false;
    while (!process_ended(&nvcc->process, &status)) {
        if (!said && isatty(STDERR_FILENO) && clock_seconds() - begin > 1) {
            fprintf(stderr, "\rnvcc compiles, for how wide accesses are (--no-nvcc: as written)");
            said = true;
        }
        usleep(5000);
    }
    if (said)
        fprintf(stderr, "\r\033[K");
    process_free(&nvcc->process);
    nvcc->started = false;
    return status;
}

/* Keeps the cubins that were made now. */
static void keep_cubins(struct nvcc *nvcc)
{
    char rule[300], cubin[300];
    for (int i = 0; i < nvcc->request->sources; i++) {
        name_made(nvcc, i, "d", rule, sizeof rule);
        name_made(nvcc, i, "cubin", cubin, sizeof cubin);
        cache_read(&nvcc->cache[i], rule);
        cache_keep(&nvcc->cache[i], cubin);
    }
}

void nvcc_read(struct nvcc *nvcc, const struct built_program *program)
{
    struct error error = {{0}};
    bool made = nvcc->started;
    if (!made && !nvcc->found)
        return;
    nvcc->program = program;
    if (made && wait_for_nvcc(nvcc)) {
        read_reason(nvcc);
        return;
    }
    nvcc->cubin = memory_new((size_t)nvcc->request->sources, sizeof *nvcc->cubin);
    for (int i = 0; i < nvcc->request->sources && !error.text[0]; i++)
        if (is_cu(nvcc->request->source[i]))
            read_cubin(nvcc, i, &error);
    snprintf(nvcc->reason, sizeof nvcc->reason, "%.300s", error.text);
    if (error.text[0])
        return;
    if (made)
        keep_cubins(nvcc);
    snprintf(nvcc->told, sizeof nvcc->told, "nvcc%s%s for sm_90",
             *nvcc->cubin[0].release ? " " : "", nvcc->cubin[0].release);
}

/* ---- what it made --------------------------------------------------------------------------- */

/* Copies a mangled name as both compilers would write it: without the L of a static function, and with
 * one name for the namespace without a name, "12_GLOBAL__N_1". */
static void common_name(const char *name, char *to, size_t room)
{
    static const char hidden[] = "_GLOBAL__N_";
    size_t n = 0;
    for (const char *at = name; *at && n + 32 < room;) {
        char *end;
        bool digit = *at >= '1' && *at <= '9';
        unsigned long length = digit ? strtoul(at, &end, 10) : 0;
        if (digit && length <= strlen(end) && length >= sizeof hidden - 1 &&
            !strncmp(end, hidden, sizeof hidden - 1)) {
            n += (size_t)snprintf(to + n, room - n, "12_GLOBAL__N_1");
            at = end + length;
        } else if (digit && length <= strlen(end)) {
            size_t bytes = (size_t)(end - at) + length;
            if (n + bytes + 32 >= room)
                break;
            memcpy(to + n, at, bytes);
            n += bytes;
            at += bytes;
        } else if (*at == 'L' && at[1] >= '1' && at[1] <= '9' && n &&
                   (to[n - 1] == 'Z' || to[n - 1] == 'N')) {
            at++;
        } else {
            to[n++] = *at++;
        }
    }
    to[n] = '\0';
}

/* Whether a mangled name has the last part of a plain one: "ours::hidden<int>" is "6hidden" of
 * "_ZN12_GLOBAL__N_16hiddenI...". */
static bool has_part(const char *mangled, const char *name)
{
    char part[300];
    for (const char *colon; (colon = strstr(name, "::")) && colon < name + strcspn(name, "<");)
        name = colon + 2;
    size_t length = strcspn(name, "<");
    snprintf(part, sizeof part, "%zu%.*s", length, (int)(length < 256 ? length : 256), name);
    const char *at = length ? strstr(mangled, part) : NULL;
    return at && at > mangled && (at[-1] < '0' || at[-1] > '9' || strstr(mangled, "_GLOBAL__N_1"));
}

const struct cubin_function *nvcc_function(const struct nvcc *nvcc, const char *name,
                                           const struct cubin **in)
{
    char wanted[4096], other[4096];
    const struct cubin_function *like = NULL;
    int alike = 0;
    common_name(name, wanted, sizeof wanted);
    for (int i = 0; i < nvcc->cubins && !*nvcc->reason; i++)
        for (size_t k = 0; k < nvcc->cubin[i].functions; k++) {
            const struct cubin_function *function = &nvcc->cubin[i].function[k];
            if (!function->kernel)
                continue;
            common_name(function->name, other, sizeof other);
            bool same = !strcmp(wanted, other);
            /* The mangled name is not known of every kernel. */
            if (!same && (!strncmp(name, "_Z", 2) || !has_part(other, name)))
                continue;
            alike++;
            like = function;
            *in = &nvcc->cubin[i];
            if (same)
                return function;
        }
    return alike == 1 ? like : NULL;
}

const char *nvcc_told(const struct nvcc *nvcc)
{
    return nvcc->told;
}

const char *nvcc_reason(const struct nvcc *nvcc)
{
    return nvcc->reason;
}

void nvcc_free(struct nvcc *nvcc)
{
    if (!nvcc)
        return;
    if (nvcc->started) {
        process_kill(&nvcc->process);
        process_wait(&nvcc->process);
        process_free(&nvcc->process);
    }
    for (int i = 0; nvcc->cache && i < nvcc->request->sources; i++)
        cache_close(&nvcc->cache[i]);
    free(nvcc->cache);
    if (*nvcc->folder)
        passing_remove(nvcc->folder);
    for (int i = 0; i < nvcc->cubins; i++)
        cubin_free(&nvcc->cubin[i]);
    free(nvcc->cubin);
    free(nvcc);
}
