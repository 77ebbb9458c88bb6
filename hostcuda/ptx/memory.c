/* memory.c - PTX that accesses memory: loads, stores, atomic operations, asynchronous copies, mbarriers. */
#include "hostcuda/ptx/ptx.h"

#include <string.h>

static bool is_shared(const struct ptx_instruction *in)
{
    return ptx_has(in, "shared") || ptx_has(in, "shared::cta") || ptx_has(in, "shared::cluster");
}

/* The number of operand [a + offset]. */
static uint64_t address_of(struct ptx_run *run, const struct ptx_instruction *in,
                           const struct ptx_operand *operand)
{
    if (!operand->address)
        ptx_unknown(run, in);
    uint64_t value = ptx_read(run, operand, PTX_U64) + (uint64_t)operand->offset;
    return operand->offset_from ? value + run->input[operand->offset_from - 1] : value;
}

char *ptx_shared(struct ptx_run *run, const struct ptx_instruction *in,
                 const struct ptx_operand *operand, size_t bytes)
{
    uint64_t value = address_of(run, in, operand);
    char *at = hostcuda_from_shared(value);
    if (!hostcuda_is_shared(at) || !hostcuda_is_shared(at + bytes - 1))
        fault_at(ERROR_ILLEGAL_ADDRESS, run->pc,
                 "inline PTX: %s of address 0x%llx, which is none of shared memory "
                 "(__cvta_generic_to_shared makes one)",
                 in->word[0], (unsigned long long)value);
    return at;
}

/* Where the operand of a load or store points, in the memory that the opcode says. */
static char *place(struct ptx_run *run, const struct ptx_instruction *in,
                   const struct ptx_operand *operand, size_t bytes)
{
    return is_shared(in) ? ptx_shared(run, in, operand, bytes)
                         : (char *)address_of(run, in, operand);
}

static bool is_relaxed(const struct ptx_instruction *in)
{
    static const char *const words[] = {"volatile", "relaxed", "acquire", "release", "mmio"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (ptx_has(in, words[i]))
            return true;
    return false;
}

static int scope(const struct ptx_instruction *in)
{
    return ptx_has(in, "cta")   ? HOSTCUDA_FENCE_BLOCK
           : ptx_has(in, "sys") ? HOSTCUDA_FENCE_SYSTEM
                                : HOSTCUDA_FENCE_DEVICE;
}

static void load(struct ptx_run *run, const struct ptx_instruction *in)
{
    size_t each = (size_t)in->type.bits * (size_t)in->type.lanes / 8;
    size_t bytes = each * (size_t)in->vector;
    if (in->operands < in->vector + 1 || !each || each > 8 || bytes > 16 || in->lead != in->vector)
        ptx_unknown(run, in);
    const char *at = place(run, in, &in->operand[in->vector], bytes);
    access_at(HOSTCUDA_LOAD, at, bytes, run->pc, is_relaxed(in));
    char values[16];
    memcpy(values, at, bytes);
    for (int i = 0; i < in->vector; i++) {
        uint64_t value = 0;
        memcpy(&value, values + (size_t)i * each, each);
        ptx_write(run, &in->operand[i], ptx_cut(value, (int)each * 8, in->type.kind == PTX_SIGNED));
    }
    if (ptx_has(in, "acquire"))
        hostcuda_fence(scope(in));
}

static void store(struct ptx_run *run, const struct ptx_instruction *in)
{
    size_t each = (size_t)in->type.bits * (size_t)in->type.lanes / 8;
    size_t bytes = each * (size_t)in->vector;
    if (in->operands < in->vector + 1 || !each || each > 8 || bytes > 16)
        ptx_unknown(run, in);
    char *at = place(run, in, &in->operand[0], bytes);
    char values[16];
    for (int i = 0; i < in->vector; i++) {
        uint64_t value = ptx_read(run, &in->operand[1 + i], in->type);
        memcpy(values + (size_t)i * each, &value, each);
    }
    if (ptx_has(in, "release"))
        hostcuda_fence(scope(in));
    access_at(HOSTCUDA_STORE, at, bytes, run->pc, is_relaxed(in));
    memcpy(at, values, bytes);
}

/* ---- atomic operations ------------------------------------------------------------------------------ */

static uint64_t changed(struct ptx_run *run, const struct ptx_instruction *in,
                        const char *operation, uint64_t old, uint64_t b, uint64_t c)
{
    struct ptx_type type = in->type;
    if (type.kind == PTX_FLOAT && !strcmp(operation, "add")) {
        uint64_t sum = 0;
        for (int shift = 0; shift < type.bits * type.lanes; shift += type.bits)
            sum |= ptx_from_double(
                       ptx_to_double(old >> shift, type) + ptx_to_double(b >> shift, type), type)
                   << shift;
        return sum;
    }
    bool is_signed = type.kind == PTX_SIGNED;
    uint64_t a = ptx_cut(old, type.bits * type.lanes, is_signed);
    bool less = is_signed ? (int64_t)b < (int64_t)a : b < a;
    if (!strcmp(operation, "exch"))
        return b;
    if (!strcmp(operation, "add"))
        return a + b;
    if (!strcmp(operation, "and"))
        return a & b;
    if (!strcmp(operation, "or"))
        return a | b;
    if (!strcmp(operation, "xor"))
        return a ^ b;
    if (!strcmp(operation, "min"))
        return less ? b : a;
    if (!strcmp(operation, "max"))
        return less ? a : b;
    if (!strcmp(operation, "inc"))
        return a >= b ? 0 : a + 1;
    if (!strcmp(operation, "dec"))
        return a == 0 || a > b ? b : a - 1;
    if (!strcmp(operation, "cas"))
        return old == b ? c : old;
    ptx_unknown(run, in);
}

static const char *atomic_operation(const struct ptx_instruction *in)
{
    static const char *const names[] = {"add", "exch", "cas", "min", "max",
                                        "and", "or",   "xor", "inc", "dec"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (ptx_has(in, names[i]))
            return names[i];
    return NULL;
}

/* atom.shared.add.u32 d, [a], b;  red.global.max.s32 [a], b; */
static void atomic(struct ptx_run *run, const struct ptx_instruction *in)
{
    const char *operation = atomic_operation(in);
    int first = in->detail; /* operands before the address */
    int bits = in->type.bits * in->type.lanes;
    bool swaps = operation && !strcmp(operation, "cas");
    if (!operation || in->operands < first + 2 + swaps || (bits != 32 && bits != 64) ||
        in->vector > 1 || in->type.kind == PTX_BRAIN)
        ptx_unknown(run, in);
    char *at = place(run, in, &in->operand[first], (size_t)bits / 8);
    uint64_t b = ptx_read(run, &in->operand[first + 1], in->type);
    uint64_t c = swaps ? ptx_read(run, &in->operand[first + 2], in->type) : 0;
    bool ordered = ptx_has(in, "acquire") || ptx_has(in, "release") || ptx_has(in, "acq_rel");
    if (ordered)
        hostcuda_fence(scope(in));
    access_at(swaps ? HOSTCUDA_COMPARE_AND_SWAP : HOSTCUDA_ATOMIC, at, (size_t)bits / 8, run->pc,
              true);
    if (strcmp(operation, "add") && strcmp(operation, "exch"))
        hostcuda_chooses(at);
    uint64_t old, made;
    if (bits == 32) {
        uint32_t was = __atomic_load_n((uint32_t *)(void *)at, __ATOMIC_SEQ_CST);
        do
            made = changed(run, in, operation, was, b, c);
        while (!__atomic_compare_exchange_n((uint32_t *)(void *)at, &was, (uint32_t)made, false,
                                            __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
        old = was;
    } else {
        uint64_t was = __atomic_load_n((uint64_t *)(void *)at, __ATOMIC_SEQ_CST);
        do
            made = changed(run, in, operation, was, b, c);
        while (!__atomic_compare_exchange_n((uint64_t *)(void *)at, &was, made, false,
                                            __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
        old = was;
    }
    if (first)
        ptx_write(run, &in->operand[0], old);
    if (ordered)
        hostcuda_fence(scope(in));
}

static void fence(struct ptx_run *run, const struct ptx_instruction *in)
{
    (void)run;
    hostcuda_fence(scope(in));
}

/* ---- addresses --------------------------------------------------------------------------------------- */

/* cvta.to.shared.u64 d, a: of a pointer;  cvta.shared.u64 d, a: a pointer. */
static void convert_address(struct ptx_run *run, const struct ptx_instruction *in)
{
    if (in->operands != 2)
        ptx_unknown(run, in);
    uint64_t value = ptx_read(run, &in->operand[1], PTX_U64);
    if (is_shared(in))
        value = ptx_has(in, "to") ? hostcuda_to_shared((void *)value)
                                  : (uintptr_t)hostcuda_from_shared(value);
    ptx_write(run, &in->operand[0], value);
}

static void is_in_space(struct ptx_run *run, const struct ptx_instruction *in)
{
    if (in->operands != 2)
        ptx_unknown(run, in);
    const void *at = (void *)ptx_read(run, &in->operand[1], PTX_U64);
    bool shared = hostcuda_is_shared(at), local = hostcuda_is_local(at);
    ptx_write(run, &in->operand[0],
              is_shared(in)          ? shared
              : ptx_has(in, "local") ? local
                                     : !shared && !local && ptx_has(in, "global"));
}

/* A hint for the cache, of which nobody asks what it is. */
static void policy(struct ptx_run *run, const struct ptx_instruction *in)
{
    ptx_write(run, &in->operand[0], 0);
}

/* ---- asynchronous copies, which are done at once ----------------------------------------------------- */

static void copy(struct ptx_run *run, const struct ptx_instruction *in)
{
    static const char *const waits[] = {"commit_group", "wait_group", "wait_all"};
    if (ptx_has(in, "bulk") || ptx_has(in, "mbarrier"))
        ptx_unknown(run, in);
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++)
        if (ptx_has(in, waits[i]))
            return;
    if (in->operands < 3 || (!ptx_has(in, "ca") && !ptx_has(in, "cg")))
        ptx_unknown(run, in);
    size_t bytes = (size_t)ptx_read(run, &in->operand[2], PTX_U32), from_bytes = bytes;
    if (bytes != 4 && bytes != 8 && bytes != 16)
        fault_at(ERROR_LAUNCH_FAILURE, run->pc,
                 "inline PTX: cp.async copies 4, 8 or 16 bytes, not %zu", bytes);
    if (in->operands - ptx_has(in, "L2::cache_hint") > 3)
        from_bytes = (size_t)ptx_read(run, &in->operand[3], PTX_U32);
    from_bytes = from_bytes < bytes ? from_bytes : bytes;
    char *to = ptx_shared(run, in, &in->operand[0], bytes);
    const char *from = (const char *)address_of(run, in, &in->operand[1]);
    if (from_bytes == bytes)
        access_at(HOSTCUDA_LOAD, from, bytes, run->pc, false);
    else
        for (size_t i = 0; i < from_bytes; i++)
            access_at(HOSTCUDA_LOAD, from + i, 1, run->pc, false);
    access_at(HOSTCUDA_ASYNC_STORE, to, bytes, run->pc, false);
    memcpy(to, from, from_bytes);
    memset(to + from_bytes, 0, bytes - from_bytes);
}

/* ---- mbarriers --------------------------------------------------------------------------------------- */

/* What this machine keeps in the 64 bits: who is still to come, how many come to each phase, the phase. */
enum { EXPECTED = 20, PHASE = 40 };
#define COUNT_MASK ((UINT64_C(1) << EXPECTED) - 1)

static uint64_t arrive(uint64_t state, uint64_t count)
{
    uint64_t pending = state & COUNT_MASK;
    if (count < pending)
        return state - count;
    uint64_t expected = state >> EXPECTED & COUNT_MASK;
    return ((state >> PHASE) + 1) << PHASE | expected << EXPECTED | expected;
}

static void mbarrier(struct ptx_run *run, const struct ptx_instruction *in)
{
    bool init = ptx_has(in, "init"), comes = ptx_has(in, "arrive");
    bool waits = ptx_has(in, "try_wait") || ptx_has(in, "test_wait");
    int first = init || ptx_has(in, "inval") ? 0 : 1; /* operands before the address */
    if (ptx_has(in, "expect_tx") || ptx_has(in, "noComplete") || in->operands < first + 1 ||
        !(init || comes || waits || ptx_has(in, "inval")))
        ptx_unknown(run, in);
    uint64_t *at = (uint64_t *)(void *)ptx_shared(run, in, &in->operand[first], 8);
    if (init) {
        uint64_t count = ptx_read(run, &in->operand[1], PTX_U32) & COUNT_MASK;
        __atomic_store_n(at, count << EXPECTED | count, __ATOMIC_SEQ_CST);
    } else if (comes) {
        uint64_t count = in->operands > 2 ? ptx_read(run, &in->operand[2], PTX_U32) : 1;
        uint64_t state = __atomic_load_n(at, __ATOMIC_SEQ_CST);
        hostcuda_fence(HOSTCUDA_FENCE_BLOCK);
        __atomic_store_n(at, arrive(state, count), __ATOMIC_SEQ_CST); /* fibers share a processor */
        worker->changed = true;
        ptx_write(run, &in->operand[0], state);
    } else if (waits) {
        bool parity = ptx_has(in, "parity"), done = false;
        uint64_t asked = ptx_read(run, &in->operand[2], parity ? PTX_U32 : PTX_U64);
        for (int turns = 0; turns < 2 && !done; turns++) {
            if (turns)
                yield_at(run->pc);
            uint64_t phase = __atomic_load_n(at, __ATOMIC_SEQ_CST) >> PHASE;
            done = parity ? (phase & 1) != (asked & 1) : phase != asked >> PHASE;
        }
        hostcuda_fence(HOSTCUDA_FENCE_BLOCK);
        ptx_write(run, &in->operand[0], done);
    }
}

const struct ptx_entry ptx_memory[] = {
    {"ld", load, 0},
    {"ldu", load, 0},
    {"st", store, 0},
    {"atom", atomic, 1},
    {"red", atomic, 0},
    {"membar", fence, 0},
    {"fence", fence, 0},
    {"cvta", convert_address, 0},
    {"isspacep", is_in_space, 0},
    {"createpolicy", policy, 0},
    {"cp", copy, 0},
    {"mbarrier", mbarrier, 0},
    {NULL, NULL, 0},
};
