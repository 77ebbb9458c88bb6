/* symbols.c - the names of functions, from the program's own symbol table, and their twins. */
#include "hostcuda/engine/engine.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct symbol {
    uintptr_t from, to;
    const char *mangled;
    char *name;
};

struct shared_symbol {
    uint32_t from, to;
    bool guard; /* of a variable that g++ constructs when it is first met */
};

static struct {
    pthread_mutex_t lock;
    bool read;
    size_t count;
    struct symbol *symbol;
    struct shared_symbol *shared; /* thread-local variables, by address */
    size_t shared_count;
    struct symbol *data; /* other variables, by address */
    size_t data_count;
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int by_address(const void *a, const void *b)
{
    const struct symbol *x = a, *y = b;
    return (x->from > y->from) - (x->from < y->from);
}

static int by_first(const void *a, const void *b)
{
    const struct shared_symbol *x = a, *y = b;
    return (x->from > y->from) - (x->from < y->from);
}

/* The program is linked at fixed addresses (-no-pie), so that symbols need no shift. */
static void read_symbols(const char *file, size_t bytes)
{
    const ElfW(Ehdr) *head = (const ElfW(Ehdr) *)file;
    if (bytes < sizeof *head || memcmp(head->e_ident, ELFMAG, SELFMAG) ||
        head->e_shoff + (size_t)head->e_shnum * sizeof(ElfW(Shdr)) > bytes)
        return;
    const ElfW(Shdr) *section = (const ElfW(Shdr) *)(file + head->e_shoff);
    for (int i = 0; i < head->e_shnum; i++) {
        if (section[i].sh_type != SHT_SYMTAB || section[i].sh_link >= head->e_shnum)
            continue;
        const ElfW(Shdr) *strings = &section[section[i].sh_link];
        if (section[i].sh_offset + section[i].sh_size > bytes ||
            strings->sh_offset + strings->sh_size > bytes)
            continue;
        const ElfW(Sym) *symbol = (const ElfW(Sym) *)(file + section[i].sh_offset);
        size_t count = section[i].sh_size / sizeof *symbol;
        table.symbol = calloc(count + 1, sizeof *table.symbol);
        table.shared = calloc(count + 1, sizeof *table.shared);
        table.data = calloc(count + 1, sizeof *table.data);
        for (size_t k = 0; table.shared && k < count; k++)
            if ((symbol[k].st_info & 15) == STT_TLS && symbol[k].st_shndx != SHN_UNDEF) {
                const char *name = symbol[k].st_name < strings->sh_size
                                       ? file + strings->sh_offset + symbol[k].st_name
                                       : "";
                table.shared[table.shared_count++] = (struct shared_symbol){
                    (uint32_t)symbol[k].st_value,
                    (uint32_t)(symbol[k].st_value + symbol[k].st_size), !strncmp(name, "_ZGV", 4)};
            }
        for (size_t k = 0; table.symbol && table.data && k < count; k++) {
            int type = symbol[k].st_info & 15;
            if (!symbol[k].st_size || symbol[k].st_name >= strings->sh_size)
                continue;
            struct symbol found = {symbol[k].st_value, symbol[k].st_value + symbol[k].st_size,
                                   file + strings->sh_offset + symbol[k].st_name, NULL};
            if (type == STT_FUNC)
                table.symbol[table.count++] = found;
            else if (type == STT_OBJECT)
                table.data[table.data_count++] = found;
        }
        break;
    }
    if (table.symbol)
        qsort(table.symbol, table.count, sizeof *table.symbol, by_address);
    if (table.data)
        qsort(table.data, table.data_count, sizeof *table.data, by_address);
    if (table.shared)
        qsort(table.shared, table.shared_count, sizeof *table.shared, by_first);
}

extern char *__cxa_demangle(const char *mangled, char *text, size_t *room, int *status)
    __attribute__((weak));

/* "void transpose<float>(float*, int)" becomes "transpose<float>": cuts the parameters and what
 * stands before the name; both are told by parentheses and angle brackets that do not nest. */
static char *shorten(char *text)
{
    static const char nameless[] = "(anonymous namespace)::";
    for (char *at; (at = strstr(text, nameless));)
        memmove(at, at + sizeof nameless - 1, strlen(at + sizeof nameless - 1) + 1);
    int depth = 0;
    char *begin = text;
    for (char *at = text; *at; at++) {
        if (*at == '<' || *at == '{' || *at == '[')
            depth++;
        else if ((*at == '>' && (at == text || at[-1] != '-')) || *at == '}' || *at == ']')
            depth--;
        else if (*at == ' ' && depth == 0)
            begin = at + 1;
        else if (*at == '(' && depth == 0) {
            *at = '\0';
            break;
        } else if (*at == '(')
            depth++;
        else if (*at == ')')
            depth--;
    }
    return begin;
}

/* With the lock held. */
static void read_once(void)
{
    struct stat stat;
    if (table.read)
        return;
    table.read = true;
    int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    if (file >= 0 && !fstat(file, &stat) && stat.st_size > 0) {
        size_t bytes = (size_t)stat.st_size;
        const char *at = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, file, 0);
        if (at != MAP_FAILED)
            read_symbols(at, bytes);
    }
    if (file >= 0)
        close(file);
}

/* A mangled name as C++ writes it, for the caller to free; NULL: it is not mangled. Only names that begin with
 * _Z are: "t" alone would be a type, unsigned short. */
static char *demangled(const char *name)
{
    int status;
    return __cxa_demangle && !strncmp(name, "_Z", 2) ? __cxa_demangle(name, NULL, NULL, &status)
                                                     : NULL;
}

/* The name of a variable, without the functions and namespaces that it is in. */
static const char *variable_name(struct symbol *symbol)
{
    if (!symbol->name) {
        symbol->name = demangled(symbol->mangled);
        if (!symbol->name)
            symbol->name = strdup(symbol->mangled);
    }
    const char *name = symbol->name ? symbol->name : symbol->mangled;
    int angles = 0;
    for (const char *at = name; *at; at++) {
        angles += (*at == '<') - (*at == '>');
        if (!angles && at[0] == ':' && at[1] == ':')
            name = at + 2;
    }
    return name;
}

static void ensure_read(void)
{
    if (table.read)
        return;
    pthread_mutex_lock(&table.lock);
    read_once();
    pthread_mutex_unlock(&table.lock);
}

bool symbol_data(uintptr_t at, size_t bytes, struct data_symbol *found)
{
    ensure_read();
    *found = (struct data_symbol){0, 0, ""};
    size_t low = 0, high = table.data ? table.data_count : 0;
    if (!high)
        return true; /* nobody knows */
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (table.data[middle].from <= at)
            low = middle + 1;
        else
            high = middle;
    }
    struct symbol *before = low ? &table.data[low - 1] : NULL;
    struct symbol *behind = low < table.data_count ? &table.data[low] : NULL;
    bool inside = before && at + bytes <= before->to;
    if (!before || (behind && !inside && behind->from - at < at - before->to))
        before = behind;
    pthread_mutex_lock(&table.lock);
    *found = (struct data_symbol){before->from, before->to, variable_name(before)};
    pthread_mutex_unlock(&table.lock);
    return inside;
}

enum shared_kind symbol_shared(uint32_t offset, size_t bytes, uint32_t *from, uint32_t *to)
{
    ensure_read();
    *from = *to = 0;
    if (!table.shared)
        return SHARED_VARIABLE; /* nobody knows */
    size_t low = 0, high = table.shared_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (table.shared[middle].from <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low || offset + bytes > table.shared[low - 1].to)
        return SHARED_NOTHING;
    if (table.shared[low - 1].guard)
        return SHARED_GUARD;
    *from = table.shared[low - 1].from;
    *to = table.shared[low - 1].to;
    return SHARED_VARIABLE;
}

/* The symbol of the function that the address is in, or NULL. With the lock held. */
static struct symbol *symbol_at(uintptr_t address)
{
    read_once();
    size_t low = 0, high = table.count;
    while (low < high) { /* the last symbol that begins at the address or before it */
        size_t middle = (low + high) / 2;
        if (table.symbol[middle].from <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low && address < table.symbol[low - 1].to ? &table.symbol[low - 1] : NULL;
}

const char *symbol_name(uintptr_t address)
{
    const char *name = "?";
    pthread_mutex_lock(&table.lock);
    struct symbol *symbol = symbol_at(address);
    if (symbol && !symbol->name) {
        char *plain = demangled(symbol->mangled);
        symbol->name = plain ? shorten(plain) : strdup(symbol->mangled);
    }
    if (symbol)
        name = symbol->name ? symbol->name : symbol->mangled;
    pthread_mutex_unlock(&table.lock);
    return name;
}

bool symbol_is_lambda(uintptr_t address)
{
    pthread_mutex_lock(&table.lock);
    const struct symbol *symbol = symbol_at(address);
    bool is = symbol && strstr(symbol->mangled, "4_FUNE"); /* {lambda}::_FUN */
    pthread_mutex_unlock(&table.lock);
    return is;
}

const char *hostcuda_name(const void *function)
{
    return symbol_name((uintptr_t)function);
}

/* ---- twins (assembly.c) ----------------------------------------------------------------------- */

struct twin {
    const void *function, *twin;
};
extern struct twin first_twin[] __asm__("__start_hostcuda_twins") __attribute__((weak));
extern struct twin behind_twins[] __asm__("__stop_hostcuda_twins") __attribute__((weak));

static int by_function(const void *a, const void *b)
{
    uintptr_t x = (uintptr_t)((const struct twin *)a)->function;
    uintptr_t y = (uintptr_t)((const struct twin *)b)->function;
    return (x > y) - (x < y);
}

const void *symbol_twin(const void *function)
{
    static bool sorted;
    size_t count = (size_t)((uintptr_t)behind_twins - (uintptr_t)first_twin) / sizeof(struct twin);
    if (count && !sorted)
        qsort(first_twin, count, sizeof *first_twin, by_function);
    sorted = true;
    struct twin wanted = {function, NULL};
    const struct twin *found =
        count ? bsearch(&wanted, first_twin, count, sizeof *first_twin, by_function) : NULL;
    return found ? found->twin : function;
}
