/* cubin_lines.c - .debug_line of a cubin is a line table in the manner of DWARF 2, whose addresses are relocated to
 * the sections of code. A row of it may say that its code was inlined, and which row of its function is the
 * call's.
 *
 * Any bytes may be read: everything is checked against the size of the file.
 */
#include "program/compile/cubin_lines.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEPTH = 64 }; /* calls that were inlined into each other */
/* Extended operations. */
enum {
    SEQUENCE_END = 1,
    SET_ADDRESS = 2,
    INLINED_CALL = 0x90, /* the row of the call, and the function's name */
};

/* ---- ELF ------------------------------------------------------------------------------------- */

struct cubin_bytes cubin_section_bytes(Elf_Scn *section)
{
    Elf_Data *data = section ? elf_rawdata(section, NULL) : NULL;
    return data && data->d_buf ? (struct cubin_bytes){data->d_buf, data->d_size}
                               : (struct cubin_bytes){NULL, 0};
}

const char *cubin_section_name(Elf *elf, Elf_Scn *section)
{
    size_t names;
    GElf_Shdr head;
    const char *name = NULL;
    if (gelf_getshdr(section, &head) && elf_getshdrstrndx(elf, &names) == 0)
        name = elf_strptr(elf, names, head.sh_name);
    return name ? name : "";
}

Elf_Scn *cubin_section(Elf *elf, const char *name)
{
    Elf_Scn *section = NULL;
    while ((section = elf_nextscn(elf, section)) &&
           strcmp(cubin_section_name(elf, section), name) != 0) {
    }
    return section;
}

Elf_Data *cubin_symbols(Elf *elf)
{
    Elf_Scn *table = cubin_section(elf, ".symtab");
    return table ? elf_getdata(table, NULL) : NULL;
}

/* ---- the line table -------------------------------------------------------------------------- */

struct reader {
    const unsigned char *at, *end;
    bool amiss; /* asked for what is not there */
};

static uint64_t take_bytes(struct reader *from, size_t count)
{
    uint64_t value = 0;
    if ((size_t)(from->end - from->at) < count) {
        from->amiss = true;
        from->at = from->end;
        return 0;
    }
    for (size_t i = 0; i < count; i++)
        value |= (uint64_t)from->at[i] << 8 * i;
    from->at += count;
    return value;
}

/* A LEB128, signed or not. */
static int64_t take_number(struct reader *from, bool sign)
{
    uint64_t value = 0;
    int shift = 0;
    unsigned byte;
    do {
        byte = (unsigned)take_bytes(from, 1);
        if (shift < 64)
            value |= (uint64_t)(byte & 127) << shift;
        shift += 7;
    } while (byte & 128 && !from->amiss);
    if (sign && byte & 64 && shift < 64)
        value |= UINT64_MAX << shift;
    return (int64_t)value;
}

static const char *take_text(struct reader *from)
{
    const unsigned char *end = memchr(from->at, 0, (size_t)(from->end - from->at));
    const char *text = (const char *)from->at;
    if (!end) {
        from->amiss = true;
        from->at = from->end;
        return "";
    }
    from->at = end + 1;
    return text;
}

/* A file table's entries as cubin_file's numbers. */
struct files {
    int *file;
    size_t count, room;
};

static bool add_file(struct files *files, int file, struct error *error)
{
    if (!memory_grow(&files->file, &files->room, files->count + 1, sizeof *files->file,
                     "files of a line table", error))
        return false;
    files->file[files->count++] = file;
    return true;
}

/* Folders and files in the head of a table. */
static bool take_files(struct reader *from, struct files *files, cubin_file which, void *context,
                       struct error *error)
{
    const char *folder[256];
    size_t folders = 1;
    folder[0] = "";
    const char *text;
    while (*(text = take_text(from)) && !from->amiss)
        if (folders < sizeof folder / sizeof *folder)
            folder[folders++] = text;
    if (!add_file(files, -1, error))
        return false;
    while (*(text = take_text(from)) && !from->amiss) {
        uint64_t index = (uint64_t)take_number(from, false);
        take_number(from, false);
        take_number(from, false);
        if (!add_file(files, which(context, index < folders ? folder[index] : "", text), error))
            return false;
    }
    return true;
}

/* Where a relocation of .debug_line leads. */
struct place {
    uint64_t offset, addr;
    size_t section;
};
struct places {
    struct place *place;
    size_t count;
};

static int by_offset(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

static bool read_places(Elf *elf, struct places *places, struct error *error)
{
    Elf_Scn *section = cubin_section(elf, ".rela.debug_line");
    Elf_Data *from = section ? elf_getdata(section, NULL) : NULL, *symbols = cubin_symbols(elf);
    GElf_Rela entry;
    GElf_Sym symbol;
    *places = (struct places){NULL, 0};
    if (!from || !symbols)
        return true;
    places->place = memory_array(from->d_size / sizeof(Elf64_Rela) + 1, sizeof *places->place,
                                 "relocations", error);
    for (int i = 0; places->place && gelf_getrela(from, i, &entry); i++)
        if (GELF_R_SYM(entry.r_info) <= INT_MAX &&
            gelf_getsym(symbols, (int)GELF_R_SYM(entry.r_info), &symbol))
            places->place[places->count++] = (struct place){
                entry.r_offset, symbol.st_value + (uint64_t)entry.r_addend, symbol.st_shndx};
    if (places->count)
        qsort(places->place, places->count, sizeof *places->place, by_offset);
    return places->place;
}

static const struct place *place_at(const struct places *places, uint64_t offset)
{
    struct place key = {.offset = offset};
    return places->count ? bsearch(&key, places->place, places->count, sizeof key, by_offset)
                         : NULL;
}

/* The state of a table's program, which writes rows. */
struct table {
    struct reader code;
    const unsigned char *begin; /* of .debug_line */
    const struct places *places;
    struct files files;
    struct cubin_rows *rows;
    size_t before; /* the sequence's first row: a call's row is counted from there */
    uint64_t unit; /* bytes of an instruction */
    int base;      /* of special operations: lines that the first one adds */
    unsigned range, first;
    unsigned char arguments[256];
    /* The row that is made. */
    size_t section;
    uint64_t addr, file;
    uint32_t line, call;
};

static void begin_sequence(struct table *table)
{
    table->before = table->rows->count;
    table->line = 1;
    table->file = 1;
    table->call = 0;
}

/* Reads the head. false: the table says nothing, or *error. */
static bool take_head(struct reader *head, struct table *table, cubin_file which, void *context,
                      struct error *error)
{
    take_bytes(head, 2);
    const uint64_t length = take_bytes(head, 4);
    const unsigned char *after = head->at;
    table->unit = take_bytes(head, 1);
    take_bytes(head, 1);
    table->base = (int8_t)take_bytes(head, 1);
    table->range = (unsigned)take_bytes(head, 1);
    table->first = (unsigned)take_bytes(head, 1);
    for (unsigned i = 1; i < table->first; i++)
        table->arguments[i] = (unsigned char)take_bytes(head, 1);
    if (head->amiss || !table->range || length > (size_t)(head->end - after))
        return false;
    table->code.at = after + length;
    return take_files(head, &table->files, which, context, error);
}

/* An operation with a length. Whether it makes a row. */
static bool take_extended(struct table *table)
{
    const uint64_t bytes = (uint64_t)take_number(&table->code, false);
    if (bytes > (size_t)(table->code.end - table->code.at)) {
        table->code.at = table->code.end;
        return false;
    }
    struct reader from = {table->code.at, table->code.at + bytes, false};
    table->code.at += bytes;
    const unsigned what = bytes ? (unsigned)take_bytes(&from, 1) : 0;
    if (what == SEQUENCE_END) {
        table->line = 0;
        return true;
    }
    if (what == SET_ADDRESS) {
        const struct place *place = place_at(table->places, (uint64_t)(from.at - table->begin));
        table->addr = place ? place->addr : take_bytes(&from, 8);
        table->section = place ? place->section : SIZE_MAX;
    } else if (what == INLINED_CALL) {
        const uint64_t index = (uint64_t)take_number(&from, false);
        table->call = index <= table->rows->count - table->before ? (uint32_t)index : 0;
    }
    return false;
}

/* An operation of the standard's. Whether it makes a row. */
static bool take_standard(struct table *table, unsigned op)
{
    switch (op) {
    case 1: /* copy */
        return true;
    case 2: /* advance the address */
        table->addr += (uint64_t)take_number(&table->code, false) * table->unit;
        return false;
    case 3: /* advance the line */
        table->line += (uint32_t)take_number(&table->code, true);
        return false;
    case 4: /* set the file */
        table->file = (uint64_t)take_number(&table->code, false);
        return false;
    case 8: /* as far as the last special operation */
        table->addr += (255 - table->first) / table->range * table->unit;
        return false;
    case 9: /* advance by a fixed number */
        table->addr += take_bytes(&table->code, 2);
        return false;
    }
    for (unsigned i = 0; i < table->arguments[op]; i++)
        take_number(&table->code, false);
    return false;
}

static bool take_operation(struct table *table)
{
    const unsigned op = (unsigned)take_bytes(&table->code, 1);
    if (op >= table->first) {
        table->addr += (op - table->first) / table->range * table->unit;
        table->line += (uint32_t)(table->base + (int)((op - table->first) % table->range));
        return true;
    }
    return op ? take_standard(table, op) : take_extended(table);
}

static bool add_row(const struct table *table, struct error *error)
{
    struct cubin_rows *rows = table->rows;
    if (!memory_grow(&rows->row, &rows->room, rows->count + 1, sizeof *rows->row,
                     "rows of a line table", error))
        return false;
    rows->row[rows->count] = (struct cubin_row){
        .addr = table->addr,
        .section = table->section,
        .line = table->line,
        .call = table->call ? (uint32_t)(table->before + table->call) : 0,
        .file = table->file < table->files.count ? table->files.file[table->file] : -1,
        .order = (uint32_t)rows->count,
    };
    rows->count++;
    return true;
}

/* One table of .debug_line: `begin` is that section's first byte. Its rows go behind those that are there. */
static bool take_table(struct reader *all, const unsigned char *begin, const struct places *places,
                       cubin_file which, void *context, struct cubin_rows *rows,
                       struct error *error)
{
    const uint64_t length = take_bytes(all, 4);
    if (all->amiss || length > (size_t)(all->end - all->at)) {
        all->at = all->end;
        return true;
    }
    struct reader head = {all->at, all->at + length, false};
    struct table table = {
        .code = head, .begin = begin, .places = places, .rows = rows, .section = SIZE_MAX};
    all->at += length;
    bool good = true;
    if (take_head(&head, &table, which, context, error)) {
        begin_sequence(&table);
        while (good && table.code.at < table.code.end) {
            if (!take_operation(&table))
                continue;
            good = add_row(&table, error);
            if (!table.line) /* behind the end of a sequence */
                begin_sequence(&table);
        }
    }
    free(table.files.file);
    return good && !error->text[0];
}

bool cubin_read_rows(Elf *elf, cubin_file which, void *context, struct cubin_rows *rows,
                     struct error *error)
{
    struct cubin_bytes table = cubin_section_bytes(cubin_section(elf, ".debug_line"));
    struct places places;
    *rows = (struct cubin_rows){0};
    if (!table.size)
        return true;
    struct reader all = {table.at, table.at + table.size, false};
    bool good = read_places(elf, &places, error);
    while (good && all.at < all.end)
        good = take_table(&all, table.at, &places, which, context, rows, error);
    free(places.place);
    return good;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static int by_addr(const void *a, const void *b)
{
    const struct cubin_row *x = *(const struct cubin_row *const *)a,
                           *y = *(const struct cubin_row *const *)b;
    if (x->section != y->section)
        return x->section < y->section ? -1 : 1;
    if (x->addr != y->addr)
        return x->addr < y->addr ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

bool cubin_sort_rows(const struct cubin_rows *rows, struct cubin_row_list *list,
                     struct error *error)
{
    list->row = memory_array(rows->count + 1, sizeof *list->row, "rows of a line table", error);
    if (!list->row)
        return false;
    for (size_t i = 0; i < rows->count; i++)
        list->row[list->count++] = &rows->row[i];
    qsort(list->row, list->count, sizeof *list->row, by_addr);
    return true;
}

struct cubin_row_list cubin_rows_of(const struct cubin_row_list *all, size_t section)
{
    size_t from = 0, to = all->count;
    while (from < to) {
        size_t middle = (from + to) / 2;
        if (all->row[middle]->section < section)
            from = middle + 1;
        else
            to = middle;
    }
    for (to = from; to < all->count && all->row[to]->section == section; to++)
        continue;
    return (struct cubin_row_list){all->row + from, to - from};
}

void cubin_find_places(const struct cubin_rows *rows, const struct cubin_row *row,
                       struct cubin_access *access)
{
    access->file = -1;
    for (int depth = 0; depth < MOST_DEPTH; depth++) {
        if (row->file >= 0 && row->line && row->line <= INT32_MAX) {
            int line = (int)row->line;
            if (!access->line) {
                access->file = row->file;
                access->line = line;
            } else if (access->calls < CALL_DEPTH) {
                access->call[access->calls].file = row->file;
                access->call[access->calls++].line = line;
            }
        }
        if (!row->call || row->call > rows->count)
            return;
        row = &rows->row[row->call - 1];
    }
}
