/* heap.c - malloc and free in kernels. Pieces of one range of memory, made with the launch that first asks
 * for one; it stays until the memory is freed, because a later launch may use what an earlier one made. */
#include "machine/module.h"

#include <string.h>

enum { PIECE_ALIGN = 16 };

/* A piece of the heap, in a table beside it. */
struct piece {
    uint64_t at, bytes;
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
    while (atomic_flag_test_and_set_explicit(&heap->lock, memory_order_acquire))
        ;
}

static void unlock(struct machine_heap *heap)
{
    atomic_flag_clear_explicit(&heap->lock, memory_order_release);
}

bool heap_make(struct machine_memory *memory, uint64_t bytes)
{
    const struct machine_allocator *allocator = &memory->allocator;
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
    *heap = (struct machine_heap){.memory = room, .taken = bytes + 512, .bytes = bytes};
    atomic_flag_clear(&heap->lock);
    memory->heap = heap;
    room += -(uintptr_t)room & 255;
    heap->next = (uintptr_t)room;
    heap->bytes += heap->next; /* the end */
    return machine_memory_add(
        memory,
        &(struct machine_range){
            .address = (uintptr_t)room, .bytes = bytes, .host = room, .kind = MACHINE_HEAP},
        false, &ignored);
}

void heap_free(struct machine_memory *memory)
{
    const struct machine_allocator *allocator = &memory->allocator;
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

/* A piece that was freed and is large enough, or a new one. */
static struct piece *find_piece(struct machine_memory *memory, uint64_t bytes)
{
    struct machine_heap *heap = memory->heap;
    for (int i = 0; i < heap->pieces; i++)
        if (!heap->piece[i].used && heap->piece[i].bytes >= bytes &&
            heap->piece[i].bytes <= 2 * bytes)
            return &heap->piece[i];
    if (heap->bytes - heap->next < bytes)
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
    *piece = (struct piece){heap->next, bytes, false};
    heap->next += bytes;
    return piece;
}

uint64_t heap_allocate(struct warp *warp, uint64_t bytes)
{
    struct machine_heap *heap = warp->run->memory->heap;
    if (!heap || !bytes || bytes > heap->bytes)
        return 0;
    bytes = (bytes + PIECE_ALIGN - 1) & ~(uint64_t)(PIECE_ALIGN - 1);
    lock(heap);
    struct piece *piece = find_piece(warp->run->memory, bytes);
    const uint64_t at = piece ? piece->at : 0;
    if (piece)
        piece->used = true;
    unlock(heap);
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
