#!/usr/bin/env python3
"""processes.py - a PyTorch program of several processes on one GPU, for processes.sh.

    processes.py HOW N    HOW: spawn, fork, forkserver (multiprocessing), torch (torch.multiprocessing), or rank, for a
                          process that torchrun started

Each process transposes a matrix by a kernel of its own through shared memory, compiled from a string, as often as its
rank says (1 and up), and prints "process RANK TIMES"; torchrun's sum their results through gloo.
"""

import multiprocessing
import os
import sys

SOURCE = r"""
extern "C" __global__ void column(int *out, int rank)
{
    __shared__ int tile[32 * 32];
    tile[threadIdx.x * 32] = threadIdx.x + rank;
    __syncwarp();
    out[threadIdx.x] = tile[(31 - threadIdx.x) * 32];
}
"""


def work(rank):
    """Launches `column`, of 32 passes for a load, and as many for a store, rank + 1 times."""
    import torch

    x = torch.zeros(32, dtype=torch.int32, device="cuda")
    if hasattr(torch.cuda, "_compile_kernel"):
        kernel = torch.cuda._compile_kernel(SOURCE, "column")
        for _ in range(rank + 1):
            kernel((1, 1, 1), (32, 1, 1), (x, rank))
    else:
        import cupy

        kernel = cupy.RawKernel(SOURCE, "column")
        for _ in range(rank + 1):
            kernel((1,), (32,), (cupy.asarray(x), cupy.int32(rank)))
    torch.cuda.synchronize()
    if x.tolist() != [31 - i + rank for i in range(32)]:
        sys.exit("process %d: WRONG" % rank)
    print("process", rank, rank + 1, flush=True)


def main():
    how, count = sys.argv[1], int(sys.argv[2])
    if how == "rank":
        import torch
        import torch.distributed

        torch.distributed.init_process_group("gloo")
        rank = int(os.environ["RANK"])
        work(rank)
        total = torch.tensor([rank + 1])
        torch.distributed.all_reduce(total)
        assert total.item() == count * (count + 1) // 2
        torch.distributed.destroy_process_group()
        return
    if how == "torch":
        import torch.multiprocessing

        torch.multiprocessing.spawn(work, nprocs=count)
        return
    context = multiprocessing.get_context(how)
    started = [context.Process(target=work, args=(rank,)) for rank in range(count)]
    for process in started:
        process.start()
    for process in started:
        process.join()
    sys.exit(any(process.exitcode for process in started))


if __name__ == "__main__":
    main()
