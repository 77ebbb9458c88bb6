/* trace_check.c - the gate that every trace passes, from a file or from a backend.
 *
 * A kernel of a user's own can say anything, and a file can hold anything. Here is what of it
 * becomes a trace.
 */
#include "instrument/trace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- the header ------------------------------------------------------------------------------ */

static bool in_range(const char *name, int64_t number, int64_t least, int64_t most,
                     struct error *error)
{
    return (number >= least && number <= most) ||
           error_set(error, "\"%s\" must be a whole number from %" PRId64 " to %" PRId64, name,
                     least, most);
}

/* 1, 2, 4, 8 or 16 bytes. */
static bool is_width(const char *name, int bytes, struct error *error)
{
    return (bytes >= 1 && bytes <= 16 && !(bytes & (bytes - 1))) ||
           error_set(error, "\"%s\" must be 1, 2, 4, 8 or 16", name);
}

/* A text of least..most bytes; NULL counts as "". */
static bool is_text(const char *name, const char *text, size_t least, size_t most,
                    struct error *error)
{
    size_t bytes = text ? strnlen(text, most + 1) : 0;
    if (bytes < least || bytes > most)
        return error_set(error, "\"%s\" must be a string of %zu to %zu bytes", name, least, most);
    return !text || text_is_clean(text) ||
           error_set(error, "\"%s\" must be UTF-8 without control characters", name);
}

/* A source line may have tabs. */
static bool is_source(const char *text, struct error *error)
{
    char copy[MAX_TEXT + 1];
    snprintf(copy, sizeof copy, "%s", text ? text : "");
    for (char *tab = copy; (tab = strchr(tab, '\t'));)
        *tab = ' ';
    return is_text("text", text && strlen(text) > MAX_TEXT ? text : copy, 0, MAX_TEXT, error);
}

static bool check_stages(const struct trace_header *header, struct error *error)
{
    if (header->stages < 1 || header->stages > MAX_STAGES)
        return error_set(error, "\"stages\" must be an array of 1 to %d names", MAX_STAGES);
    for (int i = 0; i < header->stages; i++)
        if (!is_text("stages", header->stage[i], 1, MAX_STAGE_NAME, error))
            return false;
    int *by_name = header_stages_by_name(header);
    bool good = true;
    for (int i = 1; good && i < header->stages; i++)
        if (!strcmp(header->stage[by_name[i - 1]], header->stage[by_name[i]]))
            good = error_set(error, "two stages have the same name, %s", header->stage[by_name[i]]);
    free(by_name);
    return good;
}

static bool check_params(const struct trace_header *header, struct error *error)
{
    if (header->params < 0 || header->params > MAX_HEADER_PARAMS)
        return error_set(error, "\"params\" must be an object of at most %d parameters",
                         MAX_HEADER_PARAMS);
    for (int i = 0; i < header->params; i++) {
        const struct trace_param *param = &header->param[i];
        if (!is_text("params", param->name, 0, MAX_TEXT, error) ||
            (param->word && !is_text("params", param->word, 0, MAX_TEXT, error)) ||
            (!param->word && !in_range("params", param->number, -MAX_WHOLE, MAX_WHOLE, error)))
            return false;
        for (int j = 0; j < i; j++)
            if (!strcmp(header->param[j].name, param->name))
                return error_set(error, "parameter \"%s\" is there twice", param->name);
    }
    return true;
}

static bool check_members(const struct trace_array *array, struct error *error)
{
    if (array->members < 0 || array->members > MAX_MEMBERS)
        return error_set(error, "\"members\" must be an array of at most %d members", MAX_MEMBERS);
    for (int i = 0; i < array->members; i++) {
        const struct trace_member *member = &array->member[i];
        if (!is_text("name", member->name, 1, MAX_TEXT, error) ||
            !is_text("type", member->type, 1, MAX_TEXT, error) ||
            !in_range("addr", member->addr, 0, array->bytes - 1, error))
            return false;
    }
    return true;
}

static bool check_arrays(const struct trace_header *header, struct error *error)
{
    if (header->arrays < 0 || header->arrays > MAX_HEADER_ARRAYS)
        return error_set(error, "\"arrays\" must be an array of at most %d arrays",
                         MAX_HEADER_ARRAYS);
    for (int i = 0; i < header->arrays; i++) {
        const struct trace_array *array = &header->array[i];
        int64_t end = array->bytes;
        if (!is_text("name", array->name, 1, MAX_TEXT, error) ||
            !is_text("type", array->type, 1, MAX_TEXT, error) ||
            !in_range("addr", array->addr, 0, MAX_SHARED, error) ||
            !in_range("moved", array->moved, 0, MAX_SHARED, error) ||
            !in_range("bytes", array->bytes, 1, MAX_SHARED, error) || !check_members(array, error))
            return false;
        if (array->dims < 0 || array->dims > MAX_ARRAY_DIMS)
            return error_set(error, "\"dims\" must be an array of at most %d numbers",
                             MAX_ARRAY_DIMS);
        int known = type_bytes(array->type);
        if (known && known != array->bytes)
            return error_set(error, "array %s: a %s has %d bytes, not %d", array->name, array->type,
                             known, array->bytes);
        for (int k = 0; k < array->dims && end <= MAX_SHARED; k++) {
            if (!in_range("dims", array->dim[k], 1, MAX_SHARED, error))
                return false;
            end *= array->dim[k];
        }
        if (array->addr + end > header->shared_bytes)
            return error_set(error, "array %s ends outside the block's %d \"shared_bytes\"",
                             array->name, header->shared_bytes);
    }
    return true;
}

static bool check_sites(const struct trace_header *header, struct error *error)
{
    if (header->sites < 0 || header->sites > MAX_SITES)
        return error_set(error, "\"sites\" must be an array of at most %d sites", MAX_SITES);
    for (int i = 0; i < header->sites; i++) {
        const struct trace_site *site = &header->site[i];
        if (!is_text("file", site->file, 0, MAX_TEXT, error) ||
            !is_text("function", site->function, 0, MAX_TEXT, error) ||
            !is_source(site->text, error) || !is_text("array", site->array, 0, MAX_TEXT, error) ||
            !in_range("line", site->line, 0, INT32_MAX, error) ||
            !in_range("code", site->code - 1, -1, header->codes - 1, error))
            return false;
    }
    return true;
}

static bool check_code(const struct trace_header *header, struct error *error)
{
    size_t bytes = 0;
    if (header->codes < 0 || header->codes > MAX_CODE)
        return error_set(error, "\"code\" must be an array of at most %d instructions", MAX_CODE);
    for (int i = 0; i < header->codes; i++) {
        const struct trace_code *code = &header->code[i];
        if (!is_text("file", code->file, 0, MAX_TEXT, error) || !is_source(code->text, error) ||
            !is_text("became", code->became, 0, MAX_TEXT, error) ||
            !in_range("line", code->line, 0, INT32_MAX, error) ||
            !in_range("sass", code->sass, i && header->code[i - 1].sass, 1, error))
            return false;
        bytes += strlen(code->text) + strlen(code->became);
    }
    return bytes <= MAX_CODE_BYTES ||
           error_set(error, "the texts of \"code\" have more than %d bytes", MAX_CODE_BYTES);
}

/* x, y, z: all of them, or none (0). */
static bool check_dims(const char *name, const int dim[3], struct error *error)
{
    if (!dim[0] && !dim[1] && !dim[2])
        return true;
    for (int k = 0; k < 3; k++)
        if (!in_range(name, dim[k], 1, INT32_MAX, error))
            return false;
    return true;
}

bool trace_check_header(const struct trace_header *header, struct error *error)
{
    const int *block = header->block_dim;
    if (!is_text("kernel", header->kernel, 0, MAX_TEXT, error) ||
        !is_text("backend", header->backend, 0, MAX_TEXT, error) ||
        !is_text("device", header->device, 0, MAX_TEXT, error) ||
        !is_text("input", header->input, 0, MAX_TEXT, error) ||
        !in_range("banks", header->banks, 1, MAX_WARP, error) ||
        !is_width("bank_bytes", header->bank_bytes, error) ||
        !in_range("warp", header->warp, 1, MAX_WARP, error) ||
        !in_range("threads", header->threads, 1, MAX_THREADS, error) ||
        !in_range("blocks", header->blocks, 1, MAX_BLOCKS, error) ||
        !in_range("shared_bytes", header->shared_bytes, 0, MAX_SHARED, error) ||
        !in_range("partition", header->partition, 0, MAX_SHARED, error) ||
        !in_range("global", header->global, 0, 1, error))
        return false;
    if (header->seed > MAX_WHOLE)
        return in_range("seed", -1, 0, MAX_WHOLE, error);
    if (!check_dims("block_dim", block, error) || !check_dims("grid_dim", header->grid_dim, error))
        return false;
    if (block[0] && (block[0] > MAX_THREADS || block[1] > MAX_THREADS ||
                     (int64_t)block[0] * block[1] * block[2] != header->threads))
        return error_set(error, "\"block_dim\" must multiply to the block's %d \"threads\"",
                         header->threads);
    return check_stages(header, error) && check_params(header, error) &&
           check_arrays(header, error) && check_sites(header, error) && check_code(header, error);
}

/* ---- accesses and the end -------------------------------------------------------------------- */

void trace_check_init(struct trace_check *check, const struct trace_header *header)
{
    *check = (struct trace_check){.header = header};
}

/* Strictly ascending by block, stage, round, slot, warp, so that nothing occurs twice. */
static bool check_order(struct trace_check *check, const struct warp_access *access,
                        struct error *error)
{
    const int order[5] = {access->block, access->stage, access->round, access->slot, access->warp};
    int i = 0;
    while (i < 5 && order[i] == check->last[i])
        i++;
    if (check->accesses && i == 5)
        return error_set(error, "this warp access was there before");
    if (check->accesses && order[i] < check->last[i])
        return error_set(error, "warp accesses must be ordered by block, stage, round, slot, warp");
    memcpy(check->last, order, sizeof order);
    return true;
}

static bool check_shared(const struct trace_header *header, const struct warp_access *access,
                         struct error *error)
{
    uint32_t most = 0, odd = 0;
    for (int i = 0; i < access->lanes; i++) {
        most = access->addr[i] > most ? access->addr[i] : most;
        odd |= access->addr[i];
    }
    if (access->bytes > header->shared_bytes)
        return error_set(error, "\"bytes\" is more than the block's \"shared_bytes\"");
    if (most > (uint32_t)(header->shared_bytes - access->bytes))
        return in_range("addr", most, 0, header->shared_bytes - access->bytes, error);
    return !(odd & (uint32_t)(access->bytes - 1)) ||
           error_set(error, "an address is not a multiple of \"bytes\"");
}

static bool check_global(const struct trace_header *header, const struct warp_access *access,
                         struct error *error)
{
    uint64_t odd = 0;
    if (!header->global)
        return error_set(error, "an access to global memory, which is of version 2 of the format");
    for (int i = 0; i < access->lanes; i++) {
        if (access->global[i] > MAX_ADDRESS - (uint64_t)access->bytes)
            return error_set(
                error, "\"addr\": %" PRIx64 " is above the %" PRIx64 " that global memory ends at",
                access->global[i], MAX_ADDRESS);
        odd |= access->global[i];
    }
    return !(odd & (uint64_t)(access->bytes - 1)) ||
           error_set(error, "an address is not a multiple of \"bytes\"");
}

static bool check_lanes(const struct trace_header *header, const struct warp_access *access,
                        struct error *error)
{
    int lanes = header_lanes(header, access->warp), last = -1;
    if (access->lanes < 1)
        return error_set(error, "\"lane\" is empty: a warp access has at least one active lane");
    if (access->lanes > MAX_WARP)
        return error_set(error, "\"lane\" has more than %d lanes", MAX_WARP);
    for (int i = 0; i < access->lanes; i++) {
        if (access->lane[i] >= lanes)
            return in_range("lane", access->lane[i], 0, lanes - 1, error);
        if (access->lane[i] <= last)
            return error_set(error, "\"lane\" must ascend, each lane once");
        last = access->lane[i];
    }
    if (access->global ? !check_global(header, access, error)
                       : !check_shared(header, access, error))
        return false;
    for (int i = 0; access->tag && i < access->lanes; i++)
        if (access->tag[i] < ' ' || access->tag[i] > '~')
            return error_set(error, "\"tag\" must hold printable ASCII characters");
    return true;
}

/* Where it is; not counted yet. */
static bool check_place(struct trace_check *check, const struct warp_access *access,
                        struct error *error)
{
    const struct trace_header *header = check->header;
    return in_range("stage", access->stage, 0, header->stages - 1, error) &&
           in_range("round", access->round, 0, MAX_ROUNDS - 1, error) &&
           in_range("slot", access->slot, 0, MAX_SLOTS - 1, error) &&
           in_range("block", access->block, 0, header->blocks - 1, error) &&
           in_range("warp", access->warp, 0, header_warps(header) - 1, error) &&
           check_order(check, access, error);
}

bool trace_check_place(struct trace_check *check, const struct warp_access *access,
                       struct error *error)
{
    if (!check_place(check, access, error))
        return false;
    check->accesses++;
    return true;
}

bool trace_check_access(struct trace_check *check, const struct warp_access *access,
                        struct error *error)
{
    const struct trace_header *header = check->header;
    if (!check_place(check, access, error) || !is_width("bytes", access->bytes, error) ||
        !check_lanes(header, access, error))
        return false;
    if ((int)access->op < 0 || access->op >= OPS)
        return error_set(error, "\"op\" is none of load, store, atomic, matrix-load, matrix-store, "
                                "async-store");
    const bool loads = access->op == OP_ASYNC_LOAD || access->op == OP_ASYNC_LOAD_CG;
    if (access->global && access->op != OP_LOAD && access->op != OP_STORE &&
        access->op != OP_ATOMIC && access->op != OP_REDUCTION && !loads)
        return error_set(error,
                         "\"op\" is %s: of global memory it is load, store, atomic, reduction, "
                         "async-load or async-load-cg",
                         op_name(access->op));
    if (!access->global && (access->op == OP_REDUCTION || loads))
        return error_set(error, "\"op\" is %s, which is of global memory only",
                         op_name(access->op));
    if (header->sites && !in_range("site", access->site, -1, header->sites - 1, error))
        return false;
    check->accesses++;
    return true;
}

bool trace_check_end(const struct trace_check *check, const struct trace_end *end,
                     struct error *error)
{
    if (end->warp_accesses != check->accesses)
        return error_set(error,
                         "the end says %" PRIu64 " warp accesses, but the trace has %" PRIu64,
                         end->warp_accesses, check->accesses);
    return end->dropped <= MAX_WHOLE || in_range("dropped", -1, 0, MAX_WHOLE, error);
}

/* ---- as a sink ------------------------------------------------------------------------------- */

static bool gate_header(void *context, const struct trace_header *header, struct error *error)
{
    struct trace_check *check = context;
    struct error what = {{0}};
    if (!trace_check_header(header, &what))
        return error_set(error, "kernel %s: %s", header->kernel, what.text);
    struct trace_sink to = check->to;
    struct trace_header copy;
    header_copy(&copy, header);
    header_free(&check->copy);
    trace_check_init(check, NULL);
    check->to = to;
    check->copy = copy;
    check->header = &check->copy;
    return !to.header || to.header(to.context, header, error);
}

static bool gate_access(void *context, const struct warp_access *access, struct error *error)
{
    struct trace_check *check = context;
    struct error what = {{0}};
    if (!trace_check_access(check, access, &what)) {
        const struct trace_header *header = check->header;
        return error_set(error, "kernel %s, stage %s, round %d, slot %d, block %d, warp %d: %s",
                         header->kernel, header_stage_name(header, access->stage), access->round,
                         access->slot, access->block, access->warp, what.text);
    }
    return !check->to.access || check->to.access(check->to.context, access, error);
}

static bool gate_end(void *context, const struct trace_end *end, struct error *error)
{
    struct trace_check *check = context;
    struct error what = {{0}};
    if (check->header && !trace_check_end(check, end, &what) && end->complete)
        return error_set(error, "kernel %s: %s", check->header->kernel, what.text);
    return !check->to.end || check->to.end(check->to.context, end, error);
}

struct trace_sink trace_check_sink(struct trace_check *check, const struct trace_sink *to)
{
    *check = (struct trace_check){.to = *to};
    return (struct trace_sink){gate_header, gate_access, gate_end, check};
}

void trace_check_free(struct trace_check *check)
{
    header_free(&check->copy);
    *check = (struct trace_check){.header = NULL};
}
