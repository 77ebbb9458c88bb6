/* cubin_lines.h - the sections of a cubin, and its line table: for which lines of the source its code is. */
#ifndef BANKSCOPE_COMPILE_CUBIN_LINES_H
#define BANKSCOPE_COMPILE_CUBIN_LINES_H

#include "program/compile/cubin.h"

#include <gelf.h>

struct cubin_bytes {
    const unsigned char *at;
    size_t size;
};
/* The bytes of a section; empty where the file does not have them, or of NULL. */
struct cubin_bytes cubin_section_bytes(Elf_Scn *section);
const char *cubin_section_name(Elf *elf, Elf_Scn *section);
/* NULL: there is none of that name. */
Elf_Scn *cubin_section(Elf *elf, const char *name);
/* Its symbols, for gelf_getsym. NULL: it has none. */
Elf_Data *cubin_symbols(Elf *elf);

/* From that address on, code is for a line. */
struct cubin_row {
    uint64_t addr;
    size_t section; /* that addr is in */
    uint32_t line;  /* 0: here a sequence ends */
    uint32_t call;  /* index + 1 of the row of the call, 0: not inlined */
    int file;       /* as cubin_file said; -1: none of the user's */
    uint32_t order;
};
struct cubin_rows {
    struct cubin_row *row; /* freed by the caller */
    size_t count, room;
};
struct cubin_row_list {
    const struct cubin_row **row;
    size_t count;
};
/* Reads all rows; none where there is no table. What is damaged is left out. false: *error. */
bool cubin_read_rows(Elf *elf, cubin_file which, void *context, struct cubin_rows *rows,
                     struct error *error);
/* All rows by section and address; of one address, as the table has them. list->row is freed by the caller. */
bool cubin_sort_rows(const struct cubin_rows *rows, struct cubin_row_list *list,
                     struct error *error);
/* The rows of one section, as a part of a sorted list. */
struct cubin_row_list cubin_rows_of(const struct cubin_row_list *all, size_t section);
/* The line of the user's that code at a row is for: the row's own, or of the innermost call that is the user's; then
 * the calls around that. */
void cubin_find_places(const struct cubin_rows *rows, const struct cubin_row *row,
                       struct cubin_access *access);

#endif
