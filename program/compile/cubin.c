/* cubin.c - which instructions of nvcc's machine code access shared memory, how wide, and for which
 * source line.
 *
 * A cubin is an ELF file. The code of a function F is the section .text.F, 16 bytes an instruction;
 * cubin_lines.c says for which line it is.
 *
 * The encoding is that of sm_90 (little-endian words lo, hi); what is known of it here was read from
 * code whose source was known, and is checked against an H200's counters:
 *
 *     lo  0..11   operation            24..31  register of the address, 255: none
 *        12..14   predicate, 7: always 40..63  signed offset of the address
 *           15    its negation
 *     lo 32..37   uniform register of a load's address, if hi's bit 27 is set
 *     hi  0..5    that of another one
 *         9..11   width: 0, 1: 8 bits; 2, 3: 16; 4: 32; 5: 64; 6: 128
 *
 * Any bytes may be read: everything is checked against the size of the file.
 */
#include "program/compile/cubin_lines.h"

#include <stdlib.h>
#include <string.h>

enum {
    INSTRUCTION = 16, /* bytes */
    KERNEL = 0x10,    /* in a symbol's st_other: STO_CUDA_ENTRY */
};

/* ---- ELF ------------------------------------------------------------------------------------- */

/* elf_end afterwards, of NULL too, which it returns when the bytes are something else. */
static Elf *open_elf(const void *bytes, size_t size, struct error *error)
{
    elf_version(EV_CURRENT);
    Elf *elf = elf_memory((char *)(uintptr_t)bytes, size); /* it only reads */
    GElf_Ehdr head;
    size_t sections;
    if (elf_kind(elf) != ELF_K_ELF)
        error_set(error, "nvcc's machine code is no ELF file");
    else if (gelf_getclass(elf) != ELFCLASS64 || !gelf_getehdr(elf, &head) ||
             head.e_machine != EM_CUDA)
        error_set(error, "nvcc's machine code is not for a GPU");
    else if (elf_getshdrnum(elf, &sections) || !sections)
        error_set(error, "nvcc's machine code has no sections");
    else
        return elf;
    elf_end(elf);
    return NULL;
}

/* ---- instructions ---------------------------------------------------------------------------- */

enum kind {
    KIND_ACCESS, /* of shared memory, or of a kind that is known only as it runs */
    KIND_GLOBAL,
    KIND_LOCAL
};
static const struct operation {
    uint16_t code;
    uint8_t kind, op;
    uint8_t bytes; /* where it has no width; 0: it has one */
} operations[] = {
    {0x984, KIND_ACCESS, OP_LOAD, 0},             /* LDS */
    {0x980, KIND_ACCESS, OP_LOAD, 0},             /* LD: of any memory */
    {0x388, KIND_ACCESS, OP_STORE, 0},            /* STS */
    {0x988, KIND_ACCESS, OP_STORE, 0},            /* STS with a uniform register */
    {0x385, KIND_ACCESS, OP_STORE, 0},            /* ST: of any memory */
    {0x985, KIND_ACCESS, OP_STORE, 0},            /* ST with a uniform register */
    {0x38c, KIND_ACCESS, OP_ATOMIC, 4},           /* ATOMS */
    {0x98c, KIND_ACCESS, OP_ATOMIC, 4},           /* ATOMS with a uniform register */
    {0xf8c, KIND_ACCESS, OP_MERGED_ATOMIC, 4},    /* ATOMS.POPC.INC */
    {0x38d, KIND_ACCESS, OP_COMPARE_AND_SWAP, 4}, /* ATOMS.CAS */
    {0x98d, KIND_ACCESS, OP_COMPARE_AND_SWAP, 4}, /* ATOMS.CAS with a uniform register */
    {0x83b, KIND_ACCESS, OP_MATRIX_LOAD, 16},     /* LDSM */
    {0x844, KIND_ACCESS, OP_MATRIX_STORE, 16},    /* STSM */
    {0xfae, KIND_ACCESS, OP_ASYNC_STORE, 0},      /* LDGSTS */
    {0x386, KIND_GLOBAL, OP_STORE, 0},            /* STG */
    {0x986, KIND_GLOBAL, OP_STORE, 0},            /* STG with a uniform register */
    {0x981, KIND_GLOBAL, OP_LOAD, 0},             /* LDG */
    {0x98e, KIND_GLOBAL, OP_REDUCTION, 4},        /* RED */
    {0x9a6, KIND_GLOBAL, OP_REDUCTION, 4},        /* RED of floats */
    {0x9a8, KIND_GLOBAL, OP_ATOMIC, 4},           /* ATOMG */
    {0x3a8, KIND_GLOBAL, OP_ATOMIC, 4},
    {0x9a9, KIND_GLOBAL, OP_ATOMIC, 4}, /* ATOMG.CAS */
    {0x3a9, KIND_GLOBAL, OP_ATOMIC, 4},
    {0x983, KIND_LOCAL, OP_LOAD, 0},  /* LDL */
    {0x387, KIND_LOCAL, OP_STORE, 0}, /* STL */
    {0x987, KIND_LOCAL, OP_STORE, 0}, /* STL with a uniform register */
};

static const struct operation *operation_of(uint64_t lo)
{
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (operations[i].code == (lo & 0xfff))
            return &operations[i];
    return NULL;
}

static bool is_load(enum op op)
{
    return op == OP_LOAD || op == OP_MATRIX_LOAD;
}

static enum op op_of(const struct operation *known, uint64_t hi)
{
    bool spins = known->op == OP_COMPARE_AND_SWAP && (hi >> 23 & 3) == 3; /* ATOMS.CAST.SPIN */
    return spins ? OP_SPIN : (enum op)known->op;
}

static bool is_past_l1(const struct operation *known, uint64_t hi)
{
    return known->op == OP_ASYNC_STORE && !(hi >> 17 & 1);
}

static int width_of(uint64_t hi)
{
    static const uint8_t bytes[] = {1, 1, 2, 2, 4, 8, 16, 16};
    return bytes[hi >> 9 & 7];
}

static bool add_access(struct cubin_access **list, size_t *count, size_t *room,
                       const struct cubin_access *access, struct error *error)
{
    if (!memory_grow(list, room, *count + 1, sizeof **list, "instructions", error))
        return false;
    (*list)[(*count)++] = *access;
    return true;
}

static bool read_function(struct cubin_bytes code, const struct cubin_rows *rows,
                          const struct cubin_row_list *list, struct cubin_function *function,
                          struct error *error)
{
    size_t room = 0, global_room = 0, next = 0;
    bool good = true;
    const struct cubin_row *row = NULL;
    for (size_t at = 0; at + INSTRUCTION <= code.size && good; at += INSTRUCTION) {
        uint64_t lo, hi;
        memcpy(&lo, code.at + at, 8);
        memcpy(&hi, code.at + at + 8, 8);
        for (; next < list->count && list->row[next]->addr <= at; next++)
            if (list->row[next]->line)
                row = list->row[next];
        const struct operation *known = operation_of(lo);
        if (!known || (lo >> 12 & 15) == 15) /* a predicate that is false */
            continue;
        const enum op op = op_of(known, hi);
        if (known->kind == KIND_LOCAL) {
            ++*(op == OP_LOAD ? &function->local_loads : &function->local_stores);
            continue;
        }
        struct cubin_access access = {
            .op = op,
            .past_l1 = is_past_l1(known, hi),
            .bytes = known->bytes ? known->bytes : width_of(hi),
            .at = (uint32_t)at,
            .base = lo >> 24 & 0xff,
            .uniform = !(hi >> 27 & 1) ? -1
                       : is_load(op)   ? (int)(lo >> 32 & 63)
                                       : (int)(hi & 63),
            .offset = (int32_t)(((lo >> 40 & 0xffffff) ^ 0x800000) - 0x800000),
        };
        cubin_find_places(rows, row ? row : &(struct cubin_row){.file = -1}, &access);
        good = known->kind == KIND_GLOBAL
                   ? add_access(&function->global, &function->globals, &global_room, &access, error)
                   : add_access(&function->access, &function->accesses, &room, &access, error);
    }
    return good;
}

/* ---- all ------------------------------------------------------------------------------------- */

/* "13.0" out of "Cuda compilation tools, release 13.0, V13.0.88". */
static void find_release(Elf *elf, struct cubin *cubin)
{
    static const char before[] = "tools, release ";
    const struct cubin_bytes note = cubin_section_bytes(cubin_section(elf, ".note.nv.tkinfo"));
    for (size_t i = 0; i + sizeof before <= note.size; i++) {
        if (memcmp(note.at + i, before, sizeof before - 1) != 0)
            continue;
        size_t length = 0;
        for (i += sizeof before - 1; i < note.size && length < sizeof cubin->release - 1 &&
                                     strchr("0123456789.", note.at[i]) && note.at[i];
             i++)
            cubin->release[length++] = (char)note.at[i];
        return;
    }
}

static bool is_kernel(Elf_Data *symbols, size_t section)
{
    GElf_Sym symbol;
    for (int i = 0; symbols && gelf_getsym(symbols, i, &symbol); i++)
        if (symbol.st_shndx == section && GELF_ST_TYPE(symbol.st_info) == STT_FUNC &&
            symbol.st_other & KERNEL)
            return true;
    return false;
}

/* How many registers a function takes. The table has entries of a form, a name and two bytes: form 4 is followed by as many
 * bytes as these say. */
static int registers_of(Elf *elf, Elf_Data *symbols, size_t section)
{
    enum { SIZED = 4, REGISTER_COUNT = 0x2f, MOST_REGISTERS = 255 };
    const struct cubin_bytes info = cubin_section_bytes(cubin_section(elf, ".nv.info"));
    for (size_t i = 0; i + 4 <= info.size;) {
        const uint8_t *at = (const uint8_t *)info.at + i;
        const size_t bytes = at[0] == SIZED ? at[2] + 256u * at[3] : 0;
        uint32_t value[2];
        GElf_Sym symbol;
        i += 4 + bytes;
        if (i > info.size || at[1] != REGISTER_COUNT || bytes != sizeof value)
            continue;
        memcpy(value, at + 4, sizeof value);
        if (value[0] < INT32_MAX && value[1] <= MOST_REGISTERS && symbols &&
            gelf_getsym(symbols, (int)value[0], &symbol) && symbol.st_shndx == section)
            return (int)value[1];
    }
    return 0;
}

bool cubin_read(struct cubin *cubin, const void *bytes, size_t size, cubin_file which,
                void *context, struct error *error)
{
    static const char text[] = ".text.";
    Elf *elf = open_elf(bytes, size, error);
    Elf_Data *symbols = elf ? cubin_symbols(elf) : NULL;
    struct cubin_rows rows = {0};
    struct cubin_row_list list = {NULL, 0};
    size_t room = 0, all = 0;
    *cubin = (struct cubin){.functions = 0};
    bool good = elf && cubin_read_rows(elf, which, context, &rows, error) &&
                cubin_sort_rows(&rows, &list, error);
    for (Elf_Scn *section = NULL; good && (section = elf_nextscn(elf, section));) {
        const char *name = cubin_section_name(elf, section);
        if (strncmp(name, text, sizeof text - 1) != 0 || !name[sizeof text - 1])
            continue;
        struct cubin_bytes code = cubin_section_bytes(section);
        struct cubin_row_list own = cubin_rows_of(&list, elf_ndxscn(section));
        all += code.size;
        if (all > size)
            good = error_set(error, "nvcc's machine code has sections that overlap");
        good = good && memory_grow(&cubin->function, &room, cubin->functions + 1,
                                   sizeof *cubin->function, "functions", error);
        if (!good)
            break;
        struct cubin_function *function = &cubin->function[cubin->functions++];
        *function =
            (struct cubin_function){.name = memory_copy(name + sizeof text - 1),
                                    .kernel = is_kernel(symbols, elf_ndxscn(section)),
                                    .registers = registers_of(elf, symbols, elf_ndxscn(section))};
        good = read_function(code, &rows, &own, function, error);
    }
    if (good)
        find_release(elf, cubin);
    free(list.row);
    free(rows.row);
    elf_end(elf);
    if (!good)
        cubin_free(cubin);
    return good;
}

void cubin_free(struct cubin *cubin)
{
    for (size_t i = 0; i < cubin->functions; i++) {
        free(cubin->function[i].name);
        free(cubin->function[i].access);
        free(cubin->function[i].global);
    }
    free(cubin->function);
    *cubin = (struct cubin){.functions = 0};
}
