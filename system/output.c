/* output.c - files that are there whole, or not at all.
 *
 * A file is written under a passing name beside its own and renamed when it is whole: a run that
 * fails leaves the file of before as it was, and two runs to one name never mix. Passing names are
 * also in a table that a signal's handler reads, since whoever ends the program should find no
 * litter. The table is memory that child processes share, as one of them may write the file.
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS, memmem, mkostemp, syscall */
#include "system/output.h"
#include "base/memory.h"
#include "system/packed.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PLACES = 16, CHILDREN = 16, NAME_ROOM = PATH_MAX + 64 };

/* What happens to a temporary name if the program ends early. */
enum fate { GONE, UNLINK, REMOVE_FOLDER, KEEP };
struct place {
    volatile sig_atomic_t fate;
    char path[NAME_ROOM], part[NAME_ROOM]; /* KEEP: path becomes part */
};

/* The only state that functions share without passing it: a signal handler gets no argument. */
static struct table {
    pid_t owner;
    struct place place[PLACES];
    volatile pid_t child[CHILDREN]; /* process groups of programs that run for the owner; 0: none */
} * table;

static void take_place(const char *path, enum fate fate)
{
    for (int i = 0; table && i < PLACES; i++)
        if (table->place[i].fate == GONE && strlen(path) < NAME_ROOM) {
            strcpy(table->place[i].path, path);
            table->place[i].fate = fate;
            return;
        }
}

static struct place *find_place(const char *path)
{
    for (int i = 0; table && i < PLACES; i++)
        if (table->place[i].fate != GONE && !strcmp(table->place[i].path, path))
            return &table->place[i];
    return NULL;
}

/* Blocks signals, so that none comes between creating a file and entering it in the table. */
static void hold_signals(sigset_t *before)
{
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, before);
}

static void let_signals(const sigset_t *before)
{
    sigprocmask(SIG_SETMASK, before, NULL);
}

bool passing_folder(char *name)
{
    sigset_t before;
    hold_signals(&before);
    bool made = mkdtemp(name);
    if (made)
        take_place(name, REMOVE_FOLDER);
    int why = errno;
    let_signals(&before);
    errno = why;
    return made;
}

int passing_file(char *name)
{
    sigset_t before;
    hold_signals(&before);
    int file = mkostemp(name, O_CLOEXEC);
    if (file >= 0)
        take_place(name, UNLINK);
    int why = errno;
    let_signals(&before);
    errno = why;
    return file;
}

pid_t passing_fork(void)
{
    sigset_t before;
    hold_signals(&before);
    pid_t child = fork();
    if (!child)
        setpgid(0, 0);
    for (int i = 0; child > 0 && table && i < CHILDREN; i++)
        if (__sync_bool_compare_and_swap(&table->child[i], 0, child)) {
            setpgid(child, child); /* whoever is first */
            break;
        }
    let_signals(&before);
    return child;
}

void passing_ended(pid_t child)
{
    for (int i = 0; table && i < CHILDREN; i++)
        if (table->child[i] == child)
            table->child[i] = 0;
}

void passing_gone(const char *path)
{
    struct place *place = find_place(path);
    if (place)
        place->fate = GONE;
}

/* Removes the files in a folder. opendir needs memory, which a handler must not allocate. */
static void empty_folder(const char *path)
{
    struct entry { /* as the system has it */
        uint64_t node, next;
        uint16_t length;
        uint8_t type;
        char name[];
    };
    _Alignas(struct entry) char entries[4096];
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (long got;
         folder >= 0 && (got = syscall(SYS_getdents64, folder, entries, sizeof entries)) > 0;)
        for (long at = 0; at < got;) {
            const struct entry *entry = (const struct entry *)(entries + at);
            unlinkat(folder, entry->name, 0);
            at += entry->length;
        }
    if (folder >= 0)
        close(folder);
}

/* Removes a folder and the files in it. */
static void remove_folder(const char *path)
{
    const struct timespec moment = {.tv_nsec = 10000000};
    for (int tries = 0; tries < 50; tries++) {
        empty_folder(path);
        if (!rmdir(path) || errno != ENOTEMPTY)
            return;
        nanosleep(&moment, NULL); /* a process that was killed may have made one more file */
    }
}

void passing_remove(const char *name)
{
    remove_folder(name);
    passing_gone(name);
}

/* Calls only what a handler may call. Returns the name of a file that is kept in part, or NULL. */
const char *outputs_settle(void)
{
    const char *part = NULL;
    for (int i = 0; table && i < CHILDREN; i++)
        if (table->child[i]) {
            kill(-table->child[i], SIGKILL);
            waitpid(table->child[i], NULL, 0);
            table->child[i] = 0;
        }
    for (int i = 0; table && i < PLACES; i++) {
        struct place *place = &table->place[i];
        struct stat status;
        if (place->fate == REMOVE_FOLDER)
            continue;
        if (place->fate == UNLINK)
            unlink(place->path);
        else if (place->fate == KEEP && (stat(place->path, &status) || !status.st_size))
            unlink(place->path);
        else if (place->fate == KEEP && !rename(place->path, place->part))
            part = place->part;
        place->fate = GONE;
    }
    for (int i = 0; table && i < PLACES; i++) {
        if (table->place[i].fate == REMOVE_FOLDER)
            remove_folder(table->place[i].path);
        table->place[i].fate = GONE;
    }
    return part;
}

/* ---- ending early ---------------------------------------------------------------------------- */

static void say_from_handler(const char *text)
{
    ssize_t ignored = write(STDERR_FILENO, text, strlen(text));
    (void)ignored;
}

static void at_signal(int number)
{
    if (table && table->owner == getpid()) {
        const char *part = outputs_settle();
        if (part) {
            say_from_handler("bankscope: interrupted; what was recorded until then is in ");
            say_from_handler(part);
            say_from_handler("\n");
        }
        /* What a library, such as GLib, calls when memory is short. */
        if (number == SIGABRT || number == SIGTRAP) {
            say_from_handler("bankscope: a library gave up, most likely for want of memory\n");
            _exit(1);
        }
    }
    const struct sigaction standard = {.sa_handler = SIG_DFL};
    sigaction(number, &standard, NULL); /* whoever put the handler back may have lost its flags */
    raise(number);                      /* as soon as the handler returns */
}

const char *outputs_end(void)
{
    return table && table->owner == getpid() ? outputs_settle() : NULL;
}

static void at_end(void)
{
    outputs_end();
}

void outputs_begin(void)
{
    static const int harmless[] = {SIGCHLD, SIGCONT, SIGSTOP, SIGTSTP,
                                   SIGTTIN, SIGTTOU, SIGURG,  SIGWINCH};
    void *memory =
        mmap(NULL, sizeof *table, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        memory_exhausted();
    table = memory;
    table->owner = getpid();
    atexit(at_end);
    for (int number = 1; number <= SIGRTMAX; number++) {
        struct sigaction before, now = {.sa_handler = at_signal, .sa_flags = (int)SA_RESETHAND};
        bool ends = true;
        for (size_t i = 0; i < sizeof harmless / sizeof harmless[0]; i++)
            ends = ends && number != harmless[i];
        /* Signals that the caller ignores stay ignored; a sanitizer keeps its own handlers. */
        if (ends && !sigaction(number, NULL, &before) && before.sa_handler == SIG_DFL)
            sigaction(number, &now, NULL);
    }
}

/* ---- one file -------------------------------------------------------------------------------- */

/* "FOLDER/NAME.WORD.EXTENSION". The extension may be double: worst.part.jsonl.zst. */
static void name_with(const char *path, const char *word, char *name, size_t room)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    const char *dot = strrchr(base, '.');
    if (dot && dot > base && (!strcmp(dot, ".gz") || !strcmp(dot, ".zst")))
        for (const char *c = dot; --c > base;)
            if (*c == '.') {
                dot = c;
                break;
            }
    size_t stem = dot && dot > base ? (size_t)(dot - path) : strlen(path);
    snprintf(name, room, "%.*s.%s%s", (int)stem, path, word, path + stem);
}

static bool cannot_write(const char *path, struct error *error)
{
    return error_set(error, "cannot write %s: %s; choose another place", path, strerror(errno));
}

/* Creates a file next to path, with the permissions of the file that is there, or the usual
 * ones. -1: see errno. */
static int open_beside(const char *path, const struct stat *there, char *name, size_t room)
{
    int file = -1;
    for (int i = 0; file < 0 && i < 100; i++) {
        char word[40];
        snprintf(word, sizeof word, "%ld-%d", (long)getpid(), i);
        name_with(path, word, name, room);
        file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file < 0 && errno != EEXIST)
            return -1;
    }
    if (file >= 0 && there && fchmod(file, there->st_mode & 0777))
        errno = 0; /* not our file: it gets the permissions of a new one */
    return file;
}

bool output_open(struct output *output, const char *path, struct error *error)
{
    struct stat status;
    char name[NAME_ROOM], real[PATH_MAX];
    bool there = !stat(path, &status);
    *output = (struct output){.path = memory_copy(path)};
    if (there && S_ISREG(status.st_mode) && realpath(path, real)) { /* a link stays one */
        free(output->path);
        output->path = memory_copy(real);
    }
    if (!there || S_ISREG(status.st_mode)) {
        sigset_t before;
        hold_signals(&before);
        int file = open_beside(output->path, there ? &status : NULL, name, sizeof name);
        if (file >= 0)
            take_place(name, UNLINK);
        int why = errno;
        let_signals(&before);
        errno = why;
        output->file = file >= 0 ? fdopen(file, "wb") : NULL;
        if (output->file) {
            output->passing = memory_copy(name);
            return true;
        }
        if (file >= 0) {
            close(file);
            unlink(name);
            passing_gone(name);
        }
    }
    /* A device or a pipe, or a folder in which we may not create files but may change this one. */
    if ((there && !S_ISREG(status.st_mode)) || errno == EACCES || errno == EPERM ||
        errno == EROFS || errno == ENAMETOOLONG)
        output->file = fopen(path, "wb");
    if (output->file)
        return true;
    cannot_write(path, error);
    free(output->path);
    *output = (struct output){.file = NULL};
    return false;
}

void output_keep(const struct output *output)
{
    struct place *place = output->passing ? find_place(output->passing) : NULL;
    if (!place)
        return;
    name_with(output->path, "part", place->part, sizeof place->part);
    place->fate = KEEP;
}

static void forget_output(struct output *output)
{
    if (output->passing)
        passing_gone(output->passing);
    free(output->passing);
    free(output->path);
    *output = (struct output){.file = NULL};
}

/* Why a file could not be written, after a library has lost errno: it is asked again. */
static int why_not(int file)
{
    const char bytes[4096] = "";
    for (int tries = 0; tries < 64; tries++)
        if (write(file, bytes, sizeof bytes) < 0)
            return errno;
    return EIO;
}

bool output_close(struct output *output, bool good, struct error *error)
{
    if (!output->file)
        return false;
    bool failed = ferror(output->file);
    errno = 0;
    bool written = fflush(output->file) == 0 && !failed;
    int why = written || errno ? errno : why_not(fileno(output->file));
    written = fclose(output->file) == 0 && written;
    errno = why ? why : errno;
    if (!written)
        good = error_set(error, "cannot write %s: %s", output->path, strerror(errno));
    if (output->passing && good && rename(output->passing, output->path))
        good = cannot_write(output->path, error);
    if (output->passing && !good)
        unlink(output->passing);
    forget_output(output);
    return good;
}

bool output_put(const char *path, output_writer *put, void *context, struct error *error)
{
    struct output output;
    if (!strcmp(path, "-"))
        return put(stdout, context, error);
    return output_open(&output, path, error) &&
           output_close(&output, put(output.file, context, error), error);
}

char *output_close_part(struct output *output)
{
    char name[NAME_ROOM];
    if (!output->file)
        return NULL;
    struct stat status;
    bool file = !fstat(fileno(output->file), &status) && S_ISREG(status.st_mode);
    fclose(output->file); /* what did not fit is cut off as well */
    name_with(output->path, "part", name, sizeof name);
    char *part = NULL;
    if (output->passing && !rename(output->passing, name))
        part = memory_copy(name);
    else if (!output->passing && file)
        part = memory_copy(output->path);
    forget_output(output);
    return part;
}

bool output_is_not(const char *path, const char *input, struct error *error)
{
    struct stat a, b;
    if (stat(path, &a) || stat(input, &b) || !S_ISREG(a.st_mode) || a.st_dev != b.st_dev ||
        a.st_ino != b.st_ino)
        return true;
    return error_set(error, "%s is both read and written; choose another name for the output",
                     path);
}

bool output_may_replace(const char *path, const char *mark, const char *what, struct error *error)
{
    struct stat there;
    struct error damaged = {{0}};
    char begins[256];
    size_t length = 0, wanted = strlen(mark);
    if (stat(path, &there) || !S_ISREG(there.st_mode) || there.st_size == 0)
        return true;
    FILE *file = fopen(path, "rb");
    struct unpacker *unpacker = file ? unpacker_new(file, path) : NULL;
    for (size_t some = 1; unpacker && some && length < wanted; length += some)
        some = unpacker_read(unpacker, begins + length, sizeof begins - length, &damaged);
    unpacker_free(unpacker);
    if (file)
        fclose(file);
    if (length >= wanted && !memcmp(begins, mark, wanted))
        return true;
    return error_set(error, "%s is there and is not %s: remove it first, or choose another name",
                     path, what);
}

/* Whether one of the words stands in the next bytes of a file. */
static bool has_mark(FILE *file)
{
    static const char *const marks[] = {
        "Bankscope",
        "bankscope",
        "00420061006E006B00730063006F00700065", /* the first, as cairo writes it beside brackets, */
        "warp_accesses",                        /* tables of counts, */
        "# the columns after the",              /* numbers of a chart: .txt, */
        "chart,curve,x,name,y",                 /* .csv, */
        "\"x_label\":",                         /* .json, */
        " list-a\n",
        " ink \"",
        " paper\n" /* and the items of a drawing */
    };
    enum { NEAR = 1 << 14 };
    char *bytes = memory_new(NEAR, 1);
    size_t length = fread(bytes, 1, NEAR, file);
    bool found = false;
    for (size_t i = 0; i < sizeof marks / sizeof *marks && !found; i++)
        found = memmem(bytes, length, marks[i], strlen(marks[i])) != NULL;
    free(bytes);
    return found;
}

bool output_may_replace_work(const char *path, struct error *error)
{
    const long near = 1 << 14;
    struct stat there;
    if (!strcmp(path, "-") || stat(path, &there) || !S_ISREG(there.st_mode) || there.st_size == 0)
        return true;
    FILE *file = fopen(path, "rb");
    bool ours = file && has_mark(file);
    if (file && !ours && there.st_size > near)
        ours = !fseek(file, -near, SEEK_END) && has_mark(file);
    if (file)
        fclose(file);
    return ours ||
           error_set(error,
                     "%s is there and was not made by Bankscope: remove it first, or choose "
                     "another name",
                     path);
}
