/* player.h - a lesson that is played in the window: what window.c keeps, and window_page.c makes a page of. */
#ifndef BANKSCOPE_TEACH_PLAYER_H
#define BANKSCOPE_TEACH_PLAYER_H

#include "teach/teach.h"

#include "viewer/viewer.h"

enum { MAX_NOTES = 100 };

/* What became of a block: a run was recorded, a question was answered. */
struct block_state {
    bool done;
    bool restored;                  /* of a question: earlier answers have been looked for */
    struct trace_index index;       /* of a run that is done */
    struct lesson_tries tries;      /* of a question */
    struct lesson_numbers *numbers; /* of a lab, owned, or NULL */
    enum pane_kind looks;           /* of what was said to the last of them */
    int first, last; /* the question's blocks of the pane, from first up to, not including, last */
};

struct player {
    struct lesson_play *play;
    const char *farewell;
    struct block_state *state; /* by block of the lesson */
    int shown;                 /* the run whose picture is in the view, or -1 */
    int waiting;               /* the question that waits for an answer, or -1 */
    bool pause;    /* an answer has just revealed the picture: the next question waits for Enter */
    bool whole;    /* nothing of the page is still to come */
    bool glossary; /* the pane shows the words instead of the page */
    char typed[24];
    struct error error;   /* the lesson is broken: shown instead of its rest */
    const char *folder;   /* of a lesson that is being written, or NULL; then */
    const char *language; /* in which it is shown, or NULL */
    uint64_t stamp;       /* as it was read last, */
    char *source;         /* its text, owned, */
    struct lesson own;    /* and what play->lesson points to */
    struct error broken;  /* it cannot be read as it is now: the last that could is shown */
    struct pane pane;
    struct pane_block *block; /* owned, and so are the texts */
    size_t room;
    struct pane_block note[MAX_NOTES]; /* for the presenter; the texts are owned */
    int notes;
    char footer[160], footer_more[160];
};

/* How a reply looks: what is told on demand is neither right nor wrong. */
enum pane_kind player_looks(const struct lesson_tries *tries, bool wrong);
/* Makes the pane, and the view when another picture is due, from where the student is. */
void player_show_page(struct player *player, struct view *view);
/* The pane with the words of the course. */
void player_show_glossary(struct player *player);
/* Frees the texts of the pane's blocks and of the notes. */
void player_clear(struct player *player);

#endif
