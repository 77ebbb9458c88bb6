/* driver_virtual.c - the driver API: addresses that are reserved, and memory that is mapped to them.
 *
 * Buffers that grow where they are use it: memory is mapped behind what is there already. So of a reservation there is
 * memory from its beginning up to some place, which cuMemSetAccess moves, and for the machine that is one allocation.
 * What is mapped elsewhere, or twice at a time, is refused by a line. Memory keeps what is in it while it is
 * mapped nowhere.
 */
#include "program/runtime/driver/driver.h"

#include <stdlib.h>
#include <string.h>

enum { GRANULARITY = 2 << 20 };

struct piece { /* memory, which cuMemCreate makes */
    size_t bytes;
    void *kept;  /* what was in it when it was last unmapped; NULL: nothing */
    bool mapped; /* somewhere */
    bool open;   /* its handle was not released */
};
struct mapping {
    uintptr_t at;
    struct piece *piece;
};
/* Reservations are few, and so is what is mapped. */
static struct {
    struct reservation {
        uintptr_t base;
        size_t bytes, usable; /* bytes from the base that may be used */
    } * reservation;
    size_t reservations, reservation_room;
    struct mapping *mapping;
    size_t mappings, mapping_room;
    struct piece **piece; /* by handle - 1; NULL: there is none any more */
    size_t pieces, piece_room;
} virtual;

static CUresult refuse(const char *call, const char *why)
{
    runtime_report_line(RECORDS_ARGUMENT, NULL, "%s: %s", call, why);
    return CUDA_ERROR_NOT_SUPPORTED;
}

static bool is_whole(size_t bytes)
{
    return bytes && bytes % GRANULARITY == 0;
}

/* The reservation that a range is in, or NULL. */
static struct reservation *reservation_of(uintptr_t at, size_t bytes)
{
    for (size_t i = 0; i < virtual.reservations; i++) {
        struct reservation *here = &virtual.reservation[i];
        if (at >= here->base && at - here->base <= here->bytes &&
            bytes <= here->bytes - (at - here->base))
            return here;
    }
    return NULL;
}

static struct piece *piece_of(CUmemGenericAllocationHandle handle)
{
    struct piece *piece = handle - 1 < virtual.pieces ? virtual.piece[handle - 1] : NULL;
    return piece && piece->open ? piece : NULL;
}

static void free_piece(struct piece *piece)
{
    if (piece->open || piece->mapped)
        return;
    for (size_t i = 0; i < virtual.pieces; i++)
        if (virtual.piece[i] == piece)
            virtual.piece[i] = NULL;
    free(piece->kept);
    free(piece);
}

CUresult cuMemGetAllocationGranularity(size_t *granularity, const CUmemAllocationProp *properties,
                                       CUmemAllocationGranularity_flags option)
{
    (void)option;
    DRIVER_ENTER(false);
    REQUIRE_VALUE(granularity && properties);
    *granularity = GRANULARITY;
    return CUDA_SUCCESS;
}

CUresult cuMemAddressReserve(CUdeviceptr *address, size_t bytes, size_t alignment,
                             CUdeviceptr wanted, unsigned long long flags)
{
    (void)alignment; /* reservations begin at multiples of the granularity */
    (void)wanted;    /* a wish */
    (void)flags;
    DRIVER_ENTER(false);
    REQUIRE_VALUE(address && is_whole(bytes));
    if (!runtime_grow(&virtual.reservation, &virtual.reservation_room, virtual.reservations + 1,
                      sizeof *virtual.reservation))
        return CUDA_ERROR_OUT_OF_MEMORY;
    void *at = runtime_reserve(bytes, GRANULARITY);
    if (!at)
        return CUDA_ERROR_OUT_OF_MEMORY;
    virtual.reservation[virtual.reservations++] = (struct reservation){(uintptr_t)at, bytes, 0};
    *address = (uintptr_t)at;
    return CUDA_SUCCESS;
}

CUresult cuMemAddressFree(CUdeviceptr address, size_t bytes)
{
    DRIVER_ENTER(false);
    struct reservation *here = reservation_of(address, bytes);
    REQUIRE_VALUE(here && here->base == address && here->bytes == bytes);
    for (size_t i = 0; i < virtual.mappings; i++)
        if (reservation_of(virtual.mapping[i].at, 0) == here)
            return CUDA_ERROR_INVALID_VALUE;
    runtime_unreserve((void *)here->base);
    *here = virtual.reservation[--virtual.reservations];
    return CUDA_SUCCESS;
}

CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t bytes,
                     const CUmemAllocationProp *properties, unsigned long long flags)
{
    (void)flags;
    DRIVER_ENTER(true);
    REQUIRE_VALUE(handle && properties && is_whole(bytes));
    REQUIRE_VALUE(properties->type == CU_MEM_ALLOCATION_TYPE_PINNED &&
                  properties->location.type == CU_MEM_LOCATION_TYPE_DEVICE &&
                  properties->location.id == 0);
    struct piece *piece = malloc(sizeof *piece);
    if (!piece || !runtime_grow(&virtual.piece, &virtual.piece_room, virtual.pieces + 1,
                                sizeof *virtual.piece)) {
        free(piece);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *piece = (struct piece){.bytes = bytes, .open = true};
    virtual.piece[virtual.pieces++] = piece;
    *handle = virtual.pieces;
    return CUDA_SUCCESS;
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle)
{
    DRIVER_ENTER(false);
    struct piece *piece = piece_of(handle);
    REQUIRE_VALUE(piece);
    piece->open = false;
    free_piece(piece);
    return CUDA_SUCCESS;
}

CUresult cuMemMap(CUdeviceptr address, size_t bytes, size_t offset,
                  CUmemGenericAllocationHandle handle, unsigned long long flags)
{
    (void)flags;
    DRIVER_ENTER(false);
    struct piece *piece = piece_of(handle);
    REQUIRE_VALUE(piece && is_whole(bytes) && reservation_of(address, bytes));
    if (offset || bytes != piece->bytes)
        return refuse("cuMemMap", "a part of an allocation cannot be mapped here; map the whole");
    if (piece->mapped)
        return refuse("cuMemMap", "memory cannot be mapped twice here; unmap it first");
    for (size_t i = 0; i < virtual.mappings; i++) {
        const struct mapping *other = &virtual.mapping[i];
        REQUIRE_VALUE(address >= other->at + other->piece->bytes || other->at >= address + bytes);
    }
    if (!runtime_grow(&virtual.mapping, &virtual.mapping_room, virtual.mappings + 1,
                      sizeof *virtual.mapping))
        return CUDA_ERROR_OUT_OF_MEMORY;
    virtual.mapping[virtual.mappings++] = (struct mapping){address, piece};
    piece->mapped = true;
    return CUDA_SUCCESS;
}

/* The memory that is mapped at an address, or NULL. */
static struct piece *mapped_at(uintptr_t at)
{
    for (size_t i = 0; i < virtual.mappings; i++)
        if (virtual.mapping[i].at == at)
            return virtual.mapping[i].piece;
    return NULL;
}

/* What it had in it before. */
static void restore(uintptr_t at, struct piece *piece)
{
    if (!piece->kept)
        return;
    memcpy(runtime_host((void *)at), piece->kept, piece->bytes);
    runtime_access("cuMemMap", (void *)at, piece->bytes, true);
    free(piece->kept);
    piece->kept = NULL;
}

CUresult cuMemSetAccess(CUdeviceptr address, size_t bytes, const CUmemAccessDesc *access,
                        size_t count)
{
    DRIVER_ENTER(false);
    struct reservation *here = reservation_of(address, bytes);
    REQUIRE_VALUE(here && is_whole(bytes) && access && count);
    uintptr_t end = here->base + here->usable;
    if (address > end)
        return refuse("cuMemSetAccess",
                      "memory is used from the beginning of a reservation on here, without gaps");
    const uintptr_t old = end;
    for (struct piece *piece = NULL; end < address + bytes; end += piece->bytes) {
        piece = mapped_at(end);
        REQUIRE_VALUE(piece);
    }
    if (access->flags == CU_MEM_ACCESS_FLAGS_PROT_NONE)
        return refuse("cuMemSetAccess", "access cannot be taken away here; unmap the memory");
    if (!runtime_use((void *)here->base, end - here->base))
        return CUDA_ERROR_OUT_OF_MEMORY;
    here->usable = end - here->base;
    for (uintptr_t at = old; at < end; at += mapped_at(at)->bytes)
        restore(at, mapped_at(at));
    return CUDA_SUCCESS;
}

/* Takes away what is mapped from there on, if that is the end of what may be used, or was never to be used. */
static void unmap(struct reservation *here, uintptr_t from, uintptr_t to)
{
    for (size_t i = 0; i < virtual.mappings;) {
        struct mapping *mapping = &virtual.mapping[i];
        if (mapping->at < from || mapping->at >= to) {
            i++;
            continue;
        }
        struct piece *piece = mapping->piece;
        piece->mapped = false;
        if (piece->open && mapping->at - here->base < here->usable &&
            (piece->kept = malloc(piece->bytes)) != NULL)
            memcpy(piece->kept, runtime_host((void *)mapping->at), piece->bytes);
        free_piece(piece);
        *mapping = virtual.mapping[--virtual.mappings];
    }
    if (from - here->base < here->usable) {
        here->usable = from - here->base;
        runtime_use((void *)here->base, here->usable);
    }
}

CUresult cuMemUnmap(CUdeviceptr address, size_t bytes)
{
    DRIVER_ENTER(true);
    struct reservation *here = reservation_of(address, bytes);
    REQUIRE_VALUE(here && is_whole(bytes));
    struct piece *piece = NULL;
    for (uintptr_t at = address; at < address + bytes; at += piece->bytes) {
        piece = mapped_at(at);
        REQUIRE_VALUE(piece && piece->bytes <= address + bytes - at);
    }
    if (address + bytes < here->base + here->usable)
        return refuse("cuMemUnmap", "memory is unmapped from its end on here");
    cuCtxSynchronize();
    unmap(here, address, address + bytes);
    return CUDA_SUCCESS;
}
