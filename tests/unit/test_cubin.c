/* cubin: what is read from nvcc's machine code. The code is made here, by hand.
 *
 * `test_cubin --write FILE SOURCE` writes the cubin of a kernel k in that source (test_gpu_app.sh).
 */
#define _GNU_SOURCE
#include "program/compile/cubin.h"

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
/* After these, as it says itself. */
#include <cmocka.h>

/* ---- a cubin made by hand ---------------------------------------------------------------------- */

struct instruction {
    uint64_t lo, hi;
    int line; /* 0: as before; negative: line 5 of the header, which line -N of the source called */
};
enum {
    LDS = 0x984,
    STS = 0x388,
    ATOMS_POPC_INC = 0xf8c,
    ATOMS_CAS = 0x38d,
    BAR = 0xb1d,
    EXIT = 0x94d,
    MOV = 0x202,
    ALWAYS = 7
};

static uint64_t low(int code, int to, int base, int offset)
{
    return (uint64_t)code | ALWAYS << 12 | (uint64_t)to << 16 | (uint64_t)base << 24 |
           (uint64_t)(offset & 0xffffff) << 40;
}

static uint64_t width(int bytes)
{
    return (uint64_t)(bytes == 16 ? 6 : bytes == 8 ? 5 : bytes == 4 ? 4 : bytes == 2 ? 2 : 0) << 9;
}

#define ACCESS(code, bytes, to, base, offset, line)                                                \
    {                                                                                              \
        low(code, to, base, offset), width(bytes), line                                            \
    }
#define PLAIN(code, to)                                                                            \
    {                                                                                              \
        low(code, to, 255, 0), 0, 0                                                                \
    }

struct file {
    unsigned char at[8192];
    size_t size;
};

static size_t put(struct file *file, const void *bytes, size_t size)
{
    size_t at = file->size;
    assert_true(at + size <= sizeof file->at);
    memcpy(file->at + at, bytes, size);
    file->size += size;
    return at;
}

static void put_byte(struct file *file, int byte)
{
    unsigned char one = (unsigned char)byte;
    put(file, &one, 1);
}

/* The line table of code at SOURCE: one row for each instruction that has a line. */
static void put_lines(struct file *file, const struct instruction *code, int count,
                      const char *source, size_t *relocated)
{
    struct file body = {.size = 0};
    static const unsigned char head[] = {1, 1, 0xfb, 14, 10, 0, 1, 1, 1, 1, 0, 0, 0, 1};
    put(&body, "\x02\x00", 2);
    size_t length_at = put(&body, "\0\0\0\0", 4);
    put(&body, head, sizeof head);
    put(&body, "/include", sizeof "/include");
    put_byte(&body, 0);
    put(&body, source, strlen(source) + 1);
    put(&body, "\0\0\0", 3);
    put(&body, "header.h\0\1\0\0", sizeof "header.h\0\1\0");
    put_byte(&body, 0);
    uint32_t length = (uint32_t)(body.size - length_at - 4);
    memcpy(body.at + length_at, &length, 4);
    put(&body, "\x00\x09\x02", 3);
    *relocated = file->size + 4 + put(&body, "\0\0\0\0\0\0\0\0", 8);
    int line = 1, rows = 0;
    bool inlined = false;
    for (int i = 0; i < count; i++) {
        int own = code[i].line;
        if (own < 0) { /* a row for the call, then one for what was inlined */
            put(&body, "\x00\x03\x90\x00\x00", 5);
            put(&body, "\x04\x01\x03", 3);
            put_byte(&body, (-own - line) & 127);
            put_byte(&body, 1);
            rows++;
            put(&body, "\x00\x03\x90", 3);
            put_byte(&body, rows);
            put(&body, "\x00\x04\x02\x03", 4);
            put_byte(&body, (5 + own) & 127);
            put_byte(&body, 1);
            rows++;
            line = 5;
            inlined = true;
        } else if (own) {
            if (inlined)
                put(&body, "\x00\x03\x90\x00\x00\x04\x01", 7);
            inlined = false;
            put_byte(&body, 3);
            put_byte(&body, (own - line) & 127);
            put_byte(&body, 1);
            rows++;
            line = own;
        }
        put(&body, "\x02\x10", 2);
    }
    put(&body, "\x00\x01\x01", 3);
    uint32_t size = (uint32_t)body.size;
    put(file, &size, 4);
    put(file, body.at, body.size);
}

static void put_section(Elf64_Shdr *section, int *sections, struct file *names, const char *name,
                        uint32_t type, size_t offset, size_t size)
{
    section[(*sections)++] = (Elf64_Shdr){.sh_name = (uint32_t)put(names, name, strlen(name) + 1),
                                          .sh_type = type,
                                          .sh_offset = offset,
                                          .sh_size = size,
                                          .sh_entsize = type == SHT_SYMTAB ? sizeof(Elf64_Sym)
                                                        : type == SHT_RELA ? sizeof(Elf64_Rela)
                                                                           : 0};
}

/* A cubin with one kernel. */
static void make_cubin(struct file *file, const char *kernel, const struct instruction *code,
                       int count, const char *source)
{
    static const char release[] = "Cuda compilation tools, release 12.9, V12.9.1";
    Elf64_Shdr section[16] = {{0}};
    struct file names = {.size = 0};
    char text[300];
    int sections = 1;
    size_t at, relocated;
    *file = (struct file){.size = sizeof(Elf64_Ehdr)};
    put_byte(&names, 0);
    at = file->size;
    for (int i = 0; i < count; i++)
        put(file, &code[i].lo, 16);
    snprintf(text, sizeof text, ".text.%s", kernel);
    put_section(section, &sections, &names, text, SHT_PROGBITS, at, file->size - at);
    at = file->size;
    put_lines(file, code, count, source, &relocated);
    put_section(section, &sections, &names, ".debug_line", SHT_PROGBITS, at, file->size - at);
    Elf64_Sym symbol[] = {{.st_shndx = 0}, {.st_shndx = 1, .st_info = STT_FUNC, .st_other = 0x10}};
    Elf64_Rela place = {.r_offset = relocated - at, .r_info = ELF64_R_INFO(1ULL, 2)};
    at = put(file, symbol, sizeof symbol);
    put_section(section, &sections, &names, ".symtab", SHT_SYMTAB, at, sizeof symbol);
    at = put(file, &place, sizeof place);
    put_section(section, &sections, &names, ".rela.debug_line", SHT_RELA, at, sizeof place);
    at = put(file, release, sizeof release);
    put_section(section, &sections, &names, ".note.nv.tkinfo", SHT_NOTE, at, sizeof release);
    int last = sections;
    put_section(section, &sections, &names, ".shstrtab", SHT_STRTAB, 0, 0);
    section[last].sh_offset = put(file, names.at, names.size);
    section[last].sh_size = names.size;
    at = put(file, section, (size_t)sections * sizeof *section);
    Elf64_Ehdr head = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
                       .e_ehsize = sizeof head,
                       .e_machine = 190,
                       .e_shoff = at,
                       .e_shentsize = sizeof *section,
                       .e_shnum = (uint16_t)sections,
                       .e_shstrndx = (uint16_t)last};
    memcpy(file->at, &head, sizeof head);
}

static int by_name(void *context, const char *folder, const char *name)
{
    return strcmp(name, "k.cu") || *folder ? -1 : *(int *)context;
}

static void read_code(struct cubin *cubin, const struct instruction *code, int count)
{
    struct file file;
    struct error error = {{0}};
    int number = 7;
    make_cubin(&file, "k", code, count, "k.cu");
    assert_true(cubin_read(cubin, file.at, file.size, by_name, &number, &error));
    assert_int_equal(cubin->functions, 1);
}

/* ---- what is read ---------------------------------------------------------------------------- */

static void reads_widths_and_lines(void **state)
{
    (void)state;
    const struct instruction code[] = {
        ACCESS(STS, 1, 0, 2, 0, 4),     ACCESS(LDS, 2, 3, 2, 4, 5),   ACCESS(LDS, 4, 3, 2, -8, 6),
        ACCESS(STS, 8, 0, 2, 0x100, 0), ACCESS(LDS, 16, 4, 2, 16, 9), PLAIN(EXIT, 0),
    };
    static const struct {
        enum op op;
        int bytes, line, offset;
    } wanted[] = {{OP_STORE, 1, 4, 0},
                  {OP_LOAD, 2, 5, 4},
                  {OP_LOAD, 4, 6, -8},
                  {OP_STORE, 8, 6, 0x100},
                  {OP_LOAD, 16, 9, 16}};
    struct cubin cubin;
    read_code(&cubin, code, 6);
    const struct cubin_function *function = &cubin.function[0];
    assert_string_equal(cubin.release, "12.9");
    assert_string_equal(function->name, "k");
    assert_true(function->kernel);
    assert_int_equal(function->accesses, 5);
    for (size_t i = 0; i < 5; i++) {
        const struct cubin_access *access = &function->access[i];
        assert_int_equal(access->op, wanted[i].op);
        assert_int_equal(access->bytes, wanted[i].bytes);
        assert_int_equal(access->line, wanted[i].line);
        assert_int_equal(access->offset, wanted[i].offset);
        assert_int_equal(access->file, 7);
        assert_int_equal(access->base, 2);
    }
    cubin_free(&cubin);
}

static void inlined_code_is_the_calls_line(void **state)
{
    (void)state;
    const struct instruction code[] = {ACCESS(LDS, 4, 3, 2, 0, -8), ACCESS(LDS, 4, 3, 2, 0, 9),
                                       PLAIN(EXIT, 0)};
    struct cubin cubin;
    read_code(&cubin, code, 3);
    assert_int_equal(cubin.function[0].access[0].line, 8);
    assert_int_equal(cubin.function[0].access[0].file, 7);
    assert_int_equal(cubin.function[0].access[0].calls, 0);
    assert_int_equal(cubin.function[0].access[1].line, 9);
    cubin_free(&cubin);
}

static int any_name(void *context, const char *folder, const char *name)
{
    (void)context, (void)folder;
    return !strcmp(name, "k.cu") ? 7 : 8;
}

static void inlined_code_has_its_calls(void **state)
{
    (void)state;
    const struct instruction code[] = {ACCESS(LDS, 4, 3, 2, 0, -8), ACCESS(LDS, 4, 3, 2, 0, 9),
                                       PLAIN(EXIT, 0)};
    struct file file;
    struct cubin cubin;
    struct error error = {{0}};
    make_cubin(&file, "k", code, 3, "k.cu");
    assert_true(cubin_read(&cubin, file.at, file.size, any_name, NULL, &error));
    const struct cubin_access *access = cubin.function[0].access;
    assert_int_equal(access[0].line, 5);
    assert_int_equal(access[0].file, 8);
    assert_int_equal(access[0].calls, 1);
    assert_int_equal(access[0].call[0].line, 8);
    assert_int_equal(access[0].call[0].file, 7);
    assert_int_equal(access[1].line, 9);
    assert_int_equal(access[1].calls, 0);
    cubin_free(&cubin);
}

static void uniform_registers_are_where_the_operation_has_them(void **state)
{
    (void)state;
    struct instruction code[] = {ACCESS(LDS, 8, 4, 255, 0x400, 4), ACCESS(STS, 4, 0, 255, 0x404, 5),
                                 ACCESS(LDS, 4, 4, 2, 0, 6), PLAIN(EXIT, 0)};
    struct cubin cubin;
    code[0].lo |= (uint64_t)9 << 32;
    code[0].hi |= UINT64_C(1) << 27;
    code[1].lo |= (uint64_t)6 << 32; /* what is stored */
    code[1].hi |= UINT64_C(1) << 27 | 9;
    read_code(&cubin, code, 4);
    assert_int_equal(cubin.function[0].access[0].uniform, 9);
    assert_int_equal(cubin.function[0].access[0].base, CUBIN_NO_REGISTER);
    assert_int_equal(cubin.function[0].access[1].uniform, 9);
    assert_int_equal(cubin.function[0].access[2].uniform, -1);
    cubin_free(&cubin);
}

/* What nvcc 13.0 makes of copies, for sm_80 and sm_90. */
static void copies_past_l1_are_told_apart(void **state)
{
    static const struct {
        struct instruction code;
        int bytes;
        bool past_l1;
    } rows[] = {
        {{0x020b7fae, 0x000fe2000b921c44, 0}, 16, false},       /* .ca, 16 bytes */
        {{0x0400000020b7fae, 0x000fe8000b901c44, 0}, 16, true}, /* .cg */
        {{0x080000002097fae, 0x0003e8000b921844, 0}, 4, false}, /* .ca, 4 bytes */
        {{0x0400400020b7fae, 0x000fe8000b901d44, 0}, 16, true}, /* .cg.L2::128B */
        {{0x08020b0fae, 0x000fe8000b941c44, 0}, 16, true},      /* @p .cg, 8 of 16 bytes */
        {{0x020b7fae, 0x000fe2000b921c48, 0}, 16, false},       /* for sm_90: .ca */
        {{0x020d7fae, 0x000fe8000b901c48, 0}, 16, true},        /* .cg */
        {{0x02097fae, 0x0003e8000b921848, 0}, 4, false},        /* .ca, 4 bytes */
    };
    enum { ROWS = sizeof rows / sizeof *rows };
    struct instruction code[ROWS];
    struct cubin cubin;
    (void)state;
    for (int i = 0; i < ROWS; i++)
        code[i] = rows[i].code;
    read_code(&cubin, code, ROWS);
    assert_int_equal(cubin.function->accesses, ROWS);
    for (int i = 0; i < ROWS; i++) {
        const struct cubin_access *access = &cubin.function->access[i];
        if (access->op != OP_ASYNC_STORE || access->bytes != rows[i].bytes ||
            access->past_l1 != rows[i].past_l1)
            fail_msg("%d: op %d, %d bytes, past L1: %d", i, access->op, access->bytes,
                     access->past_l1);
    }
    cubin_free(&cubin);
}

static void what_never_runs_is_no_access(void **state)
{
    (void)state;
    struct instruction code[] = {ACCESS(LDS, 4, 3, 2, 0, 4), PLAIN(EXIT, 0)};
    struct cubin cubin;
    code[0].lo |= 1 << 15; /* @!PT */
    read_code(&cubin, code, 2);
    assert_int_equal(cubin.function[0].accesses, 0);
    cubin_free(&cubin);
}

/* ---- any bytes ------------------------------------------------------------------------------- */

static void any_bytes_are_read_or_refused(void **state)
{
    (void)state;
    const struct instruction code[] = {ACCESS(STS, 4, 0, 2, 0, 4), ACCESS(LDS, 16, 4, 2, 0, -6),
                                       PLAIN(MOV, 2), PLAIN(EXIT, 0)};
    struct file good;
    uint64_t random = 88172645463325252u;
    int number = 0;
    make_cubin(&good, "k", code, 4, "k.cu");
    for (int round = 0; round < 20000; round++) {
        struct file bad = good;
        for (int k = 0; k <= round % 5; k++) {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            bad.at[random % bad.size] = random >> 32 & 1 ? (unsigned char)(random >> 40) : 0xff;
        }
        if (round % 3 == 0)
            bad.size = random % bad.size;
        /* Exactly as much memory, so that a byte beyond is seen. */
        unsigned char *bytes = malloc(bad.size ? bad.size : 1);
        struct cubin cubin;
        struct error error = {{0}};
        memcpy(bytes, bad.at, bad.size);
        if (cubin_read(&cubin, bytes, bad.size, by_name, &number, &error)) {
            for (size_t i = 0; i < cubin.functions; i++)
                for (size_t k = 0; k < cubin.function[i].accesses; k++) {
                    const struct cubin_access *access = &cubin.function[i].access[k];
                    assert_true(access->line >= 0 && access->file >= -1 && access->file <= 0);
                    assert_true(access->bytes >= 1 && access->bytes <= 16);
                }
            cubin_free(&cubin);
        } else {
            assert_true(*error.text);
        }
        free(bytes);
    }
}

/* ---- for test_gpu_app.sh ----------------------------------------------------------------------- */

/* Of lines 5, 8 and 9 a store of 4 bytes, of line 7 a load of 16, of line 11 a store of 8; of lines 14
 * and 15 stores to two variables side by side, of line 17 a load of both; of line 19 a load of 4 bytes, of
 * line 21 a store; of lines 23, 25 and 27 an atomic operation that merges lanes, a compare-and-swap and one
 * of a loop. */
static int write_cubin(const char *path, const char *source)
{
    struct instruction code[] = {ACCESS(STS, 4, 0, 2, 0, 5),
                                 PLAIN(BAR, 0),
                                 ACCESS(LDS, 16, 4, 8, 0, 7),
                                 ACCESS(STS, 4, 0, 2, 0, 8),
                                 ACCESS(STS, 4, 0, 2, 0, 9),
                                 PLAIN(BAR, 0),
                                 ACCESS(STS, 8, 0, 2, 0, 11),
                                 ACCESS(STS, 4, 0, 255, 0x404, 14),
                                 ACCESS(STS, 4, 0, 255, 0x400, 15),
                                 PLAIN(BAR, 0),
                                 ACCESS(LDS, 8, 4, 255, 0x400, 17),
                                 ACCESS(LDS, 4, 4, 8, 0, 19),
                                 PLAIN(BAR, 0),
                                 ACCESS(STS, 4, 0, 2, 0, 21),
                                 ACCESS(ATOMS_POPC_INC, 4, 255, 2, 0, 23),
                                 ACCESS(ATOMS_CAS, 4, 255, 2, 0, 25),
                                 ACCESS(ATOMS_CAS, 4, 255, 2, 0, 27),
                                 PLAIN(EXIT, 0)};
    for (int i = 7; i <= 10; i++) /* their uniform register is 9 */
        code[i].hi |= UINT64_C(1) << 27 | 9;
    code[10].lo |= (uint64_t)9 << 32;
    code[16].hi |= (uint64_t)3 << 23; /* .CAST.SPIN */
    struct file file;
    make_cubin(&file, "_Z1kPi", code, sizeof code / sizeof *code, source);
    FILE *to = fopen(path, "wb");
    bool good = to && fwrite(file.at, 1, file.size, to) == file.size;
    return to && !fclose(to) && good ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (argc == 4 && !strcmp(argv[1], "--write"))
        return write_cubin(argv[2], argv[3]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_widths_and_lines),
        cmocka_unit_test(inlined_code_is_the_calls_line),
        cmocka_unit_test(inlined_code_has_its_calls),
        cmocka_unit_test(uniform_registers_are_where_the_operation_has_them),
        cmocka_unit_test(copies_past_l1_are_told_apart),
        cmocka_unit_test(what_never_runs_is_no_access),
        cmocka_unit_test(any_bytes_are_read_or_refused),
    };
    return cmocka_run_group_tests_name("cubin", tests, NULL, NULL);
}
