/* kept.c - what was made of a program the last time, which serves again while all that it depends on is the same. Of
 * several sources, those that have changed are compiled.
 */
#include "program/compile/compile.h"
#include "system/cache.h"
#include "system/file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool kept_as_one(const struct compiling *with)
{
    const struct compile_request *request = with->request;
    const struct compile_options *options = with->options;
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

/* What all sources depend on. */
static void open_common(struct cache *cache, const struct compiling *with, const char *what)
{
    const struct compile_request *request = with->request;
    char how[64];
    cache_open(cache, what, with->folder);
    cache_here(cache);
    cache_tool(cache, with->compiler.path);
    if (with->compiler.is_nvcc)
        cache_tool(cache, "g++"); /* whose headers nvcc takes */
    for (int i = 0; i < 2; i++)
        cache_word(cache, with->headers[i]);
    snprintf(how, sizeof how, "%s %d %d %d %d", with->compiler.label, request->ptx_only,
             request->names, request->cubins, request->host_reads);
    cache_word(cache, how);
    for (int i = 0; i < request->words; i++)
        cache_word(cache, request->word[i]);
}

static void add_source(struct cache *cache, const struct compile_request *request, int i)
{
    for (int k = 0; request->own && k < request->own[i].words; k++)
        cache_word(cache, request->own[i].word[k]);
    cache_word(cache, request->source[i]);
    cache_source(cache, request->source[i]);
}

void kept_open(struct cache *cache, const struct compiling *with)
{
    const struct compile_request *request = with->request;
    *cache = (struct cache){.to = NULL};
    if (!kept_as_one(with))
        return;
    open_common(cache, with, "CUDA program");
    if (request->runtime)
        cache_file(cache, request->runtime);
    for (int i = 0; i < request->sources; i++)
        add_source(cache, request, i);
}

/* ---- one source of several --------------------------------------------------------------------------- */

/* What is made of a source, of which some may not be there, and what the compiler said. */
enum { UNIT_FILES = 7 };
static void list_unit(const char **path, const struct unit *unit, const char *said)
{
    const char *const file[UNIT_FILES] = {unit->ptx,     unit->cubin,   unit->names, unit->object,
                                          unit->rule[0], unit->rule[1], said};
    memcpy(path, file, sizeof file);
}

static void name_bundle(const struct unit *unit, char *path, size_t room)
{
    snprintf(path, room, "%s.bundle", unit->object);
}

bool kept_find_unit(struct cache *cache, const struct compiling *with, const struct unit *unit,
                    int number, const char *said)
{
    const struct compile_options *options = unit_options(with, unit);
    char how[64], bundle[320];
    const char *path[UNIT_FILES];
    open_common(cache, with, "CUDA source");
    snprintf(how, sizeof how, "%d %d %d %d %d %d %d %d %d %d", options->capability, with->linked,
             *unit->spaced != 0, with->references, with->separate, with->special, with->own_warp,
             *with->toolkit != 0, unit->cuda, unit->reads);
    cache_word(cache, how);
    add_source(cache, with->request, number);
    list_unit(path, unit, said);
    name_bundle(unit, bundle, sizeof bundle);
    const bool found = cache_find(cache, bundle) && bundle_read(bundle, path, UNIT_FILES);
    unlink(bundle);
    return found;
}

void kept_add_unit(struct cache *cache, const struct unit *unit, const char *said)
{
    char bundle[320];
    const char *path[UNIT_FILES];
    for (int k = 0; k < 2; k++)
        if (!access(unit->rule[k], F_OK))
            cache_read(cache, unit->rule[k], unit->source);
    list_unit(path, unit, said);
    name_bundle(unit, bundle, sizeof bundle);
    if (bundle_write(bundle, path, UNIT_FILES))
        cache_keep(cache, bundle);
    unlink(bundle);
}

/* ---- a program --------------------------------------------------------------------------------------- */

/* The files of a program, of which some may not be there: its PTX, its cubins, itself, and what the
 * compiler said. */
struct files {
    const char *path[BUNDLE_MOST];
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
