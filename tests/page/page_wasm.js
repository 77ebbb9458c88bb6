// page_wasm.js PAGE.wasm SCRIPT... - does with the page's program what page_native.c does natively with each
// script, in a page of its own; prints into SCRIPT.wasm.
'use strict';
const fs = require('fs');
const module_ = new WebAssembly.Module(fs.readFileSync(process.argv[2]));
const wasi = new Proxy({}, {get: (_, name) => (...words) => {
    if (name === 'proc_exit')
        throw new Error('exit ' + words);
    return 8;
}});
const decoder = new TextDecoder(), encoder = new TextEncoder();
let c, page, to;
const string = at => {
    const bytes = new Uint8Array(c.memory.buffer);
    return decoder.decode(bytes.subarray(at, bytes.indexOf(0, at)));
};
const put = bytes => {
    const at = c.room(page, bytes.length);
    new Uint8Array(c.memory.buffer).set(bytes, at);
    return at;
};
const text = words => put(encoder.encode(words));
const print = words => fs.writeSync(to, words);

function hash(bytes) {
    let sum = 2166136261;
    for (const byte of bytes)
        sum = Math.imul(sum ^ byte, 16777619);
    return (sum >>> 0).toString(16).padStart(8, '0');
}

function record(recipe) {
    const count = c.record(page, text(recipe)), at = c.bytes(page);
    const bytes = new Uint8Array(c.memory.buffer).slice(at, at + count);
    print(`${recipe}: ${count ? `${count} bytes, ${hash(bytes)}` : string(c.error(page))}\n`);
    return bytes;
}

const acts = {
    record,
    show: rest => {
        const recipes = rest.split('|');
        for (const [panel, recipe] of recipes.entries()) {
            const bytes = record(recipe);
            put(bytes);
            c.load(page, panel, bytes.length, 1);
        }
    },
    size: rest => c.resize(page, ...rest.split(' ').map(Number)),
    key: rest => c.press(page, text(rest), 0),
    move: rest => c.move(page, ...rest.split(' ').map(Number)),
    down: rest => c.button(page, ...rest.split(' ').map(Number), 1),
    up: rest => c.button(page, ...rest.split(' ').map(Number), 0),
    dump: () => (c.draw(page), print(string(c.dump(page)))),
    says: () => print(string(c.says(page)) + '\n'),
    place: () => print(string(c.place(page))),
    catalogue: () => print(string(c.catalogue(page)) + '\n'),
};
for (const script of process.argv.slice(3)) {
    c = new WebAssembly.Instance(module_, {wasi_snapshot_preview1: wasi}).exports;
    c._initialize();
    page = c.create();
    to = fs.openSync(script + '.wasm', 'w');
    for (const line of fs.readFileSync(script, 'utf8').split('\n').filter(line => line)) {
        const at = line.indexOf(' ');
        acts[at < 0 ? line : line.slice(0, at)](at < 0 ? '' : line.slice(at + 1));
    }
}
