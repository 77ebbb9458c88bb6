/* layout.h - what the files of advice share. */
#ifndef BANKSCOPE_LAYOUT_H
#define BANKSCOPE_LAYOUT_H

#include "instrument/advice.h"

uint32_t layout_array_bytes(const struct trace_array *array);
/* Bytes by which the array grows, so that what lies behind it keeps its alignment. */
int64_t layout_extra_bytes(const struct trace_array *array, const struct layout *layout);
/* Where an address goes. Those behind the array move up by `extra`. */
uint32_t layout_moved(const struct trace_array *array, const struct layout *layout, uint32_t extra,
                      uint32_t addr);

#endif
