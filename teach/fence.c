/* fence.c - the fenced blocks of a lesson: recordings, questions, code. */
#include "base/text.h"
#include "teach/reader.h"
#include "viewer/viewer.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- lines --------------------------------------------------------------------------------- */

/* Takes the lines of a text one after another. */
struct lines {
    char *next; /* NULL: no more */
    int number; /* of the line taken last, in the file */
};

static char *take_line(struct lines *lines)
{
    char *line = lines->next;
    if (line) {
        lines->next = strchr(line, '\n');
        if (lines->next)
            *lines->next++ = '\0';
        lines->number++;
    }
    return line;
}

/* What follows a word at the line's beginning, without blanks before; NULL: the line has another. */
static char *after(char *line, const char *word)
{
    size_t length = strlen(word);
    return strncmp(line, word, length) ? NULL : line + length + strspn(line + length, " ");
}

/* ---- run: a recording ---------------------------------------------------------------------- */

static bool is_label(const char *word)
{
    if (!isalpha((unsigned char)*word))
        return false;
    while (text_is_identifier(*word))
        word++;
    return !*word;
}

/* A whole number from 0 to a million. */
static bool small_number(const char *text, int *number)
{
    char *end;
    long value = strtol(text, &end, 10);
    *number = (int)value;
    return end > text && !*end && value >= 0 && value <= 1000000;
}

/* "stage=read round=0": what the picture shows. */
static bool read_show(struct reader *reader, struct lesson_run *run, char *text, int line)
{
    struct error cause = {{0}};
    static const char *const names[] = {"round", "slot",   "block", "warp",
                                        "stage", "beside", "label", NULL};
    enum { STAGE = 4, BESIDE, LABEL };
    int *const numbers[] = {&run->round, &run->slot, &run->block, &run->warp};
    char **const texts[] = {&run->stage, &run->beside};
    for (char *word; (word = strtok_r(text, ", \t", &text));) {
        char *value = strchr(word, '=');
        int i = 0;
        if (value)
            *value++ = '\0';
        while (names[i] && strcmp(names[i], word))
            i++;
        if (!names[i] &&
            !error_unknown(&cause, "there is nothing to show called", word, names, NULL))
            return reader_fail(reader, line, "%s", cause.text);
        if (!value)
            return reader_fail(reader, line, "show %s=... needs a value", word);
        if (i < STAGE && !small_number(value, numbers[i]))
            return reader_fail(reader, line, "%s is '%s', not a whole number", word, value);
        if (i == STAGE || i == BESIDE) {
            free(*texts[i - STAGE]);
            *texts[i - STAGE] = memory_copy(value);
        }
        if (i == LABEL) {
            for (i = 0; label_names[i] && strcmp(label_names[i], value);)
                i++;
            if (!label_names[i] &&
                !error_unknown(&cause, "there is no label", value, label_names, NULL))
                return reader_fail(reader, line, "%s", cause.text);
            run->cells = i;
        }
    }
    return true;
}

/* Whether the page and the label are free. */
static bool may_record(struct reader *reader, const char *label, int line)
{
    const struct lesson *lesson = reader->lesson;
    if (!is_label(label))
        return reader_fail(reader, line, "a run needs a label: ```run NAME");
    for (int i = lesson->blocks - 1; i >= 0; i--) {
        const struct lesson_block *before = &lesson->block[i];
        if (before->kind != LESSON_RUN)
            continue;
        if (lesson->pages && before->page == lesson->pages - 1)
            return reader_fail(reader, line, "a page shows one recording; begin another with ##");
        if (!strcmp(before->run.label, label))
            return reader_fail(reader, line, "the label '%s' is taken (line %d)", label,
                               before->line);
    }
    return true;
}

static void read_run(struct reader *reader, const char *label, struct lines *lines)
{
    struct error cause = {{0}};
    struct lesson_block *block = may_record(reader, label, lines->number)
                                     ? reader_block(reader, LESSON_RUN, lines->number)
                                     : NULL;
    if (!block)
        return;
    struct lesson_run *run = &block->run;
    struct recipe_words words;
    run->label = memory_copy(label);
    run->command = memory_copy(take_line(lines));
    if (!strchr(run->command, '{')) { /* else this is known later */
        struct lesson_options options;
        if (!lesson_words(run->command, &words, &options, &cause))
            reader_fail(reader, lines->number, "%s", cause.text);
        else if (!words.kernel)
            reader_fail(reader, lines->number, "a run needs a kernel");
        recipe_words_free(&words);
        lesson_options_free(&options);
    }
    for (char *line; !reader->error->text[0] && (line = take_line(lines));) {
        char *show = after(line, "show ");
        if (show)
            read_show(reader, run, show, lines->number);
        else if (*line)
            reader_fail(reader, lines->number, "expected 'show NAME=VALUE ...', not '%s'", line);
    }
}

/* ---- quiz: a question ---------------------------------------------------------------------- */

/* Appends a line to a text, with a space between. */
static void append(struct reader *reader, char **text, const char *line, int number)
{
    size_t before = *text ? strlen(*text) : 0, length = before + strlen(line) + 2;
    if (length > MAX_QUIZ_TEXT) {
        reader_fail(reader, number, "this text is longer than %d bytes", MAX_QUIZ_TEXT);
        return;
    }
    char *both = memory_new(length, 1);
    snprintf(both, length, "%s%s%s", *text ? *text : "", before ? " " : "", line);
    free(*text);
    *text = both;
}

static void read_choice(struct reader *reader, struct lesson_quiz *quiz, char *text, int line)
{
    char *arrow = NULL;
    for (char *at = text; (at = strstr(at, "=> ")); at++)
        arrow = at;
    if (!arrow) {
        reader_fail(reader, line, "a choice is '- TEXT => CONDITION'");
    } else if (quiz->choices == MAX_CHOICES) {
        reader_fail(reader, line, "more than %d choices", MAX_CHOICES);
    } else {
        struct lesson_choice *choice = &quiz->choice[quiz->choices++];
        char *end = arrow;
        while (end > text && end[-1] == ' ')
            end--;
        choice->text = memory_copy_of(text, (size_t)(end - text));
        choice->condition = memory_copy(arrow + 3);
    }
}

/* "if 12: text": what a wrong answer gets. */
static void read_nudge(struct reader *reader, struct lesson_quiz *quiz, char *text, int line)
{
    char *colon = strchr(text, ':');
    if (!colon) {
        reader_fail(reader, line, "a nudge is 'if ANSWER: TEXT'");
    } else if (quiz->nudges == MAX_NUDGES) {
        reader_fail(reader, line, "more than %d nudges", MAX_NUDGES);
    } else {
        struct lesson_nudge *nudge = &quiz->nudge[quiz->nudges++];
        nudge->when = memory_copy_of(text, (size_t)(colon - text));
        nudge->text = memory_copy(colon + 1 + strspn(colon + 1, " "));
    }
}

/* "hide: totals degrees": what the picture keeps back; "nothing" alone is that. */
static void read_hide(struct reader *reader, struct lesson_quiz *quiz, char *text, int line)
{
    static const char *const names[] = {"totals", "degrees", "colours", "reasons",
                                        "costs",  "labels",  "nothing", NULL};
    static const unsigned bits[] = {
        HIDE_TOTALS, HIDE_DEGREES, HIDE_COLOURS, HIDE_REASONS, HIDE_COSTS, HIDE_LABELS, 0};
    struct error cause = {{0}};
    quiz->hide = 0;
    for (char *word; (word = strtok_r(text, ", ", &text));) {
        int i = 0;
        while (names[i] && strcmp(names[i], word))
            i++;
        if (!names[i]) {
            error_unknown(&cause, "there is nothing to hide called", word, names, NULL);
            reader_fail(reader, line, "%s", cause.text);
            return;
        }
        quiz->hide |= bits[i];
    }
}

/* Reads the lines behind the question. */
static void read_quiz_line(struct reader *reader, struct lesson_quiz *quiz, char ***last,
                           char *line, int number)
{
    char *rest;
    if ((rest = after(line, "because:"))) {
        *last = &quiz->because;
        append(reader, *last, rest, number);
    } else if ((rest = after(line, "idea:"))) {
        *last = &quiz->idea;
        append(reader, *last, rest, number);
    } else if ((rest = after(line, "if "))) {
        read_nudge(reader, quiz, rest, number);
        *last = quiz->nudges ? &quiz->nudge[quiz->nudges - 1].text : NULL;
    } else if ((rest = after(line, "hide:"))) {
        read_hide(reader, quiz, rest, number);
        *last = NULL;
    } else if (*last && **last) {
        append(reader, *last, line, number); /* goes on */
    } else if ((rest = after(line, "- "))) {
        read_choice(reader, quiz, rest, number);
    } else if (!quiz->answer && (rest = after(line, "= "))) {
        append(reader, &quiz->answer, rest, number);
    } else if (!quiz->choices && !quiz->answer) {
        append(reader, &quiz->question, line, number);
    } else if (*line) {
        reader_fail(reader, number,
                    "expected '- CHOICE', '= ANSWER', 'if', 'idea:', 'hide:' or 'because:', not "
                    "'%s'",
                    line);
    }
}

static uint32_t hash_of(const char *text)
{
    uint32_t hash = 2166136261u;
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 16777619u;
    return hash;
}

static void read_quiz(struct reader *reader, const char *name, struct lines *lines)
{
    int first = lines->number;
    struct lesson_block *block = reader_block(reader, LESSON_QUIZ, first);
    if (!block)
        return;
    struct lesson_quiz *quiz = &block->quiz;
    char **last = NULL; /* the text that the next line goes on with */
    quiz->hide = HIDE_COSTS;
    if (*name)
        reader_fail(reader, first, "a quiz has no name, but '%s' follows", name);
    for (char *line; !reader->error->text[0] && (line = take_line(lines));)
        read_quiz_line(reader, quiz, &last, line, lines->number);
    if (!quiz->because)
        quiz->because = memory_copy("");
    if (!quiz->idea)
        quiz->idea = memory_copy("");
    quiz->hash = quiz->question ? hash_of(quiz->question) : 0;
    if (!quiz->question || !*quiz->question)
        reader_fail(reader, first, "the quiz has no question");
    else if (!quiz->choices != (quiz->answer != NULL) || quiz->choices == 1)
        reader_fail(reader, first,
                    "a quiz needs either '= EXPRESSION' or two or more '- TEXT => CONDITION'");
}

/* ---- lab: what a student measures -------------------------------------------------------------- */

/* "C = one.conflicts(read): l1tex__...": a number to ask for, an example of it, and what a profiler calls it. */
static void read_ask(struct reader *reader, struct lesson_lab *lab, char *text, int line)
{
    char *equals = strchr(text, '='), *colon = equals ? strstr(equals, ": ") : NULL;
    if (!colon || lab->asks == MAX_ASKS) {
        reader_fail(reader, line,
                    "a number is asked for as 'ask NAME = EXAMPLE: METRIC', at most %d times",
                    MAX_ASKS);
        return;
    }
    *equals++ = *colon++ = '\0';
    text[strcspn(text, " ")] = '\0';
    if (!is_label(text)) {
        reader_fail(reader, line, "'%s' is no name of a number", text);
        return;
    }
    lab->ask[lab->asks++] = (struct lesson_ask){memory_copy(text), memory_copy(equals),
                                                memory_copy(colon + strspn(colon, " "))};
}

/* "C > W: ...": what is said where that holds. */
static void read_say(struct reader *reader, struct lesson_lab *lab, char *text, int line)
{
    char *colon = strstr(text, ": ");
    if (!colon || lab->says == MAX_SAYS) {
        reader_fail(reader, line, "what numbers mean is 'say CONDITION: TEXT', at most %d times",
                    MAX_SAYS);
        return;
    }
    lab->say[lab->says++] = (struct lesson_say){memory_copy_of(text, (size_t)(colon - text)),
                                                memory_copy(colon + 2 + strspn(colon + 2, " "))};
}

static void read_lab(struct reader *reader, const char *name, struct lines *lines)
{
    const int first = lines->number;
    struct lesson_block *block = reader_block(reader, LESSON_LAB, first);
    struct lesson_lab *lab = block ? &block->lab : NULL;
    if (*name)
        reader_fail(reader, first, "a lab has no name, but '%s' follows", name);
    for (char *line; !reader->error->text[0] && (line = take_line(lines));) {
        char *rest;
        if ((rest = after(line, "ask ")))
            read_ask(reader, lab, rest, lines->number);
        else if ((rest = after(line, "say ")))
            read_say(reader, lab, rest, lines->number);
        else
            append(reader, lab->says ? &lab->say[lab->says - 1].text : &lab->question, line,
                   lines->number);
    }
    if (!reader->error->text[0] && (!lab->question || !lab->asks || !lab->says))
        reader_fail(
            reader, first,
            "a lab needs a question, 'ask NAME = EXAMPLE: METRIC' and 'say CONDITION: TEXT'");
}

/* ---- draw: numbers ------------------------------------------------------------------------- */

/* "s = 3..9" */
static void read_number(struct reader *reader, char *text, int line)
{
    const struct lesson *lesson = reader->lesson;
    char *equals = strchr(text, '='), *end = equals;
    if (equals)
        *equals++ = '\0';
    while (end && end > text && end[-1] == ' ')
        *--end = '\0';
    if (!equals || !is_label(text) || !equals[strspn(equals, " ")]) {
        reader_fail(reader, line,
                    "a number is drawn as 'NAME = LOWEST..HIGHEST' or 'NAME = A, B, C'");
        return;
    }
    for (int i = 0; i < lesson->blocks; i++)
        if (lesson->block[i].kind == LESSON_DRAW && !strcmp(lesson->block[i].source, text)) {
            reader_fail(reader, line, "'%s' has been drawn (line %d)", text, lesson->block[i].line);
            return;
        }
    struct lesson_block *block = reader_block(reader, LESSON_DRAW, line);
    if (!block)
        return;
    block->source = memory_copy(text);
    block->text = memory_copy(equals + strspn(equals, " "));
}

static void read_draw(struct reader *reader, const char *name, struct lines *lines)
{
    if (*name)
        reader_fail(reader, lines->number, "draw has no name, but '%s' follows", name);
    for (char *line; !reader->error->text[0] && (line = take_line(lines));)
        if (line[strspn(line, " ")])
            read_number(reader, line, lines->number);
}

/* ---- note: for the teacher ------------------------------------------------------------------- */

/* Lines become paragraphs; an empty one separates them. */
static void read_note(struct reader *reader, const char *name, struct lines *lines)
{
    if (*name)
        reader_fail(reader, lines->number, "a note has no name, but '%s' follows", name);
    for (struct lesson_block *block = NULL; !reader->error->text[0];) {
        char *line = take_line(lines);
        if (!line)
            return;
        if (!line[strspn(line, " ")]) {
            block = NULL;
            continue;
        }
        if (!block && !(block = reader_block(reader, LESSON_NOTE, lines->number)))
            return;
        append(reader, &block->text, line + strspn(line, " "), lines->number);
    }
}

/* ---- about: what stands above the first page --------------------------------------------------- */

static void add_about(struct reader *reader, enum lesson_kind kind, int line, const char *before,
                      const char *text)
{
    char both[MAX_QUIZ_TEXT + 64];
    struct lesson_block *block = reader_block(reader, kind, line);
    snprintf(both, sizeof both, "%s%s", before, text);
    if (block)
        block->text = memory_copy(both);
}

enum { MOST_MINUTES = 600 };

static void read_exercise_time(struct reader *reader, const char *text, int line)
{
    int minutes;
    if (!small_number(text, &minutes) || minutes < 1 || minutes > MOST_MINUTES)
        reader_fail(reader, line, "the exercise's minutes are '%s', not 1 to %d", text,
                    MOST_MINUTES);
    else
        reader->lesson->exercise = minutes, reader->lesson->exercise_said = true;
}

/* "18 + 30, 24 students, spring 2027": of reading, of the exercise, and with whom they were measured. */
static void read_measured(struct reader *reader, const char *text, int line)
{
    struct lesson *lesson = reader->lesson;
    int reading, exercise = 0, used = 0;
    const bool both = sscanf(text, "%3d + %3d , %n", &reading, &exercise, &used) == 2 && used;
    const bool good = both || (sscanf(text, "%3d , %n", &reading, &used) == 1 && used);
    if (!good || !text[used] || reading < 1 || reading > MOST_MINUTES || exercise < both ||
        exercise > MOST_MINUTES) {
        reader_fail(reader, line,
                    "measured is 'MINUTES, WITH WHOM' or, with an exercise, 'MINUTES + MINUTES, "
                    "WITH WHOM', not '%s'",
                    text);
    } else if (both != exercise_is_there(lesson->folder)) {
        reader_fail(reader, line,
                    both ? "measured has minutes of an exercise, and there is none"
                         : "measured lacks the minutes of the exercise");
    } else {
        lesson->minutes = reading, lesson->exercise = exercise;
        lesson->measured = memory_copy(text + used);
    }
}

/* The texts become blocks before the first page's heading, so that every player shows them. */
static void read_about(struct reader *reader, const char *name, struct lines *lines)
{
    struct lesson *lesson = reader->lesson;
    int ables = 0;
    if (*name || lesson->pages)
        reader_fail(reader, lines->number, "about has no name, and stands above the first page");
    for (char *line; !reader->error->text[0] && (line = take_line(lines));) {
        char *text;
        if ((text = after(line, "after:")) && !lesson->after) {
            lesson->after = memory_copy(text);
            add_about(reader, LESSON_TEXT, lines->number, "Before this lesson: ", text);
        } else if ((text = after(line, "able:"))) {
            if (!ables++)
                add_about(reader, LESSON_TEXT, lines->number, "After this lesson you can", "");
            add_about(reader, LESSON_ITEM, lines->number, "", text);
        } else if ((text = after(line, "exercise:"))) {
            read_exercise_time(reader, text, lines->number);
        } else if ((text = after(line, "measured:")) && !lesson->measured) {
            read_measured(reader, text, lines->number);
        } else if (*line) {
            reader_fail(reader, lines->number,
                        "expected 'after:' or 'measured:' once, 'able:' or 'exercise:', not '%s'",
                        line);
        }
    }
}

/* ---- code ---------------------------------------------------------------------------------- */

static void read_code(struct reader *reader, const char *source, struct lines *lines)
{
    struct lesson_block *block = reader_block(reader, LESSON_CODE, lines->number);
    if (!block)
        return;
    block->text = memory_copy(lines->next);
    block->source = *source ? memory_copy(source) : NULL;
}

static void read_drawing(struct reader *reader, const char *source, struct lines *lines)
{
    const int before = reader->lesson->blocks;
    read_code(reader, source, lines);
    if (reader->lesson->blocks > before)
        reader->lesson->block[before].drawn = true;
}

/* ---- all ----------------------------------------------------------------------------------- */

/* What may follow a fence, and who reads such a block; a word more names something. */
static const struct fence {
    const char *name;
    void (*read)(struct reader *reader, const char *word, struct lines *lines);
} fences[] = {{"run", read_run},   {"quiz", read_quiz}, {"draw", read_draw},
              {"note", read_note}, {"lab", read_lab},   {"about", read_about},
              {"c", read_code},    {"sh", read_code},   {"text", read_drawing},
              {"", read_code}};
enum { FENCES = sizeof fences / sizeof fences[0] };

void reader_fence(struct reader *reader, const char *info, const char *literal, int line)
{
    enum { MOST = 512 };
    char words[MOST], *rest = words, *text = memory_copy(literal);
    const char *names[FENCES] = {NULL}; /* all but the last, which has none */
    struct lines lines = {text, line};
    struct error cause = {{0}};
    size_t length = strlen(text);
    int i = 0;
    if (length && text[length - 1] == '\n')
        text[length - 1] = '\0';
    snprintf(words, sizeof words, "%s", info);
    const char *name = strtok_r(rest, " \t", &rest), *word = strtok_r(rest, " \t", &rest);
    name = name ? name : "";
    for (; i < FENCES && strcmp(fences[i].name, name); i++)
        names[i] = i < FENCES - 1 ? fences[i].name : NULL;
    if (i == FENCES) {
        error_unknown(&cause, "there is no block called", name, names, NULL);
        reader_fail(reader, line, "%s", cause.text);
    } else if (strtok_r(rest, " \t", &rest) || strlen(info) >= sizeof words) {
        reader_fail(reader, line, "```%s takes one word more at most", name);
    } else {
        fences[i].read(reader, word ? word : "", &lines);
    }
    free(text);
}
