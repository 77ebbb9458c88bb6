/* kept.c - what was made of a program the last time, which serves again while all that it depends on is the same. */
#include "program/compile/compile.h"
#include "system/cache.h"
#include "system/file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whether what comes out depends on nothing but sources, their headers and the options: no objects, no
 * libraries but the system's. */
static bool is_kept(const struct compile_request *request, const struct compile_options *options)
{
    static const char *const plain[] = {"-lm", "-lpthread", "-ldl", "-lrt", "-lstdc++"};
    bool kept = true;
    for (int i = 0; i < request->sources; i++)
        kept = kept && !link_takes(request->source[i]);
    for (int i = 0; i < options->link.count; i++) {
        bool known = link_leaves_out(options->link.word[i]);
        for (size_t k = 0; k < sizeof plain / sizeof *plain; k++)
            known = known || !strcmp(options->link.word[i], plain[k]);
        kept = kept && known;
    }
    return kept;
}

void kept_open(struct cache *cache, const struct compiling *with)
{
    const struct compile_request *request = with->request;
    char how[64];
    *cache = (struct cache){.to = NULL};
    if (!is_kept(request, with->options))
        return;
    cache_open(cache, "CUDA program", with->folder);
    cache_here(cache);
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
    const char *path[5 * COMPILE_MOST + 2];
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
        for (int k = 0; k < 2; k++)
            files->path[files->count++] = unit[i].rule[k];
    }
    files->path[files->count++] = program->executable;
    snprintf(files->messages, sizeof files->messages, "%s/messages", program->folder);
    files->path[files->count++] = files->messages;
}

bool kept_find(struct cache *cache, struct compiled_program *program, const struct unit *unit,
               int units)
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
    char *said = file_read(files.messages, COMPILE_MOST_SAID, &length, &none);
    if (said)
        messages_add(&program->messages, said);
    free(said);
    return true;
}

void kept_add(struct cache *cache, const struct compiled_program *program,
              const struct compiling *with, const struct unit *unit)
{
    char bundle[300];
    struct files files;
    list_files(&files, program, unit, with->request->sources);
    for (int i = 0; i < with->request->sources; i++)
        for (int k = 0; k < 2; k++)
            if (!access(unit[i].rule[k], F_OK))
                cache_read(cache, unit[i].rule[k], unit[i].source);
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
