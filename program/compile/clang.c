/* clang.c - one source by clang, without the toolkit: for the device to LLVM's text as it is written, to optimised
 * text, and to PTX; and once for the host, into whose object that PTX goes as text. The text also says how accesses are
 * aligned (alignments.c), which calls were inlined (places.c) and what variables are called (variables.c).
 *
 * The flags that make its code like nvcc's are in find.c. The other ones: no toolkit is looked for
 * (--cuda-path, -nocudainc, -nocudalib); the header that stands in for it comes before the source; and
 * what nvcc takes is no error: narrowing in braces, the word register, static members of type float with a value; in
 * C, functions that no header declares.
 */
#include "program/compile/ir.h"
#include "program/compile/names.h"
#include "system/file.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void add_all(struct words *words, const char *const *flag)
{
    for (; *flag; flag++)
        words_add(words, "%s", *flag);
}

int clang_capability(const struct compiler *compiler, int wanted, char *note, size_t room)
{
    const struct clang_version *is = clang_version_of(compiler->version);
    if (wanted <= is->highest)
        return wanted ? wanted : is->capability;
    snprintf(note, room, "the program is compiled for sm_%d: %s knows nothing newer", is->highest,
             compiler->label);
    return is->highest;
}

/* What both passes are told. */
static void add_common(const struct compiling *with, const struct unit *unit, struct words *words)
{
    static const char *const cuda[] = {"-x",
                                       "cuda",
                                       "--cuda-path=/nonexistent",
                                       "-nocudainc",
                                       "-Xclang",
                                       "-target-sdk-version=11.5",
                                       "-Wno-unknown-cuda-version",
                                       NULL};
    static const char *const lenient[] = {"-Wno-c++11-narrowing", "-Wno-register",
                                          "-Wno-static-float-init", NULL};
    static const char *const early[] = {"-Wno-error=implicit-function-declaration",
                                        "-Wno-error=implicit-int", "-Wno-error=int-conversion",
                                        NULL}; /* C of before 1999, as gcc takes it */
    words_add(words, "%s", with->compiler.path);
    if (with->separate)
        words_add(words, "-no-integrated-cpp");
    if (unit->cuda) {
        char ignored[1];
        add_all(words, cuda);
        words_add(words, "--cuda-gpu-arch=sm_%d",
                  clang_capability(&with->compiler, with->options->capability, ignored, 0));
    }
    if (unit->c)
        add_all(words, early);
    if (!unit->c) {
        add_all(words, lenient);
        words_add(words, "-std=c++17");
        words_add(words, "-fno-strict-return"); /* as with compilers that do not exploit it */
    }
    for (int i = 0; i < 2; i++) {
        words_add(words, "-isystem");
        words_add(words, "%s", with->headers[i]);
    }
    if (*with->toolkit) {
        words_add(words, "-isystem");
        words_add(words, "%s/toolkit", with->headers[0]);
        words_add(words, "-DBANKSCOPE_TOOLKIT");
        words_add(words, "-idirafter");
        words_add(words, "%s", with->toolkit);
        words_add(words, "-idirafter");
        words_add(words, "%s/cccl", with->toolkit); /* <nv/target> */
    }
    if (with->references && unit->cuda)
        words_add(words, "-DBANKSCOPE_REFERENCES");
    if (with->own_warp && unit->cuda)
        words_add(words, "-DBANKSCOPE_OWN_WARP_SIZE");
    if (with->special && unit->cuda)
        words_add(words, "-DBANKSCOPE_SPECIAL");
}

/* The header that stands before every source. */
static void add_header(const struct compiling *with, enum clang_pass pass, struct words *words)
{
    if (*with->read[pass]) {
        words_add(words, "-Xclang");
        words_add(words, "-include-pch");
        words_add(words, "-Xclang");
        words_add(words, "%s", with->read[pass]);
    } else {
        words_add(words, "-include");
        words_add(words, "cuda_runtime.h");
    }
}

/* The folder of headers that the words at `word` name (-I F, -IF, -isystem F), if it is a toolkit's, or its CCCL's; or NULL.
 * *words: how many these are. */
static const char *toolkit_folder(char *const *word, int left, int *words)
{
    static const char *const names[] = {"-isystem", "-I"};
    static const char *const signs[] = {"crt/host_runtime.h", "nv/target"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const size_t length = strlen(names[i]);
        char path[PATH_MAX];
        if (strncmp(*word, names[i], length) != 0)
            continue;
        *words = (*word)[length] ? 1 : 2;
        const char *folder = (*word)[length] ? *word + length : left > 1 ? word[1] : "";
        for (size_t j = 0; *folder && j < sizeof signs / sizeof *signs; j++) {
            snprintf(path, sizeof path, "%s/%s", folder, signs[j]);
            if (!access(path, F_OK))
                return folder;
        }
        return NULL;
    }
    return NULL;
}

/* The user's words, with a toolkit's folder of headers behind our own: its cuda_runtime.h is not for clang without
 * the toolkit, but other headers in it are used. */
static void add_own(const struct compiling *with, struct words *words, const struct words *own)
{
    int used = 1;
    for (int i = 0; i < own->count; i += used) {
        used = 1;
        if (word_left_out(with, own->word[i]))
            continue;
        const char *folder = toolkit_folder(own->word + i, own->count - i, &used);
        if (folder)
            words_add(words, "-idirafter");
        else
            used = 1;
        words_add(words, "%s", folder ? folder : own->word[i]);
    }
}

/* The rest: the user's own options win over those before. */
static void add_rest(const struct compiling *with, const struct unit *unit, int pass,
                     struct words *words)
{
    add_own(with, words, &with->options->both);
    words_add(words, "-MD");
    words_add(words, "-MF");
    words_add(words, "%s", unit->rule[pass]);
    for (int i = 0; with->copies && i < with->copies->count; i++) {
        words_add(words, "-Xclang");
        words_add(words, "-remap-file");
        words_add(words, "-Xclang");
        words_add(words, "%s", with->copies->word[i]);
    }
    if (*unit->spaced) { /* it is elsewhere: what it includes is beside the source */
        const char *slash = strrchr(unit->source, '/');
        words_add(words, "-iquote");
        words_add(words, "%.*s", slash ? (int)(slash - unit->source + 1) : 1,
                  slash ? unit->source : ".");
    }
    words_add(words, "%s", *unit->spaced ? unit->spaced : unit->source);
}

static bool run_clang(const struct compiling *with, const struct unit *unit,
                      const struct words *words, struct error *error)
{
    char what[300];
    snprintf(what, sizeof what, "compile %.250s", unit->source);
    return compile_run(with, words, what, error);
}

static void add_feature(const struct compiling *with, struct words *words)
{
    words_add(words, "-Xclang");
    words_add(words, "-target-feature");
    words_add(words, "-Xclang");
    words_add(words, "%s", clang_version_of(with->compiler.version)->ptx);
}

/* A lane may hand a shuffle a variable that it has not set, since the others take the leader's, as nvcc allows:
 *
 *     int at;  if (lane == leader) at = atomicAdd(&count, n);  at = __shfl_sync(mask, at, leader);
 *
 * clang would conclude that every lane is the leader: an argument of a function is defined. */
static void add_undefined(const struct compiling *with, struct words *words)
{
    words_add(words, "-Xclang");
    words_add(words, with->compiler.version < 15 ? "-disable-noundef-analysis"
                                                 : "-no-enable-noundef-analysis");
}

/* The pass that reads a source for the device: it writes LLVM's text, as the source is written, with what is needed to
 * optimise it. */
static void add_device(const struct compiling *with, const struct unit *unit, struct words *words)
{
    /* Uses of values in their order: the text gives the same code as if it had not been written. */
    static const char *const device[] = {"--cuda-device-only",
                                         "-fno-finite-loops",   /* one without end stays one */
                                         "-fno-builtin-malloc", /* which may fail */
                                         "-fno-builtin-free",
                                         "-nocudalib",
                                         "-O3",
                                         "-g",
                                         "-Xclang",
                                         "-debug-info-kind=limited",
                                         "-Xclang",
                                         "-disable-llvm-passes",
                                         "-S",
                                         "-emit-llvm",
                                         "-Xclang",
                                         "-emit-llvm-uselists",
                                         NULL};
    static const char *const fast[] = {"-Xclang", "-fcuda-approx-transcendentals", NULL};
    const struct compile_options *options = with->options;
    add_common(with, unit, words);
    add_all(words, device);
    add_undefined(with, words);
    add_feature(with, words);
    if (options->fast_math)
        add_all(words, fast);
    if (options->fast_math || options->flush) {
        words_add(words, "-fcuda-flush-denormals-to-zero");
        words_add(words, "-DBANKSCOPE_FLUSH"); /* for our headers */
    }
    if (options->no_fusing)
        words_add(words, "-ffp-contract=off");
}

static void add_host(const struct compiling *with, const struct unit *unit, struct words *words)
{
    add_common(with, unit, words);
    if (unit->cuda)
        words_add(words, "--cuda-host-only");
    words_add(words, "-O1");
    words_add(words, "-gline-tables-only"); /* of launches and calls that faults are told of */
    words_add(words, "-gdwarf-aranges");    /* by which libdw finds them */
    words_add(words, "-fno-optimize-sibling-calls"); /* which would hide who calls */
    words_add(words, "-c");
}

void clang_question(const struct compiling *with, const struct unit *unit, struct words *command)
{
    static const char *const plain[] = {"-fsyntax-only",
                                        "-w",
                                        "-ferror-limit=0",
                                        "-fmacro-backtrace-limit=0",
                                        "-fno-caret-diagnostics",
                                        "-fno-color-diagnostics",
                                        "-fshow-column",
                                        "-fdiagnostics-format=clang",
                                        "-Xclang",
                                        "-fno-diagnostics-use-presumed-location",
                                        NULL};
    add_device(with, unit, command);
    add_header(with, PASS_DEVICE, command);
    add_rest(with, unit, PASS_DEVICE, command);
    add_all(command, plain);
}

void clang_header_command(const struct compiling *with, enum clang_pass pass, struct words *command)
{
    const struct unit unit = {.cuda = true};
    (pass == PASS_DEVICE ? add_device : add_host)(with, &unit, command);
    words_add(command, "-Xclang");
    words_add(command, "-emit-pch");
}

/* What reads LLVM's text and writes text. */
static void add_from_text(const struct compiling *with, struct words *words)
{
    static const char *const ir[] = {"-x",
                                     "ir",
                                     "--target=nvptx64-nvidia-cuda",
                                     "--cuda-path=/nonexistent",
                                     "-Wno-unknown-cuda-version",
                                     "-Wno-unused-command-line-argument",
                                     "-O3",
                                     "-S",
                                     NULL};
    char ignored[1];
    words_add(words, "%s", with->compiler.path);
    add_all(words, ir);
    words_add(words, "-Xclang");
    words_add(words, "-target-cpu");
    words_add(words, "-Xclang");
    words_add(words, "sm_%d",
              clang_capability(&with->compiler, with->options->capability, ignored, 0));
    add_feature(with, words);
}

/* From text as it is written to optimised text: as clang does it in one run. */
static void add_to_optimised(const struct compiling *with, struct words *words)
{
    static const char *const one_run[] = {"-emit-llvm",
                                          "-Xclang",
                                          "-emit-llvm-uselists",
                                          "-fdiscard-value-names",
                                          "-fno-builtin-malloc",
                                          "-fno-builtin-free",
                                          NULL};
    enum {
        LAST_WITHOUT_LIBRARY = 19
    }; /* later versions do it always, and may not know the option */
    const struct words *both = &with->options->both;
    add_from_text(with, words);
    add_all(words, one_run);
    if (with->compiler.version <= LAST_WITHOUT_LIBRARY) {
        words_add(words, "-mllvm");
        words_add(words, "-enable-memcpyopt-without-libcalls");
    }
    add_all(words, clang_version_of(with->compiler.version)->flag);
    for (int i = 0; i < both->count; i++)
        if (!strncmp(both->word[i], "-O", 2) || !strncmp(both->word[i], "-f", 2)) {
            words_add(words, "%s", both->word[i]);
        } else if (!strcmp(both->word[i], "-mllvm") && i + 1 < both->count) {
            words_add(words, "-mllvm");
            words_add(words, "%s", both->word[++i]);
        }
}

/* From LLVM's text to PTX. */
static void add_to_ptx(const struct compiling *with, struct words *words)
{
    static const char *const ptx[] = {"-Xclang", "-disable-llvm-passes", "-fno-verbose-asm", NULL};
    const struct compile_options *options = with->options;
    add_from_text(with, words);
    add_all(words, ptx);
    words_add(words, "-mllvm");
    words_add(words, "-nvptx-fma-level=%d", options->no_fusing ? 0 : 2);
    if (options->fast_math || options->rough_division) {
        words_add(words, "-mllvm");
        words_add(words, "-nvptx-prec-divf32=0");
    }
    if (options->fast_math || options->rough_root) {
        words_add(words, "-mllvm");
        words_add(words, "-nvptx-prec-sqrtf32=0");
    }
    for (int i = 0; i < options->both.count; i++)
        if (!strncmp(options->both.word[i], "-O", 2))
            words_add(words, "%s", options->both.word[i]);
}

/* Runs it, with `from` to be read, if not NULL, and `to` written. */
static bool run_to(const struct compiling *with, const struct unit *unit, struct words *words,
                   const char *from, const char *to, struct error *error)
{
    if (from)
        words_add(words, "%s", from);
    words_add(words, "-o");
    words_add(words, "%s", to);
    bool good = run_clang(with, unit, words, error);
    words_free(words);
    return good;
}

static bool read_text(const char *path, bool optimised, struct ir *ir, struct error *error)
{
    enum { MOST_TEXT = 1 << 30 };
    size_t length;
    char *text = file_read(path, MOST_TEXT, &length, error);
    if (text)
        text = (optimised ? copies_whole : copies_small)(text, &length);
    if (text && length <= MOST_TEXT && ir_read(ir, text, length, error))
        return true;
    free(text);
    return error_set(error, "%s is too large", path);
}

/* A passing file of a unit. */
static void name_passing(const struct unit *unit, const char *ending, char *path, size_t room)
{
    snprintf(path, room, "%s.%s", unit->ptx, ending);
}

/* The source as it is written. false: clang does not take it, *error says so. */
static bool read_as_written(const struct compiling *with, const struct unit *unit, struct ir *ir,
                            struct error *error)
{
    char text[320];
    struct words words = {.count = 0};
    name_passing(unit, "written.ll", text, sizeof text);
    add_device(with, unit, &words);
    add_header(with, PASS_DEVICE, &words);
    add_rest(with, unit, PASS_DEVICE, &words);
    return run_to(with, unit, &words, NULL, text, error) && read_text(text, false, ir, error);
}

static void free_text(struct ir *ir)
{
    free(ir->text);
    ir_free(ir);
}

/* Optimised, with the alignments that casts say. */
static bool read_optimised(const struct compiling *with, const struct unit *unit,
                           const struct ir *written, struct ir *ir, struct error *error)
{
    char aligned[320], text[320];
    struct words words = {.count = 0};
    name_passing(unit, "aligned.ll", aligned, sizeof aligned);
    name_passing(unit, "ll", text, sizeof text);
    if (!alignments_raise(written, aligned, error))
        return false;
    add_to_optimised(with, &words);
    return run_to(with, unit, &words, aligned, text, error) && read_text(text, true, ir, error);
}

/* Variables of the code as it is; views of the code as it is written, where there may be any. */
static bool write_names(const struct compiling *with, const struct ir *ir, const struct ir *written,
                        const struct unit *unit, struct error *error)
{
    struct source_names names = {.variables = 0};
    bool good = variables_read(ir, &names, error);
    if (good && with->request->names && views_wanted(ir))
        good = views_read(written, &names, error);
    good = good && source_names_write(&names, unit->names, error);
    source_names_free(&names);
    return good;
}

/* From optimised text to PTX with the source's places. */
static bool write_ptx(const struct compiling *with, const struct unit *unit, const struct ir *ir,
                      struct error *error)
{
    char numbered[320], raw[320];
    struct words words = {.count = 0};
    enum { LAST_MISPLACED = 16 }; /* later versions give joined stores the place of one of them */
    const bool hold = with->compiler.version <= LAST_MISPLACED;
    name_passing(unit, "numbered.ll", numbered, sizeof numbered);
    name_passing(unit, "raw", raw, sizeof raw);
    if (!places_number(ir, hold, numbered, error))
        return false;
    add_to_ptx(with, &words);
    return run_to(with, unit, &words, numbered, raw, error) && clusters_restore(ir, raw, error) &&
           places_restore(ir, raw, unit->ptx, error);
}

static bool compile_device(const struct compiling *with, const struct unit *unit,
                           struct error *error)
{
    struct ir written, ir;
    if (!read_as_written(with, unit, &written, error))
        return false;
    bool good = read_optimised(with, unit, &written, &ir, error);
    if (good) {
        good = write_ptx(with, unit, &ir, error) && write_names(with, &ir, &written, unit, error);
        free_text(&ir);
    }
    free_text(&written);
    return good;
}

void clang_name(const struct compiling *with, const struct unit *unit)
{
    char *unsaid = memory_copy("");
    struct compiling silent = *with; /* nvcc takes the source, whatever clang says of it */
    struct source_names names = {.variables = 0};
    struct error ignored = {{0}};
    struct ir ir;
    struct words copies = {.count = 0};
    silent.messages = &unsaid;
    bool good = read_as_written(&silent, unit, &ir, &ignored);
    if (!good && percents_refused(unsaid) && percents_double(&silent, unit, &copies)) {
        ignored.text[0] = '\0';
        silent.copies = &copies;
        good = read_as_written(&silent, unit, &ir, &ignored);
    }
    words_free(&copies);
    free(unsaid);
    if (!good)
        return;
    if (variables_read(&ir, &names, &ignored) && views_read(&ir, &names, &ignored))
        source_names_write(&names, unit->names, &ignored);
    source_names_free(&names);
    free_text(&ir);
}

/* A copy of the PTX that ends with a null byte: clang puts the file into the object as it is, newer versions
 * without a null behind it, and the runtime gets its first byte only. */
static bool end_ptx(const struct unit *unit, const char *ended, struct error *error)
{
    enum { MOST_PTX = 1 << 30 };
    size_t length;
    char *text = file_read(unit->ptx, MOST_PTX, &length, error);
    FILE *file = text ? fopen(ended, "wb") : NULL;
    bool good = file && fwrite(text, 1, length + 1, file) == length + 1;
    if (file && fclose(file))
        good = false;
    free(text);
    return good || error_set(error, "cannot write %s", ended);
}

static bool compile_host(const struct compiling *with, const struct unit *unit, struct error *error)
{
    char ended[320];
    struct words words = {.count = 0};
    name_passing(unit, "ended", ended, sizeof ended);
    if (unit->cuda && !end_ptx(unit, ended, error))
        return false;
    add_host(with, unit, &words);
    if (unit->cuda) {
        add_header(with, PASS_HOST, &words);
        words_add(&words, "-Xclang");
        words_add(&words, "-fcuda-include-gpubinary");
        words_add(&words, "-Xclang");
        words_add(&words, "%s", ended);
    }
    if (unit->reads) {
        words_add(&words, "-fsanitize=thread");
        words_add(&words, "-mllvm");
        words_add(&words, "-tsan-instrument-func-entry-exit=0");
        words_add(&words, "-mllvm");
        words_add(&words, "-tsan-distinguish-volatile=1");
    }
    add_own(with, &words, &with->options->host);
    add_rest(with, unit, PASS_HOST, &words);
    words_add(&words, "-o");
    words_add(&words, "%s", unit->object);
    bool good = run_clang(with, unit, &words, error);
    words_free(&words);
    return good;
}

static bool compile_both(const struct compiling *with, const struct unit *unit, struct error *error)
{
    return (!unit->cuda || compile_device(with, unit, error)) &&
           (with->request->ptx_only || compile_host(with, unit, error));
}

/* With the header as it was read before. What clang says if it does not take the source with it, it says again. */
static bool compile_quickly(const struct compiling *with, const struct unit *unit)
{
    char *said = memory_copy("");
    struct compiling quick = *with;
    struct error none = {{0}};
    quick.messages = &said;
    const bool good = precompiled_serves(with, unit) && compile_both(&quick, unit, &none);
    if (good)
        messages_add(with->messages, said);
    free(said);
    return good;
}

/* With copies, where it is refused for a percent sign. */
static bool compile_doubled(const struct compiling *with, const struct unit *unit,
                            struct error *error)
{
    char *said = memory_copy("");
    struct compiling whole = *with;
    struct words copies = {.count = 0};
    whole.messages = &said;
    bool good = compile_both(&whole, unit, error);
    if (!good && percents_refused(said) && percents_double(&whole, unit, &copies)) {
        said[0] = error->text[0] = '\0';
        whole.copies = &copies;
        good = compile_both(&whole, unit, error);
    }
    messages_add(with->messages, said);
    words_free(&copies);
    free(said);
    return good;
}

bool clang_compile(const struct compiling *with, struct unit *unit, struct error *error)
{
    struct compiling whole = *with;
    for (int pass = 0; pass < CLANG_PASSES; pass++)
        whole.read[pass][0] = '\0';
    return compile_quickly(with, unit) || compile_doubled(&whole, unit, error);
}
