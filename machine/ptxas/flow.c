/* flow.c - all passes over the blocks of a function, in their order. */
#include "machine/ptxas/flow_graph.h"

static bool arrange(struct flow_graph *graph, struct flow *flow)
{
    return flow_graph_build(graph) && flow_dominators(graph) && flow_loops(graph) &&
           flow_store_once(graph) && flow_split_loads(graph) && flow_guard_loads(graph) &&
           flow_sink_loads(graph) && flow_latches(graph) && flow_lay_out(graph, flow);
}

const struct flow *flow_arrange(struct ptx_module *module, const struct ptx_function *function,
                                struct error *error)
{
    struct ptx_body *body = function->parsed;
    if (body->flow)
        return body->flow;
    struct arena scratch = {.allocator = module->arena.allocator};
    struct flow *flow = arena_new(&module->arena, sizeof *flow);
    bool good = flow;
    if (flow) {
        struct flow_graph graph = {.scratch = &scratch,
                                   .arena = &module->arena,
                                   .unit = function->unit,
                                   .body = body,
                                   .effects = &flow->effects};
        good = arrange(&graph, flow);
    }
    arena_free(&scratch);
    if (!good)
        return error_set(error, "out of memory for the program's code"), NULL;
    return body->flow = flow;
}
