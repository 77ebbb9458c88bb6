/* spelling.c - what a name that is not known may have been meant as: blockdim, _syncthreads, atomicadd. */
#include "kernelc/parser.h"

enum { LONGEST = 40 };

static char lower(char letter)
{
    return letter >= 'A' && letter <= 'Z' ? (char)(letter - 'A' + 'a') : letter;
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* How many letters are to be put in, left out, changed, or exchanged with their neighbours; a letter's case does not
 * count. */
static int distance(struct slice a, struct slice b)
{
    int row[3][LONGEST + 1];
    for (int j = 0; j <= b.length; j++)
        row[0][j] = j;
    for (int i = 1; i <= a.length; i++) {
        int *now = row[i % 3], *before = row[(i + 2) % 3], *earlier = row[(i + 1) % 3];
        now[0] = i;
        for (int j = 1; j <= b.length; j++) {
            const bool same = lower(a.at[i - 1]) == lower(b.at[j - 1]);
            now[j] = least(least(before[j], now[j - 1]) + 1, before[j - 1] + !same);
            if (i > 1 && j > 1 && a.at[i - 1] == b.at[j - 2] && a.at[i - 2] == b.at[j - 1])
                now[j] = least(now[j], earlier[j - 2] + 1);
        }
    }
    return row[a.length % 3][b.length];
}

/* Keywords that are no types are meant only where but for their case nothing differs: True. */
static bool means_something(struct kc *c, struct word *word, int letters)
{
    if (slice_begins(word->text, "__kc") || slice_begins(word->text, "__KC") ||
        slice_begins(word->text, "__nv"))
        return false;
    const struct symbol *symbol = kc_find(c, word);
    return symbol ? symbol->kind != SYMBOL_LOST
                  : word->macro || kc_is_special(word->text) ||
                        (word->keyword && (!letters || kc_is_type_key(word->keyword)));
}

/* " (did you mean 'blockDim'?)", or "". */
const char *kc_similar(struct kc *c, const struct word *word)
{
    struct word *best = NULL;
    int fewest = word->text.length < 3 ? 0 : least((word->text.length + 2) / 3, 3);
    if (c->quiet || word->text.length > LONGEST || c->parser->similar == KERNELC_MESSAGES)
        return "";
    c->parser->similar++;
    for (int i = 0; i < KC_WORD_BUCKETS && kc_work(c); i++)
        for (struct word *one = c->words[i]; one; one = one->next) {
            const int longer = one->text.length - word->text.length;
            if (one == word || longer > fewest || -longer > fewest || one->text.length > LONGEST)
                continue;
            const int letters = distance(word->text, one->text);
            if (letters < fewest + !best && means_something(c, one, letters)) {
                best = one;
                fewest = letters;
            }
        }
    return best ? kc_text(c, " (did you mean '%.*s'?)", SLICE(best->text)) : "";
}
