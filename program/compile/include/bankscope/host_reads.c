/* host_reads.c - a part of programs that run --host-reads compiles: what stands before each access of the host's.
 *
 * Compilers call these functions where they are told that a program is to be watched for races (-fsanitize=thread);
 * their library is not linked. Only reads are of interest, and only while there are results that nobody has waited for.
 */
extern unsigned cudaBankscopeResults;
void cudaBankscopeRead(const void *at, unsigned long bytes, const void *caller, int ordered);

#define LOOK(at, bytes, ordered)                                                                   \
    if (__atomic_load_n(&cudaBankscopeResults, __ATOMIC_RELAXED))                                  \
    cudaBankscopeRead((const void *)(at), bytes, __builtin_return_address(0), ordered)
/* A write is of interest only while a launch of another thread runs. */
#define NOTE(at)                                                                                   \
    if (__atomic_load_n(&cudaBankscopeResults, __ATOMIC_RELAXED) >> 31)                            \
    cudaBankscopeRead((const void *)(at), 0, __builtin_return_address(0), 0)
#define READ(name, bytes, ordered)                                                                 \
    void name(void *at);                                                                           \
    void name(void *at)                                                                            \
    {                                                                                              \
        LOOK(at, bytes, ordered);                                                                  \
    }
#define WRITE(name)                                                                                \
    void name(void *at);                                                                           \
    void name(void *at)                                                                            \
    {                                                                                              \
        NOTE(at);                                                                                  \
    }
#define WIDTH(bytes)                                                                               \
    READ(__tsan_read##bytes, bytes, 0)                                                             \
    READ(__tsan_read_write##bytes, bytes, 0)                                                       \
    READ(__tsan_unaligned_read##bytes, bytes, 0)                                                   \
    READ(__tsan_unaligned_read_write##bytes, bytes, 0)                                             \
    READ(__tsan_volatile_read##bytes, bytes, 1)                                                    \
    READ(__tsan_unaligned_volatile_read##bytes, bytes, 1)                                          \
    WRITE(__tsan_write##bytes)                                                                     \
    WRITE(__tsan_unaligned_write##bytes)                                                           \
    WRITE(__tsan_volatile_write##bytes)                                                            \
    WRITE(__tsan_unaligned_volatile_write##bytes)
WIDTH(1)
WIDTH(2)
WIDTH(4)
WIDTH(8)
WIDTH(16)
WRITE(__tsan_func_entry)
WRITE(__tsan_vptr_read)

void __tsan_init(void);
void __tsan_init(void)
{
}
void __tsan_func_exit(void);
void __tsan_func_exit(void)
{
}
void __tsan_vptr_update(void **at, void *value);
void __tsan_vptr_update(void **at, void *value)
{
    (void)value;
    NOTE(at);
}
void __tsan_read_range(void *at, unsigned long bytes);
void __tsan_read_range(void *at, unsigned long bytes)
{
    LOOK(at, bytes, 0);
}
void __tsan_write_range(void *at, unsigned long bytes);
void __tsan_write_range(void *at, unsigned long bytes)
{
    (void)bytes;
    NOTE(at);
}

/* Copies that the compiler knows. */
void *__tsan_memcpy(void *to, const void *from, unsigned long bytes);
void *__tsan_memcpy(void *to, const void *from, unsigned long bytes)
{
    LOOK(from, bytes, 0);
    return __builtin_memcpy(to, from, bytes);
}
void *__tsan_memmove(void *to, const void *from, unsigned long bytes);
void *__tsan_memmove(void *to, const void *from, unsigned long bytes)
{
    LOOK(from, bytes, 0);
    return __builtin_memmove(to, from, bytes);
}
void *__tsan_memset(void *to, int value, unsigned long bytes);
void *__tsan_memset(void *to, int value, unsigned long bytes)
{
    NOTE(to);
    return __builtin_memset(to, value, bytes);
}

/* Atomic operations, which are done here. */
#define CHANGES(type, bits, word)                                                                  \
    type __tsan_atomic##bits##_fetch_##word(volatile type *at, type value, int order);             \
    type __tsan_atomic##bits##_fetch_##word(volatile type *at, type value, int order)              \
    {                                                                                              \
        (void)order;                                                                               \
        LOOK(at, bits / 8, 1);                                                                     \
        return __atomic_fetch_##word(at, value, __ATOMIC_SEQ_CST);                                 \
    }
#define EXCHANGES(type, bits, word)                                                                \
    int __tsan_atomic##bits##_compare_exchange_##word(volatile type *at, type *expected,           \
                                                      type value, int order, int other);           \
    int __tsan_atomic##bits##_compare_exchange_##word(volatile type *at, type *expected,           \
                                                      type value, int order, int other)            \
    {                                                                                              \
        (void)order, (void)other;                                                                  \
        LOOK(at, bits / 8, 1);                                                                     \
        return __atomic_compare_exchange_n(at, expected, value, 0, __ATOMIC_SEQ_CST,               \
                                           __ATOMIC_SEQ_CST);                                      \
    }
#define ATOMIC(type, bits)                                                                         \
    type __tsan_atomic##bits##_load(const volatile type *at, int order);                           \
    type __tsan_atomic##bits##_load(const volatile type *at, int order)                            \
    {                                                                                              \
        (void)order;                                                                               \
        LOOK(at, bits / 8, 1);                                                                     \
        return __atomic_load_n(at, __ATOMIC_SEQ_CST);                                              \
    }                                                                                              \
    void __tsan_atomic##bits##_store(volatile type *at, type value, int order);                    \
    void __tsan_atomic##bits##_store(volatile type *at, type value, int order)                     \
    {                                                                                              \
        (void)order;                                                                               \
        NOTE(at);                                                                                  \
        __atomic_store_n(at, value, __ATOMIC_SEQ_CST);                                             \
    }                                                                                              \
    type __tsan_atomic##bits##_exchange(volatile type *at, type value, int order);                 \
    type __tsan_atomic##bits##_exchange(volatile type *at, type value, int order)                  \
    {                                                                                              \
        (void)order;                                                                               \
        LOOK(at, bits / 8, 1);                                                                     \
        return __atomic_exchange_n(at, value, __ATOMIC_SEQ_CST);                                   \
    }                                                                                              \
    type __tsan_atomic##bits##_compare_exchange_val(volatile type *at, type expected, type value,  \
                                                    int order, int other);                         \
    type __tsan_atomic##bits##_compare_exchange_val(volatile type *at, type expected, type value,  \
                                                    int order, int other)                          \
    {                                                                                              \
        (void)order, (void)other;                                                                  \
        LOOK(at, bits / 8, 1);                                                                     \
        __atomic_compare_exchange_n(at, &expected, value, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);  \
        return expected;                                                                           \
    }                                                                                              \
    EXCHANGES(type, bits, strong)                                                                  \
    EXCHANGES(type, bits, weak)                                                                    \
    CHANGES(type, bits, add)                                                                       \
    CHANGES(type, bits, sub)                                                                       \
    CHANGES(type, bits, and)                                                                       \
    CHANGES(type, bits, or)                                                                        \
    CHANGES(type, bits, xor)                                                                       \
    CHANGES(type, bits, nand)
ATOMIC(unsigned char, 8)
ATOMIC(unsigned short, 16)
ATOMIC(unsigned int, 32)
ATOMIC(unsigned long, 64)

void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_thread_fence(int order)
{
    (void)order;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
void __tsan_atomic_signal_fence(int order);
void __tsan_atomic_signal_fence(int order)
{
    (void)order;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
