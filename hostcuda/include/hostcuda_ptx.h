/* hostcuda_ptx.h - asm statements that are PTX, and the addresses that they take.
 *
 * The rewriter (rewrite.c) makes of      asm volatile("add.s32 %0, %1, %2;" : "=r"(c) : "r"(a), "r"(b));
 *                             a call     ::hostcuda::ptx("add.s32 %0, %1, %2;", out(nullptr, "=r", c), ...);
 */
#ifndef HOSTCUDA_PTX_H
#define HOSTCUDA_PTX_H

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace hostcuda
{

/* The bits of a value as those of a register; whole numbers are extended. */
template <typename T> HOSTCUDA_INLINE uint64_t ptx_bits(const T &value)
{
    uint64_t bits = 0;
    if constexpr (std::is_pointer<T>::value) {
        bits = (uint64_t)value;
    } else if constexpr (std::is_integral<T>::value || std::is_enum<T>::value) {
        bits = (uint64_t)(int64_t)value;
    } else if constexpr (std::is_null_pointer<T>::value) {
        bits = 0;
    } else {
        static_assert(sizeof(T) <= 8, "an operand of asm has up to 8 bytes");
        memcpy(&bits, &value, sizeof value);
    }
    return bits;
}

struct ptx_in {
    hostcuda_operand operand;
    __attribute__((always_inline)) void back() const
    {
    }
};
/* What the statement writes goes to the variable afterwards, as the program's own store. */
template <typename T> struct ptx_out {
    T &to;
    std::remove_cv_t<T> value;
    hostcuda_operand operand;
    __attribute__((always_inline)) void back() const
    {
        to = value;
    }
};

template <typename T>
HOSTCUDA_INLINE ptx_in in(const char *name, const char *constraint, const T &value)
{
    return {{constraint, name, nullptr, 0, ptx_bits<std::decay_t<const T>>(value)}};
}
template <typename T>
HOSTCUDA_INLINE ptx_out<T> out(const char *name, const char *constraint, T &to)
{
    ptx_out<T> made = {to, {}, {constraint, name, nullptr, sizeof(T), 0}};
    if (constraint[0] == '+') {
        made.value = to;
        made.operand.value = ptx_bits<std::remove_cv_t<T>>(made.value);
    }
    return made;
}

HOSTCUDA_INLINE void ptx_at(ptx_in &)
{
}
template <typename T> HOSTCUDA_INLINE void ptx_at(ptx_out<T> &out)
{
    out.operand.at = &out.value;
}

template <typename... Operands> HOSTCUDA_INLINE void ptx(const char *text, Operands... operand)
{
    (ptx_at(operand), ...);
    const hostcuda_operand list[sizeof...(operand) + 1] = {operand.operand...};
    hostcuda_ptx(text, list, (int)sizeof...(operand));
    (operand.back(), ...);
}

} // namespace hostcuda

HOSTCUDA_INLINE size_t __cvta_generic_to_shared(const void *at)
{
    return hostcuda_to_shared(at);
}
HOSTCUDA_INLINE void *__cvta_shared_to_generic(size_t address)
{
    return hostcuda_from_shared(address);
}
HOSTCUDA_INLINE size_t __cvta_generic_to_global(const void *at)
{
    return (size_t)at;
}
HOSTCUDA_INLINE void *__cvta_global_to_generic(size_t address)
{
    return (void *)address;
}
HOSTCUDA_INLINE size_t __cvta_generic_to_local(const void *at)
{
    return (size_t)at;
}
HOSTCUDA_INLINE size_t __cvta_generic_to_constant(const void *at)
{
    return (size_t)at;
}
HOSTCUDA_INLINE unsigned __nvvm_get_smem_pointer(const void *at)
{
    return (unsigned)hostcuda_to_shared(at);
}

#endif
