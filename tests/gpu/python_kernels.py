"""Kernels of Triton, CuPy and Numba: their PTX, what they are launched with, and their results.

    python_kernels.py list                  names
    python_kernels.py one NAME FOLDER       compile and launch one; writes NAME.ptx, NAME.json, NAME.*.bin
    python_kernels.py run NAME...           launch them, for ncu

A kernel's JSON has what `run FILE.ptx --call --array` needs: grid, block, dynamic shared memory, arguments in
order (arrays with type, count and file; numbers), and the files of the results.
"""
import json
import os
import sys

import numpy as np

try:
    import torch
except ImportError:
    torch = None
try:
    import triton
    import triton.language as tl
except ImportError:
    triton = None

KERNELS = {}


def kernel(function):
    KERNELS[function.__name__] = function
    return function


TYPES = {}
if torch:
    TYPES = {
        torch.float32: "float", torch.float16: "half", torch.bfloat16: "bf16", torch.int8: "s8",
        torch.uint8: "u8", torch.int32: "s32", torch.int64: "s64",
    }
    if hasattr(torch, "float8_e4m3fn"):
        TYPES[torch.float8_e4m3fn] = "u8"


def raw(tensor):
    return tensor.contiguous().view(torch.uint8).cpu().numpy().tobytes()


def torch_random(shape, dtype, seed, low=-1.0, high=1.0):
    generator = torch.Generator(device="cpu")
    generator.manual_seed(seed)
    if dtype in (torch.int8, torch.int32):
        return torch.randint(int(low), int(high), shape, generator=generator, dtype=torch.int32).to(dtype).cuda()
    data = torch.rand(shape, generator=generator) * (high - low) + low
    return data.to(dtype).cuda()


def save(folder, name, compiled_ptx, entry, grid, block, shared, arguments, tool, extra=None):
    """arguments: (name, tensor or number, is_output); inputs must have been copied before the launch"""
    if not folder:
        return
    with open(os.path.join(folder, name + ".ptx"), "w") as file:
        file.write(compiled_ptx)
    told = {"tool": tool, "entry": entry, "grid": list(grid), "block": list(block), "shared": shared,
            "arguments": []}
    told.update(extra or {})
    for argument in arguments:
        entry_name, before, after = argument
        if isinstance(before, bytes):
            kind, count = after["type"], after["count"]
            path = "%s.%s.bin" % (name, entry_name)
            with open(os.path.join(folder, path), "wb") as file:
                file.write(before)
            row = {"name": entry_name, "type": kind, "count": count, "file": path}
            if after["after"] is not None and after["after"] != before:
                row["result"] = "%s.%s.out.bin" % (name, entry_name)
                with open(os.path.join(folder, row["result"]), "wb") as file:
                    file.write(after["after"])
            told["arguments"].append(row)
        else:
            told["arguments"].append({"name": entry_name, "value": before})
    with open(os.path.join(folder, name + ".json"), "w") as file:
        json.dump(told, file, indent=1)


def launch_triton(name, folder, function, grid, arguments, constants, warps=4, stages=2):
    """arguments: list of (name, tensor or number)"""
    before = [raw(value) if torch.is_tensor(value) else value for _, value in arguments]
    options = dict(num_warps=warps, num_stages=stages)
    compiled = function[grid](*[value for _, value in arguments], **constants, **options)
    torch.cuda.synchronize()
    if not folder:
        return
    rows = []
    for (label, value), was in zip(arguments, before):
        if torch.is_tensor(value):
            rows.append((label, was, {"type": TYPES[value.dtype], "count": value.numel(), "after": raw(value)}))
        else:
            rows.append((label, was, None))
    metadata = compiled.metadata
    shared = getattr(metadata, "shared", 0)
    told_warps = getattr(metadata, "num_warps", warps)
    full = list(grid) + [1] * (3 - len(grid))
    save(folder, name, compiled.asm["ptx"], getattr(metadata, "name", function.__name__), full,
         [32 * told_warps, 1, 1], shared, rows, "triton " + triton.__version__,
         {"num_ctas": getattr(metadata, "num_ctas", 1), "constants": {k: str(v) for k, v in constants.items()}})


if triton:
    @triton.jit
    def k_matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, ACC: tl.constexpr,
                 PRECISION: tl.constexpr):
        pm = tl.program_id(0)
        pn = tl.program_id(1)
        rm = pm * BM + tl.arange(0, BM)
        rn = pn * BN + tl.arange(0, BN)
        rk = tl.arange(0, BK)
        pa = a + rm[:, None] * K + rk[None, :]
        pb = b + rk[:, None] * N + rn[None, :]
        acc = tl.zeros((BM, BN), dtype=ACC)
        for k in range(0, K, BK):
            acc = tl.dot(tl.load(pa), tl.load(pb), acc, input_precision=PRECISION, out_dtype=ACC)
            pa += BK
            pb += BK * N
        tl.store(c + rm[:, None] * N + rn[None, :], acc.to(c.dtype.element_ty))

    @triton.jit
    def k_matmul_bt(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, ACC: tl.constexpr):
        pm = tl.program_id(0)
        pn = tl.program_id(1)
        rm = pm * BM + tl.arange(0, BM)
        rn = pn * BN + tl.arange(0, BN)
        rk = tl.arange(0, BK)
        pa = a + rm[:, None] * K + rk[None, :]
        pb = b + rn[None, :] * K + rk[:, None]
        acc = tl.zeros((BM, BN), dtype=ACC)
        for k in range(0, K, BK):
            acc = tl.dot(tl.load(pa), tl.load(pb), acc, out_dtype=ACC)
            pa += BK
            pb += BK
        tl.store(c + rm[:, None] * N + rn[None, :], acc.to(c.dtype.element_ty))

    @triton.jit
    def k_softmax(y, x, stride, n, BLOCK: tl.constexpr):
        row = tl.program_id(0)
        at = tl.arange(0, BLOCK)
        v = tl.load(x + row * stride + at, mask=at < n, other=-float("inf"))
        v = tl.exp(v - tl.max(v, axis=0))
        tl.store(y + row * stride + at, v / tl.sum(v, axis=0), mask=at < n)

    @triton.jit
    def k_layer_norm(y, x, w, b, stride, n, eps, BLOCK: tl.constexpr):
        row = tl.program_id(0)
        at = tl.arange(0, BLOCK)
        mask = at < n
        v = tl.load(x + row * stride + at, mask=mask, other=0.0)
        mean = tl.sum(v, axis=0) / n
        d = tl.where(mask, v - mean, 0.0)
        rstd = 1 / tl.sqrt(tl.sum(d * d, axis=0) / n + eps)
        scale = tl.load(w + at, mask=mask)
        shift = tl.load(b + at, mask=mask)
        tl.store(y + row * stride + at, d * rstd * scale + shift, mask=mask)

    @triton.jit
    def k_transpose(out, x, M, N, BM: tl.constexpr, BN: tl.constexpr):
        rm = tl.program_id(0) * BM + tl.arange(0, BM)
        rn = tl.program_id(1) * BN + tl.arange(0, BN)
        v = tl.load(x + rm[:, None] * N + rn[None, :])
        tl.store(out + rn[:, None] * M + rm[None, :], tl.trans(v))

    @triton.jit
    def k_scan(out, x, n, BLOCK: tl.constexpr):
        row = tl.program_id(0)
        at = tl.arange(0, BLOCK)
        v = tl.load(x + row * n + at)
        tl.store(out + row * n + at, tl.cumsum(v, axis=0))

    @triton.jit
    def k_sort(out, x, n, BLOCK: tl.constexpr):
        row = tl.program_id(0)
        at = tl.arange(0, BLOCK)
        v = tl.load(x + row * n + at)
        tl.store(out + row * n + at, tl.sort(v))

    @triton.jit
    def k_histogram(out, x, n, BLOCK: tl.constexpr, BINS: tl.constexpr):
        block = tl.program_id(0)
        v = tl.load(x + block * BLOCK + tl.arange(0, BLOCK))
        h = tl.histogram(v, BINS)
        tl.atomic_add(out + tl.arange(0, BINS), h)

    @triton.jit
    def k_attention(q, k, v, o, scale, stride, N, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
        start = tl.program_id(0)
        head = tl.program_id(1)
        q += head * stride
        k += head * stride
        v += head * stride
        o += head * stride
        rm = start * BM + tl.arange(0, BM)
        rd = tl.arange(0, D)
        rn = tl.arange(0, BN)
        query = tl.load(q + rm[:, None] * D + rd[None, :])
        top = tl.full((BM,), -float("inf"), dtype=tl.float32)
        total = tl.zeros((BM,), dtype=tl.float32)
        acc = tl.zeros((BM, D), dtype=tl.float32)
        for n in range(0, N, BN):
            key = tl.load(k + (n + rn)[None, :] * D + rd[:, None])
            s = tl.dot(query, key) * scale
            new = tl.maximum(top, tl.max(s, axis=1))
            p = tl.exp2(s - new[:, None])
            alpha = tl.exp2(top - new)
            total = total * alpha + tl.sum(p, axis=1)
            value = tl.load(v + (n + rn)[:, None] * D + rd[None, :])
            acc = acc * alpha[:, None]
            acc = tl.dot(p.to(tl.float16), value, acc)
            top = new
        tl.store(o + rm[:, None] * D + rd[None, :], (acc / total[:, None]).to(tl.float16))

    @triton.jit
    def k_matmul_tma(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
        pm = tl.program_id(0)
        pn = tl.program_id(1)
        da = tl.make_tensor_descriptor(a, shape=[M, K], strides=[K, 1], block_shape=[BM, BK])
        db = tl.make_tensor_descriptor(b, shape=[K, N], strides=[N, 1], block_shape=[BK, BN])
        acc = tl.zeros((BM, BN), dtype=tl.float32)
        for k in range(0, K, BK):
            acc = tl.dot(da.load([pm * BM, k]), db.load([k, pn * BN]), acc)
        dc = tl.make_tensor_descriptor(c, shape=[M, N], strides=[N, 1], block_shape=[BM, BN])
        dc.store([pm * BM, pn * BN], acc.to(tl.float16))

    def product(name, folder, dtype, result, acc, n, blocks, precision="ieee", warps=4, function=None, low=-1, high=1):
        a = torch_random((n, n), dtype, 1, low, high)
        b = torch_random((n, n), dtype, 2, low, high)
        c = torch.zeros((n, n), dtype=result, device="cuda")
        bm, bn, bk = blocks
        constants = dict(BM=bm, BN=bn, BK=bk, ACC=acc)
        if function is None:
            function = k_matmul
            constants["PRECISION"] = precision
        launch_triton(name, folder, function, (n // bm, n // bn),
                      [("a", a), ("b", b), ("c", c), ("M", n), ("N", n), ("K", n)], constants, warps)

    @kernel
    def matmul_f16(name, folder):
        product(name, folder, torch.float16, torch.float16, tl.float32, 512, (128, 128, 64), warps=4)

    @kernel
    def matmul_f16_8_warps(name, folder):
        product(name, folder, torch.float16, torch.float16, tl.float32, 256, (128, 256, 64), warps=8)

    @kernel
    def matmul_f16_small(name, folder):
        product(name, folder, torch.float16, torch.float16, tl.float32, 128, (32, 32, 32), warps=4)

    @kernel
    def matmul_tf32(name, folder):
        product(name, folder, torch.float32, torch.float32, tl.float32, 256, (64, 64, 32), "tf32")

    @kernel
    def matmul_s8(name, folder):
        product(name, folder, torch.int8, torch.int32, tl.int32, 256, (64, 64, 64), low=-100, high=100,
                function=k_matmul_bt)

    @kernel
    def matmul_f8(name, folder):
        product(name, folder, torch.float8_e4m3fn, torch.float32, tl.float32, 256, (64, 64, 64),
                function=k_matmul_bt)

    @kernel
    def matmul_tma(name, folder):
        if hasattr(triton, "set_allocator"):
            triton.set_allocator(lambda size, align, stream: torch.empty(size, device="cuda", dtype=torch.int8))
        n, bm, bn, bk = 256, 64, 64, 64
        a = torch_random((n, n), torch.float16, 1)
        b = torch_random((n, n), torch.float16, 2)
        c = torch.zeros((n, n), dtype=torch.float16, device="cuda")
        launch_triton(name, folder, k_matmul_tma, (n // bm, n // bn),
                      [("a", a), ("b", b), ("c", c), ("M", n), ("N", n), ("K", n)], dict(BM=bm, BN=bn, BK=bk))

    @kernel
    def softmax(name, folder):
        x = torch_random((64, 1000), torch.float32, 3)
        launch_triton(name, folder, k_softmax, (64,),
                      [("y", torch.zeros_like(x)), ("x", x), ("stride", 1000), ("n", 1000)], dict(BLOCK=1024))

    @kernel
    def layer_norm(name, folder):
        x = torch_random((32, 800), torch.float32, 4)
        w = torch_random((800,), torch.float32, 5)
        b = torch_random((800,), torch.float32, 6)
        launch_triton(name, folder, k_layer_norm, (32,),
                      [("y", torch.zeros_like(x)), ("x", x), ("w", w), ("b", b), ("stride", 800), ("n", 800),
                       ("eps", 1e-5)], dict(BLOCK=1024), warps=8)

    @kernel
    def transpose(name, folder):
        x = torch_random((256, 128), torch.float32, 7)
        launch_triton(name, folder, k_transpose, (4, 2),
                      [("out", torch.zeros((128, 256), device="cuda")), ("x", x), ("M", 256), ("N", 128)],
                      dict(BM=64, BN=64))

    @kernel
    def scan(name, folder):
        x = torch_random((16, 1024), torch.int32, 8, 0, 100)
        launch_triton(name, folder, k_scan, (16,), [("out", torch.zeros_like(x)), ("x", x), ("n", 1024)],
                      dict(BLOCK=1024))

    @kernel
    def sort(name, folder):
        x = torch_random((8, 512), torch.int32, 9, 0, 100000)
        launch_triton(name, folder, k_sort, (8,), [("out", torch.zeros_like(x)), ("x", x), ("n", 512)],
                      dict(BLOCK=512))

    @kernel
    def histogram(name, folder):
        x = torch_random((8192,), torch.int32, 10, 0, 64)
        out = torch.zeros((64,), dtype=torch.int32, device="cuda")
        launch_triton(name, folder, k_histogram, (8,), [("out", out), ("x", x), ("n", 8192)],
                      dict(BLOCK=1024, BINS=64))

    @kernel
    def attention(name, folder):
        q = torch_random((2, 256, 64), torch.float16, 11)
        k = torch_random((2, 256, 64), torch.float16, 12)
        v = torch_random((2, 256, 64), torch.float16, 13)
        launch_triton(name, folder, k_attention, (4, 2),
                      [("q", q), ("k", k), ("v", v), ("o", torch.zeros_like(q)), ("scale", 0.18033688),
                       ("stride", 256 * 64), ("N", 256)], dict(BM=64, BN=64, D=64))


CUPY_SOURCE = r"""
extern "C" __global__ void k_cupy_transpose(float *out, const float *in, int n)
{
    __shared__ float tile[32][32];
    extern __shared__ float extra[];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
    extra[threadIdx.y * 32 + threadIdx.x] = (float)x;
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j] + extra[(threadIdx.x * 8 + threadIdx.y) % 256];
}
"""


@kernel
def cupy_transpose(name, folder):
    import cupy
    from cupy.cuda import nvrtc
    program = nvrtc.createProgram(CUPY_SOURCE, "transpose.cu", [], [])
    nvrtc.compileProgram(program, ["-arch=compute_90", "-lineinfo"])
    ptx = nvrtc.getPTX(program)
    ptx = ptx.decode() if isinstance(ptx, bytes) else ptx
    path = "/tmp/cupy_%d.ptx" % os.getpid()
    with open(path, "w") as file:
        file.write(ptx.rstrip("\0"))
    function = cupy.RawModule(path=path).get_function("k_cupy_transpose")
    n = 128
    x = cupy.asarray(np.random.default_rng(14).random((n, n), dtype=np.float32))
    out = cupy.zeros((n, n), dtype=cupy.float32)
    before = [out.tobytes(), x.tobytes()]
    function((4, 4), (32, 8), (out, x, np.int32(n)), shared_mem=1024)
    cupy.cuda.runtime.deviceSynchronize()
    save(folder, name, ptx.rstrip("\0"), "k_cupy_transpose", (4, 4, 1), (32, 8, 1), 1024,
         [("out", before[0], {"type": "float", "count": n * n, "after": out.tobytes()}),
          ("in", before[1], {"type": "float", "count": n * n, "after": x.tobytes()}),
          ("n", n, None)], "cupy " + cupy.__version__)


# ---- Numba: PTX that numba_kernels.py made, launched by CuPy ------------------------------------------------

def array_of(data):
    """An array is null, null, elements, bytes of one, the data, lengths, distances in bytes."""
    import cupy
    on_gpu = cupy.asarray(data)
    return [0, 0, data.size, data.itemsize, on_gpu, *data.shape, *data.strides]


def launch_numba(name, grid, block, shared, arrays):
    import cupy
    path = os.path.join(os.path.dirname(__file__), "../data/ptx-python", name + ".ptx")
    function = cupy.RawModule(path=path).get_function("k_" + name)
    arguments = [array_of(data) for data in arrays]
    function(grid, block, tuple(value for array in arguments for value in array), shared_mem=shared)
    cupy.cuda.runtime.deviceSynchronize()
    return [array[4].get() for array in arguments]


def floats(*shape):
    return np.random.default_rng(15).random(shape, dtype=np.float32)


@kernel
def numba_reduce(name, folder):
    x, out = launch_numba(name, (8,), (256,), 0, [floats(2048), np.zeros(8, np.float32)])
    assert np.allclose(out, x.reshape(8, 256).sum(1))


@kernel
def numba_transpose(name, folder):
    out, x = launch_numba(name, (4, 4), (32, 32), 0, [np.zeros((128, 128), np.float32), floats(128, 128)])
    assert (out == x.T).all()


@kernel
def numba_matmul(name, folder):
    a, b, c = launch_numba(name, (8, 8), (16, 16), 0,
                           [floats(128, 128), floats(128, 128), np.zeros((128, 128), np.float32)])
    assert np.allclose(c, a @ b, rtol=1e-4)


@kernel
def numba_histogram(name, folder):
    out, x = launch_numba(name, (8,), (256,), 256, [np.zeros(64, np.int32), np.arange(8192, dtype=np.int32)])
    assert (out == np.bincount((x * 7 >> 2) & 63, minlength=64)).all()


def main():
    if sys.argv[1] == "list":
        print("\n".join(KERNELS))
    elif sys.argv[1] == "one":
        KERNELS[sys.argv[2]](sys.argv[2], sys.argv[3])
    else:
        for name in sys.argv[2:]:
            try:
                KERNELS[name](name, None)
                print("ran", name, flush=True)
            except Exception as error:  # the others are counted nevertheless
                print("failed", name, repr(error)[:300], flush=True)


main()
