/* layout.h - what the files of advice share. */
#ifndef BANKSCOPE_LAYOUT_H
#define BANKSCOPE_LAYOUT_H

#include "instrument/advice.h"

uint32_t layout_array_bytes(const struct trace_array *array);
/* Whether units are members of the array's elements, which are several structs. */
bool layout_is_record(const struct trace_array *array, int unit);
/* Whether the layout is that of a struct with one more member, at its end. */
bool layout_adds_member(const struct trace_array *array, const struct layout *layout);
/* Makes the layout, whose unit is an element, that of the which-th other order of three indices. false: there are
 * fewer, or the array has none. */
bool layout_in_order(const struct trace_array *array, int which, struct layout *layout);
/* The order of two or three indices that a layout's exchange makes: order[0] is the one (0: the outermost of the array)
 * that is then the outermost. false: it makes none. */
bool layout_order(const struct trace_array *array, const struct layout *layout, int order[3]);
/* Bytes by which the array grows, so that what lies behind it keeps its alignment. */
int64_t layout_extra_bytes(const struct trace_array *array, const struct layout *layout);
/* Where an address goes. Those behind the array move up by `extra`. */
uint32_t layout_moved(const struct trace_array *array, const struct layout *layout, uint32_t extra,
                      uint32_t addr);

#endif
