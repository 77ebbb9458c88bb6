/* pdf_words.c - what cairo cannot say in a PDF: that it is tagged, its language, and what figures show.
 *
 * It is appended as an update (ISO 32000-1, 7.5.6): the catalogue and the structure's elements once more, with these
 * words and below one document, as readers expect, and a table of where they are. A PDF of a cairo that writes these objects in another way stays as
 * it is.
 */
#define _GNU_SOURCE /* memmem */
#include "viewer/export/export.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* An object of the file: "12 0 obj\n<< ... >>\nendobj". */
struct object {
    long number;
    const char *dictionary; /* from behind its << */
    size_t length;          /* up to its >> */
};

static const char *find_word(const char *from, const char *end, const char *what)
{
    return from < end ? memmem(from, (size_t)(end - from), what, strlen(what)) : NULL;
}

/* The next object from *from on whose dictionary begins so. */
static bool find_object(const char *begin, const char **from, const char *end, const char *how,
                        struct object *object)
{
    const char *at = find_word(*from, end, how);
    if (!at)
        return false;
    const char *dictionary = at + strlen("<< "), *last = find_word(at, end, ">>\nendobj");
    const char *number = at;
    while (number > begin && number[-1] != '\n')
        number--;
    if (number == at && number > begin) /* the object's number stands on the line before */
        for (number--; number > begin && number[-1] != '\n';)
            number--;
    object->number = strtol(number, NULL, 10);
    object->dictionary = dictionary;
    object->length = last ? (size_t)(last - dictionary) : 0;
    *from = last ? last : end;
    return last && object->number > 0;
}

/* Text as PDF has it whatever its letters are: UTF-16 in hexadecimal digits. */
static void put_string(FILE *file, const char *text)
{
    fputs("<FEFF", file);
    while (*text) {
        size_t bytes = text_character(text);
        uint32_t code = (unsigned char)*text;
        if (bytes > 1) {
            code &= 0x7Fu >> bytes;
            for (size_t i = 1; i < bytes; i++)
                code = code << 6 | (text[i] & 0x3Fu);
        } else if (!bytes) {
            bytes = 1;
            code = '?';
        }
        if (code > 0xFFFF)
            fprintf(file, "%04" PRIX32 "%04" PRIX32, 0xD800 + ((code - 0x10000) >> 10),
                    0xDC00 + ((code - 0x10000) & 0x3FF));
        else
            fprintf(file, "%04" PRIX32, code);
        text += bytes;
    }
    fputc('>', file);
}

/* The number behind a word of the trailer, or 0. */
static long trailing_number(const char *begin, const char *end, const char *word)
{
    const char *at = find_word(begin, end, word);
    return at ? strtol(at + strlen(word), NULL, 10) : 0;
}

struct update {
    FILE *file;
    size_t count, room;
    struct place {
        long number, offset;
    } * place;
};

/* Begins an object; what the caller writes until end_object is its dictionary. */
static void begin_object(struct update *update, long number)
{
    struct error none = {{0}};
    if (!memory_grow(&update->place, &update->room, update->count + 1, sizeof *update->place,
                     "objects", &none))
        memory_exhausted();
    update->place[update->count++] = (struct place){number, ftell(update->file)};
    fprintf(update->file, "%ld 0 obj\n<< ", number);
}

static void end_object(struct update *update)
{
    fputs(">>\nendobj\n", update->file);
}

/* What cairo has written. */
struct made {
    const char *begin, *end;
    long size, root, info, before; /* of the trailer */
    struct object catalogue, tree; /* tree: the root of the structure */
    const char *kids;              /* of the tree, "[ 3 0 R 4 0 R ]" */
};

static bool read_made(struct made *made, const char *pdf, size_t length)
{
    const char *end = pdf + length, *trailer = NULL, *from = pdf;
    for (const char *at = pdf; (at = find_word(at, end, "\ntrailer\n")); at++)
        trailer = at;
    if (!trailer)
        return false;
    *made = (struct made){.begin = pdf,
                          .end = end,
                          .size = trailing_number(trailer, end, "/Size "),
                          .root = trailing_number(trailer, end, "/Root "),
                          .info = trailing_number(trailer, end, "/Info "),
                          .before = trailing_number(trailer, end, "startxref\n")};
    if (!made->size || !made->before ||
        !find_object(pdf, &from, end, "<< /Type /StructTreeRoot\n", &made->tree) ||
        !find_object(pdf, &from, end, "<< /Type /Catalog\n", &made->catalogue))
        return false;
    made->kids =
        find_word(made->tree.dictionary, made->tree.dictionary + made->tree.length, "/K [");
    return made->kids && made->catalogue.number == made->root;
}

/* The elements once more: those below the root are now below the document, and figures have words. */
static void put_elements(struct update *update, const struct made *made, long document,
                         const char *const *figure, int figures)
{
    char below[40];
    int seen = 0;
    struct object object;
    snprintf(below, sizeof below, "/P %ld 0 R", made->tree.number);
    for (const char *from = made->begin;
         find_object(made->begin, &from, made->end, "<< /Type /StructElem\n", &object);) {
        const char *last = object.dictionary + object.length,
                   *parent = find_word(object.dictionary, last, below);
        const bool is_figure = find_word(object.dictionary, last, "/S /Figure\n");
        if (!parent)
            continue;
        begin_object(update, object.number);
        fprintf(update->file, "%.*s/P %ld 0 R%.*s", (int)(parent - object.dictionary),
                object.dictionary, document, (int)(last - parent - (long)strlen(below)),
                parent + strlen(below));
        if (is_figure && seen < figures) {
            fputs("   /Alt ", update->file);
            put_string(update->file, figure[seen++]);
            fputc('\n', update->file);
        }
        end_object(update);
    }
}

static void put_update(struct update *update, const struct made *made, const char *language,
                       const char *const *figure, int figures)
{
    FILE *file = update->file;
    const long document = made->size; /* a new object */
    const char *kids_end = made->tree.dictionary + made->tree.length;
    put_elements(update, made, document, figure, figures);
    begin_object(update, document);
    fprintf(file, "/Type /StructElem\n   /S /Document\n   /P %ld 0 R\n   %.*s", made->tree.number,
            (int)(kids_end - made->kids), made->kids);
    end_object(update);
    begin_object(update, made->tree.number);
    fprintf(file, "%.*s/K [ %ld 0 R ]\n", (int)(made->kids - made->tree.dictionary),
            made->tree.dictionary, document);
    end_object(update);
    begin_object(update, made->root);
    fprintf(file, "%.*s   /MarkInfo << /Marked true >>\n   /Lang ", (int)made->catalogue.length,
            made->catalogue.dictionary);
    put_string(file, language);
    fputc('\n', file);
    end_object(update);

    const long table = ftell(file);
    fputs("xref\n", file);
    for (size_t i = 0; i < update->count; i++)
        fprintf(file, "%ld 1\n%010ld 00000 n \n", update->place[i].number, update->place[i].offset);
    fprintf(file,
            "trailer\n<< /Size %ld\n   /Root %ld 0 R\n   /Info %ld 0 R\n   /Prev "
            "%ld\n>>\nstartxref\n%ld\n%%%%EOF\n",
            document + 1, made->root, made->info, made->before, table);
}

void pdf_put(FILE *file, const char *pdf, size_t length, const char *language,
             const char *const *figure, int figures)
{
    struct update update = {.file = file};
    struct made made;
    fwrite(pdf, 1, length, file);
    if (read_made(&made, pdf, length))
        put_update(&update, &made, language, figure, figures);
    free(update.place);
}
