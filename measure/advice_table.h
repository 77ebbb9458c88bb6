/* advice_table.h - better layouts of arrays as tables on standard output. */
#ifndef BANKSCOPE_ADVICE_TABLE_H
#define BANKSCOPE_ADVICE_TABLE_H

#include "instrument/advice.h"

#include <cjson/cJSON.h>

/* A table for each array: passes and conflicts of its layouts, how they are written in CUDA, what they cost. */
void advice_print(const struct advice *advice);
/* Adds {"arrays": [...]} to the object. Returns it. */
cJSON *advice_add_json(cJSON *to, const struct advice *advice);
/* A line of names, then a line for each array and layout, the first as it is today. */
void advice_csv_head(void);
void advice_csv_rows(const char *kernel, const struct advice *advice);

#endif
