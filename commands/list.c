/* list.c - show the catalogue: all kernels, or one with its parameters and inputs. */
#include "commands/command.h"

#include <cjson/cJSON.h>
#include <string.h>

const char list_help[] =
    "usage: bankscope list [KERNEL] [--json]\n"
    "\n"
    "Lists all kernels, one per line, or shows one kernel: its parameters, the inputs it takes,\n"
    "the paper it is from, and what to look for in the viewer.\n"
    "\n"
    "  --json             print the same as JSON, for programs\n"
    "\n"
    "examples:\n"
    "  bankscope list\n"
    "  bankscope list cf-merge\n";

const struct option list_longs[] = {{"json", no_argument, NULL, 'j'}, {NULL, 0, NULL, 0}};

/* Where they depend on the parameters, the first ones of a run with the defaults. */
static void print_stages(const struct kernel *kernel)
{
    enum { MOST = 12 };
    struct recipe recipe;
    char name[64];
    if (!kernel->stage_name) {
        for (const char *at = kernel->stages; *at; at++)
            putchar(*at == '_' ? '-' : *at);
        return;
    }
    recipe_init(&recipe, kernel);
    for (int i = 0; i < MOST && kernel->stage_name(recipe.params, i, name); i++)
        printf("%s%s", i ? ", " : "", name);
    printf("%s (by default)", kernel->stage_name(recipe.params, MOST, name) ? ", ..." : "");
    recipe_free(&recipe);
}

static void print_kernel(const struct kernel *kernel)
{
    printf("%s - %s\n  from   %s\n", kernel->name, kernel->summary, kernel->source);
    for (const struct paper *paper = papers; paper->key; paper++)
        if (strstr(kernel->source, paper->key))
            printf("         %s: %s\n", paper->key, paper->citation);
    printf("  look   %s\n  stages ", kernel->look);
    print_stages(kernel);
    printf("\n  inputs");
    for (int i = 0; input_name(i); i++)
        if (kernel->inputs & 1u << i)
            printf(" %s", input_name(i));
    printf("\n  parameters\n");
    for (const struct kernel_param *param = kernel->params; param->name; param++) {
        printf("    %-10s %s: ", param->name, param->help);
        if (param->words)
            for (int i = 0; param->words[i]; i++)
                printf("%s%s%s", i ? ", " : "", param->words[i],
                       i == param->standard ? " (default)" : "");
        else
            printf("%d to %d, default %d", param->lowest, param->highest, param->standard);
        printf("\n");
    }
}

static cJSON *param_json(const struct kernel_param *param)
{
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "name", param->name);
    cJSON_AddStringToObject(json, "help", param->help);
    if (param->words) {
        cJSON_AddStringToObject(json, "default", param->words[param->standard]);
        cJSON *words = cJSON_AddArrayToObject(json, "values");
        for (int i = 0; param->words[i]; i++)
            cJSON_AddItemToArray(words, cJSON_CreateString(param->words[i]));
    } else {
        cJSON_AddNumberToObject(json, "default", param->standard);
        cJSON_AddNumberToObject(json, "lowest", param->lowest);
        cJSON_AddNumberToObject(json, "highest", param->highest);
    }
    return json;
}

static cJSON *kernel_json(const struct kernel *kernel)
{
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "name", kernel->name);
    cJSON_AddStringToObject(json, "summary", kernel->summary);
    cJSON_AddStringToObject(json, "look", kernel->look);
    cJSON_AddStringToObject(json, "source", kernel->source);
    cJSON *from = cJSON_AddArrayToObject(json, "papers");
    for (const struct paper *paper = papers; paper->key; paper++)
        if (strstr(kernel->source, paper->key))
            cJSON_AddItemToArray(from, cJSON_CreateString(paper->citation));
    cJSON *params = cJSON_AddArrayToObject(json, "params");
    for (const struct kernel_param *param = kernel->params; param->name; param++)
        cJSON_AddItemToArray(params, param_json(param));
    cJSON *inputs = cJSON_AddArrayToObject(json, "inputs");
    for (int i = 0; input_name(i); i++)
        if (kernel->inputs & 1u << i)
            cJSON_AddItemToArray(inputs, cJSON_CreateString(input_name(i)));
    return json;
}

static int print_json(const struct kernel *only)
{
    cJSON *json = only ? kernel_json(only) : cJSON_CreateArray();
    for (int i = 0; !only && catalogue[i]; i++)
        cJSON_AddItemToArray(json, kernel_json(catalogue[i]));
    char *text = cJSON_Print(json);
    puts(text);
    cJSON_free(text);
    cJSON_Delete(json);
    return 0;
}

int command_list(int argc, char **argv)
{
    bool json = false;
    int option;

    while ((option = command_option(argc, argv, ":", list_longs)) != -1) {
        if (option == '?')
            return 2;
        json = true;
    }
    if (argc - optind > 1)
        return command_usage(argv[0], "one kernel, or none for all");
    struct error error = {{0}};
    const struct kernel *only = NULL;
    if (optind < argc && !(only = catalogue_find(argv[optind], &error)))
        return command_fail(argv[0], &error);
    if (json)
        return print_json(only);
    if (only) {
        print_kernel(only);
        return 0;
    }
    for (int i = 0; catalogue[i]; i++)
        printf("%-16s %s\n", catalogue[i]->name, catalogue[i]->summary);
    return 0;
}
