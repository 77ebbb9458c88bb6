/* test_machine_check.c - the machine's checker: which accesses race and which do not, and one kernel for each kind
 * of finding. A row is a kernel of PTX and what is found in it; nothing, if no kind is given. */
#include "machine/machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SILENT = -1, WORDS = 256 };

/* %t: the thread, %l: its lane, %w: its warp, %b: the block; %p0: the array, %a: the thread's word of it;
 * %s: the thread's word of the shared array s, whose last word is unused; flag: a word of its own. */
#define BEGIN                                                                                      \
    ".version 8.0\n.target sm_90\n.address_size 64\n"                                              \
    ".global .align 4 .u32 gflag;\n.global .align 4 .u32 gdata[64];\n"                             \
    ".extern .func (.param .b64 r) malloc (.param .b64 n);\n.extern .func free (.param .b64 n);\n" \
    ".visible .entry k(.param .u64 p)\n{\n"                                                        \
    ".shared .align 16 .b8 s[1024]; .shared .align 4 .b8 flag[4]; .shared .align 8 .b8 bar[8];\n"  \
    ".shared .align 4 .b8 last[16]; .local .align 4 .b8 loc[16];\n"                                \
    ".reg .b32 %r<30>; .reg .pred %q<9>; .reg .b16 %h<9>; .reg .b64 %rd<30>;\n"                    \
    ".reg .b32 %t, %l, %w, %b, %s, %o; .reg .b64 %a, %p0;\n"                                       \
    "mov.u32 %r1, s; ld.param.u64 %p0, [p]; cvta.to.global.u64 %p0, %p0;\n"                        \
    "mov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x; mad.wide.u32 %a, %t, 4, %p0;\n"                     \
    "and.b32 %l, %t, 31; shr.u32 %w, %t, 5; mad.lo.u32 %s, %t, 4, %r1;\n"                          \
    "xor.b32 %o, %t, 32; mad.lo.u32 %o, %o, 4, %r1;\n"
#define END "ret; }\n"
/* %o is the word of the same lane of the other warp. */
#define SYNC "bar.sync 0;\n"
#define FIRST(code) "setp.ne.u32 %q1, %t, 0; @%q1 bra BEHIND;\n" code "BEHIND:\n"
#define WARP0(code, rest)                                                                          \
    "setp.ne.u32 %q2, %w, 0; @%q2 bra OTHERS;\n" code "bra JOINED;\nOTHERS:\n" rest "JOINED:\n"

/* Blocks of 64 threads store, one thread counts the block, and the last one of four reads the first one's. */
#define STORE_OWN                                                                                  \
    "mad.lo.u32 %r3, %b, 64, %t; mad.wide.u32 %rd1, %r3, 4, %p0; st.global.u32 [%rd1], %t;\n"
#define COUNT(order) "atom.add" order ".global.u32 %r4, [gflag], 1; st.shared.u32 [flag], %r4;\n"
#define LAST_READS                                                                                 \
    "ld.shared.u32 %r4, [flag]; setp.ne.u32 %q3, %r4, 3; @%q3 bra OVER;\n"                         \
    "ld.global.u32 %r2, [%a]; st.shared.u32 [%s], %r2; OVER:\n"
#define LOCKED(before)                                                                             \
    "TRY: atom.global.cas.b32 %r2, [gflag], 0, 1; setp.ne.u32 %q3, %r2, 0; @%q3 bra TRY;\n"        \
    "ld.global.u32 %r3, [gdata]; add.u32 %r3, %r3, 1; st.global.u32 [gdata], %r3;\n" before        \
    "atom.global.exch.b32 %r5, [gflag], 0;\n"

#define MALLOC_OF(bytes)                                                                           \
    "{ .param .b64 q; st.param.b64 [q], " bytes "; .param .b64 v; call.uni (v), malloc, (q);\n"    \
    "ld.param.b64 %rd5, [v]; }\n"
#define MALLOC MALLOC_OF("16")
#define FREE "{ .param .b64 q; st.param.b64 [q], %rd5; call.uni free, (q); }\n"

/* Each thread copies a word; an mbarrier waits for all threads and their copies. */
#define COPY_ARRIVES                                                                               \
    FIRST("mov.u32 %r3, %ntid.x; mbarrier.init.shared.b64 [bar], %r3;")                            \
    SYNC "cp.async.ca.shared.global [%s], [%a], 4; cp.async.mbarrier.arrive.shared.b64 [bar];\n"
#define PHASE_ENDS                                                                                 \
    "mbarrier.arrive.shared.b64 %rd5, [bar];\n"                                                    \
    "TRY: mbarrier.try_wait.shared.b64 %q3, [bar], %rd5; @!%q3 bra TRY;\n"

#define SIX_MOVES                                                                                  \
    "mov.u32 %r11, %r12; mov.u32 %r12, %r13; mov.u32 %r13, %r14; mov.u32 %r14, %r15;\n"            \
    "mov.u32 %r15, %r16; mov.u32 %r16, %r17;\n"
/* Each lane writes the first word of 16 bytes at %r10. */
#define ROWS_BEGIN "mad.lo.u32 %r10, %t, 16, %r1; st.shared.u32 [%r10], %t;\n"
#define MATRIX_OF_S                                                                                \
    "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9}, " \
    "[%r1], 16;\n"
/* An address of which nobody knows that it is one. */
#define NUMBER(to, of)                                                                             \
    "mov.u32 %r20, " of "; st.global.u32 [gflag], %r20; ld.global.u32 " to ", [gflag];\n"

static const struct row {
    const char *name;
    int kind;
    const char *text; /* a part of what is said */
    uint32_t grid, block;
    const char *code;
} rows[] = {
    /* Order in a block. */
    {"a store and another warp's load", MACHINE_FAULT_RACE, "where thread", 1, 64,
     "st.shared.u32 [%s], %t; ld.shared.u32 %r2, [%o]; st.global.u32 [%a], %r2;\n"},
    {"with a barrier between", SILENT, NULL, 1, 64,
     "st.shared.u32 [%s], %t;" SYNC "ld.shared.u32 %r2, [%o]; st.global.u32 [%a], %r2;\n"},
    {"a load and another warp's store", MACHINE_FAULT_RACE, "a store of 4 bytes", 1, 64,
     "st.shared.u32 [%s], %t;" SYNC "ld.shared.u32 %r2, [%o]; st.shared.u32 [%s], %r2;\n"},
    {"a load, a barrier, a store", SILENT, NULL, 1, 64,
     "st.shared.u32 [%s], %t;" SYNC "ld.shared.u32 %r2, [%o];" SYNC "st.shared.u32 [%s], %r2;\n"},
    {"two stores of different values", MACHINE_FAULT_RACE, "store", 1, 64,
     "st.shared.u32 [flag], %w;\n"},
    {"two stores of one value", SILENT, NULL, 1, 64, "st.shared.u32 [flag], 7;\n"},
    {"lanes of one store that differ", MACHINE_FAULT_RACE, "no __syncwarp()", 1, 32,
     "st.shared.u32 [flag], %l;\n"},
    {"lanes of one store that agree", SILENT, NULL, 1, 32, "st.shared.u32 [flag], 7;\n"},
    {"what several store alike is read", SILENT, NULL, 1, 64,
     "st.shared.u32 [flag], 7; ld.shared.u32 %r2, [flag]; st.global.u32 [%a], %r2;\n"},
    {"a store of what is there, beside a load", MACHINE_FAULT_RACE, "a store of 4 bytes", 1, 64,
     "st.shared.u32 [flag], 7;" SYNC "ld.shared.u32 %r2, [flag]; st.shared.u32 [flag], %r2;\n"},
    {"a store beside two warps' loads of what was stored before a barrier", MACHINE_FAULT_RACE,
     "a store", 1, 128,
     FIRST("st.global.u32 [gdata], 1;") SYNC
     "setp.ne.u32 %q3, %t, 96; setp.lt.u32 %q4, %t, 96; @%q3 bra LOADS;\n"
     "st.global.u32 [gdata], 2; bra OVER;\n"
     "LOADS: @%q4 ld.global.u32 %r2, [gdata]; @%q4 st.global.u32 [%a], %r2; OVER:\n"},
    {"the same, in a warp", MACHINE_FAULT_RACE, "no __syncwarp() is between", 1, 32,
     "st.shared.u32 [flag], 7; bar.warp.sync -1; ld.shared.u32 %r2, [flag]; st.shared.u32 [flag], "
     "%r2;\n"},
    {"the same, with a barrier before it", SILENT, NULL, 1, 64,
     "st.shared.u32 [flag], 7;" SYNC "ld.shared.u32 %r2, [flag];" SYNC
     "st.shared.u32 [flag], %r2;\n"},
    {"two loads", SILENT, NULL, 1, 64,
     FIRST("st.shared.u32 [flag], 7;") SYNC
     "ld.shared.u32 %r2, [flag]; st.global.u32 [%a], %r2;\n"},
    {"a store at byte 2^24, where clusters have their blocks", MACHINE_FAULT_ADDRESS,
     "a store of 4 bytes at byte 16777216 of s, which has 1024 bytes", 1, 64,
     "mov.u32 %r3, 0x1000000; st.shared.u32 [%r3], %t;\n"},
    {"a store before the beginning", MACHINE_FAULT_ADDRESS,
     "a store of 4 bytes at byte -4 of s, which has 1024 bytes", 1, 64,
     "mov.u32 %r3, s; sub.u32 %r3, %r3, 4; st.shared.u32 [%r3], %t;\n"},
    {"the own block's address by mapa, without a cluster", SILENT, NULL, 1, 64,
     "mapa.shared::cluster.u32 %r3, %s, 0; st.shared::cluster.u32 [%r3], %t;\n"
     "ld.shared.u32 %r2, [%s]; st.global.u32 [%a], %r2;\n"},
    {"bytes of one word", SILENT, NULL, 1, 64,
     "mov.u32 %r3, s; add.u32 %r3, %r3, %t; st.shared.u8 [%r3], 1; ld.shared.u8 %h1, [%r3];\n"
     "st.global.u8 [%a], %h1;\n"},
    {"a byte of another's", MACHINE_FAULT_RACE, "a load of 1 bytes", 1, 64,
     "mov.u32 %r3, s; add.u32 %r4, %r3, %t; st.shared.u8 [%r4], 1; xor.b32 %r5, %t, 32;\n"
     "add.u32 %r5, %r3, %r5; ld.shared.u8 %h1, [%r5]; st.global.u8 [%a], %h1;\n"},
    {"the last word of a vector", MACHINE_FAULT_RACE, "a store of 16 bytes at byte 0 of s", 1, 64,
     FIRST("st.shared.v4.u32 [s], {1, 2, 3, 4};") "setp.ne.u32 %q3, %t, 63;\n"
                                                  "@!%q3 ld.shared.u32 %r2, [s+12]; @!%q3 "
                                                  "st.global.u32 [%a], %r2;\n"},
    {"all of one warp read, one lane of another writes", MACHINE_FAULT_RACE, "and others load;", 1,
     64,
     FIRST("st.shared.u32 [flag], 1;") SYNC WARP0(
         "setp.eq.u32 %q3, %l, 5; @%q3 bra ONE; bra JOINED; ONE: st.shared.u32 [flag], 2;\n",
         "ld.shared.u32 %r2, [flag]; st.global.u32 [%a], %r2;\n")},
    {"a lane writes what its warp has read", MACHINE_FAULT_RACE, "and others load;", 1, 32,
     FIRST("st.shared.u32 [flag], 1;") SYNC
     "ld.shared.u32 %r2, [flag]; st.global.u32 [%a], %r2;\n"
     "setp.eq.u32 %q3, %l, 5; @%q3 st.shared.u32 [flag], 2;\n"},
    {"and does so behind __syncwarp", SILENT, NULL, 1, 32,
     FIRST("st.shared.u32 [flag], 1;") SYNC
     "ld.shared.u32 %r2, [flag]; st.global.u32 [%a], %r2;\n"
     "bar.warp.sync -1; setp.eq.u32 %q3, %l, 5; @%q3 st.shared.u32 [flag], 2;\n"},
    /* Order in a warp. */
    {"lanes of a warp with nothing between", MACHINE_FAULT_RACE, "no __syncwarp()", 1, 32,
     "st.shared.u32 [%s], %t; xor.b32 %r3, %l, 1; mad.lo.u32 %r3, %r3, 4, %r1;\n"
     "ld.shared.u32 %r2, [%r3]; st.global.u32 [%a], %r2;\n"},
    {"lanes of a warp with __syncwarp between", SILENT, NULL, 1, 32,
     "st.shared.u32 [%s], %t; bar.warp.sync -1; xor.b32 %r3, %l, 1; mad.lo.u32 %r3, %r3, 4, %r1;\n"
     "ld.shared.u32 %r2, [%r3]; st.global.u32 [%a], %r2;\n"},
    {"__syncwarp does not order warps", MACHINE_FAULT_RACE, "no barrier", 1, 64,
     "st.shared.u32 [%s], %t; bar.warp.sync -1; ld.shared.u32 %r2, [%o]; st.global.u32 [%a], "
     "%r2;\n"},
    {"__syncwarp of each half", SILENT, NULL, 1, 32,
     "st.shared.u32 [%s], %t; setp.lt.u32 %q3, %l, 16; selp.b32 %r4, 0xffff, 0xffff0000, %q3;\n"
     "bar.warp.sync %r4; xor.b32 %r3, %l, 1; mad.lo.u32 %r3, %r3, 4, %r1; ld.shared.u32 %r2, "
     "[%r3];\n"
     "st.global.u32 [%a], %r2;\n"},
    {"__syncwarp of each half does not order the halves", MACHINE_FAULT_RACE, "no __syncwarp()", 1,
     32,
     "st.shared.u32 [%s], %t; setp.lt.u32 %q3, %l, 16; selp.b32 %r4, 0xffff, 0xffff0000, %q3;\n"
     "bar.warp.sync %r4; xor.b32 %r3, %l, 16; mad.lo.u32 %r3, %r3, 4, %r1; ld.shared.u32 %r2, "
     "[%r3];\n"
     "st.global.u32 [%a], %r2;\n"},
    {"a word that all lanes of a half have read is stored to behind its __syncwarp", SILENT, NULL,
     1, 32,
     "st.shared.u32 [%s], %t; setp.lt.u32 %q3, %l, 16; selp.b32 %r4, 0xffff, 0xffff0000, %q3;\n"
     "bar.warp.sync %r4; and.b32 %r3, %l, 16; mad.lo.u32 %r3, %r3, 4, %r1; ld.shared.u32 %r2, "
     "[%r3];\n"
     "bar.warp.sync %r4; st.shared.u32 [%s], %r2;\n"},
    {"a word that all lanes of a half have read is stored to", MACHINE_FAULT_RACE, "a store of 4",
     1, 32,
     "st.shared.u32 [%s], %t; setp.lt.u32 %q3, %l, 16; selp.b32 %r4, 0xffff, 0xffff0000, %q3;\n"
     "bar.warp.sync %r4; and.b32 %r3, %l, 16; mad.lo.u32 %r3, %r3, 4, %r1; ld.shared.u32 %r2, "
     "[%r3];\n"
     "add.u32 %r2, %r2, 1; st.shared.u32 [%s], %r2;\n"},
    {"__syncwarp of each half, of two warps", SILENT, NULL, 1, 64,
     "st.shared.u32 [%s], %t; setp.lt.u32 %q3, %l, 16; selp.b32 %r4, 0xffff, 0xffff0000, %q3;\n"
     "bar.warp.sync %r4; xor.b32 %r3, %t, 1; mad.lo.u32 %r3, %r3, 4, %r1; ld.shared.u32 %r2, "
     "[%r3];\n"
     "st.global.u32 [%a], %r2;\n"},
    {"__syncwarp of each half of the second warp does not order the halves", MACHINE_FAULT_RACE,
     "no __syncwarp()", 1, 64,
     "setp.lt.u32 %q4, %t, 32; @%q4 bra OVER;\n"
     "st.shared.u32 [%s], %t; setp.lt.u32 %q3, %l, 16; selp.b32 %r4, 0xffff, 0xffff0000, %q3;\n"
     "bar.warp.sync %r4; xor.b32 %r3, %t, 16; mad.lo.u32 %r3, %r3, 4, %r1; ld.shared.u32 %r2, "
     "[%r3];\n"
     "st.global.u32 [%a], %r2; OVER:\n"},
    {"volatile accesses of a warp", SILENT, NULL, 1, 32,
     "st.volatile.shared.u32 [%s], %t; xor.b32 %r3, %l, 1; mad.lo.u32 %r3, %r3, 4, %r1;\n"
     "ld.volatile.shared.u32 %r2, [%r3]; st.global.u32 [%a], %r2;\n"},
    {"a volatile store and a plain load", MACHINE_FAULT_RACE, "a load of 4", 1, 64,
     "st.volatile.shared.u32 [%s], %t; ld.shared.u32 %r2, [%o]; st.global.u32 [%a], %r2;\n"},
    /* Named barriers. */
    {"a named barrier of both warps", SILENT, NULL, 1, 64,
     "st.shared.u32 [%s], %t; bar.sync 1, 64; ld.shared.u32 %r2, [%o]; st.global.u32 [%a], %r2;\n"},
    {"a named barrier of other warps", MACHINE_FAULT_RACE, "no barrier", 1, 128,
     "st.shared.u32 [%s], %t; shr.u32 %r3, %w, 1; add.u32 %r3, %r3, 1; bar.sync %r3, 64;\n"
     "xor.b32 %r4, %t, 64; mad.lo.u32 %r4, %r4, 4, %r1; ld.shared.u32 %r2, [%r4];\n"
     "st.global.u32 [%a], %r2;\n"},
    {"a named barrier for each pair", SILENT, NULL, 1, 128,
     "st.shared.u32 [%s], %t; shr.u32 %r3, %w, 1; add.u32 %r3, %r3, 1; bar.sync %r3, 64;\n"
     "ld.shared.u32 %r2, [%o]; st.global.u32 [%a], %r2;\n"},
    {"a named barrier of each warp alone", SILENT, NULL, 1, 64,
     "st.shared.u32 [%s], %t; add.u32 %r3, %w, 1; bar.sync %r3, 32;\n"
     "xor.b32 %r4, %t, 1; mad.lo.u32 %r4, %r4, 4, %r1; ld.shared.u32 %r2, [%r4];\n"
     "st.global.u32 [%a], %r2;\n"},
    {"a named barrier of each warp, before both", MACHINE_FAULT_RACE, "no __syncwarp()", 1, 64,
     "add.u32 %r3, %w, 1; bar.sync %r3, 32; st.shared.u32 [%s], %t;\n"
     "xor.b32 %r4, %t, 1; mad.lo.u32 %r4, %r4, 4, %r1; ld.shared.u32 %r2, [%r4];\n"
     "st.global.u32 [%a], %r2;\n"},
    {"who only arrives hands over", SILENT, NULL, 1, 64,
     WARP0("st.shared.u32 [%s], %t; bar.arrive 1, 64;\n",
           "bar.sync 1, 64; ld.shared.u32 %r2, [%o]; st.global.u32 [%a], %r2;\n")},
    {"who only arrives knows nothing", MACHINE_FAULT_RACE, "no barrier", 1, 64,
     WARP0("bar.arrive 1, 64; ld.shared.u32 %r2, [%o]; st.global.u32 [%a], %r2;\n",
           "st.shared.u32 [%s], %t; bar.sync 1, 64;\n")},
    {"what is done behind the arrival is not handed over", MACHINE_FAULT_RACE, "no barrier", 1, 64,
     WARP0("bar.arrive 1, 64; st.shared.u32 [%s], %t;\n",
           "bar.sync 1, 64; ld.shared.u32 %r2, [%o]; st.global.u32 [%a], %r2;\n")},
    {"a chain of named barriers", SILENT, NULL, 1, 96,
     "setp.eq.u32 %q3, %w, 0; @%q3 st.shared.u32 [%s], %t; setp.lt.u32 %q4, %w, 2;\n"
     "@%q4 bar.sync 1, 64; setp.gt.u32 %q5, %w, 0; @%q5 bar.sync 2, 64; setp.eq.u32 %q6, %w, 2;\n"
     "mad.lo.u32 %r4, %l, 4, %r1; @%q6 ld.shared.u32 %r2, [%r4]; @%q6 st.global.u32 [%a], %r2;\n"},
    {"a chain of named barriers, without the first warp", SILENT, NULL, 1, 128,
     "setp.eq.u32 %q3, %w, 1; @%q3 st.shared.u32 [%s], %t; sub.u32 %r3, %w, 1;\n"
     "setp.lt.u32 %q4, %r3, 2; @%q4 bar.sync 1, 64; setp.gt.u32 %q5, %w, 1; @%q5 bar.sync 2, 64;\n"
     "setp.eq.u32 %q6, %w, 3; mad.lo.u32 %r4, %l, 4, %r1; @%q6 ld.shared.u32 %r2, [%r4+128];\n"
     "@%q6 st.global.u32 [%a], %r2;\n"},
    {"an arrival that is left when a block ends", SILENT, NULL, 2, 64,
     "st.shared.u32 [%s], %t;" SYNC "ld.shared.u32 %r2, [%o];" SYNC
     "st.global.u32 [%a], %r2; setp.eq.u32 %q3, %w, 0; @%q3 bar.arrive 0, 64;\n"},
    /* Atomic operations and flags. */
    {"atomic operations", SILENT, NULL, 1, 64,
     FIRST("st.shared.u32 [flag], 0;") SYNC "atom.shared.add.u32 %r2, [flag], 1;\n"},
    {"a store beside atomic operations", MACHINE_FAULT_RACE, "of flag", 1, 64,
     FIRST("st.shared.u32 [flag], 9;") "atom.shared.add.u32 %r2, [flag], 1;\n"},
    {"a store before the thread's own atomic operation", MACHINE_FAULT_RACE, "of s,", 1, 64,
     "setp.lt.u32 %q3, %t, 32; @%q3 st.shared.u32 [%s], 0; and.b32 %r4, %t, 31;\n"
     "mad.lo.u32 %r4, %r4, 4, %r1; atom.shared.add.u32 %r2, [%r4], 1;\n"},
    {"the same, with a barrier between them", SILENT, NULL, 1, 64,
     "setp.lt.u32 %q3, %t, 32; @%q3 st.shared.u32 [%s], 0;" SYNC "and.b32 %r4, %t, 31;\n"
     "mad.lo.u32 %r4, %r4, 4, %r1; atom.shared.add.u32 %r2, [%r4], 1;\n"},
    {"the same, of a warp that meets between them", SILENT, NULL, 1, 32,
     "st.shared.u32 [%s], 0; bar.warp.sync -1; xor.b32 %r4, %t, 1;\n"
     "mad.lo.u32 %r4, %r4, 4, %r1; atom.shared.add.u32 %r2, [%s], 1;\n"
     "atom.shared.add.u32 %r2, [%r4], 1;\n"},
    {"atomic operations beside volatile loads of several warps", SILENT, NULL, 1, 96,
     FIRST("st.shared.u32 [flag], 0;") SYNC
     "ld.volatile.shared.u32 %r2, [flag]; atom.shared.add.u32 %r3, [flag], 1;\n"
     "ld.volatile.shared.u32 %r4, [flag]; st.global.u32 [%a], %r4;\n"},
    {"a load of a sum without a barrier", MACHINE_FAULT_RACE, "a load of 4 bytes", 1, 64,
     FIRST("st.shared.u32 [flag], 0;") SYNC
     "red.shared.add.u32 [flag], 1; ld.shared.u32 %r2, [flag]; st.global.u32 [%a], %r2;\n"},
    {"a load of a sum behind a barrier", SILENT, NULL, 1, 64,
     FIRST("st.shared.u32 [flag], 0;") SYNC
     "red.shared.add.u32 [flag], 1;" SYNC "ld.shared.u32 %r2, [flag]; st.global.u32 [%a], %r2;\n"},
    {"a look before an atomic minimum", SILENT, NULL, 1, 64,
     FIRST("st.shared.u32 [flag], 99;") SYNC
     "ld.shared.u32 %r2, [flag]; setp.lt.u32 %q3, %t, %r2;\n"
     "@%q3 atom.shared.min.u32 %r2, [flag], %t;\n"},
    {"the same by many warps", SILENT, NULL, 1, 256,
     FIRST("st.shared.u32 [flag], 99;") SYNC
     "ld.shared.u32 %r2, [flag]; setp.lt.u32 %q3, %t, %r2; @!%q3 bra OVER;\n"
     "atom.shared.add.u32 %r2, [flag], -1; OVER:\n"},
    {"a look by many warps, and an atomic operation behind a barrier", MACHINE_FAULT_RACE,
     "a load of 4 bytes", 1, 256,
     FIRST("st.shared.u32 [flag], 99;") SYNC "setp.lt.u32 %q3, %t, 128; @%q3 red.shared.add.u32 "
                                             "[flag], 1; @!%q3 ld.shared.u32 %r2, [flag];\n"
                                             "@!%q3 st.global.u32 [%a], %r2;" SYNC
                                             "red.shared.add.u32 [flag], 1;\n"},
    {"a look of many blocks at a word of global memory", SILENT, NULL, 6, 64,
     "ld.global.u32 %r2, [gflag]; setp.lt.u32 %q3, %t, %r2; @%q3 bra OVER;\n"
     "atom.global.add.u32 %r2, [gflag], 1; OVER:\n"},
    {"a flag behind a fence", SILENT, NULL, 1, 64,
     FIRST("st.shared.u32 [flag], 0;") SYNC WARP0(
         "st.shared.u32 [%s], %t; bar.warp.sync -1; membar.cta; setp.eq.u32 %q4, %l, 0;\n"
         "@%q4 st.volatile.shared.u32 [flag], 1;\n",
         "WAIT: ld.volatile.shared.u32 %r3, [flag]; setp.eq.u32 %q5, %r3, 0; @%q5 bra WAIT;\n"
         "ld.shared.u32 %r2, [%o]; st.global.u32 [%a], %r2;\n")},
    {"a flag without a fence", MACHINE_FAULT_RACE, "no barrier", 1, 64,
     FIRST("st.shared.u32 [flag], 0;") SYNC WARP0(
         "st.shared.u32 [%s], %t; bar.warp.sync -1; setp.eq.u32 %q4, %l, 0;\n"
         "@%q4 st.volatile.shared.u32 [flag], 1;\n",
         "WAIT: ld.volatile.shared.u32 %r3, [flag]; setp.eq.u32 %q5, %r3, 0; @%q5 bra WAIT;\n"
         "ld.shared.u32 %r2, [%o]; st.global.u32 [%a], %r2;\n")},
    {"a fence, and a flag of one's own", MACHINE_FAULT_RACE, "a load of 4 bytes", 1, 64,
     WARP0("st.shared.u32 [%s], %t; membar.cta;\n",
           "mov.u32 %r9, 0; LATE: add.u32 %r9, %r9, 1; setp.lt.u32 %q5, %r9, 200; @%q5 bra LATE;\n"
           "st.volatile.shared.u32 [%s+256], 1; ld.volatile.shared.u32 %r3, [%s+256];\n"
           "ld.shared.u32 %r2, [%o]; st.global.u32 [%a], %r2;\n")},
    {"a fence of a block, and a flag of another one's own", MACHINE_FAULT_RACE, "gdata", 2, 1,
     "setp.ne.u32 %q3, %b, 0; @%q3 bra READS; st.global.u32 [gdata], 1; membar.gl; bra OVER;\n"
     "READS: st.volatile.global.u32 [%a], 1; ld.volatile.global.u32 %r3, [%a];\n"
     "ld.global.u32 %r2, [gdata]; st.shared.u32 [%s], %r2; OVER:\n"},
    {"a lock", SILENT, NULL, 1, 64,
     FIRST("st.shared.u32 [flag], 0; st.shared.u32 [s], 0;") SYNC
     "mov.u32 %r4, 0;\n"
     "TRY: atom.shared.cas.b32 %r2, [flag], 0, 1; setp.ne.u32 %q3, %r2, 0; @%q3 bra NEXT;\n"
     "ld.shared.u32 %r3, [s]; add.u32 %r3, %r3, 1; st.shared.u32 [s], %r3; membar.cta;\n"
     "atom.shared.exch.b32 %r5, [flag], 0; mov.u32 %r4, 1;\n"
     "NEXT: setp.eq.u32 %q4, %r4, 0; @%q4 bra TRY;\n"},
    {"an mbarrier", SILENT, NULL, 1, 64,
     FIRST("mbarrier.init.shared.b64 [bar], 64;") SYNC
     "st.shared.u32 [%s], %t; mbarrier.arrive.shared.b64 %rd1, [bar];\n"
     "WAIT: mbarrier.test_wait.shared.b64 %q3, [bar], %rd1; @!%q3 bra WAIT;\n"
     "ld.shared.u32 %r2, [%o]; st.global.u32 [%a], %r2;\n"},
    {"an mbarrier that is not waited for", MACHINE_FAULT_RACE, "no barrier", 1, 64,
     FIRST("mbarrier.init.shared.b64 [bar], 64;") SYNC
     "st.shared.u32 [%s], %t; mbarrier.arrive.shared.b64 %rd1, [bar];\n"
     "ld.shared.u32 %r2, [%o]; st.global.u32 [%a], %r2;\n"},
    {"words of an mbarrier that has ended", SILENT, NULL, 1, 64,
     FIRST("mbarrier.init.shared.b64 [bar], 64; mbarrier.inval.shared.b64 [bar];\n"
           "ld.shared.u64 %rd1, [bar]; st.shared.u64 [bar], %rd1; ld.shared.u32 %r2, [bar+4];")},
    {"words of an mbarrier that another thread ends", MACHINE_FAULT_RACE, "no __syncwarp()", 1, 2,
     FIRST(
         "mbarrier.init.shared.b64 [bar], 64; mbarrier.inval.shared.b64 [bar];") "ld.shared.u64 "
                                                                                 "%rd1, [bar]; "
                                                                                 "st.global.u64 "
                                                                                 "[%p0], %rd1;\n"},
    /* Blocks. */
    {"blocks that store in one word", MACHINE_FAULT_RACE, "nothing puts the two blocks", 2, 1,
     "st.global.u32 [%p0], %b;\n"},
    {"lanes of one store in global memory that differ", MACHINE_FAULT_RACE, "no __syncwarp()", 1,
     32, "st.global.u32 [%p0], %l;\n"},
    {"a name with a digit and an E at its end", MACHINE_FAULT_RACE, "of tile1xE", 1, 64,
     ".shared .align 4 .b8 _ZZ1kPiE7tile1xE[4];\nst.shared.u32 [_ZZ1kPiE7tile1xE], %w;\n"},
    {"blocks that store the same", SILENT, NULL, 2, 1, "st.global.u32 [%p0], 5;\n"},
    {"blocks with words of their own", SILENT, NULL, 4, 1,
     "mad.wide.u32 %rd1, %b, 4, %p0; st.global.u32 [%rd1], %b; ld.global.u32 %r2, [%rd1];\n"},
    {"a block reads what another stores", MACHINE_FAULT_RACE, "a load of 4 bytes", 2, 1,
     "mad.wide.u32 %rd1, %b, 4, %p0; add.u32 %r3, %b, 1; st.global.u32 [%rd1], %r3;\n"
     "ld.global.u32 %r2, [%p0]; st.global.u32 [%rd1+64], %r2;\n"},
    {"threads of a block in global memory", MACHINE_FAULT_RACE, "no barrier", 1, 64,
     "st.global.u32 [%a], %t; xor.b32 %r3, %t, 32; mad.wide.u32 %rd1, %r3, 4, %p0;\n"
     "ld.global.u32 %r2, [%rd1]; st.shared.u32 [%s], %r2;\n"},
    {"threads of a block in global memory, with a barrier", SILENT, NULL, 1, 64,
     "st.global.u32 [%a], %t;" SYNC "xor.b32 %r3, %t, 32; mad.wide.u32 %rd1, %r3, 4, %p0;\n"
     "ld.global.u32 %r2, [%rd1]; st.shared.u32 [%s], %r2;\n"},
    {"the last block reads what all stored", SILENT, NULL, 4, 64,
     "mad.lo.u32 %r3, %b, 64, %t; mad.wide.u32 %rd1, %r3, 4, %p0; st.global.u32 [%rd1], %t;\n"
     "membar.gl;" SYNC FIRST("atom.global.add.u32 %r4, [gflag], 1; st.shared.u32 [flag], %r4;") SYNC
     "ld.shared.u32 %r4, [flag]; setp.ne.u32 %q3, %r4, 3; @%q3 bra OVER;\n"
     "ld.global.u32 %r2, [%a]; ld.global.u32 %r3, [%a+256]; st.shared.u32 [%s], %r2; OVER:\n"},
    {"the last block, without a fence", MACHINE_FAULT_FENCE,
     "stores; only an atomic operation is between them, with no __threadfence() before it", 4, 64,
     STORE_OWN SYNC FIRST(COUNT("")) SYNC LAST_READS},
    {"with fences, but without the barrier before it is counted", MACHINE_FAULT_RACE,
     "a load of 4 bytes", 4, 64, STORE_OWN "membar.gl;" FIRST(COUNT("")) SYNC LAST_READS},
    {"with a fence of one thread behind the barrier", SILENT, NULL, 4, 64,
     STORE_OWN SYNC FIRST("membar.gl;" COUNT("")) SYNC LAST_READS},
    {"with a fence before what is stored", MACHINE_FAULT_FENCE, "a load of 4 bytes", 4, 64,
     "membar.gl;" STORE_OWN SYNC FIRST(COUNT("")) SYNC LAST_READS},
    {"with an atomic operation that releases", SILENT, NULL, 4, 64,
     STORE_OWN SYNC FIRST(COUNT(".release.gpu")) SYNC LAST_READS},
    {"with one that only acquires", MACHINE_FAULT_FENCE, "a load of 4 bytes", 4, 64,
     STORE_OWN SYNC FIRST(COUNT(".acquire.gpu")) SYNC LAST_READS},
    {"with a fence of a thread that has waited for some only", SILENT, NULL, 4, 64,
     STORE_OWN WARP0("bar.sync 1, 64;", "bar.arrive 1, 64;") FIRST("membar.gl;" COUNT(""))
         SYNC LAST_READS},
    {"with a fence of a thread that has waited for an mbarrier", SILENT, NULL, 4, 64,
     FIRST("mbarrier.init.shared.b64 [bar], 64;") SYNC STORE_OWN
     "mbarrier.arrive.shared.b64 %rd1, [bar]; setp.ne.u32 %q1, %t, 0; @%q1 bra ALL;\n"
     "WAIT: mbarrier.test_wait.shared.b64 %q3, [bar], %rd1; @!%q3 bra WAIT;\n"
     "membar.gl;" COUNT("") "ALL:\n" SYNC LAST_READS},
    {"a lock of blocks", SILENT, NULL, 4, 1, LOCKED("membar.gl;")},
    {"a lock of blocks without a fence before it is given", MACHINE_FAULT_FENCE, "gdata", 4, 1,
     LOCKED("")},
    {"the last block, without the barrier before it is counted", MACHINE_FAULT_RACE,
     "nothing puts the two blocks", 4, 64,
     "mad.lo.u32 %r3, %b, 64, %t; mad.wide.u32 %rd1, %r3, 4, %p0; \n" FIRST("membar.gl; "
                                                                            "atom.global.add.u32 "
                                                                            "%r4, [gflag], 1; "
                                                                            "st.shared.u32 [flag], "
                                                                            "%r4;") "st.global.u32 "
                                                                                    "[%rd1], "
                                                                                    "%t;" SYNC
                                                                                    "ld.shared.u32 "
                                                                                    "%r4, [flag]; "
                                                                                    "setp.ne.u32 "
                                                                                    "%q3, %r4, 3; "
                                                                                    "@%q3 bra "
                                                                                    "OVER;\n"
                                                                                    "ld.global.u32 "
                                                                                    "%r2, [%a]; "
                                                                                    "ld.global.u32 "
                                                                                    "%r3, "
                                                                                    "[%a+256]; "
                                                                                    "st.shared.u32 "
                                                                                    "[%s], %r2; "
                                                                                    "OVER:\n"},
    {"blocks in turn, by a flag (look-back)", SILENT, NULL, 6, 32,
     FIRST("WAIT: ld.volatile.global.u32 %r2, [gflag]; setp.ne.u32 %q3, %r2, %b; @%q3 bra WAIT;\n"
           "ld.global.u32 %r3, [gdata]; add.u32 %r3, %r3, 1; st.global.u32 [gdata], %r3;\n"
           "membar.gl; add.u32 %r2, %r2, 1; st.volatile.global.u32 [gflag], %r2;")},
    {"a volatile flag behind fences and a barrier", SILENT, NULL, 2, 64,
     "setp.ne.u32 %q5, %b, 0; @%q5 bra WAIT; st.global.u32 [%a], %t; membar.gl;" SYNC
     "setp.eq.u32 %q3, %t, 0; @%q3 st.volatile.global.u32 [gflag], 1; bra.uni OVER;\n"
     "WAIT: ld.volatile.global.u32 %r2, [gflag]; setp.eq.u32 %q3, %r2, 0; @%q3 bra WAIT;\n"
     "ld.global.u32 %r2, [%a]; st.shared.u32 [%s], %r2; OVER:\n"},
    {"without the barrier", MACHINE_FAULT_RACE, "a load of 4 bytes at byte 128", 2, 64,
     "setp.ne.u32 %q5, %b, 0; @%q5 bra WAIT; st.global.u32 [%a], %t; membar.gl;\n"
     "setp.eq.u32 %q3, %t, 0; @%q3 st.volatile.global.u32 [gflag], 1; bra.uni OVER;\n"
     "WAIT: ld.volatile.global.u32 %r2, [gflag]; setp.eq.u32 %q3, %r2, 0; @%q3 bra WAIT;\n"
     "ld.global.u32 %r2, [%a]; st.shared.u32 [%s], %r2; OVER:\n"},
    {"blocks in turn, without the fence", MACHINE_FAULT_RACE, "gdata", 6, 32,
     FIRST("WAIT: ld.volatile.global.u32 %r2, [gflag]; setp.ne.u32 %q3, %r2, %b; @%q3 bra WAIT;\n"
           "ld.global.u32 %r3, [gdata]; add.u32 %r3, %r3, 1; st.global.u32 [gdata], %r3;\n"
           "add.u32 %r2, %r2, 1; st.volatile.global.u32 [gflag], %r2;")},
    {"release and acquire", SILENT, NULL, 6, 32,
     FIRST(
         "WAIT: ld.acquire.gpu.global.u32 %r2, [gflag]; setp.ne.u32 %q3, %r2, %b; @%q3 bra WAIT;\n"
         "ld.global.u32 %r3, [gdata]; add.u32 %r3, %r3, 1; st.global.u32 [gdata], %r3;\n"
         "add.u32 %r2, %r2, 1; st.release.gpu.global.u32 [gflag], %r2;")},
    {"of a flag that is stored as any word", MACHINE_FAULT_RACE, "gdata", 2, 32,
     FIRST("setp.ne.u32 %q3, %b, 0; @%q3 bra WAIT;\n"
           "st.global.u32 [gdata], 1; membar.gl; st.global.u32 [gflag], 1; bra.uni OVER;\n"
           "WAIT: ld.acquire.gpu.global.u32 %r2, [gflag]; setp.eq.u32 %q3, %r2, 0; @%q3 bra WAIT;\n"
           "ld.global.u32 %r3, [gdata]; st.global.u32 [%p0], %r3; OVER:\n")},
    {"labels that spread by atomic minima", SILENT, NULL, 2, 4,
     "mad.lo.u32 %r3, %b, 4, %t; mad.wide.u32 %rd1, %r3, 4, %p0; ld.global.u32 %r4, [%rd1];\n"
     "ld.global.u32 %r5, [%rd1+4]; min.u32 %r4, %r4, %r5; sub.u32 %r4, %r4, %r3;\n"
     "red.global.min.u32 [%rd1], %r4;\n"},
    {"a store beside another block's atomic operations", MACHINE_FAULT_RACE, "gflag", 4, 1,
     "setp.eq.u32 %q3, %b, 2; @%q3 st.global.u32 [gflag], 77; @!%q3 red.global.add.u32 [gflag], "
     "1;\n"},
    {"a word that a block clears for all others, behind its own barrier", MACHINE_FAULT_RACE,
     "gflag", 3, 64,
     "or.b32 %r3, %b, %t; setp.eq.u32 %q3, %r3, 0; @%q3 st.global.u32 [gflag], 0;\n" SYNC
     "red.global.add.u32 [gflag], 1;\n"},
    {"a word that each block clears for itself, behind its own barrier", SILENT, NULL, 3, 64,
     "mad.wide.u32 %rd1, %b, 4, %p0; setp.eq.u32 %q3, %t, 0; @%q3 st.global.u32 [%rd1], 0;\n" SYNC
     "red.global.add.u32 [%rd1], 1;\n"},
    {"a word that a block clears for all others, who wait for its flag", SILENT, NULL, 3, 32,
     "setp.ne.u32 %q3, %b, 0; @%q3 bra WAIT;\n"
     "setp.eq.u32 %q1, %t, 0; @%q1 st.global.u32 [gdata], 0;\n" SYNC
     "red.global.add.u32 [gdata], 1;\n" SYNC
     "@%q1 membar.gl; @%q1 st.volatile.global.u32 [gflag], 1; @%q1 red.global.add.u32 [gdata], 1;\n"
     "bra.uni OVER;\n"
     "WAIT: ld.volatile.global.u32 %r2, [gflag]; setp.eq.u32 %q3, %r2, 0; @%q3 bra WAIT;\n"
     "red.global.add.u32 [gdata], 1; OVER:\n"},
    {"a word that a block clears and counts in when the others know its flag", SILENT, NULL, 3, 32,
     "setp.ne.u32 %q3, %b, 0; @%q3 bra WAIT;\n"
     "setp.eq.u32 %q1, %t, 0; @%q1 st.global.u32 [gdata], 0;\n" SYNC
     "@%q1 membar.gl; @%q1 st.volatile.global.u32 [gflag], 1; red.global.add.u32 [gdata], 1;\n"
     "bra.uni OVER;\n"
     "WAIT: ld.volatile.global.u32 %r2, [gflag]; setp.eq.u32 %q3, %r2, 0; @%q3 bra WAIT;\n"
     "red.global.add.u32 [gdata], 1; OVER:\n"},
    /* Bounds. */
    {"an index outside a shared array", MACHINE_FAULT_BOUNDS,
     "4 bytes at byte 4 of flag, which has 4", 1, 32,
     "mov.u32 %r3, flag; mad.lo.u32 %r3, %t, 4, %r3; setp.lt.u32 %q3, %t, 2;\n"
     "@%q3 st.shared.u32 [%r3], %t; st.shared.u32 [last], 1;\n"},
    {"an index outside the last shared array", MACHINE_FAULT_ADDRESS,
     "a store of 4 bytes at byte 16 of last, which has 16", 1, 32,
     "mov.u32 %r3, last; mad.lo.u32 %r3, %t, 4, %r3; setp.lt.u32 %q3, %t, 5;\n"
     "@%q3 st.shared.u32 [%r3], %t;\n"},
    {"a negative index", MACHINE_FAULT_BOUNDS, "byte -4 of flag", 1, 1,
     "mov.u32 %r3, flag; mov.u32 %r4, -1; mad.lo.u32 %r3, %r4, 4, %r3; st.shared.u32 [%r3], %t;\n"},
    {"a loop's pointer that runs out", MACHINE_FAULT_ADDRESS, "byte 16 of last, which has 16 bytes",
     1, 1,
     "mov.u32 %r3, last; mov.u32 %r4, 0;\n"
     "LOOP: st.shared.u32 [%r3], %r4; add.u32 %r3, %r3, 4; add.u32 %r4, %r4, 1;\n"
     "setp.le.u32 %q3, %r4, 4; @%q3 bra LOOP;\n"},
    {"a pointer into either of two arrays", SILENT, NULL, 1, 32,
     "mov.u32 %r3, s; setp.lt.u32 %q3, %t, 8; @%q3 mov.u32 %r3, last; and.b32 %r4, %t, 3;\n"
     "mad.lo.u32 %r3, %r4, 4, %r3; st.shared.u32 [%r3], 1;\n"},
    {"an index outside the first shared array", MACHINE_FAULT_BOUNDS,
     "byte 1024 of s, which has 1024", 1, 1,
     "st.shared.u32 [flag], 1; st.shared.u32 [%s+1024], %t;\n"},
    {"an index that is subtracted", MACHINE_FAULT_BOUNDS, "byte -4 of flag", 1, 1,
     "mov.u32 %r3, flag; sub.u32 %r4, %r3, 4; st.shared.u32 [%r4], %t;\n"},
    {"one of two places of an array", MACHINE_FAULT_BOUNDS, "byte 4 of flag", 1, 1,
     "mov.u32 %r3, flag; add.u32 %r4, %r3, 4; setp.eq.u32 %q3, %t, 1;\n"
     "selp.b32 %r5, %r3, %r4, %q3; st.shared.u32 [%r5], %t;\n"},
    {"a pointer and the difference of two", MACHINE_FAULT_BOUNDS, "byte 8 of flag", 1, 1,
     "mov.u32 %r3, last; add.u32 %r4, %r3, 8; sub.u32 %r5, %r4, %r3; mov.u32 %r6, flag;\n"
     "add.u32 %r7, %r6, %r5; st.shared.u32 [%r7], %t;\n"},
    /* What is not of the array that it was made of. */
    {"one of two arrays", SILENT, NULL, 1, 1,
     "mov.u32 %r3, flag; mov.u32 %r4, last; setp.eq.u32 %q3, %t, 0;\n"
     "selp.b32 %r5, %r3, %r4, %q3; st.shared.u32 [%r5], 1; selp.b32 %r6, %r4, %r3, %q3;\n"
     "st.shared.u32 [%r6+12], 1;\n"},
    {"an array or a number", SILENT, NULL, 1, 1,
     NUMBER("%r4", "s") "mov.u32 %r3, flag; setp.eq.u32 %q3, %t, 0;\n"
                        "selp.b32 %r5, %r4, %r3, %q3; st.shared.u32 [%r5], 1;\n"},
    {"bits of an address", SILENT, NULL, 1, 1,
     NUMBER("%r4", "s") "mov.u32 %r3, last; and.b32 %r5, %r3, 0; add.u32 %r6, %r5, %r4;\n"
                        "st.shared.u32 [%r6], 1;\n"},
    {"a multiple of an address", SILENT, NULL, 1, 1,
     NUMBER("%r4", "s") "mov.u32 %r3, last; mov.u32 %r5, 0; mad.lo.u32 %r6, %r3, %r5, %r4;\n"
                        "st.shared.u32 [%r6], 1;\n"},
    {"an address that is subtracted", SILENT, NULL, 1, 1,
     NUMBER("%r4", "last") NUMBER("%r5", "s") "mov.u32 %r3, last; sub.u32 %r6, %r4, %r3;\n"
                                              "add.u32 %r7, %r6, %r5; st.shared.u32 [%r7], 1;\n"},
    {"the sum of two addresses", SILENT, NULL, 1, 1,
     NUMBER("%r5", "s") NUMBER("%r6", "last") "sub.u32 %r7, %r5, %r6; sub.u32 %r7, %r7, %r6;\n"
                                              "mov.u32 %r3, last; add.u32 %r8, %r3, %r3; add.u32 "
                                              "%r9, %r8, %r7; st.shared.u32 [%r9], 1;\n"},
    {"an address, and bits of another one", SILENT, NULL, 1, 1,
     NUMBER("%r5", "s") "mov.u32 %r3, last; not.b32 %r4, %r3; add.u32 %r6, %r4, %r5;\n"
                        "add.u32 %r7, %r3, %r6; st.shared.u32 [%r7+1], 1;\n"},
    {"an address, and a number that is bits of another one sometimes", SILENT, NULL, 1, 1,
     NUMBER("%r5", "s") "mov.u32 %r3, last; mov.u32 %r4, 0; setp.eq.u32 %q3, %t, 0;\n"
                        "@%q3 not.b32 %r4, %r3; add.u32 %r6, %r4, %r5; add.u32 %r7, %r3, %r6;\n"
                        "st.shared.u32 [%r7+1], 1;\n"},
    {"an index outside an array, beside 6 moves that are written from their end",
     MACHINE_FAULT_BOUNDS, "byte 8 of flag", 1, 1,
     SIX_MOVES "mov.u32 %r17, last; mov.u32 %r3, flag; st.shared.u32 [%r3+8], %t;\n"},
    {"beside so many that nothing is known", SILENT, NULL, 1, 1,
     SIX_MOVES "mov.u32 %r17, %r18; mov.u32 %r18, last; mov.u32 %r3, flag;\n"
               "st.shared.u32 [%r3+8], %t; mov.u32 %r0, flag; st.shared.u32 [%r0+8], %t;\n"},
    {"an address, and bits of another one that the text has behind it", SILENT, NULL, 1, 1,
     NUMBER("%r5", "s") "mov.u32 %r3, last; bra BITS;\n"
                        "STORE: add.u32 %r7, %r3, %r6; st.shared.u32 [%r7+1], 1; bra OVER;\n"
                        "BITS: not.b32 %r4, %r3; add.u32 %r6, %r4, %r5; bra STORE; OVER:\n"},
    {"outside an allocation", MACHINE_FAULT_ADDRESS, "at byte 1024 of", 1, 32,
     "st.global.u32 [%a+1000], %t;\n"},
    {"outside a variable", MACHINE_FAULT_ADDRESS, "at byte 256 of gdata", 1, 32,
     "mov.u64 %rd1, gdata; mad.wide.u32 %rd1, %t, 4, %rd1; st.global.u32 [%rd1+132], %t;\n"},
    {"misaligned", MACHINE_FAULT_ALIGNMENT, "not a multiple of 4", 1, 1,
     "st.global.u32 [%a+2], %t;\n"},
    {"a null pointer", MACHINE_FAULT_ADDRESS, "null pointer", 1, 1,
     "mov.u64 %rd1, 0; st.global.u32 [%rd1], %t;\n"},
    /* What was never written. */
    {"a shared word that nobody wrote", MACHINE_FAULT_UNWRITTEN, "byte 0 of s, which nothing", 1,
     32,
     "setp.gt.u32 %q3, %t, 0; @%q3 st.shared.u32 [%s], %t;" SYNC
     "ld.shared.u32 %r2, [%s]; st.global.u32 [%a], %r2;\n"},
    {"one that the block before wrote", MACHINE_FAULT_UNWRITTEN, "of s", 2, 1,
     "setp.eq.u32 %q3, %b, 0; @%q3 st.shared.u32 [s], 5; ld.shared.u32 %r2, [s];\n"
     "mad.wide.u32 %rd1, %b, 4, %p0; st.global.u32 [%rd1], %r2;\n"},
    {"an address that nobody wrote", MACHINE_FAULT_UNWRITTEN, "byte 512 of s", 1, 1,
     "ld.shared.u32 %r2, [s+512]; ld.shared.u32 %r3, [%r2];\n"},
    {"a value that nobody uses", SILENT, NULL, 1, 32, "ld.shared.u32 %r2, [%s];\n"},
    {"of a vector a part that nobody uses", SILENT, NULL, 1, 1,
     "st.shared.v2.u32 [s], {1, 2}; ld.shared.v4.u32 {%r2, %r3, %r4, %r5}, [s];\n"
     "st.global.u32 [%a], %r2;\n"},
    {"of a vector a part that somebody uses", MACHINE_FAULT_UNWRITTEN, "16 bytes at byte 0 of s", 1,
     1,
     "st.shared.v2.u32 [s], {1, 2}; ld.shared.v4.u32 {%r2, %r3, %r4, %r5}, [s];\n"
     "st.global.u32 [%a], %r4;\n"},
    {"elements that are each written in part", SILENT, NULL, 1, 32,
     "mad.lo.u32 %r10, %t, 8, %r1; st.shared.u8 [%r10], %t; st.shared.u8 [%r10+7], %t;\n"
     "ld.shared.v2.u32 {%r2, %r3}, [%r10]; add.u32 %r2, %r2, %r3; st.global.u32 [%a], %r2;\n"},
    {"elements of which one is not written", MACHINE_FAULT_UNWRITTEN, "a load of 8 bytes", 1, 32,
     "mad.lo.u32 %r10, %t, 8, %r1; st.shared.u8 [%r10], %t; st.shared.u8 [%r10+3], %t;\n"
     "ld.shared.v2.u32 {%r2, %r3}, [%r10]; add.u32 %r2, %r2, %r3; st.global.u32 [%a], %r2;\n"},
    {"rows of a matrix that nobody wrote", MACHINE_FAULT_UNWRITTEN, "a load of 16 bytes", 1, 32,
     MATRIX_OF_S "st.global.u32 [%a], %r2;\n"},
    {"rows of a matrix that are written in part", SILENT, NULL, 1, 32,
     ROWS_BEGIN "bar.warp.sync -1;" MATRIX_OF_S "st.global.u32 [%a], %r2;\n"},
    {"the same, by ldmatrix", SILENT, NULL, 1, 32,
     ROWS_BEGIN "bar.warp.sync -1; ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r2, %r3, %r4, %r5}, "
                "[%r10]; st.global.u32 [%a], %r2;\n"},
    {"a local word that nobody wrote: compilers copy such words", SILENT, NULL, 1, 1,
     "st.local.u32 [loc], 1; ld.local.u32 %r2, [loc+4]; st.global.u32 [%a], %r2;\n"},
    {"a local word that was written", SILENT, NULL, 1, 1,
     "st.local.u32 [loc+4], 1; ld.local.u32 %r2, [loc+4]; st.global.u32 [%a], %r2;\n"},
    {"the system's word, which nobody wrote", SILENT, NULL, 1, 1,
     "mov.u32 %r4, %reserved_smem_offset_1; atom.shared.and.b32 %r2, [%r4], 1;\n"
     "st.global.u32 [%a], %r2;\n"},
    {"a sum in a word that nobody wrote", MACHINE_FAULT_UNWRITTEN, "an atomic operation", 1, 1,
     "red.shared.add.u32 [flag], 1;\n"},
    /* Memory that kernels allocate. */
    {"malloc'ed memory, in order", SILENT, NULL, 1, 32,
     MALLOC "st.u32 [%rd5+12], %t; ld.u32 %r2, [%rd5+12]; st.global.u32 [%a], %r2;\n" FREE},
    {"malloc'ed memory that nobody wrote", MACHINE_FAULT_UNWRITTEN, "a load of 4 bytes", 1, 1,
     MALLOC "ld.u32 %r2, [%rd5+12]; st.global.u32 [%a], %r2;\n" FREE},
    {"malloc'ed elements that are each written in part", SILENT, NULL, 1, 1,
     MALLOC "st.u8 [%rd5], %t; st.u8 [%rd5+7], %t; ld.v2.u32 {%r2, %r3}, [%rd5];\n"
            "add.u32 %r2, %r2, %r3; st.global.u32 [%a], %r2;\n"},
    {"malloc'ed elements of which one is not written", MACHINE_FAULT_UNWRITTEN, "a load of 8 bytes",
     1, 1,
     MALLOC "st.u8 [%rd5], %t; st.u8 [%rd5+3], %t; ld.v2.u32 {%r2, %r3}, [%rd5];\n"
            "add.u32 %r2, %r2, %r3; st.global.u32 [%a], %r2;\n"},
    {"outside of what malloc returned", MACHINE_FAULT_ADDRESS, "at byte 16 of 16 that malloc", 1, 1,
     MALLOC "st.u32 [%rd5+16], %t;\n"},
    {"malloc'ed memory that was freed", MACHINE_FAULT_ADDRESS, "were freed", 1, 1,
     MALLOC FREE "st.u32 [%rd5], %t;\n"},
    /* Copies. */
    {"a copy that is used before it is waited for", MACHINE_FAULT_COPY, "a load of 4", 1, 32,
     "cp.async.ca.shared.global [%s], [%a], 4; ld.shared.u32 %r2, [%s]; st.global.u32 [%a], "
     "%r2;\n"},
    {"a copy that is waited for", SILENT, NULL, 1, 32,
     "cp.async.ca.shared.global [%s], [%a], 4; cp.async.wait_all; ld.shared.u32 %r2, [%s];\n"
     "st.global.u32 [%a], %r2;\n"},
    {"a copy that half of the lanes wait for", MACHINE_FAULT_COPY, "a load of 4", 1, 32,
     "cp.async.ca.shared.global [%s], [%a], 4; setp.lt.u32 %q3, %l, 16; @%q3 cp.async.wait_all;\n"
     "ld.shared.u32 %r2, [%s]; st.global.u32 [%a], %r2;\n"},
    {"a group that is still under way", MACHINE_FAULT_COPY, "a load of 4", 1, 32,
     "cp.async.ca.shared.global [%s], [%a], 4; cp.async.commit_group; cp.async.wait_group 1;\n"
     "ld.shared.u32 %r2, [%s]; st.global.u32 [%a], %r2;\n"},
    {"the older of two groups", SILENT, NULL, 1, 32,
     "cp.async.ca.shared.global [%s], [%a], 4; cp.async.commit_group;\n"
     "cp.async.ca.shared.global [%s+512], [%a], 4; cp.async.commit_group; cp.async.wait_group 1;\n"
     "ld.shared.u32 %r2, [%s]; st.global.u32 [%a], %r2; cp.async.wait_group 0;\n"},
    {"the newer of two groups", MACHINE_FAULT_COPY, "at byte 512 of s", 1, 32,
     "cp.async.ca.shared.global [%s], [%a], 4; cp.async.commit_group;\n"
     "cp.async.ca.shared.global [%s+512], [%a], 4; cp.async.commit_group; cp.async.wait_group 1;\n"
     "ld.shared.u32 %r2, [%s+512]; st.global.u32 [%a], %r2; cp.async.wait_group 0;\n"},
    {"a copy that is waited for by its thread only", MACHINE_FAULT_RACE, "no barrier", 1, 64,
     "cp.async.ca.shared.global [%s], [%a], 4; cp.async.wait_all; ld.shared.u32 %r2, [%o];\n"
     "st.global.u32 [%a+512], %r2;\n"},
    {"a copy, waited for, and a barrier", SILENT, NULL, 1, 64,
     "cp.async.ca.shared.global [%s], [%a], 4; cp.async.wait_all;" SYNC
     "ld.shared.u32 %r2, [%o]; st.global.u32 [%a+512], %r2;\n"},
    {"a barrier does not wait for copies", MACHINE_FAULT_COPY, "a load of 4", 1, 64,
     "cp.async.ca.shared.global [%s], [%a], 4;" SYNC
     "ld.shared.u32 %r2, [%o]; st.global.u32 [%a+512], %r2;\n"},
    {"a copy that is overwritten in flight", MACHINE_FAULT_COPY, "a store of 4", 1, 32,
     "cp.async.ca.shared.global [%s], [%a], 4; st.shared.u32 [%s], 1; cp.async.wait_all;\n"},
    {"a loop that copies over its own copies in flight", MACHINE_FAULT_COPY, "a copy of 4", 1, 32,
     "mov.u32 %r2, 0; AGAIN: cp.async.ca.shared.global [%s], [%a], 4; cp.async.commit_group;\n"
     "add.u32 %r2, %r2, 1; setp.lt.u32 %q3, %r2, 3; @%q3 bra AGAIN; cp.async.wait_group 0;\n"},
    {"a loop that waits for them", SILENT, NULL, 1, 32,
     "mov.u32 %r2, 0; AGAIN: cp.async.ca.shared.global [%s], [%a], 4; cp.async.wait_all;\n"
     "add.u32 %r2, %r2, 1; setp.lt.u32 %q3, %r2, 3; @%q3 bra AGAIN;\n"},
    {"a copy that an mbarrier waits for, and nobody for that", MACHINE_FAULT_COPY, "a load of 4", 1,
     32, COPY_ARRIVES SYNC "ld.shared.u32 %r2, [%s]; st.global.u32 [%a], %r2;\n"},
    {"a copy that an mbarrier waits for", SILENT, NULL, 1, 32,
     COPY_ARRIVES PHASE_ENDS "ld.shared.u32 %r2, [%s]; st.global.u32 [%a], %r2;\n"},
    {"a copy that a thread of another warp has seen arrive", SILENT, NULL, 1, 64,
     COPY_ARRIVES PHASE_ENDS "ld.shared.u32 %r2, [%o]; st.global.u32 [%a], %r2;\n"},
    {"the next copy, in the mbarrier's next phase", MACHINE_FAULT_COPY, "a load of 4", 1, 32,
     COPY_ARRIVES PHASE_ENDS
     "cp.async.ca.shared.global [%s], [%a], 4; cp.async.mbarrier.arrive.shared.b64 [bar];\n"
     "ld.shared.u32 %r2, [%s]; st.global.u32 [%a], %r2;\n"},
    {"a copy that is waited for besides its mbarrier", SILENT, NULL, 1, 32,
     COPY_ARRIVES "cp.async.wait_all; ld.shared.u32 %r2, [%s]; st.global.u32 [%a], %r2;\n"},
    {"lanes that copy the same to one place", SILENT, NULL, 1, 32,
     "cp.async.ca.shared.global [flag], [gflag], 4; cp.async.wait_all;\n"},
    {"a copy over what others still read", MACHINE_FAULT_RACE, "a copy of 4", 1, 64,
     "st.shared.u32 [%s], %t;" SYNC "ld.shared.u32 %r2, [%o]; st.global.u32 [%a+512], %r2;\n"
     "cp.async.ca.shared.global [%s], [%a], 4; cp.async.wait_all;\n"},
    /* Barriers and masks. */
    {"threads that have returned", MACHINE_FAULT_RETURNED, "48 of 64 threads have returned", 1, 64,
     "setp.ge.u32 %q3, %t, 16; @%q3 ret;" SYNC},
    {"different barriers", MACHINE_FAULT_DIVERGENCE, "lanes of one warp", 1, 32,
     "setp.lt.u32 %q3, %t, 16; @%q3 bra LOW; bar.sync 0; bra OVER; LOW: bar.sync 0; OVER:\n"},
    {"a barrier that others do not come to", MACHINE_FAULT_BARRIER, "deadlock", 1, 64,
     WARP0("bar.sync 1, 64;\n", "bar.sync 2, 64;\n")},
    {"a mask that names lanes that do not come", MACHINE_FAULT_MASK, "do not come: 0xffff0000", 1,
     32,
     "setp.lt.u32 %q3, %t, 16; @!%q3 bra OVER; shfl.sync.idx.b32 %r2, %t, 0, 31, -1;\n"
     "st.global.u32 [%a], %r2; OVER: bar.sync 0;\n"},
    {"a mask without the lane that uses it", MACHINE_FAULT_MASK, "does not name lane 1", 1, 32,
     "shfl.sync.idx.b32 %r2, %t, 0, 31, 1; st.global.u32 [%a], %r2;\n"},
    {"a mask of lanes that have returned", SILENT, NULL, 1, 32,
     "setp.ge.u32 %q3, %t, 16; @%q3 ret; shfl.sync.idx.b32 %r2, %t, 0, 31, -1;\n"
     "st.global.u32 [%a], %r2;\n"},
    {"a value of a lane that there is not is stored", MACHINE_FAULT_MASK,
     "lane 4 stores is undefined: a shuffle took it, or a part of it, from lane 8,", 1, 8,
     "shfl.sync.down.b32 %r2, %t, 4, 31, -1; st.global.u32 [%a], %r2;\n"},
    {"of a lane that the mask does not name", MACHINE_FAULT_MASK, "lane 0 stores", 1, 32,
     "setp.ge.u32 %q3, %t, 16; @%q3 bra OVER; shfl.sync.idx.b32 %r2, %t, 20, 31, 0xffff;\n"
     "st.global.u32 [%a], %r2; OVER:\n"},
    {"of a lane that has such a value itself", MACHINE_FAULT_MASK, "lane 0 stores", 1, 8,
     "shfl.sync.down.b32 %r2, %t, 4, 31, -1; add.u32 %r3, %r2, %t;\n"
     "shfl.sync.down.b32 %r4, %r3, 4, 31, -1; mul.lo.u32 %r5, %r4, 3;\n"
     "setp.eq.u32 %q3, %t, 0; @%q3 st.global.u32 [%a], %r5;\n"},
    {"of which a vote is made", MACHINE_FAULT_MASK, "lane 0 stores", 1, 8,
     "shfl.sync.down.b32 %r2, %t, 4, 31, -1; setp.gt.u32 %q4, %r2, 3;\n"
     "vote.sync.any.pred %q5, %q4, 0xff; selp.b32 %r5, 1, 0, %q5; setp.eq.u32 %q3, %t, 0;\n"
     "@%q3 st.global.u32 [%a], %r5;\n"},
    {"of which a sum is made", MACHINE_FAULT_MASK, "lane 0 stores", 1, 8,
     "shfl.sync.down.b32 %r2, %t, 4, 31, -1; redux.sync.add.u32 %r5, %r2, 0xff;\n"
     "setp.eq.u32 %q3, %t, 0; @%q3 st.global.u32 [%a], %r5;\n"},
    {"of which a sum is made by other lanes", SILENT, NULL, 1, 24,
     "setp.lt.u32 %q3, %t, 16; selp.b32 %r3, 0xffff, 0xff0000, %q3;\n"
     "shfl.sync.bfly.b32 %r2, %t, 8, 31, %r3; redux.sync.add.u32 %r5, %r2, %r3;\n"
     "@%q3 st.global.u32 [%a], %r5;\n"},
    {"whose bit of a ballot is not used", SILENT, NULL, 1, 8,
     "shfl.sync.down.b32 %r2, %t, 4, 31, -1; setp.gt.u32 %q4, %r2, 3;\n"
     "vote.sync.ballot.b32 %r5, %q4, 0xff; and.b32 %r5, %r5, 0xf; st.global.u32 [%a], %r5;\n"},
    {"which the next turn of a loop stores", MACHINE_FAULT_MASK, "lane 4 stores", 1, 8,
     "mov.u32 %r5, 0; mov.u32 %r2, 0; NEXT: setp.eq.u32 %q3, %r5, 1;\n"
     "@%q3 st.global.u32 [%a], %r2; shfl.sync.down.b32 %r2, %t, 4, 31, -1;\n"
     "add.u32 %r5, %r5, 1; setp.lt.u32 %q4, %r5, 2; @%q4 bra NEXT;\n"},
    {"which is stored through a pointer", MACHINE_FAULT_MASK, "lane 4 stores", 1, 8,
     "shfl.sync.down.b32 %r2, %t, 4, 31, -1; cvta.global.u64 %rd1, %a; st.u32 [%rd1], %r2;\n"},
    {"a local variable has it", SILENT, NULL, 1, 8,
     "shfl.sync.down.b32 %r2, %t, 4, 31, -1; mov.u64 %rd1, loc; cvta.local.u64 %rd2, %rd1;\n"
     "st.u32 [%rd2], %r2;\n"},
    {"lanes store to shared memory through pointers", SILENT, NULL, 1, 8,
     "shfl.sync.down.b32 %r2, %t, 8, 31, -1; cvt.u64.u32 %rd1, %s; cvta.shared.u64 %rd2, %rd1;\n"
     "st.u32 [%rd2], %r2;\n"},
    {"which is added to a word", MACHINE_FAULT_MASK, "lane 7 stores", 1, 8,
     "shfl.sync.down.b32 %r2, %t, 1, 31, -1; red.global.add.u32 [%p0], %r2;\n"},
    {"which a warp's only lane stores in shared memory", MACHINE_FAULT_MASK, "lane 0 stores", 1, 8,
     "shfl.sync.down.b32 %r2, %t, 8, 31, -1; setp.eq.u32 %q3, %t, 0; @%q3 st.shared.u32 [%s], "
     "%r2;\n"},
    {"no lane that stores has such a value", SILENT, NULL, 1, 8,
     "shfl.sync.down.b32 %r2, %t, 4, 31, -1; add.u32 %r3, %r2, %t;\n"
     "setp.lt.u32 %q3, %t, 4; @%q3 st.global.u32 [%a], %r3;\n"},
    {"a sum over 8 lanes of a warp", SILENT, NULL, 1, 32,
     "setp.ge.u32 %q3, %t, 8; @%q3 bra OVER;\n"
     "shfl.sync.down.b32 %r2, %t, 4, 31, 0xff; add.u32 %r3, %r2, %t;\n"
     "shfl.sync.down.b32 %r2, %r3, 2, 31, 0xff; add.u32 %r3, %r2, %r3;\n"
     "shfl.sync.down.b32 %r2, %r3, 1, 31, 0xff; add.u32 %r3, %r2, %r3;\n"
     "st.shared.u32 [%s], %r3; setp.eq.u32 %q3, %t, 0; @%q3 st.global.u32 [%a], %r3; OVER:\n"},
    {"of two values the defined one is chosen", SILENT, NULL, 1, 8,
     "shfl.sync.down.b32 %r2, %t, 4, 31, -1; setp.lt.u32 %q3, %t, 4; selp.b32 %r3, %r2, 0, %q3;\n"
     "st.global.u32 [%a], %r3;\n"},
    {"it is multiplied by 0", SILENT, NULL, 1, 8,
     "shfl.sync.down.b32 %r2, %t, 4, 31, -1; setp.lt.u32 %q3, %t, 4; selp.b32 %r4, 1, 0, %q3;\n"
     "mul.lo.u32 %r3, %r2, %r4; st.global.u32 [%a], %r3;\n"},
    {"the product with 0 is added to another value", SILENT, NULL, 1, 8,
     "shfl.sync.down.b32 %r2, %t, 4, 31, -1; setp.lt.u32 %q3, %t, 4; selp.b32 %r4, 1, 0, %q3;\n"
     "mad.lo.u32 %r3, %r2, %r4, %t; st.global.u32 [%a], %r3;\n"},
    {"it is added to a product with 0", MACHINE_FAULT_MASK, "lane 4 stores", 1, 8,
     "shfl.sync.down.b32 %r2, %t, 4, 31, -1; setp.lt.u32 %q3, %t, 4; selp.b32 %r4, 1, 0, %q3;\n"
     "mad.lo.u32 %r3, %t, %r4, %r2; st.global.u32 [%a], %r3;\n"},
    {"64 bits of it are masked", SILENT, NULL, 1, 8,
     "shfl.sync.down.b32 %r2, %t, 4, 31, -1; setp.lt.u32 %q3, %t, 4; selp.b64 %rd1, -1, 0, %q3;\n"
     "cvt.u64.u32 %rd2, %r2; and.b64 %rd2, %rd2, %rd1; cvt.u32.u64 %r3, %rd2;\n"
     "st.global.u32 [%a], %r3;\n"},
    {"a comparison with it does not matter", SILENT, NULL, 1, 8,
     "shfl.sync.down.b32 %r2, %t, 4, 31, -1; setp.lt.u32 %q3, %t, %r2; setp.ge.u32 %q4, %t, 4;\n"
     "or.pred %q3, %q4, %q3; selp.b32 %r3, 7, %r2, %q3; st.global.u32 [%a], %r3;\n"},
    {"nor one that does not hold anyway", SILENT, NULL, 1, 8,
     "shfl.sync.down.b32 %r2, %t, 4, 31, -1; setp.lt.u32 %q3, %t, %r2; setp.lt.u32 %q4, %t, 4;\n"
     "and.pred %q3, %q3, %q4; selp.b32 %r3, %r2, 7, %q3; st.global.u32 [%a], %r3;\n"},
    {"a mask of other bits is joined with it by three", SILENT, NULL, 1, 8,
     "shfl.sync.down.b32 %r2, %t, 4, 31, -1; setp.lt.u32 %q3, %t, 4; selp.b32 %r4, -1, 0, %q3;\n"
     "lop3.b32 %r3, %r2, %r4, %t, 0xea; st.global.u32 [%a], %r3;\n"},
    {"the mask of three leaves some of its bits", MACHINE_FAULT_MASK, "lane 4 stores", 1, 8,
     "shfl.sync.down.b32 %r2, %t, 4, 31, -1; lop3.b32 %r3, %r2, 0x100, %t, 0xea;\n"
     "st.global.u32 [%a], %r3;\n"},
    {"the least of it and 0", SILENT, NULL, 1, 8,
     "shfl.sync.down.b32 %r2, %t, 4, 31, -1; min.u32 %r3, %r2, 0; st.global.u32 [%a], %r3;\n"},
    {"a byte is stored that has none of its bits", SILENT, NULL, 1, 8,
     "shfl.sync.down.b32 %r2, %t, 4, 31, -1; shl.b32 %r3, %r2, 8; or.b32 %r3, %r3, %t;\n"
     "st.global.u8 [%a], %r3;\n"},
    {"two bytes, of which one has", MACHINE_FAULT_MASK, "lane 4 stores", 1, 8,
     "shfl.sync.down.b32 %r2, %t, 4, 31, -1; shl.b32 %r3, %r2, 8; or.b32 %r3, %r3, %t;\n"
     "st.global.u16 [%a], %r3;\n"},
    {"of 64 bits the half that has none is stored", SILENT, NULL, 1, 8,
     "shfl.sync.down.b32 %r2, %t, 4, 31, -1; mov.b64 %rd1, {%t, %r2}; mov.b64 {%r3, %r4}, %rd1;\n"
     "st.global.u32 [%a], %r3;\n"},
    {"and the other one", MACHINE_FAULT_MASK, "lane 4 stores", 1, 8,
     "shfl.sync.down.b32 %r2, %t, 4, 31, -1; mov.b64 %rd1, {%t, %r2}; mov.b64 {%r3, %r4}, %rd1;\n"
     "st.global.u32 [%a], %r4;\n"},
    {"whose bit of a ballot is used", MACHINE_FAULT_MASK, "lane 0 stores", 1, 8,
     "shfl.sync.down.b32 %r2, %t, 4, 31, -1; setp.gt.u32 %q4, %r2, 3;\n"
     "vote.sync.ballot.b32 %r5, %q4, 0xff; and.b32 %r5, %r5, 0x10; st.global.u32 [%a], %r5;\n"},
    {"the lowest bit of a ballot is of another lane", SILENT, NULL, 1, 8,
     "shfl.sync.down.b32 %r2, %t, 4, 31, -1; setp.gt.u32 %q4, %r2, 3;\n"
     "vote.sync.ballot.b32 %r5, %q4, 0xff; brev.b32 %r5, %r5; clz.b32 %r5, %r5;\n"
     "st.global.u32 [%a], %r5;\n"},
    {"which decides whether another one is written over", MACHINE_FAULT_MASK, "lane 4 stores", 1, 8,
     "shfl.sync.down.b32 %r2, %t, 4, 31, -1; setp.gt.u32 %q4, %r2, 1000; mov.u32 %r5, 1;\n"
     "@%q4 mov.u32 %r5, 2; st.global.u32 [%a], %r5;\n"},
    {"lanes that write over it do not change others", MACHINE_FAULT_MASK, "lane 4 stores", 1, 8,
     "shfl.sync.down.b32 %r2, %t, 4, 31, -1; setp.gt.u32 %q4, %t, 4; @%q4 add.u32 %r2, %t, 1;\n"
     "st.global.u32 [%a], %r2;\n"},
    {"memory of a size that it says is taken once", SILENT, NULL, 1, 8,
     "shfl.sync.down.b32 %r2, %t, 4, 31, -1; and.b32 %r2, %r2, 8; or.b32 %r2, %r2, 304;\n"
     "cvt.u64.u32 %rd1, %r2; alloca.u64 %rd2, %rd1; st.global.u32 [%a], %t;\n"},
    {"lanes store to shared memory what nobody reads", SILENT, NULL, 1, 8,
     "shfl.sync.down.b32 %r2, %t, 8, 31, -1; st.shared.u32 [%s], %r2;\n"},
    {"it is written over", SILENT, NULL, 1, 8,
     "shfl.sync.down.b32 %r2, %t, 4, 31, -1; setp.ge.u32 %q3, %t, 4; @%q3 mov.u32 %r2, 7;\n"
     "st.global.u32 [%a], %r2;\n"},
    {"beyond the segment, lanes have their own", SILENT, NULL, 1, 8,
     "shfl.sync.down.b32 %r2, %t, 4, 0x1807, -1; st.global.u32 [%a], %r2;\n"},
    {"a local variable of another thread", MACHINE_FAULT_BOUNDS,
     "a load of 4 bytes through a pointer to a local variable of thread (3, 0, 0): each thread", 1,
     32,
     "mov.u64 %rd1, loc; cvta.local.u64 %rd2, %rd1; st.u32 [%rd2+4], %t;\n"
     "mov.b64 {%r2, %r3}, %rd2; shfl.sync.idx.b32 %r2, %r2, 3, 31, -1;\n"
     "shfl.sync.idx.b32 %r3, %r3, 3, 31, -1; mov.b64 %rd3, {%r2, %r3};\n"
     "ld.u32 %r4, [%rd3+4]; st.global.u32 [%a], %r4;\n"},
    {"a store to one", MACHINE_FAULT_BOUNDS,
     "a store of 4 bytes through a pointer to a local variable of thread (3, 0, 0): each thread "
     "has "
     "memory of its own there, and this one changes its own",
     1, 32,
     "mov.u64 %rd1, loc; cvta.local.u64 %rd2, %rd1; mov.b64 {%r2, %r3}, %rd2;\n"
     "shfl.sync.idx.b32 %r2, %r2, 3, 31, -1; shfl.sync.idx.b32 %r3, %r3, 3, 31, -1;\n"
     "mov.b64 %rd3, {%r2, %r3}; st.u32 [%rd3+4], %t;\n"},
    {"one of the last thread", MACHINE_FAULT_BOUNDS,
     "a local variable of thread (1023, 0, 0): each thread", 1, 1024,
     "mov.u64 %rd1, loc; cvta.local.u64 %rd2, %rd1; st.u32 [%rd2], %t;\n"
     "setp.eq.u32 %q3, %t, 1023; @%q3 st.shared.u64 [s], %rd2;" SYNC
     "ld.shared.u64 %rd3, [s]; ld.u32 %r4, [%rd3]; setp.eq.u32 %q3, %t, 0;\n"
     "@%q3 st.global.u32 [%a], %r4;\n"},
    {"one of another block", MACHINE_FAULT_BOUNDS,
     "a local variable of thread (0, 0, 0) of another block: each thread", 2, 1,
     "mov.u64 %rd1, loc; cvta.local.u64 %rd2, %rd1; st.u32 [%rd2], %t;\n"
     "setp.eq.u32 %q3, %b, 0; @%q3 st.global.u64 [%p0], %rd2; @%q3 bra OVER;\n"
     "ld.global.u64 %rd3, [%p0]; ld.u32 %r4, [%rd3]; st.global.u32 [%p0+8], %r4; OVER:\n"},
    {"one of a block that is not the first", MACHINE_FAULT_BOUNDS,
     "a local variable of thread (0, 0, 0) of another block: each thread", 3, 1,
     "mov.u64 %rd1, loc; cvta.local.u64 %rd2, %rd1; st.u32 [%rd2], %t;\n"
     "setp.eq.u32 %q3, %b, 0; @%q3 bra OVER;\n"
     "setp.eq.u32 %q3, %b, 1; @%q3 st.global.u64 [%p0], %rd2; @%q3 bra OVER;\n"
     "ld.global.u64 %rd3, [%p0]; ld.u32 %r4, [%rd3]; st.global.u32 [%p0+8], %r4; OVER:\n"},
    {"one's own, from before its beginning", SILENT, NULL, 1, 32,
     "mov.u64 %rd1, loc; cvta.local.u64 %rd2, %rd1; add.s64 %rd3, %rd2, -4096;\n"
     "st.u32 [%rd3+4100], %t; cvta.to.local.u64 %rd4, %rd3; ld.local.u32 %r4, [%rd4+4100];\n"
     "isspacep.local %q3, %rd3; @%q3 st.global.u32 [%a], %r4;\n"},
    {"lanes that meet from two places", SILENT, NULL, 1, 32,
     "setp.lt.u32 %q3, %t, 16; @%q3 bra LOW; st.shared.u32 [%s], %t; bar.warp.sync -1; bra OVER;\n"
     "LOW: bar.warp.sync -1; ld.shared.u32 %r2, [%s+64]; st.global.u32 [%a], %r2; OVER:\n"},
};

/* ---- running a row ------------------------------------------------------------------------------- */

enum { FOUND = 8 };
struct ran {
    uint32_t word[WORDS];
    struct machine_fault fault[FOUND];
    int faults, heard; /* the first of those */
    struct machine_fault last;
    struct machine_outcome outcome;
    struct error error;
};

static void hear(void *context, const struct machine_fault *fault)
{
    struct ran *ran = context;
    if (ran->faults < FOUND)
        ran->fault[ran->faults++] = *fault;
    ran->heard++;
    ran->last = *fault;
}

static void run_checked(const char *text, struct machine_launch launch, struct ran *ran)
{
    const struct machine_text ptx = {text, strlen(text), "t.ptx"};
    const struct machine_observer observer = {.context = ran, .fault = hear};
    const uint64_t address = (uintptr_t)ran->word;
    const struct machine_range range = {
        .address = address, .bytes = sizeof ran->word, .host = (uint8_t *)ran->word};
    struct machine_memory *memory = machine_memory_new(&heap_allocator);
    assert_true(machine_memory_add(memory, &range, false, &ran->error));
    struct machine_module *module = machine_load(memory, &ptx, 1, &ran->error);
    struct machine_run *run = NULL;
    if (module) {
        launch.kernel = machine_kernel(module, "k");
        launch.parameters = &address;
        launch.check = true;
        launch.observer = &observer;
        launch.instruction_limit = 1 << 20;
        run = machine_begin(&launch, &ran->error);
    }
    if (run) {
        machine_work(run);
        machine_end(run, &ran->outcome);
        machine_free_run(run);
    }
    machine_unload(module);
    machine_memory_free(memory);
}

static bool is_as_expected(const struct row *row, const struct ran *ran)
{
    if (row->kind == SILENT)
        return !ran->faults;
    for (int i = 0; i < ran->faults; i++)
        if ((int)ran->fault[i].kind == row->kind && strstr(ran->fault[i].text, row->text))
            return ran->fault[i].count > 0;
    return false;
}

static bool check_row(const struct row *row, uint64_t seed)
{
    static struct ran ran;
    char text[8192];
    snprintf(text, sizeof text, "%s%s%s", BEGIN, row->code, END);
    memset(&ran, 0, sizeof ran);
    run_checked(text,
                (struct machine_launch){
                    .grid = {row->grid, 1, 1}, .block = {row->block, 1, 1}, .order_seed = seed},
                &ran);
    const bool good = !*ran.error.text && is_as_expected(row, &ran);
    if (good)
        return true;
    print_error("%s: %s\n", row->name, *ran.error.text ? ran.error.text : "found:");
    for (int i = 0; i < ran.faults; i++)
        print_error("    %s: %s\n", machine_fault_name(ran.fault[i].kind), ran.fault[i].text);
    return false;
}

static void accesses_race_or_do_not(void **state)
{
    int wrong = 0;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        wrong += !check_row(&rows[i], 0);
    assert_int_equal(wrong, 0);
}

/* What is found does not depend on the order in which warps have their turns, but for who is named. */
static void orders_drawn_by_lot_find_the_same(void **state)
{
    int wrong = 0;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (uint64_t seed = 1; seed <= 4; seed++)
            wrong += rows[i].kind == SILENT && !check_row(&rows[i], seed);
    assert_int_equal(wrong, 0);
}

#define FIRST_COME                                                                                 \
    "setp.ne.u32 %q3, %l, 0; @%q3 bra OVER; atom.global.add.u32 %r2, [gflag], 1;\n"                \
    "mad.wide.u32 %rd1, %w, 4, %p0; st.global.u32 [%rd1], %r2; OVER:\n"

/* Each warp stores when it came; the same seed gives the same order, others another one. */
static void a_seed_repeats_an_order(void **state)
{
    static struct ran ran[3];
    static const uint64_t seeds[3] = {7, 7, 8};
    char text[8192];
    (void)state;
    snprintf(text, sizeof text, "%s%s%s", BEGIN, FIRST_COME, END);
    for (int i = 0; i < 3; i++)
        run_checked(text,
                    (struct machine_launch){
                        .grid = {1, 1, 1}, .block = {512, 1, 1}, .order_seed = seeds[i]},
                    &ran[i]);
    assert_memory_equal(ran[0].word, ran[1].word, sizeof ran->word);
    assert_memory_not_equal(ran[0].word, ran[2].word, sizeof ran->word);
}

static void kinds_are_turned_off(void **state)
{
    static struct ran ran;
    char text[8192];
    (void)state;
    snprintf(text, sizeof text, "%s%s%s", BEGIN, "st.shared.u32 [flag], %w;\n", END);
    run_checked(text,
                (struct machine_launch){
                    .grid = {1, 1, 1}, .block = {64, 1, 1}, .checks_off = 1u << MACHINE_FAULT_RACE},
                &ran);
    assert_true(ran.outcome.good);
    assert_int_equal(ran.faults, 0);
}

/* Where there is room for the first allocation's races only, the outcome says that the others were not looked for. */
static void what_was_not_looked_at_is_said(void **state)
{
    static struct ran ran;
    static const char code[] = "mov.u64 %rd3, gdata; cvta.global.u64 %rd3, %rd3;\n"
                               "mul.wide.u32 %rd4, %t, 4; add.u64 %rd3, %rd3, %rd4;\n"
                               "st.global.u32 [%a], %t; st.global.u32 [%rd3], %t;\n";
    struct machine_launch launch = {.grid = {1, 1, 1}, .block = {64, 1, 1}};
    char text[8192];
    (void)state;
    snprintf(text, sizeof text, "%s%s%s", BEGIN, code, END);
    run_checked(text, launch, &ran);
    assert_true(ran.outcome.good && !ran.outcome.partly_checked);
    launch.shadow_bytes = 1;
    run_checked(text, launch, &ran);
    assert_true(ran.outcome.good && ran.outcome.partly_checked);
}

/* 64 lanes of 32 blocks add to one place of the source, which is told once. */
static void a_place_is_told_once(void **state)
{
    static struct ran ran;
    char text[8192];
    (void)state;
    snprintf(text, sizeof text, "%s%s%s", BEGIN,
             "ld.global.u32 %r2, [%p0]; add.u32 %r2, %r2, 1; st.global.u32 [%p0], %r2;\n", END);
    run_checked(text, (struct machine_launch){.grid = {32, 1, 1}, .block = {64, 1, 1}}, &ran);
    assert_true(ran.faults > 0 && ran.faults <= 3);
    assert_true(ran.fault[0].count > 30 && ran.fault[0].count <= 32 * 64);
}

static void more_places_than_can_be_told_are_counted(void **state)
{
    enum { PLACES = 300, TOLD = 256 };
    static struct ran ran;
    static char text[8192 + PLACES * 40];
    int length = snprintf(text, sizeof text, "%s", BEGIN);
    (void)state;
    for (int i = 0; i < PLACES; i++)
        length +=
            snprintf(text + length, sizeof text - (size_t)length, "ld.shared.u32 %%r2, [s];\n");
    snprintf(text + length, sizeof text - (size_t)length, "%s", END);
    run_checked(text, (struct machine_launch){.grid = {2, 1, 1}, .block = {1, 1, 1}}, &ran);
    assert_int_equal(ran.heard, TOLD + 1);
    assert_int_equal(ran.last.count, 2 * (PLACES - TOLD));
    assert_non_null(strstr(ran.last.text, "more than 256 places have faults"));
}

/* The thread that did it, and the one whose variable it was. */
static void faults_are_told_of_their_thread(void **state)
{
    static const struct {
        const char *code, *text;
        uint32_t block[3], thread[3];
    } cases[] = {
        {"mov.u64 %rd1, loc; cvta.local.u64 %rd2, %rd1; st.u32 [%rd2], %t;\n"
         "setp.eq.u32 %q3, %t, 0; @%q3 st.shared.u64 [s], %rd2;" SYNC
         "setp.eq.u32 %q3, %t, 1023; @!%q3 bra OVER;\n"
         "ld.shared.u64 %rd3, [s]; ld.u32 %r4, [%rd3]; st.global.u32 [%p0], %r4; OVER:\n",
         "a local variable of thread (0, 0, 0): each thread",
         {1024, 1, 1},
         {1023, 0, 0}},
        {"mov.u64 %rd1, loc; cvta.local.u64 %rd2, %rd1; mov.b64 {%r2, %r3}, %rd2;\n"
         "shfl.sync.idx.b32 %r2, %r2, 23, 31, -1; shfl.sync.idx.b32 %r3, %r3, 23, 31, -1;\n"
         "mov.b64 %rd3, {%r2, %r3}; mov.u32 %r4, %tid.z; setp.eq.u32 %q3, %r4, 3;\n"
         "@%q3 st.u32 [%rd3+4], %t;\n",
         "a local variable of thread (3, 1, 2): each thread",
         {4, 2, 4},
         {0, 0, 3}},
    };
    static struct ran ran;
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[8192];
        struct machine_launch launch = {.grid = {1, 1, 1}};
        memset(&ran, 0, sizeof ran);
        memcpy(launch.block, cases[k].block, sizeof launch.block);
        snprintf(text, sizeof text, "%s%s%s", BEGIN, cases[k].code, END);
        run_checked(text, launch, &ran);
        if (ran.faults != 1 || !strstr(ran.fault[0].text, cases[k].text))
            fail_msg("%d, the first: %s%s", ran.faults, ran.fault[0].text, ran.error.text);
        assert_memory_equal(ran.fault[0].thread, cases[k].thread, sizeof cases[k].thread);
    }
}

/* A heap of one piece, which one block after another has: what the one before did to it is over. */
static void memory_that_malloc_returns_again_is_new(void **state)
{
    static const struct {
        const char *code;
        uint64_t bytes;
    } cases[] = {
        {MALLOC "st.u32 [%rd5+4], %b; ld.u32 %r2, [%rd5+4]; st.global.u32 [%a], 1;\n" FREE, 16},
        {MALLOC_OF("16384") "st.u32 [%rd5+12004], %b; ld.u32 %r2, [%rd5+12004];\n"
                            "st.global.u32 [%a], 1;\n" FREE,
         16384},
    };
    static struct ran ran;
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[8192];
        memset(&ran, 0, sizeof ran);
        snprintf(text, sizeof text, "%s%s%s", BEGIN, cases[k].code, END);
        run_checked(text,
                    (struct machine_launch){
                        .grid = {4, 1, 1}, .block = {1, 1, 1}, .heap_bytes = cases[k].bytes + 16},
                    &ran);
        for (int i = 0; i < ran.faults; i++)
            print_error("found: %s\n", ran.fault[i].text);
        assert_true(ran.outcome.good);
        assert_int_equal(ran.faults, 0);
        assert_int_equal(ran.word[0], 1);
    }
}

/* f calls itself through g: frames of 256 and 0 bytes, and 8 each for where to return to. All are in the limit, even if f
 * does not come to call g. A function of a kernel without recursion may have any frame. */
static void recursion_has_the_stack_that_a_gpu_gives(void **state)
{
    enum { F = 256 + 8, G = 8, LIMIT = 1024, MOST = (LIMIT - F) / (F + G) + 1 };
    static const struct {
        const char *entry;
        uint64_t stack_bytes;
        uint32_t calls; /* of f */
        bool good;
    } cases[] = {
        {"_f", 0, MOST, true},
        {"_f", 0, MOST + 1, false},
        {"_f", 2 * F + G, 2, true},
        {"_f", 2 * F + G - 1, 2, false},
        {"_f", F, 1, true},
        {"_f", F - 1, 1, false},
        {"_f", UINT64_C(1) << 32, 900, true},
        {"_large", 0, 1, true},
    };
    static struct ran ran;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[4096];
        snprintf(text, sizeof text,
                 ".version 8.0\n.target sm_90\n.address_size 64\n"
                 ".func _f(.param .b32 n);\n"
                 ".func _g(.param .b32 n)\n{ .reg .b32 %%r<3>;\n"
                 "ld.param.u32 %%r1, [n];\n"
                 "{ .param .b32 a; st.param.b32 [a], %%r1; call.uni _f, (a); }\nret; }\n"
                 ".func _f(.param .b32 n)\n{ .local .b8 a[256]; .reg .b32 %%r<3>; .reg .pred %%p;\n"
                 "ld.param.u32 %%r1, [n]; st.local.u32 [a], %%r1;\n"
                 "setp.le.u32 %%p, %%r1, 1; @%%p bra OUT; sub.u32 %%r1, %%r1, 1;\n"
                 "{ .param .b32 a; st.param.b32 [a], %%r1; call.uni _g, (a); }\nOUT: ret; }\n"
                 ".func _large(.param .b32 n)\n{ .local .b8 a[8192];\n"
                 "st.local.u32 [a], 1; ret; }\n"
                 ".visible .entry k(.param .u64 p)\n{ .reg .b32 %%r<3>;\nmov.u32 %%r1, %u;\n"
                 "{ .param .b32 a; st.param.b32 [a], %%r1; call.uni %s, (a); }\nret; }\n",
                 cases[i].calls, cases[i].entry);
        run_checked(text,
                    (struct machine_launch){.grid = {1, 1, 1},
                                            .block = {32, 1, 1},
                                            .stack_bytes = cases[i].stack_bytes},
                    &ran);
        if (ran.outcome.good != cases[i].good)
            print_error("case %zu: %s\n", i, ran.outcome.fault.text);
        assert_int_equal(ran.outcome.good, cases[i].good);
        if (!ran.outcome.good)
            assert_int_equal(ran.outcome.fault.kind, MACHINE_FAULT_STACK);
    }
}

/* What an H100 runs is not blamed: one call less than the first that faulted there (tests/gpu/stack.cu), of a function and a
 * kernel with local variables of so many bytes. */
static void no_stack_is_too_large_that_a_gpu_has(void **state)
{
    static struct ran ran;
    FILE *file = fopen("tests/data/h100-stack.tsv", "r");
    unsigned bytes, own, limit, first;
    char line[200];
    int rows = 0;
    (void)state;
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    while (fgets(line, sizeof line, file)) {
        char text[2048];
        assert_int_equal(sscanf(line, "%u %u %u %u", &bytes, &own, &limit, &first), 4);
        rows++;
        if (first < 2)
            continue;
        snprintf(
            text, sizeof text,
            ".version 8.0\n.target sm_90\n.address_size 64\n"
            ".func f(.param .b32 n)\n{ .local .align 4 .b8 a[%u]; .reg .b32 %%r<3>; .reg .pred "
            "%%p;\n"
            "ld.param.u32 %%r1, [n]; st.local.u32 [a], %%r1;\n"
            "setp.le.u32 %%p, %%r1, 1; @%%p bra OUT; sub.u32 %%r1, %%r1, 1;\n"
            "{ .param .b32 a; st.param.b32 [a], %%r1; call.uni f, (a); }\nOUT: ret; }\n"
            ".visible .entry k(.param .u64 p)\n{ .local .align 4 .b8 b[%u]; .reg .b32 %%r<3>;\n"
            "mov.u32 %%r1, %u; st.local.u32 [b], %%r1;\n"
            "{ .param .b32 a; st.param.b32 [a], %%r1; call.uni f, (a); }\nret; }\n",
            bytes ? bytes : 4, own ? own : 4, first - 1);
        run_checked(
            text,
            (struct machine_launch){.grid = {1, 1, 1}, .block = {32, 1, 1}, .stack_bytes = limit},
            &ran);
        if (!ran.outcome.good)
            fail_msg("%s%s%s", line, ran.error.text, ran.outcome.fault.text);
    }
    fclose(file);
    assert_int_equal(rows, 60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accesses_race_or_do_not),
        cmocka_unit_test(orders_drawn_by_lot_find_the_same),
        cmocka_unit_test(a_seed_repeats_an_order),
        cmocka_unit_test(kinds_are_turned_off),
        cmocka_unit_test(recursion_has_the_stack_that_a_gpu_gives),
        cmocka_unit_test(no_stack_is_too_large_that_a_gpu_has),
        cmocka_unit_test(what_was_not_looked_at_is_said),
        cmocka_unit_test(a_place_is_told_once),
        cmocka_unit_test(more_places_than_can_be_told_are_counted),
        cmocka_unit_test(faults_are_told_of_their_thread),
        cmocka_unit_test(memory_that_malloc_returns_again_is_new),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
