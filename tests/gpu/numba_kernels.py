"""The PTX of Numba kernels, made without a GPU: numba_kernels.py FOLDER writes FOLDER/NAME.ptx of each.

Needs Numba and a libnvvm (CUDA_HOME). python_kernels.py launches them on a GPU, by CuPy.
"""
import os
import re
import sys

from llvmlite import ir
from numba import cuda, float32, int32
from numba.cuda.cudadrv import nvvm


def k_numba_reduce(x, out):
    s = cuda.shared.array(256, float32)
    t = cuda.threadIdx.x
    s[t] = x[cuda.blockIdx.x * 256 + t]
    cuda.syncthreads()
    step = 1
    while step < 256:
        at = 2 * step * t
        if at < 256:
            s[at] += s[at + step]
        step *= 2
        cuda.syncthreads()
    if t == 0:
        out[cuda.blockIdx.x] = s[0]


def k_numba_transpose(out, x):
    tile = cuda.shared.array((32, 32), float32)
    column, row = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    tile[ty, tx] = x[row, column]
    cuda.syncthreads()
    out[cuda.blockIdx.x * 32 + ty, cuda.blockIdx.y * 32 + tx] = tile[tx, ty]


def k_numba_matmul(a, b, c):
    sa = cuda.shared.array((16, 16), float32)
    sb = cuda.shared.array((16, 16), float32)
    column, row = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    total = float32(0)
    for k in range(0, a.shape[1], 16):
        sa[ty, tx] = a[row, k + tx]
        sb[ty, tx] = b[k + ty, column]
        cuda.syncthreads()
        for j in range(16):
            total += sa[ty, j] * sb[j, tx]
        cuda.syncthreads()
    c[row, column] = total


def k_numba_histogram(out, x):
    bins = cuda.shared.array(0, int32)  # dynamic
    t = cuda.threadIdx.x
    if t < out.size:
        bins[t] = 0
    cuda.syncthreads()
    for at in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        cuda.atomic.add(bins, (x[at] * 7 >> 2) & 63, 1)
    cuda.syncthreads()
    if t < out.size:
        cuda.atomic.add(out, t, bins[t])


KERNELS = [
    (k_numba_reduce, (float32[::1], float32[::1])),
    (k_numba_transpose, (float32[:, ::1], float32[:, ::1])),
    (k_numba_matmul, (float32[:, ::1], float32[:, ::1], float32[:, ::1])),
    (k_numba_histogram, (int32[::1], int32[::1])),
]


def say_version(module):
    """Numba 0.56 knows of no libnvvm behind CUDA 11: what it is told, this one must read."""
    word = ir.IntType(32)
    version = nvvm.NVVM().get_ir_version()
    module.add_named_metadata("nvvmir.version", module.add_metadata([word(n) for n in version]))


def to_ptx(texts, **options):
    """Lines without debugging (3, not 1), as newer Numbas say it; and the GPU that is meant."""
    options["arch"] = "compute_90"
    return llvm_to_ptx([text.replace("emissionKind: 1", "emissionKind: 3") for text in texts], **options)


llvm_to_ptx = nvvm.llvm_to_ptx


def main():
    nvvm.add_ir_version = say_version
    nvvm.llvm_to_ptx = to_ptx
    for function, types in KERNELS:
        name = function.__name__[2:]
        ptx, _ = cuda.compile_ptx(function, types, cc=(9, 0), lineinfo=True)
        mangled = re.search(r"\.entry (\w+)", ptx).group(1)
        # The path of this file, as one reads it from the tree.
        ptx = ptx.replace(os.path.abspath(__file__), "tests/gpu/numba_kernels.py")
        with open(os.path.join(sys.argv[1], name + ".ptx"), "w") as file:
            file.write(ptx.replace(mangled, function.__name__))


main()
