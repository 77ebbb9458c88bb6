/* module.h - what the parts of machine/ share of a loaded module: load.c. */
#ifndef BANKSCOPE_MACHINE_MODULE_H
#define BANKSCOPE_MACHINE_MODULE_H

#include "machine/step.h"

#include <string.h>

struct machine_memory {
    struct allocator allocator;
    struct machine_range *range; /* by address */
    int ranges, room;
    struct machine_heap *heap;
    struct shadow_piece *spare_shadow; /* of the checker, for the next launch: */
    uint32_t checked_until;            /* no mark in them is later */
};
/* Bits of bytes that were written. Other workers may set others of the same eight. */
void written_set(uint8_t *bits, uint64_t from, uint64_t bytes);
uint64_t written_count(const uint8_t *bits, uint64_t from, uint64_t bytes);
void written_clear(uint8_t *bits, uint64_t from, uint64_t bytes);
static inline bool written_all(const uint8_t *bits, uint64_t from, uint64_t bytes)
{
    uint64_t left = from % 8 + bytes; /* bits from the first byte on */
    uint64_t some, want = UINT64_MAX << from % 8;
    for (bits += from / 8; left > 56; bits += 7, left -= 56, want = UINT64_MAX) {
        memcpy(&some, bits, sizeof some);
        if (~some & want & UINT64_MAX >> 8)
            return false;
    }
    memcpy(&some, bits, sizeof some);
    return !(~some & want & ((UINT64_C(1) << left) - 1));
}
/* A launch that is not checked may write anywhere: all bytes count as written from here on. */
void memory_forget_unwritten(struct machine_memory *memory);
void check_free_spare(struct machine_memory *memory);
/* "byte 12 of an allocation of 400 bytes (device memory)" */
void memory_name(const struct machine_range *range, uint64_t at, char *text, size_t room);

/* Makes the heap of kernels' malloc, once. */
bool heap_make(struct machine_memory *memory, uint64_t bytes);
void heap_free(struct machine_memory *memory);
/* The piece that malloc returned and an address is in, or that begins before it; false: there is none. */
struct heap_piece {
    uint64_t address, bytes;
    bool used; /* not freed */
};
bool heap_find(struct machine_memory *memory, uint64_t address, struct heap_piece *piece);

struct machine_kernel {
    struct machine_module *module;
    struct ptx_function *function;
    struct kernel_code *code[2]; /* for 32 lanes, for 64; NULL: not decoded yet */
    struct machine_parameter *parameter;
    const char *name;
};
struct machine_module {
    struct ptx_module ptx;
    struct machine_memory *memory;
    struct machine_kernel *kernel;
    int kernels;
    atomic_flag decoding;
};

/* The code of a kernel for registers of 32 or 64 lanes, decoded if it is not yet. NULL: *error says
 * why. */
struct kernel_code *module_code(struct machine_kernel *kernel, int slots, struct error *error);
struct machine_memory *module_memory(const struct machine_kernel *kernel);

#endif
