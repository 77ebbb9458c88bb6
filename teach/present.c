/* present.c - what a presenter sees and the class does not: the notes of a page, and the answer of its open question. */
#include "teach/teach.h"
#include "viewer/viewer.h"

#include <stdlib.h>

struct notes {
    const struct lesson_play *play;
    struct pane_block *note;
    int count, most;
};

/* Adds a text, which it takes over. */
static void add_note(struct notes *notes, enum pane_kind kind, char *text)
{
    if (text && notes->count < notes->most)
        notes->note[notes->count++] = (struct pane_block){kind, text};
    else
        free(text);
}

/* Adds a text of the question behind some words, unless it is empty. */
static bool add_filled(struct notes *notes, const struct lesson_block *block, const char *before,
                       const char *text, struct error *error)
{
    char line[4096], *filled = lesson_fill(notes->play, block, text, error);
    snprintf(line, sizeof line, "%s%s", before, filled ? filled : "");
    if (filled && *filled)
        add_note(notes, PANE_ITEM, memory_copy(line));
    free(filled);
    return filled;
}

char *lesson_answer_text(const struct lesson_play *play, const struct lesson_block *block,
                         struct error *error)
{
    int64_t right;
    char told[300], line[4096];
    if (!lesson_answer(play, block, &right, error))
        return NULL;
    lesson_show_answer(&block->quiz, right, told, sizeof told);
    char *because = lesson_fill(play, block, block->quiz.because, error);
    if (!because)
        return NULL;
    snprintf(line, sizeof line, lesson_says(play->lesson, "Answer: %s"), told);
    text_add(line, sizeof line, "%s%s", *because ? "\n" : "", because);
    free(because);
    return memory_copy(line);
}

int lesson_answer_notes(const struct lesson_play *play, const struct lesson_block *block,
                        struct pane_block *note, int most, struct error *error)
{
    const struct lesson_quiz *quiz = &block->quiz;
    struct notes notes = {.play = play, .note = note, .most = most};
    char told[300], before[340];
    int64_t wrong;
    struct error cause = {{0}};
    char *answer = lesson_answer_text(play, block, error);
    bool good = answer;
    add_note(&notes, PANE_GOOD, answer);
    for (int i = 0; good && i < quiz->nudges; i++) {
        if (!lesson_nudge_for(play, quiz, i, &wrong, &cause)) {
            lesson_at(play->lesson, block, &cause, error);
            break;
        }
        lesson_show_answer(quiz, wrong, told, sizeof told);
        snprintf(before, sizeof before, lesson_says(play->lesson, "If they say %s: "), told);
        good = add_filled(&notes, block, before, quiz->nudge[i].text, error);
    }
    if (!error->text[0])
        add_filled(&notes, block, lesson_says(play->lesson, "Hint: "), quiz->idea, error);
    return notes.count;
}

int lesson_notes(const struct lesson_play *play, int waiting, struct pane_block *note, int most)
{
    const struct lesson *lesson = play->lesson;
    struct notes notes = {.play = play, .note = note, .most = most};
    const char *next = NULL;
    struct error none = {{0}};
    for (int i = 0; i < lesson->blocks; i++) {
        const struct lesson_block *block = &lesson->block[i];
        bool heading = block->kind == LESSON_HEADING;
        if (block->page == play->page &&
            (block->kind == LESSON_NOTE || (heading && notes.count == 0)))
            add_note(&notes, heading ? PANE_HEADING : PANE_TEXT,
                     lesson_fill(play, block, block->text, &none));
        if (block->page == play->page + 1 && heading && !next)
            next = block->text;
    }
    if (waiting >= 0 && lesson->block[waiting].kind == LESSON_QUIZ)
        notes.count += lesson_answer_notes(play, &lesson->block[waiting], note + notes.count,
                                           most - notes.count, &none);
    char line[1024];
    snprintf(line, sizeof line, lesson_says(lesson, "Next: %s"),
             next ? next : lesson_says(lesson, "the end"));
    add_note(&notes, PANE_TEXT, memory_copy(line));
    return notes.count;
}
