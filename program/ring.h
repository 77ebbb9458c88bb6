/* ring.h - how records (stream.h) get from the user's program to the bankscope process: through memory that
 * both map, and that the bankscope process made.
 *
 * Each process of the program that uses the GPU has a ring of its own, in one file in memory, which it finds as long as
 * the bankscope process runs. A record is there as soon as ring_put returns, however the process ends afterwards: by
 * _exit, by a signal, with its descriptors closed. A process waits while its ring is full. A copy of it (fork) does not
 * write.
 *
 * The writer's functions are static, because they run in the user's program, whose names may be any. The
 * reader (ring.c) is in the bankscope process and trusts nothing of what it finds here.
 */
#ifndef BANKSCOPE_PROGRAM_RING_H
#define BANKSCOPE_PROGRAM_RING_H

#include "program/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    RING_HEAD = 64 << 10, /* bytes in front of the data, and of all rings: pages of any machine */
    RING_BYTES = 1 << 20, /* of data; the largest record is much smaller */
    RINGS = 1024,         /* processes, those that have ended included */
};

/* The head of the file, RING_HEAD bytes; the rings follow. */
struct rings {
    int32_t reader;     /* the bankscope process */
    uint32_t closed;    /* it reads no more */
    uint64_t launches;  /* of all processes, until now */
    uint32_t processes; /* that have launched kernels */
    uint32_t strangers; /* some of their launches have no ring */
    int32_t
        owner[RINGS]; /* the process that writes into a ring; 0: none, nor into those behind it */
};

/* The head of a ring. Counts of bytes are since the beginning. */
struct ring {
    uint64_t written; /* by the program */
    uint64_t taken;   /* by the reader */
    uint32_t turn;    /* changes with `taken`, for those who wait */
    uint32_t waits;   /* the program waits */
    uint64_t begun;   /* launches that are to be told of */
};

/* Where in the file a ring begins. */
static inline off_t ring_place(int number)
{
    return RING_HEAD + (off_t)number * (RING_HEAD + RING_BYTES);
}

struct ring_writer {
    pthread_mutex_t lock;
    struct rings *rings; /* NULL: nothing is recorded */
    struct ring *ring;
    char *data; /* mapped twice, so that a record lies in one piece */
    uint64_t at;
    uint32_t number, process; /* process: from 0, in the order of their first launches */
    bool launched;
    volatile char *own; /* 1 in this process, 0 in its copies */
};
/* What one begins as. */
#define RING_WRITER                                                                                \
    {                                                                                              \
        .lock = PTHREAD_MUTEX_INITIALIZER                                                          \
    }

/* Whether this process writes. */
static inline bool ring_is_open(const struct ring_writer *writer)
{
    return writer->rings && *writer->own;
}

/* A ring that is this process's from now on; RINGS: all are taken. */
static inline int ring_claim(struct rings *rings)
{
    int number = 0;
    for (int32_t nobody = 0; number < RINGS; number++, nobody = 0)
        if (__atomic_compare_exchange_n(&rings->owner[number], &nobody, (int32_t)getpid(), false,
                                        __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
            break;
    return number;
}

/* Takes a ring of the file that the environment names. Called once, before the program's own code. Returns NULL; or
 * why nothing is recorded, which is empty if nobody wants records. */
static inline const char *ring_attach(struct ring_writer *writer)
{
    const char *path = getenv(RECORDS_RING);
    if (!path || !*path)
        return "";
    const int both = PROT_READ | PROT_WRITE, shared = MAP_SHARED | MAP_FIXED;
    int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0)
        return "the run that records has ended, or its /proc cannot be seen from here";
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *own = mmap(NULL, page, both, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct rings *rings = mmap(NULL, RING_HEAD, both, MAP_SHARED, file, 0);
    char *at = mmap(NULL, RING_HEAD + 2 * (size_t)RING_BYTES, PROT_NONE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    bool good = own != MAP_FAILED && rings != MAP_FAILED && at != MAP_FAILED &&
                !madvise(own, page, MADV_WIPEONFORK);
    int number = good ? ring_claim(rings) : RINGS;
    off_t place = ring_place(number);
    if (good && number == RINGS)
        __atomic_store_n(&rings->strangers, 1, __ATOMIC_RELEASE);
    bool mapped =
        good && number < RINGS &&
        mmap(at, RING_HEAD + (size_t)RING_BYTES, both, shared, file, place) != MAP_FAILED &&
        mmap(at + RING_HEAD + RING_BYTES, RING_BYTES, both, shared, file, place + RING_HEAD) !=
            MAP_FAILED;
    close(file);
    if (!mapped)
        return good && number == RINGS ? "too many processes of the program were recorded before"
                                       : "memory cannot be shared with the run that records";
    writer->own = own;
    writer->data = at + RING_HEAD;
    writer->ring = (struct ring *)(void *)at;
    writer->number = (uint32_t)number;
    *own = 1;
    writer->rings = rings;
    return NULL;
}

/* Counts a launch that begins. Returns its number, among those of all processes. */
static inline uint64_t ring_launch(struct ring_writer *writer)
{
    struct rings *rings = writer->rings;
    if (!ring_is_open(writer)) {
        if (rings)
            __atomic_store_n(&rings->strangers, 1, __ATOMIC_RELEASE);
        return UINT64_MAX;
    }
    if (!writer->launched)
        writer->process = __atomic_fetch_add(&rings->processes, 1, __ATOMIC_RELAXED);
    writer->launched = true;
    return __atomic_fetch_add(&rings->launches, 1, __ATOMIC_RELAXED);
}

/* Whether the next launch of this process may get that number, of whose threads so many are about to launch. */
static inline bool ring_may_launch(const struct ring_writer *writer, uint64_t number, int threads)
{
    const struct rings *rings = writer->rings;
    const uint64_t next = __atomic_load_n(&rings->launches, __ATOMIC_RELAXED);
    const bool several = __atomic_load_n(&rings->owner[1], __ATOMIC_RELAXED);
    return next <= number && (several || number - next <= (uint64_t)threads);
}

/* A launch begins that is to be told of. */
static inline void ring_promise(struct ring_writer *writer)
{
    if (ring_is_open(writer))
        __atomic_fetch_add(&writer->ring->begun, 1, __ATOMIC_RELAXED);
}

/* Whether nobody takes what is written. */
static inline bool ring_is_deserted(const struct rings *rings)
{
    return __atomic_load_n(&rings->closed, __ATOMIC_ACQUIRE) ||
           (kill(rings->reader, 0) && errno == ESRCH);
}

/* Waits until there is room for so many bytes. false: there will be none. */
static inline bool ring_wait(struct ring_writer *writer, size_t bytes)
{
    struct ring *ring = writer->ring;
    const struct timespec moment = {.tv_nsec = 20000000}; /* in case the reader did not see it */
    for (;;) {
        uint32_t turn = __atomic_load_n(&ring->turn, __ATOMIC_SEQ_CST);
        if (writer->at + bytes - __atomic_load_n(&ring->taken, __ATOMIC_SEQ_CST) <= RING_BYTES)
            return true;
        if (ring_is_deserted(writer->rings))
            return false;
        __atomic_store_n(&ring->waits, 1, __ATOMIC_SEQ_CST);
        syscall(SYS_futex, &ring->turn, FUTEX_WAIT, turn, &moment, NULL, 0);
    }
}

/* A whole record; nothing where nothing is recorded. */
static inline void ring_put(struct ring_writer *writer, enum record_kind kind, const void *data,
                            size_t bytes)
{
    const struct record_head head = {(uint32_t)kind, (uint32_t)bytes};
    if (!ring_is_open(writer))
        return;
    pthread_mutex_lock(&writer->lock);
    if (!ring_wait(writer, sizeof head + bytes)) {
        *writer->own = 0;
    } else {
        char *at = writer->data + writer->at % RING_BYTES;
        memcpy(at, &head, sizeof head);
        if (bytes)
            memcpy(at + sizeof head, data, bytes);
        writer->at += sizeof head + bytes;
        __atomic_store_n(&writer->ring->written, writer->at, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&writer->lock);
}

#endif
