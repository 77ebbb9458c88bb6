/* heap.c - malloc and free in kernels. Pieces of one range of memory, made with the launch that first asks
 * for one; it stays until the memory is freed, because a later launch may use what an earlier one made. */
#include "machine/check/check.h"
#include "machine/lock.h"
#include "machine/module.h"

#include <string.h>

enum { PIECE_ALIGN = 16, GAP = 16 /* behind a piece, where the checker looks */ };

/* A piece of the heap, in a table beside it. */
struct piece {
    uint64_t at, bytes;
    uint64_t asked; /* at most so many bytes */
    bool used;
};
struct machine_heap {
    uint8_t *memory;
    size_t taken; /* as it was asked from the allocator */
    uint64_t bytes, next;
    struct piece *piece;
    int pieces, room;
    atomic_flag lock;
};

static void lock(struct machine_heap *heap)
{
    lock_take(&heap->lock);
}

static void unlock(struct machine_heap *heap)
{
    lock_give(&heap->lock);
}

/* Kernels see the heap at this address, wherever the host has its bytes, so that each run has the same pointers. No host
 * has anything of a program's there, and the runtime has its memory on both sides of it, 256 GB of each (arena.c). */
static const uint64_t heap_begins = UINT64_C(5) << 42;

bool heap_make(struct machine_memory *memory, uint64_t bytes)
{
    const struct allocator *allocator = &memory->allocator;
    if (memory->heap)
        return true;
    struct machine_heap *heap = allocator->resize(allocator->context, NULL, 0, sizeof *heap);
    uint8_t *room = heap ? allocator->resize(allocator->context, NULL, 0, bytes + 512) : NULL;
    struct error ignored = {""};
    if (!room) {
        if (heap)
            allocator->resize(allocator->context, heap, sizeof *heap, 0);
        return false;
    }
    *heap = (struct machine_heap){
        .memory = room, .taken = bytes + 512, .next = heap_begins, .bytes = heap_begins + bytes};
    atomic_flag_clear(&heap->lock);
    memory->heap = heap;
    room += -(uintptr_t)room & 255;
    return machine_memory_add(
        memory,
        &(struct machine_range){
            .address = heap_begins, .bytes = bytes, .host = room, .kind = MACHINE_HEAP},
        true, &ignored);
}

bool machine_memory_has_heap(const struct machine_memory *memory)
{
    return memory->heap;
}

void heap_free(struct machine_memory *memory)
{
    const struct allocator *allocator = &memory->allocator;
    struct machine_heap *heap = memory->heap;
    if (!heap)
        return;
    allocator->resize(allocator->context, heap->memory, heap->taken, 0);
    if (heap->piece)
        allocator->resize(allocator->context, heap->piece, (size_t)heap->room * sizeof *heap->piece,
                          0);
    allocator->resize(allocator->context, heap, sizeof *heap, 0);
    memory->heap = NULL;
}

/* A piece that was freed and is large enough, or NULL. */
static struct piece *freed_piece(struct machine_heap *heap, uint64_t bytes)
{
    for (int i = 0; i < heap->pieces; i++)
        if (!heap->piece[i].used && heap->piece[i].bytes >= bytes &&
            heap->piece[i].bytes <= 2 * bytes)
            return &heap->piece[i];
    return NULL;
}

static struct piece *new_piece(struct machine_memory *memory, uint64_t bytes, uint64_t gap)
{
    struct machine_heap *heap = memory->heap;
    if (heap->bytes - heap->next < bytes + gap)
        return NULL;
    if (heap->pieces == heap->room) {
        const int room = heap->room ? 2 * heap->room : 256;
        struct piece *piece = memory->allocator.resize(memory->allocator.context, heap->piece,
                                                       (size_t)heap->room * sizeof *piece,
                                                       (size_t)room * sizeof *piece);
        if (!piece)
            return NULL;
        heap->piece = piece;
        heap->room = room;
    }
    struct piece *piece = &heap->piece[heap->pieces++];
    *piece = (struct piece){heap->next, bytes, 0, false};
    heap->next += bytes + gap;
    return piece;
}

uint64_t heap_allocate(struct warp *warp, uint64_t bytes)
{
    struct machine_heap *heap = warp->run->memory->heap;
    if (!heap || !bytes || bytes > heap->bytes)
        return 0;
    struct machine_memory *memory = warp->run->memory;
    const bool checks = warp->run->check;
    const uint64_t asked = bytes;
    bytes = (bytes + PIECE_ALIGN - 1) & ~(uint64_t)(PIECE_ALIGN - 1);
    lock(heap);
    /* The checker wants what is freed to stay so as long as possible. */
    struct piece *piece = checks ? new_piece(memory, bytes, GAP) : freed_piece(heap, bytes);
    if (!piece)
        piece = checks ? freed_piece(heap, bytes) : new_piece(memory, bytes, 0);
    const uint64_t at = piece ? piece->at : 0;
    if (piece) {
        piece->used = true;
        piece->asked = asked;
    }
    unlock(heap);
    const struct machine_range *range = piece ? machine_memory_find(memory, at) : NULL;
    if (range && range->written)
        written_clear(range->written, at - range->address, bytes);
    if (range && checks)
        check_global_forget(warp->run, range, at - range->address, bytes);
    return at;
}

bool heap_release(struct warp *warp, int lane, uint64_t address)
{
    struct machine_heap *heap = warp->run->memory->heap;
    if (!address)
        return true;
    bool found = false;
    if (heap) {
        lock(heap);
        for (int i = 0; i < heap->pieces && !found; i++) {
            found = heap->piece[i].at == address && heap->piece[i].used;
            heap->piece[i].used &= !found;
        }
        unlock(heap);
    }
    if (!found)
        fault(warp, lane, MACHINE_FAULT_ADDRESS,
              "free of 0x%llx, which malloc in a kernel did not return, or which is freed already",
              (unsigned long long)address);
    return found;
}

bool heap_find(struct machine_memory *memory, uint64_t address, struct heap_piece *piece)
{
    struct machine_heap *heap = memory->heap;
    int low = 0, high;
    lock(heap);
    for (high = heap->pieces; low < high;) { /* the first that begins behind the address */
        const int middle = (low + high) / 2;
        if (heap->piece[middle].at > address)
            high = middle;
        else
            low = middle + 1;
    }
    if (low > 0) {
        const struct piece *found = &heap->piece[low - 1];
        *piece = (struct heap_piece){found->at, found->asked, found->used};
    }
    unlock(heap);
    return low > 0;
}
