/* ring.c - the reader's end of a ring (ring.h). What the program wrote there may be anything, and may change
 * while it is read: bytes are copied before they are looked at, and counts are checked. */
#define _GNU_SOURCE /* memfd_create */
#include "program/ring.h"
#include "program/program.h"

#include <errno.h>
#include <limits.h>

bool ring_make(struct ring_reader *reader, struct error *error)
{
    const size_t bytes = RING_HEAD + (size_t)RING_BYTES;
    *reader = (struct ring_reader){.file = memfd_create("bankscope", MFD_CLOEXEC)};
    void *at = MAP_FAILED;
    if (reader->file >= 0 && !ftruncate(reader->file, (off_t)bytes))
        at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, reader->file, 0);
    if (at != MAP_FAILED) {
        reader->ring = at;
        return true;
    }
    error_set(error, "cannot share memory with a program: %s", strerror(errno));
    ring_free(reader);
    return false;
}

size_t ring_take(struct ring_reader *reader, char *to, size_t room)
{
    struct ring *ring = reader->ring;
    const char *data = (const char *)ring + RING_HEAD;
    uint64_t written = __atomic_load_n(&ring->written, __ATOMIC_ACQUIRE);
    if (written - reader->taken > RING_BYTES) { /* not by our functions */
        reader->damaged = true;
        return 0;
    }
    size_t at = reader->taken % RING_BYTES, count = (size_t)(written - reader->taken);
    count = count < room ? count : room;
    count = count < RING_BYTES - at ? count : RING_BYTES - at;
    memcpy(to, data + at, count);
    reader->taken += count;
    __atomic_store_n(&ring->taken, reader->taken, __ATOMIC_SEQ_CST);
    __atomic_fetch_add(&ring->turn, 1, __ATOMIC_SEQ_CST);
    if (count && __atomic_exchange_n(&ring->waits, 0, __ATOMIC_SEQ_CST))
        syscall(SYS_futex, &ring->turn, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
    return count;
}

void ring_counts(const struct ring_reader *reader, struct program_exit *end)
{
    const struct ring *ring = reader->ring;
    end->launches = __atomic_load_n(&ring->launches, __ATOMIC_ACQUIRE);
    end->strangers = __atomic_load_n(&ring->strangers, __ATOMIC_ACQUIRE);
}

void ring_free(struct ring_reader *reader)
{
    if (reader->ring)
        munmap(reader->ring, RING_HEAD + (size_t)RING_BYTES);
    if (reader->file >= 0)
        close(reader->file);
    *reader = (struct ring_reader){.file = -1};
}
