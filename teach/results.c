/* results.c - what a student answered, kept in the state folder beside the progress: for each lesson a
 * file NAME.answers. A line begins an attempt, with the student's name if there is one; each line after
 * it is a reply: the question's number, a hash of its text, when (seconds since 1970), what was typed.
 *
 *     attempt Ada Lovelace
 *     1 5f1c7a02 1763774000 16
 *     1 5f1c7a02 1763774031 2
 *
 * Verdicts are not kept: they are computed again from what was typed.
 */
#include "system/file.h"
#include "teach/teach.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_REPLIES = 10000 };

static int number_of(const struct lesson *lesson, const struct lesson_block *block)
{
    int number = 0;
    for (const struct lesson_block *b = lesson->block; b <= block; b++)
        number += b->kind == LESSON_QUIZ;
    return number;
}

/* ---- the file -------------------------------------------------------------------------------- */

/* A line of it. */
struct kept {
    int attempt; /* from 1 */
    int number;  /* of the question; 0: the attempt's own line */
    uint32_t hash;
    int64_t time;
    char typed[64]; /* or the student's name */
};

/* Reads the file; the caller frees it. Lines that are not as they should be are left out. */
static struct kept *read_kept(const struct lesson *lesson, int *count, struct error *error)
{
    char path[4352], line[256];
    struct kept *kept = NULL;
    size_t room = 0;
    struct error none = {{0}};
    *count = 0;
    FILE *file = lesson_kept(lesson, ".answers", false, path, sizeof path, error)
                     ? file_open(path, &none)
                     : NULL;
    for (int attempt = 0; file && *count < MOST_REPLIES && fgets(line, sizeof line, file);) {
        struct kept one = {.attempt = attempt};
        int used = 0;
        line[strcspn(line, "\n")] = '\0';
        text_clean(line);
        if (!strncmp(line, "attempt", 7))
            one = (struct kept){.attempt = ++attempt}, used = 7 + (line[7] == ' ');
        else if (!attempt ||
                 sscanf(line, "%d %" SCNx32 " %" SCNd64 " %n", &one.number, &one.hash, &one.time,
                        &used) < 3 ||
                 one.number < 1 || !used)
            continue;
        snprintf(one.typed, sizeof one.typed, "%.63s", line + used);
        struct error none = {{0}};
        if (!memory_grow(&kept, &room, (size_t)*count + 1, sizeof *kept, "answers", &none))
            memory_exhausted();
        kept[(*count)++] = one;
    }
    if (file)
        fclose(file);
    return kept;
}

static bool is_reply(const struct kept *kept, int attempt, const struct lesson *lesson,
                     const struct lesson_block *block)
{
    return kept->attempt == attempt && kept->number == number_of(lesson, block) &&
           kept->hash == block->quiz.hash;
}

void lesson_keep_reply(struct lesson_play *play, const struct lesson_block *block,
                       const char *typed)
{
    char path[4352], clean[64];
    if (!play->keep || play->replaying || play->trouble.text[0] ||
        !lesson_kept(play->lesson, ".answers", true, path, sizeof path, &play->trouble))
        return;
    FILE *file = fopen(path, "a");
    if (!file) {
        error_set(&play->trouble, "cannot write %s", path);
        return;
    }
    if (!play->attempted) {
        snprintf(clean, sizeof clean, "%.63s", play->student ? play->student : "");
        fprintf(file, "attempt%s%s\n", *clean ? " " : "", text_clean(clean));
    }
    play->attempted = true;
    snprintf(clean, sizeof clean, "%.63s", typed);
    fprintf(file, "%d %08" PRIx32 " %lld %s\n", number_of(play->lesson, block), block->quiz.hash,
            (long long)time(NULL), text_clean(clean));
    if (fclose(file))
        error_set(&play->trouble, "cannot write %s", path);
}

/* ---- going on -------------------------------------------------------------------------------- */

void lesson_recall_answers(struct lesson_play *play)
{
    int count;
    struct error none = {{0}};
    struct kept *kept = read_kept(play->lesson, &count, &none);
    for (int i = count - 1; i >= 0 && !play->attempted; i--) {
        if (kept[i].number)
            continue;
        /* A student of another name has another attempt. */
        play->attempted = !play->student || !strcmp(play->student, kept[i].typed);
        play->page = play->attempted ? play->page : 0;
        if (play->attempted && !play->student && kept[i].typed[0])
            play->student = play->recalled = memory_copy(kept[i].typed);
        break;
    }
    free(kept);
}

bool lesson_restore(struct lesson_play *play, const struct lesson_block *block,
                    struct lesson_tries *tries, struct error *error)
{
    int count, attempt = 0;
    bool good = true;
    if (!play->attempted || !play->keep || tries->done)
        return true;
    struct error none = {{0}};
    struct kept *kept = read_kept(play->lesson, &count, &none);
    if (count)
        attempt = kept[count - 1].attempt;
    play->replaying = true;
    for (int i = 0; good && i < count && !tries->done; i++)
        if (is_reply(&kept[i], attempt, play->lesson, block))
            good = lesson_reply(play, block, tries, kept[i].typed, error);
    play->replaying = false;
    free(kept);
    return good;
}

/* ---- results --------------------------------------------------------------------------------- */

static void add_reply(struct lesson_result *result, const struct kept *kept)
{
    text_add(result->answers, sizeof result->answers, "%s%s", *result->answers ? "; " : "",
             kept->typed);
    result->time = kept->time;
}

/* What became of a question in an attempt. */
static bool judge(struct lesson_play *play, const struct lesson_block *block,
                  const struct kept *kept, int count, int attempt, struct lesson_result *result,
                  struct error *error)
{
    struct lesson_tries tries = {.wrong = 0};
    int64_t right;
    char *question = lesson_fill(play, block, block->quiz.question, error);
    bool good = question && lesson_answer(play, block, &right, error);
    *result = (struct lesson_result){
        .attempt = attempt, .question = number_of(play->lesson, block), .student = play->student};
    for (int i = 0; good && i < count && !tries.done; i++)
        if (is_reply(&kept[i], attempt, play->lesson, block)) {
            bool had = tries.idea;
            good = lesson_reply(play, block, &tries, kept[i].typed, error);
            result->hint |= tolower((unsigned char)kept[i].typed[0]) == 'h' && !had;
            add_reply(result, &kept[i]);
        }
    if (good) {
        lesson_show_answer(&block->quiz, right, result->right, sizeof result->right);
        snprintf(result->text, sizeof result->text, "%s", lesson_plain(question));
        result->wrong = tries.wrong;
        result->verdict = !tries.done                       ? "open"
                          : !tries.right                    ? "told"
                          : tries.wrong == 0 && !tries.idea ? "right at once"
                                                            : "right";
    }
    free(question);
    return good;
}

bool lesson_results(const struct lesson *lesson, lesson_take_result *take, void *context,
                    struct error *error)
{
    int count;
    bool good = true;
    struct kept *kept = read_kept(lesson, &count, error);
    good = !error->text[0];
    for (int i = 0; good && i < count; i++) {
        if (kept[i].number)
            continue;
        struct lesson_play play = {.lesson = lesson,
                                   .student = kept[i].typed[0] ? kept[i].typed : NULL};
        for (int b = 0; good && b < lesson->blocks; b++) {
            const struct lesson_block *block = &lesson->block[b];
            struct lesson_result result;
            if (block->kind == LESSON_RUN || block->kind == LESSON_DRAW)
                good = lesson_record(&play, block, error);
            if (block->kind != LESSON_QUIZ)
                continue;
            good = judge(&play, block, kept, count, kept[i].attempt, &result, error);
            if (good)
                take(context, lesson, &result);
        }
        lesson_play_free(&play);
    }
    free(kept);
    return good;
}
