// kernel_module.js - the module of kernel compiler and machine, by node: for tests of it and its benchmark.
'use strict';
const fs = require('fs');

// Instantiates the file. Returns the exports `c`, a compiler `k`, and ways for texts in and out.
function load(path) {
    const module_ = new WebAssembly.Module(fs.readFileSync(path)), wasi = {};
    for (const wanted of WebAssembly.Module.imports(module_))
        wasi[wanted.name] = () => 8;
    const c = new WebAssembly.Instance(module_, {wasi_snapshot_preview1: wasi}).exports;
    c._initialize();
    const k = c.create();
    return {
        c, k,
        // Returns the length. It may move the memory, so that its result is taken before a call.
        put: text => {
            const bytes = Buffer.from(text), at = c.room(k, bytes.length);
            new Uint8Array(c.memory.buffer).set(bytes, at);
            return bytes.length;
        },
        // The text there, or null for 0.
        string: at => {
            const bytes = new Uint8Array(c.memory.buffer);
            return at ? Buffer.from(bytes.subarray(at, bytes.indexOf(0, at))).toString() : null;
        },
    };
}

module.exports = {load};
