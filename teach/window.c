/* window.c - a lesson in the window: its text in the pane, its recordings beside it.
 *
 * A page is shown up to its first question that has no answer yet; an answer brings the rest. The
 * pane's blocks are made anew from the lesson after every key; what is kept between keys is the
 * page and, for each block of the lesson, what became of it.
 */
#include "teach/teach.h"

#include "viewer/viewer.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

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
    char footer[160];
};

/* ---- the picture --------------------------------------------------------------------------- */

static int find_run(const struct lesson *lesson, const char *label)
{
    for (int i = 0; label && i < lesson->blocks; i++)
        if (lesson->block[i].kind == LESSON_RUN && !strcmp(lesson->block[i].run.label, label))
            return i;
    return -1;
}

/* Puts the run's picture into the view. */
static bool show_picture(struct player *player, int run, struct view *view)
{
    static const enum label labels[] = {LABEL_THREAD, LABEL_ADDRESS, LABEL_VALUE};
    const struct lesson_run *show = &player->play->lesson->block[run].run;
    const struct view was = {
        .theme = view->theme, .veiled = view->veiled, .presenting = view->presenting};
    struct trace_index *index = &player->state[run].index;
    int beside = find_run(player->play->lesson, show->beside);
    struct trace_index *first = beside >= 0 ? &player->state[beside].index : index;

    view_free(view);
    player->shown = -1;
    bool good = view_init(view, first, beside >= 0 ? index : NULL, &player->error);
    view->theme = was.theme;
    view->presenting = was.presenting;
    view_veil(view, was.veiled);
    if (!good)
        return false;
    player->shown = run;
    view->label = labels[show->cells];
    if (beside >= 0)
        view_swap(view); /* the new recording leads */
    view_go_warp(view, show->block, show->warp);
    view_go(view, lesson_stage(show, &index->trace->header), show->round, show->slot);
    return true;
}

/* Records a run that is met for the first time. */
static bool record_run(struct player *player, int i)
{
    struct block_state *state = &player->state[i];
    const struct lesson_block *block = &player->play->lesson->block[i];
    if (!state->done)
        state->done = lesson_record(player->play, block, &player->error) &&
                      trace_index_init(&state->index, lesson_trace(player->play, block->run.label),
                                       &player->error);
    return state->done;
}

/* Draws a number that is met for the first time. */
static bool draw(struct player *player, int i)
{
    struct block_state *state = &player->state[i];
    if (!state->done)
        state->done = lesson_record(player->play, &player->play->lesson->block[i], &player->error);
    return state->done;
}

/* ---- the text ------------------------------------------------------------------------------ */

/* Adds a block to the pane; takes over the text (NULL: there is none). */
static void add_text(struct player *player, enum pane_kind kind, char *text)
{
    struct pane *pane = &player->pane;
    if (!text || !memory_grow(&player->block, &player->room, (size_t)pane->blocks + 1,
                              sizeof *player->block, "blocks of a page", &player->error)) {
        free(text);
        return;
    }
    player->block[pane->blocks++] = (struct pane_block){kind, text};
    pane->block = player->block;
}

static void add_line(struct player *player, enum pane_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void add_line(struct player *player, enum pane_kind kind, const char *format, ...)
{
    char line[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    add_text(player, kind, memory_copy(line));
}

static void clear_text(struct player *player)
{
    for (int i = 0; i < player->pane.blocks; i++)
        free((char *)player->block[i].text);
    for (int i = 0; i < player->notes; i++)
        free((char *)player->note[i].text);
    player->pane.blocks = player->notes = 0;
}

/* How a reply looks: what is told on demand is neither right nor wrong. */
static enum pane_kind looks_of(const struct lesson_tries *tries, bool wrong)
{
    return tries->right ? PANE_GOOD : wrong ? PANE_BAD : tries->done ? PANE_NOTE : PANE_TEXT;
}

/* Gives a question that is met for the first time the answers of an earlier day. */
static void restore(struct player *player, int i)
{
    struct block_state *state = &player->state[i];
    if (state->restored)
        return;
    state->restored = true;
    lesson_restore(player->play, &player->play->lesson->block[i], &state->tries, &player->error);
    state->looks = looks_of(&state->tries, state->tries.wrong > 0);
    state->done = state->tries.done;
}

/* Adds a question as far as it is answered. false: it waits for its answer, or for Enter. */
static bool add_quiz(struct player *player, int i)
{
    const struct lesson_block *block = &player->play->lesson->block[i];
    struct block_state *state = &player->state[i];
    restore(player, i);
    if (!state->done && player->pause && block->quiz.hide)
        return false;
    state->first = player->pane.blocks;
    add_text(player, PANE_TEXT,
             lesson_fill(player->play, block, block->quiz.question, &player->error));
    char choices[1024] = "";
    for (int k = 0; k < block->quiz.choices; k++)
        text_add(choices, sizeof choices, "%s%c) %s", k ? "\n" : "", (char)('a' + k),
                 block->quiz.choice[k].text);
    if (block->quiz.choices)
        add_line(player, PANE_TEXT, "%s", choices);
    if (!state->done && !block->quiz.choices)
        add_line(player, PANE_FIELD, "%s_", player->typed);
    if (state->tries.said[0])
        add_line(player, state->looks, "%s", state->tries.said);
    state->last = player->pane.blocks;
    if (!state->done)
        player->waiting = i;
    return state->done;
}

/* Adds a lab: its numbers so far, and what they mean. false: it waits for numbers, or for Enter. */
static bool add_lab(struct player *player, int i)
{
    const struct lesson_block *block = &player->play->lesson->block[i];
    struct block_state *state = &player->state[i];
    if (!state->numbers)
        state->numbers = memory_new(1, sizeof *state->numbers);
    state->first = player->pane.blocks;
    add_text(player, PANE_TEXT,
             lesson_fill(player->play, block, block->lab.question, &player->error));
    for (int k = 0; k < state->numbers->given; k++)
        add_line(player, PANE_TEXT, "%s = %lld  `%s`", block->lab.ask[k].name,
                 (long long)state->numbers->number[k], block->lab.ask[k].metric);
    if (!state->done) {
        const struct lesson_ask *ask = &block->lab.ask[state->numbers->given];
        add_line(player, PANE_TEXT, "%s = ?  `%s`", ask->name, ask->metric);
        add_line(player, PANE_FIELD, "%s_", player->typed);
        player->waiting = i;
    }
    if (state->numbers->said[0])
        add_line(player, PANE_NOTE, "%s", state->numbers->said);
    state->last = player->pane.blocks;
    return state->done;
}

static bool add_item(struct player *player, const struct lesson_block *block)
{
    char mark[16], *text = lesson_fill(player->play, block, block->text, &player->error);
    if (text && block->number)
        add_line(player, PANE_NUMBERED, "%s%s", lesson_mark(block, " ", mark), text);
    else if (text)
        add_line(player, PANE_ITEM, "%s", text);
    free(text);
    return text;
}

/* Adds a block of the page. false: the page ends here for now. */
static bool add_block(struct player *player, int i, int *picture)
{
    static const enum pane_kind kinds[] = {
        [LESSON_HEADING] = PANE_HEADING, [LESSON_TEXT] = PANE_TEXT};
    const struct lesson_block *block = &player->play->lesson->block[i];
    switch (block->kind) {
    case LESSON_RUN:
        if (!record_run(player, i))
            return false;
        *picture = i;
        add_line(player, PANE_CODE, "bankscope run %s",
                 lesson_command(player->play, block->run.label));
        add_line(player, PANE_NOTE, "%s", lesson_axes(player->play->lesson, &block->run));
        return true;
    case LESSON_QUIZ:
        return add_quiz(player, i);
    case LESSON_LAB:
        return add_lab(player, i);
    case LESSON_CODE:
        add_line(player, PANE_CODE, "%s", block->text);
        return true;
    case LESSON_DRAW:
        return draw(player, i);
    case LESSON_NOTE:
        return true;
    case LESSON_ITEM:
        return add_item(player, block);
    default:
        add_text(player, kinds[block->kind],
                 lesson_fill(player->play, block, block->text, &player->error));
        return !player->error.text[0];
    }
}

/* The pane with the words of the course. */
static void show_glossary(struct player *player)
{
    const struct lesson *lesson = player->play->lesson;
    char *text = lesson_glossary(&lesson->words, &player->error);
    clear_text(player);
    add_line(player, PANE_HEADING, "%s", lesson_says(lesson, "Glossary"));
    for (char *line = text, *next; line && *line; line = next) {
        next = line + strcspn(line, "\n");
        next += *next ? (*next = '\0', 1) : 0;
        add_line(player, PANE_ITEM, "%s", line);
    }
    free(text);
    snprintf(player->footer, sizeof player->footer, "%s",
             lesson_says(lesson, "i: back to the lesson"));
    player->pane.footer = player->footer;
    player->pane.scroll = 0;
}

/* What stands above the first page. */
static void add_title(struct player *player)
{
    const struct lesson *lesson = player->play->lesson;
    char times[LESSON_TIMES];
    lesson_times(lesson, times);
    add_text(player, PANE_TITLE, lesson_plain(memory_copy(lesson->title)));
    add_line(player, PANE_TEXT, "%s", times);
}

/* Makes the pane, and the view when another picture is due, from where the student is. */
static void show_page(struct player *player, struct view *view)
{
    const struct lesson *lesson = player->play->lesson;
    bool whole = true;
    int picture = -1;
    clear_text(player);
    player->waiting = -1;
    if (player->broken.text[0])
        add_line(player, PANE_BAD, "%s", player->broken.text);
    if (lesson->pages && player->play->page == 0)
        add_title(player);
    for (int i = 0; whole && i < lesson->blocks; i++) {
        const struct lesson_block *block = &lesson->block[i];
        bool before = block->page < player->play->page;
        if (before && block->kind == LESSON_QUIZ)
            restore(player, i);
        if (before && block->kind == LESSON_DRAW)
            whole = draw(player, i);
        if (before && block->kind == LESSON_RUN) {
            picture = i; /* stays until the next one */
            whole = record_run(player, i);
        }
        if (block->page == player->play->page)
            whole = add_block(player, i, &picture);
    }
    bool last = player->play->page == lesson->pages - 1;
    if (whole && last)
        lesson_go(player->play, player->play->page, true);
    if (whole && last && player->play->asked)
        add_line(player, PANE_GOOD, lesson_says(lesson, "%d of %d questions right at once."),
                 player->play->right, player->play->asked);
    if (whole && last && *player->farewell)
        add_line(player, PANE_TEXT, "%s", player->farewell);
    if (picture >= 0 && picture != player->shown)
        show_picture(player, picture, view);
    player->notes = lesson_notes(player->play, player->waiting, player->note, MAX_NOTES);
    view->note = player->note;
    view->notes = player->notes;
    if (view->panels)
        view_hide(view, player->waiting < 0 ? 0 : lesson->block[player->waiting].quiz.hide);
    if (player->error.text[0])
        add_line(player, PANE_BAD, "%s", player->error.text);
    player->whole = whole;
    const bool lab = player->waiting >= 0 && lesson->block[player->waiting].kind == LESSON_LAB;
    const char *next =
        lab ? lesson_says(lesson, "each number, then Enter; Enter alone goes on (h: an example)")
        : player->waiting >= 0
            ? (lesson->block[player->waiting].quiz.choices
                   ? lesson_says(lesson, "type a letter (h: a hint)")
                   : lesson_says(lesson, "type a number, then Enter (h: a hint)"))
        : !whole ? lesson_says(lesson, "Enter: next question")
        : last   ? lesson_says(lesson, "the end")
                 : lesson_says(lesson, "Enter: next page");
    snprintf(player->footer, sizeof player->footer, lesson_says(lesson, "%d of %d  %s"),
             player->play->page + 1, lesson->pages, lesson->pages ? next : "");
    player->pane.footer = player->footer;
}

/* ---- keys ---------------------------------------------------------------------------------- */

/* Has the question seen, with what was replied to it, when the pane is drawn next. */
static void see_question(struct player *player, int i)
{
    player->pane.show = i < 0 ? 0 : player->state[i].first;
    player->pane.shown = i < 0 ? 0 : player->state[i].last;
}

/* Replies to what was typed for the question that waits. */
static void answer(struct player *player, const char *typed)
{
    const struct lesson_block *block = &player->play->lesson->block[player->waiting];
    struct block_state *state = &player->state[player->waiting];
    int wrong = state->tries.wrong;
    if (block->kind == LESSON_LAB) { /* Enter alone goes on, and so does the example */
        state->done = !*typed || !strcmp(typed, "h");
        if (*typed)
            lesson_measured(player->play, block, state->numbers, typed, &player->error);
        player->typed[0] = '\0';
        return;
    }
    lesson_reply(player->play, block, &state->tries, typed, &player->error);
    state->looks = looks_of(&state->tries, state->tries.wrong > wrong);
    state->done = player->pause = state->tries.done;
    player->typed[0] = '\0';
}

static void turn_page(struct player *player, int by)
{
    int page = player->play->page + by;
    if (page < 0 || page >= player->play->lesson->pages || player->error.text[0])
        return;
    lesson_go(player->play, page, false);
    player->pause = false;
    player->typed[0] = '\0';
    player->pane.scroll = 0;
}

/* Takes a key while a question waits. false: it is not for the question. */
static bool press_answer(struct player *player, const char *key)
{
    const struct lesson_quiz *quiz = &player->play->lesson->block[player->waiting].quiz;
    size_t length = strlen(player->typed);
    int letter = tolower((unsigned char)*key) - 'a';
    if (!strcmp(key, "h")) {
        answer(player, key);
    } else if (!strcmp(key, "Return") || !strcmp(key, "Keypad Enter")) {
        answer(player, player->typed);
    } else if (quiz->choices) {
        if (key[1] || letter < 0 || letter >= quiz->choices)
            return false;
        answer(player, key);
    } else if (!strcmp(key, "Backspace") && length) {
        player->typed[length - 1] = '\0';
    } else if (!key[1] && (isdigit((unsigned char)*key) || (*key == '-' && !length))) {
        if (length + 1 < sizeof player->typed)
            strcpy(player->typed + length, key);
    } else {
        return false;
    }
    return true;
}

/* A teacher's key, or a remote control's: the question that waits gets its hint, then its answer. */
static bool press_remote(struct player *player, struct view *view, bool next)
{
    const int asked = player->waiting, page = player->play->page;
    if (next && asked >= 0)
        answer(player, "h");
    else if (next && !player->whole)
        player->pause = false;
    else
        turn_page(player, next ? 1 : -1);
    show_page(player, view);
    if (player->play->page == page)
        see_question(player, asked >= 0 ? asked : player->waiting);
    return true;
}

static bool press(void *context, struct view *view, const char *key)
{
    struct player *player = context;
    bool next = !strcmp(key, "Present+Next");
    if (!strcmp(key, "i")) {
        player->glossary = !player->glossary;
        if (player->glossary)
            show_glossary(player);
        else
            show_page(player, view);
        return true;
    }
    if (player->glossary) /* the desk scrolls */
        return false;
    int asked = player->waiting;
    if (next || !strcmp(key, "Present+Previous"))
        return press_remote(player, view, next);
    if (asked >= 0 && press_answer(player, key)) {
        show_page(player, view);
        see_question(player, asked);
        return true;
    }
    /* What does not fit is read first: the desk scrolls. */
    const struct pane *pane = &player->pane;
    const int page = player->play->page;
    bool on = !strcmp(key, "Return") || !strcmp(key, "Keypad Enter") ||
              (!strcmp(key, "PageDown") && player->waiting < 0 && pane->scroll >= pane->most - 1);
    if (on && player->whole)
        turn_page(player, 1);
    else if (on)
        player->pause = false;
    else if (!strcmp(key, "Backspace") || (!strcmp(key, "PageUp") && pane->scroll < 1))
        turn_page(player, -1);
    else
        return false;
    show_page(player, view);
    if (on && player->play->page == page)
        see_question(player, player->waiting);
    return true;
}

/* ---- a lesson that is being written ------------------------------------------------------------ */

/* The question of another state of the lesson that is the same, or -1. */
static int same_question(const struct lesson *lesson, const struct lesson_block *block)
{
    for (int i = 0; i < lesson->blocks; i++) {
        const struct lesson_quiz *quiz = &lesson->block[i].quiz;
        if (lesson->block[i].kind == LESSON_QUIZ && quiz->choices == block->quiz.choices &&
            !strcmp(quiz->question, block->quiz.question) &&
            (quiz->choices || !strcmp(quiz->answer, block->quiz.answer)))
            return i;
    }
    return -1;
}

static void free_states(struct player *player)
{
    for (int i = 0; i < player->play->lesson->blocks; i++) {
        trace_index_free(&player->state[i].index);
        free(player->state[i].numbers);
    }
    free(player->state);
}

/* Goes on with the lesson as it is now; takes it over. */
static void replace_lesson(struct player *player, struct lesson *now, struct view *view)
{
    struct lesson_play *play = player->play;
    struct block_state *state = memory_new((size_t)now->blocks + 1, sizeof *state);
    const struct lesson *before = play->lesson;
    for (int i = 0; i < now->blocks; i++) {
        int same = now->block[i].kind == LESSON_QUIZ ? same_question(before, &now->block[i]) : -1;
        if (same < 0)
            continue;
        state[i].done = player->state[same].done;
        state[i].tries = player->state[same].tries;
        state[i].looks = player->state[same].looks;
    }
    const struct view was = {.theme = view->theme, .presenting = view->presenting};
    view_free(view);
    *view = was;
    free_states(player);
    lesson_play_free(play);
    lesson_free(&player->own);
    player->own = *now;
    play->lesson = &player->own;
    player->state = state;
    player->shown = -1;
    player->error.text[0] = '\0';
    play->page = play->page < now->pages ? play->page : now->pages - 1;
}

/* struct pane's look: reads the lesson again if a file was saved. */
static bool look(void *context, struct view *view)
{
    struct player *player = context;
    uint64_t stamp = lesson_stamp(player->folder);
    if (stamp == player->stamp)
        return false;
    player->stamp = stamp;
    struct lesson now;
    char *source = lesson_source(player->folder);
    player->broken.text[0] = '\0';
    if (lesson_load(player->folder, player->language, &now, &player->broken)) {
        int page = player->source ? lesson_changed_page(&now, player->source, source) : -1;
        replace_lesson(player, &now, view);
        if (page >= 0 && page != player->play->page) {
            player->play->page = page;
            player->pane.scroll = 0;
        }
        free(player->source);
        player->source = source;
        source = NULL;
    }
    free(source);
    show_page(player, view);
    return true;
}

/* ---- both ---- */

static bool play_in_window(struct player *player, const char *title, struct error *error)
{
    static const struct key_help keys[] = {{"Enter", "go on; the answer typed"},
                                           {"Backspace", "page before"},
                                           {"PageDown", "more of this page, then the next; back"},
                                           {"PageUp", NULL},
                                           {"i", "the glossary, and back"},
                                           {"h", "a hint for the question, then its answer"},
                                           {NULL, NULL}};
    struct view view = {.theme = &themes[0], .presenting = player->play->presenting};
    player->shown = player->waiting = -1;
    player->state = memory_new((size_t)player->play->lesson->blocks + 1, sizeof *player->state);
    player->pane = (struct pane){
        .keys = keys, .press = press, .look = player->folder ? look : NULL, .context = player};
    show_page(player, &view);
    bool good = window_run(title, &view, &player->pane, NULL, error);
    /* A broken lesson has said so in the pane; the terminal keeps it. */
    const char *broken = player->broken.text[0] ? player->broken.text : player->error.text;
    if (good && *broken)
        good = error_set(error, "%s", broken);
    clear_text(player);
    free(player->block);
    view_free(&view);
    free_states(player);
    return good;
}

bool lesson_window(struct lesson_play *play, const char *farewell, struct error *error)
{
    struct player player = {.play = play, .farewell = farewell};
    char title[256];
    snprintf(title, sizeof title, "Bankscope: %s", play->lesson->title);
    return play_in_window(&player, lesson_plain(title), error);
}

bool lesson_watch(struct lesson_play *play, const char *folder, const char *language,
                  struct error *error)
{
    struct player player = {.play = play, .farewell = "", .folder = folder, .language = language};
    char title[256];
    player.stamp = lesson_stamp(folder);
    player.source = lesson_source(folder);
    lesson_load(folder, language, &player.own, &player.broken);
    play->lesson = &player.own;
    snprintf(title, sizeof title, "Bankscope: %s", folder);
    bool good = play_in_window(&player, title, error);
    lesson_play_free(play);
    lesson_free(&player.own);
    free(player.source);
    play->lesson = NULL;
    return good;
}
