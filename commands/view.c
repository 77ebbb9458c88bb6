/* view.c - the window on up to four traces, from files or recorded on the spot. */
#include "commands/command.h"
#include "subject/workshop.h"
#include "system/file.h"
#include "viewer/viewer.h"

#include <stdlib.h>
#include <string.h>

const char view_help[] =
    "usage: bankscope view TRACE|KERNEL|FILE.cu... [options]\n"
    "\n"
    "Opens a window on a trace, or on up to four side by side. A kernel is recorded first; ./NAME\n"
    "is always a file, and '-' is a trace on standard input. In the window, '?' lists the keys; "
    "the\n"
    "parameters of a kernel can be turned there, and more recordings opened.\n"
    "\n"
    "An ordinary CUDA program runs on this machine (see 'bankscope help run'), with the\n"
    "arguments after --. The window then lists its launches, those with the most conflicts first;\n"
    "one that is chosen is shown with the source beside it, and Backspace comes back. --launch N\n"
    "shows one at once. Sources that stand one behind another are one program, up to a second\n"
    "main(); of several programs the worst launch of each is shown. The host part of a program,\n"
    "and of your own kernel, runs natively, as you, and so it does whenever --watch records it\n"
    "again: open only what you trust.\n"
    "\n" RECORD_HELP PROGRAM_HELP
    "  --stage STAGE      show the worst round of this stage first (default: of the stage with\n"
    "                     the most conflicts)\n"
    "  --block N          load only this block of a recording (default if it is over 200 MB:\n"
    "                     block 0)\n"
    "  --watch            when a file is saved, or a header of a program, load or record it again\n"
    "  --traces           open traces only, whatever the files are called: nothing is compiled or\n"
    "                     run, as for a double click\n"
    "  --theme THEME      light (the default), print or dark\n"
    "  --present[=NOTES]  present to a class, as F5 does: large text, a halo around the pointer,\n"
    "                     and a second window with what the class may not see yet and your notes,\n"
    "                     from a text file\n"
    "\n"
    "Options for kernels and programs apply to the one named just before them; options before\n"
    "the first one apply to all. Each of several kernels takes the parameters that it has.\n"
    "\n"
    "examples:\n"
    "  bankscope view cf-merge w=12 u=12 E=5\n"
    "  bankscope view thrust-merge cf-merge u=512 E=15 --input worst\n"
    "  bankscope view transpose variant=naive transpose variant=padded\n"
    "  bankscope view worst.jsonl cf-merge\n"
    "  bankscope view mine.cu --watch\n"
    "  bankscope view transpose --present=notes.txt\n"
    "  bankscope view app.cu --launch 0 app.cu --launch 1 -- 1024\n";

enum {
    OPTION_STAGE = OPTION_FIRST_FREE,
    OPTION_THEME,
    OPTION_BLOCK,
    OPTION_WATCH,
    OPTION_PRESENT,
    OPTION_TRACES
};
const struct option view_longs[] = {SUBJECT_OPTIONS,
                                    {"stage", required_argument, NULL, OPTION_STAGE},
                                    {"theme", required_argument, NULL, OPTION_THEME},
                                    {"block", required_argument, NULL, OPTION_BLOCK},
                                    {"watch", no_argument, NULL, OPTION_WATCH},
                                    {"present", optional_argument, NULL, OPTION_PRESENT},
                                    {"traces", no_argument, NULL, OPTION_TRACES},
                                    {NULL, 0, NULL, 0}};

struct request {
    struct subject_workshop shop;
    const char *stage; /* or NULL */
    const struct theme *theme;
    bool presenting;
    const char *notes; /* a file, or NULL */
};

static bool take_option(void *context, int option, const char *text)
{
    struct request *request = context;
    struct error error = {{0}};
    switch (option) {
    case OPTION_STAGE:
        request->stage = text;
        return true;
    case OPTION_WATCH:
        return request->shop.watch = true;
    case OPTION_TRACES:
        return request->shop.traces = request->shop.subjects.separate = true;
    case OPTION_PRESENT:
        request->notes = text;
        return request->presenting = true;
    case OPTION_BLOCK:
        return command_number("view", "--block", text, 0, MAX_BLOCKS - 1, &request->shop.block);
    default:
        request->theme = theme_find(text, &error);
        return request->theme || (command_wrong("view", &error), false);
    }
}

/* A presenter's notes: paragraphs of a text, items after "- ", headings after "#". */
struct notes {
    char *text; /* that the blocks point into */
    int blocks;
    struct pane_block block[100];
};

static bool read_notes(const char *path, struct notes *notes, struct error *error)
{
    const int most = sizeof notes->block / sizeof notes->block[0];
    size_t size;
    struct error none = {{0}};
    notes->text = file_is_regular(path) ? file_read(path, 256 << 10, &size, &none) : NULL;
    if (!notes->text)
        return error_set(error, "%s is no file of notes, of less than 256 kB of text", path);
    bool begun = false; /* a paragraph, which the next line goes on with */
    for (char *line = notes->text, *next; line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        size_t marks = strspn(line, "#"), space = strspn(line + marks, " \t\r");
        size_t digits = strspn(line, "0123456789");
        bool numbered = digits && !strncmp(line + digits, ". ", 2);
        bool item = !strncmp(line, "- ", 2), empty = !line[marks + space];
        if (begun && !item && !numbered && !marks && !empty)
            line[-1] = ' ';
        else if (!empty && notes->blocks < most)
            notes->block[notes->blocks++] = (struct pane_block){marks      ? PANE_HEADING
                                                                : item     ? PANE_ITEM
                                                                : numbered ? PANE_NUMBERED
                                                                           : PANE_TEXT,
                                                                line + (item ? 2 : marks + space)};
        begun = !empty && !marks && notes->blocks > 0;
    }
    return true;
}

static bool show(struct request *request, struct error *error)
{
    struct view view = {0};
    struct notes notes = {.blocks = 0};
    const struct exhibit *leader =
        request->shop.shown[0].exhibit; /* NULL: nothing is recorded yet */
    const struct trace_header *first = leader ? &leader->trace.header : NULL;
    int stage = leader ? trace_index_worst_stage(&leader->index) : -1;
    if (request->stage) {
        stage = header_stage(first, request->stage);
        if (stage < 0)
            return error_unknown(error, "there is no stage", request->stage,
                                 (const char *const *)first->stage, NULL);
    }
    char title[256] = "", name[SUBJECT_SHORT];
    bool good = view_init(&view, NULL, NULL, error);
    for (int i = 0; good && i < request->shop.subjects.count; i++) {
        const struct subject *subject = &request->shop.subjects.subject[i];
        good = !leader || view_add(&view, request->shop.shown[i].exhibit, error);
        if (good && leader) {
            request->shop.shown[i].exhibit = NULL;
            view.panel[i].subject = i + 1;
            workshop_add_text(subject, &view.panel[i]);
        }
        text_add(title, sizeof title, "%s%s",
                 i ? " and " : "Bankscope: ", subject_short(subject, 50, name));
    }
    if (request->theme)
        view.theme = request->theme;
    if (good && leader)
        view_worst_of(&view, stage);
    struct workshop workshop = workshop_of(&request->shop);
    good = good && (!request->notes || read_notes(request->notes, &notes, error));
    view.presenting = request->presenting;
    view.note = notes.block;
    view.notes = notes.blocks;
    good = good && window_run(title, &view, NULL, &workshop, error);
    free(notes.text);
    view_free(&view);
    return good;
}

#ifdef HAVE_DW
/* Whether the window begins with a program's launches. */
static bool is_surveyed(const struct request *request)
{
    const struct subject *subject = &request->shop.subjects.subject[0];
    return request->shop.subjects.count == 1 && subject->plain && !subject->program.choice.launch &&
           !request->shop.watch && !request->stage;
}
#endif

int command_view(int argc, char **argv)
{
    struct request request = {
        .shop = {.subjects = {.command = argv[0], .most = PANELS}, .block = -1}};
    struct subject_workshop *shop = &request.shop;
    struct error error = {{0}};
    if (!subjects_read(&shop->subjects, argc, argv, "", view_longs, take_option, &request))
        return 2;
    for (int i = 0; shop->traces && i < shop->subjects.count; i++)
        shop->subjects.subject[i].trace = true;
    if (shop->watch)
        workshop_changed(shop); /* what is saved from now on is a change */
    int status = subjects_find(&shop->subjects);
#ifdef HAVE_DW
    if (!status && is_surveyed(&request))
        shop->survey = survey_new();
#endif
    if (!status)
        status = (shop->survey || workshop_load(shop, &error)) && show(&request, &error)
                     ? shop->status
                     : command_fail(argv[0], &error);
    workshop_free(shop);
    return status;
}
