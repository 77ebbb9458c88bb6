/* paper.c - a lesson on paper: a handout to read and to write on, or slides.
 *
 * A handout is for A4 (and fits on letter sheet). Where a question is open, its picture hides what the
 * question asks for, and there is room for an answer; for the teacher the answers are printed, with
 * what wrong ones get, and the notes. Slides are for a wall: a question has one slide without its
 * answer and one with it.
 *
 * Pages are laid out in the units of pane.c, whose letters have 14, and scaled at the end.
 */
#include "teach/paper.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct look looks[] = {{595, 842, 0.72, 70, 60, 230, 400, 190, 6},
                                    {960, 540, 1.5, 30, 22, 480, 480, 392, 13}};

double sheet_width(const struct sheet *sheet)
{
    return sheet->look->width / sheet->look->scale;
}

double sheet_bottom(const struct sheet *sheet)
{
    return sheet->look->height / sheet->look->scale - sheet->look->foot - 8 - sheet->axes;
}

struct drawing *sheet_page(const struct sheet *sheet)
{
    return &sheet->document->page[sheet->document->pages - 1];
}

/* ---- pages ------------------------------------------------------------------------------------- */

double sheet_put_scaled(enum pane_kind kind, const char *text, double scale, double x, double y,
                        double width, struct drawing *page)
{
    struct drawing drawn = {.width = 0};
    const struct pane_block block = {kind, text};
    const double height = scale * pane_block_draw(&block, 0, 0, width / scale, &drawn);
    if (page)
        drawing_place(page, &drawn, x, y, scale);
    drawing_free(&drawn);
    return height;
}

static void begin_page(struct sheet *sheet)
{
    const struct look *look = sheet->look;
    double width = sheet_width(sheet) - 2 * look->margin;
    struct drawing *page = document_page(sheet->document);
    drawing_begin(page, sheet_width(sheet), look->height / look->scale);
    sheet->y = sheet->top = sheet->slides ? 16 : look->margin;
    sheet->axes = 0;
    sheet->width = width;
    if (!sheet->slides || !sheet->title)
        return;
    struct pane_block title = {PANE_HEADING, sheet->title};
    sheet->y = sheet->top = pane_block_draw(&title, look->margin, sheet->top - 8, width, page) + 6;
    document_tag(sheet->document, 0, "H2");
    if (sheet->run)
        sheet_put_picture(sheet);
}

/* Slides: the picture as large as a slide, if it is too small beside text. */
static void put_large(struct sheet *sheet)
{
    if (sheet->small) {
        sheet->alone = true;
        begin_page(sheet);
        sheet->alone = false;
    }
}

/* What a block is, for programs that read the paper aloud. */
static const char *tag_of(enum pane_kind kind)
{
    return kind == PANE_TITLE                           ? "H1"
           : kind == PANE_HEADING                       ? "H2"
           : kind == PANE_ITEM || kind == PANE_NUMBERED ? "LI"
           : kind == PANE_CODE || kind == PANE_LISTING  ? "Code"
           : kind == PANE_NOTE                          ? "Note"
                                                        : "P";
}

/* The height of a block in the column. */
static double height_of(const struct sheet *sheet, enum pane_kind kind, const char *text)
{
    struct drawing none = {.width = 0};
    struct pane_block block = {kind, text};
    const double height = pane_block_draw(&block, 0, 0, sheet->width, &none);
    drawing_free(&none);
    return height;
}

/* How many bytes of a paragraph, up to the end of a sentence, have room on the page; 0: none. */
static size_t sentences_within(const struct sheet *sheet, const char *text)
{
    size_t most = 0;
    for (const char *end = text; (end = strstr(end, ". ")); end++) {
        char *some = memory_copy_of(text, (size_t)(end + 1 - text));
        const double height = height_of(sheet, PANE_TEXT, some);
        free(some);
        if (sheet->y + height > sheet_bottom(sheet))
            break;
        most = (size_t)(end + 1 - text);
    }
    return most;
}

/* Begins a page unless so much has room on this one. */
static void keep_together(struct sheet *sheet, double height)
{
    if (sheet->y > sheet->top && sheet->y + height > sheet_bottom(sheet))
        begin_page(sheet);
}

static void put_block(struct sheet *sheet, enum pane_kind kind, const char *text)
{
    const double height = height_of(sheet, kind, text);
    /* What a heading heads, and the line below a question, come along. */
    keep_together(sheet, height + (kind == PANE_HEADING ? 200 : kind == PANE_QUESTION ? 40 : 0));
    const size_t whole = height > sheet_bottom(sheet) - sheet->y && kind == PANE_TEXT
                             ? sentences_within(sheet, text)
                             : 0;
    if (whole) {
        char *first = memory_copy_of(text, whole);
        put_block(sheet, kind, first);
        free(first);
        put_block(sheet, kind, text + whole + 1);
        return;
    }
    /* Code is not broken anywhere, but on a slide it may have smaller letters. */
    const double room = sheet_bottom(sheet) - sheet->y;
    const bool tall = sheet->slides && height > room && (kind == PANE_CODE || kind == PANE_LISTING);
    const size_t from = sheet_page(sheet)->count;
    sheet->y += sheet_put_scaled(kind, text, tall ? room / height : 1, sheet->look->margin,
                                 sheet->y, sheet->width, sheet_page(sheet));
    document_tag(sheet->document, from, tag_of(kind));
}

static void put_line(struct sheet *sheet, enum pane_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void put_line(struct sheet *sheet, enum pane_kind kind, const char *format, ...)
{
    char line[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    put_block(sheet, kind, line);
}

/* The end of a piece of code behind which a page may end: some lines, of a listing up to a blank one. */
static const char *piece_end(enum pane_kind kind, const char *text)
{
    const bool listing = kind == PANE_LISTING; /* of the other kind the indent is taken off */
    int lines = listing ? 16 : 40, all = 0;
    for (const char *end = text; (end = strchr(end, '\n')); end++)
        all++;
    for (lines += listing && all < 20 ? 4 : 0; lines > 0 && *text;
         lines--) { /* no few last lines alone */
        text += strcspn(text, "\n");
        text += *text == '\n';
        if (listing && *text == '\n')
            return text + 1;
    }
    return text;
}

static void put_code(struct sheet *sheet, enum pane_kind kind, const char *text)
{
    while (*text) {
        const char *end = piece_end(kind, text);
        size_t length = (size_t)(end - text);
        char *piece = memory_copy_of(text, length > 0 && end[-1] == '\n' ? length - 1 : length);
        put_block(sheet, kind, piece);
        sheet->y -= *end ? 10 : 0; /* the space before the next piece */
        free(piece);
        text = end;
    }
}

static bool put_filled(struct sheet *sheet, const struct lesson_block *block, enum pane_kind kind,
                       const char *before, const char *text)
{
    char *filled = lesson_fill(sheet->play, block, text, sheet->error);
    if (filled && *filled)
        put_line(sheet, kind, "%s%s", before, filled);
    free(filled);
    return filled;
}

/* ---- questions --------------------------------------------------------------------------------- */

static char *question_text(const struct sheet *sheet, const struct lesson_block *block)
{
    char line[4096],
        *question = lesson_fill(sheet->play, block, block->quiz.question, sheet->error);
    if (!question)
        return NULL;
    snprintf(line, sizeof line, "%d. %s", sheet->questions, question);
    free(question);
    return memory_copy(line);
}

/* A slide with the answer, and the question where both have room. */
static bool put_answer_slide(struct sheet *sheet, const struct lesson_block *block)
{
    char *question = question_text(sheet, block),
         *answer = lesson_answer_text(sheet->play, block, sheet->error);
    const bool good = question && answer;
    begin_page(sheet);
    if (good && sheet->y + height_of(sheet, PANE_QUESTION, question) +
                        height_of(sheet, PANE_GOOD, answer) <=
                    sheet_bottom(sheet))
        put_block(sheet, PANE_QUESTION, question);
    if (good)
        put_block(sheet, PANE_GOOD, answer);
    free(question);
    free(answer);
    return good;
}

/* For the teacher. */
static bool put_answer(struct sheet *sheet, const struct lesson_block *block)
{
    struct pane_block note[MAX_NUDGES + 2];
    const int count = lesson_answer_notes(sheet->play, block, note, MAX_NUDGES + 2, sheet->error);
    for (int i = 0; i < count; i++) {
        put_block(sheet, note[i].kind, note[i].text);
        free((char *)note[i].text);
    }
    return !sheet->error->text[0];
}

static bool put_question(struct sheet *sheet, const struct lesson_block *block)
{
    const struct lesson_quiz *quiz = &block->quiz;
    char *question = question_text(sheet, block), choice[MAX_CHOICES][1300];
    if (!question)
        return false;
    double height = height_of(sheet, PANE_QUESTION, question);
    for (int i = 0; i < quiz->choices; i++) {
        snprintf(choice[i], sizeof choice[i], "%s%c) %s", sheet->slides ? "" : "\u2610 ", 'a' + i,
                 quiz->choice[i].text);
        height += height_of(sheet, PANE_NUMBERED, choice[i]);
    }
    keep_together(sheet, height);
    put_block(sheet, PANE_QUESTION, question);
    free(question);
    for (int i = 0; i < quiz->choices; i++)
        put_block(sheet, PANE_NUMBERED, choice[i]);
    return true;
}

static bool put_quiz(struct sheet *sheet, const struct lesson_block *block)
{
    sheet->questions++;
    if (!sheet->slides) {
        bool good = put_question(sheet, block);
        if (good && sheet->answers)
            return put_answer(sheet, block);
        if (good && !block->quiz.choices)
            put_line(sheet, PANE_TEXT, lesson_says(sheet->play->lesson, "Answer: %s"),
                     "______________");
        return good;
    }
    /* Neither it nor its answer shows what is asked for next. */
    const unsigned later = lesson_hides(sheet->play->lesson, block);
    const unsigned shown = sheet->hide;
    sheet->hide = block->quiz.hide | later;
    if (sheet->y > sheet->top || sheet->hide != shown) /* not behind a title alone */
        begin_page(sheet);
    if (!put_question(sheet, block))
        return false;
    sheet->hide = later;
    bool good = put_answer_slide(sheet, block);
    if (good && sheet->run && later != shown)
        put_large(sheet);
    sheet->y = sheet_bottom(sheet); /* the next block has a slide of its own */
    return good;
}

/* A line to write on for each number; what they mean is for the teacher, and for whoever types them. */
static bool put_lab(struct sheet *sheet, const struct lesson_block *block)
{
    const struct lesson_lab *lab = &block->lab;
    keep_together(sheet,
                  60 + 30.0 * lab->asks); /* a question of two lines, and a line for each number */
    bool good = put_filled(sheet, block, PANE_QUESTION, "", lab->question);
    for (int i = 0; good && i < lab->asks; i++)
        put_line(sheet, PANE_TEXT, "%s = ____________  `%s`", lab->ask[i].name, lab->ask[i].metric);
    for (int i = 0; good && sheet->answers && i < lab->says; i++)
        put_line(sheet, PANE_ITEM, "%s: %s", lab->say[i].condition, lab->say[i].text);
    return good;
}

/* ---- blocks ------------------------------------------------------------------------------------ */

static bool put_run(struct sheet *sheet, const struct lesson_block *block)
{
    struct drawing figure = {.width = 0};
    char caption[LESSON_CAPTION], below[2 * LESSON_CAPTION], command[LESSON_CAPTION], *words = NULL;
    const struct look *look = sheet->look;
    const unsigned hide = sheet->answers ? 0 : lesson_hides(sheet->play->lesson, block);
    double wide = (block->run.beside ? look->pair : look->figure) / look->scale;
    double tall = look->tall / look->scale;
    const double air = 14;
    if (sheet->slides) { /* the picture has been there since the page began */
        if (!sheet->seen)
            put_large(sheet);
        return true;
    }
    if (lesson_figure(sheet->all, &block->run, hide, 1, &figure, caption, &words, sheet->error)) {
        snprintf(below, sizeof below, "%s\n%s", caption,
                 lesson_axes(sheet->all, &block->run, hide));
        snprintf(command, sizeof command, "bankscope run %s",
                 lesson_command(sheet->play, block->run.label));
        if (sheet_is_small(sheet, &figure, wide, tall)) {
            wide = sheet->width;
            tall *= 1.8;
        }
        const double height = figure.height * wide / figure.width;
        keep_together(sheet, air + (height < tall ? height : tall) +
                                 height_of(sheet, PANE_TEXT, below) +
                                 height_of(sheet, PANE_CODE, command));
        sheet->y += air;
        sheet->y += sheet_place_figure(sheet, &figure, words, look->margin, sheet->y, wide, tall);
        put_block(sheet, PANE_TEXT, below);
        put_block(sheet, PANE_CODE, command);
    }
    drawing_free(&figure);
    return !sheet->error->text[0];
}

/* A slide of code has no picture: lines of code need its width. */
static void put_code_slide(struct sheet *sheet, const char *text)
{
    const struct lesson_block *run = sheet->run;
    sheet->run = NULL;
    if (run)
        begin_page(sheet);
    put_code(sheet, PANE_CODE, text);
    sheet->run = run;
    sheet->y = run ? sheet_bottom(sheet) : sheet->y;
}

/* Whether a picture comes next, but for notes. */
static bool is_before_run(const struct lesson *lesson, const struct lesson_block *block)
{
    const struct lesson_block *end = lesson->block + lesson->blocks;
    while (++block < end && block->kind == LESSON_NOTE)
        ;
    return block < end && block->kind == LESSON_RUN;
}

/* The first words of a page's slides. */
static bool begin_slides(struct sheet *sheet, const struct lesson_block *block, char **title)
{
    const struct lesson *lesson = sheet->play->lesson;
    char *filled = lesson_fill(sheet->play, block, block->text, sheet->error);
    if (!filled)
        return false;
    free(*title);
    sheet->title = *title = filled;
    sheet->run = NULL;
    for (const struct lesson_block *b = block; b < lesson->block + lesson->blocks; b++)
        if (b->page == block->page && b->kind == LESSON_RUN)
            sheet->run = b;
    sheet->hide = sheet->run ? lesson_hides(lesson, sheet->run) : 0;
    sheet->small = sheet->run && sheet_picture_is_small(sheet);
    sheet->alone = sheet->seen = sheet->small && is_before_run(lesson, block);
    begin_page(sheet);
    sheet->alone = false;
    return !sheet->error->text[0];
}

static bool put_any_block(struct sheet *sheet, const struct lesson_block *block, char **title)
{
    char mark[16];
    switch (block->kind) {
    case LESSON_RUN:
        return put_run(sheet, block);
    case LESSON_QUIZ:
        return put_quiz(sheet, block);
    case LESSON_LAB:
        return put_lab(sheet, block);
    case LESSON_DRAW:
        return true;
    case LESSON_NOTE:
        return !sheet->answers || put_filled(sheet, block, PANE_NOTE, "", block->text);
    case LESSON_CODE:
        if (sheet->slides)
            put_code_slide(sheet, block->text);
        else
            put_code(sheet, PANE_CODE, block->text);
        return true;
    case LESSON_ITEM:
        return block->number ? put_filled(sheet, block, PANE_NUMBERED,
                                          lesson_mark(block, " ", mark), block->text)
                             : put_filled(sheet, block, PANE_ITEM, "", block->text);
    case LESSON_HEADING:
        if (sheet->slides)
            return begin_slides(sheet, block, title);
        sheet->y += 10;
        if (is_before_run(sheet->play->lesson, block)) /* its picture, as high as it may be */
            keep_together(sheet, 170 + sheet->look->tall / sheet->look->scale);
        return put_filled(sheet, block, PANE_HEADING, "", block->text);
    default:
        return put_filled(sheet, block, PANE_TEXT, "", block->text);
    }
}

/* What the exercise asks, and the student's part of it. */
static bool put_exercise(struct sheet *sheet)
{
    const struct lesson *lesson = sheet->play->lesson;
    char *texts[EXERCISE_TEXTS];
    struct grade_source source;
    if (!exercise_is_there(lesson->folder))
        return true;
    bool good = exercise_texts(lesson->folder, sheet->play->student, texts, sheet->error);
    const char *text = texts[EXERCISE_CODE];
    good = good && grade_split(&(struct grade_text){text, strlen(text)}, &source, sheet->error);
    if (good) {
        const char *task = !strncmp(text, "/*", 2) ? strstr(text, "*/") : NULL;
        sheet->title = lesson_says(lesson, "Exercise");
        sheet->run = NULL;
        char *comment = memory_copy_of(text, task ? (size_t)(task + 2 - text) : 0);
        char *yours = memory_copy_of(source.part.text, source.part.length);
        if (!sheet->slides) /* with its heading, and the line before the part */
            keep_together(sheet, 100 + height_of(sheet, PANE_LISTING, comment) +
                                     height_of(sheet, PANE_LISTING, yours));
        if (sheet->slides)
            begin_page(sheet);
        else
            put_block(sheet, PANE_HEADING, sheet->title);
        put_code(sheet, PANE_LISTING, comment);
        const char *part = yours + strspn(yours, "\n");
        char *first = memory_copy_of(part, (size_t)(piece_end(PANE_LISTING, part) - part));
        /* What the part's beginning says comes along. */
        keep_together(sheet, 60 + height_of(sheet, PANE_LISTING, first));
        free(first);
        put_line(
            sheet, PANE_TEXT,
            lesson_says(lesson,
                        "`bankscope lesson %s -o mine.cu` writes a copy for you; `bankscope check "
                        "mine.cu` says what is still missing. Your part is"),
            lesson->name);
        put_code(sheet, PANE_LISTING, part);
        free(comment);
        free(yours);
    }
    exercise_texts_free(texts);
    return good;
}

/* Title and page number on every page, and the units become points. */
static void finish_pages(struct sheet *sheet, const char *title)
{
    static const struct text_style faint = {ROLE_FAINT, 11, ALIGN_LEFT, FACE_PLAIN};
    struct text_style right = faint;
    const struct look *look = sheet->look;
    double y = look->height / look->scale - look->foot / 2;
    right.align = ALIGN_RIGHT;
    for (int i = sheet->first; i < sheet->document->pages; i++) {
        struct drawing *page = &sheet->document->page[i], scaled = {.width = 0};
        drawing_text(page, &faint, look->margin, y, "%s", title);
        drawing_text(page, &right, sheet_width(sheet) - look->margin, y, "%d / %d",
                     i - sheet->first + 1, sheet->document->pages - sheet->first);
        drawing_begin(&scaled, look->width, look->height);
        drawing_place(&scaled, page, 0, 0, look->scale);
        drawing_free(page);
        *page = scaled;
        if (scaled.error.text[0])
            error_set(sheet->error, "%s", scaled.error.text);
    }
}

static void put_title(struct sheet *sheet, const char *title)
{
    const struct lesson *lesson = sheet->play->lesson;
    const char *student = sheet->play->student;
    sheet->y += sheet->slides ? 90 : 0;
    put_block(sheet, PANE_TITLE, title);
    if (sheet->slides)
        return;
    char times[LESSON_TIMES];
    lesson_times(lesson, times);
    put_line(sheet, PANE_TEXT, "%s: %s.", lesson->name, times);
    put_line(sheet, PANE_TEXT, "%s %s",
             sheet->answers ? lesson_says(lesson, "With answers.") : lesson_says(lesson, "Name:"),
             sheet->answers ? ""
             : student      ? student
                            : "________________________");
}

bool lesson_paper(struct lesson_play *play, bool slides, bool answers, struct document *document,
                  struct error *error)
{
    const struct lesson *lesson = play->lesson;
    struct sheet sheet = {.play = play,
                          .all = play,
                          .look = &looks[slides],
                          .slides = slides,
                          .answers = answers && !slides,
                          .document = document,
                          .first = document->pages,
                          .error = error};
    char *title = lesson_plain(memory_copy(lesson->title)), *slide = NULL;
    bool good = true;
    /* A slide shows its picture before the lesson comes to it. */
    for (int i = 0; good && i < lesson->blocks; i++)
        if (lesson->block[i].kind == LESSON_RUN || lesson->block[i].kind == LESSON_DRAW)
            good = lesson_record(play, &lesson->block[i], error);
    struct lesson_play so_far = *play;
    so_far.count = 0;
    sheet.play = &so_far;
    sheet.all = play;
    begin_page(&sheet);
    put_title(&sheet, title);
    for (int i = 0; good && i < lesson->blocks; i++) {
        const struct lesson_block *block = &lesson->block[i];
        so_far.count += block->kind == LESSON_RUN || block->kind == LESSON_DRAW;
        good = put_any_block(&sheet, block, &slide);
    }
    good = good && put_exercise(&sheet);
    finish_pages(&sheet, title);
    free(title);
    free(slide);
    return good && !error->text[0];
}
