/* run_ptx.h - kernels in PTX, run by the machine: what tests of it share. */
#ifndef BANKSCOPE_TESTS_RUN_PTX_H
#define BANKSCOPE_TESTS_RUN_PTX_H

#include "machine/machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"
/* A kernel of one array: %t is the number of the thread, %a the address of its element. */
#define KERNEL                                                                                     \
    HEAD ".visible .entry k(.param .u64 p)\n{\n"                                                   \
         ".reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<30>; .reg .b64 %rd<30>; .reg .f32 "      \
         "%f<9>;\n"                                                                                \
         ".reg .b32 %t; .reg .b64 %a, %p0;\n"                                                      \
         "ld.param.u64 %p0, [p]; cvta.to.global.u64 %p0, %p0;\n"                                   \
         "mov.u32 %t, %tid.x; mad.wide.u32 %a, %t, 4, %p0;\n"
#define WORDS 256

struct ran {
    uint32_t word[WORDS];
    struct machine_outcome outcome;
    struct machine_count count[64];
    char printed[512], fault[512];
    int line;     /* of what ended it; 0: none is known */
    int findings; /* that did not end it; the last one, and how often it was */
    char found[512];
    uint64_t times;
    struct error error;
};

static inline void print(void *context, const char *text, size_t length)
{
    struct ran *ran = context;
    strncat(ran->printed, text, length);
}

static inline void find(void *context, const struct machine_fault *fault)
{
    struct ran *ran = context;
    if (machine_fault_ends(fault->kind))
        return;
    ran->findings++;
    strcpy(ran->found, fault->text);
    ran->times = fault->count;
}

/* launch.observer: what else is to be told, with ran as its context. */
static inline void run_launch(const char *text, struct machine_launch launch, struct ran *ran)
{
    const struct machine_text ptx = {text, strlen(text), "t.ptx"};
    struct machine_observer observer = {0};
    if (launch.observer)
        observer = *launch.observer;
    observer.context = ran, observer.print = print, observer.fault = find;
    struct machine_memory *memory = machine_memory_new(&heap_allocator);
    const uint64_t address = (uintptr_t)ran->word;
    const struct machine_range range = {
        .address = address, .bytes = sizeof ran->word, .host = (uint8_t *)ran->word};
    assert_true(machine_memory_add(memory, &range, false, &ran->error));
    struct machine_module *module = machine_load(memory, &ptx, 1, &ran->error);
    struct machine_run *run = NULL;
    if (module) {
        launch.kernel = machine_kernel(module, "k");
        launch.parameters = &address;
        launch.count = true;
        launch.observer = &observer;
        run = machine_begin(&launch, &ran->error);
    }
    if (run) {
        machine_work(run);
        machine_end(run, &ran->outcome);
        for (int i = 0; i < ran->outcome.counts && i < 64; i++)
            ran->count[i] = ran->outcome.count[i];
        strcpy(ran->fault, ran->outcome.fault.text);
        struct machine_site site = {.line = 0};
        if (!ran->outcome.good && ran->outcome.fault.site >= 0)
            machine_module_site(module, ran->outcome.fault.site, &site);
        ran->line = site.line;
        machine_free_run(run);
    }
    machine_unload(module);
    machine_memory_free(memory);
}

static inline void run_block(const char *text, uint32_t threads, struct ran *ran)
{
    const struct machine_launch launch = {.grid = {1, 1, 1}, .block = {threads, 1, 1}};
    memset(ran, 0, sizeof *ran);
    run_launch(text, launch, ran);
    if (!ran->outcome.good)
        fail_msg("%s%s", ran->error.text, ran->fault);
}

#endif
