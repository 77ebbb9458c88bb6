/* run.c - runs the instructions of an asm statement for one thread. */
#include "hostcuda/ptx/ptx.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* ---- codes that were parsed, by the address of their text -------------------------------------- */

enum { BUCKETS = 1024 };
static struct ptx_code *codes[BUCKETS];

static const struct ptx_code *code_of(const char *text, const struct hostcuda_operand *operand,
                                      int operands, uintptr_t pc)
{
    struct ptx_code **bucket = &codes[((uintptr_t)text * UINT64_C(0x9e3779b97f4a7c15)) >> 54];
    struct ptx_code *first = __atomic_load_n(bucket, __ATOMIC_ACQUIRE);
    for (struct ptx_code *code = first; code; code = code->next)
        if (code->text == text)
            return code;
    struct ptx_code *code = ptx_parse(text, operands, operand);
    if (!code)
        fault_at(ERROR_LAUNCH_FAILURE, pc, "inline PTX: out of memory");
    code->next = first;
    /* Another thread may parse the same: then there are two, which is no harm. */
    while (!__atomic_compare_exchange_n(bucket, &code->next, code, false, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED))
        continue;
    return code;
}

/* ---- operands -------------------------------------------------------------------------------------- */

uint64_t ptx_cut(uint64_t value, int bits, bool is_signed)
{
    if (bits == 0 || bits >= 64)
        return value;
    uint64_t mask = (UINT64_C(1) << bits) - 1;
    value &= mask;
    return is_signed && value >> (bits - 1) ? value | ~mask : value;
}

static uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static unsigned component(struct hostcuda_dim3 of, int i)
{
    return i == 0 ? of.x : i == 1 ? of.y : of.z;
}

static uint64_t special(int number)
{
    unsigned lane = hostcuda_lane;
    if (number < PTX_NTID)
        return component(worker->index[worker->current], number);
    if (number < PTX_CTAID)
        return component(blockDim, number - PTX_NTID);
    if (number < PTX_NCTAID)
        return component(blockIdx, number - PTX_CTAID);
    if (number < PTX_LANEID)
        return component(gridDim, number - PTX_NCTAID);
    switch ((enum ptx_special)number) {
    case PTX_LANEID:
        return lane;
    case PTX_WARPID:
        return hostcuda_thread / WARP;
    case PTX_NWARPID:
        return (uint64_t)worker->warps;
    case PTX_SMID:
        return (uint64_t)worker->number;
    case PTX_NSMID:
        return 16;
    case PTX_GRIDID:
        return worker->launch->number;
    case PTX_CLOCK:
        return (uint32_t)now();
    case PTX_CLOCK64:
    case PTX_GLOBALTIMER:
        return now();
    case PTX_LANEMASK_EQ:
        return UINT32_C(1) << lane;
    case PTX_LANEMASK_LE:
        return (UINT64_C(2) << lane) - 1;
    case PTX_LANEMASK_LT:
        return (UINT64_C(1) << lane) - 1;
    case PTX_LANEMASK_GE:
        return (uint32_t) ~((UINT64_C(1) << lane) - 1);
    case PTX_LANEMASK_GT:
        return (uint32_t) ~((UINT64_C(2) << lane) - 1);
    case PTX_DYNAMIC_BYTES:
    case PTX_SHARED_BYTES:
        return hostcuda_dynamic_bytes;
    default:
        return WARP;
    }
}

/* An immediate that was written as a float, as one of that type. */
static uint64_t float_immediate(uint64_t value, struct ptx_type type)
{
    double number;
    memcpy(&number, &value, sizeof number);
    if (type.bits == 64)
        return value;
    float narrow = (float)number;
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof bits);
    return bits;
}

uint64_t ptx_read(struct ptx_run *run, const struct ptx_operand *operand, struct ptx_type type)
{
    uint64_t value = 0;
    switch (operand->kind) {
    case PTX_OPERAND:
        value = run->input[operand->number];
        break;
    case PTX_REGISTER:
        value = run->reg[operand->number];
        break;
    case PTX_IMMEDIATE:
        value = operand->is_float ? float_immediate(operand->value, type) : operand->value;
        break;
    case PTX_SPECIAL:
        value = special(operand->number);
        break;
    default:
        break;
    }
    return ptx_cut(value, type.bits * (type.lanes ? type.lanes : 1), type.kind == PTX_SIGNED);
}

bool ptx_read_predicate(struct ptx_run *run, const struct ptx_operand *operand)
{
    return (ptx_read(run, operand, PTX_U64) != 0) != operand->not ;
}

/* Registers of the text keep what is wider than the type, extended as the type is. */
void ptx_write(struct ptx_run *run, const struct ptx_operand *operand, uint64_t value)
{
    if (operand->kind == PTX_REGISTER)
        run->reg[operand->number] = value;
    if (operand->kind == PTX_OPERAND)
        run->input[operand->number] = value;
}

void ptx_unknown(struct ptx_run *run, const struct ptx_instruction *instruction)
{
    char name[160] = "";
    for (int i = 0; i < instruction->words; i++)
        snprintf(name + strlen(name), sizeof name - strlen(name), "%s%s", i ? "." : "",
                 instruction->word[i]);
    fault_at(ERROR_LAUNCH_FAILURE, run->pc, "inline PTX: %s does not run on this machine", name);
}

void ptx_needs(struct ptx_run *run, const struct ptx_instruction *instruction, bool enough)
{
    if (!enough)
        ptx_unknown(run, instruction);
}

/* ---- a statement ----------------------------------------------------------------------------------- */

void hostcuda_ptx(const char *text, const struct hostcuda_operand *operand, int operands)
{
    if (!hostcuda_in_kernel)
        hostcuda_missing("inline PTX outside of kernels", "write it in CUDA C++");
    struct ptx_run run = {.pc = (uintptr_t)__builtin_return_address(0)};
    const struct ptx_code *code = code_of(text, operand, operands, run.pc);
    if (code->wrong[0] || operands > (int)(sizeof run.input / sizeof *run.input))
        fault_at(ERROR_LAUNCH_FAILURE, run.pc, "inline PTX: %s",
                 code->wrong[0] ? code->wrong : "it has more than 48 operands");
    for (int i = 0; i < operands; i++)
        run.input[i] = operand[i].value;
    for (int turns = 0; run.next < code->instructions;) {
        const struct ptx_instruction *instruction = &code->instruction[run.next++];
        int next = run.next;
        if (!instruction->guarded || ptx_read_predicate(&run, &instruction->guard))
            instruction->function(&run, instruction);
        if (run.next < next && ++turns % 64 == 0)
            yield_at(run.pc);
    }
    for (int i = 0; i < operands; i++)
        if (operand[i].at)
            memcpy(operand[i].at, &run.input[i], operand[i].bytes);
}
