/* source.h - beside the picture: the source, and the instructions that it became. */
#ifndef BANKSCOPE_VIEWER_SOURCE_H
#define BANKSCOPE_VIEWER_SOURCE_H

#include "instrument/instrument.h"
#include "viewer/drawing/drawing.h"

#include <string.h>

struct trace_index;

/* ---- source.c: the source beside the picture ------------------------------------------------ */

/* A line that accesses shared memory, and what its accesses cost in the whole run. */
struct source_line {
    int file, number;
    const char *text; /* as the recording has it */
    uint64_t accesses, passes, conflicts;
    int row; /* private */
};

/* The lines that a recording names. Setting it up costs O(accesses). */
struct source {
    const struct trace_index *index;
    int lines;                /* 0: the recording names none */
    struct source_line *line; /* by file, then number */
    uint64_t most;            /* passes of a line */
    int *line_of;             /* private, as are these: [sites] */
    int files, rows;
    struct source_file *file;
    struct source_row *row;
    size_t row_room;
};

/* The index must outlive it. source_free leaves it empty. */
bool source_init(struct source *source, const struct trace_index *index, struct error *error);
void source_free(struct source *source);
/* The line of a warp access, or -1. */
int source_line_of(const struct source *source, size_t access);
/* The name of a file as the recording has it; NULL: there are no more. */
const char *source_file_name(const struct source *source, int file);
/* Gives a file's whole text, to be shown. false: it is not what was recorded, and is not shown. */
bool source_text(struct source *source, int file, const char *text, size_t size);
/* The next access of a line after access `at` (NO_ACCESS: the first), of this warp if it has any; from
 * the end on from the beginning. */
size_t source_next(const struct source *source, int line, size_t at, int block, int warp);

/* Where the source is drawn, and how far it is scrolled. */
struct source_pane {
    double x, y, w, h;
    double scroll;  /* points; source_draw limits it */
    bool numbers;   /* of all lines, and not bars */
    int clicked;    /* a line to bring into sight, or -1; source_draw does it once */
    int shown;      /* private: the line that was brought into sight last, */
    double shown_h; /* and in what height */
};
/* A line of a file, whether it accesses anything or not. */
struct source_spot {
    const char *file; /* as the recording has it; NULL: none */
    int number;
};
static inline bool source_same_spot(struct source_spot a, struct source_spot b)
{
    return a.file && b.file && a.number == b.number && !strcmp(a.file, b.file);
}
/* Lines to mark, -1 for none. */
struct source_marks {
    int now;               /* is executed, */
    bool conflicts;        /* with conflicts */
    int pointed;           /* that the mouse is about; */
    struct source_spot at; /* or any line, accesses or none */
    unsigned hide;         /* enum hide */
};
/* Draws the source; a line that is executed anew is scrolled into sight. */
void source_draw(const struct source *source, struct source_pane *pane,
                 const struct source_marks *marks, struct drawing *drawing);
/* The line at a point of the pane, or -1. */
int source_line_at(const struct source *source, const struct source_pane *pane, double x, double y);
/* The file and number of the line at a point of the pane, with accesses or without; file NULL: there is none. */
struct source_spot source_spot_at(const struct source *source, const struct source_pane *pane,
                                  double x, double y);
/* Where a line is. */
struct source_spot source_spot_of(const struct source *source, int line);

/* ---- listing.c: the instructions that the source became ---------------------------------------- */

/* Where the listing is drawn, and how far it is scrolled. */
struct listing_pane {
    double x, y, w, h; /* w 0: it is not shown */
    double scroll;     /* points; listing_draw limits it */
    bool sass;         /* machine code rather than PTX, where there is some */
    int clicked;       /* an instruction to leave where it is, or -1 */
    bool registers;    /* there is room for them below */
    int shown;         /* private: the instruction that was brought into sight last, */
    double shown_h;    /* and in what height */
};
/* A register that an instruction names, as a lane has it: before the instruction, or as it wrote it. */
enum { REGISTER_ROWS = 6 };
struct register_row {
    char name[48], value[96]; /* "0x21 (33)" */
    bool written;
};
struct listing_marks {
    const struct register_row *registers; /* of the warp's access, as the lane has them */
    int register_rows, lane;
    const char *registers_note; /* why there are none, or not all; or NULL */
    size_t access;              /* what the leader's warp does now, or NO_ACCESS */
    int now;                    /* its instruction, or -1: not known */
    struct source_spot line;    /* that is executed */
    bool conflicts;             /* with conflicts */
    struct source_spot pointed; /* that the mouse is about */
    int pointed_at;             /* the instruction under the mouse, or -1 */
    unsigned hide;              /* enum hide */
};
/* Whether a recording says what its source became. */
bool listing_is_known(const struct trace_header *header);
/* Whether it says the machine code, too. */
bool listing_has_sass(const struct trace_header *header);
/* The next warp access of an instruction behind `at` (NO_ACCESS: the first), of this warp if it has any; or
 * NO_ACCESS. */
size_t listing_next(const struct trace *trace, int instruction, size_t at, int block, int warp);
/* The instruction of a warp access among header->code, or -1. */
int listing_of(const struct trace *trace, size_t access);
/* Draws the instructions; those of a line that is executed anew are scrolled into sight. */
void listing_draw(const struct trace *trace, struct listing_pane *pane,
                  const struct listing_marks *marks, struct drawing *drawing);
/* The instruction at a point of the pane, or -1; and its line. */
int listing_at(const struct trace_header *header, const struct listing_pane *pane, double x,
               double y);
struct source_spot listing_spot(const struct trace_header *header, int instruction);

/* ---- registers.c: what a recording alone tells of registers -------------------------------------- */

/* The registers that the instruction of a warp access names, in the order of its text, as a lane has them: of its address
 * and of what it reads or writes; of others the value is "not known". Returns how many, at most room; 0: the lane takes no
 * part, or the recording has no instructions. */
int registers_of(const struct trace *trace, size_t access, int lane, struct register_row *row,
                 int room);
/* "0x21 (33)", as PTX's types have it; numbers of 16 bits and pairs of them that are floats, and what is longer than 8
 * bytes, as bits alone. */
void register_put_value(FILE *to, const char *type, const unsigned char *value, int bytes);

#endif
