/* lines.c - from addresses to the user's source, by the debug information that g++ leaves (libdw).
 *
 * Inlined code of the stand-in headers is attributed to the user's line that called it. Shared
 * variables are the thread-local ones; their debug information says where in the segment they lie.
 */
#define _GNU_SOURCE
#include "hostcuda/driver.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct source_file {
    const char *path; /* as the user wrote it */
    char absolute[2 * PATH_MAX];
    const char *real;
    char *text; /* NULL until asked for; lines end with null bytes */
    char **line;
    size_t lines;
    bool read;
};

/* Code of a function of the program's, in one piece. */
struct function_code {
    Dwarf_Addr from, to;
    Dwarf_Die die;
};

struct source_lines {
    const struct built_program *program; /* NULL: a program on a GPU */
    struct gpu_places *gpu;              /* NULL: a built program */
    int fd;
    Dwarf *dwarf;
    struct function_code *function; /* by address */
    size_t functions, function_room;
    struct source_file *file;
    size_t files, file_room;
    struct source_place **place; /* open hash by pc */
    size_t places, place_room;
    struct source_array *array;
    size_t arrays, array_room;
};

/* ---- files ----------------------------------------------------------------------------------- */

static void open_files(struct source_lines *lines)
{
    char here[PATH_MAX];
    if (!getcwd(here, sizeof here))
        *here = '\0';
    lines->files = lines->program->files;
    lines->file = memory_new(lines->files + 1, sizeof *lines->file);
    for (size_t i = 0; i < lines->files; i++) {
        struct source_file *file = &lines->file[i];
        file->path = lines->program->file[i].path;
        file->real = lines->program->file[i].real;
        snprintf(file->absolute, sizeof file->absolute, "%s%s%.4000s",
                 *file->path == '/' ? "" : here, *file->path == '/' ? "" : "/", file->path);
    }
}

/* A file that a cubin's line table names, or NULL. */
static struct source_file *add_file(struct source_lines *lines, const char *path)
{
    struct error ignored = {{0}};
    if (!memory_grow(&lines->file, &lines->file_room, lines->files + 1, sizeof *lines->file,
                     "source files", &ignored))
        return NULL;
    struct source_file *file = &lines->file[lines->files++];
    *file = (struct source_file){.path = path, .real = path};
    snprintf(file->absolute, sizeof file->absolute, "%.4000s", path);
    return file;
}

/* The user's file of that path in the debug information, or NULL. */
static struct source_file *file_of(struct source_lines *lines, const char *path)
{
    for (size_t i = 0; path && i < lines->files; i++)
        if (!strcmp(lines->file[i].absolute, path) || !strcmp(lines->file[i].path, path))
            return &lines->file[i];
    return path && lines->gpu ? add_file(lines, path) : NULL;
}

static void read_text(struct source_file *file)
{
    struct error ignored = {{0}};
    file->read = true;
    size_t used, line_room = 0;
    file->text = file_read(file->real, 64 << 20, &used, &ignored);
    if (!file->text)
        return;
    for (char *at = file->text; at && at <= file->text + used;) {
        if (!memory_grow(&file->line, &line_room, file->lines + 1, sizeof *file->line, "lines",
                         &ignored))
            return;
        file->line[file->lines++] = at;
        char *end = memchr(at, '\n', (size_t)(file->text + used - at));
        if (end)
            *end = '\0';
        at = end ? end + 1 : NULL;
    }
}

const char *lines_text(struct source_lines *lines, const char *path, int line)
{
    struct source_file *file = file_of(lines, path);
    if (!file)
        return "";
    if (!file->read)
        read_text(file);
    if (line < 1 || (size_t)line > file->lines)
        return "";
    char *text = file->line[line - 1];
    text += strspn(text, " \t\r\f\v");
    size_t length = strlen(text);
    while (length && strchr(" \t\r", text[length - 1]))
        text[--length] = '\0';
    for (char *c = text; *c; c++)
        *c = *c == '\t' ? ' ' : *c;
    return text_clean(text);
}

/* ---- places ---------------------------------------------------------------------------------- */

/* The path of a file by its number in the compilation unit's table. */
static const char *numbered_file(Dwarf_Die *unit, Dwarf_Word number)
{
    Dwarf_Files *files;
    size_t count;
    if (dwarf_getsrcfiles(unit, &files, &count) || number >= count)
        return NULL;
    return dwarf_filesrc(files, number, NULL, NULL);
}

static bool unsigned_attribute(Dwarf_Die *die, unsigned name, Dwarf_Word *value)
{
    Dwarf_Attribute attribute;
    return dwarf_attr_integrate(die, name, &attribute) && !dwarf_formudata(&attribute, value);
}

static int code_holds(const void *address, const void *code)
{
    const Dwarf_Addr pc = *(const Dwarf_Addr *)address;
    const struct function_code *function = code;
    return pc < function->from ? -1 : pc >= function->to;
}

/* The function that the address is in, or NULL. */
static struct function_code *function_at(const struct source_lines *lines, Dwarf_Addr pc)
{
    return lines->functions ? bsearch(&pc, lines->function, lines->functions,
                                      sizeof *lines->function, code_holds)
                            : NULL;
}

/* The part of `scope` that the address is in: a block, or what is inlined there. */
static bool scope_inside(Dwarf_Die *scope, Dwarf_Addr pc, Dwarf_Die *inner)
{
    Dwarf_Die child;
    if (dwarf_child(scope, &child))
        return false;
    do {
        if (dwarf_haspc(&child, pc) > 0) {
            *inner = child;
            return true;
        }
    } while (dwarf_siblingof(&child, &child) == 0);
    return false;
}

/* Reads only the function that the address is in: dwarf_getscopes reads all before it, too. */
static void find_place(struct source_lines *lines, struct source_place *place)
{
    enum { DEEPEST = 256 };
    Dwarf_Die unit, scope[DEEPEST];
    Dwarf_Addr pc = place->pc - 1;
    place->file = place->function = "";
    place->op = OPS;
    if (lines->gpu)
        gpu_places_find(lines->gpu, pc, place);
    if (!lines->dwarf || !dwarf_addrdie(lines->dwarf, pc, &unit))
        return;
    Dwarf_Line *line = dwarf_getsrc_die(&unit, pc);
    const char *path = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
    int number = 0;
    if (line)
        dwarf_lineno(line, &number);
    struct source_file *file = file_of(lines, path);
    struct function_code *function = function_at(lines, pc);
    int depth = 0;
    if (function)
        scope[depth++] = function->die;
    while (depth && depth < DEEPEST && scope_inside(&scope[depth - 1], pc, &scope[depth]))
        depth++;
    for (int i = depth - 1; i >= 0; i--) {
        int tag = dwarf_tag(&scope[i]);
        bool inlined = tag == DW_TAG_inlined_subroutine;
        if (!inlined && tag != DW_TAG_subprogram)
            continue;
        if (file && !*place->function) {
            const char *name = dwarf_diename(&scope[i]);
            place->function = name ? name : "";
        }
        Dwarf_Word call_file, call_line;
        if (!inlined || !unsigned_attribute(&scope[i], DW_AT_call_file, &call_file) ||
            !unsigned_attribute(&scope[i], DW_AT_call_line, &call_line))
            continue;
        struct source_file *calls = file_of(lines, numbered_file(&unit, call_file));
        if (!file) {
            file = calls;
            number = (int)call_line;
        } else if (calls && place->calls < CALL_DEPTH) {
            place->call[place->calls++] = (struct source_call){calls->path, (int)call_line};
        }
    }
    if (file) {
        place->file = file->path;
        place->line = number;
    }
}

const struct source_place *lines_place(struct source_lines *lines, uint64_t pc)
{
    if (2 * lines->places >= lines->place_room) {
        size_t room = lines->place_room ? 2 * lines->place_room : 256;
        struct source_place **bigger = memory_new(room, sizeof *bigger);
        for (size_t i = 0; i < lines->place_room; i++)
            if (lines->place[i]) {
                size_t at = (size_t)(lines->place[i]->pc * UINT64_C(0x9e3779b97f4a7c15) >> 32);
                while (bigger[at % room])
                    at++;
                bigger[at % room] = lines->place[i];
            }
        free(lines->place);
        lines->place = bigger;
        lines->place_room = room;
    }
    size_t at = (size_t)(pc * UINT64_C(0x9e3779b97f4a7c15) >> 32);
    for (;; at++) {
        struct source_place **place = &lines->place[at % lines->place_room];
        if (*place && (*place)->pc == pc)
            return *place;
        if (*place)
            continue;
        *place = memory_new(1, sizeof **place);
        (*place)->pc = pc;
        lines->places++;
        find_place(lines, *place);
        return *place;
    }
}

enum op lines_operation(struct source_lines *lines, const struct record_access *access)
{
    enum op recorded = (enum op)access->operation;
    if (!lines->gpu || recorded != OP_ATOMIC)
        return recorded;
    enum op known = lines_place(lines, access->pc)->op;
    return op_is_atomic(known) ? known : recorded;
}

uint64_t lines_user_pc(struct source_lines *lines, uint64_t pc,
                       const uint32_t caller[RECORD_CALLERS])
{
    uint64_t found = pc;
    for (int i = 0; i < RECORD_CALLERS && !lines_place(lines, found)->line; i++)
        if (caller[i])
            found = caller[i];
    return lines_place(lines, found)->line ? found : pc;
}

const char *lines_symbol(struct source_lines *lines, uint64_t address)
{
    struct function_code *function = function_at(lines, address);
    const char *name = NULL;
    Dwarf_Attribute attribute;
    if (function && dwarf_attr_integrate(&function->die, DW_AT_linkage_name, &attribute))
        name = dwarf_formstring(&attribute);
    else if (function)
        name = dwarf_diename(&function->die);
    return name ? name : "";
}

/* ---- arrays ---------------------------------------------------------------------------------- */

/* The type behind const, volatile and typedefs. */
static bool plain_type(Dwarf_Die *die, Dwarf_Die *type)
{
    Dwarf_Attribute attribute;
    if (!dwarf_attr_integrate(die, DW_AT_type, &attribute) || !dwarf_formref_die(&attribute, type))
        return false;
    return dwarf_peel_type(type, type) == 0;
}

/* What a trace calls a type. */
static char *type_name(Dwarf_Die *type)
{
    static const char *const said[][2] = {
        {"long long int", "long long"}, {"long long unsigned int", "unsigned long long"},
        {"long int", "long"},           {"long unsigned int", "unsigned long"},
        {"short int", "short"},         {"short unsigned int", "unsigned short"}};
    const char *name = dwarf_diename(type);
    int tag = dwarf_tag(type);
    char text[256];
    if (tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type) {
        Dwarf_Die target;
        const char *pointed = plain_type(type, &target) ? dwarf_diename(&target) : "void";
        snprintf(text, sizeof text, "%s *", pointed ? pointed : "unnamed");
        return memory_copy(text);
    }
    if (!name)
        name = "unnamed";
    for (size_t i = 0; i < sizeof said / sizeof *said; i++)
        if (!strcmp(name, said[i][0]))
            return memory_copy(said[i][1]);
    if (!type_bytes(name) &&
        (tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type)) {
        snprintf(text, sizeof text, "struct %s", name);
        return memory_copy(text);
    }
    return memory_copy(name);
}

static void add_member(struct source_array *array, const char *name, Dwarf_Die *type, uint64_t at)
{
    struct error ignored = {{0}};
    size_t room = (size_t)array->members;
    if (memory_grow(&array->member, &room, room + 1, sizeof *array->member, "members", &ignored))
        array->member[array->members++] = (struct trace_member){
            .name = memory_copy(name), .type = type_name(type), .addr = (int)at};
}

/* Adds the scalars and vectors of a type at byte `at` of the array's elements, which is called `name`. A
 * union has no members, because nobody knows which one is meant. */
static void add_members(struct source_array *array, const char *name, Dwarf_Die *type, uint64_t at,
                        int depth)
{
    int tag = dwarf_tag(type);
    const char *known = dwarf_diename(type);
    Dwarf_Die child, inner;
    Dwarf_Word bytes = 0, each = 0, from;
    char text[256];
    if (depth > 8 || array->members == MAX_MEMBERS || tag == DW_TAG_union_type)
        return;
    if (tag == DW_TAG_array_type) { /* of one dimension */
        if (!plain_type(type, &inner) || dwarf_aggregate_size(type, &bytes) ||
            dwarf_aggregate_size(&inner, &each) || !each)
            return;
        for (uint64_t i = 0; i < bytes / each && i < MAX_MEMBERS; i++) {
            snprintf(text, sizeof text, "%s[%" PRIu64 "]", name, i);
            add_members(array, text, &inner, at + i * each, depth + 1);
        }
        return;
    }
    bool compound = tag == DW_TAG_structure_type || tag == DW_TAG_class_type;
    if (!compound || (known && type_bytes(known))) {
        if (depth)
            add_member(array, name, type, at);
        return;
    }
    if (dwarf_child(type, &child))
        return;
    do {
        const char *own = dwarf_diename(&child);
        int kind = dwarf_tag(&child);
        if ((kind != DW_TAG_member && kind != DW_TAG_inheritance) || !plain_type(&child, &inner) ||
            !unsigned_attribute(&child, DW_AT_data_member_location, &from) ||
            dwarf_hasattr(&child, DW_AT_data_bit_offset) || dwarf_hasattr(&child, DW_AT_bit_size))
            continue;
        snprintf(text, sizeof text, "%s%s%s", name, *name && own ? "." : "", own ? own : "");
        add_members(array, text, &inner, at + from, depth + 1);
    } while (dwarf_siblingof(&child, &child) == 0);
}

static void add_array(struct source_lines *lines, Dwarf_Die *variable, const char *function,
                      uint64_t from)
{
    Dwarf_Die type, child;
    Dwarf_Word bytes = 0, element = 0, line = 0;
    const char *name = dwarf_diename(variable);
    struct error ignored = {{0}};
    if (!name || !plain_type(variable, &type) || from >= RECORD_DYNAMIC ||
        dwarf_aggregate_size(&type, &bytes) || bytes > MAX_SHARED ||
        !strcmp(name, "hostcuda_dynamic"))
        return;
    if (!memory_grow(&lines->array, &lines->array_room, lines->arrays + 1, sizeof *lines->array,
                     "arrays", &ignored))
        return;
    struct source_array *array = &lines->array[lines->arrays];
    *array = (struct source_array){.from = (uint32_t)from, .bytes = (uint32_t)bytes};
    while (dwarf_tag(&type) == DW_TAG_array_type) {
        if (dwarf_child(&type, &child) == 0)
            do {
                Dwarf_Word bound, count = 0;
                if (dwarf_tag(&child) != DW_TAG_subrange_type)
                    continue;
                if (unsigned_attribute(&child, DW_AT_upper_bound, &bound))
                    count = bound + 1;
                else if (unsigned_attribute(&child, DW_AT_count, &bound))
                    count = bound;
                if (array->dims < MAX_ARRAY_DIMS && count && count <= MAX_SHARED)
                    array->dim[array->dims++] = (int)count;
            } while (dwarf_siblingof(&child, &child) == 0);
        if (!plain_type(&type, &type))
            return;
    }
    if (dwarf_aggregate_size(&type, &element) || !element || element > bytes)
        return;
    unsigned_attribute(variable, DW_AT_decl_line, &line);
    array->element = (int)element;
    array->name = memory_copy(name);
    array->function = memory_copy(function);
    array->type = type_name(&type);
    array->line = (int)line;
    add_members(array, "", &type, 0, 0);
    lines->arrays++;
}

/* A thread-local variable's place in its segment, out of its location expression. */
static bool thread_local_offset(Dwarf_Die *die, uint64_t *offset)
{
    Dwarf_Attribute attribute;
    Dwarf_Op *op;
    size_t count;
    if (!dwarf_attr(die, DW_AT_location, &attribute) ||
        dwarf_getlocation(&attribute, &op, &count) || count < 2)
        return false;
    if (op[1].atom != DW_OP_GNU_push_tls_address && op[1].atom != DW_OP_form_tls_address)
        return false;
    *offset = op[0].number;
    return true;
}

/* Notes where its code lies, unless the linker has left it out: then it seems to lie at 0. */
static void add_function(struct source_lines *lines, Dwarf_Die *die)
{
    struct error ignored = {{0}};
    Dwarf_Addr base, from, to;
    ptrdiff_t at = 0;
    while ((at = dwarf_ranges(die, at, &base, &from, &to)) > 0)
        if (from && memory_grow(&lines->function, &lines->function_room, lines->functions + 1,
                                sizeof *lines->function, "functions", &ignored))
            lines->function[lines->functions++] = (struct function_code){from, to, *die};
}

/* Notes what a unit has of functions and, if it is the program's, thread-local variables. */
static void walk(struct source_lines *lines, Dwarf_Die *die, const char *function, bool program,
                 int depth)
{
    Dwarf_Die child;
    if (depth > 64 || dwarf_child(die, &child))
        return;
    do {
        uint64_t offset;
        int tag = dwarf_tag(&child);
        if (tag == DW_TAG_variable && program && thread_local_offset(&child, &offset)) {
            add_array(lines, &child, function, offset);
        } else if (tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block ||
                   tag == DW_TAG_inlined_subroutine || tag == DW_TAG_namespace) {
            const char *name = tag == DW_TAG_subprogram ? dwarf_diename(&child) : function;
            if (tag == DW_TAG_subprogram)
                add_function(lines, &child);
            walk(lines, &child, name ? name : "", program, depth + 1);
        }
    } while (dwarf_siblingof(&child, &child) == 0);
}

static int by_code(const void *a, const void *b)
{
    const struct function_code *x = a, *y = b;
    return (x->from > y->from) - (x->from < y->from);
}

static int by_address(const void *a, const void *b)
{
    const struct source_array *x = a, *y = b;
    return (x->from > y->from) - (x->from < y->from);
}

/* The engine is in C, programs are not. */
static bool is_program(Dwarf_Die *unit)
{
    int language = dwarf_srclang(unit);
    return language != DW_LANG_C11 && language != DW_LANG_C99 && language != DW_LANG_C;
}

/* Reads all of the debug information. */
static void find_all(struct source_lines *lines)
{
    Dwarf_CU *unit = NULL;
    Dwarf_Die die;
    while (dwarf_get_units(lines->dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0)
        walk(lines, &die, "", is_program(&die), 0);
    if (lines->functions)
        qsort(lines->function, lines->functions, sizeof *lines->function, by_code);
    if (lines->arrays)
        qsort(lines->array, lines->arrays, sizeof *lines->array, by_address);
    size_t kept = 0; /* an inline function's array may be told of more than once */
    for (size_t i = 0; i < lines->arrays; i++) {
        struct source_array *array = &lines->array[i];
        if (kept && lines->array[kept - 1].from == array->from) {
            free(array->name);
            free(array->function);
            free(array->type);
        } else {
            lines->array[kept++] = *array;
        }
    }
    lines->arrays = kept;
}

const struct source_array *lines_arrays(const struct source_lines *lines, size_t *count)
{
    *count = lines->arrays;
    return lines->array;
}

static int array_holds(const void *address, const void *variable)
{
    const uint32_t addr = *(const uint32_t *)address;
    const struct source_array *array = variable;
    return addr < array->from ? -1 : addr - array->from >= array->bytes;
}

int lines_array(const struct source_lines *lines, uint32_t addr)
{
    const struct source_array *array = lines->arrays ? bsearch(&addr, lines->array, lines->arrays,
                                                               sizeof *lines->array, array_holds)
                                                     : NULL;
    return array ? (int)(array - lines->array) : -1;
}

void lines_dynamic(const struct source_lines *lines, const struct source_place *place,
                   const char **name, const char **type)
{
    static const struct rewrite_seen nothing;
    const struct rewrite_seen *seen = lines->program ? &lines->program->seen : &nothing;
    const struct rewrite_dynamic *best = NULL;
    for (int i = 0; i < seen->dynamics; i++) {
        const struct rewrite_dynamic *dynamic = &seen->dynamic[i];
        bool before = !strcmp(dynamic->file, place->file) && dynamic->line <= place->line;
        if (before && (!best || dynamic->line > best->line))
            best = dynamic;
    }
    if (!best && seen->dynamics == 1)
        best = &seen->dynamic[0];
    *name = best ? best->name : "dynamic";
    *type = best && type_bytes(best->type) ? best->type : NULL;
}

/* ---- all ------------------------------------------------------------------------------------- */

struct source_lines *lines_open(const struct built_program *program)
{
    struct source_lines *lines = memory_new(1, sizeof *lines);
    lines->program = program;
    open_files(lines);
    lines->fd = open(program->executable, O_RDONLY | O_CLOEXEC);
    if (lines->fd >= 0)
        lines->dwarf = dwarf_begin(lines->fd, DWARF_C_READ);
    if (lines->dwarf)
        find_all(lines);
    return lines;
}

struct source_lines *lines_open_gpu(const char *folder)
{
    struct source_lines *lines = memory_new(1, sizeof *lines);
    lines->fd = -1;
    lines->gpu = gpu_places_new(folder);
    return lines;
}

bool lines_on_gpu(const struct source_lines *lines)
{
    return lines->gpu;
}

static bool take_function(void *context, const struct record_function *function,
                          struct error *error)
{
    struct source_lines *lines = context;
    return !lines->gpu || gpu_places_add(lines->gpu, function, error);
}

struct record_sink lines_sink(struct source_lines *lines)
{
    return (struct record_sink){.function = take_function, .context = lines};
}

void lines_free(struct source_lines *lines)
{
    if (!lines)
        return;
    for (size_t i = 0; i < lines->files; i++) {
        free(lines->file[i].text);
        free(lines->file[i].line);
    }
    for (size_t i = 0; i < lines->place_room; i++)
        free(lines->place[i]);
    for (size_t i = 0; i < lines->arrays; i++) {
        free(lines->array[i].name);
        free(lines->array[i].function);
        free(lines->array[i].type);
        members_free(lines->array[i].member, lines->array[i].members);
    }
    if (lines->dwarf)
        dwarf_end(lines->dwarf);
    gpu_places_free(lines->gpu);
    if (lines->fd >= 0)
        close(lines->fd);
    free(lines->function);
    free(lines->array);
    free(lines->place);
    free(lines->file);
    free(lines);
}
