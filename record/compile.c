/* compile.c - kernels by name, or compiled from a user's file. */
#define _GNU_SOURCE /* mkdtemp */
#include "record/record.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

bool record_is_kernel_file(const char *word)
{
    size_t length = strlen(word);
    return strchr(word, '/') || (length > 3 && !strcmp(word + length - 3, ".cu"));
}

/* Runs a compiler (words end with NULL); its messages go to standard error. `hint` says what to do
 * when there is none. */
static bool compile(const char *file, const char *const *words, const char *hint,
                    struct error *error)
{
    pid_t child = fork();
    if (child < 0)
        return error_set(error, "cannot start %s: %s", words[0], strerror(errno));
    if (!child) {
        execvp(words[0], (char *const *)(uintptr_t)words);
        _exit(127);
    }
    int status = process_wait(child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
        return error_set(error, "%s cannot be run; %s", words[0], hint);
    if (!WIFEXITED(status) || WEXITSTATUS(status))
        return error_set(error, "%s does not compile; the lines above say why", file);
    return true;
}

static const char *tool(const char *variable, const char *otherwise)
{
    const char *name = getenv(variable);
    return name && *name ? name : otherwise;
}

/* FILE.cu for the host; also the host's part of one for CUDA, without linking. */
static bool compile_host(const char *file, const char *include, const char *object, bool link,
                         struct error *error)
{
    const char *const words[] = {tool("CC", "cc"),
                                 "-std=gnu11",
                                 "-O1",
                                 "-g",
                                 "-Wall",
                                 "-Wno-unused",
                                 include,
                                 "-DBANKSCOPE_USER_KERNEL",
                                 link ? "-UHAVE_CUDA" : "-DHAVE_CUDA",
                                 "-fPIC",
                                 link ? "-shared" : "-c",
                                 "-o",
                                 object,
                                 "-x",
                                 "c",
                                 file,
                                 NULL};
    return compile(file, words, "there is no C compiler: install gcc or set CC", error);
}

/* FILE.cu for CUDA: the traced kernel by nvcc, the rest by the C compiler. */
static bool compile_cuda(const char *file, const char *include, const char *folder,
                         const char *object, struct error *error)
{
    const char *nvcc = tool(
        "NVCC", access("/usr/local/cuda/bin/nvcc", X_OK) ? "nvcc" : "/usr/local/cuda/bin/nvcc");
    const char *hint = "there is no CUDA compiler: install the CUDA toolkit or set NVCC";
    char host[PATH_MAX + 16], device[PATH_MAX + 16];
    snprintf(host, sizeof host, "%s/host.o", folder);
    snprintf(device, sizeof device, "%s/device.o", folder);
    const char *const traced[] = {nvcc,
                                  "-std=c++17",
                                  "-O3",
                                  "-lineinfo",
                                  "-arch=native",
                                  include,
                                  "-DSIMT_TRACED",
                                  "-DBANKSCOPE_USER_KERNEL",
                                  "-Xcompiler",
                                  "-fPIC,-fno-gnu-unique",
                                  "-c",
                                  "-o",
                                  device,
                                  "-x",
                                  "cu",
                                  file,
                                  NULL};
    /* Names are resolved in the object itself, not in a kernel of that name in the catalogue. */
    const char *const link[] = {nvcc,   "-shared", "-Xlinker", "-Bsymbolic", "-o",
                                object, device,    host,       NULL};
    bool good = compile_host(file, include, host, false, error) &&
                compile(file, traced, hint, error) && compile(file, link, hint, error);
    unlink(host);
    unlink(device);
    return good;
}

/* What a user's kernel must have before it is trusted to be run. */
static bool is_whole(const struct kernel *kernel, const char *file, struct error *error)
{
    const char *missing = !kernel->name      ? ".name"
                          : !kernel->params  ? ".params"
                          : !kernel->shape   ? ".shape"
                          : !kernel->prepare ? ".prepare"
                          : !kernel->check   ? ".check"
                                             : NULL;
    return !missing || error_set(error, "%s: its ENTRY has no %s", file, missing);
}

static const struct kernel *load_kernel(const char *file, bool cuda, struct error *error)
{
    char data[PATH_MAX], include[PATH_MAX + 2], folder[PATH_MAX], object[PATH_MAX + 16];
    const char *temporary = temporary_folder();
    const struct kernel *kernel = NULL;

    struct stat status = {0};
    if (stat(file, &status) || S_ISDIR(status.st_mode) || access(file, R_OK)) {
        error_set(error, "cannot read %s: %s", file,
                  strerror(S_ISDIR(status.st_mode) ? EISDIR : errno));
        return NULL;
    }
    if (!data_path("", data, sizeof data, error))
        return NULL;
    snprintf(include, sizeof include, "-I%s", data);
    snprintf(folder, sizeof folder, "%s/bankscope-XXXXXX", temporary);
    if (!mkdtemp(folder)) {
        error_set(error, "cannot make a folder in %s: %s; set TMPDIR", temporary, strerror(errno));
        return NULL;
    }
    snprintf(object, sizeof object, "%s/kernel.so", folder);
    if (cuda ? compile_cuda(file, include, folder, object, error)
             : compile_host(file, include, object, true, error)) {
        void *library = dlopen(object, RTLD_NOW | RTLD_LOCAL);
        kernel = library ? dlsym(library, "bankscope_kernel") : NULL;
        if (!library)
            error_set(error, "cannot load %s: %s", file, dlerror());
        else if (!kernel)
            error_set(error,
                      "%s has no ENTRY; see instrument/simt.h and kernels/kernel.h for the "
                      "plot of a kernel file",
                      file);
        else if (!is_whole(kernel, file, error))
            kernel = NULL;
    }
    unlink(object);
    rmdir(folder);
    return kernel;
}

const struct kernel *record_kernel(const char *name_or_file, enum backend backend,
                                   struct error *error)
{
    if (!record_is_kernel_file(name_or_file))
        return catalogue_find(name_or_file, error);
#ifndef HAVE_CUDA
    if (backend == BACKEND_CUDA) {
        error_set(error,
                  "this program was built without the CUDA backend, so it cannot run %s there; "
                  "use --backend host",
                  name_or_file);
        return NULL;
    }
#endif
    return load_kernel(name_or_file, backend == BACKEND_CUDA, error);
}
