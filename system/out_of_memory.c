/* out_of_memory.c - how the program ends when there is no memory for what it cannot do without. */
#include "system/out_of_memory.h"
#include "base/memory.h"
#include "system/output.h"

#include <cjson/cJSON.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/* Threads may run out of it at the same time: one says so, the others wait for the end. */
static void end_program(void)
{
    static atomic_flag ending = ATOMIC_FLAG_INIT;
    static _Thread_local bool is_ending;
    while (!is_ending && atomic_flag_test_and_set(&ending))
        pause();
    if (is_ending)
        _exit(1); /* there is none for saying it either */
    is_ending = true;
    const char *part = outputs_end();
    const char *const texts[] = {
        "bankscope: out of memory; close other programs or use a larger machine",
        part ? "; what was recorded until then is in " : "", part ? part : "", "\n"};
    struct iovec pieces[4];
    for (int i = 0; i < 4; i++)
        pieces[i] = (struct iovec){(char *)texts[i], strlen(texts[i])};
    /* stdio may need memory, and so may libraries at exit */
    const ssize_t ignored = writev(STDERR_FILENO, pieces, 4);
    (void)ignored;
    _exit(1);
}

static void *allocate_for_json(size_t bytes)
{
    void *fresh = malloc(bytes);
    if (!fresh)
        memory_exhausted();
    return fresh;
}

void out_of_memory_begin(void)
{
    memory_on_exhaustion(end_program);
    cJSON_InitHooks(&(cJSON_Hooks){allocate_for_json, free}); /* it would leave fields out */
}
