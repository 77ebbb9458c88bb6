/* verify.c - the model against the hardware's counters (measure/verify.h). */
#include "commands/command.h"
#include "measure/verify.h"

#include <stdlib.h>

const char verify_help[] =
    "usage: bankscope verify [KERNEL]... [--times N] [-o FILE]\n"
    "       bankscope verify [KERNEL]... --against FILE\n"
    "       bankscope verify [KERNEL]... --bare [--times N]\n"
    "       bankscope verify [KERNEL]... --random N [--seed S] ...\n"
    "\n"
    "Compares the bank model with hardware counters, for many parameters and inputs of each\n"
    "kernel (all kernels unless you name some). From the host's trace it predicts shared-memory\n"
    "instructions, passes (wavefronts) and bank conflicts; Nsight Compute counts them while the\n"
    "GPU runs the kernel without instrumentation. Needs a GPU and ncu (on the PATH, or $NCU).\n"
    "Status 1 unless all are equal. Next to each number is the raw count. It includes\n"
    "instructions that no lane executes and passes lost to other traffic; both are subtracted\n"
    "within the usual limits.\n"
    "\n"
    "  -o FILE         write the counts there, with the device, command and date\n"
    "  --against FILE  compare with the counts in such a file; needs no GPU\n"
    "  --times N       run each case N times, to see whether the counters are stable\n"
    "  --bare          only run the kernels, for your own profiler\n"
    "  --random N      N parameter sets and inputs drawn at random for each kernel, instead of\n"
    "                  those that are always tried\n"
    "  --seed S        draw others (default 1)\n"
    "\n"
    "examples:\n"
    "  bankscope verify\n"
    "  bankscope verify stride thrust-merge -o counters.tsv\n"
    "  bankscope verify --random 20 --seed 7 -o counters.tsv\n"
    "  bankscope verify --against tests/data/h200-counters.tsv\n";

const struct option verify_longs[] = {{"output", required_argument, NULL, 'o'},
                                      {"against", required_argument, NULL, 'a'},
                                      {"times", required_argument, NULL, 't'},
                                      {"bare", no_argument, NULL, 'b'},
                                      {"random", required_argument, NULL, 'r'},
                                      {"seed", required_argument, NULL, 's'},
                                      {NULL, 0, NULL, 0}};

int command_verify(int argc, char **argv)
{
    const char *path = NULL, *against = NULL;
    struct verify_list list = {NULL, 0, 0};
    struct verify_choice choice = {.seed = 1};
    struct error error = {{0}};
    int64_t times = 1;
    bool bare = false;
    size_t differ = 0;
    int option;

    while ((option = command_option(argc, argv, ":o:", verify_longs)) != -1) {
        if (option == '?')
            return 2;
        if (option == 't' && !command_number(argv[0], "--times", optarg, 1, 1000, &times))
            return 2;
        if (option == 'o')
            path = optarg;
        if (option == 'a')
            against = optarg;
        if (option == 'r' && !command_number(argv[0], "--random", optarg, 0, 10000, &choice.random))
            return 2;
        if (option == 's' && !recipe_seed(optarg, &choice.seed, &error))
            return command_usage(argv[0], "%s", error.text);
        bare |= option == 'b';
    }
    if (against && (path || bare || choice.random))
        return command_usage(argv[0],
                             "--against reads counts; it goes with no -o, --bare or --random");
    choice.kernels = argv + optind;
    choice.count = argc - optind;
    bool good = true;
    for (int i = 0; good && i < choice.count; i++)
        good = catalogue_find(choice.kernels[i], &error);
    good = good && (against ? verify_read(against, &list, &choice, &error)
                            : verify_choose(&list, &choice, &error));
    if (good && bare)
        good = verify_run_bare(&list, (int)times, &error);
    else if (good && !against)
        good = verify_count(&list, &choice, (int)times, &error) &&
               (!path || verify_write(path, &list, argc, argv, &error));
    if (good && !bare)
        good = verify_print(&list, &differ, &error);
    free(list.item);
    return good ? differ != 0 : command_fail(argv[0], &error);
}
