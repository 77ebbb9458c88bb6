
// front.js - the page's first screen, and recordings that a person opens. It stands behind page.js in one
// script, which calls front_page.

const MOST_RECORDING = 512 << 20; // bytes of a file

// ---- recordings: JSON Lines (doc/trace-format.md) to bytes (instrument/trace/trace_bytes.c), which are checked there ----

const HEADER_INTS = ['banks', 'bank_bytes', 'warp', 'threads', 'blocks', 'shared_bytes', 'partition'];
const OP_NAMES = ['load', 'store', 'atomic', 'matrix-load', 'matrix-store', 'async-store', 'merged-atomic',
             'compare-and-swap', 'spin', 'wgmma-load', 'reduction', 'async-load',
             'async-load-cg'];

// Bytes that grow; numbers as trace_bytes.c writes them.
function byte_sink() {
    let bytes = new Uint8Array(1 << 16), count = 0;
    const room = more => {
        if (count + more <= bytes.length)
            return;
        const larger = new Uint8Array(2 * (count + more));
        larger.set(bytes.subarray(0, count));
        bytes = larger;
    };
    const big = number => {
        for (room(10); number > 127n; number >>= 7n)
            bytes[count++] = Number(number & 127n) | 128;
        bytes[count++] = Number(number);
    };
    const whole = number => {
        if (!Number.isSafeInteger(number))
            throw new Error('a number is not whole, or too large');
        return number;
    };
    const plain = number => {
        if (whole(number) < 0)
            throw new Error('a number is negative');
        for (room(10); number > 127; number = Math.floor(number / 128))
            bytes[count++] = number % 128 | 128;
        bytes[count++] = number;
    };
    const signed = number => typeof number === 'bigint' || Math.abs(whole(number)) > 2 ** 51
        ? big(BigInt.asUintN(64, BigInt(number) << 1n ^ (number < 0 ? -1n : 0n)))
        : plain(number < 0 ? -2 * number - 1 : 2 * number);
    const raw = more => {
        room(more.length);
        bytes.set(more, count);
        count += more.length;
    };
    const words = (text = '') => {
        if (typeof text !== 'string')
            throw new Error('a name is no text');
        const more = encoder.encode(text);
        plain(more.length);
        raw(more);
    };
    return {plain, signed, big, raw, words, all: () => bytes.slice(0, count)};
}

function pack_header(sink, header) {
    const lists = {stages: header.stages, arrays: header.arrays ?? [], sites: header.sites ?? [], code: header.code ?? []};
    const params = Object.entries(header.params ?? {});
    if (header.format !== 'bankscope-trace')
        throw new Error('it is no recording; bankscope run KERNEL -o FILE makes one');
    if (header.version !== 1 && header.version !== 2)
        throw new Error(`it is of version ${header.version}, and this page reads 1 and 2`);
    if (!Object.values(lists).every(Array.isArray))
        throw new Error('"stages", "arrays", "sites" and "code" must be lists');
    sink.raw(encoder.encode('bankscope\x05'));
    sink.plain(header.seed ?? 0);
    for (const name of HEADER_INTS)
        sink.signed(header[name] ?? 0);
    for (const name of ['block_dim', 'grid_dim'])
        for (let i = 0; i < 3; i++)
            sink.signed(header[name]?.[i] ?? 0);
    for (const list of [lists.stages, params, lists.arrays, lists.sites, lists.code])
        sink.signed(list.length);
    sink.signed(header.version === 2 ? 1 : 0);
    for (const name of ['kernel', 'backend', 'device', 'input'])
        sink.words(header[name]);
    lists.stages.forEach(name => sink.words(name));
    for (const [name, value] of params) {
        sink.words(name);
        sink.words(typeof value === 'string' ? value : '');
        sink.signed(typeof value === 'string' ? 0 : value);
    }
    for (const {name, type, addr, moved = 0, bytes = 0, dims = [], members = []} of lists.arrays) {
        sink.words(name);
        sink.words(type);
        for (const number of [addr, moved, bytes, dims.length, members.length, ...dims])
            sink.signed(number);
        for (const member of members) {
            sink.words(member.name);
            sink.words(member.type);
            sink.signed(member.addr);
        }
    }
    for (const {file, line, text, array, function: inside, code = -1} of lists.sites) {
        sink.words(file);
        sink.words(inside);
        sink.words(text);
        sink.words(array);
        sink.signed(line);
        sink.signed(code + 1);
    }
    let place = {file: '', line: 0};
    for (const {text, became, sass = 0, ...own} of lists.code) {
        place = {...place, ...own}; // what is left out is as before
        sink.words(place.file);
        sink.words(text);
        sink.words(became);
        sink.signed(place.line);
        sink.signed(sass);
    }
}

function access_packer(sink, header) {
    const stages = new Map(header.stages.map((name, i) => [name, i])), before = [0, 0, 0, 0, 0];
    let mask = 0n;
    return a => {
        const global = a.space === 'global', values = a.value_bits?.map(bits => BigInt.asIntN(64, BigInt('0x' + bits)))
            ?? a.value?.map(BigInt);
        const place = [a.block, stages.get(a.stage), a.round, a.slot, a.warp], op = OP_NAMES.indexOf(a.op);
        if (place.includes(undefined) || op < 0 || !Array.isArray(a.lane) || a.addr?.length !== a.lane.length ||
            (values && values.length !== a.lane.length) || (a.tag && a.tag.length !== a.lane.length))
            throw new Error('it is no access of a warp');
        sink.plain(1);
        place.forEach((number, i) => {
            sink.signed(number - before[i]);
            before[i] = number;
        });
        sink.plain(op);
        sink.plain(a.bytes);
        if (header.sites?.length)
            sink.signed(a.site ?? -1);
        let lanes = 0n;
        for (const [i, lane] of a.lane.entries()) {
            if (!(lane >= 0 && lane < 64 && (!i || lane > a.lane[i - 1])))
                throw new Error('"lane" must ascend, from 0 to 63');
            lanes |= 1n << BigInt(lane);
        }
        sink.big(lanes ^ mask);
        mask = lanes;
        const one = a.tag && [...a.tag].every(letter => letter === a.tag[0]);
        sink.plain((values ? 1 : 0) | (a.tag ? 2 : 0) | (one ? 4 : 0) | (global ? 8 : 0));
        let last = global ? 0n : 0;
        for (const addr of a.addr) {
            const number = global ? BigInt('0x' + addr) : addr;
            sink.signed(number - last);
            last = number;
        }
        last = 0n;
        for (const value of values ?? []) {
            sink.signed(BigInt.asIntN(64, value - last));
            last = value;
        }
        if (a.tag)
            sink.raw(encoder.encode(one ? a.tag[0] : a.tag));
    };
}

// The bytes of a recording in JSON Lines; one that was cut keeps its whole lines.
function pack_lines(text) {
    const sink = byte_sink();
    let count = 0, end = null, number = 0, access;
    for (let at = 0; at < text.length;) {
        const newline = text.indexOf('\n', at), stop = newline < 0 ? text.length : newline;
        number++;
        try {
            const line = JSON.parse(text.slice(at, stop));
            if (!access) {
                pack_header(sink, line);
                access = access_packer(sink, line);
            } else if (end) {
                throw new Error('there is more behind its end');
            } else if (line.end) {
                end = line;
            } else {
                access(line);
                count++;
            }
        } catch (trouble) {
            if (access && newline < 0 && trouble instanceof SyntaxError)
                break;
            throw new Error(trouble instanceof SyntaxError && number === 1 ? 'it is no recording (JSON Lines), and no ' +
                'page that was exported' : `line ${number}: ${trouble.message}`);
        }
        at = stop + 1;
    }
    if (!access)
        throw new Error('it is empty');
    sink.plain(0);
    sink.plain(end ? end.warp_accesses : count);
    sink.plain(end?.dropped ?? 0);
    sink.plain(end ? 1 : 0);
    return sink.all();
}

// What is in a file: [{name, bytes}].
async function recordings_in(file) {
    if (file.size > MOST_RECORDING)
        throw new Error('it has more than 512 MB; bankscope view shows it');
    const first = new Uint8Array(await file.slice(0, 2).arrayBuffer());
    const stream = first[0] === 0x1f && first[1] === 0x8b
        ? file.stream().pipeThrough(new DecompressionStream('gzip')) : file.stream();
    const text = await new Response(stream).text();
    if (!/^\s*<!doctype html/i.test(text))
        return [{name: file.name.replace(/\.jsonl(\.gz)?$/, ''), bytes: pack_lines(text)}];
    const blocks = new DOMParser().parseFromString(text, 'text/html').querySelectorAll('.recording');
    if (!blocks.length)
        throw new Error('this page holds no recording');
    return Promise.all([...blocks].map(async block => ({name: block.dataset.name, bytes: await unpack(block)})));
}

// ---- the screen ----

// recordings: a list that grows; show(a, b): shows what these words name (page.js: begin_at). Returns a function that
// shows the screen if the address asks for nothing, and says so.
function front_page({by_id, recordings, show, leave}) {
    const front = by_id('front'), body = document.body.classList;
    const writes = typeof write_kernels === 'function';
    const starters = [...document.querySelectorAll('.starter')];
    if (writes) {
        by_id('write-one').href = '#write';
        for (const link of document.querySelectorAll('#change a'))
            link.hash = link.getAttribute('href').split('#')[1];
    }
    function shown(yes) {
        front.hidden = !yes;
        body.toggle('fronting', yes);
    }
    async function open(files) {
        try {
            const found = (await Promise.all([...files].slice(0, 2).map(file => recordings_in(file).catch(trouble => {
                throw new Error(`${file.name}: ${trouble.message}`);
            })))).flat();
            const at = recordings.length;
            for (const {name, bytes} of found)
                recordings.push({dataset: {name}, bytes});
            if (!found.length)
                return;
            if (body.contains('writing')) { // the picture beside an editor is the editor's
                body.remove('writing');
                by_id('writer').hidden = true;
            }
            note('');
            shown(false);
            body.add('opened');
            show('@' + (at + 1), found.length > 1 ? '@' + (at + 2) : '');
        } catch (trouble) {
            note(trouble.message);
        }
    }
    by_id('open-one').addEventListener('click', () => by_id('recording').click());
    by_id('recording').addEventListener('change', event => {
        open(event.target.files);
        event.target.value = '';
    });
    const carries = event => event.dataTransfer?.types.includes('Files') && !event.defaultPrevented;
    addEventListener('dragover', event => {
        if (carries(event)) {
            event.preventDefault();
            body.add('dropping');
        }
    });
    addEventListener('dragleave', event => event.relatedTarget || body.remove('dropping'));
    addEventListener('drop', event => {
        body.remove('dropping');
        if (carries(event)) {
            event.preventDefault();
            open(event.dataTransfer.files);
        }
    });
    return () => {
        const starter = starters.find(s => location.hash === '#s=' + s.dataset.name.replaceAll(' ', '-'));
        if (starter && writes) { // a link to it is the kernel itself
            packed(JSON.stringify({text: starter.textContent.trimStart(), launch: {}})).then(letters =>
                location.replace('#k=' + letters));
            return true;
        }
        const nothing = !recordings.length && (location.hash.length < 2 || /^#a=@/.test(location.hash) ||
            location.hash.startsWith('#s='));
        shown(nothing);
        if (nothing)
            leave();
        return nothing;
    };
}

// ---- the launches of a program ----

const LAUNCH_COLUMNS = [['launch', 'launch'], ['kernel', 'kernel'], ['shape', 'grid x block'], ['passes', 'passes'],
    ['conflicts', 'conflicts'], ['sectors', 'sectors']];

// A table of the launches whose recordings the page has, each a link, so that the browser's Back comes back to it.
// Returns whether it is shown: where the address names nothing, and there is more than one.
function launch_list({by_id, recordings, leave}) {
    const rows = recordings.map(({dataset}, i) => ({...dataset, at: i + 1})).filter(row => row.launch);
    if (rows.length < 2)
        return () => false;
    const columns = LAUNCH_COLUMNS.filter(([name]) => name !== 'sectors' || rows.some(row => +row.sectors));
    const most = Math.max(1, ...rows.map(row => +row.conflicts));
    const is_text = name => name === 'kernel' || name === 'shape';
    const body = element('tbody'), heads = columns.map(([name, title]) => element('th', {scope: 'col', className: name},
        element('button', {textContent: title, title: 'Order by it', onclick: () => order(name)})));
    const back = element('a', {href: '#', id: 'back', textContent: 'Launches', title: 'Back to the launches', hidden: true});
    const section = element('section', {id: 'launches', hidden: true, ariaLabel: 'Launches'},
        element('h2', {textContent: `${rows.length} launches`}),
        element('table', {}, element('thead', {}, element('tr', {}, ...heads)), body));
    by_id('front').after(section);
    by_id('share').before(back);
    function order(by) {
        const sign = is_text(by) || by === 'launch' ? 1 : -1;
        rows.sort((a, b) => (is_text(by) ? a[by].localeCompare(b[by]) : sign * (a[by] - b[by])) || a.launch - b.launch);
        heads.forEach((head, i) => {
            head.ariaSort = columns[i][0] === by ? sign > 0 ? 'ascending' : 'descending' : 'none';
        });
        body.replaceChildren(...rows.map(row => element('tr', {}, ...columns.map(([name]) => {
            const cell = element('td', {className: name});
            if (name === 'kernel')
                cell.append(element('a', {href: '#a=@' + row.at, textContent: row[name]}));
            else
                cell.append(row[name]);
            if (name === 'conflicts')
                cell.append(element('meter', {max: most, value: +row[name]}));
            return cell;
        }))));
    }
    order('conflicts');
    return () => {
        const here = location.hash.length < 2;
        section.hidden = !here;
        back.hidden = here;
        document.body.classList.toggle('listing', here);
        if (here) {
            document.title = 'Bankscope: launches';
            leave();
        }
        return here;
    };
}
