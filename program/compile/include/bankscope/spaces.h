/* spaces.h - which memory a generic address is in, and addresses within one memory. By cvta in assembly:
 * a cast of a generic pointer to another address space can crash clang's back end. */
#ifndef BANKSCOPE_SPACES_H
#define BANKSCOPE_SPACES_H

#define BANKSCOPE_SPACE(name, query, word, space)                                                  \
    BANKSCOPE_DEVICE unsigned name(const void *at)                                                 \
    {                                                                                              \
        return __nvvm_isspacep_##query(at);                                                        \
    }                                                                                              \
    BANKSCOPE_DEVICE size_t __cvta_generic_to_##word(const void *at)                               \
    {                                                                                              \
        size_t address;                                                                            \
        __asm__("cvta.to." space ".u64 %0, %1;" : "=l"(address) : "l"(at));                        \
        return address;                                                                            \
    }                                                                                              \
    BANKSCOPE_DEVICE void *__cvta_##word##_to_generic(size_t address)                              \
    {                                                                                              \
        void *at;                                                                                  \
        __asm__("cvta." space ".u64 %0, %1;" : "=l"(at) : "l"(address));                           \
        return at;                                                                                 \
    }
BANKSCOPE_SPACE(__isShared, shared, shared, "shared")
BANKSCOPE_SPACE(__isGlobal, global, global, "global")
BANKSCOPE_SPACE(__isLocal, local, local, "local")
BANKSCOPE_SPACE(__isConstant, const, constant, "const")
#undef BANKSCOPE_SPACE
BANKSCOPE_DEVICE unsigned __isGridConstant(const void *)
{
    return 0;
}
BANKSCOPE_DEVICE unsigned __nvvm_get_smem_pointer(const void *at)
{
    return (unsigned)__cvta_generic_to_shared(at);
}

#endif
