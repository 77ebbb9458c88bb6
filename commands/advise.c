/* advise.c - find layouts of shared arrays that have fewer conflicts. */
#include "commands/advise.h"
#include "base/text.h"

const char advise_help[] =
    "usage: bankscope advise TRACE|KERNEL|FILE.cu [NAME=VALUE]... [options] [--json|--csv]\n"
    "       bankscope advise FILE.cu [FILE...] [options] [--json|--csv] [-- ARGUMENT...]\n"
    "\n"
    "Searches for better layouts of each shared array that has bank conflicts: with padding after\n"
    "every few elements, with elements swizzled by XOR with their row's number, or with indices\n"
    "exchanged. It moves every recorded access of the array, load or store, to the layout and\n"
    "counts again, so the passes printed are exact for this recording. For a layout that takes\n"
    "more shared memory, it says how many blocks then fit a multiprocessor with 48, 100, 164 or\n"
    "228 KB, as far as shared memory and threads decide. TRACE '-' is standard input.\n"
    "\n" RECORD_HELP "  --json             print one JSON object on one line\n"
    "  --csv              print a line per array and layout, the first as it is today\n"
    "\n"
    "An ordinary CUDA program runs on this machine (see 'bankscope help run'). Each kernel gets\n"
    "advice that is counted over all its launches, or over those that --launch and --kernel "
    "choose.\n"
    "What the program prints goes to standard error.\n" PROGRAM_HELP "\n"
    "examples:\n"
    "  bankscope advise transpose variant=naive\n"
    "  bankscope advise app.cu -- 1024\n"
    "  bankscope advise worst.jsonl --json\n";

const struct option advise_longs[] = {SUBJECT_OPTIONS,
                                      {"json", no_argument, NULL, 'j'},
                                      {"csv", no_argument, NULL, 'c'},
                                      {NULL, 0, NULL, 0}};

/* How advice is printed. */
enum form { FORM_TABLE = 0, FORM_JSON = 'j', FORM_CSV = 'c' };

bool advise_put_json(cJSON *root, struct error *error)
{
    char *text = cJSON_PrintUnformatted(root);
    cJSON_Delete(root);
    if (!text)
        return error_set(error, "out of memory");
    puts(text_clean(text));
    cJSON_free(text);
    return true;
}

static int advise(struct subject *subject, enum form form)
{
    struct error error = {{0}};
    struct advice advice = {.arrays = 0};
    struct trace_sink sink = advice_sink(&advice);
    int status = 0;
    bool good =
        subject_read("advise", subject, &sink, &status, &error) && advice_search(&advice, &error);
    if (good && form == FORM_JSON)
        good = advise_put_json(advice_add_json(cJSON_CreateObject(), &advice), &error);
    if (good && form == FORM_CSV) {
        advice_csv_head();
        advice_csv_rows(advice.header.kernel, &advice);
    }
    if (good && form == FORM_TABLE)
        advice_print(&advice);
    if (good && form == FORM_TABLE && advice.arrays == 0)
        printf("the recording has no accesses to shared memory\n");
    status |= good ? command_check_end("advise", subject->name, &advice.end)
                   : command_fail("advise", &error);
    advice_free(&advice);
    return status;
}

static bool take_option(void *context, int option, const char *text)
{
    enum form *form = context;
    (void)text;
    *form = (enum form)option;
    return true;
}

int command_advise(int argc, char **argv)
{
    struct subjects subjects = {.command = argv[0], .most = 1};
    enum form form = FORM_TABLE;
#ifdef HAVE_DW
    if (program_asked(argc, argv))
        return advise_program(argc, argv);
#endif
    int status = subjects_read(&subjects, argc, argv, "", advise_longs, take_option, &form)
                     ? subjects_find(&subjects)
                     : 2;
    if (!status)
        status = advise(subjects.subject, form);
    subjects_free(&subjects);
    return status;
}
