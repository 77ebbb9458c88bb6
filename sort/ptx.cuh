/* ptx.cuh - the instructions that C++ has no words for: accesses to shared memory by address, a
 * multiply-add that stays one, barriers of bulk copies. Under `bankscope run`, which executes the sort
 * on the host, plain C++ does the same.
 */
#ifndef BANKSCOPE_SORT_PTX_CUH
#define BANKSCOPE_SORT_PTX_CUH

#include <stdint.h>
#include <string.h>

#ifndef BANKSCOPE_HOST
#define SORT_PTX 1
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define SORT_BULK_COPIES 1
#endif
#endif

namespace bankscope
{

#ifndef SORT_PTX
/* Address 0. As on a GPU, dynamic shared memory begins further on: gather() computes with addresses
 * that are up to a row less than those it reads. */
__device__ __forceinline__ char *shared_window()
{
    extern __shared__ __align__(128) char tile[];
    return tile - 1024;
}
#endif

/* The address of what lies in shared memory: what a loop of gathers computes is an address, not an
 * index. */
__device__ __forceinline__ int shared_address(const void *pointer)
{
#ifdef SORT_PTX
    return (int)__cvta_generic_to_shared(pointer);
#else
    return (int)((const char *)pointer - shared_window());
#endif
}

/* An item of 4, 8 or 16 bytes, in one access. */
template <class Item> __device__ __forceinline__ Item load_shared(int address)
{
    Item item;
#ifndef SORT_PTX
    item = *(const Item *)(shared_window() + address);
#else
    if constexpr (sizeof(Item) == 4) {
        int x;
        asm volatile("ld.shared.b32 %0,[%1];" : "=r"(x) : "r"(address));
        memcpy(&item, &x, 4);
    } else if constexpr (sizeof(Item) == 8) {
        int2 x;
        asm volatile("ld.shared.v2.b32 {%0,%1},[%2];" : "=r"(x.x), "=r"(x.y) : "r"(address));
        memcpy(&item, &x, 8);
    } else {
        int4 x;
        asm volatile("ld.shared.v4.b32 {%0,%1,%2,%3},[%4];"
                     : "=r"(x.x), "=r"(x.y), "=r"(x.z), "=r"(x.w)
                     : "r"(address));
        memcpy(&item, &x, 16);
    }
#endif
    return item;
}

template <class Item> __device__ __forceinline__ void store_shared(int address, const Item &item)
{
#ifndef SORT_PTX
    *(Item *)(shared_window() + address) = item;
#else
    if constexpr (sizeof(Item) == 4) {
        int x;
        memcpy(&x, &item, 4);
        asm volatile("st.shared.b32 [%0],%1;" ::"r"(address), "r"(x) : "memory");
    } else if constexpr (sizeof(Item) == 8) {
        int2 x;
        memcpy(&x, &item, 8);
        asm volatile("st.shared.v2.b32 [%0],{%1,%2};" ::"r"(address), "r"(x.x), "r"(x.y)
                     : "memory");
    } else {
        int4 x;
        memcpy(&x, &item, 16);
        asm volatile("st.shared.v4.b32 [%0],{%1,%2,%3,%4};" ::"r"(address), "r"(x.x), "r"(x.y),
                     "r"(x.z), "r"(x.w)
                     : "memory");
    }
#endif
}

/* a b + c by the multiply-add pipe, whatever the compiler knows of b. */
__device__ __forceinline__ int multiply_add(int a, int b, int c)
{
#ifdef SORT_PTX
    int result;
    asm("mad.lo.s32 %0,%1,%2,%3;" : "=r"(result) : "r"(a), "r"(b), "r"(c));
    return result;
#else
    return (int)((unsigned)a * (unsigned)b + (unsigned)c);
#endif
}

/* bits << count, and 0 for counts of 32 and more. */
__device__ __forceinline__ unsigned shift_left(unsigned bits, int count)
{
#ifdef SORT_PTX
    unsigned result;
    asm("shl.b32 %0,%1,%2;" : "=r"(result) : "r"(bits), "r"(count));
    return result;
#else
    return count < 32 ? bits << count : 0;
#endif
}

/* Two numbers of 16 bits in a word. */
__device__ __forceinline__ unsigned halves(int low, int high)
{
    return ((unsigned)low & 0xffffu) | (unsigned)high << 16;
}

/* Bytes 0 and 1 of two words, and bytes 2 and 3: odd.1 even.1 odd.0 even.0, odd.3 even.3 odd.2 even.2. */
__device__ __forceinline__ unsigned interleave_low(unsigned even, unsigned odd)
{
#ifdef SORT_PTX
    return __byte_perm(even, odd, 0x5140);
#else
    return (even & 0xff) | (odd & 0xff) << 8 | (even & 0xff00) << 8 | (odd & 0xff00) << 16;
#endif
}
__device__ __forceinline__ unsigned interleave_high(unsigned even, unsigned odd)
{
#ifdef SORT_PTX
    return __byte_perm(even, odd, 0x7362);
#else
    return interleave_low(even >> 16, odd >> 16);
#endif
}

/* c + the signed halves of a times bytes 0 and 1 (high: 2 and 3) of b. */
__device__ __forceinline__ int dot(unsigned a, unsigned b, bool high, int c)
{
#ifdef SORT_PTX
    int result;
    if (high)
        asm("dp2a.hi.s32.u32 %0,%1,%2,%3;" : "=r"(result) : "r"(a), "r"(b), "r"(c));
    else
        asm("dp2a.lo.s32.u32 %0,%1,%2,%3;" : "=r"(result) : "r"(a), "r"(b), "r"(c));
    return result;
#else
    b >>= high ? 16 : 0;
    return c + (int)(short)a * (int)(b & 0xff) + ((int)a >> 16) * (int)(b >> 8 & 0xff);
#endif
}

/* Which lanes of a whole warp have a key that is less than theirs of `at`; and a mask: all bits if this
 * lane has. One comparison for both, where the compiler makes two and keeps neither. */
template <class Key>
__device__ __forceinline__ int ballot_less(const Key &key, const Key &at, unsigned &lanes)
{
#ifdef SORT_PTX
    int mask;
    if constexpr (sizeof(Key) == 4)
        asm volatile("{.reg .pred p; setp.lt.s32 p,%2,%3; vote.sync.ballot.b32 %0,p,0xffffffff;"
                     "selp.b32 %1,-1,0,p;}"
                     : "=r"(lanes), "=r"(mask)
                     : "r"(key), "r"(at));
    else
        asm volatile("{.reg .pred p; setp.lt.s64 p,%2,%3; vote.sync.ballot.b32 %0,p,0xffffffff;"
                     "selp.b32 %1,-1,0,p;}"
                     : "=r"(lanes), "=r"(mask)
                     : "l"(key), "l"(at));
    return mask;
#else
    lanes = __ballot_sync(~0u, key < at);
    return key < at ? -1 : 0;
#endif
}

/* 2 node + 1 if a > b, 2 node if not, where b is given as its complement: the carry of a + ~b. */
__device__ __forceinline__ int double_and_carry(int node, unsigned a, unsigned not_b)
{
#ifdef SORT_PTX
    int result;
    asm("{.reg .u32 t; add.cc.u32 t,%1,%2; addc.u32 %0,%3,%3;}"
        : "=r"(result)
        : "r"(a), "r"(not_b), "r"(node));
    return result;
#else
    return 2 * node + (a > ~not_b);
#endif
}
__device__ __forceinline__ int double_and_carry(int node, uint64_t a, uint64_t not_b)
{
#ifdef SORT_PTX
    int result;
    asm("{.reg .u32 t,low,high,a_low,a_high; mov.b64 {low,high},%2; mov.b64 {a_low,a_high},%1;"
        "add.cc.u32 t,a_low,low; addc.cc.u32 t,a_high,high; addc.u32 %0,%3,%3;}"
        : "=r"(result)
        : "l"(a), "l"(not_b), "r"(node));
    return result;
#else
    return 2 * node + (a > ~not_b);
#endif
}

/* Copies an item of 4, 8 or 16 bytes from global to shared memory, and goes on before it is there. */
template <class Item> __device__ __forceinline__ void copy_async(Item *to, const Item *from)
{
#if defined(SORT_PTX) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.ca.shared.global [%0],[%1],%2;" ::"r"(shared_address(to)), "l"(from),
                 "n"((int)sizeof(Item))
                 : "memory");
#else
    *to = *from;
#endif
}

/* Has the compiler compute what follows from x here, and not earlier: an address takes two registers for one. */
__device__ __forceinline__ void compute_here(unsigned &x)
{
#ifdef SORT_PTX
    asm volatile("" : "+r"(x));
#else
    (void)x;
#endif
}

/* Waits for the copies of this thread. */
__device__ __forceinline__ void wait_for_copies()
{
#if defined(SORT_PTX) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

/* The two halves of a word, and c, added up. */
__device__ __forceinline__ unsigned add_halves(unsigned word, unsigned c)
{
#ifdef SORT_PTX
    unsigned result;
    asm("dp2a.lo.u32.u32 %0,%1,%2,%3;" : "=r"(result) : "r"(word), "r"(0x0101), "r"(c));
    return result;
#else
    return c + (word & 0xffff) + (word >> 16);
#endif
}

/* ---- bulk copies ------------------------------------------------------------------------------- */

#ifdef SORT_BULK_COPIES
__device__ __forceinline__ void barrier_init(int barrier)
{
    asm volatile("mbarrier.init.shared.b64 [%0],1;" ::"r"(barrier));
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

__device__ __forceinline__ void barrier_expect(int barrier, int bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _,[%0],%1;" ::"r"(barrier), "r"(bytes)
                 : "memory");
}

__device__ __forceinline__ void barrier_wait(int barrier)
{
    unsigned done = 0;
    while (!done)
        asm volatile("{.reg .pred p;"
                     "mbarrier.try_wait.parity.shared.b64 p,[%1],0;"
                     "selp.u32 %0,1,0,p;}"
                     : "=r"(done)
                     : "r"(barrier)
                     : "memory");
}

/* To shared memory: addresses and size are multiples of 16. */
__device__ __forceinline__ void bulk_copy(int to, const void *from, int bytes, int barrier)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0],[%1],%2,[%3];" ::"r"(to),
                 "l"(from), "r"(bytes), "r"(barrier)
                 : "memory");
}
#endif

} // namespace bankscope
#endif
