/* lines.c - places in the user's source: of accesses and findings, by what the PTX said of them (program/records.h);
 * of the program's own code, by its debug information (libdw); of a GPU's code, by its cubins (gpu_places.c).
 *
 * What was inlined from a header of ours, of the toolkit or of the system is the user's line that called it.
 */
#define _GNU_SOURCE
#include "base/text.h"
#include "program/lines.h"
#include "system/paths.h"
#include "system/file.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A place is a number: what it is of, and which one. */
enum place_kind { PLACE_CODE, PLACE_ACCESS, PLACE_SITE, PLACE_HOST };
enum { PLACE_SHIFT = 61 };

/* ---- files ----------------------------------------------------------------------------------- */

/* Whether a file is none of the user's: of ours, the system's, a compiler's or the toolkit's. */
static bool is_foreign(const struct source_lines *lines, const char *path)
{
    static const char *const folders[] = {"/usr/include/", "/usr/lib/", "/usr/local/cuda"};
    char whole[2 * PATH_MAX];
    if (*path != '/') { /* of the folder that it was compiled in */
        snprintf(whole, sizeof whole, "%s/%s", lines->here, path);
        path = whole;
    }
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (!strncmp(path, folders[i], strlen(folders[i])))
            return true;
    for (int i = 0; i < 2; i++) {
        size_t length = strlen(lines->headers[i]);
        if (length && !strncmp(path, lines->headers[i], length))
            return true;
    }
    const char *targets = strstr(path, "/targets/");
    return targets && strstr(targets, "-linux/include/");
}

/* Without "./" and the folder that it is in when the user named no folder either. */
static const char *as_written(const struct source_lines *lines, const char *path)
{
    size_t length = strlen(lines->here);
    for (int i = 0; lines->program && i < lines->program->sources; i++) {
        const char *source = lines->program->source[i];
        size_t tail = strlen(source), all = strlen(path);
        if (!strcmp(source, path) ||
            (*source != '/' && all == length + 1 + tail && !strncmp(path, lines->here, length) &&
             path[length] == '/' && !strcmp(path + length + 1, source)))
            return source;
    }
    if (lines->relative && length > 1 && !strncmp(path, lines->here, length) && path[length] == '/')
        path += length + 1;
    while (!strncmp(path, "./", 2))
        path += 2;
    return path;
}

static struct source_file *add_file(struct source_lines *lines, const char *path)
{
    struct error ignored = {{0}};
    if (!memory_grow(&lines->file, &lines->file_room, lines->files + 1, sizeof *lines->file,
                     "source files", &ignored))
        return NULL;
    struct source_file *file = &lines->file[lines->files++];
    *file = (struct source_file){.absolute = memory_copy(path)};
    file->path = as_written(lines, file->absolute);
    return file;
}

/* Says that what the code calls file `name`, in whatever folder, is the file at `path`. */
static void lines_alias(struct source_lines *lines, const char *name, const char *path)
{
    struct source_file *file = add_file(lines, path);
    if (file)
        file->path = file->alias = memory_copy(name);
}

/* The user's file of that path, or NULL. */
static struct source_file *file_of(struct source_lines *lines, const char *path)
{
    if (!path || !*path)
        return NULL;
    for (size_t i = 0; i < lines->files; i++) {
        struct source_file *file = &lines->file[i];
        if (!strcmp(file->absolute, path) || !strcmp(file->path, path) ||
            (file->alias && text_ends_with_name(path, file->alias)))
            return file;
    }
    return !lines->gpu && is_foreign(lines, path) ? NULL : add_file(lines, path);
}

static void read_text(struct source_file *file)
{
    struct error ignored = {{0}};
    file->read = true;
    size_t used, line_room = 0;
    file->text = file_read(file->absolute, 64 << 20, &used, &ignored);
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

static uint64_t place_of(enum place_kind kind, uint64_t number)
{
    return (uint64_t)kind << PLACE_SHIFT | number;
}

uint64_t lines_access(uint64_t access)
{
    return place_of(PLACE_ACCESS, access);
}

const struct built_program *lines_program(const struct source_lines *lines)
{
    return lines->program;
}

bool lines_is_access(uint64_t pc, uint64_t *access)
{
    *access = pc & ((UINT64_C(1) << PLACE_SHIFT) - 1);
    return (enum place_kind)(pc >> PLACE_SHIFT) == PLACE_ACCESS;
}

const char *lines_user_file(struct source_lines *lines, const char *path)
{
    const struct source_file *file = file_of(lines, path);
    return file ? file->path : NULL;
}

uint64_t lines_site(uint32_t site)
{
    return site == RECORDS_NOTHING ? 0 : place_of(PLACE_SITE, site);
}

uint64_t lines_host(uint64_t byte)
{
    return byte ? place_of(PLACE_HOST, byte) : 0;
}

char *lines_copy(const struct source_lines *lines, struct records_text text)
{
    char *copy = memory_new((size_t)text.length + 1, 1);
    memcpy(copy, lines->taken.text + text.at, (size_t)text.length);
    return copy;
}

char *lines_function(const struct source_lines *lines, const char *symbol)
{
    const char *known = source_function(&lines->names, symbol);
    return known ? memory_copy(known) : name_of_function(symbol);
}

/* The kernel of the launch. */
static char *kernel_now(const struct source_lines *lines)
{
    if (lines->now == RECORDS_NOTHING)
        return memory_copy("");
    char *symbol = lines_copy(lines, lines->taken.kernel[lines->now].name);
    char *name = lines_function(lines, symbol);
    free(symbol);
    return name;
}

/* What the table of sites says: the first place of the user's, and the calls around it. */
static void find_site(struct source_lines *lines, uint32_t at, struct source_place *place)
{
    while (at != RECORDS_NOTHING) {
        const struct records_site *site = &lines->taken.site[at];
        char *path = lines_copy(lines, site->file);
        struct source_file *file = file_of(lines, path);
        if (!place->inner) {
            place->inner = memory_copy(path);
            place->inner_line = (int)site->line;
        }
        free(path);
        if (file && !place->line) {
            char *function = lines_copy(lines, site->function);
            place->file = file->path;
            place->line = (int)site->line;
            place->column = (int)site->column;
            place->function = *function ? lines_function(lines, function) : kernel_now(lines);
            free(function);
        } else if (file && place->calls < CALL_DEPTH) {
            place->call[place->calls++] = (struct source_call){file->path, (int)site->line};
        }
        place->foreign = !place->line;
        at = site->inlined_at;
    }
}

bool lines_estimate(struct source_lines *lines, size_t index, struct source_estimate *estimate)
{
    const struct built_program *program = lines->program;
    for (int i = 0; program && i < program->widths_count; i++) {
        const struct widths *widths = &program->widths[i];
        if (index >= widths->lines) {
            index -= widths->lines;
            continue;
        }
        const struct widths_line *line = &widths->line[index];
        struct source_file *file = file_of(lines, line->file);
        *estimate = (struct source_estimate){.file = file ? file->path : NULL,
                                             .line = line->line,
                                             .inner = line->file,
                                             .op = line->op,
                                             .global = line->global};
        return true;
    }
    return false;
}

const struct widths_spill *lines_spill(const struct source_lines *lines, const char *kernel)
{
    const struct built_program *program = lines->program;
    for (int i = 0; program && i < program->widths_count; i++)
        for (size_t k = 0; k < program->widths[i].spills; k++) {
            char *name = name_of_function(program->widths[i].spill[k].kernel);
            const bool same = !strcmp(name, kernel);
            free(name);
            if (same)
                return &program->widths[i].spill[k];
        }
    return NULL;
}

/* Opens the program's own debug information once. */
static Dwarf *host_code(struct source_lines *lines)
{
    if (lines->fd < 0 && lines->program && !lines->program->words) {
        lines->fd = open(lines->program->compiled.executable, O_RDONLY | O_CLOEXEC);
        if (lines->fd >= 0)
            lines->dwarf = dwarf_begin(lines->fd, DWARF_C_READ);
    }
    return lines->dwarf;
}

static void put_place(struct source_place *place, const struct source_file *file, int line)
{
    if (file && !place->line && line > 0) {
        place->file = file->path;
        place->line = line;
    }
}

/* Where the user's code calls what is inlined there, of a header that is not the user's. */
static void find_inlined(struct source_lines *lines, Dwarf_Die *unit, uint64_t byte,
                         struct source_place *place)
{
    Dwarf_Die *scope = NULL;
    Dwarf_Files *files;
    size_t count;
    int scopes = dwarf_getscopes(unit, byte, &scope);
    for (int i = 0; i < scopes && !dwarf_getsrcfiles(unit, &files, &count); i++) {
        Dwarf_Attribute of_file, of_line;
        Dwarf_Word number, line;
        if (dwarf_tag(&scope[i]) == DW_TAG_inlined_subroutine &&
            !dwarf_formudata(dwarf_attr(&scope[i], DW_AT_call_file, &of_file), &number) &&
            !dwarf_formudata(dwarf_attr(&scope[i], DW_AT_call_line, &of_line), &line))
            put_place(place, file_of(lines, dwarf_filesrc(files, number, NULL, NULL)), (int)line);
    }
    free(scope);
}

/* The call before that byte. */
static void find_host(struct source_lines *lines, uint64_t byte, struct source_place *place)
{
    Dwarf_Die unit;
    Dwarf *dwarf = host_code(lines);
    int number = 0;
    if (!dwarf || !dwarf_addrdie(dwarf, byte - 1, &unit))
        return;
    Dwarf_Line *line = dwarf_getsrc_die(&unit, byte - 1);
    if (line && !dwarf_lineno(line, &number))
        put_place(place, file_of(lines, dwarf_linesrc(line, NULL, NULL)), number);
    if (!place->line)
        find_inlined(lines, &unit, byte - 1, place);
}

static void find_place(struct source_lines *lines, struct source_place *place)
{
    uint64_t number = place->pc & ((UINT64_C(1) << PLACE_SHIFT) - 1);
    const struct records_taken *taken = &lines->taken;
    place->file = "";
    place->op = OPS;
    switch ((enum place_kind)(place->pc >> PLACE_SHIFT)) {
    case PLACE_CODE:
        place->function = "";
        if (lines->gpu)
            gpu_places_find(lines->gpu, place->pc - 1, place);
        return;
    case PLACE_ACCESS:
        if (number < taken->accesses)
            find_site(lines, taken->access[number].site, place);
        break;
    case PLACE_SITE:
        if (number < taken->sites)
            find_site(lines, (uint32_t)number, place);
        break;
    case PLACE_HOST:
        find_host(lines, number, place);
        break;
    }
    if (!place->function)
        place->function = memory_copy("");
}

const struct source_place *lines_place(struct source_lines *lines, uint64_t pc)
{
    const uint32_t hash = (uint32_t)hash_mix(0, pc);
    size_t at = 0;
    for (uint32_t i; (i = hash_index_next(&lines->by_pc, hash, &at)) != HASH_INDEX_NONE;)
        if (lines->place[i]->pc == pc)
            return lines->place[i];
    struct source_place *place = memory_new(1, sizeof *place);
    struct error ignored = {{0}};
    if (!memory_grow(&lines->place, &lines->place_room, lines->places + 1, sizeof *lines->place,
                     "places", &ignored) ||
        !hash_index_add(&lines->by_pc, hash, (uint32_t)lines->places, "places", &ignored))
        memory_exhausted();
    lines->place[lines->places++] = place;
    place->pc = pc;
    find_place(lines, place);
    return place;
}

enum op lines_operation(struct source_lines *lines, uint64_t pc, enum op recorded)
{
    if (!lines->gpu || (recorded != OP_ATOMIC && recorded != OP_ASYNC_LOAD))
        return recorded;
    const struct source_place *place = lines_place(lines, pc);
    if (recorded == OP_ASYNC_LOAD)
        return place->past_l1 ? OP_ASYNC_LOAD_CG : recorded;
    return op_is_atomic(place->op) ? place->op : recorded;
}

static void forget_places(struct source_lines *lines)
{
    for (size_t i = 0; i < lines->places; i++) {
        if (lines->place[i]->pc >> PLACE_SHIFT != PLACE_CODE)
            free((char *)(uintptr_t)lines->place[i]->function);
        free(lines->place[i]->inner);
        free(lines->place[i]);
    }
    free(lines->place);
    lines->place = NULL;
    lines->places = lines->place_room = 0;
    hash_index_free(&lines->by_pc);
}

void lines_take(struct source_lines *lines, const struct records_taken *taken)
{
    lines_forget_arrays(lines);
    forget_places(lines);
    records_taken_free(&lines->taken);
    lines->taken = *taken;
    lines->now = RECORDS_NOTHING;
    lines_take_arrays(lines);
}

const struct records_taken *lines_taken(const struct source_lines *lines)
{
    return &lines->taken;
}

/* ---- all ------------------------------------------------------------------------------------- */

struct source_lines *lines_open(const struct built_program *program)
{
    struct source_lines *lines = memory_new(1, sizeof *lines);
    struct error ignored = {{0}};
    lines->program = program;
    lines->fd = -1;
    lines->now = RECORDS_NOTHING;
    snprintf(lines->compiled_by, sizeof lines->compiled_by, "%s for sm_%d",
             program->compiled.compiler, program->compiled.capability);
    if (!program->compiled.capability)
        snprintf(lines->compiled_by, sizeof lines->compiled_by, "%s", program->compiled.compiler);
    if (program->alias)
        lines_alias(lines, program->alias, program->alias_path);
    for (int i = 0; i < program->sources; i++)
        lines->relative = lines->relative || *program->source[i] != '/';
    for (int i = 0; i < program->compiled.units; i++)
        if (program->compiled.unit[i].names) /* without them, symbols are told */
            source_names_read(&lines->names, program->compiled.unit[i].names, &ignored);
    if (!getcwd(lines->here, sizeof lines->here))
        *lines->here = '\0';
    if (!data_path("program/compile/include", lines->headers[0], PATH_MAX, &ignored))
        *lines->headers[0] = '\0';
    if (!library_path("headers", lines->headers[1], PATH_MAX, &ignored))
        *lines->headers[1] = '\0';
    return lines;
}

struct source_lines *lines_open_gpu(const char *folder)
{
    struct source_lines *lines = memory_new(1, sizeof *lines);
    lines->fd = -1;
    lines->now = RECORDS_NOTHING;
    snprintf(lines->compiled_by, sizeof lines->compiled_by, "a GPU");
    lines->gpu = gpu_places_new(folder);
    return lines;
}

bool lines_need_arguments(const struct source_lines *lines)
{
    return lines->names.views;
}

bool lines_of_ptx(const struct source_lines *lines)
{
    return lines->program && !strcmp(lines->program->compiled.compiler, "PTX");
}

bool lines_on_gpu(const struct source_lines *lines)
{
    return lines->gpu;
}

const char *lines_told(const struct source_lines *lines)
{
    return lines->compiled_by;
}

static bool take_function(void *context, const struct record_function *function,
                          struct error *error)
{
    struct source_lines *lines = context;
    return !lines->gpu || gpu_places_add(lines->gpu, function, error);
}

struct program_sink lines_sink(struct source_lines *lines)
{
    return (struct program_sink){.function = take_function, .context = lines};
}

void lines_free(struct source_lines *lines)
{
    if (!lines)
        return;
    for (size_t i = 0; i < lines->files; i++) {
        free(lines->file[i].absolute);
        free(lines->file[i].alias);
        free(lines->file[i].text);
        free(lines->file[i].line);
    }
    forget_places(lines);
    lines_forget_arrays(lines);
    records_taken_free(&lines->taken);
    source_names_free(&lines->names);
    if (lines->dwarf)
        dwarf_end(lines->dwarf);
    gpu_places_free(lines->gpu);
    if (lines->fd >= 0)
        close(lines->fd);
    free(lines->file);
    free(lines);
}
