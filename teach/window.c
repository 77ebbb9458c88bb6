/* window.c - a lesson in the window: its text in the pane, its recordings beside it. Keys, and a lesson that is being
 * written.
 *
 * What is kept between keys is the page and, for each block of the lesson, what became of it; window_page.c makes the
 * pane of it.
 */
#include "teach/player.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

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
    state->looks = player_looks(&state->tries, state->tries.wrong > wrong);
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
    player_show_page(player, view);
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
            player_show_glossary(player);
        else
            player_show_page(player, view);
        return true;
    }
    if (player->glossary) /* the desk scrolls */
        return false;
    int asked = player->waiting;
    if (next || !strcmp(key, "Present+Previous"))
        return press_remote(player, view, next);
    if (asked >= 0 && press_answer(player, key)) {
        player_show_page(player, view);
        see_question(player, asked);
        return true;
    }
    /* What does not fit is read first: the desk scrolls, or Enter does. */
    struct pane *pane = &player->pane;
    const int page = player->play->page;
    const bool enter = !strcmp(key, "Return") || !strcmp(key, "Keypad Enter"),
               below = player->waiting < 0 && pane->scroll < pane->most - 1;
    if (enter && below) {
        pane->scroll += 0.8 * pane->room; /* pane_draw limits it */
        return true;
    }
    bool on = enter || (!strcmp(key, "PageDown") && player->waiting < 0 && !below);
    if (on && player->whole)
        turn_page(player, 1);
    else if (on)
        player->pause = false;
    else if (!strcmp(key, "Backspace") || (!strcmp(key, "PageUp") && pane->scroll < 1))
        turn_page(player, -1);
    else
        return false;
    player_show_page(player, view);
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
    player_show_page(player, view);
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
    player_show_page(player, &view);
    bool good = window_run(title, &view, &player->pane, NULL, error);
    /* A broken lesson has said so in the pane; the terminal keeps it. */
    const char *broken = player->broken.text[0] ? player->broken.text : player->error.text;
    if (good && *broken)
        good = error_set(error, "%s", broken);
    player_clear(player);
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
