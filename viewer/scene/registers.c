/* registers.c - what a recording alone tells of registers: an access has its lanes' addresses and values, and the text of
 * its instruction says which registers these went through.
 */
#include "viewer/scene/source.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>

void register_put_value(FILE *to, const char *type, const unsigned char *value, int bytes)
{
    uint64_t bits = 0;
    float single;
    double number;
    if (bytes > 8) {
        fputs("0x", to);
        for (int i = bytes; i-- > 0;)
            fprintf(to, "%02x", value[i]);
        return;
    }
    memcpy(&bits, value, (size_t)bytes);
    memcpy(&single, value, bytes == 4 ? 4 : 0);
    memcpy(&number, &bits, sizeof number);
    const int shift = 64 - 8 * bytes;
    if (!strcmp(type, "pred"))
        fputs(bits ? "true" : "false", to);
    else if (!strcmp(type, "f32") && bytes == 4)
        fprintf(to, "0x%08" PRIx64 " (%.9g)", bits, (double)single);
    else if (!strcmp(type, "f64") && bytes == 8)
        fprintf(to, "0x%016" PRIx64 " (%.17g)", bits, number);
    else if (strchr("us", *type) || (*type == 'b' && type[1] != 'f'))
        fprintf(to, *type == 'u' ? "0x%" PRIx64 " (%" PRIu64 ")" : "0x%" PRIx64 " (%" PRId64 ")",
                bits, *type == 'u' ? bits : (uint64_t)((int64_t)(bits << shift) >> shift));
    else
        fprintf(to, "0x%" PRIx64, bits);
}

/* An instruction's text, taken apart. */
struct said {
    const char *code;    /* its name, behind the predicate */
    const char *address; /* behind the bracket, or NULL */
    const char *behind;  /* the bracket's end; without one the text's */
    char type[8];        /* of a part: "u8", "f32" */
    int bytes;           /* of a part; 0: not known */
    int64_t offset;      /* that is added to the address */
};

/* The bytes that a type's name ends with bits of; 0: none. */
static int bytes_of(const char *type)
{
    const char *digits = type + strcspn(type, "0123456789");
    return strchr("busf", *type) ? atoi(digits) / 8 * (strchr(digits, 'x') ? 2 : 1) : 0;
}

/* number: of the bracket, from 0. */
static void take_apart(const char *text, int number, struct said *said)
{
    *said = (struct said){.code = text};
    if (*text == '@')
        said->code += strcspn(text, " ") + 1;
    const char *end = said->code + strcspn(said->code, " "), *dot = end;
    while (dot > said->code && dot[-1] != '.')
        dot--;
    snprintf(said->type, sizeof said->type, "%.*s", (int)(end - dot), dot);
    said->bytes = bytes_of(said->type);
    said->behind = end + strlen(end);
    for (const char *at = end; (at = strchr(at, '[')) && number >= 0; number--)
        said->address = ++at;
    if (number >= 0)
        said->address = NULL;
    if (!said->address)
        return;
    said->behind = said->address + strcspn(said->address, "]");
    const char *plus = memchr(said->address, '+', (size_t)(said->behind - said->address));
    said->offset = plus ? strtoll(plus + 1, NULL, 10) : 0;
}

/* Bytes of the access before the instruction's own: others may have joined it. false: nobody knows. */
static bool find_joined(const struct trace_header *header, int index, const struct said *said,
                        int *before)
{
    static const char counted[] = "joined: counted with ";
    const struct trace_code *code = &header->code[index];
    const char *more = strstr(code->became, "bytes with ");
    int parts = more ? atoi(more + strlen("bytes with ")) : 0;
    int64_t lowest = said->offset;
    if (*code->became && !parts)
        return false;
    const size_t length = strlen(code->text);
    const char *base = said->address;
    for (int i = 0; i < header->codes && more; i++) {
        const char *became = header->code[i].became;
        struct said part;
        if (strncmp(became, counted, sizeof counted - 1) ||
            strncmp(became + sizeof counted - 1, code->text, length))
            continue;
        take_apart(header->code[i].text, 0, &part);
        const size_t same = strcspn(base, "+]");
        if (!part.address || strncmp(part.address, base, same) || !strchr("+]", part.address[same]))
            return false;
        lowest = part.offset < lowest ? part.offset : lowest;
        parts--;
    }
    *before = (int)(said->offset - lowest);
    return !parts;
}

/* An access of a lane, with what its instruction says. */
struct lane_access {
    const struct trace_header *header;
    const struct warp_access *access;
    int at; /* the lane, among those of the access */
    struct said said;
    bool known; /* what of the access is the instruction's own: from `before` on */
    int before;
};

/* What stands in a register, into `to`; name: where it is in the text. */
static void tell(const struct lane_access *of, const char *text, const char *name, FILE *to)
{
    const struct said *said = &of->said;
    const struct warp_access *access = of->access;
    const bool load = !strncmp(said->code, "ld.", 3), store = !strncmp(said->code, "st.", 3);
    int array = -1;
    if (name < said->code) {
        fputs(text[1] == '!' ? "false" : "true", to);
    } else if (said->address && name >= said->address && name < said->behind) {
        const bool global = access->global;
        if (of->known && strstr(said->code, global ? ".global" : ".shared") &&
            !strstr(said->code, "::cluster") &&
            (global || (array = header_array(of->header, access->addr[of->at])) >= 0)) {
            const int moved = global ? 0 : of->header->array[array].moved;
            const uint64_t address = (global ? access->global[of->at] : access->addr[of->at]) +
                                     (uint64_t)(moved + of->before - said->offset);
            register_put_value(to, "u64", (const unsigned char *)&address,
                               name[2] == 'd' || global ? 8 : 4);
        }
    } else if (said->bytes && of->known && access->value &&
               (load ? name < said->address : store && name > said->behind)) {
        int part = 0;
        for (const char *c = load ? said->code : said->behind + 2; c < name; c++)
            part += *c == ',';
        const int from = of->before + part * said->bytes;
        if (from + said->bytes > access->bytes)
            return;
        register_put_value(to, said->type, (const unsigned char *)&access->value[of->at] + from,
                           said->bytes);
        if (store && said->bytes < 4 && name[1] == 'r' && isdigit((unsigned char)name[2]))
            fprintf(to, " in its low %d bits", 8 * said->bytes);
    }
}

int registers_of(const struct trace *trace, size_t number, int lane, struct register_row *row,
                 int room)
{
    const struct warp_access access = trace_get(trace, number);
    const int code = listing_of(trace, number);
    struct lane_access of = {.header = &trace->header, .access = &access};
    while (of.at < access.lanes && access.lane[of.at] != lane)
        of.at++;
    if (code < 0 || of.at == access.lanes)
        return 0;
    const char *text = trace->header.code[code].text;
    take_apart(text, access.global && strstr(text, "cp.") ? 1 : 0, &of.said);
    of.known = of.said.address && find_joined(&trace->header, code, &of.said, &of.before);
    int rows = 0;
    for (const char *at = text; rows < room && (at = strchr(at, '%')); at++) {
        size_t length = 1;
        while (isalnum((unsigned char)at[length]) || strchr("_$.", at[length] ? at[length] : ' '))
            length++;
        struct register_row *to = &row[rows];
        snprintf(to->name, sizeof to->name, "%.*s", (int)length, at);
        to->written = of.said.address && at > of.said.code && at < of.said.address &&
                      strncmp(of.said.code, "cp.", 3) && strncmp(of.said.code, "st", 2);
        bool told = strchr(to->name, '.');
        for (int i = 0; i < rows; i++)
            told |= !strcmp(row[i].name, to->name) && row[i].written == to->written;
        if (told)
            continue;
        char *value = NULL;
        size_t size;
        FILE *file = open_memstream(&value, &size);
        if (!file)
            memory_exhausted();
        tell(&of, text, at, file);
        fclose(file);
        snprintf(to->value, sizeof to->value, "%s", size ? value : "not known");
        free(value);
        rows++;
    }
    return rows;
}
