/* table.c - reads the table of an exercise: lines of a word and what it says, of 1,023 characters at most; a line that
 * begins with a blank goes on with the one before.
 *
 *     summary points in shared memory, without conflicts
 *     parameter u 64 1..1024          a default and a range; w has the lanes and the banks
 *     where 2 * E <= w                what parameters must keep to: <=, or `divides`, as in: where 4 divides w
 *     kernel points                   its parameters are filled in by their names
 *     grid blocks                     sizes are sums of products: u * E + 5 * 2^rounds
 *     block u
 *     shared 16 * u                   bytes
 *     input in 4 * u * blocks         words
 *     output out 4 * u * blocks
 *     choice share u * blocks         an output that the part chooses: `reference` finds it, whatever it is, and
 *                                     leaves there what would be right
 *     stages write read               between the block's barriers
 *     goal write accesses 4 times E to 5 conflicts 0      or: ways E + 1; `loads` and `stores` are those of all stages
 *     part none                       what it may touch itself: none, shared, all
 *     follows each                    the result, shared memory: each, some, moved, not (enum grade_follow)
 *     inputs 1                        of each try: 1 to 3, which is what there are without this line
 *     try w=32 u=64
 *     slip race: Two numbers share a word.
 *     hint Look at one round only.
 */
#include "grade/table.h"

#include "base/text.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- words --------------------------------------------------------------------------------------- */

static const char *past_blanks(const char *at)
{
    while (*at == ' ' || *at == '\t')
        at++;
    return at;
}

/* The next word: letters, digits and _, perhaps with a minus, or a sign alone. false: the line ends, or the
 * word is too long. */
static bool take_word(const char **at, char *word, size_t room)
{
    size_t length = 0;
    *at = past_blanks(*at);
    if (!**at)
        return false;
    do
        length++;
    while (text_is_identifier((*at)[length - 1]) && text_is_identifier((*at)[length]));
    if (length >= room)
        return false;
    memcpy(word, *at, length);
    word[length] = '\0';
    *at = past_blanks(*at + length);
    return true;
}

static bool take_number(const char **at, int *number)
{
    char *end;
    *at = past_blanks(*at);
    const long value = strtol(*at, &end, 10);
    if (end == *at || value < 0 || value > GRADE_WORDS)
        return false;
    *number = (int)value;
    *at = past_blanks(end);
    return true;
}

static bool take_sign(const char **at, const char *sign)
{
    const size_t length = strlen(sign);
    *at = past_blanks(*at);
    if (strncmp(*at, sign, length))
        return false;
    *at = past_blanks(*at + length);
    return true;
}

static bool take_text(const char **at, char *text, size_t room)
{
    const size_t length = strlen(*at);
    if (!length || length >= room)
        return false;
    memcpy(text, *at, length + 1);
    *at += length;
    text_clean(text);
    return true;
}

int grade_parameter(const struct grade_table *table, const char *name)
{
    for (int i = 0; i < table->parameters; i++)
        if (!strcmp(table->parameter[i].name, name))
            return i;
    return -1;
}

static bool take_parameter(const struct grade_table *table, const char **at, int *parameter)
{
    char name[16];
    if (!take_word(at, name, sizeof name))
        return false;
    *parameter = grade_parameter(table, name);
    return *parameter >= 0;
}

/* ---- sizes --------------------------------------------------------------------------------------- */

static bool take_factor(const struct grade_table *table, const char **at,
                        struct grade_factor *factor)
{
    factor->parameter = -1;
    if (!take_number(at, &factor->number))
        return take_parameter(table, at, &factor->parameter);
    factor->power = take_sign(at, "^");
    return !factor->power || take_parameter(table, at, &factor->parameter);
}

static bool take_size(const struct grade_table *table, const char **at, struct grade_size *size)
{
    *size = (struct grade_size){.products = 0};
    do {
        const int product = size->products++;
        if (product == 4)
            return false;
        do {
            const int factor = size->factors[product]++;
            if (factor == 5 || !take_factor(table, at, &size->factor[product][factor]))
                return false;
        } while (take_sign(at, "*"));
    } while (take_sign(at, "+"));
    return true;
}

static int64_t factor_value(const struct grade_factor *factor, const int *value)
{
    int64_t power = 1;
    if (factor->parameter < 0)
        return factor->number;
    if (!factor->power)
        return value[factor->parameter];
    for (int i = 0; i < value[factor->parameter] && power <= GRADE_WORDS; i++)
        power *= factor->number;
    return power > GRADE_WORDS ? GRADE_WORDS + 1 : power;
}

int grade_size(const struct grade_size *size, const int *value)
{
    int64_t sum = 0;
    for (int i = 0; i < size->products; i++) {
        int64_t product = 1;
        for (int k = 0; k < size->factors[i]; k++) {
            product *= factor_value(&size->factor[i][k], value);
            if (product < 0 || product > GRADE_WORDS)
                return -1;
        }
        sum += product;
    }
    return sum > GRADE_WORDS ? -1 : (int)sum;
}

/* ---- lines --------------------------------------------------------------------------------------- */

static bool summary_line(struct grade_table *table, const char **at)
{
    return take_text(at, table->summary, sizeof table->summary);
}

static bool parameter_line(struct grade_table *table, const char **at)
{
    struct grade_parameter *p = &table->parameter[table->parameters];
    return table->parameters < GRADE_PARAMETERS && !table->tries &&
           take_word(at, p->name, sizeof p->name) && grade_parameter(table, p->name) < 0 &&
           take_number(at, &p->value) && take_number(at, &p->lowest) && take_sign(at, "..") &&
           take_number(at, &p->highest) && p->lowest <= p->value && p->value <= p->highest &&
           (strcmp(p->name, "w") || (p->lowest >= 1 && p->highest <= 64)) && ++table->parameters;
}

static bool kernel_line(struct grade_table *table, const char **at)
{
    return take_word(at, table->kernel, sizeof table->kernel);
}
static bool grid_line(struct grade_table *table, const char **at)
{
    return take_size(table, at, &table->grid);
}
static bool block_line(struct grade_table *table, const char **at)
{
    return take_size(table, at, &table->block);
}
static bool shared_line(struct grade_table *table, const char **at)
{
    return take_size(table, at, &table->shared);
}

static bool where_line(struct grade_table *table, const char **at)
{
    if (table->wheres == GRADE_WHERES)
        return false;
    struct grade_where *where = &table->where[table->wheres++];
    if (!take_size(table, at, &where->left))
        return false;
    where->divides = take_sign(at, "divides");
    return (where->divides || take_sign(at, "<=")) && take_size(table, at, &where->right);
}

bool grade_where(const struct grade_table *table, const int *value)
{
    for (int i = 0; i < table->wheres; i++) {
        const int left = grade_size(&table->where[i].left, value);
        const int right = grade_size(&table->where[i].right, value);
        if (left < 0 || right < 0 ||
            (table->where[i].divides ? !left || right % left : left > right))
            return false;
    }
    return true;
}

static bool array_line(struct grade_table *table, const char **at, bool is_output, bool is_choice)
{
    if (table->arrays == GRADE_ARRAYS)
        return false;
    struct grade_array *array = &table->array[table->arrays++];
    array->is_output = is_output;
    array->is_choice = is_choice;
    return take_word(at, array->name, sizeof array->name) && take_size(table, at, &array->words);
}
static bool input_line(struct grade_table *table, const char **at)
{
    return array_line(table, at, false, false);
}
static bool output_line(struct grade_table *table, const char **at)
{
    return array_line(table, at, true, false);
}
static bool choice_line(struct grade_table *table, const char **at)
{
    return array_line(table, at, true, true);
}

static bool stages_line(struct grade_table *table, const char **at)
{
    while (**at) {
        if (table->stages == GRADE_STAGES ||
            !take_word(at, table->stage[table->stages], sizeof table->stage[0]))
            return false;
        table->stages++;
    }
    return true;
}

static bool goal_of(const struct grade_table *table, const char **at, struct grade_goal *goal)
{
    char name[32];
    if (!take_word(at, name, sizeof name))
        return false;
    for (goal->stage = 0; goal->stage < table->stages; goal->stage++)
        if (!strcmp(table->stage[goal->stage], name))
            return true;
    goal->of = !strcmp(name, "loads") ? GRADE_OF_LOADS : GRADE_OF_STORES;
    return goal->of == GRADE_OF_LOADS || !strcmp(name, "stores");
}

static bool goal_line(struct grade_table *table, const char **at)
{
    if (table->goals == GRADE_GOALS)
        return false;
    struct grade_goal *goal = &table->goal[table->goals++];
    *goal = (struct grade_goal){.times = -1, .ways = -1};
    if (!goal_of(table, at, goal))
        return false;
    while (**at) {
        const bool good = take_sign(at, "accesses")    ? take_number(at, &goal->accesses)
                          : take_sign(at, "to")        ? take_number(at, &goal->most)
                          : take_sign(at, "times")     ? take_parameter(table, at, &goal->times)
                          : take_sign(at, "conflicts") ? take_number(at, &goal->conflicts)
                          : take_sign(at, "ways")
                              ? take_parameter(table, at, &goal->ways)
                              : take_sign(at, "+") && take_number(at, &goal->more);
        if (!good)
            return false;
    }
    return true;
}

/* One of the words, in their order. */
static bool take_choice(const char **at, const char *const *words, int *choice)
{
    for (*choice = 0; words[*choice]; ++*choice)
        if (take_sign(at, words[*choice]))
            return true;
    return false;
}

static bool part_line(struct grade_table *table, const char **at)
{
    static const char *const words[] = {"none", "shared", "all", NULL};
    int choice;
    const bool good = take_choice(at, words, &choice);
    table->touch = good ? (enum grade_touch)choice : GRADE_TOUCH_NONE;
    return good;
}
static bool follows_line(struct grade_table *table, const char **at)
{
    static const char *const words[] = {"not", "some", "each", "moved", NULL};
    int choice;
    const bool good = take_choice(at, words, &choice);
    table->follow = good ? (enum grade_follow)choice : GRADE_FOLLOW_NOT;
    return good;
}

static bool inputs_line(struct grade_table *table, const char **at)
{
    return take_number(at, &table->inputs) && table->inputs >= 1 && table->inputs <= GRADE_INPUTS;
}

static bool try_line(struct grade_table *table, const char **at)
{
    if (table->tries == GRADE_TRIES)
        return false;
    int *value = table->try_value[table->tries++];
    for (int i = 0; i < table->parameters; i++)
        value[i] = table->parameter[i].value;
    while (**at) {
        int parameter, number;
        if (!take_parameter(table, at, &parameter) || !take_sign(at, "=") ||
            !take_number(at, &number) || number < table->parameter[parameter].lowest ||
            number > table->parameter[parameter].highest)
            return false;
        value[parameter] = number;
    }
    return true;
}

static bool slip_line(struct grade_table *table, const char **at)
{
    const char *colon = strchr(*at, ':');
    if (table->slips == GRADE_SLIPS || !colon)
        return false;
    struct grade_slip *slip = &table->slip[table->slips];
    const size_t length = (size_t)(colon - *at);
    if (!length || length >= sizeof slip->sign)
        return false;
    memcpy(slip->sign, *at, length);
    *at = past_blanks(colon + 1);
    table->slips++;
    return take_text(at, slip->hint, sizeof slip->hint);
}

static bool hint_line(struct grade_table *table, const char **at)
{
    return table->hints < GRADE_HINTS &&
           take_text(at, table->hint[table->hints++], sizeof table->hint[0]);
}

static const struct {
    const char *word;
    bool (*take)(struct grade_table *table, const char **at);
} lines[] = {
    {"summary", summary_line}, {"parameter", parameter_line}, {"kernel", kernel_line},
    {"grid", grid_line},       {"block", block_line},         {"shared", shared_line},
    {"input", input_line},     {"output", output_line},       {"choice", choice_line},
    {"where", where_line},     {"stages", stages_line},       {"goal", goal_line},
    {"part", part_line},       {"follows", follows_line},     {"inputs", inputs_line},
    {"try", try_line},         {"slip", slip_line},           {"hint", hint_line},
};

static bool take_line(struct grade_table *table, const char *line, int number, struct error *error)
{
    char word[16];
    const char *at = line;
    const bool known = take_word(&at, word, sizeof word);
    for (size_t i = 0; known && i < sizeof lines / sizeof *lines; i++)
        if (!strcmp(lines[i].word, word)) {
            if (lines[i].take(table, &at) && !*past_blanks(at))
                return true;
            return error_set(error, "line %d of the exercise's table: '%.60s' is not understood",
                             number, line);
        }
    return error_set(error, "line %d of the exercise's table: no line begins with '%.40s'", number,
                     line);
}

/* A line with those that go on with it. */
struct line {
    char text[1024];
    size_t length;
    bool cut; /* it is longer */
};

static void put(struct line *line, char c)
{
    if (line->length + 1 < sizeof line->text)
        line->text[line->length++] = c;
    else
        line->cut = true;
}

/* false: there is none. */
static bool next_line(const char **at, const char *end, struct line *line, int *lines_taken)
{
    line->length = 0;
    line->cut = false;
    *lines_taken = 0;
    if (*at >= end)
        return false;
    do {
        const char *from = *at;
        const char *feed = memchr(from, '\n', (size_t)(end - from));
        const char *to = feed ? feed : end;
        while (line->length && from < to && (*from == ' ' || *from == '\t'))
            from++;
        if (line->length)
            put(line, ' ');
        for (; from < to; from++)
            put(line, *from ? *from : '?');
        *at = feed ? feed + 1 : end;
        ++*lines_taken;
    } while (*at < end && (**at == ' ' || **at == '\t') && line->length);
    line->text[line->length] = '\0';
    return true;
}

/* What a launch cannot do without. */
static bool is_whole(const struct grade_table *table, struct error *error)
{
    const char *missing = !table->kernel[0]        ? "kernel"
                          : !table->grid.products  ? "grid"
                          : !table->block.products ? "block"
                          : !table->goals          ? "goal"
                          : !table->tries          ? "try"
                                                   : NULL;
    int outputs = 0;
    for (int i = 0; i < table->arrays; i++)
        outputs += table->array[i].is_output;
    if (missing || !outputs)
        return error_set(error, "the exercise's table has no line '%s'",
                         missing ? missing : "output");
    return true;
}

bool grade_table_read(const struct grade_text *text, struct grade_table *table, struct error *error)
{
    struct line line;
    int number = 1, taken;
    *table = (struct grade_table){.inputs = GRADE_INPUTS};
    for (const char *at = text->text; next_line(&at, text->text + text->length, &line, &taken);
         number += taken) {
        if (!*past_blanks(line.text) || line.text[0] == '#')
            continue;
        if (line.cut)
            return error_set(error, "line %d of the exercise's table: longer than %zu characters",
                             number, sizeof line.text - 1);
        if (!take_line(table, line.text, number, error))
            return false;
    }
    return is_whole(table, error);
}
