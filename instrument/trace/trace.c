/* trace.c - what a trace consists of: its header, its operations; and a sink that feeds several
 * sinks. */
#include "instrument/trace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- the header ------------------------------------------------------------------------------ */

struct trace_member *members_copy(const struct trace_member *member, int members)
{
    struct trace_member *copy = members ? memory_new((size_t)members, sizeof *copy) : NULL;
    for (int i = 0; i < members; i++)
        copy[i] = (struct trace_member){.name = memory_copy(member[i].name),
                                        .type = memory_copy(member[i].type),
                                        .addr = member[i].addr};
    return copy;
}

void members_free(struct trace_member *member, int members)
{
    for (int i = 0; member && i < members; i++) {
        free(member[i].name);
        free(member[i].type);
    }
    free(member);
}

void header_copy(struct trace_header *to, const struct trace_header *from)
{
    *to = *from;
    to->kernel = memory_copy(from->kernel);
    to->backend = memory_copy(from->backend);
    to->device = memory_copy(from->device);
    to->input = memory_copy(from->input);
    to->stage = memory_new((size_t)from->stages + 1, sizeof *to->stage);
    for (int i = 0; i < from->stages; i++)
        to->stage[i] = memory_copy(from->stage[i]);
    to->param = memory_new((size_t)from->params, sizeof *to->param);
    for (int i = 0; i < from->params; i++) {
        const struct trace_param *param = &from->param[i];
        to->param[i] = (struct trace_param){.name = memory_copy(param->name),
                                            .word = param->word ? memory_copy(param->word) : NULL,
                                            .number = param->number};
    }
    to->array = memory_new((size_t)from->arrays, sizeof *to->array);
    for (int i = 0; i < from->arrays; i++) {
        to->array[i] = from->array[i];
        to->array[i].name = memory_copy(from->array[i].name);
        to->array[i].type = memory_copy(from->array[i].type);
        to->array[i].member = members_copy(from->array[i].member, from->array[i].members);
    }
    to->site = memory_new((size_t)from->sites, sizeof *to->site);
    for (int i = 0; i < from->sites; i++) {
        const struct trace_site *site = &from->site[i];
        to->site[i] = (struct trace_site){.file = memory_copy(site->file),
                                          .function = memory_copy(site->function),
                                          .text = memory_copy(site->text),
                                          .array = memory_copy(site->array),
                                          .line = site->line,
                                          .code = site->code};
    }
    to->code = memory_new((size_t)from->codes, sizeof *to->code);
    for (int i = 0; i < from->codes; i++) {
        const struct trace_code *code = &from->code[i];
        to->code[i] = (struct trace_code){.file = memory_copy(code->file),
                                          .text = memory_copy(code->text),
                                          .became = memory_copy(code->became),
                                          .line = code->line,
                                          .sass = code->sass};
    }
}

void header_free(struct trace_header *header)
{
    free(header->kernel);
    free(header->backend);
    free(header->device);
    free(header->input);
    for (int i = 0; header->stage && i < header->stages; i++)
        free(header->stage[i]);
    free(header->stage);
    for (int i = 0; header->param && i < header->params; i++) {
        free(header->param[i].name);
        free(header->param[i].word);
    }
    free(header->param);
    for (int i = 0; header->array && i < header->arrays; i++) {
        free(header->array[i].name);
        free(header->array[i].type);
        members_free(header->array[i].member, header->array[i].members);
    }
    free(header->array);
    for (int i = 0; header->site && i < header->sites; i++) {
        free(header->site[i].file);
        free(header->site[i].function);
        free(header->site[i].text);
        free(header->site[i].array);
    }
    free(header->site);
    for (int i = 0; header->code && i < header->codes; i++) {
        free(header->code[i].file);
        free(header->code[i].text);
        free(header->code[i].became);
    }
    free(header->code);
    memset(header, 0, sizeof *header);
}

int64_t header_param(const struct trace_header *header, const char *name, int64_t otherwise)
{
    for (int i = 0; i < header->params; i++)
        if (!strcmp(header->param[i].name, name) && !header->param[i].word)
            return header->param[i].number;
    return otherwise;
}

void header_params(const struct trace_header *header, char *text, size_t size)
{
    *text = '\0';
    for (int i = 0; i < header->params; i++) {
        const struct trace_param *param = &header->param[i];
        if (param->word)
            text_add(text, size, " %s=%s", param->name, param->word);
        else
            text_add(text, size, " %s=%" PRId64, param->name, param->number);
    }
}

int header_stage(const struct trace_header *header, const char *name)
{
    for (int i = 0; i < header->stages; i++)
        if (!strcmp(header->stage[i], name))
            return i;
    return -1;
}

const char *header_stage_name(const struct trace_header *header, int stage)
{
    return stage >= 0 && stage < header->stages ? header->stage[stage] : "?";
}

/* A stage's name, for sorting, and its index. */
struct named {
    const char *name;
    int index;
};

static int compare_names(const void *left, const void *right)
{
    return strcmp(((const struct named *)left)->name, ((const struct named *)right)->name);
}

int *header_stages_by_name(const struct trace_header *header)
{
    size_t count = (size_t)header->stages;
    struct named *named = memory_new(count, sizeof *named);
    int *by_name = memory_new(count, sizeof *by_name);
    for (int i = 0; i < header->stages; i++)
        named[i] = (struct named){header->stage[i], i};
    qsort(named, count, sizeof *named, compare_names);
    for (size_t i = 0; i < count; i++)
        by_name[i] = named[i].index;
    free(named);
    return by_name;
}

int header_warps(const struct trace_header *header)
{
    return (header->threads + header->warp - 1) / header->warp;
}

bool header_add_code(struct trace_header *header, size_t *bytes, const struct trace_code *row)
{
    *bytes += strlen(row->text) + strlen(row->became);
    if (header->codes == MAX_CODE || *bytes > MAX_CODE_BYTES) {
        free(row->file);
        free(row->text);
        free(row->became);
        return false;
    }
    header->code[header->codes++] = *row;
    return true;
}

void header_cut_code(struct trace_header *header)
{
    struct trace_code *last = &header->code[header->codes - 1];
    free(last->file);
    free(last->text);
    free(last->became);
    *last = (struct trace_code){memory_copy(""),
                                memory_copy("(a recording keeps no more instructions than these)"),
                                memory_copy(""), 0, 0};
}

int header_lanes(const struct trace_header *header, int warp)
{
    int left = header->threads - warp * header->warp;
    return left < header->warp ? left : header->warp;
}

int header_array(const struct trace_header *header, uint32_t addr)
{
    for (int i = 0; i < header->arrays; i++) {
        const struct trace_array *array = &header->array[i];
        uint32_t bytes = (uint32_t)array->bytes;
        for (int k = 0; k < array->dims; k++)
            bytes *= (uint32_t)array->dim[k];
        if (addr - (uint32_t)array->addr < bytes)
            return i;
    }
    return -1;
}

const char *header_global_array(const struct trace_header *header, const struct warp_access *access)
{
    const char *name = access->global && access->site >= 0 && access->site < header->sites
                           ? header->site[access->site].array
                           : NULL;
    return name ? name : "";
}

/* ---- names ----------------------------------------------------------------------------------- */

static const char *const OP_NAMES[OPS] = {
    "load",        "store",         "atomic",           "matrix-load", "matrix-store",
    "async-store", "merged-atomic", "compare-and-swap", "spin",        "wgmma-load",
    "reduction",   "async-load",    "async-load-cg"};

const char *op_name(enum op op)
{
    return OP_NAMES[op];
}

enum op op_named(const char *name)
{
    int op = 0;
    while (op < OPS && strcmp(OP_NAMES[op], name))
        op++;
    return (enum op)op;
}

bool op_is_atomic(enum op op)
{
    return op == OP_ATOMIC || op == OP_MERGED_ATOMIC || op == OP_COMPARE_AND_SWAP ||
           op == OP_SPIN || op == OP_REDUCTION;
}

bool op_shares(enum op op)
{
    return op != OP_ATOMIC && op != OP_COMPARE_AND_SWAP && op != OP_SPIN && op != OP_REDUCTION;
}

int type_bytes(const char *type)
{
    static const struct {
        const char *name;
        int bytes;
    } scalars[] = {{"bool", 1},          {"char", 1},
                   {"signed char", 1},   {"unsigned char", 1},
                   {"int8_t", 1},        {"uint8_t", 1},
                   {"short", 2},         {"unsigned short", 2},
                   {"int16_t", 2},       {"uint16_t", 2},
                   {"half", 2},          {"__half", 2},
                   {"__nv_bfloat16", 2}, {"int", 4},
                   {"unsigned", 4},      {"unsigned int", 4},
                   {"int32_t", 4},       {"uint32_t", 4},
                   {"float", 4},         {"half2", 4},
                   {"__half2", 4},       {"__nv_bfloat162", 4},
                   {"long", 8},          {"unsigned long", 8},
                   {"long long", 8},     {"unsigned long long", 8},
                   {"int64_t", 8},       {"uint64_t", 8},
                   {"size_t", 8},        {"double", 8}};
    static const struct {
        const char *name; /* CUDA's vector types, without the number of elements, 1 to 4 */
        int bytes;
    } vectors[] = {{"char", 1},  {"uchar", 1},  {"short", 2},    {"ushort", 2},
                   {"int", 4},   {"uint", 4},   {"float", 4},    {"long", 8},
                   {"ulong", 8}, {"double", 8}, {"longlong", 8}, {"ulonglong", 8}};
    for (size_t i = 0; i < sizeof scalars / sizeof scalars[0]; i++)
        if (!strcmp(scalars[i].name, type))
            return scalars[i].bytes;
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        size_t length = strlen(vectors[i].name);
        if (!strncmp(vectors[i].name, type, length) && type[length] >= '1' && type[length] <= '4' &&
            !type[length + 1])
            return vectors[i].bytes * (type[length] - '0');
    }
    return 0;
}

/* ---- several sinks --------------------------------------------------------------------------- */

static bool tee_header(void *context, const struct trace_header *header, struct error *error)
{
    const struct trace_tee *tee = context;
    for (int i = 0; i < tee->count; i++)
        if (tee->sinks[i].header && !tee->sinks[i].header(tee->sinks[i].context, header, error))
            return false;
    return true;
}

static bool tee_access(void *context, const struct warp_access *access, struct error *error)
{
    const struct trace_tee *tee = context;
    for (int i = 0; i < tee->count; i++)
        if (tee->sinks[i].access && !tee->sinks[i].access(tee->sinks[i].context, access, error))
            return false;
    return true;
}

static bool tee_end(void *context, const struct trace_end *end, struct error *error)
{
    const struct trace_tee *tee = context;
    for (int i = 0; i < tee->count; i++)
        if (tee->sinks[i].end && !tee->sinks[i].end(tee->sinks[i].context, end, error))
            return false;
    return true;
}

struct trace_sink trace_tee_sink(struct trace_tee *tee)
{
    return (struct trace_sink){tee_header, tee_access, tee_end, tee};
}
