/* advise_program.c - `bankscope advise` of a CUDA program. */
#include "commands/advise.h"
#include "subject/program_advice.h"

static void print_kernels(const struct advised_program *program)
{
    for (int i = 0; i < program->kernels; i++) {
        const struct advised_kernel *kernel = &program->kernel[i];
        printf("%s%s, %d launch%s:\n", i ? "\n" : "", kernel->name, kernel->launches,
               kernel->launches == 1 ? "" : "es");
        advice_print(&kernel->advice);
    }
}

static bool put_kernels(const struct advised_program *program, struct error *error)
{
    cJSON *root = cJSON_CreateObject(), *kernels = cJSON_AddArrayToObject(root, "kernels");
    for (int i = 0; i < program->kernels; i++) {
        cJSON *object = cJSON_CreateObject();
        cJSON_AddItemToArray(kernels, object);
        cJSON_AddStringToObject(object, "kernel", program->kernel[i].name);
        cJSON_AddNumberToObject(object, "launches", program->kernel[i].launches);
        advice_add_json(object, &program->kernel[i].advice);
    }
    return advise_put_json(root, error);
}

static int advise_launches(const struct program_options *options)
{
    struct error error = {{0}};
    struct advised_program program;
    int status;
    bool good = program_advise("advise", options, &program, &status, &error);
    if (good && options->json)
        good = put_kernels(&program, &error);
    if (good && options->csv) {
        advice_csv_head();
        for (int i = 0; i < program.kernels; i++)
            advice_csv_rows(program.kernel[i].name, &program.kernel[i].advice);
    }
    if (good && !options->json && !options->csv)
        print_kernels(&program);
    advised_program_free(&program);
    return good ? status : command_fail("advise", &error);
}

int advise_program(int argc, char **argv)
{
    static const struct option longs[] = {PROGRAM_CHOICE,
                                          {"seed", required_argument, NULL, OPTION_SEED},
                                          {"json", no_argument, NULL, PROGRAM_JSON},
                                          {"csv", no_argument, NULL, PROGRAM_CSV},
                                          {NULL, 0, NULL, 0}};
    struct program_options options = {.by = TABLE_BY_LINE};
    int status = 2;
    if (program_read(argc, argv, ":" PROGRAM_SHORT, longs, &options))
        status = advise_launches(&options);
    program_options_free(&options);
    return status;
}
