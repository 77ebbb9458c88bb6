/* container.c - what fat binaries hold: texts of PTX, as they are or compressed. */
#define _GNU_SOURCE
#include "program/runtime/code.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONTAINER UINT32_C(0xba55ed50)
enum {
    HOLDS_PTX = 1,
    BY_LZ4 = 0x2000, /* flags of an entry: how it is compressed */
    BY_ZSTD = 0x8000,
    COMPRESSED = BY_LZ4 | BY_ZSTD,
    SPECIFIC = 0x100000, /* to one GPU: sm_90a */
    MOST_TEXT = 1 << 30
};

struct container {
    uint32_t magic;
    uint16_t version, head;
    uint64_t bytes; /* behind the head */
};
struct container_entry {
    uint16_t kind, version;
    uint32_t head;
    uint64_t bytes; /* behind the head */
    uint32_t compressed_bytes, unknown;
    uint16_t minor, major;
    uint32_t capability;
    uint64_t name, flags;
    uint64_t unknown_too, text_bytes; /* as it was before it was compressed; in heads of 64 bytes */
};
enum { HEAD = offsetof(struct container_entry, unknown_too) };

/* ---- containers -------------------------------------------------------------------------------- */

static int target_of(const char *text, size_t length)
{
    static const char word[] = ".target sm_";
    for (size_t i = 0; i + sizeof word < length && i < 4096; i++)
        if (!memcmp(text + i, word, sizeof word - 1))
            return (int)strtol(text + i + sizeof word - 1, NULL, 10);
    return 0;
}

/* Units that were named. */
static int named;

bool code_add(struct runtime_binary *binary, const char *text, size_t length)
{
    if (!runtime_grow(&binary->unit, &binary->room, binary->units + 1, sizeof *binary->unit))
        return false;
    struct unit *unit = &binary->unit[binary->units++];
    *unit = (struct unit){text, length, target_of(text, length), "", NULL};
    snprintf(unit->name, sizeof unit->name, "unit %d",
             __atomic_add_fetch(&named, 1, __ATOMIC_RELAXED));
    return true;
}

/* Functions of libraries that are asked for only here: few programs have compressed PTX. */
typedef size_t zstd_function(void *to, size_t room, const void *from, size_t bytes);
typedef int lz4_function(const char *from, char *to, int bytes, int room);

static void *function_of(const char *library, const char *name)
{
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    return handle ? dlsym(handle, name) : NULL;
}

/* The text of a compressed entry, which stays; NULL: binary->problem says why. */
static const char *decompress(struct runtime_binary *binary, const struct container_entry *entry,
                              const unsigned char *from)
{
    const bool zstd = entry->flags & BY_ZSTD;
    void *address = zstd ? function_of("libzstd.so.1", "ZSTD_decompress")
                         : function_of("liblz4.so.1", "LZ4_decompress_safe");
    char *text = entry->text_bytes && entry->text_bytes < MOST_TEXT
                     ? runtime_new(entry->text_bytes + 1)
                     : NULL;
    const size_t bytes = entry->compressed_bytes ? entry->compressed_bytes : entry->bytes;
    size_t got = 0;
    if (!address || !text || bytes > entry->bytes) {
        binary->problem = zstd ? "its PTX is compressed by zstd, and libzstd.so.1 is not installed"
                               : "its PTX is compressed by LZ4, and liblz4.so.1 is not installed; "
                                 "compile with nvcc --no-compress";
        runtime_delete(text);
        return NULL;
    }
    if (zstd) {
        zstd_function *function;
        memcpy(&function, &address, sizeof function);
        got = function(text, entry->text_bytes, from, bytes);
    } else {
        lz4_function *function;
        memcpy(&function, &address, sizeof function);
        const int count = function((const char *)from, text, (int)bytes, (int)entry->text_bytes);
        got = count < 0 ? 0 : (size_t)count;
    }
    if (got == entry->text_bytes)
        return text;
    binary->problem = "its PTX is compressed in a way that is not known; compile with nvcc "
                      "--no-compress";
    runtime_delete(text);
    return NULL;
}

/* Whether an entry is for a newer GPU than another, or, of the same, for none but that one: sm_90a may use what sm_90 may
 * not. */
static bool is_newer(const struct container_entry *entry, const struct container_entry *than)
{
    return entry->capability != than->capability
               ? entry->capability > than->capability
               : (entry->flags & SPECIFIC) > (than->flags & SPECIFIC);
}

/* The PTX of the newest GPU in a container; the others are the same program for older ones. */
static void open_container(struct runtime_binary *binary, const unsigned char *at)
{
    struct container head;
    memcpy(&head, at, sizeof head);
    const unsigned char *entry = at + head.head, *end = entry + head.bytes, *best = NULL;
    struct container_entry e, chosen = {0};
    bool machine_code = false;
    for (; end - entry >= HEAD; entry += e.head + e.bytes) {
        memset(&e, 0, sizeof e);
        memcpy(&e, entry, HEAD);
        if (e.head < HEAD || e.head > (size_t)(end - entry) ||
            e.bytes > (size_t)(end - entry) - e.head)
            break;
        if (e.head >= sizeof e)
            memcpy(&e, entry, sizeof e);
        machine_code |= e.kind != HOLDS_PTX;
        if (e.kind != HOLDS_PTX || (best && !is_newer(&e, &chosen)))
            continue;
        best = entry;
        chosen = e;
    }
    const char *text = best ? (const char *)best + chosen.head : NULL;
    if (best && chosen.flags & COMPRESSED)
        text = decompress(binary, &chosen, best + chosen.head);
    if (text)
        code_add(binary, text,
                 strnlen(text, chosen.flags & COMPRESSED ? chosen.text_bytes : chosen.bytes));
    else if (!best && machine_code)
        binary->problem = "it has machine code of a GPU and no PTX; compile with nvcc "
                          "-arch=compute_90";
}

bool code_is_text(const void *data, size_t length)
{
    uint32_t magic = 0;
    if (length < sizeof magic)
        return true;
    memcpy(&magic, data, sizeof magic);
    return magic != CONTAINER && memcmp(data, "\177ELF", 4) != 0;
}

void code_open(struct runtime_binary *binary, const void *data)
{
    uint32_t magic;
    memcpy(&magic, data, sizeof magic);
    if (magic == CONTAINER)
        open_container(binary, data);
    else if (!memcmp(data, "\177ELF", 4))
        binary->problem = "it has machine code of a GPU and no PTX; compile it to PTX";
    else
        code_add(binary, data, strlen(data));
}
