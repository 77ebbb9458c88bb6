/* object.c - see object.h. */
#include "program/compile/object.h"

#include <fcntl.h>
#include <gelf.h>
#include <unistd.h>

/* The bytes from `place` to the end of the variable there, in a table of symbols; 0: none is there. */
static uint64_t bytes_in_table(Elf_Scn *table, uint64_t place)
{
    Elf_Data *data = elf_getdata(table, NULL);
    GElf_Sym symbol;
    for (int i = 1; data && gelf_getsym(data, i, &symbol); i++)
        if (symbol.st_shndx != SHN_UNDEF && GELF_ST_TYPE(symbol.st_info) == STT_OBJECT &&
            place >= symbol.st_value && place - symbol.st_value < symbol.st_size)
            return symbol.st_size - (place - symbol.st_value);
    return 0;
}

size_t object_bytes_at(const char *path, uint64_t place)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    uint64_t bytes = 0;
    elf_version(EV_CURRENT);
    Elf *elf = file < 0 ? NULL : elf_begin(file, ELF_C_READ, NULL);
    GElf_Shdr head;
    for (Elf_Scn *section = NULL; elf && !bytes && (section = elf_nextscn(elf, section));)
        if (gelf_getshdr(section, &head) && head.sh_type == SHT_SYMTAB)
            bytes = bytes_in_table(section, place);
    elf_end(elf);
    if (file >= 0)
        close(file);
    return (size_t)bytes;
}
