/* warp.c - PTX of a warp or block together: barriers, votes, shuffles, matrices.
 *
 * Matrices lie in the registers of a warp as PTX's documentation draws them. With e elements in 32 bits,
 * lane 4 g + t has
 *
 *     A (rows x depth)     rows g and g + 8, elements e t ... of each 4 e of the depth
 *     B (depth x columns)  column g, elements e t ... of each 4 e of the depth
 *     C, D                 rows g and g + 8, columns 2 t and 2 t + 1
 */
#include "hostcuda/ptx/ptx.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- barriers ---------------------------------------------------------------------------------------- */

/* bar.sync 0;  barrier.sync id, threads;  bar.warp.sync mask;  bar.red.popc.u32 d, 0, p; */
static void barrier(struct ptx_run *run, const struct ptx_instruction *in)
{
    if (ptx_has(in, "warp")) {
        uint32_t mask = (uint32_t)ptx_read(run, &in->operand[0], PTX_U32);
        char none = 0, all[WARP];
        exchange_at(mask, &none, sizeof none, all, run->pc);
        return;
    }
    if (ptx_has(in, "red")) {
        ptx_needs(run, in, in->operands == 3 && ptx_read(run, &in->operand[1], PTX_U32) == 0);
        bool yes = ptx_read_predicate(run, &in->operand[2]);
        ptx_write(run, &in->operand[0],
                  (uint64_t)sync_block_at(ptx_has(in, "and")  ? HOSTCUDA_SYNC_AND
                                          : ptx_has(in, "or") ? HOSTCUDA_SYNC_OR
                                                              : HOSTCUDA_SYNC_COUNT,
                                          yes, run->pc));
        return;
    }
    ptx_needs(run, in, ptx_has(in, "sync") && in->operands >= 1);
    int number = (int)ptx_read(run, &in->operand[0], PTX_U32);
    int threads = in->operands > 1 ? (int)ptx_read(run, &in->operand[1], PTX_U32) : 0;
    if (number == 0 && (threads == 0 || threads == worker->threads))
        sync_block_at(HOSTCUDA_SYNC_PLAIN, 0, run->pc);
    else
        sync_named_at(number & 15, threads, run->pc);
}

static void sleep_some(struct ptx_run *run, const struct ptx_instruction *in)
{
    (void)in;
    yield_at(run->pc);
}

/* ---- votes, shuffles, match, reduce -------------------------------------------------------------------- */

static void active(struct ptx_run *run, const struct ptx_instruction *in)
{
    ptx_write(run, &in->operand[0], active_at(run->pc));
}

static void vote(struct ptx_run *run, const struct ptx_instruction *in)
{
    ptx_needs(run, in, in->operands >= 2);
    bool sync = ptx_has(in, "sync");
    ptx_needs(run, in, !sync || in->operands == 3);
    uint32_t mask = sync ? (uint32_t)ptx_read(run, &in->operand[2], PTX_U32) : active_at(run->pc);
    uint8_t yes = ptx_read_predicate(run, &in->operand[1]), all[WARP];
    uint32_t came = exchange_at(mask, &yes, sizeof yes, all, run->pc), said = 0;
    for (int i = 0; i < WARP; i++)
        said |= (uint32_t)(all[i] && came >> i & 1) << i;
    ptx_write(run, &in->operand[0],
              ptx_has(in, "ballot") ? said
              : ptx_has(in, "any")  ? said != 0
              : ptx_has(in, "all")  ? said == came
                                    : said == came || !said);
}

/* shfl.sync.down.b32 d|p, a, by, clamp | segments << 8, mask; without .sync there is no mask. */
static void shuffle(struct ptx_run *run, const struct ptx_instruction *in)
{
    bool sync = ptx_has(in, "sync");
    int first = in->second > 0 ? 2 : 1, lane = (int)hostcuda_lane;
    ptx_needs(run, in, in->operands == first + 3 + sync);
    uint32_t value = (uint32_t)ptx_read(run, &in->operand[first], PTX_U32), all[WARP];
    int by = (int)ptx_read(run, &in->operand[first + 1], PTX_U32) & 31;
    int c = (int)ptx_read(run, &in->operand[first + 2], PTX_U32);
    uint32_t mask =
        sync ? (uint32_t)ptx_read(run, &in->operand[first + 3], PTX_U32) : active_at(run->pc);
    int segments = c >> 8 & 31, most = (lane & segments) | (c & 31 & ~segments);
    int least = lane & segments, source = 0;
    bool inside = false;
    if (ptx_has(in, "up")) {
        source = lane - by;
        inside = source >= most;
    } else if (ptx_has(in, "down")) {
        source = lane + by;
        inside = source <= most;
    } else if (ptx_has(in, "bfly")) {
        source = lane ^ by;
        inside = source <= most;
    } else {
        source = least | (by & ~segments);
        inside = source <= most;
    }
    uint32_t came = exchange_at(mask, &value, sizeof value, all, run->pc);
    source = inside ? source : lane;
    ptx_write(run, &in->operand[0], came >> source & 1 ? all[source] : value);
    if (in->second > 0)
        ptx_write(run, &in->operand[in->second], inside);
}

/* match.any.sync.b32 d, a, mask;  match.all.sync.b32 d|p, a, mask; */
static void match(struct ptx_run *run, const struct ptx_instruction *in)
{
    int first = in->second > 0 ? 2 : 1;
    ptx_needs(run, in, in->operands == first + 2);
    uint64_t value = ptx_read(run, &in->operand[first], in->type), all[WARP];
    uint32_t mask = (uint32_t)ptx_read(run, &in->operand[first + 1], PTX_U32), equal = 0;
    uint32_t came = exchange_at(mask, &value, sizeof value, all, run->pc);
    for (int i = 0; i < WARP; i++)
        equal |= (uint32_t)((came >> i & 1) && all[i] == value) << i;
    bool whole = equal == came;
    ptx_write(run, &in->operand[0], ptx_has(in, "all") && !whole ? 0 : equal);
    if (in->second > 0)
        ptx_write(run, &in->operand[in->second], whole);
}

static void reduce(struct ptx_run *run, const struct ptx_instruction *in)
{
    ptx_needs(run, in, in->operands == 3 && in->type.bits == 32 && in->type.kind != PTX_FLOAT);
    uint64_t value = ptx_read(run, &in->operand[1], in->type), all[WARP];
    uint32_t mask = (uint32_t)ptx_read(run, &in->operand[2], PTX_U32);
    uint32_t came = exchange_at(mask, &value, sizeof value, all, run->pc);
    bool is_signed = in->type.kind == PTX_SIGNED;
    value = all[__builtin_ctz(came)];
    for (int i = __builtin_ctz(came) + 1; i < WARP; i++) {
        uint64_t other = all[i];
        bool less = is_signed ? (int64_t)other < (int64_t)value : other < value;
        if (!(came >> i & 1))
            continue;
        value = ptx_has(in, "add")   ? value + other
                : ptx_has(in, "min") ? (less ? other : value)
                : ptx_has(in, "max") ? (less ? value : other)
                : ptx_has(in, "and") ? (value & other)
                : ptx_has(in, "or")  ? (value | other)
                                     : (value ^ other);
    }
    ptx_write(run, &in->operand[0], value & UINT32_MAX);
}

/* elect.sync d|p, mask: the first lane of the mask. */
static void elect(struct ptx_run *run, const struct ptx_instruction *in)
{
    ptx_needs(run, in, in->second == 1 && in->operands == 3);
    uint32_t mask = (uint32_t)ptx_read(run, &in->operand[2], PTX_U32);
    char none = 0, all[WARP];
    uint32_t came = exchange_at(mask, &none, sizeof none, all, run->pc);
    uint32_t leader = (uint32_t)__builtin_ctz(came);
    ptx_write(run, &in->operand[0], leader);
    ptx_write(run, &in->operand[1], leader == hostcuda_lane);
}

/* ---- ldmatrix, stmatrix, movmatrix ------------------------------------------------------------------- */

enum { ROW_BYTES = 16, ROWS = 8 };

/* How many matrices: .x1, .x2, .x4. */
static int matrices(struct ptx_run *run, const struct ptx_instruction *in)
{
    int count = ptx_has(in, "x4") ? 4 : ptx_has(in, "x2") ? 2 : 1;
    ptx_needs(run, in,
              ptx_has(in, "m8n8") && ptx_has(in, "b16") && in->operands == count + 1 &&
                  (ptx_has(in, "shared") || ptx_has(in, "shared::cta")));
    return count;
}

/* The row whose address this lane gives. */
static char *row_of(struct ptx_run *run, const struct ptx_instruction *in,
                    const struct ptx_operand *operand)
{
    char *at = ptx_shared(run, in, operand, ROW_BYTES);
    if ((uintptr_t)at % ROW_BYTES)
        fault_at(ERROR_MISALIGNED, run->pc,
                 "inline PTX: %s of a row at address 0x%llx, which is not aligned to %d bytes",
                 in->word[0], (unsigned long long)hostcuda_to_shared(at), ROW_BYTES);
    return at;
}

/* What lane `lane` has of a matrix of 8 rows. */
static uint32_t piece(uint16_t matrix[ROWS][8], int lane, bool transposed)
{
    int g = lane / 4, t = lane % 4;
    return transposed ? matrix[2 * t][g] | (uint32_t)matrix[2 * t + 1][g] << 16
                      : matrix[g][2 * t] | (uint32_t)matrix[g][2 * t + 1] << 16;
}

static void load_matrices(struct ptx_run *run, const struct ptx_instruction *in)
{
    int count = matrices(run, in), lane = (int)hostcuda_lane;
    uint16_t mine[8] = {0}, all[WARP][8];
    if (lane < ROWS * count) {
        const char *at = row_of(run, in, &in->operand[count]);
        access_at(HOSTCUDA_MATRIX_LOAD, at, ROW_BYTES, run->pc, false);
        memcpy(mine, at, ROW_BYTES);
    }
    exchange_at(UINT32_MAX, mine, sizeof mine, all, run->pc);
    for (int i = 0; i < count; i++)
        ptx_write(run, &in->operand[i], piece(&all[ROWS * i], lane, ptx_has(in, "trans")));
}

static void store_matrices(struct ptx_run *run, const struct ptx_instruction *in)
{
    int count = matrices(run, in), lane = (int)hostcuda_lane;
    bool transposed = ptx_has(in, "trans");
    uint32_t mine[4] = {0}, all[WARP][4];
    uint16_t values[8];
    for (int i = 0; i < count; i++)
        mine[i] = (uint32_t)ptx_read(run, &in->operand[1 + i], PTX_U32);
    exchange_at(UINT32_MAX, mine, sizeof mine, all, run->pc);
    if (lane >= ROWS * count)
        return;
    int r = lane % ROWS, matrix = lane / ROWS;
    for (int k = 0; k < 8; k++) {
        int from = transposed ? 4 * k + r / 2 : 4 * r + k / 2, half = transposed ? r % 2 : k % 2;
        values[k] = (uint16_t)(all[from][matrix] >> 16 * half);
    }
    char *at = row_of(run, in, &in->operand[0]);
    access_at(HOSTCUDA_MATRIX_STORE, at, ROW_BYTES, run->pc, false);
    memcpy(at, values, ROW_BYTES);
}

static void transpose_matrix(struct ptx_run *run, const struct ptx_instruction *in)
{
    ptx_needs(run, in, in->operands == 2 && ptx_has(in, "trans") && ptx_has(in, "m8n8"));
    uint32_t mine = (uint32_t)ptx_read(run, &in->operand[1], PTX_U32), all[WARP];
    uint16_t matrix[ROWS][8];
    exchange_at(UINT32_MAX, &mine, sizeof mine, all, run->pc);
    for (int i = 0; i < WARP; i++)
        for (int half = 0; half < 2; half++)
            matrix[i / 4][2 * (i % 4) + half] = (uint16_t)(all[i] >> 16 * half);
    ptx_write(run, &in->operand[0], piece(matrix, (int)hostcuda_lane, true));
}

/* ---- mma ----------------------------------------------------------------------------------------------- */

enum { MMA_REGISTERS = 8, MMA_DEPTH = 64, MMA_COLUMNS = 8 };

/* mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32: the types of D, A, B and C are the last words. */
void ptx_read_shape(struct ptx_instruction *in)
{
    static const char *const types[] = {"f16", "bf16", "tf32", "f32", "f64",
                                        "s8",  "u8",   "s4",   "u4",  "s32"};
    struct ptx_shape *shape = &in->shape;
    struct ptx_type *const of[] = {&shape->d, &shape->a, &shape->b, &shape->c};
    bool known = !ptx_has(in, "sp") && ptx_has(in, "row") && ptx_has(in, "col");
    int found = 0;
    for (int i = 1; i < in->words; i++) {
        if (sscanf(in->word[i], "m%dn%dk%d", &shape->rows, &shape->columns, &shape->depth) == 3)
            continue;
        for (size_t k = 0; k < sizeof types / sizeof *types && found < 4; k++)
            if (!strcmp(in->word[i], types[k]))
                ptx_type_of(types[k], of[found++]);
        known = known && strncmp(in->word[i], "kind::", 6);
    }
    known = known && found == 4 && shape->columns == MMA_COLUMNS && shape->depth <= MMA_DEPTH &&
            (shape->rows == 8 || shape->rows == 16) && shape->a.bits == shape->b.bits &&
            shape->c.bits == shape->d.bits && !(shape->rows == 8 && shape->a.bits == 16);
    if (!known)
        shape->depth = 0;
}

/* Registers of a lane: A, B, C or D of so many elements; of halves, bytes, ... several in each. */
static int registers(int elements, struct ptx_type type)
{
    int each = type.bits >= 32 ? 1 : 32 / type.bits;
    return elements / WARP / each;
}

static double element(uint64_t word, int place, struct ptx_type type)
{
    if (type.bits == 64)
        return ptx_to_double(word, type);
    uint32_t bits = (uint32_t)word;
    if (type.bits < 32)
        bits = bits >> place * type.bits & ((UINT32_C(1) << type.bits) - 1);
    if (type.kind == PTX_FLOAT || type.kind == PTX_BRAIN) {
        if (type.tf32)
            bits &= ~UINT32_C(0x1fff);
        return ptx_to_double(bits, type);
    }
    if (type.kind == PTX_SIGNED && bits >> (type.bits - 1) & 1)
        return (double)bits - ldexp(1, type.bits);
    return (double)bits;
}

/* Row i of A and column j of B out of what the lanes handed in: the registers of A, then those of B. */
static void read_row(uint64_t all[WARP][MMA_REGISTERS], const struct ptx_shape *shape, int i,
                     double to[MMA_DEPTH])
{
    int each = shape->a.bits >= 32 ? 1 : 32 / shape->a.bits, half = shape->rows / 8;
    for (int k = 0; k < shape->depth; k++)
        to[k] = element(all[i % 8 * 4 + k / each % 4][k / (4 * each) * half + i / 8], k % each,
                        shape->a);
}

static void read_column(uint64_t all[WARP][MMA_REGISTERS], const struct ptx_shape *shape, int j,
                        int from, double to[MMA_DEPTH])
{
    int each = shape->b.bits >= 32 ? 1 : 32 / shape->b.bits;
    for (int k = 0; k < shape->depth; k++)
        to[k] = element(all[j * 4 + k / each % 4][from + k / (4 * each)], k % each, shape->b);
}

/* Their product, added to c; floats of 32 bits are rounded in each step. */
static double product(const double a[MMA_DEPTH], const double b[MMA_DEPTH],
                      const struct ptx_shape *shape, double c)
{
    double sum = c;
    if (shape->c.bits == 32 && shape->c.kind == PTX_FLOAT)
        for (int k = 0; k < shape->depth; k++)
            sum = (double)(float)(sum + a[k] * b[k]);
    else
        for (int k = 0; k < shape->depth; k++)
            sum += a[k] * b[k];
    return sum;
}

static uint64_t accumulated(double value, struct ptx_type type, bool saturates)
{
    if (type.kind != PTX_SIGNED)
        return ptx_from_double(value, type);
    if (saturates)
        value = fmin(fmax(value, (double)INT32_MIN), (double)INT32_MAX);
    return (uint32_t)(int64_t)value;
}

static void multiply(struct ptx_run *run, const struct ptx_instruction *in)
{
    const struct ptx_shape *shape = &in->shape;
    int cells = shape->rows * shape->columns / WARP;
    ptx_needs(run, in, shape->depth > 0);
    int ds = registers(shape->rows * shape->columns, shape->d);
    int as = registers(shape->rows * shape->depth, shape->a);
    int bs = registers(shape->depth * shape->columns, shape->b);
    ptx_needs(run, in,
              as > 0 && bs > 0 && as + bs <= MMA_REGISTERS && in->operands == 2 * ds + as + bs);
    uint64_t mine[MMA_REGISTERS] = {0}, all[WARP][MMA_REGISTERS], made[4] = {0};
    double row[2][MMA_DEPTH], column[2][MMA_DEPTH];
    for (int i = 0; i < as + bs; i++)
        mine[i] = ptx_read(run, &in->operand[ds + i], PTX_U64);
    exchange_at(UINT32_MAX, mine, sizeof mine, all, run->pc);
    int g = (int)hostcuda_lane / 4, t = (int)hostcuda_lane % 4;
    for (int i = 0; i < 2; i++) {
        if (i < shape->rows / 8)
            read_row(all, shape, g + 8 * i, row[i]);
        read_column(all, shape, 2 * t + i, as, column[i]);
    }
    bool packed = shape->d.bits == 16;
    for (int i = 0; i < cells; i++) {
        int from = packed ? i / 2 : i, place = packed ? i % 2 : 0;
        uint64_t word = ptx_read(run, &in->operand[ds + as + bs + from], PTX_U64);
        double sum = product(row[i / 2], column[i % 2], shape, element(word, place, shape->c));
        made[from] |= accumulated(sum, shape->d, ptx_has(in, "satfinite")) << 16 * place;
    }
    for (int i = 0; i < ds; i++)
        ptx_write(run, &in->operand[i], made[i]);
}

const struct ptx_entry ptx_warp[] = {
    {"bar", barrier, 0},
    {"barrier", barrier, 0},
    {"nanosleep", sleep_some, 0},
    {"activemask", active, 0},
    {"vote", vote, 0},
    {"shfl", shuffle, 0},
    {"match", match, 0},
    {"redux", reduce, 0},
    {"elect", elect, 0},
    {"ldmatrix", load_matrices, 0},
    {"stmatrix", store_matrices, 0},
    {"movmatrix", transpose_matrix, 0},
    {"mma", multiply, 0},
    {NULL, NULL, 0},
};
