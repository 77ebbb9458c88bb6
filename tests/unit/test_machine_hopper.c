/* test_machine_hopper.c - the kernels of hopper_cases.h on the machine: what they write is what an H100 wrote
 * (tests/data/h100-hopper.tsv, made by tests/gpu/hopper.sh), to the bit.
 *
 *     build/gcc/tests/test_machine_hopper --dump [NAME]      prints it as tests/gpu/hopper.c does
 */
#include "tests/support/hopper_cases.h"
#include "tests/support/run_ptx.h"

struct hopper_run {
    _Alignas(128) uint8_t in[HOPPER_IN];
    _Alignas(128) uint8_t out[HOPPER_OUT];
    _Alignas(128) uint8_t parameters[256];
    char text[HOPPER_TEXT];
    struct machine_outcome outcome;
    struct error error;
    char found[512];
    uint64_t passes[2], conflicts[2]; /* of shared loads, of stores; of matrices, too */
    uint64_t of_warpgroups;           /* passes of what wgmma reads */
    uint64_t of_atomics;              /* passes of shared ones */
};

static void note_fault(void *context, const struct machine_fault *fault)
{
    struct hopper_run *run = context;
    if (!machine_fault_ends(fault->kind))
        snprintf(run->found, sizeof run->found, "%s", fault->text);
}

static bool make_map(struct hopper_run *run, const struct hopper_case *now)
{
    const struct hopper_map *of = &now->map;
    struct machine_tensor tensor = {.type = of->type,
                                    .rank = of->rank,
                                    .address = (uintptr_t)(hopper_stores(now) ? run->out : run->in),
                                    .interleave = of->interleave,
                                    .swizzle = of->swizzle,
                                    .fill = of->fill,
                                    .channels = (uint32_t)of->channels,
                                    .pixels = (uint32_t)of->pixels};
    memcpy(tensor.lower, of->lower, sizeof tensor.lower);
    memcpy(tensor.upper, of->upper, sizeof tensor.upper);
    uint64_t bytes = (uint64_t)of->bytes;
    for (int i = 0; i < of->rank; i++) {
        tensor.size[i] = of->dim[i], tensor.box[i] = of->box[i], tensor.step[i] = of->step[i];
        bytes *= of->dim[i];
        if (i < 4)
            tensor.stride[i] = bytes;
    }
    uint64_t second;
    if (!machine_tensor_encode(&tensor, run->parameters + 64, &run->error))
        return false;
    memcpy(&second, run->parameters + 72, sizeof second);
    second ^= UINT64_C(1) << 21; /* which CUTLASS clears: it means nothing */
    memcpy(run->parameters + 72, &second, sizeof second);
    return true;
}

static void run_kernel(struct hopper_run *run, const struct hopper_case *now,
                       struct machine_module *module)
{
    const struct machine_observer observer = {.context = run, .fault = note_fault};
    const struct machine_launch launch = {
        .kernel = machine_kernel(module, now->name),
        .grid = {now->blocks ? (uint32_t)now->blocks : 1, 1, 1},
        .block = {(uint32_t)hopper_threads(now), 1, 1},
        .cluster = {(uint32_t)now->cluster, now->cluster ? 1 : 0, now->cluster ? 1 : 0},
        .dynamic_shared = HOPPER_IN + 1024,
        .parameters = run->parameters,
        .count = true,
        .check = true,
        .instruction_limit = 100000000,
        .observer = &observer};
    struct machine_run *machine = machine_begin(&launch, &run->error);
    if (!machine)
        return;
    machine_work(machine);
    machine_end(machine, &run->outcome);
    if (!run->outcome.good)
        error_set(&run->error, "%s", run->outcome.fault.text);
    for (int i = 0; i < run->outcome.counts && run->outcome.count; i++) {
        struct machine_access_facts facts;
        machine_kernel_access(launch.kernel, i, &facts);
        const struct machine_count *count = &run->outcome.count[i];
        if (facts.op == OP_WGMMA_LOAD) {
            run->of_warpgroups += count->passes;
            continue;
        }
        run->of_atomics += op_is_atomic(facts.op) && !facts.global ? count->passes : 0;
        const bool loads = facts.op == OP_LOAD || facts.op == OP_MATRIX_LOAD;
        if (facts.global || (!loads && facts.op != OP_STORE && facts.op != OP_MATRIX_STORE))
            continue;
        run->passes[!loads] += count->passes;
        run->conflicts[!loads] += count->conflicts;
    }
    machine_free_run(machine);
}

/* false: run->error says why it did not come to its end. */
static bool run_case(struct hopper_run *run, const struct hopper_case *now)
{
    struct hopper_text text = {run->text, 0};
    memset(run, 0, sizeof *run);
    now->write(&text, now);
    hopper_fill(now, run->in);
    const struct machine_text ptx = {run->text, text.length, now->name};
    struct machine_memory *memory = machine_memory_new(&heap_allocator);
    const uint64_t in = (uintptr_t)run->in, out = (uintptr_t)run->out;
    memcpy(run->parameters, &in, 8);
    memcpy(run->parameters + 8, &out, 8);
    const struct machine_range ranges[] = {{.address = in, .bytes = HOPPER_IN, .host = run->in},
                                           {.address = out, .bytes = HOPPER_OUT, .host = run->out}};
    for (int i = 0; i < 2; i++)
        assert_true(machine_memory_add(memory, &ranges[i], false, &run->error));
    struct machine_module *module = machine_load(memory, &ptx, 1, &run->error);
    if (module && (!now->map.rank || make_map(run, now)))
        run_kernel(run, now, module);
    machine_unload(module);
    machine_memory_free(memory);
    return run->outcome.good;
}

static uint64_t hash_of(const uint8_t *bytes, size_t count)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(1099511628211);
    return hash;
}

static int dump(struct hopper_run *run, const char *name)
{
    for (int i = 0; i < HOPPER_CASES; i++) {
        const struct hopper_case *now = &hopper_cases[i];
        if (name && strcmp(name, now->name))
            continue;
        if (!run_case(run, now)) {
            printf("%s\tfailed: %s\n", now->name, run->error.text);
            continue;
        }
        if (run->found[0])
            fprintf(stderr, "%s: found: %s\n", now->name, run->found);
        printf("%s\t%016llx", now->name, (unsigned long long)hash_of(run->out, HOPPER_OUT));
        for (int k = 0; k < (now->words ? now->words : 4096); k++) {
            uint32_t word;
            memcpy(&word, run->out + 4 * k, 4);
            printf("%c%x", k ? ' ' : '\t', word);
        }
        printf("\n");
    }
    return 0;
}

/* ---- what a GPU wrote ------------------------------------------------------------------------------ */

/* Lines of "name, hash, number of words, the first of them": the case's, or NULL. */
static const char *line_of(const char *table, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = table; at && *at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL)
        if (!strncmp(at, name, length) && at[length] == '\t')
            return at + length + 1;
    return NULL;
}

static char *read_table(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = calloc(1, 4 << 20);
    assert_non_null(file);
    assert_non_null(text);
    text[fread(text, 1, (4 << 20) - 1, file)] = '\0';
    fclose(file);
    return text;
}

static void as_a_gpu(void **state)
{
    struct hopper_run *run = *state;
    char *table = read_table("tests/data/h100-hopper.tsv");
    int compared = 0;
    for (int i = 0; i < HOPPER_CASES; i++) {
        const struct hopper_case *now = &hopper_cases[i];
        const char *line = line_of(table, now->name);
        const bool good = run_case(run, now), is_undefined = now->choice == ANY_BITS;
        const bool stops =
            hopper_stores(now) && now->arg[5] == 1 && (now->arg[0] < 0 || now->arg[1] < 0);
        if (stops)
            assert_non_null(strstr(run->error.text, "must not begin before the tensor"));
        if (is_undefined)
            assert_non_null(strstr(run->error.text, "is no metadata for elements of"));
        if (stops || is_undefined)
            continue;
        if (!good)
            fail_msg("%s: %s", now->name, run->error.text);
        if (run->found[0])
            fail_msg("%s: %s", now->name, run->found);
        if (!line)
            continue;
        char *rest;
        const uint64_t hash = strtoull(line, &rest, 16);
        if (hash == hash_of(run->out, HOPPER_OUT)) {
            compared++;
            continue;
        }
        for (int k = 0; *rest && *rest != '\n'; k++) {
            const uint32_t wanted = (uint32_t)strtoul(rest + 1, &rest, 16);
            uint32_t word;
            memcpy(&word, run->out + 4 * k, 4);
            if (word != wanted)
                fail_msg("%s: word %d is %08x, and was %08x", now->name, k, word, wanted);
        }
        fail_msg("%s: a word behind those in the table differs", now->name);
    }
    free(table);
    assert_int_equal(compared, 217);
}

/* Loads and stores of shared memory, ldmatrix and stmatrix are in the counters of ld and st; what other blocks have, mbarriers
 * and copies are not; what wgmma reads has a counter of its own. */
static void counted_as_on_a_gpu(void **state)
{
    struct hopper_run *run = *state;
    char *table = read_table("tests/data/h100-hopper-counters.tsv");
    int compared = 0;
    for (int i = 0; i < HOPPER_CASES; i++) {
        const struct hopper_case *now = &hopper_cases[i];
        const char *line = line_of(table, now->name);
        unsigned long long passes[2], conflicts[2], of_warpgroups, of_atomics;
        if (!line)
            continue;
        assert_int_equal(sscanf(line, "%llu %llu %llu %llu %llu %*s %*s %*s %*s %llu", &passes[0],
                                &conflicts[0], &passes[1], &conflicts[1], &of_atomics,
                                &of_warpgroups),
                         6);
        assert_true(run_case(run, now));
        if (run->of_atomics != of_atomics)
            fail_msg("%s: atomics make %llu passes, and made %llu", now->name,
                     (unsigned long long)run->of_atomics, of_atomics);
        if (run->of_warpgroups != of_warpgroups)
            fail_msg("%s: wgmma reads in %llu passes, and did in %llu", now->name,
                     (unsigned long long)run->of_warpgroups, of_warpgroups);
        for (int k = 0; k < 2; k++)
            if (run->passes[k] != passes[k] || run->conflicts[k] != conflicts[k])
                fail_msg("%s: %s make %llu passes, %llu of them conflicts, and made %llu and %llu",
                         now->name, k ? "stores" : "loads", (unsigned long long)run->passes[k],
                         (unsigned long long)run->conflicts[k], passes[k], conflicts[k]);
        compared++;
    }
    free(table);
    assert_int_equal(compared, 193);
}

/* ---- what is wrong -------------------------------------------------------------------------------- */

#define PLACE ".shared .align 128 .b8 tile[4096];\n.shared .align 8 .b64 bar;\n"
#define TWO_ARRAYS                                                                                 \
    HEAD PLACE ".visible .entry k(.param .u64 p)\n{\n.reg .pred %p<9>; .reg .b16 %h<9>; .reg "     \
               ".b32 %r<30>; "                                                                     \
               ".reg .b64 %rd<30>; .reg .f32 %f<64>;\n.reg .b32 %t; .reg .b64 %a, %p0;\n"          \
               "ld.param.u64 %p0, [p]; cvta.to.global.u64 %p0, %p0; mov.u32 %t, %tid.x; "          \
               "mad.wide.u32 %a, %t, 4, %p0;\n"

/* ran->word is what the kernel finds. */
static void run_on_words(const char *body, uint32_t threads, uint32_t cluster, struct ran *ran,
                         bool check)
{
    static char text[20000];
    const struct machine_launch launch = {.grid = {cluster ? cluster : 1, 1, 1},
                                          .block = {threads, 1, 1},
                                          .cluster = {cluster, cluster ? 1 : 0, cluster ? 1 : 0},
                                          .check = check,
                                          .instruction_limit = 1000000};
    snprintf(text, sizeof text, "%s%s ret; }\n", TWO_ARRAYS, body);
    run_launch(text, launch, ran);
}

static void run_text(const char *body, uint32_t threads, uint32_t cluster, struct ran *ran,
                     bool check)
{
    memset(ran, 0, sizeof *ran);
    run_on_words(body, threads, cluster, ran, check);
}

static void refuses(const char *body, uint32_t threads, uint32_t cluster, const char *message)
{
    static _Alignas(128) struct ran ran; /* a tensor map may lie in its words */
    run_text(body, threads, cluster, &ran, false);
    if (ran.outcome.good || (!strstr(ran.error.text, message) && !strstr(ran.fault, message)))
        fail_msg("%s: %s%s", body, ran.error.text, ran.fault);
}

/* What the checker told of row i; NULL: nothing. */
static void expect_told(size_t i, const char *told, const struct ran *ran)
{
    if (!ran->outcome.good || (ran->findings > 0) != (told != NULL))
        fail_msg("%zu: %s%s%s", i, ran->error.text, ran->fault, ran->found);
    if (told && !strstr(ran->found, told))
        fail_msg("%zu: %s", i, ran->found);
}

#define INIT "mbarrier.init.shared.b64 [bar], 1; bar.sync 0;\n"
static void misuse_is_told(void **state)
{
    (void)state;
    refuses("mbarrier.arrive.shared.b64 %rd1, [bar];", 1, 0, "there is no mbarrier at byte");
    refuses("mbarrier.init.shared.b64 [bar], 0;", 1, 0, "for 1 to 1048575 threads, not 0");
    refuses(INIT "mbarrier.arrive.shared.b64 %rd1, [bar], 2;", 1, 0,
            "2 threads arrive at an mbarrier that expects 1 more");
    refuses(INIT "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%p0], "
                 "24, [bar];",
            1, 0, "a bulk copy of 24 bytes, which is no multiple of 16");
    refuses(INIT "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile+8], "
                 "[%p0], 32, [bar];",
            1, 0, "not a multiple of 16");
    refuses(INIT "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%p0], "
                 "4096, [bar];",
            1, 0, "a load of 4096 bytes");
    refuses(INIT "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[tile], [%p0, {%r1}], "
                 "[bar];",
            1, 0, "this is no tensor map");
    /* One that looks like a map, of a row of 16 KB. */
    refuses(
        INIT
        "mov.u64 %rd1, 0x70616d726f736e74; st.global.u64 [%p0], %rd1; st.global.u64 [%p0+8], "
        "%p0; mov.u64 %rd1, 0; st.global.u64 [%p0+16], %rd1; st.global.u64 [%p0+24], %rd1; "
        "st.global.u64 [%p0+32], %rd1; st.global.u64 [%p0+40], %rd1; st.global.u64 [%p0+48], "
        "%rd1; st.global.u64 [%p0+56], %rd1; st.global.u64 [%p0+64], %rd1; st.global.u64 "
        "[%p0+72], %rd1; st.global.u64 [%p0+80], %rd1; st.global.u64 [%p0+88], %rd1; st.global.u64 "
        "[%p0+96], %rd1; st.global.u64 [%p0+16], %p0; "
        "mov.u16 %h1, 4096; st.global.u16 [%p0+76], %h1; mov.u16 %h1, 1; st.global.u8 [%p0+86], "
        "%h1; st.global.u8 [%p0+91], %h1; mov.u16 %h1, 2; st.global.u8 [%p0+92], %h1; mov.u32 "
        "%r1, 0;\n"
        "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes "
        "[tile], [%p0, {%r1}], [bar];",
        1, 0, "a box has 1 to 256 elements in dimension 0, not 4096");
    refuses("mov.b32 %r1, 7; st.shared.b32 [tile], %r1; "
            "tensormap.replace.tile.rank.shared::cta.b1024.b32 [tile], 1;",
            1, 0, "there is no tensor map to change");
#define REPLACE_IN(rest) "tensormap.replace.tile." rest ";"
    refuses(REPLACE_IN("rank.shared::cta.b1024.b32 tile, 1"), 1, 0, "an address in brackets");
    refuses(REPLACE_IN("box_dim.shared::cta.b1024.b32 [tile], %r1, 4"), 1, 0,
            "a number is expected as operand");
    refuses(REPLACE_IN("box_dim.shared::cta.b1024.b32 [tile], 5, 4"), 1, 0,
            "there is no such dimension");
    refuses(REPLACE_IN("box_dim.shared::cta.b1024.b32 [tile], -1, 4"), 1, 0,
            "there is no such dimension");
    refuses(REPLACE_IN("global_stride.shared::cta.b1024.b64 [tile], 4, 64"), 1, 0,
            "there is no such dimension");
    refuses(REPLACE_IN("rank.shared::cta.b1024.b32 [tile], %p1"), 1, 0,
            "a plain register is expected");
    refuses("mov.u32 %r1, tile; mapa.shared::cluster.u32 %r2, %r1, 2;", 1, 2,
            "there is no block 2 in a cluster of 2");
    static struct ran ran;
    run_text("mov.u32 %r1, tile; mov.u32 %r3, 2; mapa.shared::cluster.u32 %r2, %r1, %r3;\n"
             "st.global.u32 [%p0], 7;",
             1, 2, &ran, false);
    assert_non_null(strstr(ran.fault, "there is no block 2"));
    assert_int_equal(ran.word[0], 0); /* what is behind it is not executed */
    refuses("barrier.cluster.wait;", 32, 2,
            "barrier.cluster.wait without a barrier.cluster.arrive");
    refuses("mov.u32 %r1, %warpid; setp.eq.u32 %p1, %r1, 0; @%p1 bar.sync 1, 64; "
            "barrier.cluster.arrive; "
            "barrier.cluster.wait;",
            64, 2, "deadlock: 32 of 64 threads wait at barrier 1, to which the others do not come");
    refuses("mov.u32 %r1, %warpid; setp.eq.u32 %p1, %r1, 1; @%p1 bar.sync 1, 64; "
            "barrier.cluster.arrive; barrier.cluster.wait;",
            64, 2, "threads wait at the barrier of the cluster");
    refuses("wgmma.fence.sync.aligned; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, "
            "%f2, %f3, %f4}, %rd1, "
            "%rd2, 0, 1, 1, 0, 0;",
            32, 0, "wgmma needs groups of four warps");
    refuses("wgmma.mma_async.sync.aligned.m64n8k8.f32.f16.f16 {%f1, %f2, %f3, %f4}, %rd1, %rd2, 0, "
            "1, 1, 0, 0;",
            128, 0, "a product of this shape or type is not known");
    refuses("wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {%f1, %f2, %f3, %f4}, %rd1, %rd2, "
            "0, 1, 1, 1, 0;",
            128, 0, "only matrices of 16 bits can be turned");
#define MMA_SP "mma.sp::ordered_metadata.sync.aligned."
    refuses(MMA_SP "m16n8k32.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, "
                   "{%r5, %r6, %r7, "
                   "%r8}, {%f1, %f2, %f3, %f4}, %r9, 2;",
            32, 0, "there are no such lanes with metadata");
    refuses(MMA_SP "m16n8k8.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1}, {%r5}, {%f1, %f2, "
                   "%f3, %f4}, %r9, 0;",
            32, 0, "a product of this shape or type is not known");
    refuses("multimem.ld_reduce.global.add.u32 %r1, [%p0];", 1, 0, "this instruction is not known");
    refuses("redux.sync.min.f32 %f1, %f2, 0xffffffff;", 32, 0, "this instruction is not known");
}

#define INIT_BY(thread, count)                                                                     \
    "setp.ne.u32 %p3, %t, " thread "; @%p3 bra MADE; mbarrier.init.shared.b64 [bar], " count       \
    "; MADE: bar.sync 0;\n"
#define BULK_COPY(to)                                                                              \
    "mbarrier.arrive.expect_tx.shared.b64 _, [bar], 256;\n"                                        \
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [" to                       \
    "], [%p0], 256, [bar];\n"
#define WAIT "WAIT: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0; @!%p2 bra WAIT;\n"
#define OWN_WORD "mov.u32 %r1, tile; mad.lo.u32 %r1, %t, 4, %r1;\n"
static void a_copy_is_waited_for(void **state)
{
    static const struct {
        uint32_t threads;
        const char *body, *told;
    } rows[] = {
        {32,
         INIT_BY("0", "1") "@%p3 bra OVER;" BULK_COPY(
             "tile") "OVER:" OWN_WORD WAIT "ld.shared.u32 %r2, [%r1]; st.global.u32 [%a], %r2;",
         NULL},
        /* By another warp than the first one. */
        {64,
         INIT_BY("32", "1") "@%p3 bra OVER;" BULK_COPY(
             "tile") "OVER:" OWN_WORD WAIT "ld.shared.u32 %r2, [%r1]; st.global.u32 [%a], %r2;",
         NULL},
        {32,
         INIT_BY("0", "1") "@%p3 bra OVER;" BULK_COPY(
             "tile") "OVER: bar.sync 0;" OWN_WORD
                     "ld.shared.u32 %r2, [%r1]; st.global.u32 [%a], %r2;",
         "copy"},
        /* Two, with an mbarrier each. */
        {32,
         INIT_BY(
             "0",
             "1") "@%p3 bra NEXT; mbarrier.init.shared.b64 [tile+2048], 1; NEXT: bar.sync "
                  "0; @%p3 bra OVER;" BULK_COPY(
                      "tile") "mbarrier.arrive.expect_tx.shared.b64 _, [tile+2048], 256;\n"
                              "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                              "[tile+256], [%p0], 256, [tile+2048]; OVER:" OWN_WORD WAIT
                              "AGAIN: mbarrier.try_wait.parity.shared.b64 %p2, [tile+2048], 0; "
                              "@!%p2 bra "
                              "AGAIN;\nld.shared.u32 %r2, [%r1]; st.global.u32 [%a], %r2; "
                              "ld.shared.u32 "
                              "%r2, [%r1+256]; st.global.u32 [%a+256], %r2;",
         NULL},
        /* A second one, whose phase is not over: that the first one's is says nothing of it. */
        {32,
         INIT_BY("0", "2") "@%p3 bra OVER; mbarrier.arrive.shared.b64 _, [bar];" BULK_COPY(
             "tile") "OVER:" OWN_WORD WAIT
                     "bar.sync 0; @%p3 bra BEHIND;" BULK_COPY(
                         "tile+256") "BEHIND: bar.sync 0;\n"
                                     "AGAIN: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0; "
                                     "@!%p2 bra AGAIN;\n"
                                     "ld.shared.u32 %r2, [%r1+256]; st.global.u32 [%a], %r2;",
         "copy"},
    };
    static struct ran ran;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        run_text(rows[i].body, rows[i].threads, 0, &ran, true);
        expect_told(i, rows[i].told, &ran);
    }
}

#define STORE "mov.u32 %r1, tile; mad.lo.u32 %r1, %t, 4, %r1; st.shared.u32 [%r1], %t;\n"
#define FENCE "fence.proxy.async.shared::cta;\n"
#define BY_ONE "setp.ne.u32 %p1, %t, 0; @%p1 bra END;\n"
#define COPY_OUT                                                                                   \
    "cp.async.bulk.global.shared::cta.bulk_group [%p0], [tile], 512; cp.async.bulk.commit_group; " \
    "cp.async.bulk.wait_group 0; END:\n"
/* A product of what lies in the first bytes of tile. */
#define PRODUCT                                                                                    \
    "mov.u32 %r2, tile; shr.u32 %r2, %r2, 4; cvt.u64.u32 %rd1, %r2; wgmma.fence.sync.aligned; "    \
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, {%r3, %r4, %r5, "     \
    "%r6}, %rd1, 0, 1, 1, 0; wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n"

#define LATER                                                                                      \
    "{ mov.u32 %r9, 0; AGAIN: add.u32 %r9, %r9, 1; setp.lt.u32 %p3, %r9, 50; @%p3 bra AGAIN; }\n"
#define OF_WARP(number, before, code)                                                              \
    "{ shr.u32 %r8, %t, 5; setp.ne.u32 %p2, %r8, " number "; @%p2 bra NOT;\n" before code "NOT: "  \
    "}\n"

#define UNFENCED "no fence.proxy.async"
static void stores_are_fenced(void **state)
{
    static const struct {
        const char *body, *told;
    } rows[] = {
        {STORE "bar.sync 0;\n" BY_ONE COPY_OUT, UNFENCED},
        {STORE FENCE "bar.sync 0;\n" BY_ONE COPY_OUT, NULL},
        {FENCE STORE "bar.sync 0;\n" BY_ONE COPY_OUT, UNFENCED},
        {STORE "bar.sync 0;\n" BY_ONE FENCE COPY_OUT, NULL},
        {STORE "fence.acq_rel.cta; bar.sync 0;\n" BY_ONE COPY_OUT, UNFENCED},
        /* One warp of four fences before the others, and a warp behind the barrier for all. */
        {"setp.lt.u32 %p2, %t, 96; @%p2 bra NONE;\n" FENCE "NONE:\n" STORE
         "bar.sync 0;\n" BY_ONE COPY_OUT,
         UNFENCED},
        {STORE "bar.sync 0; setp.lt.u32 %p2, %t, 96; @%p2 bra NONE;\n" FENCE
               "NONE: bar.sync 0;\n" BY_ONE COPY_OUT,
         NULL},
        /* All but one, whose word is neither the first nor the last of those that are read; and one behind those. */
        {STORE "setp.eq.u32 %p2, %t, 37; @%p2 bra NONE;\n" FENCE
               "NONE: bar.sync 0;\n" BY_ONE COPY_OUT,
         NULL}, /* a fence is its warp's */
        {STORE FENCE "bar.sync 0; setp.ne.u32 %p2, %t, 37; @%p2 bra NONE;\n" STORE
                     "NONE: bar.sync 0;\n" BY_ONE COPY_OUT,
         UNFENCED},
        {STORE "st.shared.u32 [%r1+512], %t;\n" FENCE
               "bar.sync 0; st.shared.u32 [%r1], %t; bar.sync 0;\n" BY_ONE
               "cp.async.bulk.global.shared::cta.bulk_group [%p0], [tile+512], 512; "
               "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; END:\n",
         NULL},
        /* A warp stores behind the barrier, another one fences then, and a third one reads. */
        {OF_WARP("1", "", STORE) OF_WARP(
             "0", LATER, FENCE) "bar.sync 0; setp.ne.u32 %p1, %t, 64; @%p1 bra END;\n" COPY_OUT,
         UNFENCED},
        /* The reader's warp fences, and then another one stores. */
        {OF_WARP("0", "", FENCE) OF_WARP("1", LATER, STORE) "bar.sync 0;\n" BY_ONE COPY_OUT,
         UNFENCED},
        {STORE "bar.sync 0;\n" PRODUCT, UNFENCED},
        {STORE FENCE "bar.sync 0;\n" PRODUCT, NULL},
        {STORE FENCE "bar.sync 0;\n" PRODUCT "bar.sync 0;\n" STORE "bar.sync 0;\n" PRODUCT,
         UNFENCED},
        /* What copies wrote, of either kind. */
        {"mov.u32 %r1, tile; mad.lo.u32 %r1, %t, 4, %r1; cp.async.ca.shared.global [%r1], [%a], 4; "
         "cp.async.wait_all; bar.sync 0;\n" PRODUCT,
         NULL},
    };
    static struct ran ran;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        run_text(rows[i].body, 128, 0, &ran, true);
        expect_told(i, rows[i].told, &ran);
        if (i == 0) /* of 128 words, which one thread copies 128 bytes at a time */
            assert_int_equal(ran.times, 4);
    }
    /* A copy that nobody has waited for needs no fence either: it is read too early. */
    run_text(
        "mov.u32 %r1, tile; mad.lo.u32 %r1, %t, 4, %r1; cp.async.ca.shared.global [%r1], [%a], 4;\n"
        "bar.sync 0;\n" PRODUCT "cp.async.wait_all;\n",
        128, 0, &ran, true);
    assert_int_equal(ran.findings, 1);
    assert_non_null(strstr(ran.found, "copy"));
    assert_null(strstr(ran.found, UNFENCED));
}

#define ADDRESS "mov.u32 %r1, tile; mad.lo.u32 %r1, %t, 4, %r1;\n"
#define STORE_AGAIN "add.u32 %r7, %t, 1; st.shared.u32 [%r1], %r7;\n"
#define BEGUN                                                                                      \
    "mov.u32 %r2, tile; shr.u32 %r2, %r2, 4; cvt.u64.u32 %rd1, %r2; wgmma.fence.sync.aligned; "    \
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, {%r3, %r4, %r5, "     \
    "%r6}, %rd1, 0, 1, 1, 0;\n"
#define COMMIT "wgmma.commit_group.sync.aligned;\n"
#define WAIT_FOR(left) "wgmma.wait_group.sync.aligned " left ";\n"
#define COPY_BEGUN                                                                                 \
    "setp.ne.u32 %p1, %t, 0; @%p1 bra BEGUN;\n"                                                    \
    "cp.async.bulk.global.shared::cta.bulk_group [%p0], [tile], 512; "                             \
    "cp.async.bulk.commit_group;\n"                                                                \
    "BEGUN:\n"
#define COPY_READ "@%p1 bra READ; cp.async.bulk.wait_group.read 0; READ:\n"
/* The first four warps multiply, and one that is behind them stores to B when it has seen them arrive. */
#define BY_ROLES(product)                                                                          \
    "setp.ge.u32 %p4, %t, 128; @%p4 bra MADE;\n" STORE FENCE                                       \
    "MADE: setp.ne.u32 %p3, %t, 0; @%p3 bra INIT; mbarrier.init.shared.b64 [bar], 1;\n"            \
    "INIT: bar.sync 0; @%p4 bra STORES;\n" BEGUN COMMIT product "bra OVER;\n"                      \
    "STORES: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0; @!%p2 bra STORES;\n"               \
    "mov.u32 %r1, tile; sub.u32 %r2, %t, 128; mad.lo.u32 %r1, %r2, 4, %r1;\n" STORE_AGAIN          \
    "OVER:\n"
#define ARRIVE "@!%p3 mbarrier.arrive.shared.b64 %rd2, [bar];\n"

/* What wgmma and copies to global memory read may be overwritten when they have read it. */
static void late_reads_are_over(void **state)
{
    static const struct {
        uint32_t threads;
        const char *body, *told; /* NULL: nothing */
    } rows[] = {
        {128, STORE FENCE "bar.sync 0;\n" BEGUN COMMIT WAIT_FOR("0") "bar.sync 0;\n" STORE_AGAIN,
         NULL},
        {128, STORE FENCE "bar.sync 0;\n" BEGUN COMMIT "bar.sync 0;\n" STORE_AGAIN WAIT_FOR("0"),
         "may still read"},
        {128, STORE FENCE "bar.sync 0;\n" BEGUN WAIT_FOR("0") "bar.sync 0;\n" STORE_AGAIN COMMIT,
         "has not waited"}, /* of no group */
        {128, STORE FENCE "bar.sync 0;\n" BEGUN COMMIT WAIT_FOR("1") "bar.sync 0;\n" STORE_AGAIN,
         "has not waited"},
        {128,
         STORE FENCE
         "bar.sync 0;\n" BEGUN COMMIT BEGUN COMMIT WAIT_FOR("1") "bar.sync 0;\n" STORE_AGAIN,
         "has not waited"},
        {128,
         STORE FENCE "bar.sync 0;\n" BEGUN COMMIT COMMIT WAIT_FOR("1") "bar.sync 0;\n" STORE_AGAIN,
         NULL},
        {128, STORE FENCE "bar.sync 0;\n" BEGUN COMMIT WAIT_FOR("0") ADDRESS STORE_AGAIN,
         NULL}, /* over for one of four warps, over for all */
        {128,
         STORE FENCE "bar.sync 0;\n" BEGUN COMMIT
                     "setp.lt.u32 %p4, %t, 96; @%p4 bra MEETS;\n" WAIT_FOR("0") ADDRESS
         "sub.u32 %r1, %r1, 384;\n" STORE_AGAIN "MEETS: bar.sync 0;\n" WAIT_FOR("0"),
         NULL}, /* for the last of them */
        {128, STORE FENCE "bar.sync 0;\n" BEGUN COMMIT WAIT_FOR("2") "bar.sync 0;\n" STORE_AGAIN,
         "has not waited"},
        {128,
         STORE FENCE "bar.sync 0;\n" BEGUN COMMIT BEGUN COMMIT WAIT_FOR("1")
             WAIT_FOR("0") "bar.sync 0;\n" STORE_AGAIN,
         NULL},
        {128,
         STORE FENCE "bar.sync 0; mov.u32 %r8, 0;\nLOOP:\n" BEGUN COMMIT WAIT_FOR(
             "0") "add.u32 %r8, %r8, 1; setp.lt.u32 %p4, %r8, 12; @%p4 bra LOOP;\n"
                  "bar.sync 0;\n" STORE_AGAIN,
         NULL}, /* of more waits than are remembered */
        {256, BY_ROLES(WAIT_FOR("0") ARRIVE), NULL},
        {256, BY_ROLES(ARRIVE WAIT_FOR("0")), "in order behind its wgmma.wait_group"},
        {128, STORE FENCE "bar.sync 0;\n" COPY_BEGUN COPY_READ "bar.sync 0;\n" ADDRESS STORE_AGAIN,
         NULL},
        {128, STORE FENCE "bar.sync 0;\n" COPY_BEGUN "bar.sync 0;\n" ADDRESS STORE_AGAIN COPY_READ,
         "a store of 4 bytes at byte 0 of tile, which a bulk copy of thread (0, 0, 0)"},
        {128, STORE FENCE "bar.sync 0;\n" COPY_BEGUN COPY_READ ADDRESS STORE_AGAIN,
         "may still read"},
        /* Another warp waits for its own. */
        {128,
         STORE FENCE "bar.sync 0;\n" COPY_BEGUN "setp.ne.u32 %p4, %t, 32; @%p4 bra NONE;\n"
                     "cp.async.bulk.global.shared::cta.bulk_group [%p0+512], [tile+2048], 128;\n"
                     "cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;\n"
                     "NONE: bar.sync 0;\n" ADDRESS STORE_AGAIN COPY_READ,
         "of tile, which a bulk copy of thread (0, 0, 0)"},
    };
    static struct ran ran;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        run_text(rows[i].body, rows[i].threads, 0, &ran, true);
        expect_told(i, rows[i].told, &ran);
    }
}

#define USE "add.f32 %f5, %f1, 0f3f800000;\n"
#define BEGUN_MORE                                                                                 \
    "wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {%f1, %f2, %f3, %f4, %f6, %f7, %f8, "      \
    "%f9}, {%r3, %r4, %r5, %r6}, %rd1, 0, 1, 1, 0;\n"
#define INTO_OTHERS                                                                                \
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f6, %f7, %f8, %f9}, {%r3, %r4, %r5, "     \
    "%r6}, %rd1, 0, 1, 1, 0;\n"
#define BITS "mov.b32 %r3, %f1;\n"
#define FROM_REGISTERS                                                                             \
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f6, %f7, %f8, %f9}, {%r3, %r4, %r5, "     \
    "%r6}, %rd1, 1, 1, 1, 0;\n"

/* Sums of wgmma are used behind the wait for their group, or by products that add to them. */
static void sums_are_waited_for(void **state)
{
    static const struct {
        const char *body, *told; /* NULL: nothing */
    } rows[] = {
        {BEGUN COMMIT WAIT_FOR("0") USE, NULL},
        {BEGUN COMMIT USE WAIT_FOR("0"), "reads a sum that wgmma may not have made yet: its group "
                                         "of products is not waited for"},
        {BEGUN USE COMMIT WAIT_FOR("0"), "not committed"},
        {BEGUN WAIT_FOR("0") USE COMMIT, "not committed"},
        {BEGUN COMMIT WAIT_FOR("1") USE, "is not waited for"},
        {BEGUN COMMIT INTO_OTHERS COMMIT WAIT_FOR("1") USE WAIT_FOR("0"), NULL},
        {INTO_OTHERS BEGUN COMMIT WAIT_FOR("1") USE WAIT_FOR("0"), "is not waited for"},
        {BEGUN BEGUN COMMIT BEGUN COMMIT WAIT_FOR("0") USE, NULL},
        {BEGUN COMMIT BEGUN COMMIT WAIT_FOR("1") USE WAIT_FOR("0"), "is not waited for"},
        {BEGUN COMMIT BEGUN_MORE COMMIT WAIT_FOR("0"), "wgmma of another shape adds to"},
        {BEGUN COMMIT WAIT_FOR("0") BEGUN_MORE COMMIT WAIT_FOR("0"), NULL},
        {BEGUN COMMIT "add.f32 %f2, %f9, %f9;\n" WAIT_FOR("0"), "overwrites a sum"},
        {BEGUN COMMIT "st.global.f32 [%a], %f4;\n" WAIT_FOR("0"), "reads a sum"},
        /* Moves are no use; what they make is under way, too. */
        {BEGUN COMMIT "mov.f32 %f5, %f1; mov.f32 %f9, %f5;\n" WAIT_FOR("0") USE
         "add.f32 %f5, %f9, %f9;\n",
         NULL},
        {BEGUN COMMIT "mov.f32 %f5, %f1; mov.f32 %f9, %f5; add.f32 %f8, %f9, %f9;\n" WAIT_FOR("0"),
         "reads a sum"},
        {BEGUN COMMIT "mov.f32 %f9, %f1; mov.f32 %f9, %f8; add.f32 %f5, %f9, %f9;\n" WAIT_FOR("0"),
         NULL},
        {BEGUN COMMIT BITS FROM_REGISTERS COMMIT WAIT_FOR("0"), "wgmma reads as A a sum"},
        {BEGUN COMMIT WAIT_FOR("0") BITS FROM_REGISTERS COMMIT WAIT_FOR("0"), NULL},
        /* Under a predicate, in a loop that waits behind its first turn, and behind one. */
        {BEGUN COMMIT "setp.gt.u32 %p1, %t, 999; @%p1 add.f32 %f5, %f1, %f1;\n" WAIT_FOR("0"),
         NULL},
        {BEGUN COMMIT "setp.lt.u32 %p1, %t, 32; @%p1 add.f32 %f5, %f1, %f1;\n" WAIT_FOR("0"),
         "reads a sum"},
        {"mov.u32 %r7, 0; LOOP:\n" BEGUN COMMIT WAIT_FOR(
             "1") "add.u32 %r7, %r7, 1; setp.lt.u32 %p1, %r7, 4; @%p1 bra LOOP;\n" WAIT_FOR("0")
             USE,
         NULL},
        {"mov.u32 %r7, 0; LOOP:\n" BEGUN COMMIT WAIT_FOR(
             "1") "add.u32 %r7, %r7, 1; setp.lt.u32 %p1, %r7, 4; @%p1 bra LOOP;\n" USE
             WAIT_FOR("0"),
         "is not waited for"},
    };
    static struct ran ran;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char body[4096];
        snprintf(body, sizeof body, "%s%s", STORE FENCE "bar.sync 0;\n", rows[i].body);
        run_text(body, 128, 0, &ran, true);
        expect_told(i, rows[i].told, &ran);
    }
}

#define MEET "barrier.cluster.arrive; barrier.cluster.wait;\n"
/* %p1: not block 0; %r2: the word in the other block. */
#define OTHER                                                                                      \
    "mov.u32 %r6, %cluster_ctarank; setp.ne.u32 %p1, %r6, 0; xor.b32 %r5, %r6, 1;\n" ADDRESS       \
    "mapa.shared::cluster.u32 %r2, %r1, %r5;\n"
#define REMOTE_LOAD "ld.shared::cluster.u32 %r3, [%r2];\n"
#define REMOTE_STORE "add.u32 %r4, %t, 7; st.shared::cluster.u32 [%r2], %r4;\n"
#define STORE_OUT                                                                                  \
    "add.u32 %r7, %r7, 1; mad.wide.u32 %rd1, %r6, 128, %a; st.global.u32 [%rd1], %r7;\n"
#define LOAD_OUT "mad.wide.u32 %rd1, %r5, 128, %a; ld.global.u32 %r3, [%rd1];\n"

static void blocks_of_a_cluster_race(void **state)
{
    static const struct {
        const char *body, *told;
    } rows[] = {
        {OTHER STORE MEET REMOTE_LOAD MEET, NULL},
        {OTHER STORE REMOTE_LOAD MEET, "no barrier of the cluster"},
        {OTHER STORE "bar.sync 0;\n" REMOTE_LOAD MEET, "no barrier of the cluster"},
        {OTHER STORE MEET REMOTE_LOAD STORE_AGAIN MEET, "no barrier of the cluster"},
        {OTHER STORE MEET REMOTE_LOAD MEET STORE_AGAIN, NULL},
        {OTHER MEET REMOTE_STORE MEET "ld.shared.u32 %r3, [%r1];\n", NULL},
        {OTHER MEET REMOTE_STORE "bar.sync 0; ld.shared.u32 %r3, [%r1];\n" MEET,
         "stores; no barrier of the cluster"},
        /* Both store the same, and all read. */
        {OTHER STORE MEET "ld.shared.u32 %r3, [%r1];\n" REMOTE_LOAD MEET, NULL},
        {OTHER STORE MEET "st.shared::cluster.u32 [%r2], %t; ld.shared.u32 %r3, [%r1];\n" MEET,
         NULL},
        /* Atomic operations. */
        {OTHER STORE MEET
         "red.shared::cluster.add.u32 [%r2], 1; red.shared.add.u32 [%r1], 1;\n" MEET,
         NULL},
        /* Arrives before it stores. */
        {OTHER "barrier.cluster.arrive;\n" STORE "barrier.cluster.wait;\n" REMOTE_LOAD MEET,
         "no barrier of the cluster"},
        /* An mbarrier of the other block puts them in order. */
        {OTHER
         "setp.ne.u32 %p3, %t, 0; @%p3 bra MADE; mbarrier.init.shared.b64 [bar], 32; MADE:\n" MEET
         "@%p1 bra READS;\n" REMOTE_STORE
         "mov.u32 %r3, bar; mapa.shared::cluster.u32 %r3, %r3, 1;\n"
         "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r3]; bra ENDS;\n"
         "READS: mbarrier.try_wait.parity.acquire.cluster.shared.b64 %p2, [bar], 0; @!%p2 bra "
         "READS;\n"
         "ld.shared.u32 %r3, [%r1];\n"
         "ENDS:\n" MEET,
         NULL},
        /* A block stores and then loads what it stored: that it has stored is still known. */
        {OTHER MEET "@!%p1 bra LATE;\n" REMOTE_STORE REMOTE_LOAD "bra ENDS; LATE:\n" LATER
                    "ld.shared.u32 %r3, [%r1]; ENDS:\n" MEET,
         "stores; no barrier of the cluster"},
        {OTHER MEET "@%p1 bra LATE;\n" REMOTE_STORE "bra ENDS; LATE:\n" LATER
                    "ld.shared.u32 %r3, [%r1]; ENDS:\n" MEET,
         "stores; no barrier of the cluster"}, /* so does the first one */
        /* Accesses that have an order. */
        {OTHER MEET "st.relaxed.cluster.shared::cluster.u32 [%r2], %t;\n"
                    "ld.relaxed.cluster.shared::cta.u32 %r3, [%r1];\n" MEET,
         NULL},
        /* A bulk copy reads what another block has stored: of the writer's fence nothing is known. */
        {OTHER MEET REMOTE_STORE MEET BY_ONE
         "cp.async.bulk.global.shared::cta.bulk_group [%p0], [tile], 128; "
         "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; END:\n" MEET,
         NULL},
        /* In global memory. */
        {OTHER STORE_OUT MEET LOAD_OUT MEET, NULL},
        {OTHER STORE_OUT "bar.sync 0;\n" LOAD_OUT MEET, "nothing puts the two blocks in order"},
        {OTHER STORE_OUT MEET LOAD_OUT STORE_OUT MEET, "nothing puts the two blocks in order"},
        /* One has ended. */
        {OTHER STORE MEET
         "@!%p1 bra ENDS; mov.u32 %r8, 0;\n"
         "LONG: add.u32 %r8, %r8, 1; setp.lt.u32 %p2, %r8, 100; @%p2 bra LONG;\n" REMOTE_LOAD
         "ENDS:\n",
         "of block (0, 0, 0), which has ended"},
    };
    static struct ran ran;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        run_text(rows[i].body, 32, 2, &ran, true);
        expect_told(i, rows[i].told, &ran);
    }
    /* Two blocks read it, the first one's reader once more writes. */
    run_text(OTHER STORE MEET "mapa.shared::cluster.u32 %r2, %r1, 0; setp.eq.u32 %p4, %r6, 1;\n"
                              "setp.eq.u32 %p5, %r6, 2; add.u32 %r4, %t, 7;\n"
                              "@%p4 ld.shared::cluster.u32 %r3, [%r2];\n" LATER
                              "@%p5 ld.shared::cluster.u32 %r3, [%r2];\n" LATER
                              "@%p4 st.shared::cluster.u32 [%r2], %r4;\n" MEET,
             32, 4, &ran, true);
    expect_told(sizeof rows / sizeof *rows, "loads; no barrier of the cluster", &ran);
    /* Three blocks read what the first one has stored. */
    run_text(OTHER STORE MEET "mapa.shared::cluster.u32 %r2, %r1, 0;\n" REMOTE_LOAD MEET, 32, 4,
             &ran, true);
    expect_told(sizeof rows / sizeof *rows, NULL, &ran);
}

/* Of one vector's elements each is in its place, and nothing behind them. */
static void a_store_that_completes_stores_its_elements(void **state)
{
    static struct ran ran;
    (void)state;
    run_text(
        "mbarrier.init.shared.b64 [bar], 1; mbarrier.arrive.expect_tx.shared.b64 _, [bar], 16;\n"
        "mov.u32 %r1, tile; mov.u32 %r5, bar; mov.u32 %r2, 7;\n"
        "st.shared.v4.u32 [tile], {%r2, %r2, %r2, %r2}; st.shared.u32 [tile+16], %r2;\n"
        "mov.u32 %r2, 20; mov.u32 %r3, 21;\n"
        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.u32 [%r1], {%r2, %r3}, "
        "[%r5];\nmov.u64 %rd1, 0x0000001900000018;\n"
        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b64 [%r1+8], %rd1, "
        "[%r5];\n" WAIT "ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [tile];\n"
        "ld.shared.u32 %r5, [tile+16]; st.global.v4.u32 [%p0], {%r1, %r2, %r3, %r4}; "
        "st.global.u32 [%p0+16], %r5;\n",
        1, 0, &ran, false);
    if (!ran.outcome.good)
        fail_msg("%s%s", ran.error.text, ran.fault);
    static const uint32_t want[] = {20, 21, 24, 25, 7};
    assert_memory_equal(ran.word, want, sizeof want);
}

/* 1,008 bytes are 63 pieces of 16, of which a warp-wide access has as many as a warp has lanes. */
static void pieces_of_a_bulk_copy_are_counted(void **state)
{
    static struct ran ran;
    (void)state;
    run_text(INIT
             "mbarrier.arrive.expect_tx.shared.b64 _, [bar], 1008;\n"
             "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%p0], "
             "1008, [bar];\n" WAIT,
             1, 0, &ran, false);
    if (!ran.outcome.good)
        fail_msg("%s%s", ran.error.text, ran.fault);
    uint64_t instructions = 0, lanes = 0, passes = 0;
    for (int i = 0; i < ran.outcome.counts; i++) {
        instructions += ran.count[i].instructions;
        lanes += ran.count[i].lanes;
        passes += ran.count[i].passes;
    }
    assert_int_equal(instructions, 2);
    assert_int_equal(lanes, 63);
    assert_int_equal(passes, 2 * 4);
}

static void clusters_have_up_to_16_blocks(void **state)
{
    static struct ran ran;
    (void)state;
    run_text("mov.u32 %r1, %cluster_ctarank; mov.u32 %r2, %cluster_nctarank; "
             "mad.lo.u32 %r2, %r2, 100, %r1; mad.wide.u32 %rd1, %r1, 4, %p0; "
             "st.global.u32 [%rd1], %r2;",
             1, 16, &ran, false);
    assert_true(ran.outcome.good);
    for (uint32_t i = 0; i < 16; i++)
        assert_int_equal(ran.word[i], 1600 + i);
    refuses("", 1, 17, "a cluster has at most 16 blocks, not 17x1x1");
}

/* The rank of an own address, of one that mapa made for rank ^ 5, and both by 64 bits. */
static void addresses_have_the_rank_of_their_block(void **state)
{
    static struct ran ran;
    (void)state;
    run_text(
        "mov.u32 %r1, %cluster_ctarank; xor.b32 %r2, %r1, 5; mov.u32 %r3, tile;\n"
        "mapa.shared::cluster.u32 %r4, %r3, %r2; getctarank.shared::cluster.u32 %r5, %r3;\n"
        "getctarank.shared::cluster.u32 %r6, %r4; mov.u64 %rd1, tile; cvta.shared.u64 %rd1, "
        "%rd1; mapa.u64 %rd2, %rd1, %r2;\ngetctarank.u64 %r7, %rd1; getctarank.u64 %r8, %rd2;\n"
        "mad.wide.u32 %rd1, %r1, 16, %p0; st.global.v4.u32 [%rd1], {%r5, %r6, %r7, %r8};",
        1, 8, &ran, false);
    if (!ran.outcome.good)
        fail_msg("%s%s", ran.error.text, ran.fault);
    for (uint32_t rank = 0; rank < 8; rank++)
        for (int k = 0; k < 4; k++)
            assert_int_equal(ran.word[4 * rank + (uint32_t)k], k & 1 ? rank ^ 5 : rank);
}

/* Block 1 of four copies 128 bytes to its own place of the blocks 0, 1 and 3, who wait for them. All store their first 32
 * words and the next one, which is nobody's. */
#define TO_THREE(copy)                                                                             \
    "mov.u32 %r6, %cluster_ctarank; mov.u32 %r1, tile; mad.lo.u32 %r1, %t, 4, %r1;\n"              \
    "mov.u32 %r2, 7; st.shared.u32 [%r1], %r2; st.shared.u32 [%r1+128], %r2;\n"                    \
    "fence.proxy.async;\nsetp.ne.u32 %p3, %t, 0; @%p3 bra MADE;\n"                                 \
    "mbarrier.init.shared.b64 [bar], 1; mbarrier.arrive.expect_tx.shared.b64 _, [bar], 128;\n"     \
    "MADE:" MEET "setp.ne.u32 %p1, %r6, 1; @%p1 bra SENT; @%p3 bra SENT;\n"                        \
    "mov.b16 %h1, 11; mov.u32 %r3, 0;\n" copy                                                      \
    "SENT: setp.eq.u32 %p1, %r6, 2; @%p1 bra OVER;\n" WAIT "OVER:" MEET                            \
    "ld.shared.u32 %r2, [%r1]; ld.shared.u32 %r3, [tile+128];\n"                                   \
    "mad.lo.u32 %r4, %r6, 33, %t; mad.wide.u32 %rd1, %r4, 4, %p0; st.global.u32 [%rd1+256], "      \
    "%r2;\n"                                                                                       \
    "mad.lo.u32 %r4, %r6, 33, 32; mad.wide.u32 %rd1, %r4, 4, %p0;\n"                               \
    "@!%p3 st.global.u32 [%rd1+256], %r3;\n"
static void a_copy_goes_to_the_blocks_of_its_mask(void **state)
{
    static const char *const copies[] = {
        TO_THREE("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes."
                 "multicast::cluster [tile], [%p0], 128, [bar], %h1;\n"),
        TO_THREE("add.s64 %rd2, %p0, 128; cp.async.bulk.tensor.1d.shared::cluster.global.tile."
                 "mbarrier::complete_tx::bytes.multicast::cluster [tile], [%rd2, {%r3}], [bar], "
                 "%h1;\n")};
    static _Alignas(128) struct ran ran;
    (void)state;
    for (size_t i = 0; i < sizeof copies / sizeof *copies; i++) {
        memset(&ran, 0, sizeof ran);
        for (uint32_t k = 0; k < 32; k++)
            ran.word[k] = 100 + k;
        const struct machine_tensor tensor = {.type = MACHINE_TENSOR_U32,
                                              .rank = 1,
                                              .address = (uintptr_t)ran.word,
                                              .size = {32},
                                              .box = {32},
                                              .step = {1}};
        assert_true(machine_tensor_encode(&tensor, &ran.word[32], &ran.error));
        run_on_words(copies[i], 32, 4, &ran, true);
        if (!ran.outcome.good || ran.findings)
            fail_msg("%zu: %s%s%s", i, ran.error.text, ran.fault, ran.found);
        for (uint32_t block = 0; block < 4; block++)
            for (uint32_t k = 0; k <= 32; k++)
                if (ran.word[64 + block * 33 + k] != (block == 2 || k == 32 ? 7 : 100 + k))
                    fail_msg("%zu: word %u of block %u is %u", i, k, block,
                             ran.word[64 + block * 33 + k]);
    }
}

/* Of numbers of 32 bits the upper 19 stay; infinities do, and of a NaN nothing else. */
static void tf32_is_rounded_on_its_way(void **state)
{
    static const uint32_t words[][2] = {{0x3f800fff, 0x3f800000}, {0x3f801000, 0x3f802000},
                                        {0xbf803000, 0xbf804000}, {0x7f7fffff, 0x7f800000},
                                        {0x7f800000, 0x7f800000}, {0xff800000, 0xff800000},
                                        {0x7f800001, 0x7fffe000}, {0xffc12345, 0x7fffe000}};
    static _Alignas(128) struct ran ran;
    (void)state;
    memset(&ran, 0, sizeof ran);
    for (int k = 0; k < 8; k++)
        ran.word[k] = words[k][0];
    const struct machine_tensor tensor = {.type = MACHINE_TENSOR_TF32,
                                          .rank = 1,
                                          .address = (uintptr_t)ran.word,
                                          .size = {8},
                                          .box = {8},
                                          .step = {1}};
    assert_true(machine_tensor_encode(&tensor, &ran.word[32], &ran.error));
    run_on_words(INIT "mbarrier.arrive.expect_tx.shared.b64 _, [bar], 32; mov.u32 %r3, 0;\n"
                      "add.s64 %rd2, %p0, 128; cp.async.bulk.tensor.1d.shared::cluster.global.tile."
                      "mbarrier::complete_tx::bytes [tile], [%rd2, {%r3}], [bar];\n" WAIT
                      "ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [tile]; st.global.v4.u32 [%p0], "
                      "{%r1, %r2, %r3, %r4};\nld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [tile+16]; "
                      "st.global.v4.u32 [%p0+16], {%r1, %r2, %r3, %r4};\n",
                 1, 0, &ran, false);
    if (!ran.outcome.good)
        fail_msg("%s%s", ran.error.text, ran.fault);
    for (int k = 0; k < 8; k++)
        assert_int_equal(ran.word[k], words[k][1]);
}

static void a_prefetch_moves_nothing(void **state)
{
    static _Alignas(128) struct ran ran;
    (void)state;
    memset(&ran, 0, sizeof ran);
    const struct machine_tensor tensor = {.type = MACHINE_TENSOR_U32,
                                          .rank = 1,
                                          .address = (uintptr_t)ran.word,
                                          .size = {8},
                                          .box = {8},
                                          .step = {1}};
    assert_true(machine_tensor_encode(&tensor, &ran.word[32], &ran.error));
    run_on_words("mov.u32 %r3, 0; add.s64 %rd2, %p0, 128;\n"
                 "cp.async.bulk.prefetch.L2.global [%p0], 64;\n"
                 "cp.async.bulk.prefetch.tensor.1d.L2.global.tile [%rd2, {%r3}];\n"
                 "st.global.u32 [%p0], 7;\n",
                 1, 0, &ran, true);
    if (!ran.outcome.good)
        fail_msg("%s%s", ran.error.text, ran.fault);
    assert_int_equal(ran.word[0], 7);
}

/* A map of nothing but zeros becomes one by its first field. */
#define CHANGE(field, value)                                                                       \
    "tensormap.replace.tile." field ".shared::cta.b1024.b32 [tile], " value ";\n"
#define BLANK                                                                                      \
    "mov.u32 %r2, 0; mov.u32 %r1, tile; add.u32 %r3, %r1, 128;\n"                                  \
    "CLEAR: st.shared.u32 [%r1], %r2; add.u32 %r1, %r1, 4; setp.lt.u32 %p1, %r1, %r3; @%p1 bra "   \
    "CLEAR;\n"
#define COPY_MAP(to)                                                                               \
    "{ mov.u32 %r1, tile; add.u64 %rd1, %p0, " to ";\n"                                            \
    "COPY: ld.shared.u32 %r2, [%r1]; st.global.u32 [%rd1], %r2; add.u32 %r1, %r1, 4; add.u64 "     \
    "%rd1, %rd1, 4;\nsetp.lt.u32 %p1, %r1, %r3; @%p1 bra COPY; }\n"
static void fields_of_maps_have_limits(void **state)
{
    static const struct {
        const char *field, *least, *most, *beyond, *below;
    } rows[] = {
        {"rank", "0", "4", "5", NULL},
        {"box_dim", "4, 1", "4, 256", "4, 257", "0, 0"},
        {"global_dim", "4, 1", "4, 0xffffffff", NULL, "0, 0"},
        {"element_stride", "4, 1", "4, 8", "4, 9", "1, 0"},
        {"global_stride", "3, 0", "3, 0xfffffff0", NULL, NULL},
        {"elemtype", "0", "12", "13", NULL},
        {"interleave_layout", "0", "0", "1", NULL},
        {"swizzle_mode", "0", "3", "4", NULL},
        {"fill_mode", "0", "1", "2", NULL},
    };
    static struct ran ran;
    char text[2000];
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *const values[] = {rows[i].least, rows[i].most, rows[i].beyond, rows[i].below};
        for (int k = 0; k < 4; k++) {
            if (!values[k])
                continue;
            snprintf(text, sizeof text, "%s" CHANGE("%s", "%s"), BLANK, rows[i].field, values[k]);
            run_text(text, 1, 0, &ran, false);
            if (ran.outcome.good != (k < 2))
                fail_msg("%s: %s%s", text, ran.error.text, ran.fault);
            if (k >= 2)
                assert_non_null(strstr(ran.fault, "a tensor map cannot have the value"));
        }
    }
    run_text(BLANK CHANGE("swizzle_mode", "2") CHANGE("fill_mode", "1") COPY_MAP("0")
                 CHANGE("interleave_layout", "0") COPY_MAP("128"),
             1, 0, &ran, false);
    if (!ran.outcome.good)
        fail_msg("%s%s", ran.error.text, ran.fault);
    assert_memory_equal(ran.word, ran.word + 32, 128);
}

static void maps_are_checked(void **state)
{
    static const struct {
        struct machine_tensor tensor;
        const char *message;
    } rows[] = {
        {{.rank = 6, .address = 64}, "1 to 5 dimensions, not 6"},
        {{.type = 20, .rank = 1, .address = 64}, "elements of type 20"},
        {{.rank = 1, .address = 8, .size = {64}, .box = {16}, .step = {1}}, "no multiple of 16"},
        {{.rank = 1, .address = 64, .size = {64}, .box = {300}, .step = {1}}, "1 to 256 elements"},
        {{.rank = 1, .address = 64, .size = {64}, .box = {10}, .step = {1}},
         "a multiple of 16 bytes, not 10"},
        {{.rank = 1, .address = 64, .size = {64}, .box = {16}, .step = {9}}, "is 1 to 8, not 9"},
        {{.rank = 1, .address = 64, .size = {64}, .box = {64}, .step = {1}, .swizzle = 1},
         "more than its swizzle's 32"},
        {{.rank = 2,
          .address = 64,
          .size = {64, 2},
          .stride = {72},
          .box = {16, 1},
          .step = {1, 1}},
         "not 72"},
        {{.rank = 1, .address = 64, .size = {64}, .box = {16}, .step = {1}, .fill = true},
         "only numbers with a point"},
        {{.rank = 1, .address = 64, .size = {64}, .box = {16}, .step = {1}, .interleave = 1},
         "interleaved layout"},
#define COLUMNS(of, a, b)                                                                          \
    {.rank = of,                                                                                   \
     .address = 64,                                                                                \
     .size = {64, 40, 40, 40, 40},                                                                 \
     .stride = {64, 2560, 102400, 4096000},                                                        \
     .channels = 16,                                                                               \
     .pixels = 8,                                                                                  \
     .step = {1, 1, 1, 1, 1},                                                                      \
     .lower = {a},                                                                                 \
     .upper = {b}}
        {{.rank = 2,
          .address = 64,
          .size = {64, 9},
          .stride = {64},
          .box = {16, 9},
          .step = {1, 8}},
         NULL},
        {COLUMNS(3, -32768, 32767), NULL},
        {COLUMNS(3, -32769, 0), "corners are -32768 to 32767, not -32769 and 0"},
        {COLUMNS(3, 32768, 0), "not 32768 and 0"},
        {COLUMNS(3, 0, -32769), "not 0 and -32769"},
        {COLUMNS(3, 0, 32768), "not 0 and 32768"},
        {COLUMNS(4, -128, 127), NULL},
        {COLUMNS(4, -129, 127), "corners are -128 to 127"},
        {COLUMNS(5, -16, 15), NULL},
        {COLUMNS(5, -16, 16), "corners are -16 to 15"},
        {COLUMNS(4, 39, 0), NULL},
        {COLUMNS(4, 40, 0), "nothing between the corners"},
        {COLUMNS(2, 0, 0), "3 to 5 dimensions, not 2"},
    };
    uint8_t map[MACHINE_TENSOR_MAP];
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct error error = {""};
        if (machine_tensor_encode(&rows[i].tensor, map, &error) != !rows[i].message)
            fail_msg("row %zu: %s", i, error.text);
        if (rows[i].message && !strstr(error.text, rows[i].message))
            fail_msg("%s: %s", rows[i].message, error.text);
    }
}

int main(int count, char **word)
{
    static struct hopper_run run;
    if (count > 1 && !strcmp(word[1], "--dump"))
        return dump(&run, count > 2 ? word[2] : NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(as_a_gpu, &run),
        cmocka_unit_test_prestate(counted_as_on_a_gpu, &run),
        cmocka_unit_test(misuse_is_told),
        cmocka_unit_test(a_copy_is_waited_for),
        cmocka_unit_test(stores_are_fenced),
        cmocka_unit_test(late_reads_are_over),
        cmocka_unit_test(sums_are_waited_for),
        cmocka_unit_test(blocks_of_a_cluster_race),
        cmocka_unit_test(a_store_that_completes_stores_its_elements),
        cmocka_unit_test(pieces_of_a_bulk_copy_are_counted),
        cmocka_unit_test(clusters_have_up_to_16_blocks),
        cmocka_unit_test(addresses_have_the_rank_of_their_block),
        cmocka_unit_test(a_copy_goes_to_the_blocks_of_its_mask),
        cmocka_unit_test(tf32_is_rounded_on_its_way),
        cmocka_unit_test(a_prefetch_moves_nothing),
        cmocka_unit_test(fields_of_maps_have_limits),
        cmocka_unit_test(maps_are_checked),
    };
    return cmocka_run_group_tests_name("machine_hopper", tests, NULL, NULL);
}
