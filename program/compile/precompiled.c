/* precompiled.c - cuda_runtime.h as clang has read it: reading it takes half of the time in which a small program is
 * compiled. There is one file for each of the passes, version of clang and capability, kept as programs are
 * (system/cache.c), and none where nothing is kept.
 */
#include "program/compile/compile.h"
#include "system/cache.h"

#include <stdlib.h>
#include <string.h>

/* The capability that clang compiles for. */
static int capability_of(const struct compiling *with, const struct compile_options *options)
{
    char ignored[1];
    return clang_capability(&with->compiler, options->capability, ignored, 0);
}

/* Whether no option of the source's is one on which the header may depend. */
static bool is_plain(const struct compiling *with, const struct unit *unit)
{
    const struct compile_options *options = unit_options(with, unit);
    return unit->cuda && !unit->reads && !options->both.count && !options->host.count &&
           !options->fast_math && !options->flush && !options->no_fusing && !with->references &&
           !with->special && !with->separate && !with->own_warp && !*with->toolkit &&
           capability_of(with, options) == capability_of(with, with->common);
}

bool precompiled_serves(const struct compiling *with, const struct unit *unit)
{
    return is_plain(with, unit) && *with->read[PASS_DEVICE] &&
           (*with->read[PASS_HOST] || with->request->ptx_only);
}

/* Has the header read; what clang says of it, it says again where the header comes with a source. */
static bool read_header(const struct compiling *with, struct words *command, const char *rule,
                        const char *header, const char *to)
{
    char *said;
    struct error none = {{0}};
    words_add(command, "-MD");
    words_add(command, "-MF");
    words_add(command, "%s", rule);
    words_add(command, "-o");
    words_add(command, "%s", to);
    words_add(command, "%s", header);
    const bool good = compile_run_and_hear(with, command, &said, &none) == 0;
    free(said);
    return good;
}

/* The header for a pass, as the file `to`. */
static bool find_one(const struct compiling *with, enum clang_pass pass, const char *to)
{
    char header[4200], rule[320];
    struct cache cache;
    struct words command = {.count = 0};
    snprintf(header, sizeof header, "%s/cuda_runtime.h", with->headers[0]);
    snprintf(rule, sizeof rule, "%.280s.d", to);
    clang_header_command(with, pass, &command);
    cache_open(&cache, "cuda_runtime.h", with->folder);
    cache_tool(&cache, with->compiler.path);
    cache_word(&cache, with->compiler.label);
    for (int i = 0; i < command.count; i++)
        cache_word(&cache, command.word[i]);
    bool found = cache_find(&cache, to);
    if (!found && cache.to) {
        found = read_header(with, &command, rule, header, to);
        if (found) {
            cache_read(&cache, rule, "");
            cache_keep(&cache, to);
        }
    }
    cache_close(&cache);
    words_free(&command);
    return found;
}

void precompiled_find(struct compiling *with, const struct unit *unit)
{
    const int passes = with->request->ptx_only ? PASS_DEVICE + 1 : CLANG_PASSES;
    bool wanted = false;
    for (int i = 0; i < with->request->sources && !with->compiler.is_nvcc; i++)
        wanted = wanted || is_plain(with, &unit[i]);
    for (int pass = 0; pass < CLANG_PASSES; pass++) {
        char to[300];
        with->read[pass][0] = '\0';
        snprintf(to, sizeof to, "%.250s/read-%d", with->folder, pass);
        if (wanted && pass < passes && find_one(with, pass, to))
            strcpy(with->read[pass], to);
    }
}
