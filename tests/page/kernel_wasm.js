// kernel_wasm.js KERNEL.wasm - compiles and runs kernels as a page does, and prints "ok CLAIM" or "not ok CLAIM".
'use strict';
const {c, k, put, string} = require('./kernel_module.js').load(process.argv[2]);
const compile = text => {
    const length = put(text);
    return JSON.parse(string(c.compile(k, length)));
};
const run = words => {
    put(words.join('\n') + '\n');
    const told = string(c.run(k));
    return told ? JSON.parse(told) : {error: string(c.error(k))};
};
function claim(words, good) {
    console.log((good ? 'ok ' : 'not ok ') + words);
}

const transpose = width => `__global__ void transpose(float *out, const float *in, int n)
{
    __shared__ float tile[32][${width}];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int i = 0; i < 32; i += 8)
        tile[threadIdx.y + i][threadIdx.x] = in[(y + i) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
    for (int i = 0; i < 32; i += 8)
        out[(y + i) * n + x] = tile[threadIdx.x][threadIdx.y + i];
}
`;
const launch = ['kernel 0', 'grid 4 4 1', 'block 32 8 1', 'array 0 16384 unwritten', 'array 1 16384 iota',
    'number 2 128'];
const shared_load = told => told.accesses.find(a => !a.global && a.op === 'load');

let told = compile(transpose(32));
claim('a kernel is compiled, and its parameters told', told.messages.length === 0 &&
    told.kernels[0].parameters.map(p => p.type).join() === 'float *,const float *,int');
told = run(launch);
claim('it runs, and its result is right', told.good === 1 && told.faults.length === 0 &&
    told.arrays[0].values.slice(0, 3).join() === '0,128,256');
claim('a column of 32 words has 31 conflicts for each of 512 loads, on its line',
    shared_load(told).conflicts === 31 * 512 && shared_load(told).line === 10);
claim('... and a trace', c.byte_count(k) > 1000);
compile(transpose(33));
claim('padding takes them away', shared_load(run(launch)).conflicts === 0);
compile(transpose(32));
claim('with 12 lanes and banks the same kernel has others',
    shared_load(run([...launch, 'warp 12', 'banks 12'])).ways === 4);

told = compile('__global__ void k(int *out)\n{\n    out[0] = x;\n    int y = ;\n}\n');
claim('errors have their places', told.kernels.length === 0 &&
    told.messages.map(m => `${m.line}:${m.column}`).join() === '3:14,4:13');
claim('what is not compiled does not run', run(['kernel 0']).error === 'nothing is compiled');

compile('__global__ void k(int *out)\n{\n    __shared__ int s[32];\n    s[threadIdx.x] = 1;\n' +
    '    out[threadIdx.x] = s[(threadIdx.x + 1) % 64];\n}\n');
told = run(['kernel 0', 'block 64 1 1', 'array 0 64 zeros']);
claim('an access out of bounds is told with array and line',
    told.faults[0].line === 5 && told.faults[0].text === 'a load of 4 bytes at s[32], byte 128 of s, which has 128 bytes');
for (const [type, element] of [['int', 'out[64], byte 256 of out (device memory, 256 bytes)'],
    ['unsigned char', 'out[64], byte 64 of out (device memory, 64 bytes)'], ['int *', 'byte 512 of out (device memory, 512 bytes)']]) {
    compile(`__global__ void k(${type} *out) { out[threadIdx.x + 1] = 0; }\n`);
    claim(`a store behind an array of ${type}`,
        run(['kernel 0', 'block 64 1 1', 'array 0 64 zeros']).faults[0].text.endsWith(` bytes at ${element}`));
}
compile('__global__ void k(int *out)\n{\n    __shared__ int s[64];\n    s[threadIdx.x] = 1;\n' +
    '    out[threadIdx.x] = s[63 - threadIdx.x];\n}\n');
told = run(['kernel 0', 'block 64 1 1', 'array 0 64 zeros']);
claim('a race is told with both lines', told.faults.some(f => f.kind === 'race' && f.line + f.other === 9));
compile('__global__ void k(int *out)\n{\n    __shared__ int s[33];\n    s[threadIdx.x + 2] = 1;\n' +
    '    out[threadIdx.x] = s[0];\n}\n');
told = run(['kernel 0', 'array 0 64 zeros', 'shared 1024']);
claim('... and has a trace where the launch goes on', told.faults?.length > 0 && c.byte_count(k) > 0);
compile('__shared__ char memory[1024];\n__global__ void k(int *out)\n{\n    int *a = (int *)memory, *b = (int *)(memory + 256);\n' +
    '    asm volatile("// bankscope array int b %0" ::"l"(__cvta_generic_to_shared(b) | 256ull << 32));\n' +
    '    BANKSCOPE_STAGE("load");\n    b[threadIdx.x] = 1;\n    asm volatile("// bankscope stage store_1-%0" ::"r"(2));\n' +
    '    out[threadIdx.x] = b[63 - threadIdx.x] + a[threadIdx.x];\n}\n');
told = run(['kernel 0', 'block 64 1 1', 'array 0 64 zeros', 'stages load,store_1 load first second third']);
claim('a fault names the part of shared memory that the kernel names',
    told.faults.some(f => f.kind === 'race' && /at byte \d+ of b,/.test(f.text)));
const trace = Buffer.from(new Uint8Array(c.memory.buffer, c.bytes(k), c.byte_count(k)));
claim('a stage that the host names has its name',
    /load[^ -~]+third[^ -~]/.test(trace.toString('latin1')));
compile('__global__ void k(volatile int *out)\n{\n    for (;;)\n        out[0]++;\n}\n');
told = run(['kernel 0', 'limit 1000000', 'array 0 1 zeros']);
claim('an endless loop ends at the limit', told.good === 0 && told.faults[0].ends === 1);
told = run(['kernel 0', 'grid 100 1 1', 'limit 1000000', 'array 0 1 zeros']);
claim('... which is one for all blocks',
    told.good === 0 && told.accesses.reduce((sum, a) => sum + a.instructions, 0) < 2000000);
compile('__global__ void k(int *out) { BANKSCOPE_STAGE("first"); out[0] = 1; }\n');
claim('a kernel without shared memory has no trace',
    run(['kernel 0', 'array 0 1 zeros']).good === 1 && c.byte_count(k) === 0);
for (const words of [['kernel 1'], ['kernel 0'], ['kernel 0', 'grid 0 1 1'], ['kernel 0', 'array 0 99999999999 iota'],
    ['kernel 0', 'array 0 0 iota'], ['kernel 0', 'array 0 1 what'], ['kernel 0', 'array 0 1 iota', 'array 0 1 iota'],
    ['kernel 0', 'number 0 7'], ['kernel 0', 'array 9 1 iota'], ['kernel 0', 'warp 65'], ['', 'x'],
    ['kernel 0', 'array 0 1 iota', 'grid 2147483647 65535 65535'], ['kernel 0', 'array 0 1 iota', 'block 2048 1 1']])
    claim(`'${words.join(', ')}' is refused with a word`, run(words).error?.length > 5);
let seed = 1;
const random = most => (seed = (seed * 1103515245 + 12345) % 2147483648) % most;
let survived = 0;
for (let i = 0; i < 300; i++) {
    const text = [...transpose(32)];
    for (let j = 0; j <= random(4); j++)
        text.splice(random(text.length), random(3), String.fromCharCode(32 + random(95)));
    compile(text.join(''));
    survived += typeof run([...launch, 'limit 300000']) === 'object';
}
claim('any text and launch is answered', survived === 300);
