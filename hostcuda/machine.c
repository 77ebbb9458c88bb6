/* machine.c - the recording as nvcc's machine code does it.
 *
 * What is recorded are the accesses of g++'s code. nvcc may have made one wide access of neighbours, or
 * kept a value in a register. Where there is an nvcc, it compiles the program meanwhile, and what its
 * instructions of a source line are (cubin.c) decides, for each launch:
 *
 *     merged   nvcc has a load (store) of W bytes on the line, and the same lanes load (store) the
 *              neighbours within W bytes, W-aligned in every lane, with nothing in between that
 *              touches them: they are one access. What is near the wide instruction, between two
 *              barriers of the code, must be recorded, too: for [R6+0x10] of 8 bytes beside
 *              [R6+0xc] of 4, the word before. If all loads of a line are W wide, lanes may take part
 *              in some of them only; and two variables may be neighbours that lie apart here, where
 *              each has a row of its own.
 *     split    nvcc has only narrower accesses on the line, and g++ only this width: one is several.
 *     dropped  nvcc has no load on the line, or each of them runs at most once in a thread and did,
 *              and every lane has had the value before, in the same phase: it is in a register. (Lanes
 *              that have not take part in the load before, on a line nearby.) Or it has no store on
 *              the line, and every lane stores to the same place afterwards.
 *     added    nvcc has a load on the line and g++ has none, and it is from where the line's store
 *              goes.
 *
 * Everything else stays as it is written. Accesses are looked at in runs: those of a warp in a phase.
 */
#include "hostcuda/cubin.h"

#include <stdlib.h>
#include <string.h>

enum {
    RUN_MOST = 1 << 14, /* accesses of a run */
    WINDOW = 512,       /* accesses among which neighbours are looked for */
    MEMORY = 4096,      /* accesses among which an earlier or later one to the same place is */
    SIBLINGS = 8,       /* of a wide instruction, that are compared */
    GIVE_UP = 256,      /* times without success, and an access is no longer looked at */
    NEAR = 3,           /* lines on which one statement may be */
    OPERATIONS = 2,     /* OP_LOAD and OP_STORE are looked at */
};

/* A wide instruction, and how far from its address its neighbours' are. */
struct wide {
    int bytes;
    int32_t sibling[SIBLINGS];
    int siblings;
};

/* What nvcc made of a line's loads or stores, and what became of the recorded ones. */
struct made {
    const char *file; /* as struct source_place has it */
    int line;
    enum op op;
    int count;         /* instructions; 0: none */
    int widths;        /* of theirs, or-ed */
    int wide_count[5]; /* of them, by the logarithm of their bytes */
    bool looped;       /* one may run more than once in a thread */
    bool reread;       /* of stores: each has a load of its own before it */
    /* Of the recording: */
    int seen;                       /* widths, or-ed */
    bool paired;                    /* a narrow access was found to be part of a wide one */
    bool parting;                   /* fewer and fewer lanes go on to the neighbours */
    uint64_t changed, kept, missed; /* accesses; missed: looked at in vain */
    uint64_t run;                   /* that the numbers below are of */
    uint32_t times[RECORD_WARP];    /* that a lane has run its instructions */
    uint32_t joined[RECORD_WARP];   /* that a lane's accesses became a wide one */
    struct wide *wide;
    size_t wides, wide_room;
    /* The only instruction, if its address is a uniform register and an offset; NULL: it is not so. */
    const struct cubin_access *absolute;
    uint32_t addr; /* that all lanes have recorded, always */
    bool several;  /* there are more */
};

/* What an instruction of g++'s is. */
struct site {
    uint64_t pc; /* 0: free */
    struct made *made[OPERATIONS];
};

/* A kernel. */
struct code {
    char *name;
    const struct cubin_function *function; /* NULL: nvcc has none of that name */
    const struct cubin *cubin;
    struct made **made;
    size_t mades, made_room;
    struct site *site; /* open hash */
    size_t sites, site_room;
    int widths[OPERATIONS]; /* of all instructions, or-ed */
};

enum state { STAYS, GONE, WIDENED };
struct item {
    struct record_access access;
    int lanes;
    uint8_t lane[RECORD_WARP];
    int64_t value[RECORD_WARP];
    bool values;
    uint8_t state, bytes; /* bytes, addr: as recorded */
    uint32_t addr;        /* of the first lane */
    struct made *made;    /* NULL: of an operation that is not looked at */
    uint32_t next;        /* + 1, of the same key */
};

struct machine {
    struct nvcc *nvcc;
    const struct built_program *program;
    struct source_lines *lines;
    struct record_sink to;
    struct code **code;
    size_t codes, code_room;
    struct code *now; /* of the launch; NULL: as it is written */
    struct item *item;
    size_t items, item_room;
    uint32_t *key; /* index + 1 of the first item of a key: open hash */
    uint32_t *cursor;
    size_t key_room;
    uint64_t run;
    uint32_t dynamic_bytes; /* of the launch */
};

/* ---- a kernel's lines ------------------------------------------------------------------------ */

/* The entry of a line and operation, made when there is none. */
static struct made *made_of(struct code *code, const char *file, int line, enum op op)
{
    struct error ignored = {{0}};
    for (size_t i = 0; i < code->mades; i++) {
        struct made *made = code->made[i];
        if (made->line == line && made->op == op && made->file == file)
            return made;
    }
    if (!memory_grow(&code->made, &code->made_room, code->mades + 1, sizeof *code->made, "lines",
                     &ignored))
        memory_exhausted();
    struct made *made = memory_new(1, sizeof *made);
    *made = (struct made){.file = file, .line = line, .op = op};
    code->made[code->mades++] = made;
    return made;
}

static bool same_base(const struct cubin_access *a, const struct cubin_access *b)
{
    return a->segment == b->segment && a->base == b->base && a->written == b->written &&
           a->uniform == b->uniform && a->guard == b->guard;
}

static void add_wide(struct made *made, const struct cubin_function *function,
                     const struct cubin_access *access)
{
    struct error ignored = {{0}};
    struct wide wide = {.bytes = access->bytes};
    for (size_t i = 0; i < function->accesses && wide.siblings < SIBLINGS; i++) {
        const struct cubin_access *other = &function->access[i];
        int64_t apart = (int64_t)other->offset - access->offset;
        if (other != access && other->op == access->op && other->line == access->line &&
            other->file == access->file && same_base(access, other) && apart >= -64 && apart <= 64)
            wide.sibling[wide.siblings++] = (int32_t)apart;
    }
    for (size_t i = 0; i < made->wides; i++) /* an unrolled loop has many of the same */
        if (made->wide[i].bytes == wide.bytes && made->wide[i].siblings == wide.siblings &&
            !memcmp(made->wide[i].sibling, wide.sibling, sizeof wide.sibling))
            return;
    if (memory_grow(&made->wide, &made->wide_room, made->wides + 1, sizeof *made->wide,
                    "instructions", &ignored))
        made->wide[made->wides++] = wide;
}

/* Whether every load of a line goes where a store of the line goes afterwards. */
static bool is_reread(const struct cubin_function *function, const struct made *stores)
{
    int loads = 0, matched = 0;
    for (size_t i = 0; i < function->accesses; i++) {
        const struct cubin_access *load = &function->access[i];
        if (load->op != OP_LOAD || load->line != stores->line)
            continue;
        loads++;
        for (size_t k = i + 1; k < function->accesses; k++) {
            const struct cubin_access *store = &function->access[k];
            if (store->op == OP_STORE && store->line == load->line && store->file == load->file &&
                same_base(load, store) && store->offset == load->offset &&
                store->bytes == load->bytes) {
                matched++;
                break;
            }
        }
    }
    return loads && loads == matched && loads == stores->count;
}

static void add_accesses(struct machine *machine, struct code *code,
                         const struct cubin_function *function)
{
    for (size_t i = 0; i < function->accesses; i++) {
        const struct cubin_access *access = &function->access[i];
        if (access->file < 0 || !access->line || (int)access->op >= OPERATIONS)
            continue;
        struct made *made =
            made_of(code, machine->program->file[access->file].path, access->line, access->op);
        bool absolute = access->base == CUBIN_NO_REGISTER && access->uniform >= 0 && !made->count;
        made->absolute = absolute ? access : NULL;
        made->count++;
        made->widths |= access->bytes;
        made->wide_count[__builtin_ctz((unsigned)access->bytes)]++;
        made->looped |= access->looped;
        code->widths[access->op] |= access->bytes;
        add_wide(made, function, access);
    }
}

static struct code *code_of(struct machine *machine, const char *name)
{
    struct error ignored = {{0}};
    for (size_t i = 0; i < machine->codes; i++)
        if (!strcmp(machine->code[i]->name, name))
            return machine->code[i];
    if (!memory_grow(&machine->code, &machine->code_room, machine->codes + 1, sizeof *machine->code,
                     "kernels", &ignored))
        memory_exhausted();
    struct code *code = memory_new(1, sizeof *code);
    code->name = memory_copy(name);
    code->function = nvcc_function(machine->nvcc, name, &code->cubin);
    machine->code[machine->codes++] = code;
    if (!code->function)
        return code;
    add_accesses(machine, code, code->function);
    for (size_t i = 0; i < code->cubin->functions; i++)
        if (!code->cubin->function[i].kernel) {
            add_accesses(machine, code, &code->cubin->function[i]);
            for (size_t k = 0; k < code->mades; k++)
                code->made[k]->looped = true;
        }
    for (size_t i = 0; i < code->mades; i++)
        if (code->made[i]->op == OP_STORE)
            code->made[i]->reread = is_reread(code->function, code->made[i]);
    return code;
}

static const struct site *site_of(struct machine *machine, uint64_t pc)
{
    struct code *code = machine->now;
    if (2 * code->sites >= code->site_room) {
        size_t room = code->site_room ? 2 * code->site_room : 64;
        struct site *bigger = memory_new(room, sizeof *bigger);
        for (size_t i = 0; i < code->site_room; i++)
            if (code->site[i].pc) {
                size_t at = (size_t)(code->site[i].pc * UINT64_C(0x9e3779b97f4a7c15) >> 32);
                while (bigger[at % room].pc)
                    at++;
                bigger[at % room] = code->site[i];
            }
        free(code->site);
        code->site = bigger;
        code->site_room = room;
    }
    size_t at = (size_t)(pc * UINT64_C(0x9e3779b97f4a7c15) >> 32);
    while (code->site[at % code->site_room].pc && code->site[at % code->site_room].pc != pc)
        at++;
    struct site *site = &code->site[at % code->site_room];
    if (!site->pc) {
        const struct source_place *place = lines_place(machine->lines, pc);
        site->pc = pc;
        code->sites++;
        for (int op = 0; op < OPERATIONS && place->line; op++)
            site->made[op] = made_of(code, place->file, place->line, (enum op)op);
    }
    return site;
}

/* ---- finding accesses of a run ----------------------------------------------------------------- */

static size_t key_of(const struct item *item, int64_t addr)
{
    uint64_t hash = (uint64_t)addr * UINT64_C(0x9e3779b97f4a7c15);
    hash ^=
        ((uint64_t)item->access.mask << 8 | (uint64_t)item->bytes << 2 | item->access.operation) *
        UINT64_C(0xbf58476d1ce4e5b9);
    return (size_t)(hash >> 20);
}

static bool same_key(const struct item *a, const struct item *b, int64_t addr)
{
    return b->access.mask == a->access.mask && b->bytes == a->bytes &&
           b->access.operation == a->access.operation && b->addr == addr;
}

/* The place in `key` of what is like the item, with that address in the first lane. */
static uint32_t *find_key(const struct machine *machine, const struct item *like, int64_t addr)
{
    size_t at = key_of(like, addr);
    for (;; at++) {
        uint32_t *key = &machine->key[at % machine->key_room];
        if (!*key || same_key(like, &machine->item[*key - 1], addr))
            return key;
    }
}

static void index_items(struct machine *machine)
{
    size_t room = 64;
    while (room < 2 * machine->items + 2)
        room *= 2;
    if (room > machine->key_room) {
        free(machine->key);
        free(machine->cursor);
        machine->key = memory_new(room, sizeof *machine->key);
        machine->cursor = memory_new(room, sizeof *machine->cursor);
        machine->key_room = room;
    } else {
        memset(machine->key, 0, machine->key_room * sizeof *machine->key);
    }
    for (size_t i = machine->items; i-- > 0;) {
        struct item *item = &machine->item[i];
        uint32_t *key = find_key(machine, item, item->addr);
        item->next = *key;
        *key = (uint32_t)i + 1;
        machine->cursor[key - machine->key] = *key;
    }
}

/* The next item behind `from` that does the same `apart` bytes further in every lane and is not yet
 * part of another, or SIZE_MAX. */
static size_t find_apart(const struct machine *machine, size_t from, int64_t apart)
{
    const struct item *item = &machine->item[from];
    uint32_t *key = find_key(machine, item, item->access.addr[0] + apart);
    if (!*key)
        return SIZE_MAX;
    uint32_t *cursor = &machine->cursor[key - machine->key];
    while (*cursor && *cursor - 1 < from)
        *cursor = machine->item[*cursor - 1].next;
    for (uint32_t at = *cursor; at && at - 1 <= from + WINDOW; at = machine->item[at - 1].next) {
        const struct item *other = &machine->item[at - 1];
        bool same = at - 1 > from && other->state == STAYS;
        for (int i = 0; i < item->lanes && same; i++)
            same = other->access.addr[i] == item->access.addr[i] + apart;
        if (same)
            return at - 1;
    }
    return SIZE_MAX;
}

/* Whether between two items (without them and the other parts of what they are to become) something
 * touches bytes from `low` to before `high` that must not move over `op`. */
static bool is_between(const struct machine *machine, const size_t *part, int parts, size_t first,
                       size_t last, int64_t low, int64_t high, enum op op)
{
    for (size_t k = first + 1; k < last; k++) {
        const struct item *item = &machine->item[k];
        bool own = op == OP_LOAD && item->access.operation == OP_LOAD;
        for (int i = 0; i < parts && !own; i++)
            own = part[i] == k;
        if (own)
            continue;
        if (item->state == GONE && item->access.operation == op)
            continue;
        for (int i = 0; i < item->lanes; i++)
            if (item->access.addr[i] < high && item->access.addr[i] + item->access.bytes > low)
                return true;
    }
    return false;
}

static int64_t lowest(const struct item *item)
{
    int64_t low = item->access.addr[0];
    for (int i = 1; i < item->lanes; i++)
        low = item->access.addr[i] < low ? item->access.addr[i] : low;
    return low;
}

static int64_t highest(const struct item *item)
{
    int64_t high = item->access.addr[0];
    for (int i = 1; i < item->lanes; i++)
        high = item->access.addr[i] > high ? item->access.addr[i] : high;
    return high;
}

/* ---- how often ------------------------------------------------------------------------------- */

/* The numbers of this run. */
static struct made *in_run(const struct machine *machine, struct made *made)
{
    if (made->run != machine->run) {
        memset(made->times, 0, sizeof made->times);
        memset(made->joined, 0, sizeof made->joined);
    }
    made->run = machine->run;
    return made;
}

/* Whether each lane of an item (any: one of them) has a number of at least `most`. */
static bool have_reached(const struct item *item, const uint32_t number[RECORD_WARP], uint32_t most,
                         bool any)
{
    for (int i = 0; i < item->lanes; i++)
        if ((number[item->lane[i]] >= most) == any)
            return any;
    return !any;
}

static void count_one(const struct item *item, uint32_t number[RECORD_WARP])
{
    for (int i = 0; i < item->lanes; i++)
        number[item->lane[i]]++;
}

/* ---- merging --------------------------------------------------------------------------------- */

/* Whether nvcc has an instruction of W bytes for the line whose neighbours are recorded, too, and that
 * the lanes may still run. */
static bool has_wide(const struct machine *machine, struct made *made, int width,
                     const struct item *item, int64_t begin)
{
    if (!made->looped &&
        have_reached(item, in_run(machine, made)->joined,
                     (uint32_t)made->wide_count[__builtin_ctz((unsigned)width)], true))
        return false;
    for (size_t i = 0; i < made->wides; i++) {
        const struct wide *wide = &made->wide[i];
        bool there = wide->bytes == width;
        for (int k = 0; k < wide->siblings && there; k++)
            there = *find_key(machine, item, begin + wide->sibling[k]) != 0;
        if (there)
            return true;
    }
    return false;
}

/* Item `to` becomes the access of all `width` bytes, whose parts are `part`. */
static void join(struct machine *machine, const size_t *part, int parts, size_t to,
                 struct made *made, int width)
{
    struct item *item = &machine->item[to];
    struct item first = machine->item[part[0]];
    int64_t value[RECORD_WARP] = {0};
    int bytes = first.access.bytes;
    bool values = true;
    for (int k = 0; k < parts; k++) {
        const struct item *from = &machine->item[part[k]];
        values &= from->values;
        for (int i = 0; i < first.lanes && k * bytes < 8; i++) {
            uint64_t mask = bytes >= 8 ? UINT64_MAX : (UINT64_C(1) << 8 * bytes) - 1;
            value[i] |= (int64_t)(((uint64_t)from->value[i] & mask) << 8 * k * bytes);
        }
    }
    for (int k = 0; k < parts; k++) {
        struct item *from = &machine->item[part[k]];
        if (from->made == made) /* the line is that of the wide instruction */
            item->access.pc = from->access.pc;
        from->state = GONE;
    }
    memcpy(item->access.addr, first.access.addr, sizeof first.access.addr);
    memcpy(item->value, value, sizeof value);
    item->values = values;
    item->access.bytes = (uint8_t)width;
    item->made = made;
    item->state = WIDENED;
    made->changed += (uint64_t)parts;
    made->paired = true;
    count_one(item, in_run(machine, made)->joined);
}

/* Makes one access of `width` bytes of an item and those that follow. */
static bool merge(struct machine *machine, size_t index, int width)
{
    const struct item *item = &machine->item[index];
    int bytes = item->access.bytes, parts = width / bytes;
    int64_t within = item->access.addr[0] & (uint32_t)(width - 1);
    size_t part[16], first = index, last = index;
    struct made *made = NULL;
    for (int i = 1; i < item->lanes; i++)
        if ((item->access.addr[i] & (uint32_t)(width - 1)) != within)
            return false;
    if (within % bytes)
        return false;
    for (int k = 0; k < parts; k++) {
        part[k] = k == within / bytes ? index : find_apart(machine, index, k * bytes - within);
        if (part[k] == SIZE_MAX)
            return false;
        last = part[k] > last ? part[k] : last;
    }
    int64_t begin = item->access.addr[0] - within;
    for (int k = 0; k < parts && !made; k++)
        if (has_wide(machine, machine->item[part[k]].made, width, item, begin))
            made = machine->item[part[k]].made;
    if (!made || is_between(machine, part, parts, first, last, lowest(item) - within,
                            highest(item) - within + width, (enum op)item->access.operation))
        return false;
    join(machine, part, parts, item->access.operation == OP_STORE ? last : first, made, width);
    return true;
}

static bool is_one_word(const struct item *item)
{
    for (int i = 1; i < item->lanes; i++)
        if (item->access.addr[i] != item->access.addr[0])
            return false;
    return true;
}

/* Where nvcc has put the variable that an item accesses: `*offset` from a uniform register. This is known
 * of a variable that some line accesses alone, with one instruction. */
static bool find_variable(const struct machine *machine, const struct item *item, int uniform,
                          int32_t *offset)
{
    bool found = false;
    for (size_t i = 0; i < machine->now->mades; i++) {
        const struct made *made = machine->now->made[i];
        if (!made->absolute || made->several || made->seen != made->absolute->bytes ||
            made->addr != item->access.addr[0] || made->absolute->uniform != uniform)
            continue;
        if (found && *offset != made->absolute->offset)
            return false;
        found = true;
        *offset = made->absolute->offset;
    }
    return found;
}

/* Whether two variables, which do not lie side by side here, are within the bytes that nvcc's only
 * instruction of the line loads. */
static bool are_side_by_side(const struct machine *machine, const struct item *item,
                             const struct item *other)
{
    const struct cubin_access *wide = item->made->absolute;
    int32_t own, its;
    return wide && wide->bytes == 8 && is_one_word(item) && is_one_word(other) &&
           find_variable(machine, item, wide->uniform, &own) &&
           find_variable(machine, other, wide->uniform, &its) && own != its &&
           own >= wide->offset && own < wide->offset + wide->bytes && its >= wide->offset &&
           its < wide->offset + wide->bytes;
}

/* Whether each lane of the second one has an address in the window of its own, in the first one. */
static bool is_in_window(const struct item *item, const struct item *other, int width)
{
    for (int i = 0, own = 0; i < other->lanes; i++) {
        while (item->lane[own] != other->lane[i])
            own++;
        uint32_t begin = item->access.addr[own] & ~(uint32_t)(width - 1);
        if (other->access.addr[i] - begin >= (uint32_t)width ||
            other->access.addr[i] == item->access.addr[own])
            return false;
    }
    return true;
}

/* Whether the aligned bytes around an item's belong to the same arrays. */
static bool has_room(const struct machine *machine, const struct item *item, int width)
{
    for (int i = 0; i < item->lanes; i++) {
        uint32_t begin = item->access.addr[i] & ~(uint32_t)(width - 1);
        uint32_t last = begin + (uint32_t)width - 1;
        if (begin >= RECORD_DYNAMIC
                ? last - RECORD_DYNAMIC >= machine->dynamic_bytes
                : lines_array(machine->lines, begin) < 0 ||
                      lines_array(machine->lines, begin) != lines_array(machine->lines, last))
            return false;
    }
    return true;
}

/* All loads of the line are of one width: so is this one, and what lanes of it load of the same bytes
 * afterwards is part of it. */
static void widen(struct machine *machine, size_t index)
{
    struct item *item = &machine->item[index];
    struct made *made = item->made;
    int width = made->widths;
    bool found = false, apart = false;
    if (!made->looped &&
        have_reached(item, in_run(machine, made)->joined, (uint32_t)made->count, true))
        return;
    for (size_t k = index + 1; k < machine->items && k <= index + WINDOW; k++) {
        struct item *other = &machine->item[k];
        if (other->access.operation != OP_LOAD || other->state != STAYS ||
            other->access.bytes != item->access.bytes || other->access.mask & ~item->access.mask)
            continue;
        bool beside = are_side_by_side(machine, item, other);
        if ((!beside && !is_in_window(item, other, width)) ||
            is_between(machine, NULL, 0, index, k, lowest(other),
                       highest(other) + other->access.bytes, OP_LOAD))
            continue;
        other->state = GONE;
        found = true;
        apart |= beside;
    }
    if (!found && !made->paired)
        return;
    /* Two variables that lie apart here are one pass, as one of them is. */
    if (!apart && has_room(machine, item, width)) {
        for (int i = 0; i < item->lanes; i++)
            item->access.addr[i] &= ~(uint32_t)(width - 1);
        item->access.bytes = (uint8_t)width;
        item->values = false;
    }
    item->state = WIDENED;
    made->changed++;
    made->paired = true;
    count_one(item, made->joined);
}

static bool one_bit(int widths)
{
    return widths && !(widths & (widths - 1));
}

/* Whether some of an access's lanes go on to what is next to it, and others do not: then nvcc's code,
 * which takes several steps of a loop at once, runs with lanes that are at different steps. */
static bool is_parting(const struct machine *machine, size_t index)
{
    const struct item *item = &machine->item[index], *next = NULL;
    for (size_t k = index + 1; k < machine->items && k <= index + 4 * NEAR && !next; k++)
        if (machine->item[k].access.pc == item->access.pc)
            next = &machine->item[k];
    if (!next || next->access.mask == item->access.mask || next->access.mask & ~item->access.mask)
        return false;
    for (int i = 0, own = 0; i < next->lanes; i++) {
        while (item->lane[own] != next->lane[i])
            own++;
        if (next->access.addr[i] != item->access.addr[own] + item->access.bytes)
            return false;
    }
    return true;
}

static void merge_all(struct machine *machine)
{
    const struct code *code = machine->now;
    bool wanted = false;
    for (size_t i = 0; i < machine->items && !wanted; i++) {
        const struct item *item = &machine->item[i];
        wanted = item->made && code->widths[item->made->op] >= 2 * item->access.bytes;
    }
    if (!wanted)
        return;
    index_items(machine);
    for (size_t i = 0; i < machine->items; i++) {
        struct item *item = &machine->item[i];
        if (!item->made || item->state != STAYS)
            continue;
        const struct made *made = item->made;
        bool done = false;
        for (int width = 16; width > item->access.bytes && !done; width /= 2)
            done = code->widths[made->op] & width && merge(machine, i, width);
        if (!done && made->op == OP_LOAD && one_bit(made->widths) &&
            made->widths > item->access.bytes && !(made->seen & made->widths))
            widen(machine, i);
        if (item->state == STAYS && made->widths >= 2 * item->access.bytes && made->looped)
            item->made->parting |= is_parting(machine, i);
    }
}

/* ---- dropping -------------------------------------------------------------------------------- */

/* The lanes of a load that have not loaded or stored these bytes before in the run, or to whose bytes
 * another lane has stored since. */
static uint32_t unknown_lanes(const struct machine *machine, size_t index)
{
    const struct item *item = &machine->item[index];
    uint32_t missing = item->access.mask;
    for (size_t back = 1; missing && back <= index && back <= MEMORY; back++) {
        const struct item *from = &machine->item[index - back];
        enum op op = (enum op)from->access.operation;
        bool writes = op != OP_LOAD && op != OP_MATRIX_LOAD;
        if (!writes && !(from->access.mask & missing))
            continue;
        for (int i = 0; i < item->lanes && missing; i++) {
            if (!(missing >> item->lane[i] & 1))
                continue;
            uint32_t addr = item->access.addr[i], end = addr + item->access.bytes;
            for (int k = 0; k < from->lanes; k++) {
                uint32_t begin = from->access.addr[k];
                bool own = from->lane[k] == item->lane[i];
                bool touches = begin < end && addr < begin + from->access.bytes;
                if (touches && writes && !own)
                    return missing;
                if (own && touches && op <= OP_STORE && begin <= addr &&
                    end <= begin + from->access.bytes)
                    missing &= ~(UINT32_C(1) << item->lane[i]);
                else if (own && touches && writes)
                    return missing;
            }
        }
    }
    return missing;
}

/* Whether every lane of a store stores to the same bytes again in the run, and nobody reads them
 * before. */
static bool is_overwritten(const struct machine *machine, size_t index)
{
    const struct item *item = &machine->item[index];
    uint32_t missing = item->access.mask;
    for (size_t next = index + 1; missing && next < machine->items && next <= index + MEMORY;
         next++) {
        const struct item *from = &machine->item[next];
        if (from->access.operation == OP_LOAD && from->state == GONE)
            continue;
        for (int i = 0; i < item->lanes && missing; i++) {
            if (!(missing >> item->lane[i] & 1))
                continue;
            uint32_t addr = item->access.addr[i], end = addr + item->access.bytes;
            for (int k = 0; k < from->lanes; k++) {
                uint32_t begin = from->access.addr[k];
                if (begin >= end || addr >= begin + from->access.bytes)
                    continue;
                if (from->access.operation != OP_STORE || from->lane[k] != item->lane[i] ||
                    begin > addr || end > begin + from->access.bytes)
                    return false;
                missing &= ~(UINT32_C(1) << item->lane[i]);
            }
        }
    }
    return !missing;
}

/* The nearest load before an item that lanes, which have not had its value, must have run with others:
 * on a line nearby that has an instruction. SIZE_MAX: none. */
static size_t find_host(const struct machine *machine, size_t index, uint32_t lanes)
{
    const struct item *item = &machine->item[index];
    for (size_t back = 1; back <= index && back <= 4 * NEAR; back++) {
        const struct item *other = &machine->item[index - back];
        if (other->made && other->state == STAYS && other->access.operation == OP_LOAD &&
            other->access.bytes == item->access.bytes && !(other->access.mask & lanes) &&
            other->made->count && other->made->file == item->made->file &&
            abs(other->made->line - item->made->line) <= NEAR)
            return index - back;
    }
    return SIZE_MAX;
}

/* Lanes of an item take part in another one. */
static void take_part(struct machine *machine, size_t index, uint32_t lanes, size_t in)
{
    const struct item *from = &machine->item[index];
    struct item *to = &machine->item[in], before = *to;
    const struct item *const sources[] = {&before, from};
    to->lanes = 0;
    to->access.mask |= lanes;
    to->values = before.values && from->values;
    for (int lane = 0, at[2] = {0, 0}; lane < RECORD_WARP; lane++) {
        int which = lanes >> lane & 1;
        for (int k = 0; k < 2; k++)
            while (at[k] < sources[k]->lanes && sources[k]->lane[at[k]] < lane)
                at[k]++;
        if (!(to->access.mask >> lane & 1))
            continue;
        to->lane[to->lanes] = (uint8_t)lane;
        to->access.addr[to->lanes] = sources[which]->access.addr[at[which]];
        to->value[to->lanes++] = sources[which]->value[at[which]];
    }
}

/* A load: is it done without an instruction of its own? */
static bool is_dropped(struct machine *machine, size_t index)
{
    struct item *item = &machine->item[index];
    struct made *made = item->made;
    bool run = !made->looped &&
               have_reached(item, in_run(machine, made)->times, (uint32_t)made->count, false);
    if (item->state != STAYS || made->op != OP_LOAD || (made->count && !run) ||
        made->missed >= GIVE_UP)
        return false;
    uint32_t lanes = unknown_lanes(machine, index);
    size_t host = lanes && !made->count ? find_host(machine, index, lanes) : SIZE_MAX;
    if (host != SIZE_MAX)
        take_part(machine, index, lanes, host);
    made->missed += lanes && host == SIZE_MAX;
    return !lanes || host != SIZE_MAX;
}

static void drop_all(struct machine *machine)
{
    for (size_t i = 0; i < machine->items; i++) {
        struct item *item = &machine->item[i];
        if (!item->made || item->state == GONE)
            continue;
        if (is_dropped(machine, i)) {
            item->state = GONE;
            item->made->changed++;
        } else {
            count_one(item, in_run(machine, item->made)->times);
        }
    }
    for (size_t i = 0; i < machine->items; i++) {
        struct item *item = &machine->item[i];
        struct made *made = item->made;
        if (!made || item->state != STAYS || made->op != OP_STORE || made->count ||
            made->missed >= GIVE_UP)
            continue;
        if (is_overwritten(machine, i)) {
            item->state = GONE;
            made->changed++;
        } else {
            made->missed++;
        }
    }
}

/* ---- adding ---------------------------------------------------------------------------------- */

/* Whether a store's line has a load that the recording lacks; not where a line nearby has a recorded
 * load and no instruction, which may be that one. */
static bool is_reread_here(const struct code *code, const struct item *item)
{
    const struct made *stores = item->made;
    if (!stores || stores->op != OP_STORE || !stores->reread)
        return false;
    for (size_t i = 0; i < code->mades; i++) {
        const struct made *made = code->made[i];
        if (made->op != OP_LOAD || made->file != stores->file)
            continue;
        if (made->line == stores->line
                ? made->seen
                : made->seen && !made->count && abs(made->line - stores->line) <= NEAR)
            return false;
    }
    return true;
}

/* ---- runs ------------------------------------------------------------------------------------ */

struct handing {
    struct machine *machine;
    uint32_t round, slot; /* behind the last one */
    bool any;
};

static bool hand_one(struct handing *handing, struct record_access *access, int lanes,
                     const uint8_t *lane, const int64_t *value, struct error *error)
{
    const struct record_sink *to = &handing->machine->to;
    if (handing->any && access->round == handing->round && access->slot < handing->slot)
        access->slot = handing->slot;
    handing->any = true;
    handing->round = access->round;
    handing->slot = access->slot + 1;
    return !to->access || to->access(to->context, access, lanes, lane, value, error);
}

/* Hands over an item, in parts where nvcc has narrower accesses only. */
static bool hand_item(struct handing *handing, struct item *item, struct error *error)
{
    struct record_access access = item->access;
    struct made *made = item->made;
    bool good = true;
    int widest = 1;
    while (made && 2 * widest <= made->widths)
        widest *= 2;
    if (made)
        made->kept++;
    if (item->made && is_reread_here(handing->machine->now, item)) {
        struct record_access load = access;
        load.operation = OP_LOAD;
        made->changed++;
        good = hand_one(handing, &load, item->lanes, item->lane, NULL, error);
    }
    if (!made || !made->count || !one_bit(made->seen) || widest >= access.bytes)
        return good && hand_one(handing, &access, item->lanes, item->lane,
                                item->values ? item->value : NULL, error);
    made->changed++;
    for (int from = 0; from < access.bytes && good; from += widest) {
        struct record_access part = access;
        int64_t value[RECORD_WARP];
        part.bytes = (uint8_t)widest;
        for (int i = 0; i < item->lanes; i++) {
            part.addr[i] += (uint32_t)from;
            value[i] = from < 8 ? (int64_t)((uint64_t)item->value[i] >> 8 * from) : 0;
        }
        good = hand_one(handing, &part, item->lanes, item->lane,
                        item->values && from + widest <= 8 ? value : NULL, error);
    }
    return good;
}

static bool end_run(struct machine *machine, struct error *error)
{
    struct handing handing = {.machine = machine};
    bool good = true;
    if (!machine->items)
        return true;
    machine->run++;
    merge_all(machine);
    drop_all(machine);
    for (size_t i = 0; i < machine->items && good; i++)
        if (machine->item[i].state != GONE)
            good = hand_item(&handing, &machine->item[i], error);
    machine->items = 0;
    return good;
}

/* ---- the sink -------------------------------------------------------------------------------- */

static bool on_launch(void *context, const struct record_launch *launch, struct error *error)
{
    struct machine *machine = context;
    const char *name = lines_symbol(machine->lines, launch->kernel);
    machine->dynamic_bytes = launch->dynamic_bytes;
    struct code *code = code_of(machine, *name ? name : launch->name);
    machine->now = code && code->function ? code : NULL;
    return !machine->to.launch || machine->to.launch(machine->to.context, launch, error);
}

static bool on_stage(void *context, const struct record_stage *stage, struct error *error)
{
    struct machine *machine = context;
    return end_run(machine, error) &&
           (!machine->to.stage || machine->to.stage(machine->to.context, stage, error));
}

static bool on_block(void *context, uint64_t index, struct error *error)
{
    struct machine *machine = context;
    return end_run(machine, error) &&
           (!machine->to.block || machine->to.block(machine->to.context, index, error));
}

static void note_seen(struct made *made, const struct item *item)
{
    if (made->absolute && (!is_one_word(item) || (made->seen && made->addr != item->addr)))
        made->several = true;
    made->addr = item->addr;
    made->seen |= item->bytes;
}

static bool on_access(void *context, const struct record_access *access, int lanes,
                      const uint8_t *lane, const int64_t *value, struct error *error)
{
    struct machine *machine = context;
    if (!machine->now)
        return !machine->to.access ||
               machine->to.access(machine->to.context, access, lanes, lane, value, error);
    const struct record_access *last =
        machine->items ? &machine->item[machine->items - 1].access : access;
    if ((last->phase != access->phase || last->warp != access->warp ||
         last->stage != access->stage || machine->items == RUN_MOST) &&
        !end_run(machine, error))
        return false;
    if (!memory_grow(&machine->item, &machine->item_room, machine->items + 1, sizeof *machine->item,
                     "accesses", error))
        return false;
    struct item *item = &machine->item[machine->items++];
    item->access = *access;
    item->lanes = lanes;
    memcpy(item->lane, lane, (size_t)lanes);
    item->values = value != NULL;
    if (value)
        memcpy(item->value, value, (size_t)lanes * sizeof *value);
    item->state = STAYS;
    item->bytes = access->bytes;
    item->addr = access->addr[0];
    item->made = NULL;
    if (access->operation < OPERATIONS) {
        const struct site *site =
            site_of(machine, lines_user_pc(machine->lines, access->pc, access->caller));
        item->made = site->made[access->operation];
        if (item->made)
            note_seen(item->made, item);
    }
    return true;
}

static bool on_block_end(void *context, struct error *error)
{
    struct machine *machine = context;
    return end_run(machine, error) &&
           (!machine->to.block_end || machine->to.block_end(machine->to.context, error));
}

static bool on_launch_end(void *context, const struct record_launch_end *end, struct error *error)
{
    struct machine *machine = context;
    return end_run(machine, error) &&
           (!machine->to.launch_end || machine->to.launch_end(machine->to.context, end, error));
}

static bool on_fault(void *context, const struct record_fault *fault, struct error *error)
{
    struct machine *machine = context;
    return !machine->to.fault || machine->to.fault(machine->to.context, fault, error);
}

static bool on_exit_of(void *context, const struct record_exit *end, struct error *error)
{
    struct machine *machine = context;
    return end_run(machine, error) &&
           (!machine->to.exit || machine->to.exit(machine->to.context, end, error));
}

struct record_sink machine_sink(struct machine *machine, const struct built_program *program,
                                struct source_lines *lines, const struct record_sink *to)
{
    machine->program = program;
    machine->lines = lines;
    machine->to = *to;
    nvcc_read(machine->nvcc, program);
    return (struct record_sink){.launch = on_launch,
                                .stage = on_stage,
                                .block = on_block,
                                .access = on_access,
                                .block_end = on_block_end,
                                .launch_end = on_launch_end,
                                .fault = on_fault,
                                .exit = on_exit_of,
                                .context = machine};
}

bool machine_finish(struct machine *machine, struct error *error)
{
    return end_run(machine, error);
}

const char *machine_told(const struct machine *machine, const struct source_lines *lines)
{
    if (lines_on_gpu(lines))
        return "a GPU";
    return machine && machine->now ? nvcc_told(machine->nvcc) : "";
}

/* ---- all ------------------------------------------------------------------------------------- */

/* Whether accesses of a line stayed as they were although nvcc's code differs. */
static bool is_undecided(const struct made *made)
{
    return made->kept &&
           (!made->count || made->parting || (!made->paired && made->widths >= 2 * made->seen));
}

size_t machine_undecided(const struct machine *machine, struct machine_line *line, size_t most)
{
    size_t count = 0;
    for (size_t i = 0; machine && i < machine->codes; i++)
        for (size_t k = 0; k < machine->code[i]->mades; k++) {
            const struct made *made = machine->code[i]->made[k];
            size_t same = 0;
            while (same < count && same < most &&
                   (line[same].line != made->line || line[same].op != made->op ||
                    strcmp(line[same].file, made->file) != 0))
                same++;
            if (!is_undecided(made) || same < (count < most ? count : most))
                continue;
            if (count < most)
                line[count] = (struct machine_line){made->file, made->line, made->op};
            count++;
        }
    return count;
}

void machine_print_notes(FILE *file, const struct machine *machine, const char *prefix)
{
    enum { MOST = 6 };
    struct machine_line line[MOST];
    size_t count = machine_undecided(machine, line, MOST);
    if (count)
        fprintf(file,
                "%saccesses of %zu line%s stay as written, because nvcc's code is not enough to "
                "tell what became of them:",
                prefix, count, count == 1 ? "" : "s");
    for (size_t i = 0; i < count && i < MOST; i++)
        fprintf(file, "%s %s:%d (%s)", i ? "," : "", line[i].file, line[i].line,
                op_name(line[i].op));
    if (count)
        fprintf(file, "%s\n", count > MOST ? ", ..." : "");
    if (machine && *nvcc_reason(machine->nvcc))
        fprintf(file, "%saccesses are as written, for nvcc fails: %s\n", prefix,
                nvcc_reason(machine->nvcc));
}

struct machine *machine_start(const struct program_request *request, const char *include)
{
    struct machine *machine = memory_new(1, sizeof *machine);
    machine->nvcc = nvcc_start(request, include);
    return machine;
}

void machine_free(struct machine *machine)
{
    if (!machine)
        return;
    for (size_t i = 0; i < machine->codes; i++) {
        struct code *code = machine->code[i];
        for (size_t k = 0; k < code->mades; k++) {
            free(code->made[k]->wide);
            free(code->made[k]);
        }
        free(code->made);
        free(code->site);
        free(code->name);
        free(code);
    }
    nvcc_free(machine->nvcc);
    free(machine->code);
    free(machine->item);
    free(machine->key);
    free(machine->cursor);
    free(machine);
}
