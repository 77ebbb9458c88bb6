/* play.c - what both players share: recordings, texts with numbers in them, verdicts. */
#include "program/compile/dialect.h"
#include "teach/teach.h"
#include "viewer/viewer.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool lesson_at(const struct lesson *lesson, const struct lesson_block *block,
               const struct error *cause, struct error *error)
{
    return error_set(error, "%s/lesson.md:%d: %s", lesson->folder, block->line, cause->text);
}

void lesson_play_free(struct lesson_play *play)
{
    for (int i = 0; i < play->count; i++) {
        if (play->recording[i].trace)
            trace_free((struct trace *)play->recording[i].trace);
        free((void *)play->recording[i].trace);
        free((void *)play->recording[i].label);
        free((void *)play->recording[i].command);
    }
    free(play->recording);
    free(play->recalled);
    play->recalled = NULL;
    play->recording = NULL;
    play->room = 0;
    play->count = 0;
}

static const struct recording *find_recording(const struct lesson_play *play, const char *label)
{
    for (int i = play->count - 1; i >= 0; i--)
        if (play->recording[i].trace && !strcmp(play->recording[i].label, label))
            return &play->recording[i];
    return NULL;
}

const struct trace *lesson_trace(const struct lesson_play *play, const char *label)
{
    const struct recording *recording = find_recording(play, label);
    return recording ? recording->trace : NULL;
}

const char *lesson_command(const struct lesson_play *play, const char *label)
{
    const struct recording *recording = find_recording(play, label);
    return recording ? recording->command : NULL;
}

int lesson_stage(const struct lesson_run *run, const struct trace_header *header)
{
    if (run->stage)
        return stage_called(header, run->stage);
    return header->stages > 1 && !strcmp(header->stage[0], "setup");
}

unsigned lesson_hides(const struct lesson *lesson, const struct lesson_block *block)
{
    unsigned hide = 0;
    for (const struct lesson_block *later = block + 1; later < lesson->block + lesson->blocks;
         later++)
        if (later->kind == LESSON_QUIZ && later->page == block->page)
            hide |= later->quiz.hide;
    return hide;
}

bool lesson_picture(const struct lesson_run *run, const struct trace *trace,
                    struct warp_access *access)
{
    int stage = lesson_stage(run, &trace->header);
    for (size_t i = 0; i < trace->count; i++) {
        *access = trace_get(trace, i);
        if (access->stage == stage && access->round == run->round && access->slot == run->slot &&
            access->block == run->block && access->warp == run->warp)
            return true;
    }
    return false;
}

struct figure_part lesson_part(const struct lesson_run *run, const struct trace_index *index,
                               const struct warp_access *access, unsigned hide)
{
    return (struct figure_part){.index = index,
                                .stage = access->stage,
                                .block = access->block,
                                .warp = access->warp,
                                .rounds = true,
                                .first_round = access->round,
                                .last_round = access->round,
                                .one_slot = true,
                                .slot = access->slot,
                                .label = (enum label)run->cells,
                                .used_columns = true,
                                .hide = hide};
}

bool lesson_take_part(const struct lesson_run *run, const struct trace *trace, unsigned hide,
                      struct trace_index *index, struct figure_part *part, struct error *error)
{
    struct warp_access access;
    if (!lesson_picture(run, trace, &access) || !trace_index_init(index, trace, error))
        return error_set(error, "there is nothing to draw");
    *part = lesson_part(run, index, &access, hide);
    part->paint = hide & HIDE_COLOURS ? PAINT_ALIKE : PAINT_ROUND;
    part->degrees = !(hide & HIDE_DEGREES);
    part->borders = true;
    return true;
}

bool lesson_tell_apart(const struct lesson_play *play, const struct lesson_run *run,
                       char title[2][LESSON_TITLE])
{
    const char *const names[] = {run->beside, run->label};
    const char *kernel[2];
    char said[2][512];
    for (int p = 0; p < 2; p++) {
        const struct trace *trace = names[p] ? lesson_trace(play, names[p]) : NULL;
        if (!trace)
            return false;
        kernel[p] = trace->header.kernel;
        header_params(&trace->header, said[p], sizeof said[p]);
    }
    if (strcmp(kernel[0], kernel[1]) != 0 || strcmp(said[0], said[1]) != 0)
        return false;
    for (int p = 0; p < 2; p++)
        snprintf(title[p], LESSON_TITLE, "%.80s (%s)%.100s", kernel[p], names[p], said[p]);
    return true;
}

enum { CROP_FEW = 6 }; /* places of an access that are always shown */

/* "0-7,31,12" of `count`: the first, the last, and those that are used, if these are few. false: it is not many. */
static bool crop_list(struct numbers *numbers, int count, const int *used, int uses)
{
    enum { MANY = 24, FIRST = 8 };
    char list[200];
    if (count < MANY)
        return false;
    snprintf(list, sizeof list, "0-%d,%d", FIRST - 1, count - 1);
    for (int i = 0; i < uses && uses <= CROP_FEW; i++)
        text_add(list, sizeof list, ",%d", used[i]);
    return numbers_read(numbers, list);
}

static void add_once(int *list, int *count, int number)
{
    for (int i = 0; i < *count; i++)
        if (list[i] == number)
            return;
    list[(*count)++] = number;
}

/* The banks and columns of an access; of many banks only the one that most lanes want. */
static void find_places(const struct trace_header *header, const struct warp_access *access,
                        int *bank, int *banks, int *column, int *columns)
{
    int lanes[64] = {0}, worst = 0;
    *banks = *columns = 0;
    for (int i = 0; i < access->lanes; i++) {
        const int b = (int)(access->addr[i] / (uint32_t)header->bank_bytes) % header->banks;
        add_once(bank, banks, b);
        lanes[b]++;
        worst = lanes[b] > lanes[worst] ? b : worst;
    }
    const bool many = *banks > CROP_FEW;
    if (many)
        *banks = 1, bank[0] = worst;
    for (int i = 0; i < access->lanes; i++) {
        const int word = (int)(access->addr[i] / (uint32_t)header->bank_bytes);
        if (!many || word % header->banks == worst)
            add_once(column, columns, word / header->banks);
    }
}

void lesson_crop(const struct lesson_run *run, struct figure_part *part, struct numbers *crop)
{
    const struct trace_header *header = &part->index->trace->header;
    struct warp_access access;
    int bank[64], column[64], banks, columns;
    if (header->banks > 64 || !lesson_picture(run, part->index->trace, &access) || !access.addr)
        return;
    find_places(header, &access, bank, &banks, column, &columns);
    if (crop_list(&crop[0], header->banks, bank, banks) &&
        crop_list(&crop[1], part->index->columns, column, columns)) {
        part->only_banks = &crop[0];
        part->only_columns = &crop[1];
    }
}

/* What the picture needs to be there. */
static bool check_show(const struct lesson_play *play, const struct lesson_run *run,
                       const struct trace *trace, struct error *error)
{
    int stage = lesson_stage(run, &trace->header);
    if (stage < 0)
        return error_unknown(error, "there is no stage", run->stage,
                             (const char *const *)trace->header.stage, NULL);
    if (run->beside && !lesson_trace(play, run->beside))
        return error_set(error, "there is no earlier recording '%s' to show beside", run->beside);
    struct warp_access access;
    return lesson_picture(run, trace, &access) ||
           error_set(error, "nothing was recorded in round %d, slot %d of block %d, warp %d",
                     run->round, run->slot, run->block, run->warp);
}

/* Takes an option and its value, made of those characters, out of a recipe. The caller's to free; NULL: it is
 * not there. */
static char *take_option(char *recipe, const char *option, const char *characters)
{
    char *at = strstr(recipe, option), *value = at ? at + strlen(option) : NULL;
    size_t length = value ? strspn(value, characters) : 0;
    if (!length)
        return NULL;
    char *taken = memory_copy_of(value, length);
    memset(at, ' ', (size_t)(value - at) + length);
    return taken;
}

bool lesson_words(const char *command, struct recipe_words *words, struct lesson_options *options,
                  struct error *error)
{
    char *recipe = memory_copy(command);
    options->launch = take_option(recipe, " --launch ", "0123456789");
    options->memory = take_option(recipe, " --memory ", "abcdefghijklmnopqrstuvwxyz");
    bool good = recipe_words_split(words, recipe, error);
    free(recipe);
    const char *memory = options->memory;
    if (good && memory && strcmp(memory, "shared") && strcmp(memory, "global") &&
        strcmp(memory, "all"))
        return error_set(error, "--memory is shared, global or all, not '%s'", memory);
    return good;
}

void lesson_options_free(struct lesson_options *options)
{
    free(options->launch);
    free(options->memory);
    *options = (struct lesson_options){NULL, NULL};
}

/* Runs a recipe. */
static bool record_recipe(const struct lesson_play *play, const struct recipe_words *words,
                          const struct lesson_options *options, struct trace *trace,
                          struct error *error)
{
    struct run_result result;
    char file[4096];
    const char *name = words->kernel;
    if (!name)
        return error_set(error, "a run needs a kernel");
    /* A kernel file comes with the lesson. */
    if (dialect_is_file(name)) {
        if (!path_below(play->lesson->folder, name, file, sizeof file, error))
            return false;
        name = file;
        if (program_is_ordinary(file) && !play->trusted)
            return error_set(error,
                             "%s is a CUDA program, whose host part would run with your rights; if "
                             "you trust who wrote this lesson, add --trust",
                             name);
        if (program_is_ordinary(file))
            return program_record_file(file, options, trace, error);
        if (options->memory)
            return error_set(error, "--memory is of CUDA programs; %s records shared memory", name);
    }
    const struct kernel *kernel = dialect_kernel(name, BACKEND_HOST, error);
    if (!kernel)
        return false;
    struct recipe recipe;
    struct trace_sink sink = trace_memory_sink(trace);
    recipe_init(&recipe, kernel);
    bool good =
        recipe_apply(&recipe, words, error) && recipe_run(&recipe, NULL, &sink, &result, error);
    recipe_free(&recipe);
    return good;
}

/* Writes the text with its expressions replaced, but for those in code. */
static bool fill_in_expressions(const struct lesson_play *play, const char *text, FILE *out,
                                struct error *cause)
{
    bool code = false;
    for (; *text; text++) {
        if (*text == '`')
            code = !code;
        if (*text != '{' || code) {
            fputc(*text, out);
            continue;
        }
        const char *close = strchr(text, '}');
        if (!close)
            return error_set(cause, "\"%.40s\": a { without its }", text);
        char *expression = memory_copy_of(text + 1, (size_t)(close - text - 1));
        int64_t value;
        bool good = expression_value(expression, play->recording, play->count, &value, cause);
        free(expression);
        if (!good)
            return false;
        fprintf(out, "%" PRId64, value);
        text = close;
    }
    return !code || error_set(cause, "a ` without its other `");
}

/* lesson_fill, whose error does not say where. */
static char *filled_text(const struct lesson_play *play, const char *text, struct error *cause)
{
    char *filled = NULL;
    size_t length;
    FILE *out = open_memstream(&filled, &length);
    if (!out)
        memory_exhausted();
    bool good = fill_in_expressions(play, text, out, cause);
    if (fclose(out))
        memory_exhausted();
    if (good)
        return filled;
    free(filled);
    return NULL;
}

char *lesson_fill(const struct lesson_play *play, const struct lesson_block *block,
                  const char *text, struct error *error)
{
    struct error cause = {{0}};
    char *filled = filled_text(play, text, &cause);
    if (!filled)
        lesson_at(play->lesson, block, &cause, error);
    return filled;
}

/* Adds what expressions may name from now on. Takes over what the recording points to. */
static void add_known(struct lesson_play *play, const struct recording *recording)
{
    struct error none = {{0}};
    if (!memory_grow(&play->recording, &play->room, (size_t)play->count + 1,
                     sizeof *play->recording, "recordings", &none))
        memory_exhausted();
    play->recording[play->count++] = *recording;
}

static bool record_run(struct lesson_play *play, const struct lesson_run *run, struct error *cause)
{
    struct trace *trace = memory_new(1, sizeof *trace);
    struct recipe_words words = {.count = 0};
    struct lesson_options options = {NULL, NULL};
    char *command = filled_text(play, run->command, cause);
    bool good = command && lesson_words(command, &words, &options, cause) &&
                record_recipe(play, &words, &options, trace, cause) &&
                check_show(play, run, trace, cause);
    recipe_words_free(&words);
    lesson_options_free(&options);
    if (good) {
        add_known(play, &(struct recording){
                            .label = memory_copy(run->label), .trace = trace, .command = command});
    } else {
        trace_free(trace);
        free(trace);
        free(command);
    }
    return good;
}

static bool record_draw(struct lesson_play *play, const struct lesson_block *block,
                        struct error *cause)
{
    int64_t number = 0;
    if (!draw_number(block->source, block->text, play->student, play->recording, play->count,
                     &number, cause))
        return false;
    add_known(play, &(struct recording){.label = memory_copy(block->source), .number = number});
    return true;
}

bool lesson_record(struct lesson_play *play, const struct lesson_block *block, struct error *error)
{
    struct error cause = {{0}};
    return (block->kind == LESSON_DRAW ? record_draw(play, block, &cause)
                                       : record_run(play, &block->run, &cause)) ||
           lesson_at(play->lesson, block, &cause, error);
}

const char *lesson_mark(const struct lesson_block *block, const char *bullet, char mark[16])
{
    if (block->number > 0)
        snprintf(mark, 16, "%d. ", block->number);
    else
        snprintf(mark, 16, "%*s", (int)strlen(bullet), block->number < 0 ? "" : bullet);
    return mark;
}

char *lesson_plain(char *text)
{
    char *to = text;
    for (const char *from = text; *from; from++)
        if (*from != '`')
            *to++ = *from;
    *to = '\0';
    return text;
}

/* The index of the only choice whose condition holds. */
static bool right_choice(const struct lesson_play *play, const struct lesson_quiz *quiz,
                         int64_t *answer, struct error *cause)
{
    int hold = 0;
    for (int i = 0; i < quiz->choices; i++) {
        int64_t value;
        if (!expression_value(quiz->choice[i].condition, play->recording, play->count, &value,
                              cause))
            return false;
        if (value) {
            *answer = i;
            hold++;
        }
    }
    return hold == 1 ||
           error_set(cause, "%d of the quiz's conditions hold; exactly one must", hold);
}

bool lesson_answer(const struct lesson_play *play, const struct lesson_block *block,
                   int64_t *answer, struct error *error)
{
    const struct lesson_quiz *quiz = &block->quiz;
    struct error cause = {{0}};
    bool good = quiz->choices
                    ? right_choice(play, quiz, answer, &cause)
                    : expression_value(quiz->answer, play->recording, play->count, answer, &cause);
    return good || lesson_at(play->lesson, block, &cause, error);
}

void lesson_show_answer(const struct lesson_quiz *quiz, int64_t answer, char *text, size_t room)
{
    if (quiz->choices)
        snprintf(text, room, "%c) %s", (char)('a' + answer), quiz->choice[answer].text);
    else
        snprintf(text, room, "%" PRId64, answer);
}

/* ---- replies ------------------------------------------------------------------------------- */

enum { TRIES = 3 }; /* wrong answers after which the right one is told */

/* Reads an answer: a whole number, or the letter of a choice as its index. */
static bool read_answer(const struct lesson_quiz *quiz, const char *typed, int64_t *answer)
{
    char *end;
    if (quiz->choices) {
        *answer = tolower((unsigned char)*typed) - 'a';
        return *answer >= 0 && *answer < quiz->choices && !isalnum((unsigned char)typed[1]);
    }
    errno = 0;
    *answer = strtoll(typed, &end, 10);
    return end > typed && !errno && !end[strspn(end, " \t\r\n")];
}

bool lesson_nudge_for(const struct lesson_play *play, const struct lesson_quiz *quiz, int nudge,
                      int64_t *answer, struct error *cause)
{
    const char *when = quiz->nudge[nudge].when;
    if (!quiz->choices)
        return expression_value(when, play->recording, play->count, answer, cause);
    return read_answer(quiz, when, answer) ||
           error_set(cause, "the nudge for '%s' is for none of the choices", when);
}

/* The nudge made for a wrong answer, or NULL. */
static const char *find_nudge(const struct lesson_play *play, const struct lesson_quiz *quiz,
                              int64_t answer)
{
    struct error ignored = {{0}};
    int64_t value;
    for (int i = 0; i < quiz->nudges; i++)
        if (lesson_nudge_for(play, quiz, i, &value, &ignored) && value == answer)
            return quiz->nudge[i].text;
    return NULL;
}

/* Adds a text of the lesson to the reply. */
static bool say(const struct lesson_play *play, const struct lesson_block *block,
                struct lesson_tries *tries, const char *text, struct error *error)
{
    bool first = !*tries->said;
    char *filled = lesson_fill(play, block, text, error);
    if (filled)
        text_add(tries->said, sizeof tries->said, "%s%s", first || !*filled ? "" : " ", filled);
    free(filled);
    return filled;
}

static bool tell_answer(const struct lesson_play *play, const struct lesson_block *block,
                        struct lesson_tries *tries, int64_t right, struct error *error)
{
    char told[256];
    lesson_show_answer(&block->quiz, right, told, sizeof told);
    text_add(tries->said, sizeof tries->said, *tries->said ? " " : "");
    text_add(tries->said, sizeof tries->said, lesson_says(play->lesson, "The answer is %s."), told);
    tries->done = true;
    return say(play, block, tries, block->quiz.because, error);
}

static bool tell_idea(const struct lesson_play *play, const struct lesson_block *block,
                      struct lesson_tries *tries, struct error *error)
{
    tries->idea = true;
    return say(play, block, tries, block->quiz.idea, error);
}

/* What a wrong answer gets. */
static bool reply_wrong(const struct lesson_play *play, const struct lesson_block *block,
                        struct lesson_tries *tries, int64_t answer, int64_t right,
                        struct error *error)
{
    const struct lesson_quiz *quiz = &block->quiz;
    const char *nudge = find_nudge(play, quiz, answer);
    bool good = true;
    if (quiz->choices)
        snprintf(tries->said, sizeof tries->said, "%c: ", (char)('a' + answer));
    else
        snprintf(tries->said, sizeof tries->said, "%" PRId64 ": ", answer);
    text_add(tries->said, sizeof tries->said, "%s", lesson_says(play->lesson, "not so."));
    tries->wrong++;
    /* Where one choice is left, it need not be asked for. */
    bool last = tries->wrong >= TRIES || (quiz->choices && tries->wrong >= quiz->choices - 1);
    if (nudge)
        good = say(play, block, tries, nudge, error);
    if (good && last)
        return tell_answer(play, block, tries, right, error);
    if (good && (!nudge || tries->wrong > 1 || tries->idea)) /* once told, it stays */
        good = tell_idea(play, block, tries, error);
    return good;
}

bool lesson_has_hint(const struct lesson_block *block, const struct lesson_tries *tries)
{
    return !tries->idea && *block->quiz.idea;
}

bool lesson_reply(struct lesson_play *play, const struct lesson_block *block,
                  struct lesson_tries *tries, const char *typed, struct error *error)
{
    const struct lesson_quiz *quiz = &block->quiz;
    int64_t right, answer;
    bool good = true, counts = true;
    typed += strspn(typed, " \t");
    tries->said[0] = '\0';
    if (!lesson_answer(play, block, &right, error))
        return false;
    if (tolower((unsigned char)*typed) == 'h' && !isalnum((unsigned char)typed[1])) {
        if (lesson_has_hint(block, tries))
            good = tell_idea(play, block, tries, error);
        else
            good = tell_answer(play, block, tries, right, error);
    } else if (!read_answer(quiz, typed, &answer)) {
        counts = false;
        if (quiz->choices)
            snprintf(tries->said, sizeof tries->said,
                     lesson_says(play->lesson, "Type one of the letters a to %c."),
                     (char)('a' + quiz->choices - 1));
        else
            snprintf(tries->said, sizeof tries->said, "%s",
                     lesson_says(play->lesson, "Type a whole number."));
    } else if (answer == right) {
        lesson_show_answer(quiz, right, tries->said, sizeof tries->said - 16);
        text_add(tries->said, sizeof tries->said, ": %s", lesson_says(play->lesson, "right."));
        tries->done = tries->right = true;
        play->right += tries->wrong == 0 && !tries->idea;
        good = say(play, block, tries, quiz->because, error);
    } else {
        good = reply_wrong(play, block, tries, answer, right, error);
    }
    play->asked += tries->done;
    if (counts)
        lesson_keep_reply(play, block, typed);
    return good;
}
