/* kernel_told.c - what a launch of a kernel that is written in a page tells: its accesses by line, faults, arrays. */
#include "web/kernel.h"
#include "base/text.h"
#include "grade/run.h"

#include <inttypes.h>
#include <string.h>

enum { MOST_SHOWN = 32 }; /* elements of an array */

/* A vector of floats is one of its parts, many times. */
static void scalar_of(const char *name, int bytes, bool *real, int *part)
{
    *real = strstr(name, "float") || strstr(name, "double");
    const size_t length = strlen(name);
    const char last = length ? name[length - 1] : 0;
    const bool is_vector = last >= '1' && last <= '4' && !strstr(name, "64") && !strstr(name, "32");
    *part = is_vector ? bytes / (last - '0') : bytes;
}

static const char *array_name(const struct kernels *k, const char *symbol)
{
    for (int i = 0; i < k->compiled.arrays; i++)
        if (symbol && !strcmp(k->compiled.array[i].symbol, symbol))
            return k->compiled.array[i].name;
    for (int i = 0; symbol && i < k->compiled.kernels; i++) {
        const struct kernelc_kernel *kernel = &k->compiled.kernel[i];
        const size_t length = strlen(kernel->symbol);
        int number = -1;
        if (!strncmp(symbol, kernel->symbol, length) &&
            sscanf(symbol + length, "_param_%d", &number) == 1 && number >= 0 &&
            number < kernel->parameters)
            return kernel->parameter[number].name;
    }
    return symbol ? symbol : "";
}

static void put_accesses(FILE *file, const struct kernels *k,
                         const struct kernel_recording *recording,
                         const struct machine_outcome *outcome)
{
    bool first = true;
    fputs(",\"accesses\":[", file);
    for (int i = 0; i < outcome->counts; i++) {
        const struct machine_count *count = &outcome->count[i];
        struct machine_access_facts facts;
        machine_kernel_access(recording->kernel, i, &facts);
        if (!count->instructions)
            continue;
        fprintf(file,
                "%s{\"line\":%d,\"global\":%d,\"bytes\":%d,\"instructions\":%" PRIu64
                ",\"lanes\":%" PRIu64 ",\"passes\":%" PRIu64 ",\"conflicts\":%" PRIu64
                ",\"ways\":%u",
                first ? "" : ",", kernel_recording_line(recording, facts.site), facts.global,
                facts.bytes, count->instructions, count->lanes, count->passes, count->conflicts,
                count->max_ways);
        kernels_put_name(file, ",\"op\"", op_name(facts.op));
        const char *part = facts.global ? NULL : kernel_recording_part(recording, i);
        kernels_put_name(file, ",\"array\"", part ? part : array_name(k, facts.array));
        fputc('}', file);
        first = false;
    }
    fputc(']', file);
}

/* "byte 124 of simt_memory", which stands there, by the part of shared memory that the kernel names: "byte 60 of tile".
 * Returns how much of the text it is; 0: it is no such place. */
static size_t name_part(char *to, size_t room, const struct kernel_recording *r, const char *text)
{
    struct machine_shared shared;
    uint32_t byte;
    int used = 0;
    if (sscanf(text, "byte %" SCNu32 " of %n", &byte, &used) != 1 || !used)
        return 0;
    for (int i = 0; machine_kernel_shared(r->kernel, i, &shared); i++) {
        const size_t length = strlen(shared.name);
        if (strncmp(text + used, shared.name, length) != 0)
            continue;
        for (int k = 0; k < r->parts; k++)
            if (shared.offset + byte - r->part[k].from < r->part[k].bytes) {
                text_add(to, room, "byte %" PRIu32 " of %s", shared.offset + byte - r->part[k].from,
                         r->part[k].name);
                return (size_t)used + length;
            }
    }
    return 0;
}

/* A fault's text, in which arrays are called as in the source. */
static void put_fault_text(FILE *file, const struct kernels *k,
                           const struct kernel_recording *recording, const char *text)
{
    char parts[sizeof k->fault->text] = "", named[sizeof parts];
    while (*text) {
        const size_t part = name_part(parts, sizeof parts, recording, text);
        if (!part)
            text_add(parts, sizeof parts, "%c", *text);
        text += part ? part : 1;
    }
    grade_name_arrays(&k->compiled, parts, named, sizeof named);
    kernels_put_name(file, ",\"text\"", named);
}

static void put_faults(FILE *file, const struct kernels *k,
                       const struct kernel_recording *recording)
{
    fputs(",\"faults\":[", file);
    for (int i = 0; i < k->faults; i++) {
        const struct machine_fault *fault = &k->fault[i];
        kernels_put_name(file, i ? ",{\"kind\"" : "{\"kind\"", machine_fault_name(fault->kind));
        put_fault_text(file, k, recording, fault->text);
        fprintf(file, ",\"line\":%d,\"other\":%d,\"ends\":%d,\"count\":%" PRIu64 "}",
                kernel_recording_line(recording, fault->site),
                kernel_recording_line(recording, fault->other_site),
                machine_fault_ends(fault->kind), fault->count);
    }
    fputc(']', file);
}

static void put_element(FILE *file, const uint8_t *at, bool real, int bytes)
{
    float single;
    double number;
    int64_t whole = 0;
    if (real && bytes == 4) {
        memcpy(&single, at, 4);
        number = single;
    } else if (real && bytes == 8) {
        memcpy(&number, at, 8);
    } else {
        memcpy(&whole, at, bytes < 8 ? (size_t)bytes : 8);
        const int shift = bytes < 8 ? 64 - 8 * bytes : 0;
        fprintf(file, "\"%" PRId64 "\"", (int64_t)((uint64_t)whole << shift) >> shift);
        return;
    }
    fprintf(file, "\"%.6g\"", number);
}

static void put_arrays(FILE *file, const struct kernels *k, const struct kernelc_kernel *kernel)
{
    bool first = true;
    fputs(",\"arrays\":[", file);
    for (int i = 0; i < kernel->parameters && i < MOST_PARAMETERS; i++) {
        const struct array *array = &k->array[i];
        char type[200];
        bool real;
        int part;
        if (!array->bytes || !kernels_pointee(kernel->parameter[i].type, type, sizeof type))
            continue;
        scalar_of(type, (int)(array->size / array->count), &real, &part);
        kernels_put_name(file, first ? "{\"name\"" : ",{\"name\"", kernel->parameter[i].name);
        fprintf(file, ",\"parts\":%" PRIu64 ",\"values\":[", array->size / (uint64_t)part);
        for (uint64_t j = 0; j < array->size / (uint64_t)part && j < MOST_SHOWN; j++) {
            fputs(j ? "," : "", file);
            put_element(file, array->bytes + j * (uint64_t)part, real, part);
        }
        fputs("]}", file);
        first = false;
    }
    fputc(']', file);
}

void kernels_tell(struct kernels *k, const struct kernel_recording *recording,
                  const struct machine_outcome *outcome)
{
    size_t ignored;
    FILE *file = kernels_text(k, &ignored);
    fprintf(file,
            "{\"good\":%d,\"blocks\":%" PRIu64 ",\"kept\":%" PRIu64 ",\"instructions\":%" PRIu64
            ",\"lanes\":%" PRIu64,
            outcome->good, outcome->blocks, recording->blocks, outcome->instructions,
            outcome->lane_instructions);
    put_accesses(file, k, recording, outcome);
    put_faults(file, k, recording);
    put_arrays(file, k, recording->of);
    kernels_put_name(file, ",\"printed\"", k->printed);
    fputc('}', file);
    fclose(file);
}
