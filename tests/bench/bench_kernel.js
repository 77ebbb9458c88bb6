// bench_kernel.js KERNEL.wasm - how fast the machine is in a page: lane instructions of warps of 32 and of 64 lanes,
// recorded and checked. By node, whose engine is Chromium's; with SIMD. bench_kernel.c measures the same natively.
'use strict';
const fs = require('fs');
const {c, k, put, string} = require('../page/kernel_module.js').load(process.argv[2]);
const length = put(fs.readFileSync(__dirname + '/loop.cu', 'utf8'));
if (JSON.parse(string(c.compile(k, length))).messages.length)
    throw new Error('the kernel is not compiled');
for (const lanes of [32, 64]) {
    const rates = [];
    for (let i = 0; i < 7; i++) {
        put(`kernel 0\ngrid 16 1 1\nblock 256 1 1\nwarp ${lanes}\narray 0 4096 unwritten\n`);
        const begin = performance.now(), at = c.run(k), ms = performance.now() - begin;
        const told = at ? JSON.parse(string(at)) : {};
        if (!told.good || told.faults.length)
            throw new Error('the kernel does not run: ' + string(c.error(k)));
        rates.push(told.lanes / ms / 1000);
    }
    rates.sort((a, b) => a - b);
    console.log(`page: warps of ${lanes}: ${rates[3].toFixed(0)} million lane instructions a second, median of 7 (wanted: 500)`);
}
