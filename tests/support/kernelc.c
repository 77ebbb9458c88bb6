/* kernelc.c - the kernel compiler as a program, for tests: prints the PTX of a file, or its errors.
 *
 *     kernelc [-fmad=false] [-DNAME[=VALUE]] [-I FILE]... [-k 'NAME<ARGUMENTS>'] [-t] FILE.cu
 *
 * -I: a file that may be included, by its name with the folder or without. -t: says how long it took and how much memory
 * it needed. Exit status 1: errors.
 */
#include "kernelc/kernelc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static size_t most, now;

static void *resize(void *context, void *pointer, size_t old_size, size_t size)
{
    (void)context;
    now += size - old_size;
    most = now > most ? now : most;
    if (size)
        return realloc(pointer, size);
    free(pointer);
    return NULL;
}

static char *read_file(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    size_t room = 0, got;
    *length = 0;
    if (!file)
        return NULL;
    do {
        text = realloc(text, (room += 65536) + 1);
        if (!text)
            abort();
        got = fread(text + *length, 1, room - *length, file);
        *length += got;
    } while (got);
    fclose(file);
    text[*length] = '\0';
    return text;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

int main(int count, char **argument)
{
    static const char *define[64], *instance[64];
    static struct kernelc_source include[128];
    const struct allocator allocator = {resize, NULL};
    struct kernelc_job job = {
        .allocator = &allocator, .define = define, .instance = instance, .include = include};
    struct kernelc_result result;
    const char *path = NULL;
    bool timed = false;
    for (int i = 1; i < count; i++) {
        if (!strncmp(argument[i], "-D", 2) && job.defines < 64)
            define[job.defines++] = argument[i] + 2;
        else if (!strcmp(argument[i], "-fmad=false"))
            job.apart = true;
        else if (!strcmp(argument[i], "-k") && i + 1 < count && job.instances < 64)
            instance[job.instances++] = argument[++i];
        else if (!strcmp(argument[i], "-I") && i + 1 < count && job.includes < 126) {
            struct kernelc_source *file = &include[job.includes++];
            file->name = argument[++i];
            file->text = read_file(argument[i], &file->length);
            if (!file->text) {
                job.includes--;
                continue;
            }
            struct kernelc_source *bare = &include[job.includes++];
            bare->name = base_name(argument[i]);
            bare->text = read_file(argument[i], &bare->length);
        } else if (!strcmp(argument[i], "-t"))
            timed = true;
        else
            path = argument[i];
    }
    if (!path || !(job.source.text = read_file(path, &job.source.length))) {
        fprintf(stderr, "usage: kernelc [-DNAME=VALUE] [-I FILE] [-k 'NAME<ARGUMENTS>'] FILE.cu\n");
        return 2;
    }
    job.source.name = path;
    const clock_t begin = clock();
    const bool good = kernelc_compile(&job, &result);
    if (timed)
        fprintf(stderr, "%.1f ms, %.1f MiB\n", 1000.0 * (double)(clock() - begin) / CLOCKS_PER_SEC,
                (double)most / (1 << 20));
    for (int i = 0; i < result.messages; i++) {
        if (result.message[i].line)
            fprintf(stderr, "%s:%d:%d: ", result.message[i].file, result.message[i].line,
                    result.message[i].column);
        fprintf(stderr, "%s\n", result.message[i].text);
    }
    if (good && !timed)
        fputs(result.ptx, stdout);
    kernelc_free(&result);
    free((char *)job.source.text);
    for (int i = 0; i < job.includes; i++)
        free((char *)include[i].text);
    return good ? 0 : 1;
}
