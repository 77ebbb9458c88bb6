/* ring.h - how records (stream.h) get from the user's program to the bankscope process: through memory that
 * both map, and that the bankscope process made.
 *
 * A record is there as soon as ring_end returns, however the program ends afterwards: by _exit, by a signal,
 * with its descriptors closed. The program waits while the ring is full. Only the process that attached
 * writes, not its children.
 *
 * The writer's functions are static, because they run in the user's program, whose names may be any. The
 * reader (ring.c) is in the bankscope process and trusts nothing of what it finds here.
 */
#ifndef BANKSCOPE_PROGRAM_RING_H
#define BANKSCOPE_PROGRAM_RING_H

#include "program/stream.h"

#include <linux/futex.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    RING_HEAD = 64 << 10, /* bytes in front of the data: a page of any machine */
    RING_BYTES = 1 << 20, /* of data; the largest record is much smaller */
};

/* The head. Counts of bytes are since the beginning. */
struct ring {
    uint64_t written;   /* by the program */
    uint64_t taken;     /* by the reader */
    uint32_t turn;      /* changes with `taken`, for those who wait */
    uint32_t waits;     /* the program waits */
    uint64_t launches;  /* of the program, until now */
    uint32_t claimed;   /* a process writes */
    uint32_t strangers; /* others have launched kernels, too */
};

struct ring_writer {
    pthread_mutex_t lock;
    struct ring *ring; /* NULL: nothing is recorded */
    char *data;        /* mapped twice, so that a record lies in one piece */
    uint64_t at;
    const volatile char *own; /* 1 in this process, 0 in its children */
};
/* What one begins as. */
#define RING_WRITER                                                                                \
    {                                                                                              \
        .lock = PTHREAD_MUTEX_INITIALIZER                                                          \
    }

/* Whether this process writes. */
static inline bool ring_is_open(const struct ring_writer *writer)
{
    return writer->ring && *writer->own;
}

/* Takes the ring that the environment names. Called once, before the program's own code. */
static inline bool ring_attach(struct ring_writer *writer)
{
    const char *text = getenv(RECORDS_RING);
    if (!text || !*text)
        return false;
    int file = atoi(text), both = PROT_READ | PROT_WRITE;
    unsetenv(RECORDS_RING); /* not for programs that this one starts */
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *own = mmap(NULL, page, both, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *at = mmap(NULL, RING_HEAD + 2 * (size_t)RING_BYTES, PROT_NONE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    bool good = own != MAP_FAILED && at != MAP_FAILED && !madvise(own, page, MADV_WIPEONFORK) &&
                mmap(at, RING_HEAD + (size_t)RING_BYTES, both, MAP_SHARED | MAP_FIXED, file, 0) !=
                    MAP_FAILED &&
                mmap(at + RING_HEAD + RING_BYTES, RING_BYTES, both, MAP_SHARED | MAP_FIXED, file,
                     RING_HEAD) != MAP_FAILED;
    close(file);
    if (!good)
        return false;
    writer->own = own;
    writer->data = at + RING_HEAD;
    writer->ring = (struct ring *)(void *)at;
    *own = !__atomic_exchange_n(&writer->ring->claimed, 1, __ATOMIC_SEQ_CST);
    return *own;
}

/* Says how many launches there were, the one that begins included. */
static inline void ring_count(struct ring_writer *writer, uint64_t launches)
{
    if (!writer->ring)
        return;
    if (!ring_is_open(writer)) {
        __atomic_store_n(&writer->ring->strangers, 1, __ATOMIC_RELEASE);
        return;
    }
    __atomic_store_n(&writer->ring->launches, launches, __ATOMIC_RELEASE);
}

/* Waits until there is room for so many bytes. */
static inline void ring_wait(struct ring_writer *writer, size_t bytes)
{
    struct ring *ring = writer->ring;
    const struct timespec moment = {.tv_nsec = 20000000}; /* in case the reader did not see it */
    for (;;) {
        uint32_t turn = __atomic_load_n(&ring->turn, __ATOMIC_SEQ_CST);
        if (writer->at + bytes - __atomic_load_n(&ring->taken, __ATOMIC_SEQ_CST) <= RING_BYTES)
            return;
        __atomic_store_n(&ring->waits, 1, __ATOMIC_SEQ_CST);
        syscall(SYS_futex, &ring->turn, FUTEX_WAIT, turn, &moment, NULL, 0);
    }
}

/* Room for `bytes` bytes of a record of that kind, until ring_end. Only if ring_is_open. */
static inline char *ring_begin(struct ring_writer *writer, enum record_kind kind, size_t bytes)
{
    const struct record_head head = {(uint32_t)kind, (uint32_t)bytes};
    pthread_mutex_lock(&writer->lock);
    ring_wait(writer, sizeof head + bytes);
    char *at = writer->data + writer->at % RING_BYTES;
    memcpy(at, &head, sizeof head);
    writer->at += sizeof head + bytes;
    return at + sizeof head;
}

static inline void ring_end(struct ring_writer *writer)
{
    __atomic_store_n(&writer->ring->written, writer->at, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&writer->lock);
}

/* A whole record; nothing where nothing is recorded. */
static inline void ring_put(struct ring_writer *writer, enum record_kind kind, const void *data,
                            size_t bytes)
{
    if (!ring_is_open(writer))
        return;
    char *at = ring_begin(writer, kind, bytes);
    if (bytes)
        memcpy(at, data, bytes);
    ring_end(writer);
}

#endif
