/* compile.h - from the files of a CUDA program to PTX and a host program: the tour of this folder.
 *
 *     program.cu --(find.c: which compiler)--(each.c)--(clang.c | toolkit.c: two passes)--> PTX, host object
 *     objects + the runtime --(link.c)--> a program that hands its PTX to the runtime
 *
 * Two compilers do: clang, which needs no toolkit, because the headers in include/ (and those that
 * make-headers makes of headers.txt) stand in for the toolkit's; and nvcc with its own. Neither changes the
 * source. A kernel is compiled once, to PTX; the host object has that PTX in it, as text, and registers
 * it by the compiler's own protocol (__cudaRegisterFatBinary), so whatever library is linked in for the
 * runtime API gets it when the program starts. What they make is kept (kept.c, bundle.c, system/cache.c).
 *
 * Which flags clang is given, and which of its versions is asked first, was measured: find.c has the table
 * and doc/compilers.md the numbers.
 *
 * Options are nvcc's (options.c): what a user writes behind `bankscope run` is what he would tell nvcc.
 *
 * Beside the PTX stands what its symbols are called in the source (names.h): variables.c reads that out of LLVM's
 * text of the program, on the way to clang's PTX; places.c the calls that were inlined, for the PTX's lines.
 *
 * Nothing here prints. What compilers say is handed back as text, with the user's files and lines
 * (messages.c), each message once, though two passes see it.
 */
#ifndef BANKSCOPE_COMPILE_H
#define BANKSCOPE_COMPILE_H

#include "instrument/instrument.h"

#include <limits.h>
#include <string.h>

enum {
    COMPILE_MOST = 256, /* sources, and options */
    CALL_DEPTH = 8,     /* calls by which an instruction was inlined that are kept of it */
    COMPILE_MOST_SAID = 64 << 20, /* bytes of a compiler's messages */
};

/* ---- what is asked for ------------------------------------------------------------------------- */

enum compile_with {
    COMPILE_ANY,   /* nvcc, if it is here and takes the program, else clang */
    COMPILE_CLANG, /* $CLANG, else the installed one that the table prefers */
    COMPILE_NVCC,  /* $NVCC, else nvcc from the path, else /usr/local/cuda/bin/nvcc */
    COMPILE_SMALL  /* kernelc/, which is a part of this program: kernels only (program/small.c) */
};
/* What one source is told beyond the others. */
struct source_words {
    const char *const *word;
    int words;
    bool cuda; /* whatever its name */
};
/* Nothing is owned. */
struct compile_request {
    const char *const *source; /* .cu, .cpp, .cc, .cxx, .c; .o, .a and .so are linked */
    int sources;
    const char *const
        *word; /* options, as for nvcc: "-O2", "-I", "include", "-arch=sm_90", "-lm" */
    int words;
    const struct source_words *own; /* of each source; NULL: there are none */
    enum compile_with with;
    const char *runtime; /* the library or object that has the runtime API */
    bool ptx_only; /* no host pass and no program: for kernels that are called by themselves */
    /* With nvcc: clang is asked for names of variables and types (names.h); of its own PTX it
     * always tells them. */
    bool names;
    bool cubins; /* with nvcc: what ptxas makes of the PTX, too */
    /* The host part calls before it reads memory, what bankscope/host_reads.c defines. */
    bool host_reads;
};

/* ---- what comes out ---------------------------------------------------------------------------- */

/* One source with code for the device. */
struct compiled_unit {
    const char *source; /* as in the request */
    char *ptx;          /* path of the PTX, below the folder */
    char *cubin;        /* path, or NULL */
    char *names;        /* path of a table (names.h), or NULL: nobody knows */
};
struct compiled_program {
    char folder[256];      /* of its own; compiled_free removes it */
    char executable[4096]; /* "": PTX only */
    struct compiled_unit *unit;
    int units;
    char compiler[48]; /* "clang 14", "clang 14 -O0", "nvcc 13.0" */
    int capability;    /* of the device that the code is for: 80 */
    char note[400];    /* why it is another compiler or device than was asked for; or "" */
    char *messages;    /* warnings, lines of text; "" for none */
};

/* Compiles and links. false: *error has one line; messages, if not "", is what the compiler said, all of it,
 * and to be shown before that line. compiled_free in any case. */
bool compile_program(struct compiled_program *program, const struct compile_request *request,
                     struct error *error);
void compiled_free(struct compiled_program *program);
/* The files that the compilers read for the first so many sources, each on a line, but for the system's; some twice. Freed
 * by the caller. */
char *compiled_reads(const struct compiled_program *program, int sources);

/* ---- find.c: the compilers that are here ---------------------------------------------------------- */

struct compiler {
    bool is_nvcc;
    int version;    /* the major one: 14, 13 */
    char label[40]; /* "clang 14", "nvcc 13.0" */
    char path[4096];
};
/* What is known of clang by version. */
struct clang_version {
    int version;          /* from this one on, until the next row's */
    int capability;       /* what is compiled for if nothing else is asked for: 80 */
    int highest;          /* the highest that it knows */
    const char *ptx;      /* the highest PTX that it writes, as a feature: "+ptx75" */
    const char *flag[12]; /* what makes its code most like nvcc's; ends with NULL */
};
const struct clang_version *clang_version_of(int version);
/* Finds the clang to be asked first, or (after: its version) a newer one than that. false: there is none; *error
 * says which package has one. */
bool compiler_find_clang(struct compiler *compiler, int after, struct error *error);
bool compiler_find_nvcc(struct compiler *compiler, struct error *error);

/* ---- options.c: what the user told nvcc ------------------------------------------------------------ */

/* The words of a command line. */
struct words {
    char *word[2 * COMPILE_MOST + 80]; /* owned; ends with NULL */
    int count;
};
void words_add(struct words *words, const char *format, ...) __attribute__((format(printf, 2, 3)));
void words_append(struct words *words, const struct words *more);
void words_free(struct words *words);

/* Options by who understands them. */
struct compile_options {
    struct words both;   /* for both passes of clang, and g++: -I, -D, -std=, -W... */
    struct words host;   /* only for the host's: what -Xcompiler says */
    struct words link;   /* -l, -L, what -Xlinker says */
    struct words nvcc;   /* all but those for the linker, as they were given */
    struct words ptxas;  /* what -Xptxas says, -maxrregcount */
    int capability;      /* of -arch or -gencode, the highest; 0: not given */
    const char *variant; /* of it: "a" of sm_90a, which has instructions of its own; "" */
    bool fast_math, flush, rough_division, rough_root, no_fusing;
    bool apart; /* -rdc=true */
    bool cuda;  /* -x cu: all sources are CUDA, whatever their names */
};
/* How many words an option of nvcc's with a name of several letters, or -x, takes, of those that are left; 0: it is none. */
int option_words(const char *const *word, int left);
/* Reads the options of `more` (NULL: none), then those of the request. false: *error names an option without its value.
 * options_free in any case. */
bool options_read(struct compile_options *options, const struct compile_request *request,
                  const struct source_words *more, struct error *error);
void options_free(struct compile_options *options);

/* ---- clang.c, toolkit.c: one source ------------------------------------------------------------------ */

/* A source on its way. */
struct unit {
    const char *source;
    struct compile_options *own; /* the options of this source, owned; NULL: those of all */
    bool cuda, c;                /* has device code; is C */
    bool reads;                  /* calls before its host part accesses memory */
    char spaced[300];            /* the copy that clang gets, or "" */
    char ptx[300], cubin[300], names[300], object[300];
    char rule[2][300]; /* what the passes read, for make */
    char keep[256];    /* where nvcc's passing files go, or "": into the common folder */
};
/* What all units share. */
struct compiling {
    const struct compile_request *request;
    const struct compile_options *options; /* of the unit that is compiled, or of all */
    struct compile_options *common;        /* of all */
    struct compiler compiler;
    const char *folder;
    char headers[2][4096]; /* those of include/, those that were made */
    char
        read[2]
            [300]; /* cuda_runtime.h as each of clang's passes has read it, or "" (precompiled.c) */
    char **messages; /* grows */
    bool linked;     /* nvcc links device code: -rdc=true, or sources that use each other's */
    bool spaced;     /* it is compiled from copies (clang_respace) */
    bool references; /* the program has texture references (include/bankscope/references.h) */
    bool separate;   /* its macros are expanded first, as nvcc does: they have directives */
    bool special;    /* it uses special functions of the C++ library (include/bits/specfun.h) */
    char tools[PATH_MAX];       /* nvcc's own: the folder; "": on the PATH */
    char toolkit[PATH_MAX];     /* whose headers it needs: the folder; "": none */
    bool own_warp;              /* it has a warpSize of its own */
    bool serial;                /* clang has no library of OpenMP: its directives are left out */
    const struct words *copies; /* that clang gets instead of files: "FROM;TO"; NULL: none */
    char openmp[PATH_MAX]; /* that library, where the linker does not find it by itself, or "" */
};
/* Whether the compiler is not told that word. */
static inline bool word_left_out(const struct compiling *with, const char *word)
{
    return with->serial && !strncmp(word, "-fopenmp", 8);
}
/* Its own, or those of all. */
static inline const struct compile_options *unit_options(const struct compiling *with,
                                                         const struct unit *unit)
{
    return unit->own ? unit->own : with->options;
}
/* Makes a unit's PTX and its host object. false: *error; the compiler's messages are kept. */
bool clang_compile(const struct compiling *with, struct unit *unit, struct error *error);
/* Writes a unit's names only. What clang says of the source is not told. */
void clang_name(const struct compiling *with, const struct unit *unit);
/* Writes a copy of the source for clang in which launches are written without blanks: `k << <1, 32 >> >()`,
 * as some editors lay them out and nvcc reads them, is `k <<< 1, 32 >>> ()` there. Lines and columns stay. */
bool clang_respace(const char *folder, struct unit *unit, struct error *error);
bool toolkit_compile(const struct compiling *with, struct unit *unit, struct error *error);
/* Makes linked_object of all units' objects, as nvcc links device code. */
bool toolkit_link(const struct compiling *with, const struct unit *unit, const char *linked_object,
                  struct error *error);
/* The capability that the code will be for; *note says so where it is not the one that was asked for. */
int clang_capability(const struct compiler *compiler, int wanted, char *note, size_t room);
int toolkit_capability(int wanted);
/* Finds nvcc's own tools, for what is compiled by it. */
void toolkit_find_tools(struct compiling *with);
/* The folder of a toolkit's headers, if there is one that has that header. */
bool toolkit_headers(const char *header, char *folder, size_t room);
/* Which of clang's passes. */
enum clang_pass { PASS_DEVICE, PASS_HOST, CLANG_PASSES };
/* Has clang read cuda_runtime.h for a pass, `command` in its words but for the files. */
void clang_header_command(const struct compiling *with, enum clang_pass pass,
                          struct words *command);
/* The name under which nvcc keeps what it makes of a source on its way, points into `source`: its file's, without
 * its ending. */
struct toolkit_stem {
    const char *name;
    int length;
};
struct toolkit_stem toolkit_stem_of(const char *source);
/* Has clang read a source for the device, and say of each error the place in the file as it is, and through which
 * macros. */
void clang_question(const struct compiling *with, const struct unit *unit, struct words *command);
/* Runs a compiler; *said: what it says, to be freed. Returns its exit status; -1: *error. */
int compile_run_and_hear(const struct compiling *with, const struct words *words, char **said,
                         struct error *error);
/* Runs a compiler and keeps what it says. what: "compile app.cu". */
bool compile_run(const struct compiling *with, const struct words *words, const char *what,
                 struct error *error);

/* ---- precompiled.c: cuda_runtime.h, read before ---------------------------------------------------------- */

/* Fills in with->read, where one of the sources may have it, and it is kept or can be. */
void precompiled_find(struct compiling *with, const struct unit *unit);
/* Whether a source may have it. */
bool precompiled_serves(const struct compiling *with, const struct unit *unit);

/* ---- percents.c: registers of PTX behind one percent sign, in assembly ------------------------------------- */

/* Whether clang has refused a source for one. */
bool percents_refused(const char *said);
/* Makes copies of the files that have them, with two, for the time of compiling: words "FROM;TO", to be freed.
 * false: none. */
bool percents_double(const struct compiling *with, const struct unit *unit, struct words *copies);

/* ---- each.c: all sources ------------------------------------------------------------------------------ */

/* Compiles them, several at a time. false: *error is that of the first one that failed. */
bool compile_each(const struct compiling *with, struct unit *unit, struct error *error);

/* ---- messages.c: what compilers say ------------------------------------------------------------------ */

/* Appends a compiler's messages to *all, but for what is there already and lines that only count. */
void messages_add(char **all, const char *text);
/* Whether a compiler failed because of a header that stands for something that cannot be had: *error says
 * what and what to do. clangs: the messages are clang's, which takes no Thrust, CUB and libcu++, even where it finds them. */
bool messages_name_header(const char *text, bool clangs, bool has_nvcc, struct error *error);
/* What to say of a link that failed. Returns false. */
bool messages_of_linker(const char *text, struct error *error);

/* ---- link.c ------------------------------------------------------------------------------------------ */

/* Whether a source is an object or a library already, by its name. */
bool link_takes(const char *path);
/* A unit's object: the source itself, where it is one. */
const char *object_of(const struct unit *unit);
/* Whether an option names a library of the toolkit's for which the runtime and our headers stand. */
bool link_leaves_out(const char *word);
bool link_program(const struct compiling *with, const struct unit *unit, const char *executable,
                  struct error *error);

/* ---- missing.c ------------------------------------------------------------------------------------- */

/* Writes a file in C that defines those functions of the toolkit's libraries that the linker says are undefined.
 * false: there is none, or *error says what failed. */
bool missing_functions(const char *said, const char *path, struct error *error);

/* ---- kept.c: what was made the last time ---------------------------------------------------------------- */

struct cache;
/* Whether what comes out depends on nothing but sources, their headers and the options: no objects, no
 * libraries but the system's. */
bool kept_as_one(const struct compiling *with);
/* Opens the entry of a program, if what comes out depends on files that are known only; kept_find and kept_add do
 * nothing otherwise. cache_close in any case. */
void kept_open(struct cache *cache, const struct compiling *with);
/* Takes the program's files out of it; false: it has to be compiled. */
bool kept_find(struct cache *cache, struct compiled_program *program, const struct unit *unit,
               int units);
void kept_add(struct cache *cache, const struct compiled_program *program,
              const struct compiling *with, const struct unit *unit);
/* Finds one source, the request's `number`th, and what the compiler said of it, the file `said`; opens its entry. */
bool kept_find_unit(struct cache *cache, const struct compiling *with, const struct unit *unit,
                    int number, const char *said);
void kept_add_unit(struct cache *cache, const struct unit *unit, const char *said);

/* ---- bundle.c: what was made, as one file ------------------------------------------------------------- */

enum { BUNDLE_MOST = 5 * COMPILE_MOST + 2 }; /* files in it */
/* Writes the files of a program to `path`, and takes them out of it again. false: it could not be. */
bool bundle_write(const char *path, const char *const *file, int files);
bool bundle_read(const char *path, const char *const *file, int files);

#endif
