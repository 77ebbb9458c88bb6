/* output.h - files that are there whole, or not at all. */
#ifndef BANKSCOPE_SYSTEM_OUTPUT_H
#define BANKSCOPE_SYSTEM_OUTPUT_H

#include "base/error.h"

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

/* A file that is being written: under a temporary name next to its own, until it is complete. Devices
 * and pipes are written directly. */
struct output {
    FILE *file;    /* to be written by the caller, closed by output_close */
    char *path;    /* its name; a symbolic link's target */
    char *passing; /* its name until it is whole; NULL: written directly */
};
/* false: *error says why, and there is nothing to close. */
bool output_open(struct output *output, const char *path, struct error *error);
/* Closes the file and gives it its name, if `good` and if all could be written; else removes it, and
 * a file of that name that was there stays. Returns whether the file is whole; *error says why not,
 * unless !good for a reason of the caller's. */
bool output_close(struct output *output, bool good, struct error *error);
/* Writes a file by one function, or for "-", writes to standard output. Returns what `put` returns, or false if the file
 * could not be written. */
typedef bool output_writer(FILE *file, void *context, struct error *error);
bool output_put(const char *path, output_writer *put, void *context, struct error *error);
/* From now on a signal that ends the program leaves what is written as NAME.part.EXTENSION. */
void output_keep(const struct output *output);
/* Closes the file and keeps it under that name. Returns the name, for the caller to free; NULL: it
 * cannot be kept. */
char *output_close_part(struct output *output);
/* Whether nothing is lost when a file of that name is written: none is there, it is empty or a device, or it
 * begins (unpacked) with `mark`, as what this program writes. false: *error says what it is not (`what`: "a
 * trace"). For names that people also give to files of other kinds; mark: at most 255 bytes. */
bool output_may_replace(const char *path, const char *mark, const char *what, struct error *error);
/* As output_may_replace, for pictures, pages and tables of numbers, which say near their beginning or end what made
 * them: "Bankscope", or headings that are ours. */
bool output_may_replace_work(const char *path, struct error *error);
/* false: they are the same file, and *error says so. */
bool output_is_not(const char *path, const char *input, struct error *error);

/* Files, folders and programs that must not outlive this program, whatever signal ends it. */

/* As mkstemp: name ends in XXXXXX. The caller removes the file and then calls passing_gone. On
 * failure errno says why. */
int passing_file(char *name);
void passing_gone(const char *name);
/* As mkdtemp; passing_remove removes the folder with the files in it, of which none is a folder. */
bool passing_folder(char *name);
void passing_remove(const char *name);
/* As fork. The child has a process group of its own, of which none is left behind; the caller waits
 * for its end and then calls passing_ended. */
pid_t passing_fork(void);
void passing_ended(pid_t child);

/* Once, at the start of the program, whose signals it watches from then on. */
void outputs_begin(void);
/* Does what a signal would, for a program that ends without one; nothing in a child process. Returns
 * the name of a file that was kept in part, or NULL. */
const char *outputs_end(void);
/* After a child process was lost that may have written files: does what a signal would. Returns the
 * name of a file that was kept in part, or NULL. */
const char *outputs_settle(void);

#endif
