/* messages.c - what compilers say: each message once, though two passes say it; and in our words where a
 * header or a function is missing that cannot be had here. */
#include "program/compile/compile.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- all of it, once --------------------------------------------------------------------------- */

static bool starts(const char *line, const char *with)
{
    return !strncmp(line, with, strlen(with));
}

/* Whether a word is in the line, which ends at `end`. */
static bool has(const char *line, const char *end, const char *word)
{
    const char *at = strstr(line, word);
    return at && at < end;
}

/* "2 warnings generated when compiling for sm_80.", "1 error detected in the compilation of ..." */
static bool only_counts(const char *line, const char *end)
{
    return (has(line, end, " generated") || has(line, end, " detected in the compilation of")) &&
           *line >= '0' && *line <= '9';
}

/* A message begins with its place, or with the files that led there. */
static bool begins_message(const char *line, const char *end, bool included)
{
    if (starts(line, "In file included from "))
        return true;
    return !included && (has(line, end, "error") || has(line, end, "warning")) &&
           (has(line, end, ": error") || has(line, end, ": warning") ||
            has(line, end, ": fatal error") || has(line, end, ": catastrophic error"));
}

/* The end of the message at `text`: where the next one begins. */
static const char *end_of_message(const char *text)
{
    const char *line = text;
    bool included = starts(line, "In file included from ");
    for (;;) {
        const char *end = line + strcspn(line, "\n");
        if (!*end)
            return end;
        line = end + 1;
        if (!*line)
            return line;
        end = line + strcspn(line, "\n");
        bool leads =
            starts(line, "In file included from ") || starts(line, "                 from ");
        if (begins_message(line, end, included) && !(included && leads))
            return line;
        included = included && leads;
    }
}

void messages_add(char **all, const char *text)
{
    while (*text) {
        const char *end = end_of_message(text);
        size_t before = strlen(*all), length = 0;
        char *more = memory_new(before + (size_t)(end - text) + 2, 1), *one = more + before;
        memcpy(more, *all, before);
        for (const char *line = text, *next; line < end; line = next) {
            next = line + strcspn(line, "\n");
            bool counts = only_counts(line, next);
            next += *next == '\n';
            if (!counts) {
                memcpy(one + length, line, (size_t)(next - line));
                length += (size_t)(next - line);
            }
        }
        if (length && one[length - 1] != '\n')
            one[length] = '\n';
        if (!*one || strstr(*all, one)) {
            free(more);
        } else {
            free(*all);
            *all = more;
        }
        text = end;
    }
}

/* ---- headers ------------------------------------------------------------------------------------- */

enum where { WITH_NVCC, NOWHERE };
/* What a header belongs to that is not there, by how its name begins; and one by which to know a folder that has them,
 * which is no folder of ours or the user's. */
static const struct library {
    const char *header, *name;
    enum where where;
    const char *sign;
} libraries[] = {
    {"thrust/", "Thrust", WITH_NVCC, "thrust/version.h"},
    {"cub/", "CUB", WITH_NVCC, "cub/version.cuh"},
    {"cuda/", "libcu++", WITH_NVCC, "nv/target"},
    {"nv/", "libcu++", WITH_NVCC, "nv/target"},
    {"cccl/", "CCCL", WITH_NVCC, NULL},
    {"curand_", "cuRAND's generators for kernels", WITH_NVCC, NULL},
    {"cooperative_groups/", "the toolkit", WITH_NVCC, NULL},
    {"crt/", "the toolkit", WITH_NVCC, NULL},
    {"cudnn", "cuDNN", NOWHERE, NULL},
    {"cublasXt", "cuBLASXt", NOWHERE, NULL},
    {"cufftXt", "cuFFT", NOWHERE, NULL},
    {"cufftw", "cuFFTW", NOWHERE, NULL},
    {"cusolver", "cuSOLVER", NOWHERE, NULL},
    {"cusparse", "cuSPARSE", NOWHERE, NULL},
    {"cutensor", "cuTENSOR", NOWHERE, NULL},
    {"npp", "NPP", NOWHERE, NULL},
    {"nvjpeg", "nvJPEG", NOWHERE, NULL},
    {"nvrtc", "NVRTC", NOWHERE, NULL},
    {"nvml", "NVML", NOWHERE, NULL},
    {"cupti", "CUPTI", NOWHERE, NULL},
    {"nccl", "NCCL", NOWHERE, NULL},
    {"optix", "OptiX", NOWHERE, NULL},
    {"cuda_gl_interop", "CUDA's way to OpenGL", NOWHERE, NULL},
    {"cuda_egl_interop", "CUDA's way to EGL", NOWHERE, NULL},
    {"cuda_vdpau_interop", "CUDA's way to VDPAU", NOWHERE, NULL},
};

/* The header that was not found, out of "app.cu:3:10: fatal error: 'cub/cub.cuh' file not found" (clang) or
 * "app.cu:3:10: fatal error: cub/cub.cuh: No such file or directory" (g++). NULL: no such line. */
static const char *missing_header(const char *text, char *header, size_t room)
{
    static const char fatal[] = "fatal error: ";
    for (const char *line = text, *at; (at = strstr(line, fatal)) != NULL; line = at + 1) {
        const char *name = at + sizeof fatal - 1, *end = name + strcspn(name, "\n");
        name += *name == '\'';
        if (!has(name, end, "file not found") && !has(name, end, "No such file"))
            continue;
        snprintf(header, room, "%.*s", (int)strcspn(name, "':\n"), name);
        while (at > text && at[-1] != '\n')
            at--;
        return at;
    }
    return NULL;
}

/* A place among the messages, "app.cu:3", and a header that is included there. */
struct inclusion {
    const char *place, *header;
    int place_length, header_length;
    const struct library *library;
};

/* Whether a path is that of a library's header: which, and where its name begins. */
static bool is_of_library(const char *path, int length, struct inclusion *is)
{
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
        for (const char *at = path; libraries[i].sign; at++) {
            char sign[PATH_MAX];
            at = strstr(at, libraries[i].header);
            if (!at || at >= path + length)
                break;
            if (at > path && at[-1] != '/')
                continue;
            snprintf(sign, sizeof sign, "%.*s%s", (int)(at - path), path, libraries[i].sign);
            if (access(sign, F_OK))
                continue;
            is->library = &libraries[i];
            is->header = at;
            is->header_length = (int)(path + length - at);
            return true;
        }
    return false;
}

/* The library's header that clang has found and makes errors of, by the files that led to them:
 *
 *     In file included from app.cu:3:
 *     In file included from /usr/local/cuda/include/cccl/cub/cub.cuh:37:
 *     /usr/local/cuda/include/cccl/cub/config.cuh:42:2: error: ... */
static bool header_with_errors(const char *text, struct inclusion *is)
{
    static const char from[] = "In file included from ";
    for (const char *message = text; *message; message = end_of_message(message)) {
        *is = (struct inclusion){.library = NULL};
        for (const char *line = message, *end; *line; line = end + 1) {
            const bool leads = starts(line, from);
            const char *path = leads ? line + sizeof from - 1 : line;
            end = line + strcspn(line, "\n");
            if (!is->library && !is_of_library(path, (int)strcspn(path, ":\n"), is)) {
                is->place = path;
                is->place_length = (int)(strcspn(path, ":\n"));
                is->place_length += path[is->place_length] == ':';
                is->place_length += (int)strspn(path + is->place_length, "0123456789");
            }
            if (!leads && is->library && has(line, end, "error: "))
                return true;
            if (!leads || !*end)
                break;
        }
    }
    return false;
}

/* The header that was not found. */
static bool header_not_found(const char *text, char *header, size_t room, struct inclusion *is)
{
    const char *line = missing_header(text, header, room);
    *is = (struct inclusion){.library = NULL};
    for (size_t i = 0; line && !is->library && i < sizeof libraries / sizeof *libraries; i++)
        if (starts(header, libraries[i].header))
            is->library = &libraries[i];
    if (!is->library)
        return false;
    const char *colon = strchr(line, ':');
    is->place = line;
    is->place_length = colon ? (int)(colon + 1 + strspn(colon + 1, "0123456789") - line) : 0;
    is->header = header;
    is->header_length = (int)strlen(header);
    return true;
}

/* Whether a kernel launches a kernel, by what clang says: "app.cu:3:58: error: reference to __global__ function 'child' in
 * __global__ function". */
static bool launches_from_kernels(const char *text, const char *help, struct error *error)
{
    static const char kind[] = ": error: reference to __global__ function '";
    const char *at = strstr(text, kind), *place = at;
    if (!at || !strstr(at, "' in __"))
        return false;
    while (place > text && place[-1] != '\n')
        place--;
    const size_t file = strcspn(place, ":") + 1;
    const char *name = at + sizeof kind - 1;
    error_set(error,
              "%.*s: clang does not compile kernels that launch kernels, as %.*s is launched here "
              "(dynamic parallelism): %s",
              (int)(file + strspn(place + file, "0123456789")), place, (int)strcspn(name, "'"),
              name, help);
    return true;
}

/* Whether a kernel waits for its children, by what nvcc says: 'app.cu(2): error: identifier "cudaDeviceSynchronize" is
 * undefined in device code'. */
static bool waits_for_children(const char *text, struct error *error)
{
    static const char kind[] =
        "error: identifier \"cudaDeviceSynchronize\" is undefined in device code";
    const char *at = strstr(text, kind), *place = at;
    while (at && place > text && place[-1] != '\n')
        place--;
    if (at)
        error_set(error,
                  "%.*s: kernels have no cudaDeviceSynchronize since CUDA 12: what comes behind a "
                  "kernel's children is a kernel of its own, launched into cudaStreamTailLaunch",
                  (int)strcspn(place, ":\n"), place);
    return at;
}

bool messages_name_header(const char *text, bool clangs, bool has_nvcc, struct error *error)
{
    char header[200];
    struct inclusion is;
    const char *help =
        has_nvcc ? "compile it with nvcc (--compiler nvcc)" : "install the CUDA toolkit, for nvcc";
    if (!header_not_found(text, header, sizeof header, &is) &&
        !(clangs && header_with_errors(text, &is)))
        return clangs ? launches_from_kernels(text, help, error) : waits_for_children(text, error);
    if (is.library->where == NOWHERE)
        error_set(error,
                  "%.*s: %.*s is of %s, which cannot be had without a GPU: only kernels that the "
                  "program brings itself run here",
                  is.place_length, is.place, is.header_length, is.header, is.library->name);
    else
        error_set(error, "%.*s: %.*s is of %s, whose templates need NVIDIA's headers: %s",
                  is.place_length, is.place, is.header_length, is.header, is.library->name, help);
    return true;
}

/* ---- the linker ------------------------------------------------------------------------------------ */

/* A kernel is told by its own name, not by that of what launches it. */
static bool name_undefined(const char *object, struct error *error)
{
    static const char stub[] = "__device_stub__";
    char line[300];
    snprintf(line, sizeof line, "%.*s", (int)strcspn(object, "\r\n"), object);
    for (char *at; (at = strstr(line, stub));)
        memmove(at, at + sizeof stub - 1, strlen(at + sizeof stub - 1) + 1);
    return error_set(error,
                     "the program does not link: %s; give the file or library that has it, or it "
                     "is something that cannot be had without a GPU",
                     line);
}

bool messages_of_linker(const char *text, struct error *error)
{
    const char *object = strstr(text, "undefined reference"),
               *twice = strstr(text, "multiple definition");
    const char *said = twice ? twice : object;
    if (object && starts(object, "undefined reference to `main'"))
        return error_set(error,
                         "the program has no main(): give the file that launches its kernels, "
                         "too, or say how to launch one (--call)");
    if (object && !twice)
        return name_undefined(object, error);
    if (!said)
        said = *text ? text : "the linker failed without a word";
    return error_set(error, "the program does not link: %.*s", (int)strcspn(said, "\r\n"), said);
}
