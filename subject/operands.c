/* operands.c - see operands.h.
 *
 * A warp access comes before the instruction that made it, in the order in which the warp went. Of a function that is
 * called, registers have names of their own: behind a call or a return nothing from before it is told.
 */
#include "subject/operands.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Places in `bytes`. */
struct executed {
    size_t text, name, type, value;
    uint64_t mask;
    int width; /* bytes of a lane */
    bool first;
};
struct executing { /* an access, and the instruction that made it */
    uint32_t phase, round, slot;
    uint64_t pc;
    size_t row; /* NO_ROW: not known */
};
static const size_t NO_ROW = SIZE_MAX;

struct operands {
    struct program_follow warp;
    struct source_lines *lines;
    bool inside; /* of the block */
    char *bytes;
    size_t length, bytes_room;
    struct executed *row;
    size_t rows, room;
    struct executing *access;
    size_t accesses, access_room;
    size_t told; /* accesses whose instruction has come */
};

struct operands *operands_new(const struct program_follow *warp)
{
    struct operands *operands = memory_new(1, sizeof *operands);
    operands->warp = *warp;
    return operands;
}

void operands_free(struct operands *operands)
{
    if (!operands)
        return;
    free(operands->bytes);
    free(operands->row);
    free(operands->access);
    free(operands);
}

/* ---- taking ------------------------------------------------------------------------------------ */

static bool on_block(void *context, uint64_t index, struct error *error)
{
    struct operands *operands = context;
    (void)error;
    operands->inside = index == operands->warp.block;
    return true;
}

static bool on_access(void *context, const struct program_access *access, struct error *error)
{
    struct operands *operands = context;
    if (!operands->inside || access->warp != (int)operands->warp.warp)
        return true;
    if (!memory_grow(&operands->access, &operands->access_room, operands->accesses + 1,
                     sizeof *operands->access, "accesses", error))
        return false;
    operands->access[operands->accesses++] =
        (struct executing){access->phase, access->round, access->slot, access->pc, NO_ROW};
    return true;
}

/* Appends to `bytes`; *at says where. */
static bool keep(struct operands *operands, const void *from, size_t count, size_t *at,
                 struct error *error)
{
    if (!memory_grow(&operands->bytes, &operands->bytes_room, operands->length + count, 1,
                     "registers", error))
        return false;
    *at = operands->length;
    if (count)
        memcpy(operands->bytes + operands->length, from, count);
    operands->length += count;
    return true;
}

static bool same_place(const struct operands *operands, uint64_t a, uint64_t b)
{
    const struct source_place *at = a ? lines_place(operands->lines, a) : NULL;
    const int line = at ? at->line : 0;
    const struct source_place *other = b ? lines_place(operands->lines, b) : NULL;
    return a == b || (at && other && line && line == other->line);
}

static bool on_executed(void *context, const struct program_executed *executed, struct error *error)
{
    struct operands *operands = context;
    const size_t lanes = (size_t)__builtin_popcountll(executed->mask);
    struct executed row = {
        .mask = executed->mask, .width = executed->bytes, .first = executed->first};
    if (!memory_grow(&operands->row, &operands->room, operands->rows + 1, sizeof *operands->row,
                     "registers", error) ||
        !keep(operands, executed->text, strlen(executed->text) + 1, &row.text, error) ||
        !keep(operands, executed->name, strlen(executed->name) + 1, &row.name, error) ||
        !keep(operands, executed->type ? executed->type : "",
              executed->type ? strlen(executed->type) + 1 : 1, &row.type, error) ||
        !keep(operands, executed->value, *executed->name ? lanes * (size_t)executed->bytes : 0,
              &row.value, error))
        return false;
    for (; row.first && operands->told < operands->accesses; operands->told++) {
        struct executing *access = &operands->access[operands->told];
        access->row = same_place(operands, access->pc, executed->pc) ? operands->rows : NO_ROW;
    }
    operands->row[operands->rows++] = row;
    return true;
}

struct program_sink operands_sink(struct operands *operands, struct source_lines *lines)
{
    operands->lines = lines;
    return (struct program_sink){
        .block = on_block, .access = on_access, .executed = on_executed, .context = operands};
}

/* ---- telling ----------------------------------------------------------------------------------- */

static const char *string(const struct operands *operands, size_t at)
{
    return operands->bytes + at;
}

static bool is_named(const struct operands *operands, const struct executed *row, const char *name)
{
    return !strcmp(string(operands, row->name), name);
}

static void put(const struct operands *operands, const struct executed *row, int lane, char *text,
                size_t room)
{
    const size_t before = (size_t)__builtin_popcountll(row->mask & ((UINT64_C(1) << lane) - 1));
    FILE *to = fmemopen(text, room, "w");
    if (!to)
        memory_exhausted();
    register_put_value(to, string(operands, row->type),
                       (const unsigned char *)string(operands, row->value) +
                           before * (size_t)row->width,
                       row->width);
    fclose(to);
    text[room - 1] = '\0';
}

/* Whether a call or a return of the lane is there. */
static bool leaves(const char *text)
{
    if (*text == '@')
        text += strcspn(text, " ") + strspn(text + strcspn(text, " "), " ");
    return !strncmp(text, "call", 4) || !strncmp(text, "ret", 3);
}

/* The last row before `end` in which the lane wrote the register; NO_ROW: none that is known. */
static size_t written_before(const struct operands *operands, size_t end, const char *name,
                             int lane)
{
    while (end-- > 0) {
        const struct executed *row = &operands->row[end];
        if (!(row->mask >> lane & 1))
            continue;
        if (is_named(operands, row, name))
            return end;
        if (leaves(string(operands, row->text)))
            break;
    }
    return NO_ROW;
}

/* The row of the instruction that writes the register; NO_ROW: it does not. */
static size_t written_by(const struct operands *operands, size_t first, const char *name)
{
    for (size_t i = first; i < operands->rows && (i == first || !operands->row[i].first); i++)
        if (is_named(operands, &operands->row[i], name))
            return i;
    return NO_ROW;
}

static bool is_told(const struct register_row *row, int rows, const char *name, bool written)
{
    for (int i = 0; i < rows; i++)
        if (!strcmp(row[i].name, name) && row[i].written == written)
            return true;
    return false;
}

/* The next word that may be a register's name; false: there is none. Special registers have a full stop in theirs. */
static bool next_name(const char **text, char *name, size_t room)
{
    const char *at = *text;
    for (;;) {
        while (*at && *at != '%')
            at++;
        if (!*at)
            return false;
        size_t length = 1;
        while (isalnum((unsigned char)at[length]) || strchr("_$.", at[length] ? at[length] : ' '))
            length++;
        *text = at + length;
        if (!memchr(at, '.', length) && length < room) {
            snprintf(name, room, "%.*s", (int)length, at);
            return true;
        }
        at = *text;
    }
}

int operands_tell(const struct operands *operands, const struct warp_access *access, int lane,
                  struct register_row *row, int room)
{
    size_t first = NO_ROW;
    for (size_t i = 0; operands && i < operands->accesses; i++) {
        const struct executing *at = &operands->access[i];
        if (at->phase == (uint32_t)access->stage && at->round == (uint32_t)access->round &&
            at->slot == (uint32_t)access->slot)
            first = at->row;
    }
    if (first == NO_ROW || !(operands->row[first].mask >> lane & 1))
        return 0;
    const char *text = string(operands, operands->row[first].text);
    int rows = 0;
    while (rows < room && next_name(&text, row[rows].name, sizeof row->name)) {
        struct register_row *to = &row[rows];
        const size_t now = written_by(operands, first, to->name);
        to->written = now != NO_ROW && !is_told(row, rows, to->name, true);
        if (is_told(row, rows, to->name, to->written))
            continue;
        const size_t at = to->written ? now : written_before(operands, first, to->name, lane);
        snprintf(to->value, sizeof to->value, "not known");
        if (at != NO_ROW)
            put(operands, &operands->row[at], lane, to->value, sizeof to->value);
        rows++;
    }
    return rows;
}
