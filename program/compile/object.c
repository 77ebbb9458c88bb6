/* object.c - what an object says of its symbols (ELF, 64 bits): which it takes from others, and how large its
 * own are. */
#include "program/compile/object.h"
#include "system/file.h"

#include <stdlib.h>
#include <string.h>

#ifdef __linux__
#include <elf.h>

enum { MOST_BYTES = 64 << 20 };

/* An object's bytes; sections that do not lie within are none. */
struct object {
    const char *bytes;
    size_t length;
    const Elf64_Shdr *section;
    int sections;
};

/* The bytes from `offset` on, or NULL. */
static const void *part_of(const struct object *object, uint64_t offset, uint64_t bytes)
{
    return offset <= object->length && bytes <= object->length - offset ? object->bytes + offset
                                                                        : NULL;
}

static bool open_object(const char *bytes, size_t length, struct object *object)
{
    *object = (struct object){.bytes = bytes, .length = length};
    const Elf64_Ehdr *head = part_of(object, 0, sizeof *head);
    if (!head || memcmp(head->e_ident, ELFMAG, SELFMAG) || head->e_ident[EI_CLASS] != ELFCLASS64 ||
        head->e_shentsize != sizeof *object->section)
        return false;
    object->sections = head->e_shnum;
    object->section =
        part_of(object, head->e_shoff, (uint64_t)head->e_shnum * sizeof *object->section);
    return object->section;
}

/* Calls `take` with each symbol of the tables of that kind, until it returns false. */
static bool each_symbol(const struct object *object, uint32_t kind,
                        bool (*take)(void *context, const char *name, const Elf64_Sym *symbol),
                        void *context)
{
    for (int i = 0; i < object->sections; i++) {
        const Elf64_Shdr *table = &object->section[i];
        if (table->sh_type != kind || (int)table->sh_link >= object->sections)
            continue;
        const Elf64_Shdr *names = &object->section[table->sh_link];
        const Elf64_Sym *symbol = part_of(object, table->sh_offset, table->sh_size);
        const char *text = part_of(object, names->sh_offset, names->sh_size);
        if (!symbol || !text || !names->sh_size || text[names->sh_size - 1])
            return false;
        for (size_t k = 1; k < table->sh_size / sizeof *symbol; k++)
            if (symbol[k].st_name < names->sh_size &&
                !take(context, text + symbol[k].st_name, &symbol[k]))
                return false;
    }
    return true;
}

static char *read_object(const char *path, struct object *object, struct error *error)
{
    size_t length;
    char *bytes = file_read(path, MOST_BYTES, &length, error);
    if (bytes && !open_object(bytes, length, object)) {
        error_set(error, "%s is not an object of this machine", path);
        free(bytes);
        return NULL;
    }
    return bytes;
}

struct asking {
    bool (*allowed)(void *context, const char *name);
    void *context;
    char *name;
    size_t room;
};

static bool is_allowed(void *context, const char *name, const Elf64_Sym *symbol)
{
    const struct asking *asking = context;
    if (symbol->st_shndx != SHN_UNDEF || !*name || asking->allowed(asking->context, name))
        return true;
    snprintf(asking->name, asking->room, "%s", name);
    return false;
}

bool object_takes_only(const char *path, bool (*allowed)(void *context, const char *name),
                       void *context, char *name, size_t room, struct error *error)
{
    struct object object;
    struct asking asking = {allowed, context, name, room};
    char *bytes = read_object(path, &object, error);
    *name = '\0';
    bool good = bytes && each_symbol(&object, SHT_DYNSYM, is_allowed, &asking);
    if (bytes && !good && !*name)
        error_set(error, "%s has damaged symbols", path);
    free(bytes);
    return good;
}

struct measuring {
    uint64_t at, left;
};

static bool measure(void *context, const char *name, const Elf64_Sym *symbol)
{
    struct measuring *measuring = context;
    (void)name;
    if (symbol->st_shndx != SHN_UNDEF && ELF64_ST_TYPE(symbol->st_info) == STT_OBJECT &&
        measuring->at >= symbol->st_value && measuring->at - symbol->st_value < symbol->st_size)
        measuring->left = symbol->st_size - (measuring->at - symbol->st_value);
    return !measuring->left;
}

size_t object_bytes_at(const char *path, uint64_t place)
{
    struct object object;
    struct measuring measuring = {place, 0};
    struct error none = {{0}};
    char *bytes = read_object(path, &object, &none);
    if (bytes)
        each_symbol(&object, SHT_SYMTAB, measure, &measuring);
    free(bytes);
    return (size_t)measuring.left;
}

#else

bool object_takes_only(const char *path, bool (*allowed)(void *context, const char *name),
                       void *context, char *name, size_t room, struct error *error)
{
    (void)path, (void)allowed, (void)context, (void)room, (void)error;
    *name = '\0';
    return true;
}

size_t object_bytes_at(const char *path, uint64_t place)
{
    (void)path, (void)place;
    return 0;
}

#endif
