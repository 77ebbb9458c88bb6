/* why.c - who, where, when and why, in words: the window's bottom line and the terminal. */
#include "viewer/scene/scene.h"

#include <inttypes.h>
#include <stdarg.h>

/* A line that grows and stays within its size. */
struct line {
    char *text;
    size_t size, used;
};

static void say(struct line *line, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(struct line *line, const char *format, ...)
{
    if (line->used + 1 >= line->size)
        return;
    va_list arguments;
    va_start(arguments, format);
    int wrote = vsnprintf(line->text + line->used, line->size - line->used, format, arguments);
    va_end(arguments);
    line->used += wrote > 0 ? (size_t)wrote : 0;
    if (line->used >= line->size)
        line->used = line->size - 1;
}

static void say_count(struct line *line, int count, const char *one, const char *many)
{
    static const char *const words[] = {"no",    "one",   "two",  "three", "four",   "five",  "six",
                                        "seven", "eight", "nine", "ten",   "eleven", "twelve"};
    if (count <= 12)
        say(line, "%s %s", words[count], count == 1 ? one : many);
    else
        say(line, "%d %s", count, many);
}

/* Words that a sentence names before it counts the rest; names of arrays are long. */
enum { LISTED = 10, LISTED_NAMES = 3 };

static void say_thread(struct line *line, const struct trace_header *header, int thread)
{
    char text[48];
    name_thread(header, thread, text, sizeof text);
    say(line, "%s", text);
}

/* The word by the name of its array; false where it has none. */
static bool say_place(struct line *line, const struct trace_header *header, uint32_t addr)
{
    char text[160];
    bool named = name_place(header, addr, text, sizeof text);
    if (named)
        say(line, "%s", text);
    return named;
}

/* What each group of lanes of a wide access wants of a bank, and the passes of all. */
static void say_groups(struct line *line, const struct stage_map *map,
                       const struct accessed *accessed, int bank)
{
    const struct trace *trace = map->index->trace;
    struct warp_access access = trace_get(trace, accessed->access);
    struct bank_group group[MAX_WARP];
    int groups = bank_model_groups(&trace->header, &access, bank, group);
    int sum = 0;
    say(line, "lanes are served in groups: ");
    for (int g = 0; g < groups; g++) {
        say(line, "%s%d", g ? ", " : "", group[g].first);
        if (group[g].last > group[g].first)
            say(line, "-%d", group[g].last);
        say(line, g ? " %d" : " want %d of its words", group[g].words);
        sum += group[g].ways;
    }
    say(line, "; passes ");
    for (int g = 0; g < groups; g++)
        say(line, "%s%d", g ? " + " : "", group[g].ways);
    if (accessed->passes == sum)
        say(line, " = %d", sum);
    else
        say(line, ", each twice: %d", accessed->passes);
}

void why_bank(const struct stage_map *map, const struct accessed *accessed, int bank, char *text,
              size_t size)
{
    struct line out = {text, size, 0}, *line = &out;
    const struct trace_header *header = &map->index->trace->header;
    int banks = header->banks, words = 0, shared = 0;
    bool names = header->arrays > 0;
    int most = names ? LISTED_NAMES : LISTED;
    for (int i = 0; i < accessed->count; i++) {
        if ((int)(accessed->word[i].word % (uint32_t)banks) != bank)
            continue;
        words++;
        shared += accessed->word[i].sharers > 1;
    }
    say(line, "bank %d: ", bank);
    if (words == 0) {
        say(line, "not accessed in this round");
        return;
    }
    for (int part = 0; part < (shared ? 1 : 2); part++) {
        if (part || !names)
            say(line, part == 0 ? "word%s " : " for thread%s ", words > 1 ? "s" : "");
        int listed = 0;
        for (int i = 0; i < accessed->count && listed <= most; i++) {
            const struct accessed_word *word = &accessed->word[i];
            if ((int)(word->word % (uint32_t)banks) != bank)
                continue;
            if (listed == most)
                say(line, " and %d more", words - most);
            else
                say(line, "%s", listed ? ", " : "");
            if (part && listed < most)
                say_thread(line, header, word->thread);
            else if (listed < most &&
                     !say_place(line, header, word->word * (uint32_t)header->bank_bytes))
                say(line, names ? "word %" PRIu32 : "%" PRIu32, word->word);
            if (shared && listed < most) {
                say(line, " (thread ");
                say_thread(line, header, word->thread);
                if (word->sharers > 1)
                    say(line, word->alone ? " and %d more, one by one" : " and %d more share it",
                        word->sharers - 1);
                say(line, ")");
            }
            listed++;
        }
    }
    say(line, ": ");
    if (accessed->accesses > 1) {
        say(line, "at most %d in one of %d accesses; ", accessed->degree[bank], accessed->accesses);
        say_count(line, accessed->passes, "pass in all", "passes in all");
    } else if (accessed->wide) {
        say_groups(line, map, accessed, bank);
    } else {
        say_count(line, accessed->degree[bank], "pass", "passes");
    }
}

void why_word(const struct stage_map *map, uint32_t word, int step, char *text, size_t size)
{
    struct line out = {text, size, 0}, *line = &out;
    const struct trace_index *index = map->index;
    const struct trace_header *header = &index->trace->header;
    struct word_use use;
    bool used = stage_map_use(map, word, step, &use);
    if (!say_place(line, header, used ? use.addr : word * (uint32_t)header->bank_bytes))
        say(line, "word %" PRIu32, word);
    if (!used) {
        say(line, ", bank %" PRIu32 ": not used in this stage", word % (uint32_t)header->banks);
        return;
    }
    if (use.tag != ' ')
        say(line, ", list %c", use.tag);
    char value[128];
    name_value(header, use.addr, use.bytes, use.value, value, sizeof value);
    if (use.has_value)
        say(line, ", value %s", value);
    const struct trace_step *at = trace_index_step(index, map->stage, use.step);
    say(line, ": %s by thread ",
        use.op == OP_LOAD || use.op == OP_MATRIX_LOAD || use.op == OP_WGMMA_LOAD ? "read"
        : op_is_atomic(use.op)                                                   ? "updated"
                                                                                 : "written");
    say_thread(line, header, use.thread);
    if (use.sharers > 1)
        say(line, " and %d more", use.sharers - 1);
    if (index->warps > 1)
        say(line, " of warp %d", use.warp);
    say(line, " in round %d", at->round);
    if (at->slot > 0)
        say(line, ", slot %d", at->slot);
}

void why_cost(const struct accessed *accessed, bool lanes, char *text, size_t size)
{
    struct line line = {text, size, 0};
    if (lanes)
        say(&line, "%d lane%s", accessed->lanes, accessed->lanes == 1 ? "" : "s");
    if (lanes && accessed->wide && accessed->accesses == 1)
        say(&line, " in %d groups", accessed->groups);
    if (lanes)
        say(&line, ", ");
    if (accessed->accesses || !accessed->requests)
        say(&line, "%d pass%s, %d conflict%s", accessed->passes, accessed->passes == 1 ? "" : "es",
            accessed->conflicts, accessed->conflicts == 1 ? "" : "s");
    if (accessed->requests)
        say(&line, "%s%d sector%s of global memory, %d at least", accessed->accesses ? ", " : "",
            accessed->sectors, accessed->sectors == 1 ? "" : "s", accessed->least);
}

void why_step(const struct stage_map *map, int step, char *text, size_t size)
{
    struct line line = {text, size, 0};
    const struct trace_step *at = trace_index_step(map->index, map->stage, step);
    uint64_t before = map->passes_before[step], after = map->passes_before[step + 1];
    uint64_t conflicts = map->conflicts_before[step + 1] - map->conflicts_before[step];
    say(&line, "round %d", at->round);
    if (at->slot > 0)
        say(&line, ", slot %d", at->slot);
    say(&line, ": %" PRIu64 " pass%s, %" PRIu64 " conflict%s; %" PRIu64 " passes by its end",
        after - before, after - before == 1 ? "" : "es", conflicts, conflicts == 1 ? "" : "s",
        after);
    if (map->sectors_before)
        say(&line, "; %" PRIu64 " sectors, %" PRIu64 " by its end",
            map->sectors_before[step + 1] - map->sectors_before[step],
            map->sectors_before[step + 1]);
}

void why_access(const struct trace_index *index, size_t number, char *text, size_t size)
{
    struct line line = {text, size, 0};
    const struct trace_header *header = &index->trace->header;
    struct warp_access access = trace_get(index->trace, number);
    say(&line, "%.80s, round %d", header->stage[access.stage], access.round);
    if (access.slot > 0)
        say(&line, ", slot %d", access.slot);
    if (header->blocks > 1)
        say(&line, ", block %d", access.block);
    say(&line, ", warp %d: ", access.warp);
    if (access.global)
        say(&line, "%d sector%s of global memory, %d at least", index->sectors[number],
            index->sectors[number] == 1 ? "" : "s", index->least[number]);
    else
        say(&line, "%d pass%s, %d conflict%s", index->passes[number],
            index->passes[number] == 1 ? "" : "es", index->conflicts[number],
            index->conflicts[number] == 1 ? "" : "s");
}
