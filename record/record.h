/* record.h - from a name or a file to a recording.
 *
 * What commands, lessons and figures share: where the program's own files and temporary ones are
 * (paths.c), child processes (process.c) and what they may do (box.c), kernels by name or compiled
 * from a user's file (compile.c), what compilers made before (cache.c), the progress of a recording (progress.c), and many recordings at
 * once (sweep.h). Nothing here chooses an exit status, and nothing prints except the progress and a
 * compiler's messages.
 */
#ifndef BANKSCOPE_RECORD_H
#define BANKSCOPE_RECORD_H

#include <limits.h>
#include <stdio.h>
#include <sys/types.h>
#include <time.h>
#include "kernels/catalogue.h"

/* ---- paths.c ------------------------------------------------------------------------------- */

/* Finds a file or folder that comes with the program ("lessons", "instrument/simt.h"; "" is the
 * folder of them all, which is what -I wants) and writes its path. Looked for in $BANKSCOPE_DATA
 * if that is set; else in the source tree that the program was built in, or in ../share/bankscope
 * of the bin/ that it was installed to. */
bool data_path(const char *name, char *path, size_t room, struct error *error);
/* The path of a library that this program links with what users write: beside the program, or in
 * PREFIX/lib/bankscope. false: there is none. */
bool library_path(const char *name, char *path, size_t room, struct error *error);

/* Writes the path of a file below a folder, and makes sure that it is there and lies there: `name`
 * is relative, has no "..", and follows no link out of the folder. */
bool path_below(const char *folder, const char *name, char *path, size_t room, struct error *error);

/* The program keeps its state between runs in $XDG_STATE_HOME/bankscope, or
 * ~/.local/state/bankscope. Writes the path of the folder `name` there; `make`: also creates it, with
 * its parents, if it does not exist. */
bool state_folder(const char *name, bool make, char *path, size_t room, struct error *error);

/* The folder of the compilers' results, which it makes: $BANKSCOPE_CACHE, else $XDG_CACHE_HOME/bankscope
 * or ~/.cache/bankscope. false: none is wanted ($BANKSCOPE_CACHE is "" or "no"), or there is no place. */
bool cache_folder(char *path, size_t room);

/* Where a program is that the shell would start by this name; a path is itself. false: nowhere. */
bool tool_path(const char *name, char *path, size_t room);

/* Where temporary files go: $TMPDIR, or /tmp. */
const char *temporary_folder(void);
/* Makes a folder there and writes its path; for the caller to remove with passing_remove. false: there
 * is none, and its path is "". */
bool temporary_make(char *path, size_t room, struct error *error);

/* ---- process.c ----------------------------------------------------------------------------- */

/* A child process that runs work of this program, and memory that both see. A child never outlives
 * the process that started it: the system kills it when that ends, in whatever way. */
struct process {
    pid_t id;
    void *shared; /* zeroed when the child starts */
    size_t size;
};

/* Starts a child that calls work and ends with the status that it returns, 0 to 127. false: *error
 * says why; nothing is left to free. */
bool process_start(struct process *process, size_t shared, int (*work)(void *context, void *shared),
                   void *context, struct error *error);
/* Waits for its end. Returns its status, for WIFEXITED and so on. Call once. */
int process_wait(const struct process *process);
/* Whether it has ended; then *status is as from process_wait, which must not be called any more. */
bool process_ended(const struct process *process, int *status);
/* Ends it at once, and all of its process group where it has made one (setpgid(0, 0)); wait for it
 * afterwards. */
void process_kill(const struct process *process);
/* Waits that long for its end, in seconds of the clock, and ends it if it does not come. Returns its
 * status. */
int process_end(const struct process *process, double seconds);
/* Releases the shared memory. */
void process_free(struct process *process);

/* Runs work in a child process, because the kernel `name` is a user's own and may crash or end the
 * program: then *error says so. Returns what work returned, 0 to 127, or -1 with *error set, by
 * work or here. */
int process_apart(const char *name, int (*work)(void *context, struct error *error), void *context,
                  struct error *error);

/* Another program to run. */
struct program {
    const char *const *words;    /* its name or path, arguments, NULL */
    int input, output, messages; /* file descriptors that it gets as standard input, output and
                                  * error; 0: this program's own */
    const char *temporary;       /* folder for its passing files (TMPDIR); NULL: as it is */
    const char *hint;            /* what to do when it is not installed */
    bool confined;               /* it writes only to `temporary`, sees only the system's files, and
                                  * takes limited time and memory (box.c) */
};
/* Runs it and waits for its end. Returns its exit status, 128 and more for a signal; or -1 when it
 * cannot be started: *error says why, and the hint. */
int process_run(const struct program *program, struct error *error);

/* ---- video.c: moving pictures, by ffmpeg ------------------------------------------------------ */

enum { VIDEO_COLOURS = 255 };
struct video {
    const char *path;       /* .gif, .webm or .mp4 */
    FILE *frames;           /* PNG, one after another, of even width and height */
    int milliseconds;       /* that each is shown */
    const uint32_t *colour; /* 0xRRGGBB: those that a GIF keeps as they are, */
    int colours;            /* 1 to VIDEO_COLOURS; others become the nearest of them */
};
/* Whether the path's extension is one of a moving picture. */
bool video_is_asked(const char *path);
/* Whether there is an ffmpeg, to be asked before work begins; *error names its package. */
bool video_check(struct error *error);
/* Writes the file; false: *error says why, no half file is left. */
bool video_write(const struct video *video, struct error *error);

/* Seconds of a clock; only differences have a meaning. */
double clock_seconds(void);

/* ---- box.c: processes that run someone else's code ------------------------------------------- */

/* Each of these takes something away from the calling process for good. */

/* At most that much time of the processor, files of at most that size, and 4 GiB of memory beyond the
 * addresses that it reserves without using them. */
void box_limit(int seconds, size_t file_bytes, uint64_t reserved);
/* No files but the system's, this program's own and, to write, those in one folder; `tool` is a
 * program that may be elsewhere on the PATH. NULL, NULL: no file at all. false: this system is too
 * old for that. */
bool box_files(const char *writable, const char *tool);
/* The files that are open, but for the standard ones and these two, which may be the same. */
void box_descriptors(int one, int other);
/* No system calls but for memory, time, and reading and writing what is open. false: *error says
 * why this cannot be had. */
bool box_calls(struct error *error);
/* Whether box_calls can be had, without doing it. */
bool box_there(struct error *error);

/* ---- compile.c ----------------------------------------------------------------------------- */

/* Whether the word is a kernel file of the user's own (ends in .cu or has a slash). */
bool record_is_kernel_file(const char *word);
/* The kernel of that name, or the one in that FILE.cu, compiled for the host with $CC or cc, and
 * for BACKEND_CUDA by nvcc or $NVCC for the GPU at hand. A compiled kernel stays loaded until the
 * program ends. NULL: *error says why. */
const struct kernel *record_kernel(const char *name_or_file, enum backend backend,
                                   struct error *error);
/* The kernel in a file that nobody compiles a second time, for the host. */
const struct kernel *record_kernel_once(const char *file, struct error *error);

/* Compiles a user's kernel for the host, from FILE.cu to a shared object, with passing files beside
 * that. The compiler is confined to the folder of the object if asked to; its messages go to the file
 * descriptor `messages`. */
bool record_compile(const char *file, const char *object, bool confined, int messages,
                    struct error *error);
/* The kernel of such an object, which stays loaded; `file` names it in messages. */
const struct kernel *record_load(const char *object, const char *file, struct error *error);
/* Only what a thread of it does: the object may have no more (KERNEL_ALONE in kernels/kernel.h). */
simt_body record_load_body(const char *object, const char *file, struct error *error);

/* ---- object.c: what a compiled object says (Linux) ----------------------------------------------- */

/* Whether everything that a shared object takes from others is allowed. false: `name` is the first that is
 * not; "": *error says why the object cannot be read. */
bool object_takes_only(const char *path, bool (*allowed)(void *context, const char *name),
                       void *context, char *name, size_t room, struct error *error);
/* The bytes from a place in an object to the end of the variable there; 0: unknown. */
size_t object_bytes_at(const char *path, uint64_t place);

/* ---- cache.c ------------------------------------------------------------------------------- */

/* A result of compilers, found again or kept for the next time. Nothing is told when that cannot be: then
 * cache_find finds nothing, and cache_keep keeps nothing. In this order: cache_open; what the result
 * depends on (cache_text, _word, _source, _file, _tool); cache_find; and where that finds nothing, compile, then
 * cache_read for each compiler's list of files, and cache_keep; cache_close in any case.
 *
 * A result is not kept when a source uses the time or asks which files there are, or when a file changed
 * after `folder`, the compilers' passing folder, was made. */
struct cache {
    FILE *to; /* where the key is written, then the files that were read; NULL: there is no cache */
    char *key, *read;
    size_t key_length, read_length;
    char path[PATH_MAX]; /* of the cache's folder, then of the entry */
    const char *folder;
    struct timespec begun;
};
/* Begins the key of a result, with what calls compilers here, the working folder and the compilers'
 * variables. */
void cache_open(struct cache *cache, const char *what, const char *folder);
void cache_text(struct cache *cache, const char *text, size_t length);
void cache_word(struct cache *cache, const char *word);
void cache_source(struct cache *cache, const char *path); /* what is in a file */
void cache_file(struct cache *cache,
                const char *path); /* its size and times, or that it is not there */
void cache_tool(struct cache *cache, const char *name); /* the file of a compiler */
/* Whether there was such a result; it is now the file `to`. */
bool cache_find(struct cache *cache, const char *to);
/* Takes the files that a compiler read, as its options -MD and -MF write them. */
void cache_read(struct cache *cache, const char *rule);
/* Keeps what was made. */
void cache_keep(struct cache *cache, const char *made);
/* Frees it; before cache_keep: nothing is kept. */
void cache_close(struct cache *cache);

/* ---- progress.c ---------------------------------------------------------------------------- */

/* A sink that shows progress on standard error when it is a terminal and the run takes more than a
 * second; give it as one of a tee's sinks. */
struct record_progress {
    struct trace_header header;
    double start, shown;
    bool terminal;
};
struct trace_sink record_progress_sink(struct record_progress *progress);

/* ---- page.c: web pages with recordings in them ------------------------------------------------ */

/* A recording in a page. */
struct page_recording {
    const char *name; /* as its menu shows it; any text */
    const struct trace *trace;
};
/* The page that 'make page' makes, with recordings. */
struct page {
    const struct page_recording *recording;
    int recordings;
    const char
        *place; /* where to begin, a name and a value on each line ("stage merge"), or NULL */
    const char *article; /* HTML to read, beside which the picture opens when asked for; or NULL */
};
/* Whether a file's name asks for a page. */
bool page_is_asked(const char *path);
/* false: there is no page to put them in, a recording is too large, or it cannot be written. */
bool page_write(const char *path, const struct page *page, struct error *error);
/* Writes text so that HTML takes it for text, in an attribute's quotes too. */
void html_text(FILE *file, const char *text);
void html_base64(FILE *file, const unsigned char *byte, size_t count);

#endif
