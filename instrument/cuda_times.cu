/* cuda_times.cu - times a kernel's bare build on a GPU, and a copy of memory. */
#include "instrument/device_run.h"

#include <algorithm>
#include <string.h>

/* Runs all launches, one after the other. They write `out` and `spare` in turn, so that the last
 * one writes `out`. *seconds is the time of all of them on the device, *last that of the last
 * one. */
static bool launch_in_turn(struct device_run *run, const char *doing, double *seconds, double *last)
{
    const int launches = std::max(1, run->launch->launches);
    char *params = (char *)const_cast<void *>(run->launch->params);
    int *from = run->in;
    float all = 0, of_last = 0;
    TRY(run, doing, cudaEventRecord(run->start));
    for (int i = 0; i < launches; i++, params += run->launch->params_bytes) {
        int *to = (launches - i) % 2 ? run->out : run->spare;
        void *arguments[] = {params, &from, &to, &run->buffer};
        if (i + 1 == launches)
            TRY(run, doing, cudaEventRecord(run->before_last));
        TRY(run, doing,
            (cudaError_t)run->build->launch(run->run, run->header->blocks, run->header->threads,
                                            (size_t)run->header->shared_bytes, arguments));
        from = to;
    }
    TRY(run, doing, cudaEventRecord(run->stop));
    TRY(run, doing, cudaDeviceSynchronize());
    TRY(run, doing, cudaEventElapsedTime(&all, run->start, run->stop));
    TRY(run, doing, cudaEventElapsedTime(&of_last, run->before_last, run->stop));
    *seconds = all * 1e-3;
    *last = of_last * 1e-3;
    return true;
}

/* Runs all launches as often as requested, and once before that if it is more than once. */
static bool time_launches(struct device_run *run, struct run_result *result)
{
    const int times = std::max(1, run->launch->repeat), first = times > 1 ? -1 : 0;
    std::vector<double> all((size_t)times), last((size_t)times);
    TRY(run, "setting up", cudaEventCreate(&run->before_last));
    if (run->launch->launches > 1)
        TRY(run, "making room for the output", cudaMalloc(&run->spare, run->launch->out_bytes + 4));
    TRY(run, "running",
        cudaMemcpy(run->out, run->launch->out, run->launch->out_bytes, cudaMemcpyHostToDevice));
    for (int i = first; i < times; i++) {
        size_t at = (size_t)std::max(i, 0);
        if (i > first) /* so that the previous run's output cannot pass for this one's */
            TRY(run, "running", cudaMemset(run->out, POISON_BYTE, run->launch->out_bytes));
        if (!launch_in_turn(run, i < 0 ? "warming up" : "running", &all[at], &last[at]))
            return false;
    }
    result->kernel = summary_of_times(all);
    result->last = summary_of_times(last);
    return true;
}

static bool time_kernel(struct device_run *run, struct run_result *result)
{
    const struct simt_cuda *cuda = (const struct simt_cuda *)run->launch->cuda;
    if (!device_prepare(run, cuda ? cuda->bare : NULL) || !time_launches(run, result))
        return false;
    result->constants = run->constants;
    TRY(run, "copying the output",
        cudaMemcpy(run->launch->out, run->out, run->launch->out_bytes, cudaMemcpyDeviceToHost));
    return true;
}

bool cuda_run_bare(const struct launch *launch, struct run_result *result, struct error *error)
{
    struct device_run run = device_run_of(launch, error);
    memset(result, 0, sizeof *result);
    bool good = time_kernel(&run, result);
    device_release(&run);
    return good;
}

bool cuda_time_copy(size_t bytes, int repeat, struct run_times *copied, struct error *error)
{
    struct device_run run = {};
    struct trace_header header = {};
    std::vector<double> times((size_t)std::max(1, repeat));
    float milliseconds = 0;
    header.kernel = const_cast<char *>("copy");
    run.header = &header;
    run.error = error;
    auto copy = [&]() -> bool {
        TRY(&run, "setting up", cudaEventCreate(&run.start));
        TRY(&run, "setting up", cudaEventCreate(&run.stop));
        TRY(&run, "making room", cudaMalloc(&run.in, bytes));
        TRY(&run, "making room", cudaMalloc(&run.out, bytes));
        TRY(&run, "filling", cudaMemset(run.in, POISON_BYTE, bytes));
        for (int i = -1; i < (int)times.size(); i++) {
            TRY(&run, "copying", cudaEventRecord(run.start));
            TRY(&run, "copying", cudaMemcpyAsync(run.out, run.in, bytes, cudaMemcpyDeviceToDevice));
            TRY(&run, "copying", cudaEventRecord(run.stop));
            TRY(&run, "copying", cudaDeviceSynchronize());
            TRY(&run, "copying", cudaEventElapsedTime(&milliseconds, run.start, run.stop));
            times[(size_t)std::max(i, 0)] = milliseconds * 1e-3;
        }
        return true;
    };
    bool good = copy();
    device_release(&run);
    *copied = summary_of_times(times);
    return good;
}
