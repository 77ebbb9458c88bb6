/* options.c - the options of a recording, applied to a kernel. */
#include "record/record.h"

void record_defaults(struct record_options *options)
{
    *options = (struct record_options){.seed = 1, .backend = BACKEND_AUTO};
}

bool record_setup(const struct kernel *kernel, const struct record_options *options,
                  struct kernel_setup *setup, struct error *error)
{
    setup_init(setup, kernel);
    setup->input.seed = options->seed;
    setup->records = options->records;
    for (int i = 0; i < options->params; i++)
        if (!setup_param(setup, options->param[i], error))
            return false;
    return !options->input || setup_input(setup, options->input, error);
}

