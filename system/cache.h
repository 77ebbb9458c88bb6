/* cache.h - a cache of what compilers made. */
#ifndef BANKSCOPE_SYSTEM_CACHE_H
#define BANKSCOPE_SYSTEM_CACHE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <time.h>

/* A result of compilers, found again or kept for the next time. Nothing is told when that cannot be: then
 * cache_find finds nothing, and cache_keep keeps nothing. In this order: cache_open; what the result
 * depends on (cache_word, _source, _file, _tool); cache_find; and where that finds nothing, compile, then
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
/* Begins the key of a result, with what calls compilers here and the compilers' variables. */
void cache_open(struct cache *cache, const char *what, const char *folder);
void cache_here(struct cache *cache); /* the working folder */
void cache_word(struct cache *cache, const char *word);
void cache_source(struct cache *cache, const char *path); /* what is in a file */
void cache_file(struct cache *cache,
                const char *path); /* its size and times, or that it is not there */
void cache_tool(struct cache *cache, const char *name); /* the file of a compiler */
/* Whether there was such a result; it is now the file `to`. */
bool cache_find(struct cache *cache, const char *to);
/* Takes the files that a compiler read, as its options -MD and -MF write them, but for the source, whose text is in the
 * key. */
void cache_read(struct cache *cache, const char *rule, const char *source);
/* The next path of such a list, from behind the target's colon on; the text is changed. false: there is none. */
bool rule_next(char **rest, char **path);
/* Keeps the result, the file `made`. */
void cache_keep(struct cache *cache, const char *made);
/* Frees it; before cache_keep: nothing is kept. */
void cache_close(struct cache *cache);

#endif
