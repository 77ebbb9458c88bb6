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

/* The answer of the question that waits, and what wrong answers tell. */
static void add_answer(struct notes *notes, const struct lesson_block *block)
{
    const struct lesson_play *play = notes->play;
    const struct lesson_quiz *quiz = &block->quiz;
    char answer[300], line[4096];
    int64_t right, wrong;
    struct error none = {{0}};
    if (block->kind != LESSON_QUIZ || !lesson_answer(play, block, &right, &none))
        return;
    lesson_show_answer(quiz, right, answer, sizeof answer);
    snprintf(line, sizeof line, lesson_says(play->lesson, "Answer: %s"), answer);
    add_note(notes, PANE_GOOD, memory_copy(line));
    add_note(notes, PANE_TEXT, lesson_fill(play, block, quiz->because, &none));
    for (int i = 0; i < quiz->nudges; i++) {
        char *nudge = lesson_fill(play, block, quiz->nudge[i].text, &none);
        if (nudge && lesson_nudge_for(play, quiz, i, &wrong, &none)) {
            lesson_show_answer(quiz, wrong, answer, sizeof answer);
            snprintf(line, sizeof line, lesson_says(play->lesson, "If they say %s: "), answer);
            text_add(line, sizeof line, "%s", nudge);
            add_note(notes, PANE_ITEM, memory_copy(line));
        }
        free(nudge);
    }
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
    if (waiting >= 0)
        add_answer(&notes, &lesson->block[waiting]);
    char line[1024];
    snprintf(line, sizeof line, lesson_says(lesson, "Next: %s"),
             next ? next : lesson_says(lesson, "the end"));
    add_note(&notes, PANE_TEXT, memory_copy(line));
    return notes.count;
}
