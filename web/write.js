// write.js - "write a kernel": an editor (editor.js) whose text is compiled and run in a worker (compile.js) while one
// types. It stands behind page.js in one script, which calls write_kernels when the page is there.

const MOST_TEXT = 256 << 10; // bytes of a kernel's source, and of what a link unpacks to
const FILLS = ['iota', 'random', 'reverse', 'zeros', 'ones', 'unwritten'];
const MILLION = 1000000;

// ---- texts ----

const keywords = new Set(('if else for while do return break continue switch case default goto struct class ' +
    'union enum template typename using namespace const constexpr static extern inline volatile auto void ' +
    'bool char short int long float double unsigned signed true false sizeof operator nullptr static_assert ' +
    'size_t int2 int3 int4 uint2 uint4 float2 float3 float4 double2 half __half half2').split(' '));
const words_of_cuda = /^(__\w+__|__\w+|threadIdx|blockIdx|blockDim|gridDim|warpSize|atomic\w+)$/;
const parts = new RegExp([String.raw`(?<c>\/\/[^\n]*|\/\*[^]*?(?:\*\/|(?![^])))`, String.raw`(?<p>^[ \t]*#[^\n]*)`,
    String.raw`(?<s>"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?)`, String.raw`(?<n>\b(?:0[xX])?\.?\d[\w.]*)`,
    String.raw`(?<w>[A-Za-z_]\w*)`].join('|'), 'gm');

// Lines of [class, text], which together are the text.
function coloured(text) {
    const lines = [[]];
    const add = (kind, words) => words.split('\n').forEach((line, i) => {
        if (i)
            lines.push([]);
        if (line)
            lines[lines.length - 1].push([kind, line]);
    });
    let at = 0;
    for (const found of text.length < 30000 ? text.matchAll(parts) : []) {
        add('', text.slice(at, found.index));
        const word = found[0], {c, p, s, n} = found.groups;
        add(c ? 'c' : p ? 'p' : s ? 's' : n ? 'n' : keywords.has(word) ? 'k' : words_of_cuda.test(word) ? 'b' : '',
            word);
        at = found.index + word.length;
    }
    add('', text.slice(at));
    return lines;
}

// A launch in the source: "// launch: grid 4 4 1; block 32 8 1; out 16384 zeros; n 128".
function launch_in(text) {
    const launch = {};
    for (const [, words] of text.matchAll(/^\/\/ launch: ([^\n]*)$/gm))
        for (const part of words.split(';')) {
            const [name, ...values] = part.trim().split(/\s+/);
            if (/^\w+$/.test(name) && values.length)
                launch[name] = values;
        }
    return launch;
}
function launch_line(launch) {
    return '// launch: ' + Object.entries(launch).map(([name, values]) => [name, ...values].join(' ')).join('; ');
}

async function packed(text) {
    const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('deflate-raw'));
    const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
    let letters = '';
    for (const byte of bytes)
        letters += String.fromCharCode(byte);
    return btoa(letters).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
// The text that was packed; at most MOST_TEXT bytes.
async function unpacked(letters) {
    const bytes = Uint8Array.from(atob(letters.replaceAll('-', '+').replaceAll('_', '/')), l => l.charCodeAt(0));
    const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader();
    const chunks = [];
    let size = 0;
    for (;;) {
        const {done, value} = await reader.read();
        if (done)
            return new Blob(chunks).text();
        size += value.length;
        if (size > MOST_TEXT) {
            reader.cancel();
            throw new Error('it holds more than 256 KB');
        }
        chunks.push(value);
    }
}

// A worker with the compiler.
let compiler_module;
async function hire_compiler(take) {
    compiler_module ??= unpack(document.getElementById('compiler')).then(bytes => WebAssembly.compile(bytes));
    const ready = await compiler_module;
    const worker = new Worker(URL.createObjectURL(new Blob([document.scripts[document.scripts.length - 1].text])));
    worker.onmessage = ({data}) => take(data);
    worker.postMessage({compiler: ready});
    return worker;
}

// ---- kernels ----

// program: as connect gives it (program.js). shown(): the recipe of the picture, or ''.
function write_kernels({program, shown, canvas, show_bytes, leave, by_id}) {
    const {c, page} = program, recipes = catalogue_launches(program);
    const writer = by_id('writer'), text = by_id('text'), sheet = by_id('colours'), numbers = by_id('numbers');
    const starters = [...document.querySelectorAll('.starter')];
    const enter = element('button', {id: 'write', textContent: 'Write a kernel',
        title: 'Write a kernel, and see its banks'});
    const change = element('button', {id: 'edit', textContent: 'Edit', title: 'Change this kernel, and see its banks'});
    by_id('fold').after(change, enter);
    let launch = {}; // name: [words], as launch_in has it
    let compiled = {messages: [], kernels: []}, told = null, worker, refused = '';
    let asked = 0, running = 0, wanted = null, hiring = null, timer = 0, kept = 0, drawn = null;

    // ---- the worker: what is wanted last is done next ----

    async function hire() {
        worker = await hire_compiler(take);
    }
    let prepared = null; // the launch of a recipe that runs
    function send(message) {
        running = ++asked;
        by_id('stop').disabled = false;
        worker.postMessage({compiler: null, id: running, ...message});
    }
    async function restart() {
        worker?.terminate();
        worker = null;
        running = 0;
        await (hiring = hire());
    }
    function want(what) { // 'source' or 'launch': the source is newer, or only the launch is
        wanted = wanted === 'source' ? wanted : what;
        clearTimeout(timer);
        if (running) // what nobody waits for may go on for a moment
            timer = setTimeout(() => wanted && restart().then(begin), 300);
        else
            begin();
    }
    async function begin() {
        if (!worker)
            await (hiring ??= hire());
        if (running || !wanted)
            return;
        const what = wanted;
        clearTimeout(timer);
        wanted = null;
        if (what === 'source' || !compiled.kernels.length) {
            running = -1; // until it is sent
            const source = text.value, files = await files_for(source);
            const again = compiled.kernels.length && !launch.recipe;
            if (again)
                complete(compiled.kernels[kernel_of()]);
            return running === -1 && send({source, files,
                ...again && {launch: launch_words(), same: signature_of(compiled)}});
        }
        prepared = launch.recipe ? recipes.prepare(launch.recipe, +(launch.launch?.[0] ?? 0)) : null;
        if (prepared?.refused) {
            refused = prepared.refused;
            told = null;
            return tell();
        }
        send({launch: launch_words(), given: prepared?.bytes, result: prepared && {number: 2, bytes: prepared.out}});
    }
    function take(data) {
        if (data.id !== running)
            return;
        running = 0;
        by_id('stop').disabled = true;
        if (data.broken)
            restart();
        if (data.compiled) {
            compiled = data.compiled;
            refused = '';
            build_form();
            if (compiled.kernels.length && !data.ran)
                wanted ??= 'launch';
            if (!compiled.kernels.length)
                told = null;
        }
        if (!data.compiled || data.ran) {
            refused = data.refused ?? '';
            told = data.told ?? null;
            if (told)
                told.ms = data.ms - (data.compiled?.ms ?? 0);
            if (told && prepared?.is_last && data.result)
                told.wrong = recipes.judge(launch.recipe, prepared.number, data.result);
            if (data.bytes?.length)
                show_bytes(data.bytes);
            else if (told)
                leave(); // it has no picture
        }
        tell();
        begin();
    }
    by_id('stop').addEventListener('click', () => {
        wanted = null;
        refused = 'stopped';
        told = null;
        by_id('stop').disabled = true;
        restart();
        tell();
    });

    // ---- what is told ----

    function faults() { // [{line, text}]: errors, or what the machine found
        const list = compiled.messages.map(m => (
            {line: m.line, text: `${m.line}:${m.column}: ${m.text}`, short: m.text}));
        for (const f of told?.faults ?? []) {
            const times = f.count > 1 ? ` (${f.count} times)` : '';
            list.push({line: f.line, text: (f.line ? `line ${f.line}: ` : '') + f.text + times, short: f.kind});
        }
        if (refused || told?.wrong)
            list.push({line: 0, text: refused || told.wrong});
        return list;
    }
    function costs() { // of lines: conflicts in shared memory
        const lines = new Map();
        for (const a of told?.accesses ?? [])
            if (!a.global && a.conflicts)
                lines.set(a.line, Math.max(a.ways, lines.get(a.line) ?? 0));
        return lines;
    }
    function state() {
        if (running || wanted)
            return 'running';
        if (compiled.messages.length)
            return 'not compiled: the picture is older';
        if (!told)
            return refused && 'not run: the picture is older';
        return told.kept < told.blocks ? `picture: the first ${told.kept} of ${told.blocks} blocks`
                                       : `${Math.round(compiled.ms)} + ${Math.round(told.ms)} ms`;
    }
    function tell() {
        const list = faults();
        by_id('messages').replaceChildren(...list.map(({line, text: words}) => {
            const item = element('li', {textContent: words});
            item.addEventListener('click', () => go(line, true));
            return item;
        }));
        by_id('state').textContent = state();
        by_id('results').replaceChildren(...results());
        paint_text();
    }
    function row_of(access) {
        const {line, global, op, array, instructions, lanes, passes, conflicts, ways} = access;
        const cells = [line || '', op + (array ? ` ${array}` : global ? ' (global)' : ''), instructions,
                       (lanes / instructions).toFixed(1), passes, global ? '' : conflicts, global ? '' : ways];
        const row = element('tr', {className: conflicts ? 'bad' : ''},
            ...cells.map(cell => element('td', {textContent: cell})));
        row.addEventListener('click', () => go(line, true));
        return row;
    }
    // How much of what the launch does is in shared memory, and what it can save at most (doc/daily-work.md).
    function gain() {
        const sum = (global, name) => told.accesses.reduce((all, a) => all + (a.global === global ? a[name] : 0), 0);
        const passes = sum(0, 'passes'), conflicts = sum(0, 'conflicts');
        const memory = passes + Math.max(sum(1, 'instructions'), Math.ceil(sum(1, 'passes') / 4));
        const part = (a, b) => (100 * a / b).toFixed(1) + '%';
        const code = part(sum(0, 'instructions'), told.instructions);
        const most = part(conflicts, Math.max(memory, told.instructions / 4));
        return conflicts ? [element('p', {textContent: `Shared memory takes ${code} of the instructions of warps, and ` +
            `${part(passes, memory)} of the passes of memory; without conflicts the launch saves at most about ${most} ` +
            'of its time.'})] : [];
    }
    function results() {
        if (!told)
            return [];
        const made = [];
        if (told.accesses.length) {
            const names = ['line', 'access', 'instructions', 'lanes', 'passes, sectors', 'conflicts', 'ways'];
            made.push(element('table', {}, element('thead', {}, element('tr', {},
                ...names.map(name => element('th', {textContent: name})))),
                element('tbody', {}, ...told.accesses.map(row_of))));
        }
        made.push(...gain());
        if (!told.accesses.some(a => !a.global))
            made.push(element('p', {textContent: 'This launch does not access shared memory: there is no picture.'}));
        for (const {name, values, parts: count} of told.arrays)
            made.push(element('pre', {textContent: `${name}: ${values.join(' ')}${count > values.length ? ' ...' : ''}`}));
        if (told.printed)
            made.push(element('pre', {textContent: told.printed}));
        return made;
    }

    // ---- the text ----

    const {paint_text, go} = edit({code: by_id('code'), numbers, sheet, text, edited, marks: () => {
        const bad = new Map(), cost = new Map([...costs()].map(([line, ways]) => [line, `${ways} ways`]));
        for (const {line, short} of faults())
            if (line && short && !bad.has(line))
                bad.set(line, short);
        return {bad, cost};
    }});
    function edited() {
        if (encoder.encode(text.value).length > MOST_TEXT) {
            refused = 'a kernel may have 256 KB of text here';
            return tell();
        }
        if (!text.value.trim())
            launch = {};
        const said = launch_in(text.value), line = JSON.stringify(said);
        if (line !== drawn) { // the text says another launch than before
            drawn = line;
            Object.assign(launch, said);
        }
        paint_text();
        want('source');
        keep();
    }

    // ---- the launch ----

    const numeric = value => /^-?(0x[\da-f]+|\d+(\.\d*)?(e-?\d+)?)$/i.test(value);
    function kernel_of() {
        const name = launch.kernel?.[0];
        return Math.max(0, compiled.kernels.findIndex(k => k.name.replace(/\s/g, '') === name));
    }
    // What the form says, as kernel.c takes it.
    function launch_words() {
        const number = kernel_of(), kernel = compiled.kernels[number];
        const of = (name, otherwise) => launch[name] ?? otherwise;
        if (launch.recipe)
            return `kernel ${number}\n${prepared.words}limit ${Math.round(of('limit')[0] * MILLION)}\n`;
        const words = [`kernel ${number}`, `grid ${of('grid').join(' ')}`, `block ${of('block').join(' ')}`,
            `warp ${of('warp')[0]}`, `banks ${of('banks')[0]}`, `limit ${Math.round(of('limit')[0] * MILLION)}`];
        if (compiled.dynamic)
            words.push(`shared ${of('shared')[0]}`);
        kernel.parameters.forEach((p, i) => {
            const given = launch[p.name];
            if (p.pointer)
                words.push(`array ${i} ${given.join(' ')}`);
            else if (p.size <= 8)
                words.push(`number ${i} ${given[0]}`);
        });
        return words.join('\n') + '\n';
    }
    function complete(kernel) { // what nothing was said of
        const standard = {grid: ['1', '1', '1'], block: ['128', '1', '1'], warp: ['32'], banks: ['32'],
                          limit: ['20'], shared: ['4096']};
        for (const [name, values] of Object.entries(standard))
            if (!launch[name]?.length || !launch[name].every(numeric))
                launch[name] = values;
        for (const name of ['grid', 'block'])
            launch[name] = [...launch[name], '1', '1'].slice(0, 3);
        const threads = [...launch.grid, ...launch.block].reduce((a, b) => a * b, 1);
        for (const p of kernel.parameters) {
            const given = launch[p.name];
            if (p.pointer && !(given?.length === 2 && numeric(given[0]) && FILLS.includes(given[1])))
                launch[p.name] = [String(Math.min(Math.max(threads, 1024), MILLION)),
                                  p.type.startsWith('const') ? 'iota' : 'zeros'];
            else if (!p.pointer && !(given?.length === 1 && numeric(given[0])))
                launch[p.name] = [p.real ? '1' : '32'];
        }
    }
    function set(name, index, value) {
        if (!launch[name] || launch[name][index] === String(value))
            return;
        launch[name][index] = String(value);
        want('launch');
        keep();
    }
    function field(name, index, properties) {
        const input = element('input', {value: launch[name][index], ...properties});
        input.ariaLabel = `${name} ${['x', 'y', 'z'][index] ?? ''}`;
        input.addEventListener('input', () => numeric(input.value) && set(name, index, input.value));
        return input;
    }
    const labelled = (name, ...controls) => element('div', {className: 'row'},
        element('label', {textContent: name}), ...controls);
    function slider(name, most) {
        const input = element('input', {type: 'range', min: 1, max: most, value: launch[name][0]});
        const number = element('output', {textContent: launch[name][0]});
        input.ariaLabel = name;
        input.addEventListener('input', () => {
            number.textContent = input.value;
            set(name, 0, input.value);
        });
        return labelled(name, input, number);
    }
    let built = '';
    function build_form() {
        const kernel = compiled.kernels[kernel_of()];
        if (!kernel)
            return;
        complete(kernel);
        const now = JSON.stringify([compiled.kernels, compiled.dynamic, launch]);
        if (now === built || by_id('launch').contains(document.activeElement))
            return;
        built = now;
        const rows = [];
        if (compiled.kernels.length > 1) {
            const select = element('select', {}, ...compiled.kernels.map((k, i) =>
                element('option', {value: i, textContent: k.name})));
            select.value = kernel_of();
            select.ariaLabel = 'kernel';
            select.addEventListener('change', () => {
                launch.kernel = [compiled.kernels[select.value].name.replace(/\s/g, '')];
                select.blur();
                build_form();
                want('launch');
                keep();
            });
            rows.push(labelled('kernel', select));
        }
        const whole = {type: 'number', min: 1};
        const limit = () => labelled('most steps', field('limit', 0, {...whole, title: 'million instructions of warps'}),
            element('span', {textContent: 'million'}));
        if (launch.recipe) {
            const last = recipes.full(launch.recipe).launches - 1;
            launch.launch ??= ['0'];
            const which = last > 0 ? [labelled('launch', field('launch', 0, {...whole, min: 0, max: last}),
                element('span', {textContent: `of 0 to ${last}; those before it run, too`}))] : [];
            return by_id('launch').replaceChildren(...recipes.rows(launch.recipe, labelled, words => {
                launch.recipe = words;
                built = '';
                document.activeElement.blur();
                build_form();
                want('launch');
                keep();
            }), ...which, limit());
        }
        for (const name of ['grid', 'block'])
            rows.push(labelled(name, element('span', {className: 'three'},
                ...[0, 1, 2].map(i => field(name, i, whole)))));
        if (compiled.dynamic)
            rows.push(labelled('shared bytes', field('shared', 0, {...whole, min: 0})));
        for (const p of kernel.parameters.filter(p => p.pointer)) {
            const fill = element('select', {}, ...FILLS.map(f => element('option', {value: f, textContent: f})));
            fill.value = launch[p.name][1];
            fill.ariaLabel = `values of ${p.name}`;
            fill.addEventListener('change', () => set(p.name, 1, fill.value));
            rows.push(labelled(`${p.type.replace(' *', '*')} ${p.name}`, field(p.name, 0, whole), fill));
        }
        for (const p of kernel.parameters.filter(p => !p.pointer && p.size <= 8))
            rows.push(labelled(`${p.type} ${p.name}`, field(p.name, 0, {inputMode: 'decimal'})));
        rows.push(slider('warp', 64), slider('banks', 64), limit());
        by_id('launch').replaceChildren(...rows);
    }
    by_id('launch').addEventListener('submit', event => event.preventDefault());
    by_id('launch').addEventListener('focusout', () => setTimeout(build_form));

    // ---- keeping, opening, saving ----

    function keep() {
        clearTimeout(kept);
        kept = setTimeout(async () => {
            const state = JSON.stringify({text: text.value, launch});
            try {
                localStorage.setItem('bankscope-kernel', state);
            } catch { // a browser that keeps nothing
            }
            const address = '#k=' + await packed(state);
            if (document.body.classList.contains('writing'))
                try {
                    history.replaceState(null, '', address);
                } catch { // some browsers allow a few in a minute
                }
        }, 400);
    }
    // Takes {text, launch} from outside: what is none is an error.
    function restore(state) {
        const {text: words, launch: given} = JSON.parse(state);
        if (typeof words !== 'string' || words.length > MOST_TEXT)
            throw new Error('it holds no kernel');
        load(words, {});
        for (const [name, values] of Object.entries(given ?? {}))
            if (/^\w{1,60}$/.test(name) && Array.isArray(values) && values.length < (name === 'recipe' ? 40 : 4) &&
                values.every(v => typeof v === 'string' && /^[\w.<>,=+-]{1,60}$/.test(v)))
                launch[name] = values;
    }
    function load(words, given) {
        launch = given;
        drawn = null;
        compiled = {messages: [], kernels: []};
        told = null;
        built = '';
        refused = '';
        text.value = words.replaceAll('\r\n', '\n');
        tell();
        edited();
    }
    const choose = by_id('starter');
    choose.append(element('option', {value: '', textContent: 'Begin with ...'}), ...starters.map((s, i) =>
        element('option', {value: i, textContent: s.dataset.name})), element('optgroup', {label: 'Of the catalogue'},
        ...recipes.names.map(name => element('option', {value: name, textContent: name}))));
    async function load_recipe(words) {
        const files = await files_of_catalogue();
        load(launch_line({recipe: words}) + '\n' + files[file_of_kernel(words[0])].trimEnd() + '\n', {});
    }
    choose.addEventListener('change', () => {
        if (/^\d/.test(choose.value))
            load(starters[choose.value].textContent.trimStart(), {});
        else if (choose.value)
            load_recipe([choose.value]);
        choose.value = '';
        by_id('code').scrollTop = 0;
    });
    async function read(file) {
        if (!file)
            return;
        if (file.size > MOST_TEXT) {
            refused = `${file.name} has more than 256 KB`;
            return tell();
        }
        load(await file.text(), {});
    }
    by_id('open').addEventListener('click', () => by_id('file').click());
    by_id('file').addEventListener('change', event => {
        read(event.target.files[0]);
        event.target.value = '';
    });
    writer.addEventListener('dragover', event => event.preventDefault());
    writer.addEventListener('drop', event => {
        if (event.dataTransfer.files.length) {
            event.preventDefault();
            read(event.dataTransfer.files[0]);
        }
    });
    by_id('save').addEventListener('click', () => {
        const body = text.value.replace(/^\/\/ launch: [^\n]*\n/gm, '');
        const name = (compiled.kernels[kernel_of()]?.name ?? 'kernel').replace(/\W.*/, '');
        give_text(launch_line(launch) + '\n' + body, name + '.cu');
    });

    // ---- coming and going ----

    async function arrive(letters, recipe) {
        document.body.classList.add('writing');
        writer.hidden = false;
        enter.textContent = 'Catalogue';
        enter.title = 'Back to the kernels that the program has';
        const words = recipe && /^\w/.test(shown()) && shown();
        leave();
        if (words)
            return load_recipe(words.split(' '));
        try {
            if (letters)
                return restore(await unpacked(letters));
        } catch (trouble) {
            note(`this link holds no kernel (${trouble.message})`);
        }
        try {
            const state = localStorage.getItem('bankscope-kernel');
            if (state && !letters)
                return restore(state);
        } catch { // nothing is kept
        }
        load(starters[0].textContent.trimStart(), {});
    }
    enter.addEventListener('click', () => {
        if (document.body.classList.contains('writing'))
            location.href = location.href.split('#')[0] + '#';
        else
            arrive('');
    });
    change.addEventListener('click', () => arrive('', true));
    canvas.addEventListener('click', () => {
        if (document.body.classList.contains('writing'))
            go(c.line(page), false);
    });
    const follow = () => {
        if (location.hash.startsWith('#k='))
            arrive(location.hash.slice(3));
        else if (location.hash === '#write')
            arrive('');
        else if (document.body.classList.contains('writing'))
            location.reload();
    };
    addEventListener('hashchange', follow);
    if (/^#(k=|write$)/.test(location.hash))
        follow();
}
