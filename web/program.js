// program.js - the program (page.c) as JavaScript sees it: on the page, which draws, and in a worker, a second copy, which
// records. It stands first in the page's one script.
'use strict';

const decoder = new TextDecoder(), encoder = new TextEncoder();

// A program of its own, with the functions of page.c; texts are JavaScript's.
async function connect(module) {
    const nothing = () => 8; // there are no files
    const wasi = {};
    for (const wanted of WebAssembly.Module.imports(module))
        wasi[wanted.name] = nothing;
    wasi.proc_exit = () => { throw new Error('out of memory'); };
    const c = (await WebAssembly.instantiate(module, {wasi_snapshot_preview1: wasi})).exports;
    c._initialize();
    const page = c.create();
    const string = at => {
        const bytes = new Uint8Array(c.memory.buffer);
        return at ? decoder.decode(bytes.subarray(at, bytes.indexOf(0, at))) : null;
    };
    const put = bytes => {
        const at = c.room(page, bytes.length);
        if (at)
            new Uint8Array(c.memory.buffer).set(bytes, at);
        return at;
    };
    const text = words => put(encoder.encode(words));
    return {c, page, string, put, text, error: () => string(c.error(page))};
}

const article = typeof document === 'undefined' ? null : document.getElementById('article');

if (typeof document === 'undefined') {
    let program;
    onmessage = async ({data}) => {
        if ('compiler' in data)
            return void compile_work(data); // compile.js
        if (data.module) {
            program = connect(data.module);
            return;
        }
        const answer = {panel: data.panel, words: data.words};
        try {
            const {c, page, text, error} = await program;
            const count = c.record(page, text(data.words)), at = c.bytes(page);
            if (count)
                answer.bytes = new Uint8Array(c.memory.buffer).slice(at, at + count);
            else
                answer.error = error();
        } catch (trouble) { // what it leaves behind cannot be trusted
            answer.error = 'this needs more memory than a page has; choose smaller parameters, ' +
                           'or use the program';
            answer.broken = true;
        }
        postMessage(answer, answer.bytes ? [answer.bytes.buffer] : []);
    };
} else {
    if (article) { // readable whatever else fails
        document.querySelector('main').prepend(article);
        document.getElementById('controls').hidden = true;
        document.body.classList.add('reading');
        article.querySelectorAll('.lesson').forEach(play);
        document.title = article.querySelector('h1, h2').textContent;
    }
    show().catch(trouble => note('This browser cannot show the page (' + trouble.message + '). ' +
        'It needs Firefox 113, Chromium 97, Safari 16.4 or later.'));
}

function note(words, good) {
    const place = document.getElementById('note');
    place.textContent = words;
    place.className = good ? 'good' : '';
}
