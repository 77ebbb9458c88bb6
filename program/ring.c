/* ring.c - the reader's end of rings (ring.h). What the program wrote there may be anything, and may change
 * while it is read: bytes are copied before they are looked at, and counts are checked. */
#define _GNU_SOURCE /* memfd_create, MADV_REMOVE */
#include "program/ring.h"
#include "program/program.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>

enum { RING = RING_HEAD + RING_BYTES };

_Static_assert(sizeof(struct rings) <= RING_HEAD, "the heads have room");

bool rings_make(struct rings_reader *all, struct error *error)
{
    *all = (struct rings_reader){.file = memfd_create("bankscope", MFD_CLOEXEC)};
    void *at = MAP_FAILED;
    if (all->file >= 0 && !ftruncate(all->file, ring_place(RINGS)))
        at = mmap(NULL, RING_HEAD, PROT_READ | PROT_WRITE, MAP_SHARED, all->file, 0);
    if (at != MAP_FAILED) {
        all->rings = at;
        all->rings->reader = (int32_t)getpid();
        return true;
    }
    error_set(error, "cannot share memory with a program: %s (ulimit -f?)", strerror(errno));
    rings_free(all);
    return false;
}

void rings_export(const struct rings_reader *all)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)all->rings->reader, all->file);
    setenv(RECORDS_RING, path, 1);
}

void rings_close(struct rings_reader *all)
{
    __atomic_store_n(&all->rings->closed, 1, __ATOMIC_RELEASE);
}

void rings_counts(const struct rings_reader *all, struct program_exit *end)
{
    end->launches = __atomic_load_n(&all->rings->launches, __ATOMIC_ACQUIRE);
    end->strangers = __atomic_load_n(&all->rings->strangers, __ATOMIC_ACQUIRE);
}

void rings_free(struct rings_reader *all)
{
    if (all->rings)
        munmap(all->rings, RING_HEAD);
    if (all->file >= 0)
        close(all->file);
    *all = (struct rings_reader){.file = -1};
}

bool ring_open(struct ring_reader *reader, const struct rings_reader *all, int number)
{
    const int32_t owner =
        number < RINGS ? __atomic_load_n(&all->rings->owner[number], __ATOMIC_ACQUIRE) : 0;
    *reader = (struct ring_reader){.owner = owner};
    if (owner <= 0)
        return false;
    void *at = mmap(NULL, RING, PROT_READ | PROT_WRITE, MAP_SHARED, all->file, ring_place(number));
    reader->ring = at == MAP_FAILED ? NULL : at;
    reader->damaged = !reader->ring;
    return true;
}

size_t ring_take(struct ring_reader *reader, char *to, size_t room)
{
    struct ring *ring = reader->ring;
    const char *data = (const char *)ring + RING_HEAD;
    uint64_t written = ring ? __atomic_load_n(&ring->written, __ATOMIC_ACQUIRE) : 0;
    if (written - reader->taken > RING_BYTES) /* not by our functions */
        reader->damaged = true;
    if (reader->damaged)
        return 0;
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

uint64_t ring_begun(const struct ring_reader *reader)
{
    return reader->ring ? __atomic_load_n(&reader->ring->begun, __ATOMIC_ACQUIRE) : 0;
}

void ring_end(struct ring_reader *reader)
{
    if (!reader->ring)
        return;
    madvise(reader->ring, RING, MADV_REMOVE); /* it is not used again */
    munmap(reader->ring, RING);
    reader->ring = NULL;
}
