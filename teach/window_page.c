/* window_page.c - a page of a lesson as blocks of the window's pane, with its picture.
 *
 * A page is shown up to its first question that has no answer yet; an answer brings the rest. The pane's blocks are
 * made anew from the lesson after every key.
 */
#include "teach/player.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

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
    if (beside >= 0) {
        char title[2][LESSON_TITLE];
        for (int p = 0; p < 2 && lesson_tell_apart(player->play, show, title); p++)
            memcpy(view->panel[p].title, title[p], LESSON_TITLE);
        view_swap(view); /* the new recording leads */
    }
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

void player_clear(struct player *player)
{
    for (int i = 0; i < player->pane.blocks; i++)
        free((char *)player->block[i].text);
    for (int i = 0; i < player->notes; i++)
        free((char *)player->note[i].text);
    player->pane.blocks = player->notes = 0;
}

enum pane_kind player_looks(const struct lesson_tries *tries, bool wrong)
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
    state->looks = player_looks(&state->tries, state->tries.wrong > 0);
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

/* What the page's questions that are not answered yet hide: no answer shows what is asked for next. */
static unsigned open_questions_hide(const struct player *player)
{
    const struct lesson *lesson = player->play->lesson;
    unsigned hide = 0;
    for (int i = 0; i < lesson->blocks; i++)
        if (lesson->block[i].kind == LESSON_QUIZ && lesson->block[i].page == player->play->page &&
            !player->state[i].done)
            hide |= lesson->block[i].quiz.hide;
    return hide;
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
        add_line(player, PANE_NOTE, "%s",
                 lesson_axes(player->play, &block->run, open_questions_hide(player)));
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

void player_show_glossary(struct player *player)
{
    const struct lesson *lesson = player->play->lesson;
    char *text = lesson_glossary(&lesson->words, &player->error);
    player_clear(player);
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
    player->pane.footer_more = NULL;
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

void player_show_page(struct player *player, struct view *view)
{
    const struct lesson *lesson = player->play->lesson;
    bool whole = true;
    int picture = -1;
    player_clear(player);
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
        view_hide(view, open_questions_hide(player));
    if (player->error.text[0])
        add_line(player, PANE_BAD, "%s", player->error.text);
    player->whole = whole;
    const bool lab = player->waiting >= 0 && lesson->block[player->waiting].kind == LESSON_LAB;
    const bool hint =
        player->waiting >= 0 && !lab &&
        lesson_has_hint(&lesson->block[player->waiting], &player->state[player->waiting].tries);
    const char *next =
        lab ? lesson_says(lesson, "each number, then Enter; Enter alone goes on (h: an example)")
        : player->waiting >= 0
            ? (lesson->block[player->waiting].quiz.choices
                   ? (hint ? lesson_says(lesson, "type a letter (h: a hint)")
                           : lesson_says(lesson, "type a letter (h: the answer)"))
               : hint ? lesson_says(lesson, "type a number, then Enter (h: a hint)")
                      : lesson_says(lesson, "type a number, then Enter (h: the answer)"))
        : !whole ? lesson_says(lesson, "Enter: next question")
        : last   ? lesson_says(lesson, "the end")
                 : lesson_says(lesson, "Enter: next page");
    snprintf(player->footer, sizeof player->footer, lesson_says(lesson, "%d of %d  %s"),
             player->play->page + 1, lesson->pages, lesson->pages ? next : "");
    snprintf(player->footer_more, sizeof player->footer_more, lesson_says(lesson, "%d of %d  %s"),
             player->play->page + 1, lesson->pages, lesson_says(lesson, "Enter: more"));
    player->pane.footer = player->footer;
    player->pane.footer_more = player->waiting < 0 ? player->footer_more : NULL;
}
