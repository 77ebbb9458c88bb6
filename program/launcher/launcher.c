/* launcher.c - a program that launches kernels of PTX: what `run --call` runs where others have a host program.
 *
 *     launcher known=ROW... code=PATH... ptx=PATH... array=TEXT... call=TEXT...
 *
 * It executes nothing but the PTX, on the machine, and is recorded like any other program: it is linked with the
 * runtime (program/runtime/). session.c starts it; the texts are those of machine/given.h, with a kernel's name as
 * its PTX has it, and were read there before, so that what is wrong with them has been told already. ptx is a
 * file of the user's, whose own lines are told of where it names no others.
 */
#include "program/runtime/runtime.h"
#include "machine/given.h"
#include "system/file.h"
#include "system/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ARRAYS = 64, MOST_KNOWN = 256 };
#define MOST_BYTES ((size_t)8 << 30) /* of a file */

struct launcher {
    struct runtime_binary *code;
    struct given_known known[MOST_KNOWN];
    struct given_names names;
    struct given_array array[MOST_ARRAYS];
    int arrays;
    struct error error;
};

static bool add_known(struct launcher *launcher, const char *text)
{
    return launcher->names.rows < MOST_KNOWN &&
           given_known_read(text, &launcher->known[launcher->names.rows++]);
}

static bool add_file(struct launcher *launcher, const char *path, bool own_lines)
{
    size_t length;
    char *text = file_read(path, MOST_BYTES, &length, &launcher->error);
    if (!launcher->code)
        launcher->code = runtime_image_new();
    bool good = text && launcher->code &&
                runtime_image_add(launcher->code, text, length, own_lines ? path : NULL);
    free(text);
    return good || error_set(&launcher->error, "cannot read %s", path);
}

static bool add_code(struct launcher *launcher, const char *path)
{
    return add_file(launcher, path, false);
}

static bool add_ptx(struct launcher *launcher, const char *path)
{
    return add_file(launcher, path, true);
}

/* Puts into it what it is to hold. */
static bool fill_array(struct launcher *launcher, const struct given_array *array, uint8_t *bytes)
{
    if (array->contents != GIVEN_FILE) {
        given_array_fill(array, bytes);
        return true;
    }
    size_t length;
    char *path = memory_copy_of(array->file.at, (size_t)array->file.length);
    char *text = file_read(path, MOST_BYTES, &length, &launcher->error);
    bool good = text && given_array_fill_file(array, text, length, bytes, &launcher->error);
    free(text);
    free(path);
    return good;
}

static bool add_array(struct launcher *launcher, const char *text)
{
    struct given_array *array = &launcher->array[launcher->arrays];
    void *at = NULL;
    if (launcher->arrays == MOST_ARRAYS)
        return error_set(&launcher->error, "more than %d arrays", MOST_ARRAYS);
    if (!given_array_read(text, &launcher->names, GIVEN_MOST, array, &launcher->error))
        return false;
    const size_t bytes = given_array_bytes(array);
    if (!(at = runtime_allocate(bytes, MACHINE_DEVICE)))
        return error_set(&launcher->error, "--array: there is no memory for the %zu bytes of %s",
                         bytes, array->name);
    array->address = (uintptr_t)at;
    launcher->arrays++;
    if (array->contents == GIVEN_UNWRITTEN)
        return true;
    uint8_t *host = runtime_host(at);
    machine_memory_written(runtime_begin()->memory, array->address, bytes);
    return fill_array(launcher, array, host);
}

static bool launch(struct launcher *launcher, const char *text)
{
    struct error *error = &launcher->error;
    struct given_call call;
    char name[4096];
    cudaError_t failed;
    if (!launcher->code)
        return error_set(error, "no code");
    if (!given_call_read(text, &launcher->names, &call, error))
        return false;
    snprintf(name, sizeof name, "%.*s", call.kernel.length, call.kernel.at);
    struct runtime_kernel *kernel = runtime_image_kernel(launcher->code, name, &failed);
    if (!kernel)
        return false; /* it was told of */
    uint8_t *parameters = runtime_new(kernel->facts.parameter_bytes + 8);
    const struct given_binding binding = {.call = &call,
                                          .facts = &kernel->facts,
                                          .array = launcher->array,
                                          .arrays = launcher->arrays,
                                          .names = &launcher->names};
    bool good = parameters && given_check_shape(&call, &kernel->facts, error) &&
                given_bind(&binding, parameters, error);
    kernel->dynamic_most = MACHINE_SHARED;
    const struct runtime_launch what = {.kernel = kernel,
                                        .grid = {call.grid[0], call.grid[1], call.grid[2]},
                                        .block = {call.block[0], call.block[1], call.block[2]},
                                        .shared = call.shared,
                                        .parameters = parameters};
    good = good && (failed = runtime_check_launch(&what)) == cudaSuccess;
    if (good)
        good = (failed = runtime_do_launch(&what)) == cudaSuccess;
    runtime_delete(parameters);
    if (!good && failed != cudaSuccess && runtime_begin()->sticky == cudaSuccess)
        error_set(error, "--call: %s", cudaGetErrorString(failed));
    return good;
}

static void put_elements(FILE *file, const struct given_array *array, const uint8_t *from)
{
    const struct given_type *type = &array->type;
    char text[40];
    if (given_array_is_raw(array->to)) {
        fwrite(from, 1, given_array_bytes(array), file);
        return;
    }
    for (uint64_t i = 0; i < array->count * (uint64_t)type->parts; i++) {
        given_print(type, from + i * type->part, text, sizeof text);
        fprintf(file, "%s\n", text);
    }
}

/* Writes the arrays that are wanted in a file. */
static bool write_arrays(struct launcher *launcher)
{
    bool good = true;
    for (int i = 0; i < launcher->arrays && good; i++) {
        const struct given_array *array = &launcher->array[i];
        struct output output;
        if (!array->to.length)
            continue;
        char *path = memory_copy_of(array->to.at, (size_t)array->to.length);
        good = output_open(&output, path, &launcher->error);
        if (good) {
            put_elements(output.file, array, runtime_host((void *)(uintptr_t)array->address));
            good = output_close(&output, !ferror(output.file), &launcher->error);
        }
        free(path);
    }
    return good;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *word;
        bool (*take)(struct launcher *launcher, const char *text);
    } words[] = {{"known=", add_known},
                 {"code=", add_code},
                 {"ptx=", add_ptx},
                 {"array=", add_array},
                 {"call=", launch}};
    static struct launcher launcher;
    launcher.names.row = launcher.known;
    /* No host program says how much stack its kernels need. */
    bool good = argc > 1 && runtime_begin()->sticky == cudaSuccess &&
                cudaDeviceSetLimit(cudaLimitStackSize, MACHINE_STACK) == cudaSuccess;
    for (int i = 1; i < argc && good; i++)
        for (size_t k = 0; k < sizeof words / sizeof *words; k++)
            if (!strncmp(argv[i], words[k].word, strlen(words[k].word)))
                good = words[k].take(&launcher, argv[i] + strlen(words[k].word));
    good = good && write_arrays(&launcher);
    if (*launcher.error.text)
        fprintf(stderr, "bankscope: %s\n", launcher.error.text);
    return good ? 0 : 1;
}
