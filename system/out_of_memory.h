/* out_of_memory.h - how the program ends when there is no memory for what it cannot do without. */
#ifndef BANKSCOPE_SYSTEM_OUT_OF_MEMORY_H
#define BANKSCOPE_SYSTEM_OUT_OF_MEMORY_H

/* Call once, at the start of the program. From then on memory_exhausted, and cJSON when an allocation
 * fails, end the program at once with one line on standard error and status 1; a recording that is being
 * written is kept in part (outputs_end). */
void out_of_memory_begin(void);

#endif
