/* write.c - lessons as files: a web page, a handout or slides, a copy of the exercise, questions for Moodle. */
#include "teach/publish.h"
#include "system/file.h"
#include "system/output.h"
#include "viewer/export/page.h"
#include "viewer/viewer.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* An entry of a page's contents. */
static void put_contents(const struct lesson *lesson, FILE *file)
{
    char *title = lesson_plain(memory_copy(lesson->title));
    fputs("<li><a href=\"#", file);
    html_text(file, lesson->name);
    fputs("\">", file);
    html_text(file, title);
    fputs("</a></li>\n", file);
    free(title);
}

/* Links from a page of a folder that is published: to the lesson before, to all of them, and to the next. */
static bool put_neighbour(const char *folder, const char *says, const char *language, FILE *file,
                          struct error *error)
{
    struct lesson lesson;
    if (!folder)
        return true;
    if (!lesson_load(folder, language, &lesson, error))
        return false;
    char *title = lesson_plain(memory_copy(lesson.title));
    fprintf(file, "%s: <a href=\"%s.html\">", says, lesson.name);
    html_text(file, title);
    fputs("</a><br>\n", file);
    free(title);
    lesson_free(&lesson);
    return true;
}

static bool put_neighbours(const struct lesson_writing *writing, const struct lesson *lesson,
                           FILE *file, struct error *error)
{
    fputs("<p>\n", file);
    const bool good = put_neighbour(writing->after, lesson_says(lesson, "Next lesson"),
                                    writing->language, file, error) &&
                      put_neighbour(writing->before, lesson_says(lesson, "Lesson before"),
                                    writing->language, file, error);
    fprintf(file, "<a href=\"index.html\">%s</a></p>\n", lesson_says(lesson, "All lessons"));
    return good;
}

/* Writes the lessons first to last into a web page. */
static bool write_page(const struct lesson_folders *folders, int first, int last,
                       const struct lesson_writing *writing, struct error *error)
{
    char *article = NULL;
    size_t length;
    FILE *file = open_memstream(&article, &length);
    if (!file)
        memory_exhausted();
    bool good = true, compiler = false;
    for (int contents = last > first; good && contents >= 0; contents--) {
        fputs(contents ? "<h1>Bank conflicts</h1>\n<ol>\n" : "", file);
        for (int i = first; good && i <= last; i++) {
            struct lesson lesson;
            struct lesson_play play = {
                .lesson = &lesson, .student = writing->student, .trusted = writing->trusted};
            if (writing->published)
                play.link[0] = "", play.link[1] = ".html";
            else if (last > first)
                play.link[0] = "#", play.link[1] = "";
            good = lesson_load(folders->path[i], writing->language, &lesson, error);
            compiler |= good && exercise_is_there(folders->path[i]);
            if (good && contents)
                put_contents(&lesson, file);
            else if (good)
                good = lesson_page(&play, file, error) &&
                       (!writing->published || put_neighbours(writing, &lesson, file, error));
            lesson_play_free(&play);
            lesson_free(&lesson);
        }
        fputs(contents ? "</ol>\n" : "", file);
    }
    fclose(file);
    struct page page = {.article = article, .compiler = compiler};
    good = good && page_write(writing->path, &page, error);
    free(article);
    return good;
}

/* Writes them as a PDF: handouts or slides. */
static bool write_paper(const struct lesson_folders *folders, int first, int last,
                        const struct lesson_writing *writing, struct error *error)
{
    struct document document = {.pages = 0};
    char *title = NULL, language[8] = "";
    bool good = true;
    for (int i = first; good && i <= last; i++) {
        struct lesson lesson;
        struct lesson_play play = {
            .lesson = &lesson, .student = writing->student, .trusted = writing->trusted};
        good = lesson_load(folders->path[i], writing->language, &lesson, error) &&
               lesson_paper(&play, writing->slides, writing->answers, &document, error);
        if (good && !title)
            snprintf(language, sizeof language, "%s", lesson.language);
        if (good && !title)
            title = last > first ? memory_copy("Bank conflicts")
                                 : lesson_plain(memory_copy(lesson.title));
        lesson_play_free(&play);
        lesson_free(&lesson);
    }
    document.title = title;
    document.language = *language ? language : NULL;
    good = good && document_write(&document, theme_find("print", error), writing->path, error);
    document_free(&document);
    free(title);
    return good;
}

/* What a student writes: the text between the two marks, or all of it. */
static size_t answer_in(const char *text, const char **from)
{
    const char *begins = strstr(text, "[your part begins]");
    const char *ends = begins ? strstr(begins, "[your part ends]") : NULL;
    *from = ends ? begins : text;
    return ends ? (size_t)(ends - begins) : strlen(text);
}

/* Whether nobody's answer is lost when the exercise is written there: none is there yet. */
static bool may_hand_out(const char *path, const char *exercise, struct error *error)
{
    enum { MOST = 1 << 20 };
    struct error none = {{0}};
    const char *mine, *theirs;
    size_t length = 0, answer = answer_in(exercise, &mine);
    if (!file_is_regular(path))
        return true;
    char *there = file_read(path, MOST, &length, &none);
    bool same = there &&
                (!length || (answer_in(there, &theirs) == answer && !memcmp(theirs, mine, answer)));
    free(there);
    return same || error_set(error,
                             "%s is there and is not the exercise as it is handed out: it may hold "
                             "an answer; remove it first, or choose another name",
                             path);
}

/* Writes a student's copy of the exercise. */
static bool write_exercise(const struct lesson_folders *folders, int first, int last,
                           const struct lesson_writing *writing, struct error *error)
{
    char *text[EXERCISE_TEXTS];
    struct output output;
    if (last > first)
        return error_set(error, "%s holds one exercise; name one lesson", writing->path);
    const char *folder = folders->path[first];
    bool good = exercise_texts(folder, writing->student, text, error) &&
                may_hand_out(writing->path, text[EXERCISE_CODE], error) &&
                output_open(&output, writing->path, error);
    good = good && output_close(&output,
                                exercise_hand_out(output.file, lesson_base_name(folder),
                                                  writing->student, text[EXERCISE_CODE]),
                                error);
    exercise_texts_free(text);
    return good;
}

/* Writes the questions of the lessons for Moodle. */
static bool write_gift(const struct lesson_folders *folders, int first, int last,
                       const struct lesson_writing *writing, struct error *error)
{
    struct output output;
    if (!output_may_replace_work(writing->path, error) ||
        !output_open(&output, writing->path, error))
        return false;
    bool good = true;
    for (int i = first; good && i <= last; i++) {
        struct lesson lesson;
        struct lesson_play play = {
            .lesson = &lesson, .student = writing->student, .trusted = writing->trusted};
        good = lesson_load(folders->path[i], writing->language, &lesson, error) &&
               lesson_gift(&play, output.file, error);
        lesson_play_free(&play);
        lesson_free(&lesson);
    }
    return output_close(&output, good, error);
}

/* Writes a lesson's texts for whoever translates them. */
static bool write_template(const struct lesson_folders *folders, int first, int last,
                           const struct lesson_writing *writing, struct error *error)
{
    struct output output;
    struct lesson lesson;
    if (last > first)
        return error_set(error, "%s holds the texts of one lesson; name one", writing->path);
    if (!lesson_load(folders->path[first], NULL, &lesson, error))
        return false;
    bool good = output_may_replace(writing->path, "msgid ", "texts to translate", error) &&
                output_open(&output, writing->path, error);
    good = good && output_close(&output, lesson_template(&lesson, output.file, error), error);
    lesson_free(&lesson);
    return good;
}

/* What a lesson can be written as, by the end of the file's name. */
static const struct kind {
    const char *extension;
    bool (*write)(const struct lesson_folders *folders, int first, int last,
                  const struct lesson_writing *writing, struct error *error);
} kinds[] = {{".html", write_page},
             {".pdf", write_paper},
             {".cu", write_exercise},
             {".gift", write_gift},
             {".pot", write_template}};

static const struct kind *kind_of(const char *path)
{
    size_t length = strlen(path);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        size_t extension = strlen(kinds[i].extension);
        if (length > extension && !strcasecmp(path + length - extension, kinds[i].extension))
            return &kinds[i];
    }
    return NULL;
}

bool lesson_is_written_as(const char *path)
{
    return kind_of(path);
}

bool lesson_is_paper(const char *path)
{
    const struct kind *kind = kind_of(path);
    return kind && kind->write == write_paper;
}

bool lesson_write(const struct lesson_folders *folders, int first, int last,
                  const struct lesson_writing *writing, struct error *error)
{
    return kind_of(writing->path)->write(folders, first, last, writing, error);
}
