/* out_of_memory.c - how the program ends when there is no memory for what it cannot do without. */
#include "system/out_of_memory.h"
#include "base/memory.h"
#include "system/output.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void end_program(void)
{
    const char *part = outputs_end();
    const char *const texts[] = {
        "bankscope: out of memory; close other programs or use a larger machine",
        part ? "; what was recorded until then is in " : "", part ? part : "", "\n"};
    for (int i = 0; i < 4; i++) { /* stdio may need memory, and so may libraries at exit */
        ssize_t ignored = write(STDERR_FILENO, texts[i], strlen(texts[i]));
        (void)ignored;
    }
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
