/* page_record.c - what a page calls to record kernels of the catalogue: in the worker; and to have their launches
 * executed elsewhere, from their own source (catalogue.js). */
#include "kernels/catalogue.h"
#include "web/page.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void put_json(FILE *file, const char *text)
{
    fputc('"', file);
    for (; *text; text++)
        if (*text == '"' || *text == '\\' || (unsigned char)*text < ' ')
            fprintf(file, "\\u%04x", *text);
        else
            fputc(*text, file);
    fputc('"', file);
}

static void put_json_list(FILE *file, const char *const *words)
{
    fputc('[', file);
    for (int i = 0; words[i]; i++) {
        fputs(i ? "," : "", file);
        put_json(file, words[i]);
    }
    fputc(']', file);
}

/* What can be recorded, as JSON: [{"name", "summary", "look", "inputs", "params"}, ...]. */
EXPORT(catalogue) const char *page_catalogue(struct page *page)
{
    size_t length;
    FILE *file = page_begin_text(page, &length);
    for (int k = 0; catalogue[k]; k++) {
        const struct kernel *kernel = catalogue[k];
        const char *inputs[32];
        int count = 0;
        for (int bit = 0; input_name(bit); bit++)
            if (kernel->inputs >> bit & 1 && 1u << bit != INPUT_FILE)
                inputs[count++] = input_name(bit);
        inputs[count] = NULL;
        fputs(k ? ",{\"name\":" : "[{\"name\":", file);
        put_json(file, kernel->name);
        fputs(",\"summary\":", file);
        put_json(file, kernel->summary);
        fputs(",\"look\":", file);
        put_json(file, kernel->look ? kernel->look : "");
        fputs(",\"inputs\":", file);
        put_json_list(file, inputs);
        fputs(",\"params\":[", file);
        for (const struct kernel_param *param = kernel->params; param->name; param++) {
            fputs(param == kernel->params ? "{\"name\":" : ",{\"name\":", file);
            put_json(file, param->name);
            fprintf(file,
                    ",\"standard\":%d,\"lowest\":%d,\"highest\":%d,\"help\":", param->standard,
                    param->lowest, param->highest);
            put_json(file, param->help);
            if (param->words) {
                fputs(",\"words\":", file);
                put_json_list(file, param->words);
            }
            fputc('}', file);
        }
        fputs("]}", file);
    }
    fputc(']', file);
    fclose(file);
    return page->text;
}

/* A recipe in full, as JSON: {"kernel", "params": {name: text}, "input", "argument", "launches", "seed", "text"},
 * text being the recipe without defaults. NULL: it is none. */
EXPORT(recipe) const char *page_recipe(struct page *page, const char *words)
{
    struct recipe recipe;
    if (!recipe_parse(&recipe, words, &page->error)) {
        recipe_free(&recipe);
        return NULL;
    }
    char *text = recipe_text(&recipe);
    size_t length;
    FILE *file = page_begin_text(page, &length);
    fputs("{\"kernel\":", file);
    put_json(file, recipe.kernel->name);
    fputs(",\"params\":{", file);
    for (const struct kernel_param *param = recipe.kernel->params; param->name; param++) {
        int value = *param_of(recipe.params, param);
        char number[16];
        snprintf(number, sizeof number, "%d", value);
        fputs(param == recipe.kernel->params ? "" : ",", file);
        put_json(file, param->name);
        fputc(':', file);
        put_json(file, param->words ? param->words[value] : number);
    }
    fputs("},\"input\":", file);
    put_json(file, recipe.input.name);
    fputs(",\"argument\":", file);
    put_json(file, recipe.argument ? recipe.argument : "");
    fprintf(file, ",\"launches\":%d,\"seed\":\"%" PRIu64 "\",\"text\":", recipe_launches(&recipe),
            recipe.input.seed);
    put_json(file, text);
    fputc('}', file);
    fclose(file);
    free(text);
    recipe_free(&recipe);
    return page->text;
}

/* ---- recording, in the worker ---------------------------------------------------------------- */

static bool keep_small(void *context, const struct warp_access *access, struct error *error)
{
    int64_t *left = context;
    *left -= access->lanes;
    return *left >= 0 || error_set(error,
                                   "more than %d accesses are more than a page can hold; choose "
                                   "smaller parameters, or record with bankscope run",
                                   PAGE_ACCESSES);
}

/* Records what the recipe says. The bytes are at page_bytes; 0: failed, and page_error says why. */
EXPORT(record) size_t page_record(struct page *page, const char *words)
{
    struct recipe recipe;
    struct run_result result;
    int64_t left = PAGE_ACCESSES;
    free(page->recorded.byte);
    page->recorded = (struct trace_bytes){.byte = NULL};
    struct trace_sink sinks[] = {{.access = keep_small, .context = &left},
                                 trace_bytes_sink(&page->recorded)};
    struct trace_tee tee = {sinks, 2};
    struct trace_sink sink = trace_tee_sink(&tee);
    bool good = recipe_parse(&recipe, words, &page->error);
    if (good && recipe.input.kind == INPUT_FILE)
        good = error_set(&page->error, "a page reads no files; use the program for --input file");
    good = good && recipe_run(&recipe, NULL, &sink, &result, &page->error);
    recipe_free(&recipe);
    return good ? page->recorded.count : 0;
}

EXPORT(bytes) const void *page_bytes(struct page *page)
{
    return page->recorded.byte;
}

/* ---- a recipe whose launches are executed elsewhere (catalogue.js) ------------------------------ */

struct elsewhere {
    struct page *page;
    int number, launches; /* which of its launches, from 0 */
    const char *stages;   /* of the kernel, as its source names them */
    const char *result;   /* what the launch wrote; NULL: it is to be told */
    size_t bytes;
};

/* Instead of host_run, which runs the launches before. With a launch that is told the recipe ends. */
static bool launch_elsewhere(void *context, const struct launch *launch,
                             const struct trace_sink *sink, struct run_result *result,
                             struct error *error)
{
    static const struct trace_sink nothing = {.context = NULL};
    struct elsewhere *e = context;
    const int *word = launch->params;
    size_t length;
    (void)sink;
    if (e->number-- > 0)
        return host_run(launch, &nothing, result, error);
    if (e->result) {
        memcpy(launch->out, e->result, e->bytes < launch->out_bytes ? e->bytes : launch->out_bytes);
        return true;
    }
    FILE *file = page_begin_text(e->page, &length);
    fprintf(file,
            "{\"launches\":%d,\"words\":\"grid %d 1 1\\nblock %d 1 1\\nwarp %d\\nbanks %d\\n"
            "array 1 %zu given\\narray 2 %zu unwritten\\nwords 0",
            e->launches, launch->header->blocks, launch->header->threads, launch->header->warp,
            launch->header->banks, launch->in_bytes / 4, launch->out_bytes / 4);
    for (size_t i = 0; i < launch->params_bytes / sizeof *word; i++)
        fprintf(file, " %d", word[i]);
    fputs("\\nstages ", file);
    for (const char *at = e->stages; *at; at++)
        if (*at != ' ')
            fputc(*at, file);
    for (int i = 0; i < launch->header->stages; i++)
        fprintf(file, " %s", launch->header->stage[i]);
    fprintf(file, "\\n\",\"bytes\":%zu,\"out\":%zu}", launch->in_bytes, launch->out_bytes);
    fclose(file);
    e->page->recorded.byte = memory_new(launch->in_bytes + 1, 1);
    memcpy(e->page->recorded.byte, launch->in, launch->in_bytes);
    return false;
}

/* A launch of a recipe, as JSON: {"launches", "words" (kernel.c), "bytes" (of its input, at page_bytes), "out" (bytes
 * of its result)}. With the bytes of
 * its result behind the recipe, which ends with a null byte: "" if it is right. NULL: page_error says why not. */
EXPORT(launch)
const char *page_launch(struct page *page, const char *words, int number, size_t bytes)
{
    struct recipe recipe;
    struct run_result result;
    struct elsewhere e = {page, number, 0, "", bytes ? words + strlen(words) + 1 : NULL, bytes};
    const struct run_options options = {.run = launch_elsewhere, .context = &e};
    free(page->recorded.byte);
    page->recorded = (struct trace_bytes){.byte = NULL};
    bool good = recipe_parse(&recipe, words, &page->error);
    e.launches = good ? recipe_launches(&recipe) : 0;
    e.stages = good ? recipe.kernel->stages : "";
    good = good && recipe_run(&recipe, &options, NULL, &result, &page->error);
    recipe_free(&recipe);
    return good ? "" : page->recorded.byte ? page->text : NULL;
}
