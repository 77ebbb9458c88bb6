/* simt_watched.h - what a compiler calls in a user's kernel on the host.
 *
 * A user's kernel is compiled with -fsanitize=thread, which puts a call before each access of
 * memory, and -fsanitize=undefined, which puts one where a program does what C does not define. The
 * functions behind these calls are here, in the user's own object, and call watch.c; no sanitizer's
 * library is linked. The calls before accesses pass only an address: an instruction's line is looked
 * up when there is something to report about it.
 */
#ifndef BANKSCOPE_SIMT_WATCHED_H
#define BANKSCOPE_SIMT_WATCHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- watch.c --------------------------------------------------------------------------------- */

/* A kernel reads or writes memory in the instruction that returns to `after`. */
void simt_host_touch(const void *at, size_t bytes, bool writes, const void *after);

/* A kernel does what C does not define. */
struct simt_source {
    const char *file;
    uint32_t line, column;
};
void simt_host_undefined(const struct simt_source *source, const char *what)
    __attribute__((noreturn));
/* The index of an array: what type it has and its value, or where that is. */
struct simt_type {
    uint16_t kind, info; /* info of an integer: bit 0 signed, above log2 of its bits */
    char name[];
};
void simt_host_bad_index(const struct simt_source *source, const struct simt_type *array,
                         const struct simt_type *index, const void *value)
    __attribute__((noreturn));

#ifdef SIMT_WATCHED
/* ---- what the compiler calls ----------------------------------------------------------------- */

#define SIMT_HOOK __attribute__((no_sanitize("thread"), no_sanitize("undefined"), used))

#define SIMT_TOUCH(name, bytes, writes)                                                            \
    SIMT_HOOK void __tsan_##name(void *at)                                                         \
    {                                                                                              \
        simt_host_touch(at, bytes, writes, __builtin_return_address(0));                           \
    }
#define SIMT_TOUCHES(bytes)                                                                        \
    SIMT_TOUCH(read##bytes, bytes, false)                                                          \
    SIMT_TOUCH(write##bytes, bytes, true)                                                          \
    SIMT_TOUCH(unaligned_read##bytes, bytes, false)                                                \
    SIMT_TOUCH(unaligned_write##bytes, bytes, true)

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wbuiltin-declaration-mismatch"
#endif

SIMT_TOUCH(read1, 1, false)
SIMT_TOUCH(write1, 1, true)
SIMT_TOUCHES(2)
SIMT_TOUCHES(4)
SIMT_TOUCHES(8)
SIMT_TOUCHES(16)
SIMT_HOOK void __tsan_read_range(void *at, size_t bytes)
{
    simt_host_touch(at, bytes, false, __builtin_return_address(0));
}
SIMT_HOOK void __tsan_write_range(void *at, size_t bytes)
{
    simt_host_touch(at, bytes, true, __builtin_return_address(0));
}
SIMT_HOOK void __tsan_init(void)
{
}
SIMT_HOOK void __tsan_func_entry(void *caller)
{
    (void)caller;
}
SIMT_HOOK void __tsan_func_exit(void)
{
}

#define SIMT_UNDEFINED(name, what)                                                                 \
    SIMT_HOOK void __ubsan_handle_##name(void *data, void *a, void *b)                             \
    {                                                                                              \
        (void)a, (void)b;                                                                          \
        simt_host_undefined((const struct simt_source *)data, what);                               \
    }
SIMT_UNDEFINED(add_overflow, "an addition overflows")
SIMT_UNDEFINED(sub_overflow, "a subtraction overflows")
SIMT_UNDEFINED(mul_overflow, "a multiplication overflows")
SIMT_UNDEFINED(negate_overflow, "a negation overflows")
SIMT_UNDEFINED(divrem_overflow, "a division by zero, or one that overflows")
SIMT_UNDEFINED(shift_out_of_bounds, "a shift by too many bits, or of or by a negative number")
SIMT_UNDEFINED(pointer_overflow, "a pointer overflows")
SIMT_UNDEFINED(vla_bound_not_positive, "an array without elements")
SIMT_UNDEFINED(load_invalid_value, "a value that its type does not have")
SIMT_UNDEFINED(builtin_unreachable, "a place that must not be reached")
SIMT_UNDEFINED(missing_return, "a function ends without a value")
SIMT_UNDEFINED(nonnull_arg, "a null pointer for an argument that must not be one")
SIMT_UNDEFINED(nonnull_return_v1, "a null pointer for a result that must not be one")
SIMT_UNDEFINED(invalid_builtin, "a zero whose leading or trailing bits are counted")
SIMT_UNDEFINED(float_cast_overflow, "a number that does not fit into the type it is cast to")
SIMT_UNDEFINED(function_type_mismatch, "a call of a function by another type")

SIMT_HOOK void __ubsan_handle_type_mismatch_v1(void *data, void *pointer)
{
    simt_host_undefined((const struct simt_source *)data,
                        pointer ? "a pointer that is misaligned, or to too small an object"
                                : "the use of a null pointer");
}
SIMT_HOOK void __ubsan_handle_out_of_bounds(void *data, void *index)
{
    const struct simt_bad_index {
        struct simt_source source;
        const struct simt_type *array, *index;
    } *bad = data;
    simt_host_bad_index(&bad->source, bad->array, bad->index, index);
}
#pragma GCC diagnostic pop
#endif
#endif
