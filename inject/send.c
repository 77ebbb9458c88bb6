/* send.c - sends a launch's records (program/stream.h), block by block, through the ring that bankscope reads. */
#define _GNU_SOURCE
#include "inject/inject.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void send_record(enum record_kind kind, const void *data, size_t bytes)
{
    ring_put(&recorder.ring, kind, data, bytes);
}

/* How far a warp has come in its block. */
struct progress {
    uint32_t phase, round;
};

static void send_access(const struct gpu_record *from, struct progress *at)
{
    static const uint8_t operation[] = {[GPU_LOAD] = OP_LOAD,
                                        [GPU_STORE] = OP_STORE,
                                        [GPU_ATOMIC] = OP_ATOMIC,
                                        [GPU_COPY] = OP_ASYNC_STORE,
                                        [GPU_MATRIX_LOAD] = OP_MATRIX_LOAD,
                                        [GPU_MATRIX_STORE] = OP_MATRIX_STORE};
    if (from->kind == GPU_BARRIER) {
        at->phase++;
        at->round = 0;
        return;
    }
    struct record_access access = {.pc = from->pc + 1,
                                   .mask = from->mask,
                                   .phase = at->phase,
                                   .round = at->round++,
                                   .warp = from->warp,
                                   .operation = operation[from->kind],
                                   .bytes = from->bytes};
    size_t lanes = 0;
    for (int i = 0; i < GPU_LANES; i++)
        if (from->mask >> i & 1)
            access.addr[lanes++] = from->addr[i];
    send_record(RECORD_ACCESS, &access,
                offsetof(struct record_access, addr) + lanes * sizeof access.addr[0]);
}

/* An access to global memory. Of a load of 16 bytes whose last word nobody uses, the sanitizer says 12: they are in
 * the same sector. */
static void send_global(const struct gpu_record *from, const struct gpu_record *high,
                        struct progress *at)
{
    static const uint8_t operation[] = {[GPU_GLOBAL_LOAD] = OP_LOAD,
                                        [GPU_GLOBAL_STORE] = OP_STORE,
                                        [GPU_GLOBAL_ATOMIC] = OP_ATOMIC,
                                        [GPU_GLOBAL_COPY] = OP_ASYNC_LOAD};
    struct record_global access = {.pc = from->pc + 1,
                                   .mask = from->mask,
                                   .phase = at->phase,
                                   .round = at->round++,
                                   .warp = from->warp,
                                   .operation = operation[from->kind],
                                   .bytes = from->bytes == 12 ? 16 : from->bytes};
    size_t lanes = 0;
    for (int i = 0; i < GPU_LANES; i++)
        if (from->mask >> i & 1)
            access.addr[lanes++] = (uint64_t)high->addr[i] << 32 | from->addr[i];
    send_record(RECORD_GLOBAL, &access,
                offsetof(struct record_global, addr) + lanes * sizeof access.addr[0]);
}

static bool is_global(const struct gpu_record *record)
{
    return record->kind >= GPU_GLOBAL_LOAD && record->kind <= GPU_GLOBAL_COPY;
}

/* Records of a launch that are not what patches.cu writes, or are of an access of an unknown width. */
struct amiss {
    uint64_t count;
    struct gpu_record first;
};

/* Whether the reader will take it. */
static bool is_understood(const struct gpu_record *record)
{
    bool width = (record->bytes <= 16 && record->bytes && !(record->bytes & (record->bytes - 1))) ||
                 (is_global(record) && record->bytes == 12);
    return record->mask && record->warp < 1024 / GPU_LANES &&
           (record->kind == GPU_BARRIER || (record->kind < GPU_BARRIER && width) ||
            record->kind == GPU_HIGH);
}

/* Says it with the place in the source, so that the counts are not taken for complete. */
static void send_amiss(const struct amiss *amiss, uint64_t launch)
{
    const struct gpu_record *first = &amiss->first;
    struct record_fault fault = {.launch = launch, .pc = first->pc + 1};
    snprintf(fault.text, sizeof fault.text,
             "%" PRIu64
             " record%s of this GPU not understood, and not counted; the first: kind %d, %d "
             "bytes a lane, lanes 0x%" PRIx32 ", warp %d",
             amiss->count, amiss->count == 1 ? " is" : "s are", first->kind, first->bytes,
             first->mask, first->warp);
    send_record(RECORD_FAULT, &fault, sizeof fault);
}

static uint64_t place_of(const struct gpu_record *record)
{
    return (uint64_t)record->grid << 32 | record->block;
}

uint32_t *order_by_block(const struct gpu_record *record, size_t count)
{
    enum { DIGITS = 1 << 11 };
    uint32_t *order = malloc(2 * (count + 1) * sizeof *order);
    uint64_t last = 0;
    if (!order)
        return NULL;
    uint32_t *from = order, *to = order + count;
    for (size_t i = 0; i < count; i++) {
        from[i] = (uint32_t)i;
        last |= place_of(&record[i]);
    }
    for (int shift = 0; shift < 64 && last >> shift; shift += 11) {
        size_t begin[DIGITS + 1] = {0};
        for (size_t i = 0; i < count; i++)
            begin[(place_of(&record[i]) >> shift) % DIGITS + 1]++;
        for (int i = 0; i < DIGITS; i++)
            begin[i + 1] += begin[i];
        for (size_t i = 0; i < count; i++)
            to[begin[(place_of(&record[from[i]]) >> shift) % DIGITS]++] = from[i];
        uint32_t *sorted = to;
        to = from;
        from = sorted;
    }
    if (from != order)
        memcpy(order, from, count * sizeof *order);
    return order;
}

/* The blocks of one launch, whose `count` records are in this order. */
static void send_blocks(const struct gpu_record *record, const uint32_t *order, size_t count,
                        struct record_launch_end *end, struct amiss *amiss)
{
    struct progress at[GPU_LANES];
    const struct gpu_record *before = NULL;
    for (size_t i = 0; i < count; i++) {
        const struct gpu_record *from = &record[order[i]];
        if (from->kind == GPU_NOTHING)
            continue;
        const struct gpu_record *high =
            is_global(from) && i + 1 < count ? &record[order[i + 1]] : NULL;
        const bool whole = is_global(from) ? high && high->kind == GPU_HIGH && high->pc == from->pc
                                           : from->kind != GPU_HIGH;
        if (!whole || !is_understood(from)) {
            if (!amiss->count++)
                amiss->first = *from;
            continue;
        }
        if (!before || from->block != before->block) {
            struct record_block block = {from->block};
            if (before)
                send_record(RECORD_BLOCK_END, NULL, 0);
            send_record(RECORD_BLOCK, &block, sizeof block);
            memset(at, 0, sizeof at);
            end->recorded_blocks++;
        }
        before = from;
        if (is_global(from)) {
            send_global(from, high, &at[from->warp]);
            i++;
        } else {
            send_access(from, &at[from->warp]);
        }
    }
    if (before)
        send_record(RECORD_BLOCK_END, NULL, 0);
}

static void send_start(const struct running *launch)
{
    const char *code_name = launch->kernel->name;
    struct record_launch start = {.number = launch->number, .process = recorder.ring.process};
    memcpy(start.grid, launch->grid, sizeof start.grid);
    memcpy(start.block, launch->block, sizeof start.block);
    snprintf(start.name, sizeof start.name, "%s", launch->kernel->clear);
    struct record_function function = {
        .module = module_number(launch->module), .pc = launch->pc, .bytes = launch->bytes};
    snprintf(function.name, sizeof function.name, "%s", code_name);
    if (function.pc)
        send_record(RECORD_FUNCTION, &function,
                    offsetof(struct record_function, name) + strlen(function.name) + 1);
    send_record(RECORD_LAUNCH, &start,
                offsetof(struct record_launch, name) + strlen(start.name) + 1);
}

static uint64_t blocks_of(const struct running *launch)
{
    return (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
}

void send_unrecorded(const struct running *launch, uint32_t reason)
{
    struct record_launch_end end = {.blocks = blocks_of(launch), .reason = reason};
    send_start(launch);
    send_record(RECORD_LAUNCH_END, &end, sizeof end);
}

/* How many of so many blocks --blocks chooses. */
static uint64_t chosen_blocks(uint64_t blocks)
{
    uint64_t end = recorder.last_block < blocks ? recorder.last_block + 1 : blocks;
    return end > recorder.first_block ? end - recorder.first_block : 0;
}

void send_launch(const struct running *launch, uint64_t dropped, const struct gpu_record *record,
                 const uint32_t *order, size_t count)
{
    struct record_launch_end end = {.blocks = blocks_of(launch), .dropped = dropped};
    struct amiss amiss = {0};
    send_start(launch);
    if (order) {
        launch->kernel->left -= count < launch->kernel->left ? count : launch->kernel->left;
        send_blocks(record, order, count, &end, &amiss);
        if (amiss.count)
            send_amiss(&amiss, launch->number);
        if (!end.dropped) /* those that touch no shared memory have no records */
            end.recorded_blocks = chosen_blocks(end.blocks);
    } else {
        end.status = 719; /* launch failure */
    }
    end.dropped += amiss.count;
    end.reason = end.recorded_blocks == end.blocks ? RECORD_ALL
                 : end.dropped                     ? RECORD_BUDGET
                                                   : RECORD_ASKED;
    send_record(RECORD_LAUNCH_END, &end, sizeof end);
}
