/* places.c - the lines of clang's PTX, with the calls that were inlined.
 *
 * LLVM's own PTX (before version 21) says of an instruction the innermost line only: of atomicAdd(&a, 1) a
 * line of our header, and not whose it is. LLVM's text of the program has all of it (ir.h), but its nodes do
 * not reach the PTX. Lines do: so each place of the text gets a line of its own, FIRST and its node's number,
 *
 *     !9 = !DILocation(line: 30, column: 3, scope: !5, inlinedAt: !8)       line: 16777225
 *
 * and where the PTX has that line, what the node says is written, as nvcc writes it, the outer calls first:
 *
 *     .loc 1 16777225 3      .loc 1 17 5
 *                            .loc 2 30 3, function_name $L__info_string0, inlined_at 1 17 5
 *
 * Where LLVM (before version 17) makes one store of several, it takes the place of the instruction behind them: a store
 * of a __half2 before __syncthreads() would be told at the barrier's line. So a mark of the same place follows each
 * store, which becomes no instruction: it says that a variable, made for it, has no value.
 *
 *     store i16 %5, ptr addrspace(3) %8, align 2, !dbg !9
 *     call void @llvm.dbg.value(metadata i32 undef, metadata !40, metadata !DIExpression()), !dbg !9
 *     !40 = !DILocalVariable(scope: !5)
 */
#include "program/compile/ir_value.h"
#include "system/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST = 1 << 24, MOST_PTX = 1 << 30 }; /* bytes of PTX */

/* ---- numbering ---------------------------------------------------------------------------------- */

/* Writes `line: NUMBER` for the line of a place. */
static void put_place(FILE *file, struct ir_text node, size_t number)
{
    const struct ir_text line = ir_field(node, "line");
    const char *begin = node.at;
    if (line.at) {
        fprintf(file, "%.*s%zu", (int)(line.at - begin), begin, FIRST + number);
        begin = line.at + line.length;
    }
    fwrite(begin, 1, (size_t)(node.at + node.length - begin), file);
}

/* Lines only: PTX shall have no tables of names and types. */
static void put_unit(FILE *file, struct ir_text node)
{
    static const char directives[] = "DebugDirectivesOnly";
    const struct ir_text kind = ir_field(node, "emissionKind");
    const char *stop = kind.at ? kind.at : node.at + node.length;
    fwrite(node.at, 1, (size_t)(stop - node.at), file);
    if (kind.at) {
        fputs(directives, file);
        stop += kind.length;
        fwrite(stop, 1, (size_t)(node.at + node.length - stop), file);
    }
}

/* Whether a place has a line, or a call that has one. */
static bool is_somewhere(struct ir_text node)
{
    return ir_number(node, "line") > 0 || ir_field(node, "inlinedAt").at;
}

/* Marks of the stores that are in a part of the text. The variables are written last. */
struct marks {
    const struct ir *ir;
    struct ir_text *scope; /* of each variable; the first has the number behind the last node's */
    size_t count, room;
    struct error *error;
};

static void put_mark(FILE *file, struct marks *marks, struct ir_text line)
{
    const struct ir_text place = ir_place(line); /* ", !dbg !9" */
    const struct ir_text scope =
        ir_field(ir_node(marks->ir, ir_from(place, strlen(", !dbg "))), "scope");
    if (!ir_begins(line, "  store ") || !scope.at ||
        !memory_grow(&marks->scope, &marks->room, marks->count + 1, sizeof scope, "marks",
                     marks->error))
        return;
    fprintf(file,
            "  call void @llvm.dbg.value(metadata i32 undef, metadata !%zu, metadata "
            "!DIExpression())%.*s\n",
            marks->ir->nodes + marks->count, (int)place.length, place.at);
    marks->scope[marks->count++] = scope;
}

static void put_part(FILE *file, struct marks *marks, const char *begin, const char *stop)
{
    for (const char *line = begin, *end; line < stop; line = end) {
        const char *newline = memchr(line, '\n', (size_t)(stop - line));
        end = newline ? newline + 1 : stop;
        ir_put(file, line, end);
        if (marks->ir)
            put_mark(file, marks, (struct ir_text){line, (size_t)(end - line)});
    }
}

static void put_variables(FILE *file, const struct marks *marks)
{
    static const char declaration[] = "declare void @llvm.dbg.value(metadata";
    if (marks->count && !strstr(marks->ir->text, declaration))
        fprintf(file, "%s, metadata, metadata)\n", declaration);
    for (size_t i = 0; i < marks->count; i++)
        fprintf(file, "!%zu = !DILocalVariable(scope: %.*s)\n", marks->ir->nodes + i,
                (int)marks->scope[i].length, marks->scope[i].at);
}

bool places_number(const struct ir *ir, bool hold, const char *path, struct error *error)
{
    FILE *file = fopen(path, "w");
    if (!file)
        return error_set(error, "cannot write %s: %s", path, strerror(errno));
    struct marks marks = {.ir = hold ? ir : NULL, .error = error};
    const char *done = ir->text;
    for (size_t i = 0; i < ir->nodes; i++) {
        const struct ir_text node = ir->node[i];
        const bool place = ir_is_kind(node, "DILocation") && is_somewhere(node);
        if (!node.at || node.at < done || (!place && !ir_is_kind(node, "DICompileUnit")))
            continue;
        put_part(file, &marks, done, node.at);
        if (place)
            put_place(file, node, i);
        else
            put_unit(file, node);
        done = node.at + node.length;
    }
    put_part(file, &marks, done, ir->text + ir->length);
    put_variables(file, &marks);
    free(marks.scope);
    const bool good = !ferror(file) && !error->text[0];
    return (!fclose(file) && good) || error_set(error, "cannot write %s", path);
}

/* ---- restoring ---------------------------------------------------------------------------------- */

/* A line of the source, in a function. */
struct frame {
    struct ir_text place; /* the node; at NULL: it is of the PTX */
    int file, line, column;
    struct ir_text function;
};
struct chain {
    struct frame frame[IR_DEEPEST]; /* the innermost first */
    int frames;
};
struct restoring {
    const struct ir *ir;
    FILE *file;
    char **path; /* of files, by number - 1 */
    size_t paths, path_room;
    struct numbered {
        const char *at; /* a DIFile */
        int number;
    } * known;
    size_t knowns, known_room;
    struct given {
        char *path; /* NULL: there is none, or it has a number */
        int number; /* ours; 0: it is not used yet */
    } * given;      /* files of the PTX as it was, by their numbers in it */
    size_t givens, given_room;
    struct ir_text *function; /* that have a string */
    size_t functions, function_room;
    struct chain last;
    struct error *error;
};

static bool grow_array(struct restoring *to, void *array, size_t *room, size_t count, size_t size)
{
    return memory_grow(array, room, count, size, "places of the program", to->error);
}

/* The number of a path; 0: no memory. Takes the path. */
static int number_path(struct restoring *to, char *path)
{
    for (size_t i = 0; i < to->paths; i++)
        if (!strcmp(to->path[i], path)) {
            free(path);
            return (int)i + 1;
        }
    if (!grow_array(to, &to->path, &to->path_room, to->paths + 1, sizeof *to->path)) {
        free(path);
        return 0;
    }
    to->path[to->paths++] = path;
    return (int)to->paths;
}

static int number_file(struct restoring *to, struct ir_text file)
{
    for (size_t i = 0; i < to->knowns; i++)
        if (to->known[i].at == file.at)
            return to->known[i].number;
    const int number = number_path(to, ir_path(file));
    if (number && grow_array(to, &to->known, &to->known_room, to->knowns + 1, sizeof *to->known))
        to->known[to->knowns++] = (struct numbered){file.at, number};
    return number;
}

/* The string's number. */
static int number_function(struct restoring *to, struct ir_text function)
{
    for (size_t i = 0; i < to->functions; i++)
        if (to->function[i].at == function.at)
            return (int)i;
    if (!grow_array(to, &to->function, &to->function_room, to->functions + 1, sizeof *to->function))
        return 0;
    to->function[to->functions++] = function;
    return (int)to->functions - 1;
}

/* All frames of a place; those without a line are left out. */
static void follow_place(struct restoring *to, struct ir_text place, struct chain *chain)
{
    *chain = (struct chain){.frames = 0};
    for (int i = 0; i < IR_DEEPEST && ir_is_kind(place, "DILocation"); i++) {
        const struct ir_text scope = ir_follow(to->ir, place, "scope");
        const int64_t line = ir_number(place, "line");
        if (line > 0 && line < FIRST)
            chain->frame[chain->frames++] =
                (struct frame){place, number_file(to, ir_follow(to->ir, scope, "file")), (int)line,
                               (int)ir_number(place, "column"), ir_function(to->ir, scope)};
        else if (!chain->frames)
            chain->frame[0] =
                (struct frame){.file = number_file(to, ir_follow(to->ir, scope, "file"))};
        place = ir_follow(to->ir, place, "inlinedAt");
    }
    chain->frames += !chain->frames; /* line 0: of no line */
}

static bool same_numbers(const struct frame *a, const struct frame *b)
{
    return a->file == b->file && a->line == b->line && a->column == b->column;
}

/* How many of the chain's outer frames need not be said again: those that the last one had, if the innermost
 * of them is the last that was said with its numbers. */
static int already_said(const struct chain *chain, const struct chain *last)
{
    int same = 0;
    while (same < chain->frames - 1 && same < last->frames &&
           chain->frame[chain->frames - 1 - same].place.at ==
               last->frame[last->frames - 1 - same].place.at)
        same++;
    for (int i = 0; same && i < last->frames - same; i++)
        if (same_numbers(&last->frame[i], &chain->frame[chain->frames - same]))
            same = 0;
    return same;
}

static void put_chain(struct restoring *to, const struct chain *chain)
{
    for (int i = chain->frames - 1 - already_said(chain, &to->last); i >= 0; i--) {
        const struct frame *frame = &chain->frame[i], *outer = frame + 1;
        fprintf(to->file, "\t.loc\t%d %d %d", frame->file, frame->line, frame->column);
        if (i + 1 < chain->frames)
            fprintf(to->file, ", function_name $L__info_string%d, inlined_at %d %d %d",
                    number_function(to, frame->function), outer->file, outer->line, outer->column);
        fputc('\n', to->file);
    }
    to->last = *chain;
}

/* The number of a file that the PTX gave one; 0: it did not. */
static int number_given(struct restoring *to, unsigned long file)
{
    if (file >= to->givens)
        return 0;
    if (to->given[file].path) {
        to->given[file].number = number_path(to, to->given[file].path);
        to->given[file].path = NULL;
    }
    return to->given[file].number;
}

/* `.loc FILE LINE COLUMN` */
static void restore_place(struct restoring *to, const char *numbers)
{
    struct chain chain = {.frames = 0};
    char *end; /* sscanf would look for the end of the whole PTX each time */
    const unsigned long file = strtoul(numbers, &end, 10), line = strtoul(end, &end, 10);
    const char *third = end;
    const unsigned long column = strtoul(third, &end, 10);
    if (end == third)
        return;
    if (line >= FIRST && line - FIRST < to->ir->nodes) {
        follow_place(to, to->ir->node[line - FIRST], &chain);
    } else {
        chain.frames = 1;
        chain.frame[0] = (struct frame){
            .file = number_given(to, file), .line = (int)line, .column = (int)column};
    }
    if (chain.frame[0].file)
        put_chain(to, &chain);
}

/* `.file NUMBER "PATH"` */
static bool note_file(struct restoring *to, const char *line)
{
    char *end;
    const unsigned long number = strtoul(line, &end, 10);
    const char *open = strchr(end, '"'), *close = open ? strchr(open + 1, '"') : NULL;
    if (!close || number > 1 << 20)
        return true;
    if (!grow_array(to, &to->given, &to->given_room, number + 1, sizeof *to->given))
        return false;
    while (to->givens <= number)
        to->given[to->givens++] = (struct given){NULL, 0};
    char *path = memory_new((size_t)(close - open), 1);
    memcpy(path, open + 1, (size_t)(close - open - 1));
    free(to->given[number].path);
    to->given[number].path = path;
    return true;
}

static const char *behind(const char *line, const char *directive)
{
    const size_t length = strlen(directive);
    line += strspn(line, " \t");
    return !strncmp(line, directive, length) && strchr(" \t", line[length]) ? line + length : NULL;
}

static bool note_files(struct restoring *to, const char *ptx)
{
    for (const char *line = ptx, *found; *line; line += strcspn(line, "\n"), line += *line == '\n')
        if ((found = behind(line, ".file")) && !note_file(to, found))
            return false;
    return true;
}

static void put_lines(struct restoring *to, const char *ptx)
{
    bool section = false;
    for (const char *line = ptx, *end, *found; *line; line = end) {
        end = line + strcspn(line, "\n");
        end += *end == '\n';
        if ((found = behind(line, ".loc")))
            restore_place(to, found);
        else if (behind(line, ".section"))
            section = true;
        else if (!section && !behind(line, ".file"))
            fwrite(line, 1, (size_t)(end - line), to->file);
        if (section && memchr(line, '}', (size_t)(end - line)))
            section = false;
    }
}

/* The names of functions, and the files. */
static void put_tables(struct restoring *to)
{
    for (size_t i = 0; i < to->paths; i++) {
        for (char *at = to->path[i]; *at; at++)
            if (*at == '"' || (unsigned char)*at < ' ')
                *at = '?';
        fprintf(to->file, "\t.file\t%zu \"%s\"\n", i + 1, to->path[i]);
    }
    if (to->functions)
        fputs("\t.section\t.debug_str\n\t{\n", to->file);
    for (size_t i = 0; i < to->functions; i++) {
        char *name = ir_string(to->function[i], "linkageName");
        if (!*name) {
            free(name);
            name = ir_string(to->function[i], "name");
        }
        fprintf(to->file, "$L__info_string%zu:\n.b8 ", i);
        for (const char *at = name; *at; at++)
            fprintf(to->file, "%d,", (unsigned char)*at);
        fputs("0\n", to->file);
        free(name);
    }
    if (to->functions)
        fputs("\t}\n", to->file);
}

static bool restore(struct restoring *to, const char *ptx, const char *path)
{
    to->file = fopen(path, "w");
    if (!to->file)
        return error_set(to->error, "cannot write %s: %s", path, strerror(errno));
    bool good = note_files(to, ptx);
    if (good) {
        put_lines(to, ptx);
        put_tables(to);
        good = !to->error->text[0] && !ferror(to->file);
    }
    return (!fclose(to->file) && good) || error_set(to->error, "cannot write %s", path);
}

bool places_restore(const struct ir *ir, const char *ptx, const char *path, struct error *error)
{
    size_t length;
    char *text = file_read(ptx, MOST_PTX, &length, error);
    struct restoring *to = memory_new(1, sizeof *to);
    to->ir = ir;
    to->error = error;
    const bool good = text && restore(to, text, path);
    for (size_t i = 0; i < to->paths; i++)
        free(to->path[i]);
    free(to->path);
    free(to->known);
    for (size_t i = 0; i < to->givens; i++)
        free(to->given[i].path);
    free(to->given);
    free(to->function);
    free(to);
    free(text);
    return good;
}
