/* footprint.h - which bytes of global memory a launch, a copy or a set has touched. */
#ifndef BANKSCOPE_RUNTIME_FOOTPRINT_H
#define BANKSCOPE_RUNTIME_FOOTPRINT_H

#include "program/runtime/runtime.h"

/* Bytes that were touched alike. */
struct extent {
    uint64_t address, bytes;
};
/* By rising addresses. */
struct runtime_footprint {
    struct extent *extent[MACHINE_TOUCHES];
    size_t count[MACHINE_TOUCHES], room[MACHINE_TOUCHES];
    bool partial; /* there is more */
};

/* For machine_touched: context is a footprint. */
void footprint_add(void *context, enum machine_touch touch, uint64_t address, uint64_t bytes);
void footprint_copy(struct runtime_footprint *to, const struct runtime_footprint *from);
/* What is in it, but not itself. */
void footprint_clear(struct runtime_footprint *footprint);
size_t footprint_extents(const struct runtime_footprint *footprint);
bool footprint_is_same(const struct runtime_footprint *a, const struct runtime_footprint *b);
/* Whether it has any of these bytes. */
bool footprint_has(const struct runtime_footprint *footprint, const struct extent *bytes);
/* Whether two works touch the same bytes, at least one of them to store, unless both do so atomically: the first such
 * bytes, and which of them store. */
struct footprint_meeting {
    struct extent bytes;
    bool stores, stored; /* a, b */
};
bool footprint_meets(const struct runtime_footprint *a, const struct runtime_footprint *b,
                     struct footprint_meeting *meeting);
/* "256 bytes from byte 0 of an allocation of 4096 bytes" */
void footprint_say(const struct extent *bytes, char *text, size_t room);

#endif
