/* trace_bytes.c - a trace as few bytes: how a page gets its recordings.
 *
 *     bytes   = "bankscope" 2 header {1 access} 0 end
 *
 * Numbers are written seven bits a byte, the lowest first; signed ones fold the sign into the lowest
 * bit (0, -1, 1, -2, ... are 0, 1, 2, 3, ...). A text is its length and its bytes. Of an access, place
 * and lanes are written as differences from the access before, addresses and values as differences
 * from the lane before: most are small. */
#include "instrument/trace.h"

#include <stdlib.h>
#include <string.h>

static const char magic[] = "bankscope\5";

/* ---- packing --------------------------------------------------------------------------------- */

/* Room for that many bytes more. */
static bool grow_bytes(struct trace_bytes *bytes, size_t more, struct error *error)
{
    return memory_grow(&bytes->byte, &bytes->room, bytes->count + more, 1, "bytes of a recording",
                       error);
}

/* There is room: at most ten bytes. */
static void put_number(struct trace_bytes *bytes, uint64_t number)
{
    for (; number > 127; number >>= 7)
        bytes->byte[bytes->count++] = (unsigned char)(number | 128);
    bytes->byte[bytes->count++] = (unsigned char)number;
}

static void put_signed(struct trace_bytes *bytes, int64_t number)
{
    put_number(bytes, (uint64_t)number << 1 ^ (number < 0 ? UINT64_MAX : 0));
}

enum { NUMBER = 10 }; /* bytes of the longest */

static bool put_numbers(struct trace_bytes *bytes, const int *number, int count,
                        struct error *error)
{
    if (!grow_bytes(bytes, (size_t)count * NUMBER, error))
        return false;
    for (int i = 0; i < count; i++)
        put_signed(bytes, number[i]);
    return true;
}

static bool put_text(struct trace_bytes *bytes, const char *text, struct error *error)
{
    size_t length = text ? strlen(text) : 0;
    if (!grow_bytes(bytes, NUMBER + length, error))
        return false;
    put_number(bytes, length);
    if (length)
        memcpy(bytes->byte + bytes->count, text, length);
    bytes->count += length;
    return true;
}

/* A header's numbers, in the order of the bytes. */
enum { HEADER_NUMBERS = 19 };
static void header_numbers(struct trace_header *header, int *number[HEADER_NUMBERS])
{
    int *const all[HEADER_NUMBERS] = {
        &header->banks,        &header->bank_bytes,   &header->warp,        &header->threads,
        &header->blocks,       &header->shared_bytes, &header->partition,   &header->block_dim[0],
        &header->block_dim[1], &header->block_dim[2], &header->grid_dim[0], &header->grid_dim[1],
        &header->grid_dim[2],  &header->stages,       &header->params,      &header->arrays,
        &header->sites,        &header->codes,        &header->global};
    memcpy(number, all, sizeof all);
}

static bool pack_header(void *context, const struct trace_header *header, struct error *error)
{
    struct trace_bytes *bytes = context;
    int *number[HEADER_NUMBERS];
    bytes->header = *header;
    if (!grow_bytes(bytes, sizeof magic - 1 + NUMBER, error))
        return false;
    memcpy(bytes->byte + bytes->count, magic, sizeof magic - 1);
    bytes->count += sizeof magic - 1;
    put_number(bytes, header->seed);
    header_numbers(&bytes->header, number);
    bool good = true;
    for (int i = 0; good && i < HEADER_NUMBERS; i++)
        good = put_numbers(bytes, number[i], 1, error);
    good = good && put_text(bytes, header->kernel, error) &&
           put_text(bytes, header->backend, error) && put_text(bytes, header->device, error) &&
           put_text(bytes, header->input, error);
    for (int i = 0; good && i < header->stages; i++)
        good = put_text(bytes, header->stage[i], error);
    for (int i = 0; good && i < header->params; i++) {
        good = put_text(bytes, header->param[i].name, error) &&
               put_text(bytes, header->param[i].word, error) && grow_bytes(bytes, NUMBER, error);
        if (good)
            put_signed(bytes, header->param[i].number);
    }
    for (int i = 0; good && i < header->arrays; i++) {
        const struct trace_array *array = &header->array[i];
        good = put_text(bytes, array->name, error) && put_text(bytes, array->type, error) &&
               put_numbers(
                   bytes,
                   (int[]){array->addr, array->moved, array->bytes, array->dims, array->members}, 5,
                   error) &&
               put_numbers(bytes, array->dim, array->dims, error);
        for (int k = 0; good && k < array->members; k++)
            good = put_text(bytes, array->member[k].name, error) &&
                   put_text(bytes, array->member[k].type, error) &&
                   put_numbers(bytes, &array->member[k].addr, 1, error);
    }
    for (int i = 0; good && i < header->sites; i++) {
        const struct trace_site *site = &header->site[i];
        good = put_text(bytes, site->file, error) && put_text(bytes, site->function, error) &&
               put_text(bytes, site->text, error) && put_text(bytes, site->array, error) &&
               put_numbers(bytes, (int[]){site->line, site->code}, 2, error);
    }
    for (int i = 0; good && i < header->codes; i++) {
        const struct trace_code *code = &header->code[i];
        good = put_text(bytes, code->file, error) && put_text(bytes, code->text, error) &&
               put_text(bytes, code->became, error) &&
               put_numbers(bytes, (int[]){code->line, code->sass}, 2, error);
    }
    return good;
}

enum { HAS_VALUES = 1, HAS_TAGS = 2, ONE_TAG = 4, IS_GLOBAL = 8 };

static bool pack_access(void *context, const struct warp_access *access, struct error *error)
{
    struct trace_bytes *bytes = context;
    const int place[5] = {access->block, access->stage, access->round, access->slot, access->warp};
    uint64_t lanes = 0;
    int flags = (access->value ? HAS_VALUES : 0) | (access->global ? IS_GLOBAL : 0);
    if (!grow_bytes(bytes, 16 * NUMBER + (size_t)access->lanes * (2 * NUMBER + 1), error))
        return false;
    if (access->tag)
        flags |= HAS_TAGS | ONE_TAG;
    for (int i = 0; i < access->lanes; i++) {
        lanes |= UINT64_C(1) << access->lane[i];
        if (access->tag && access->tag[i] != access->tag[0])
            flags &= ~ONE_TAG;
    }
    put_number(bytes, 1);
    for (int i = 0; i < 5; i++) {
        put_signed(bytes, place[i] - bytes->last[i]);
        bytes->last[i] = place[i];
    }
    put_number(bytes, access->op);
    put_number(bytes, (uint64_t)access->bytes);
    if (bytes->header.sites)
        put_signed(bytes, access->site);
    put_number(bytes, lanes ^ bytes->lanes);
    bytes->lanes = lanes;
    put_number(bytes, (uint64_t)flags);
    int64_t last = 0;
    for (int i = 0; i < access->lanes; i++) {
        const int64_t addr = access->global ? (int64_t)access->global[i] : access->addr[i];
        put_signed(bytes, addr - last);
        last = addr;
    }
    uint64_t value = 0; /* wraps around as it likes */
    for (int i = 0; access->value && i < access->lanes; i++) {
        put_signed(bytes, (int64_t)((uint64_t)access->value[i] - value));
        value = (uint64_t)access->value[i];
    }
    for (int i = 0; access->tag && i < (flags & ONE_TAG ? 1 : access->lanes); i++)
        bytes->byte[bytes->count++] = (unsigned char)access->tag[i];
    return true;
}

static bool pack_end(void *context, const struct trace_end *end, struct error *error)
{
    struct trace_bytes *bytes = context;
    if (!grow_bytes(bytes, 4 * NUMBER, error))
        return false;
    put_number(bytes, 0);
    put_number(bytes, end->warp_accesses);
    put_number(bytes, end->dropped);
    put_number(bytes, end->complete);
    return true;
}

struct trace_sink trace_bytes_sink(struct trace_bytes *bytes)
{
    return (struct trace_sink){pack_header, pack_access, pack_end, bytes};
}

/* ---- unpacking ------------------------------------------------------------------------------- */

/* The bytes that are left. `bad` stays set. */
struct source {
    const unsigned char *at, *end;
    bool bad;
};

static uint64_t get(struct source *source)
{
    uint64_t number = 0;
    for (int shift = 0; shift < 64; shift += 7) {
        if (source->at == source->end)
            break;
        unsigned char byte = *source->at++;
        number |= (uint64_t)(byte & 127) << shift;
        if (byte < 128)
            return number;
    }
    source->bad = true;
    return 0;
}

static int64_t get_signed(struct source *source)
{
    uint64_t number = get(source);
    return (int64_t)(number >> 1 ^ (number & 1 ? UINT64_MAX : 0));
}

static int get_int(struct source *source)
{
    int64_t number = get_signed(source);
    source->bad |= number < INT32_MIN || number > INT32_MAX;
    return source->bad ? 0 : (int)number;
}

static char *get_text(struct source *source)
{
    uint64_t length = get(source);
    source->bad |= length > MAX_LINE || length > (uint64_t)(source->end - source->at);
    if (source->bad)
        return memory_copy("");
    source->at += length;
    return memory_copy_of((const char *)source->at - length, (size_t)length);
}

/* A count of things, each of which takes at least one of the bytes that are left: a larger count
 * is bad, so that it cannot make the reader allocate too much. */
static size_t get_count(struct source *source, int count)
{
    source->bad |= count < 0 || count > source->end - source->at;
    return source->bad ? 0 : (size_t)count;
}

static void get_header(struct source *source, struct trace_header *header)
{
    int *number[HEADER_NUMBERS];
    header->seed = get(source);
    header_numbers(header, number);
    for (int i = 0; i < HEADER_NUMBERS; i++)
        *number[i] = get_int(source);
    int stages = header->stages, params = header->params, arrays = header->arrays,
        sites = header->sites, codes = header->codes;
    header->stages = header->params = header->arrays = header->sites = header->codes =
        0; /* so far */
    header->kernel = get_text(source);
    header->backend = get_text(source);
    header->device = get_text(source);
    header->input = get_text(source);
    size_t count = get_count(source, stages);
    header->stage = memory_new(count + 1, sizeof *header->stage);
    for (size_t i = 0; i < count && !source->bad; i++)
        header->stage[header->stages++] = get_text(source);
    count = get_count(source, params);
    header->param = memory_new(count, sizeof *header->param);
    for (size_t i = 0; i < count && !source->bad; i++) {
        struct trace_param *param = &header->param[header->params++];
        param->name = get_text(source);
        param->word = get_text(source);
        param->number = get_signed(source);
        if (!*param->word) {
            free(param->word);
            param->word = NULL;
        }
    }
    count = get_count(source, arrays);
    header->array = memory_new(count, sizeof *header->array);
    for (size_t i = 0; i < count && !source->bad; i++) {
        struct trace_array *array = &header->array[header->arrays++];
        array->name = get_text(source);
        array->type = get_text(source);
        array->addr = get_int(source);
        array->moved = get_int(source);
        array->bytes = get_int(source);
        if (!array->bytes) /* as its type says */
            array->bytes = type_bytes(array->type);
        array->dims = get_int(source);
        int members = get_int(source);
        source->bad |= array->dims < 0 || array->dims > MAX_ARRAY_DIMS;
        for (int d = 0; !source->bad && d < array->dims; d++)
            array->dim[d] = get_int(source);
        size_t most = get_count(source, members);
        array->member = memory_new(most, sizeof *array->member);
        for (size_t k = 0; k < most && !source->bad; k++) {
            struct trace_member *member = &array->member[array->members++];
            member->name = get_text(source);
            member->type = get_text(source);
            member->addr = get_int(source);
        }
    }
    count = get_count(source, sites);
    header->site = memory_new(count, sizeof *header->site);
    for (size_t i = 0; i < count && !source->bad; i++) {
        struct trace_site *site = &header->site[header->sites++];
        site->file = get_text(source);
        site->function = get_text(source);
        site->text = get_text(source);
        site->array = get_text(source);
        site->line = get_int(source);
        site->code = get_int(source);
    }
    count = get_count(source, codes);
    header->code = memory_new(count, sizeof *header->code);
    for (size_t i = 0; i < count && !source->bad; i++) {
        struct trace_code *code = &header->code[header->codes++];
        code->file = get_text(source);
        code->text = get_text(source);
        code->became = get_text(source);
        code->line = get_int(source);
        code->sass = get_int(source);
    }
}

/* The arrays of one access. */
struct lanes {
    uint8_t lane[MAX_WARP];
    uint32_t addr[MAX_WARP];
    uint64_t global[MAX_WARP];
    int64_t value[MAX_WARP];
    char tag[MAX_WARP];
};

static void get_access(struct source *source, bool sites, int last[5], uint64_t *mask,
                       struct lanes *lanes, struct warp_access *access)
{
    for (int i = 0; i < 5; i++) {
        int64_t moved = last[i] + (int64_t)get_int(source);
        source->bad |= moved < 0 || moved > INT32_MAX;
        last[i] = source->bad ? 0 : (int)moved;
    }
    uint64_t op = get(source), bytes = get(source);
    source->bad |= op >= OPS || bytes > INT32_MAX;
    *access = (struct warp_access){.block = last[0],
                                   .stage = last[1],
                                   .round = last[2],
                                   .slot = last[3],
                                   .warp = last[4],
                                   .op = source->bad ? OP_LOAD : (enum op)op,
                                   .bytes = source->bad ? 0 : (int)bytes,
                                   .lane = lanes->lane,
                                   .addr = lanes->addr,
                                   .site = sites ? get_int(source) : -1};
    *mask ^= get(source);
    for (int lane = 0; lane < MAX_WARP; lane++)
        if (*mask >> lane & 1)
            lanes->lane[access->lanes++] = (uint8_t)lane;
    uint64_t flags = get(source);
    int64_t addr = 0;
    const int64_t most = flags & IS_GLOBAL ? (int64_t)MAX_ADDRESS : UINT32_MAX;
    if (flags & IS_GLOBAL) {
        access->global = lanes->global;
        access->addr = NULL;
    }
    for (int i = 0; i < access->lanes; i++) {
        const int64_t moved = get_signed(source);
        source->bad |= moved > most || moved < -most || addr + moved < 0 || addr + moved > most;
        addr = source->bad ? 0 : addr + moved;
        lanes->global[i] = (uint64_t)addr;
        lanes->addr[i] = (uint32_t)addr;
    }
    uint64_t value = 0;
    for (int i = 0; flags & HAS_VALUES && i < access->lanes; i++)
        lanes->value[i] = (int64_t)(value += (uint64_t)get_signed(source));
    for (int i = 0; flags & HAS_TAGS && i < access->lanes; i++) {
        bool same = flags & ONE_TAG && i > 0;
        source->bad |= !same && source->at == source->end;
        lanes->tag[i] = source->bad ? ' ' : same ? lanes->tag[0] : (char)*source->at++;
    }
    access->value = flags & HAS_VALUES ? lanes->value : NULL;
    access->tag = flags & HAS_TAGS ? lanes->tag : NULL;
}

bool trace_unpack(const unsigned char *byte, size_t count, const struct trace_sink *sink,
                  struct error *error)
{
    struct source source = {byte, byte + count, false};
    struct trace_header header = {0};
    struct trace_check check = {0};
    struct trace_sink checked = trace_check_sink(&check, sink);
    struct lanes lanes;
    int last[5] = {0};
    uint64_t mask = 0;
    if (count < sizeof magic - 1 || memcmp(byte, magic, sizeof magic - 1) != 0)
        return error_set(error, "this is no recording that a page of this version can show");
    source.at += sizeof magic - 1;
    get_header(&source, &header);
    bool good = !source.bad && checked.header(checked.context, &header, error);
    while (good && get(&source) == 1) {
        struct warp_access access;
        get_access(&source, header.sites > 0, last, &mask, &lanes, &access);
        good = !source.bad && checked.access(checked.context, &access, error);
    }
    if (good) {
        struct trace_end end = {0};
        end.warp_accesses = get(&source);
        end.dropped = get(&source);
        end.complete = get(&source) != 0;
        good = !source.bad && source.at == source.end && checked.end(checked.context, &end, error);
    }
    trace_check_free(&check);
    header_free(&header);
    return good || error_set(error, "the recording in the page is damaged; make the page anew");
}
