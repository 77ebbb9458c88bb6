/* cache.c - what compilers made of a user's sources, kept for the next time.
 *
 * An entry is one file in a folder of the user's:
 *
 *     a line of numbers, then the key: all that the result depends on, sources included,
 *     the files that the compiler read besides, each with size and times,
 *     and what it made.
 *
 * Its name is a digest of the key, but it is used only for the whole same key, and if those files are
 * as they were. Nothing here fails: whatever is in the way, a folder that cannot be written or a full
 * disk, the compiler runs as if there were no cache. The folder is the user's and no link; what is in it
 * and is no entry, by its name and its beginning, is neither replaced nor removed.
 */
#define _GNU_SOURCE /* memmem */
#include "system/cache.h"
#include "base/memory.h"
#include "system/file.h"
#include "system/output.h"
#include "system/paths.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_ENTRY = 32 << 20, ROOM_FOR_LINE = 256 }; /* bytes */
enum { MOST_ALL = 256 };                             /* megabytes, unless the user has chosen */
enum { OURS = 2 };                                   /* folders of headers */

static const char begins[] = "bankscope cache 1";

/* What a compiler's result may depend on besides its command line. */
static const char *const variables[] = {"PATH",
                                        "CPATH",
                                        "C_INCLUDE_PATH",
                                        "CPLUS_INCLUDE_PATH",
                                        "LIBRARY_PATH",
                                        "COMPILER_PATH",
                                        "GCC_EXEC_PREFIX",
                                        "CCC_OVERRIDE_OPTIONS",
                                        "LD_RUN_PATH",
                                        "LDEMULATION",
                                        "NVCC_CCBIN",
                                        "NVCC_PREPEND_FLAGS",
                                        "NVCC_APPEND_FLAGS"};

/* A source that uses one of these compiles to something else another time, or when new files have come. */
static const char *const changing[] = {"__DATE__", "__TIME__", "__TIMESTAMP__"};
static const char *const searching[] = {"__has_include", "__has_embed", "include_next", "incbin"};

static bool has_any(const char *text, size_t length, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (memmem(text, length, words[i], strlen(words[i])))
            return true;
    return false;
}
#define HAS_ANY(text, length, words) has_any(text, length, words, sizeof(words) / sizeof *(words))

/* The whole file; NULL: it cannot be had. */
static char *read_whole(const char *path, size_t *length)
{
    struct error none = {{0}};
    return file_is_regular(path) ? file_read(path, MOST_ENTRY, length, &none) : NULL;
}

/* ---- the key --------------------------------------------------------------------------------- */

/* "SIZE MODIFIED CHANGED PATH\n"; a file that is not there has none. */
static int describe(const char *path, char *line, size_t room)
{
    struct stat is;
    if (stat(path, &is))
        return snprintf(line, room, "- - - %s\n", path);
    return snprintf(line, room, "%lld %lld.%09ld %lld.%09ld %s\n", (long long)is.st_size,
                    (long long)is.st_mtim.tv_sec, is.st_mtim.tv_nsec, (long long)is.st_ctim.tv_sec,
                    is.st_ctim.tv_nsec, path);
}

static void cache_text(struct cache *cache, const char *text, size_t length)
{
    if (!cache->to)
        return;
    fprintf(cache->to, "%zu ", length);
    fwrite(text, 1, length, cache->to);
    fputc('\n', cache->to);
}

void cache_word(struct cache *cache, const char *word)
{
    cache_text(cache, word, strlen(word));
}

void cache_file(struct cache *cache, const char *path)
{
    char line[PATH_MAX + 128];
    if (cache->to && describe(path, line, sizeof line) < (int)sizeof line)
        cache_word(cache, line);
    else
        cache_close(cache);
}

void cache_source(struct cache *cache, const char *path)
{
    size_t length = 0;
    char *text = cache->to ? read_whole(path, &length) : NULL;
    if (text)
        cache_text(cache, text, length);
    else
        cache_close(cache);
    free(text);
}

void cache_tool(struct cache *cache, const char *name)
{
    char path[PATH_MAX];
    if (tool_path(name, path, sizeof path))
        cache_file(cache, path);
    else
        cache_close(cache);
}

void cache_open(struct cache *cache, const char *what, const char *folder)
{
    struct stat is;
    *cache = (struct cache){.folder = folder};
    if (stat(folder, &is) || !cache_folder(cache->path, sizeof cache->path - 32))
        return;
    cache->begun = is.st_ctim;
    cache->to = open_memstream(&cache->key, &cache->key_length);
    cache_word(cache, what);
    cache_word(cache, CALLERS); /* what calls compilers, as the Makefile says */
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *value = getenv(variables[i]);
        cache_word(cache, value ? value : "-");
    }
}

void cache_here(struct cache *cache)
{
    char here[PATH_MAX];
    if (getcwd(here, sizeof here))
        cache_word(cache, here);
    else
        cache_close(cache);
}

void cache_close(struct cache *cache)
{
    if (cache->to)
        fclose(cache->to);
    free(cache->key);
    free(cache->read);
    *cache = (struct cache){.to = NULL};
}

/* ---- entries --------------------------------------------------------------------------------- */

/* The digest of `length` bytes, 8 at a time. */
static uint64_t digest(const char *text, size_t length)
{
    uint64_t sum = 0;
    for (size_t at = 0; at < length; at += 8) {
        uint64_t word = 0;
        memcpy(&word, text + at, length - at < 8 ? length - at : 8);
        sum = (sum ^ word) * 0x9e3779b97f4a7c15u;
        sum ^= sum >> 29;
    }
    return sum;
}

/* Whether nobody else can have written it. */
static bool is_own(int file, mode_t kind)
{
    struct stat is;
    return !fstat(file, &is) && (is.st_mode & S_IFMT) == kind && is.st_uid == geteuid() &&
           !(is.st_mode & 022);
}

/* The cache's folder, where it can be used; -1: it cannot. */
static int open_folder(const char *path)
{
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder >= 0 && !is_own(folder, S_IFDIR)) {
        close(folder);
        folder = -1;
    }
    return folder;
}

static int open_entry(int folder, const char *name)
{
    return openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

enum { DIGITS = 16 }; /* of an entry's name */

/* "0123456789abcdef", or while it is written "0123456789abcdef.7-0". */
static bool is_entry_name(const char *name)
{
    return strspn(name, "0123456789abcdef") == DIGITS &&
           (!name[DIGITS] ||
            (name[DIGITS] == '.' && !name[DIGITS + 1 + strspn(name + DIGITS + 1, "0123456789-")]));
}

/* Whether a file in the folder is an entry, or empty as one that was cut: what may be replaced or
 * removed. */
static bool is_entry(int folder, const char *name)
{
    char text[sizeof begins];
    struct stat is;
    int file = is_entry_name(name) ? open_entry(folder, name) : -1;
    bool entry = file >= 0 && !fstat(file, &is) && S_ISREG(is.st_mode) && is.st_uid == geteuid();
    if (entry && is.st_size > 0) /* of whatever version */
        entry = read(file, text, sizeof text) == (ssize_t)sizeof text &&
                !memcmp(text, begins, (size_t)(strrchr(begins, ' ') - begins) + 1);
    if (file >= 0)
        close(file);
    return entry;
}

/* Whether the files of an entry are as they were. */
static bool are_same(char *lines)
{
    char now[PATH_MAX + 128];
    for (char *end; (end = strchr(lines, '\n')) != NULL; lines = end + 1) {
        const char *path = lines;
        for (int i = 0; i < 3 && path; i++)
            path = (path = strchr(path, ' ')) ? path + 1 : NULL;
        *end = '\0';
        if (!path || describe(path, now, sizeof now) >= (int)sizeof now)
            return false;
        now[strlen(now) - 1] = '\0';
        if (strcmp(now, lines) != 0)
            return false;
    }
    return true;
}

static bool write_file(const char *path, const char *bytes, size_t length)
{
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);
    size_t done = 0;
    for (ssize_t some = 0; file >= 0 && done < length; done += (size_t)some)
        if ((some = write(file, bytes + done, length - done)) <= 0)
            break;
    if (file >= 0 && (close(file) || done < length)) {
        unlink(path);
        return false;
    }
    return file >= 0;
}

/* Takes apart the `length` bytes of an entry; a null byte follows. */
static bool unpack_entry(const struct cache *cache, char *text, size_t length, const char *to)
{
    size_t key = 0, read = 0, made = 0;
    unsigned long long sum = 0;
    char *line = memchr(text, '\n', length);
    if (!line || strncmp(text, begins, sizeof begins - 1) != 0 ||
        sscanf(text + sizeof begins - 1, " %zu %zu %zu %llx", &key, &read, &made, &sum) != 4)
        return false;
    char *body = line + 1;
    size_t rest = length - (size_t)(body - text);
    if (key != cache->key_length || read > rest || made > rest || key + read + made != rest ||
        digest(body, rest) != sum || memcmp(body, cache->key, key) != 0)
        return false;
    char *lines = memory_copy_of(body + key, read);
    bool good = are_same(lines) && write_file(to, body + key + read, made);
    free(lines);
    return good;
}

/* What an entry has goes to the file `to`. false: it does not serve, and will be replaced. */
static bool serve(const struct cache *cache, int folder, const char *name, const char *to)
{
    struct error none = {{0}};
    struct stat is;
    int entry = open_entry(folder, name);
    bool good = false;
    if (entry >= 0 && is_own(entry, S_IFREG) && !fstat(entry, &is) && is.st_size <= MOST_ENTRY) {
        size_t length = (size_t)is.st_size;
        char *text = memory_array(length + 1, 1, "bytes of an entry", &none);
        good = text && read(entry, text, length) == (ssize_t)length &&
               unpack_entry(cache, text, length, to);
        free(text);
    }
    if (good)
        futimens(entry, NULL); /* the entries not used for longest go first */
    if (entry >= 0)
        close(entry);
    return good;
}

bool cache_find(struct cache *cache, const char *to)
{
    FILE *key = cache->to;
    bool found = false;
    cache->to = NULL;
    if (!key || fclose(key) || HAS_ANY(cache->key, cache->key_length, changing) ||
        HAS_ANY(cache->key, cache->key_length, searching))
        return false;
    int folder = open_folder(cache->path);
    if (folder < 0)
        return false;
    char name[DIGITS + 2];
    snprintf(name, sizeof name, "/%0*llx", DIGITS,
             (unsigned long long)digest(cache->key, cache->key_length));
    strcat(cache->path, name);
    found = serve(cache, folder, name + 1, to);
    cache->to = open_memstream(&cache->read, &cache->read_length);
    close(folder);
    return found;
}

/* ---- keeping --------------------------------------------------------------------------------- */

/* A file that the compiler read, the source itself or another; `headers`: the folders of this program's
 * own. false: it may be another by now, or searches for others. */
static bool note_read(struct cache *cache, const char *path, bool source, char headers[][PATH_MAX])
{
    char line[PATH_MAX + 128];
    bool ours = !strncmp(path, "/usr/", 5);
    for (int i = 0; i < OURS; i++)
        ours = ours || !strncmp(path, headers[i], strlen(headers[i]));
    struct stat is;
    size_t within = strlen(cache->folder), length = 0;
    if (!strncmp(path, cache->folder, within) && path[within] == '/')
        return true; /* a passing file; what it was made of is in the key */
    if (stat(path, &is) || is.st_ctim.tv_sec > cache->begun.tv_sec ||
        (is.st_ctim.tv_sec == cache->begun.tv_sec && is.st_ctim.tv_nsec >= cache->begun.tv_nsec))
        return false;
    char *text = read_whole(path, &length);
    bool good = text && !HAS_ANY(text, length, changing) &&
                (ours || !HAS_ANY(text, length, searching)) &&
                describe(path, line, sizeof line) < (int)sizeof line;
    if (good && !source) /* whose text is in the key */
        fputs(line, cache->to);
    free(text);
    return good;
}

bool rule_next(char **rest, char **path)
{
    char *from = *rest, *to = from;
    bool ends = false;
    *path = to;
    while (*from && !(ends && to > *path)) {
        ends = strchr(" \n\t", *from) || (*from == '\\' && from[1] == '\n');
        if (!ends) {
            const bool escaped = *from == '\\' && from[1] && strchr(" #\\", from[1]);
            from += escaped || (*from == '$' && from[1] == '$');
            *to++ = *from;
        }
        from++;
    }
    *rest = from;
    const bool found = to > *path;
    if (found)
        *to = '\0';
    return found;
}

void cache_read(struct cache *cache, const char *rule, const char *source)
{
    size_t length = 0;
    char headers[OURS][PATH_MAX];
    struct error none = {{0}};
    bool here = cache->to && data_path("program/compile/include", headers[0], PATH_MAX, &none) &&
                library_path("headers", headers[1], PATH_MAX, &none);
    char *text = here ? read_whole(rule, &length) : NULL;
    char *target = text ? strchr(text, ':') : NULL, *rest = target ? target + 1 : NULL, *path;
    bool good = rest;
    while (good && rule_next(&rest, &path))
        good = note_read(cache, path, !strcmp(path, source), headers);
    free(text);
    if (!good)
        cache_close(cache);
}

struct kept {
    char name[32];
    struct timespec used;
    off_t bytes;
};

static int by_use(const void *left, const void *right)
{
    const struct timespec *a = &((const struct kept *)left)->used,
                          *b = &((const struct kept *)right)->used;
    return a->tv_sec != b->tv_sec ? (a->tv_sec > b->tv_sec ? 1 : -1)
                                  : (a->tv_nsec > b->tv_nsec) - (a->tv_nsec < b->tv_nsec);
}

/* Leaves only what are entries, and returns their bytes. */
static off_t leave_entries(int folder, struct kept *kept, size_t *count)
{
    size_t entries = 0;
    off_t all = 0;
    for (size_t i = 0; i < *count; i++)
        if (is_entry(folder, kept[i].name)) {
            all += kept[i].bytes;
            kept[entries++] = kept[i];
        }
    *count = entries;
    return all;
}

/* Bytes of all entries: of $BANKSCOPE_CACHE_MB megabytes. What is no number is no choice. */
static off_t most_of_all(void)
{
    const char *chosen = getenv("BANKSCOPE_CACHE_MB");
    char *end = NULL;
    const long long megabytes = chosen ? strtoll(chosen, &end, 10) : 0;
    const bool is_number = megabytes > 0 && megabytes < INT32_MAX && !*end;
    return (off_t)(is_number ? megabytes : MOST_ALL) << 20;
}

/* Removes the entries that were not used for longest, while there are too many. */
static void make_room(DIR *folder)
{
    const off_t most = most_of_all();
    struct kept *kept = NULL;
    size_t count = 0, room = 0;
    off_t all = 0;
    struct error none = {{0}};
    struct stat is;
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;)
        if (is_entry_name(entry->d_name) && strlen(entry->d_name) < sizeof kept->name &&
            !fstatat(dirfd(folder), entry->d_name, &is, AT_SYMLINK_NOFOLLOW) &&
            S_ISREG(is.st_mode) &&
            memory_grow(&kept, &room, count + 1, sizeof *kept, "entries", &none)) {
            strcpy(kept[count].name, entry->d_name);
            kept[count].used = is.st_mtim;
            kept[count++].bytes = is.st_size;
            all += is.st_size;
        }
    if (all > most) {
        all = leave_entries(dirfd(folder), kept, &count);
        qsort(kept, count, sizeof *kept, by_use);
    }
    for (size_t i = 0; i < count && all > most; i++)
        if (!unlinkat(dirfd(folder), kept[i].name, 0))
            all -= kept[i].bytes;
    free(kept);
}

/* The folder of the entry, if it can be written there: nothing of somebody else's is in its place. */
static DIR *place_of(const struct cache *cache)
{
    char path[PATH_MAX];
    size_t length = strlen(cache->path) - DIGITS - 1;
    struct stat is;
    memcpy(path, cache->path, length);
    path[length] = '\0';
    int file = open_folder(path);
    const char *name = cache->path + length + 1;
    bool free_place =
        file >= 0 &&
        (fstatat(file, name, &is, AT_SYMLINK_NOFOLLOW) ? errno == ENOENT : is_entry(file, name));
    DIR *folder = free_place ? fdopendir(file) : NULL;
    if (file >= 0 && !folder)
        close(file);
    return folder;
}

void cache_keep(struct cache *cache, const char *made)
{
    struct error none = {{0}};
    struct output output;
    if (!cache->to)
        return;
    FILE *file = cache->to;
    cache->to = NULL;
    size_t length = 0;
    char *bytes = fclose(file) ? NULL : read_whole(made, &length);
    size_t body = cache->key_length + cache->read_length + length;
    bool fits = bytes && body < MOST_ENTRY - ROOM_FOR_LINE;
    char *all = fits ? memory_array(body, 1, "bytes of an entry", &none) : NULL;
    DIR *folder = all ? place_of(cache) : NULL;
    if (folder && output_open(&output, cache->path, &none)) {
        memcpy(all, cache->key, cache->key_length);
        memcpy(all + cache->key_length, cache->read, cache->read_length);
        memcpy(all + cache->key_length + cache->read_length, bytes, length);
        fprintf(output.file, "%s %zu %zu %zu %llx\n", begins, cache->key_length, cache->read_length,
                length, (unsigned long long)digest(all, body));
        bool good = fwrite(all, 1, body, output.file) == body && !fchmod(fileno(output.file), 0600);
        if (output_close(&output, good, &none))
            make_room(folder);
    }
    if (folder)
        closedir(folder);
    free(all);
    free(bytes);
}
