/* bounds.c - what -fsanitize=bounds calls for an index outside of its array, and -fsanitize=return where a
 * function ends without a value: exercises are compiled with both, so that a student's kernel cannot reach
 * what is not its own, and has no use of what happens to be left in a register. */
#include "hostcuda/engine/engine.h"

/* As the compiler lays it out. */
struct array_type {
    uint16_t kind, info;
    char name[];
};
struct out_of_bounds {
    const char *file;
    uint32_t line, column;
    const struct array_type *array, *index;
};

void __ubsan_handle_out_of_bounds(const struct out_of_bounds *what, intptr_t index);

void __ubsan_handle_out_of_bounds(const struct out_of_bounds *what, intptr_t index)
{
    fault_at(ERROR_LAUNCH_FAILURE, (uintptr_t)__builtin_return_address(0),
             "index %lld is outside of an array of type %s", (long long)index, what->array->name);
}

void __ubsan_handle_missing_return(const void *what) __attribute__((noreturn));

void __ubsan_handle_missing_return(const void *what)
{
    (void)what;
    fault_at(ERROR_LAUNCH_FAILURE, (uintptr_t)__builtin_return_address(0),
             "a function ends without a value");
}
