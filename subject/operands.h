/* operands.h - what a warp of a launch holds in its registers, instruction by instruction, to be asked forwards and back.
 * With HAVE_DW only.
 */
#ifndef BANKSCOPE_SUBJECT_OPERANDS_H
#define BANKSCOPE_SUBJECT_OPERANDS_H

#include "program/program.h"
#include "viewer/window/window.h"

struct operands;
struct operands *operands_new(const struct program_follow *warp);
void operands_free(struct operands *operands); /* NULL: nothing */
/* Takes what the followed warp executes; the places are those of the lines. */
struct program_sink operands_sink(struct operands *operands, struct source_lines *lines);
/* As struct workshop's registers has it, for the access of the warp that is at this place of a trace. */
int operands_tell(const struct operands *operands, const struct warp_access *access, int lane,
                  struct register_row *row, int room);

#endif
