/* export_page.c - recordings as a page, or a program's launches. */
#include "commands/export.h"
#ifdef HAVE_DW
#include "subject/launches.h"
#endif
#include "viewer/export/page.h"

#include <string.h>

#ifdef HAVE_DW
bool export_is_of_launches(const struct export_request *request, const struct subjects *subjects)
{
    const struct figure_choice *choice = &request->choice;
    return page_is_asked(request->output) && launches_asked(subjects) && !choice->stage &&
           !choice->rounds_text && choice->block < 0 && choice->warp < 0;
}

int export_write_launches(const struct export_request *request, struct subject *subject)
{
    struct error error = {{0}};
    char place[200];
    snprintf(place, sizeof place, "theme %.50s\nlabel %.50s\n", request->theme->name,
             label_names[request->label]);
    const int status = launches_page(request->command, subject, place, request->output, &error);
    return status < 0 ? command_fail(request->command, &error) : status > 0;
}
#endif

int export_write_page(const struct export_request *request, const char *const *names,
                      const struct trace *trace, int parts)
{
    struct page_recording recording[EXPORT_PARTS];
    struct error error = {{0}};
    char round[16], place[512] = "", *at = place, *end = place + sizeof place;
    bool staged = !request->choice.stage;
    for (int p = 0; p < parts; p++)
        staged |=
            request->choice.stage && header_stage(&trace[p].header, request->choice.stage) >= 0;
    if (!staged) {
        error_unknown(&error, "there is no stage", request->choice.stage,
                      (const char *const *)trace[0].header.stage, NULL);
        return command_wrong(request->command, &error);
    }
    snprintf(round, sizeof round, "%d", request->rounds.range[0].first);
    const char *const words[][2] = {{"stage", request->choice.stage},
                                    {"round", request->choice.rounds_text ? round : NULL},
                                    {"theme", request->theme->name},
                                    {"label", label_names[request->label]}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (words[i][1])
            at += snprintf(at, (size_t)(end - at), "%s %.100s\n", words[i][0], words[i][1]);
    if (request->choice.block >= 0)
        at += snprintf(at, (size_t)(end - at), "block %d\n", (int)request->choice.block);
    if (request->choice.warp >= 0)
        snprintf(at, (size_t)(end - at), "warp %d\n", (int)request->choice.warp);
    for (int p = 0; p < parts; p++) {
        const char *slash = strrchr(names[p], '/');
        recording[p] = (struct page_recording){slash ? slash + 1 : names[p], &trace[p], NULL};
    }
    struct page page = {.recording = recording, .recordings = parts, .place = place};
    return page_write(request->output, &page, &error) ? 0 : command_fail(request->command, &error);
}
