/* box.c - takes away from a process what someone else's code must not have.
 *
 * A process is put into its box before that code runs in it, and nothing lets it out again. Each
 * layer meets another threat:
 *
 *   limits      of the system (setrlimit): a loop that takes all time, memory or disk. They hold
 *               everywhere, also for those who choose to run without a box.
 *   files       a compiler that is made to read a home folder, or to write anything. It sees the
 *               system and its own working folder, and writes only to the latter; a process that
 *               runs a kernel sees no file at all. No connections, no signals to other processes.
 *               (Landlock, of Linux 5.13. Older systems do without this layer: a compiler does not run what
 *               it compiles, and a kernel has the next layer.)
 *   calls       (calls.c) a kernel that opens, deletes, connects, starts or kills. It may compute, ask for
 *               memory, write to the pipe that it was given, and end. As it cannot start a process,
 *               none stays behind. (seccomp: the box that must be there.)
 *
 * What the code writes is judged by another process: a box cannot keep it from writing nonsense.
 */
#define _GNU_SOURCE /* O_PATH, syscall */
#include "system/box.h"
#include "system/calls.h"
#include "system/paths.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

/* ---- limits ---------------------------------------------------------------------------------- */

/* The address sanitizer keeps terabytes of address space for itself. */
#if defined(__SANITIZE_ADDRESS__)
#define ADDRESSES RLIM_INFINITY
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ADDRESSES RLIM_INFINITY
#endif
#endif
#ifndef ADDRESSES
#define ADDRESSES ((rlim_t)4 << 30)
#endif

void box_limit(int seconds, size_t file_bytes, uint64_t reserved)
{
    const struct {
        int what;
        rlim_t most;
    } limits[] = {
        {RLIMIT_CPU, (rlim_t)seconds},
        {RLIMIT_AS, ADDRESSES == RLIM_INFINITY ? ADDRESSES : ADDRESSES + (rlim_t)reserved},
        {RLIMIT_FSIZE, (rlim_t)file_bytes},
        {RLIMIT_CORE, 0}};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        struct rlimit now;
        if (getrlimit(limits[i].what, &now))
            continue;
        if (now.rlim_max == RLIM_INFINITY || limits[i].most < now.rlim_max)
            now.rlim_max = limits[i].most;
        now.rlim_cur = now.rlim_max;
        setrlimit(limits[i].what, &now);
    }
}

/* ---- files: Landlock ------------------------------------------------------------------------- */

/* As the system has them; its header may be older than the system. */
enum { CREATE_RULESET = 444, ADD_RULE, RESTRICT_SELF };
enum { VERSION = 1, PATH_BENEATH = 1 };
enum { EXECUTE = 1 << 0, WRITE = 1 << 1, READ = 1 << 2, LIST = 1 << 3, DEVICE_CONTROL = 1 << 15 };
struct ruleset {
    uint64_t files, connections, scopes;
};
struct beneath {
    uint64_t allowed;
    int32_t folder;
} __attribute__((packed));

/* What each version of Landlock can forbid; the last row is that of all later ones. */
static const struct {
    uint64_t files, connections, scopes;
    size_t bytes;
} versions[] = {{0x1fff, 0, 0, 8},  {0x3fff, 0, 0, 8},  {0x7fff, 0, 0, 8},
                {0x7fff, 3, 0, 16}, {0xffff, 3, 0, 16}, {0xffff, 3, 3, 24}};

static void allow(int rules, const char *path, uint64_t what)
{
    struct beneath rule = {what, open(path, O_PATH | O_CLOEXEC)};
    if (rule.folder < 0)
        return; /* not on this machine */
    syscall(ADD_RULE, rules, PATH_BENEATH, &rule, 0);
    close(rule.folder);
}

/* Where a compiler that is not the system's keeps what it needs, beside the folder of its program. */
static void allow_tool(int rules, const char *tool)
{
    static const char *const beside[] = {"",  "/../lib", "/../lib64", "/../libexec", "/../include",
                                         NULL};
    char path[PATH_MAX], place[PATH_MAX + 16];
    if (!tool_path(tool, path, sizeof path))
        return;
    *strrchr(path, '/') = '\0';
    for (int i = 0; beside[i]; i++) {
        snprintf(place, sizeof place, "%s%s", path, beside[i]);
        allow(rules, place, READ | EXECUTE | LIST);
    }
}

bool box_files(const char *writable, const char *tool)
{
    static const char *const system[] = {"/usr", "/bin", "/lib", "/lib64", "/lib32",
                                         "/etc", "/opt", "/nix", "/gnu",   NULL};
    long version = syscall(CREATE_RULESET, NULL, 0, VERSION);
    if (version < 1)
        return false;
    size_t row = (size_t)version - 1, rows = sizeof versions / sizeof *versions;
    row = row < rows ? row : rows - 1;
    const struct ruleset forbidden = {versions[row].files, versions[row].connections,
                                      versions[row].scopes};
    int rules = (int)syscall(CREATE_RULESET, &forbidden, versions[row].bytes, 0);
    char data[PATH_MAX];
    struct error none = {{0}};
    if (rules < 0)
        return false;
    if (writable) {
        for (int i = 0; system[i]; i++)
            allow(rules, system[i], READ | EXECUTE | LIST);
        if (tool && !strchr(tool, '/'))
            allow_tool(rules, tool);
        if (data_path("", data, sizeof data, &none))
            allow(rules, data, READ | LIST);
        if (library_path("cudart.o", data, sizeof data, &none)) {
            *strrchr(data, '/') = '\0';
            allow(rules, data, READ | LIST);
        }
        allow(rules, "/dev/null", READ | WRITE);
        allow(rules, writable, forbidden.files & ~(uint64_t)(EXECUTE | DEVICE_CONTROL));
    }
    bool good = !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) && !syscall(RESTRICT_SELF, rules, 0);
    close(rules);
    return good;
}

#else

void box_limit(int seconds, size_t file_bytes, uint64_t reserved)
{
    (void)seconds, (void)file_bytes, (void)reserved;
}

bool box_files(const char *writable, const char *tool)
{
    (void)writable, (void)tool;
    return false;
}

#endif

/* ---- descriptors ----------------------------------------------------------------------------- */

/* The system call of Linux 5.9, if it is there, saves a thousand that try each. */
static void close_range_of(unsigned first, unsigned last)
{
#ifdef SYS_close_range
    if (first > last || !syscall(SYS_close_range, first, last, 0))
        return;
#endif
    for (; first <= last && first < 1024; first++)
        close((int)first);
}

void box_descriptors(int one, int other)
{
    unsigned low = (unsigned)(one < other ? one : other),
             high = (unsigned)(one < other ? other : one);
    close_range_of(3, low - 1);
    close_range_of(low + 1, high - 1);
    close_range_of(high + 1, UINT_MAX);
}

/* ---- calls ----------------------------------------------------------------------------------- */

static bool no_box(int why, struct error *error)
{
    return error_set(error,
                     "this system cannot confine a process (%s): that takes Linux on x86-64 "
                     "or on 64-bit ARM, with seccomp",
                     strerror(why));
}

bool box_calls(struct error *error)
{
    int why = calls_confine();
    return !why || no_box(why, error);
}

bool box_there(struct error *error)
{
    int why = calls_there();
    return !why || no_box(why, error);
}
