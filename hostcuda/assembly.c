/* assembly.c - what becomes of g++'s assembly: space between variables, functions without hooks.
 *
 * Shared variables begin in bank 0, and behind each is space that belongs to none, as there is between
 * other variables, so that an access out of bounds is seen: in the assembler's text, because templates
 * take no section or alignment of ours.
 *
 * A twin is a second copy of a function without the hooks, for blocks that are not recorded. It
 * shares all data with the first: only code is doubled, with its labels and what lies between them
 * (tables of jumps and of exceptions). The engine finds twins in the section hostcuda_twins.
 *
 *     _Z3sumPf:                              _Z3sumPf.twin:
 *         call  __tsan_func_entry                addl  $1, %fs:call_depth@tpoff
 *         call  __sanitizer_cov_trace_pc
 *     .L3:                                   .L3.twin:
 *         call  __sanitizer_cov_trace_pc         subl  $1, %fs:fuel@tpoff     (in loops)
 *                                                jns   77f
 *                                                call  __sanitizer_cov_trace_pc
 *                                            77:
 *         movq  %rbx, %rdi                       movq  %rbx, %rdi
 *         call  __tsan_read4
 *         addss (%rbx), %xmm0                    addss (%rbx), %xmm0
 *         jne   .L3                              jne   .L3.twin
 *
 * A call may change the flags and does not change a register that is needed behind it, so that the
 * code around it is right without the call. Volatile and atomic accesses keep theirs: there, lanes of
 * a warp go together in blocks that are not recorded, too.
 *
 * Functions that no kernel calls lose their hooks, so that what a program computes on the host to
 * check its kernels takes no longer than it must. A function may be a kernel's if one that may be calls
 * it, if its address is taken, or if it is global and there are other sources.
 */
#define _GNU_SOURCE /* memmem */
#include "hostcuda/driver.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
enum { TWINS = 1 };
#else
enum { TWINS = 0 };
#endif

/* A part of the text. */
struct part {
    const char *at;
    size_t length;
};

struct function {
    struct part name;
    const char *from, *to; /* from its .type to behind its .size */
    bool global;           /* other sources may call it */
    bool wanted;           /* as a twin */
    bool kept;             /* with its hooks */
};

struct label {
    struct part name;
    const char *last; /* behind the last line that names it, or NULL */
};

struct assembly {
    const char *text, *end;
    FILE *file;
    struct function *function; /* by name */
    size_t functions, room;
    struct label *label; /* of the function whose twin is written, by name */
    size_t labels, labels_room;
};

static struct part line_at(const struct assembly *a, const char *at)
{
    const char *end = memchr(at, '\n', (size_t)(a->end - at));
    return (struct part){at, (size_t)((end ? end + 1 : a->end) - at)};
}

static bool begins(struct part line, const char *with)
{
    size_t length = strlen(with);
    return line.length >= length && !memcmp(line.at, with, length);
}

static bool has(struct part line, const char *what)
{
    return memmem(line.at, line.length, what, strlen(what)) != NULL;
}

static int compare_parts(const void *one, const void *other)
{
    const struct part *a = one, *b = other;
    size_t length = a->length < b->length ? a->length : b->length;
    int order = memcmp(a->at, b->at, length);
    return order ? order : (a->length > b->length) - (a->length < b->length);
}

/* ---- space between variables ----------------------------------------------------------------- */

/* A variable of the linker's: .comm NAME,BYTES,ALIGNMENT behind .local NAME. */
static bool place_local(FILE *file, const char *line)
{
    char name[1024];
    unsigned long long bytes;
    unsigned align;
    return sscanf(line, "\t.comm\t%1023[^,],%llu,%u", name, &bytes, &align) == 3 &&
           fprintf(file,
                   "\t.pushsection .bss\n\t.zero\t128\n\t.align %u\n\t.type\t%s, @object\n"
                   "\t.size\t%s, %llu\n%s:\n\t.zero\t%llu\n\t.popsection\n",
                   align, name, name, bytes, name, bytes) > 0;
}

/* Where the lines are that are written now. */
struct place {
    enum { TEXT, DATA, SHARED } section;
    int align;
    bool local; /* the line before says that what follows is local */
};

static bool write_spaced(FILE *file, struct place *place, struct part line)
{
    bool named = begins(line, "\t.section\t"), good = true;
    if (named || begins(line, "\t.text") || begins(line, "\t.data") || begins(line, "\t.bss")) {
        size_t skip = named ? strlen("\t.section\t") : strlen("\t");
        struct part name = {line.at + skip, line.length - skip};
        bool constant = begins(name, ".data.rel.ro");
        place->section = begins(name, ".tbss")                                          ? SHARED
                         : !constant && (begins(name, ".data") || begins(name, ".bss")) ? DATA
                                                                                        : TEXT;
        place->align = 1;
    }
    bool aligns = begins(line, "\t.align ");
    if (aligns)
        place->align = atoi(line.at + strlen("\t.align "));
    bool object = begins(line, "\t.type\t") && (has(line, ", @object") || has(line, ", @gnu_"));
    if (place->section == DATA && object)
        good = fprintf(file, "\t.zero\t128\n\t.align %d\n", place->align) > 0;
    if (place->section == SHARED && aligns && place->align < 128)
        good = fputs("\t.align 128\n", file) != EOF;
    else if (place->local && begins(line, "\t.comm\t"))
        good = place_local(file, line.at);
    else
        good = good && fwrite(line.at, 1, line.length, file) == line.length;
    if (good && place->section == SHARED && begins(line, "\t.zero\t"))
        good = fputs("\t.zero\t128\n", file) != EOF;
    place->local = begins(line, "\t.local\t");
    return good;
}

/* ---- functions ------------------------------------------------------------------------------- */

static bool in_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

/* The next name in the line from *at on that may be a label or a function; false: there is none. No
 * instruction and no register is one. */
static bool next_name(struct part line, size_t *at, struct part *name)
{
    size_t i = *at;
    if (i == 0 && *line.at == '\t' && isalpha((unsigned char)line.at[1]))
        for (i = 1; i < line.length && in_name(line.at[i]);)
            i++;
    for (;;) {
        while (i < line.length && !in_name(line.at[i]))
            i++;
        size_t from = i;
        while (i < line.length && (in_name(line.at[i]) || (line.at[i] == '$' && i > from)))
            i++;
        *at = i;
        if (i == from)
            return false;
        *name = (struct part){line.at + from, i - from};
        char before = from ? line.at[from - 1] : '\0';
        if (before != '%' && before != '@' && !isdigit((unsigned char)*name->at))
            return true;
    }
}

/* Whether names in the line may be labels and functions. */
static bool refers(struct part line)
{
    return !begins(line, "\t.loc ") && !begins(line, "\t.file") && !begins(line, "\t.string") &&
           !begins(line, "\t.ascii") && (!begins(line, "\t.cfi") || begins(line, "\t.cfi_lsda"));
}

static struct function *find(const struct assembly *a, struct part name)
{
    return a->functions
               ? bsearch(&name, a->function, a->functions, sizeof *a->function, compare_parts)
               : NULL;
}

/* Whether what follows in the function goes to a section that a twin can have, too. */
static bool section_known(struct part line)
{
    return begins(line, "\t.section\t.text") || begins(line, "\t.section\t.rodata") ||
           begins(line, "\t.section\t.gcc_except_table");
}

static bool list_functions(struct assembly *a)
{
    struct error error = {{0}};
    struct function now = {.from = NULL};
    struct part global = {.at = NULL};
    bool known = false;
    for (struct part line = line_at(a, a->text); line.at < a->end;
         line = line_at(a, line.at + line.length)) {
        if (begins(line, "\t.type\t") && has(line, ", @function")) {
            size_t at = strlen("\t.type\t");
            /* A function in a function: the rarely used part of it. */
            known = !now.from && next_name(line, &at, &now.name);
            now.from = line.at;
            now.global = global.at && !compare_parts(&global, &now.name);
        } else if (begins(line, "\t.globl\t") || begins(line, "\t.weak\t")) {
            size_t at = 0;
            next_name(line, &at, &global);
        } else if (begins(line, "\t.size\t") && now.from) {
            size_t at = strlen("\t.size\t");
            struct part name;
            if (!next_name(line, &at, &name) || compare_parts(&name, &now.name))
                continue;
            now.to = line.at + line.length;
            if (known && !memory_grow(&a->function, &a->room, a->functions + 1, sizeof *a->function,
                                      "functions", &error))
                return false;
            if (known)
                a->function[a->functions++] = now;
            now.from = NULL;
        } else if (begins(line, "\t.section\t") && !section_known(line)) {
            known = false;
        }
    }
    if (a->functions)
        qsort(a->function, a->functions, sizeof *a->function, compare_parts);
    return true;
}

/* Whether the function's name has that of a kernel in it, as "9transpose", or is what runs one. */
static bool is_root(const struct function *f, const char *kernels)
{
    if (has(f->name, "8hostcuda") && has(f->name, "3runE"))
        return true;
    if (has(f->name, "15hostcuda_packed"))
        return true;
    for (const char *name = kernels ? kernels : ""; *name;) {
        size_t length = strcspn(name, "<\t\n"); /* without proposed arguments */
        char mangled[300];
        int n = snprintf(mangled, sizeof mangled, "%zu%.*s", length, (int)length, name);
        if (n < (int)sizeof mangled && has(f->name, mangled))
            return true;
        if (f->name.length == length && !memcmp(f->name.at, name, length))
            return true;
        name += strcspn(name, "\n");
        name += *name == '\n';
    }
    return false;
}

/* Functions that are still to be looked at. */
struct worklist {
    struct function **item;
    size_t count;
};

static void want(struct worklist *list, struct function *f)
{
    if (!f->wanted)
        list->item[list->count++] = f;
    f->wanted = true;
}

static void keep(struct worklist *list, struct function *f)
{
    if (!f->kept)
        list->item[list->count++] = f;
    f->kept = true;
}

/* Marks with `mark` whatever the listed functions refer to, and what these do, and so on. */
static void follow(const struct assembly *a, struct worklist *list,
                   void (*mark)(struct worklist *list, struct function *f))
{
    struct part name;
    for (size_t i = 0; i < list->count; i++)
        for (struct part line = line_at(a, list->item[i]->from); line.at < list->item[i]->to;
             line = line_at(a, line.at + line.length))
            for (size_t at = 0; *line.at == '\t' && refers(line) && next_name(line, &at, &name);) {
                struct function *other = *name.at == '.' ? NULL : find(a, name);
                if (other)
                    mark(list, other);
            }
}

/* Whether a name in the line is an address that the program keeps. */
static bool takes_address(struct part line)
{
    static const char *const others[] = {
        "\tcall\t", "\tj",        "\t.type",  "\t.size",  "\t.globl", "\t.weak",   "\t.hidden",
        "\t.local", "\t.section", "\t.align", "\t.ident", "\t.zero",  "\t.uleb128"};
    if (*line.at != '\t' || !refers(line))
        return false;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (begins(line, others[i]))
            return false;
    return true;
}

/* Marks the functions whose address is taken, where those of a kernel and what it calls may be. Those that
 * OpenMP's threads run are none: no kernel has them. */
static void keep_addressed(const struct assembly *a, struct worklist *list)
{
    bool debug = false;
    struct part name;
    for (struct part line = line_at(a, a->text); line.at < a->end;
         line = line_at(a, line.at + line.length)) {
        if (begins(line, "\t.section\t") || begins(line, "\t.text") || begins(line, "\t.data"))
            debug = begins(line, "\t.section\t.debug");
        if (debug || !takes_address(line))
            continue;
        for (size_t at = 0; next_name(line, &at, &name);) {
            struct function *f = *name.at == '.' ? NULL : find(a, name);
            if (f && !has(f->name, "._omp_fn."))
                keep(list, f);
        }
    }
}

/* Says which functions kernels may call, and which surely not. */
static bool choose_functions(struct assembly *a, const char *kernels, bool alone)
{
    static const struct part start = {"main", 4};
    struct error error = {{0}};
    struct worklist list = {memory_array(a->functions + 1, sizeof *list.item, "functions", &error),
                            0};
    if (!list.item)
        return false;
    for (size_t i = 0; i < a->functions; i++)
        if (is_root(&a->function[i], kernels))
            want(&list, &a->function[i]);
    follow(a, &list, want);
    list.count = 0;
    for (size_t i = 0; i < a->functions; i++) {
        struct function *f = &a->function[i];
        if (f->wanted || (!alone && f->global && compare_parts(&f->name, &start)))
            keep(&list, f);
    }
    keep_addressed(a, &list);
    follow(a, &list, keep);
    free(list.item);
    return true;
}

/* ---- a twin ---------------------------------------------------------------------------------- */

static bool calls(struct part line, const char *name)
{
    return begins(line, "\tcall\t") && begins((struct part){line.at + 6, line.length - 6}, name);
}

/* A hook that says something about memory and does nothing else. */
static bool is_memory_hook(struct part line)
{
    if (!calls(line, "__tsan_"))
        return false;
    return calls(line, "__tsan_read") || calls(line, "__tsan_write") ||
           calls(line, "__tsan_unaligned_") || calls(line, "__tsan_vptr_");
}

/* Whether a name in the line may be where the program goes on: in a jump or a table of jumps, not in
 * one of exceptions. */
static bool goes_on(struct part line)
{
    return refers(line) && !begins(line, "\t.uleb128") && !begins(line, "\t.cfi");
}

static struct label *find_label(const struct assembly *a, struct part name)
{
    return a->labels ? bsearch(&name, a->label, a->labels, sizeof *a->label, compare_parts) : NULL;
}

/* Lists the function's labels, and where each is named last. */
static bool list_labels(struct assembly *a, const struct function *f)
{
    struct error error = {{0}};
    struct part name;
    a->labels = 0;
    for (struct part line = line_at(a, f->from); line.at < f->to;
         line = line_at(a, line.at + line.length)) {
        size_t at = 0;
        if (!begins(line, ".L") || !next_name(line, &at, &name))
            continue;
        if (!memory_grow(&a->label, &a->labels_room, a->labels + 1, sizeof *a->label, "labels",
                         &error))
            return false;
        a->label[a->labels++] = (struct label){name, NULL};
    }
    if (a->labels)
        qsort(a->label, a->labels, sizeof *a->label, compare_parts);
    for (struct part line = line_at(a, f->from); line.at < f->to;
         line = line_at(a, line.at + line.length))
        for (size_t at = 0; *line.at == '\t' && goes_on(line) && next_name(line, &at, &name);) {
            struct label *label = *name.at == '.' ? find_label(a, name) : NULL;
            if (label)
                label->last = line.at + line.length;
        }
    return true;
}

/* The hook at the head of the basic block that begins at `at`, or NULL. */
static const char *head_of_block(const struct assembly *a, const struct function *f, const char *at)
{
    for (struct part line = line_at(a, at); line.at < f->to;
         line = line_at(a, line.at + line.length)) {
        if (calls(line, "__sanitizer_cov_trace_pc"))
            return line.at;
        if (begins(line, "\tj") || begins(line, "\tret"))
            break;
    }
    return NULL;
}

/* The line with the names of this function's labels and of functions that have twins changed. */
static bool write_renamed(const struct assembly *a, struct part line)
{
    size_t copied = 0;
    struct part name;
    bool good = true;
    for (size_t at = 0; good && refers(line) && next_name(line, &at, &name);) {
        const struct function *f = *name.at == '.' ? NULL : find(a, name);
        if (!(f && f->wanted) && !(*name.at == '.' && find_label(a, name)))
            continue;
        good = fwrite(line.at + copied, 1, at - copied, a->file) == at - copied &&
               fputs(".twin", a->file) != EOF;
        copied = at;
    }
    return good &&
           fwrite(line.at + copied, 1, line.length - copied, a->file) == line.length - copied;
}

static bool write_twin(struct assembly *a, const struct function *f)
{
    if (!list_labels(a, f))
        return false;
    bool good = fputs("\t.pushsection .text\n", a->file) != EOF;
    const char *kept = NULL; /* the hook of a loop's first block */
    const char *loop = NULL; /* where there is none, all hooks are kept until here */
    for (struct part line = line_at(a, f->from); good && line.at < f->to;
         line = line_at(a, line.at + line.length)) {
        if (is_memory_hook(line) || begins(line, "\t.file"))
            continue;
        const char *instead = NULL;
        if (begins(line, "\t.section\t.text"))
            instead = "\t.text\n";
        else if (begins(line, "\t.section\t.gcc_except_table"))
            instead = "\t.section\t.gcc_except_table,\"a\",@progbits\n";
        else if (begins(line, "\t.section\t.rodata") && has(line, "comdat"))
            instead = "\t.section\t.rodata\n";
        else if (calls(line, "__tsan_func_entry"))
            instead = "\taddl\t$1, %fs:call_depth@tpoff\n";
        else if (calls(line, "__tsan_func_exit"))
            instead = "\tsubl\t$1, %fs:call_depth@tpoff\n";
        else if (calls(line, "__sanitizer_cov_trace_pc"))
            instead = line.at == kept || (loop && line.at < loop)
                          ? "\tsubl\t$1, %fs:fuel@tpoff\n\tjns\t77f\n"
                            "\tcall\t__sanitizer_cov_trace_pc\n77:\n"
                          : "";
        if (begins(line, ".L") && isdigit((unsigned char)line.at[2])) {
            size_t at = 0;
            struct part name;
            const struct label *label = next_name(line, &at, &name) ? find_label(a, name) : NULL;
            if (label && label->last && label->last > line.at) {
                const char *head = head_of_block(a, f, line.at);
                if (head)
                    kept = head;
                else if (!loop || label->last > loop)
                    loop = label->last;
            }
        }
        if (instead) {
            good = fputs(instead, a->file) != EOF;
        } else if (begins(line, "\t.loc ")) {
            /* without "view", which makes a label */
            const char *view = memmem(line.at, line.length, " view ", 6);
            size_t length = view ? (size_t)(view - line.at) : line.length - 1;
            good = fwrite(line.at, 1, length, a->file) == length && fputc('\n', a->file) != EOF;
        } else {
            good = write_renamed(a, line);
        }
    }
    return good && fprintf(a->file,
                           "\t.section\thostcuda_twins,\"aw\"\n\t.quad\t%.*s, %.*s.twin\n"
                           "\t.popsection\n",
                           (int)f->name.length, f->name.at, (int)f->name.length, f->name.at) > 0;
}

/* ---- functions of the host's ----------------------------------------------------------------- */

/* The line without hooks, which calls twins where there are. */
static bool write_bare(const struct assembly *a, struct part line)
{
    if (calls(line, "__sanitizer_cov_trace_pc") ||
        (calls(line, "__tsan_") && !calls(line, "__tsan_atomic")))
        return true;
    struct part name;
    size_t at = 0;
    const struct function *f =
        begins(line, "\tcall\t") && next_name(line, &at, &name) ? find(a, name) : NULL;
    if (!f || !f->wanted)
        return fwrite(line.at, 1, line.length, a->file) == line.length;
    return fwrite(line.at, 1, at, a->file) == at && fputs(".twin", a->file) != EOF &&
           fwrite(line.at + at, 1, line.length - at, a->file) == line.length - at;
}

/* ---- all ------------------------------------------------------------------------------------- */

/* The function that the line begins or ends, as `what` says; NULL: none that is known. */
static const struct function *function_of(const struct assembly *a, struct part line,
                                          const char *what)
{
    struct part name;
    size_t at = strlen(what);
    return begins(line, what) && next_name(line, &at, &name) ? find(a, name) : NULL;
}

bool assembly_write(const char *text, size_t length, const char *kernels, bool alone, FILE *file)
{
    struct assembly a = {.text = text, .end = text + length, .file = file};
    struct place place = {.align = 1};
    bool good = !TWINS || (list_functions(&a) && choose_functions(&a, kernels, alone));
    const struct function *now = NULL;
    for (struct part line = line_at(&a, text); good && line.at < a.end;
         line = line_at(&a, line.at + line.length)) {
        const struct function *begun = function_of(&a, line, "\t.type\t");
        const struct function *ended = function_of(&a, line, "\t.size\t");
        if (begun && begun->from == line.at)
            now = begun;
        if (now && !now->kept && *line.at == '\t' && line.at[1] == 'c')
            good = write_bare(&a, line);
        else
            good = write_spaced(file, &place, line);
        if (ended && ended->to == line.at + line.length) {
            now = NULL;
            if (ended->wanted)
                good = good && write_twin(&a, ended);
        }
    }
    free(a.function);
    free(a.label);
    return good && fputs("\t.data\n\t.zero\t128\n\t.bss\n\t.zero\t128\n", file) != EOF;
}
