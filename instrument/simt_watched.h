/* simt_watched.h - what a compiler calls in a user's kernel on the host.
 *
 * A user's kernel is compiled with -fsanitize=thread, which puts a call before each access of
 * memory, and -fsanitize=undefined, which puts one where a program does what C does not define. No
 * sanitizer's library is linked: the linker gives each of these calls another name (--wrap), under
 * which it is here, in this program (watch.c). The calls before accesses pass only an address: an
 * instruction's line is looked up when there is something to report about it.
 */
#ifndef BANKSCOPE_SIMT_WATCHED_H
#define BANKSCOPE_SIMT_WATCHED_H

/* Each CALL(name, bytes, writes) is a function __tsan_NAME(address). */
#define SIMT_ACCESSES(CALL)                                                                        \
    CALL(read1, 1, false)                                                                          \
    CALL(write1, 1, true)                                                                          \
    SIMT_ACCESSES_OF(CALL, 2)                                                                      \
    SIMT_ACCESSES_OF(CALL, 4)                                                                      \
    SIMT_ACCESSES_OF(CALL, 8)                                                                      \
    SIMT_ACCESSES_OF(CALL, 16)
#define SIMT_ACCESSES_OF(CALL, bytes)                                                              \
    CALL(read##bytes, bytes, false)                                                                \
    CALL(write##bytes, bytes, true)                                                                \
    CALL(unaligned_read##bytes, bytes, false)                                                      \
    CALL(unaligned_write##bytes, bytes, true)
/* Others are __tsan_NAME with other arguments. */
#define SIMT_OTHERS(CALL)                                                                          \
    CALL(read_range)                                                                               \
    CALL(write_range)                                                                              \
    CALL(init)                                                                                     \
    CALL(func_entry)                                                                               \
    CALL(func_exit)

/* Each CALL(name, what) is a function __ubsan_handle_NAME(source, ...). */
#define SIMT_UNDEFINED(CALL)                                                                       \
    CALL(add_overflow, "an addition overflows")                                                    \
    CALL(sub_overflow, "a subtraction overflows")                                                  \
    CALL(mul_overflow, "a multiplication overflows")                                               \
    CALL(negate_overflow, "a negation overflows")                                                  \
    CALL(divrem_overflow, "a division by zero, or one that overflows")                             \
    CALL(shift_out_of_bounds, "a shift by too many bits, or of or by a negative number")           \
    CALL(pointer_overflow, "a pointer overflows")                                                  \
    CALL(vla_bound_not_positive, "an array without elements")                                      \
    CALL(load_invalid_value, "a value that its type does not have")                                \
    CALL(builtin_unreachable, "a place that must not be reached")                                  \
    CALL(missing_return, "a function ends without a value")                                        \
    CALL(nonnull_arg, "a null pointer for an argument that must not be one")                       \
    CALL(nonnull_return_v1, "a null pointer for a result that must not be one")                    \
    CALL(invalid_builtin, "a zero whose leading or trailing bits are counted")                     \
    CALL(float_cast_overflow, "a number that does not fit into the type it is cast to")            \
    CALL(function_type_mismatch, "a call of a function by another type")
/* These look at what they get. */
#define SIMT_UNDEFINED_OTHERS(CALL)                                                                \
    CALL(type_mismatch_v1)                                                                         \
    CALL(out_of_bounds)

/* The words for the linker, behind "-Wl". */
#define SIMT_WRAP_TSAN(name) ",--wrap=__tsan_" #name
#define SIMT_WRAP_ACCESS(name, bytes, writes) SIMT_WRAP_TSAN(name)
#define SIMT_WRAP_UBSAN(name) ",--wrap=__ubsan_handle_" #name
#define SIMT_WRAP_WHAT(name, what) SIMT_WRAP_UBSAN(name)
#define SIMT_WRAPS                                                                                 \
    SIMT_ACCESSES(SIMT_WRAP_ACCESS)                                                                \
    SIMT_OTHERS(SIMT_WRAP_TSAN)                                                                    \
    SIMT_UNDEFINED(SIMT_WRAP_WHAT)                                                                 \
    SIMT_UNDEFINED_OTHERS(SIMT_WRAP_UBSAN)

#endif
