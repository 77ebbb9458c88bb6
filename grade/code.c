/* code.c - see code.h. */
#include "grade/code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROW_TEXT = 400 /* bytes of an instruction's text */ };

/* One line of text, without the space that columns of the PTX are lined up with. */
static char *one_line(const char *text, int length)
{
    char line[ROW_TEXT];
    size_t used = 0;
    bool space = false;
    for (int i = 0; i < length && used + 2 < sizeof line; i++) {
        const bool blank = strchr(" \t\r\n", text[i]) != NULL;
        if (!blank && space && used)
            line[used++] = ' ';
        if (!blank)
            line[used++] = text[i];
        space = blank;
    }
    line[used] = '\0';
    return memory_copy(text_is_clean(line) ? line : "?");
}

/* Whether `part` joins this one, whose text may have a predicate before it. */
static bool is_joined_by(const struct machine_instruction *row,
                         const struct machine_instruction *part)
{
    return part->became == MACHINE_PART && part->lead >= row->text &&
           part->lead < row->text + row->text_length;
}

static int count_parts(const struct machine_instruction *row, int rows, int at)
{
    int parts = 0;
    for (int i = 0; i < rows; i++)
        parts += is_joined_by(&row[at], &row[i]);
    return parts;
}

/* The text of the instruction that `part` joins. */
static char *lead_of(const struct machine_instruction *row, int rows,
                     const struct machine_instruction *part)
{
    for (int i = 0; i < rows; i++)
        if (is_joined_by(&row[i], part))
            return one_line(row[i].text, row[i].text_length);
    return memory_copy("another");
}

static char *say_became(const struct machine_instruction *row, int rows, int at)
{
    const struct machine_instruction *now = &row[at];
    char text[ROW_TEXT + 100] = "", *lead;
    switch (now->became) {
    case MACHINE_AS_WRITTEN:
        break;
    case MACHINE_LEADS:
        if (count_parts(row, rows, at))
            snprintf(text, sizeof text, "joined: one access of %d bytes with %d more (%s)",
                     now->bytes, count_parts(row, rows, at), now->why);
        else
            snprintf(text, sizeof text, "split: %d bytes are accessed (%s)", now->bytes, now->why);
        break;
    case MACHINE_PART:
        lead = lead_of(row, rows, now);
        snprintf(text, sizeof text, "joined: counted with %s (%s)", lead, now->why);
        free(lead);
        break;
    case MACHINE_VANISHES:
        snprintf(text, sizeof text, "gone: no such access in machine code (%s)", now->why);
        break;
    }
    return memory_copy(text);
}

bool kernel_code(struct machine_kernel *kernel,
                 const char *(*place)(const void *context, int site, int *line),
                 const void *context, struct trace_header *header, size_t *bytes)
{
    int rows = 0, line;
    const struct machine_instruction *row = machine_kernel_listing(kernel, &rows);
    header->code = memory_new(MAX_CODE, sizeof *header->code);
    bool room = row;
    for (int i = 0; room && i < rows; i++) {
        if (row[i].label)
            room = header_add_code(header, bytes,
                                   &(struct trace_code){memory_copy(""),
                                                        one_line(row[i].label, row[i].label_length),
                                                        memory_copy(""), 0, 0});
        const char *file = place(context, row[i].site, &line);
        if (room)
            room = header_add_code(header, bytes,
                                   &(struct trace_code){memory_copy(file),
                                                        one_line(row[i].text, row[i].text_length),
                                                        say_became(row, rows, i), line, 0});
    }
    return room;
}

int kernel_code_find(const struct trace_header *header, const char *text, int length)
{
    char *wanted = one_line(text, length);
    int found = -1;
    for (int i = 0; found < 0 && i < header->codes; i++) {
        const char *is = header->code[i].text, *end = *is == '@' ? strchr(is, ' ') : NULL;
        found = strcmp(end ? end + 1 : is, wanted) ? -1 : i;
    }
    free(wanted);
    return found;
}
