// page.js - the little that a browser must do itself: it hands keys, pointer and sizes to the program (page.c) and keeps
// the controls. The same script runs in a worker, where it records (program.js).

function element(name, properties, ...children) {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
}

// The bytes that make-page wrote in 91 signs.
function bytes_of(signs) {
    const bytes = new Uint8Array(signs.length * 13 / 16);
    const value = at => signs.charCodeAt(at) - 35 - (signs[at] > '<') || 0; // 0: behind the end
    for (let at = 0, count = 0, held = 0, bits = 0; at < signs.length; at += 2) {
        held |= value(at) + 91 * value(at + 1) << bits;
        for (bits += 13; bits >= 8; bits -= 8, held >>= 8)
            bytes[count++] = held;
    }
    return bytes;
}

// The bytes of a data block: text of gzip, or of the bytes as they are. Recordings are base64.
async function unpack(block) {
    if (block.bytes) // of a file that was opened (front.js)
        return block.bytes;
    const packed = block.id ? bytes_of(block.textContent) :
        Uint8Array.from(atob(block.textContent), letter => letter.charCodeAt(0));
    if (packed[0] !== 0x1f || packed[1] !== 0x8b)
        return packed;
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
    return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function show() {
    const by_id = id => document.getElementById(id);
    const canvas = document.querySelector('canvas'), ink = canvas.getContext('2d', {alpha: false});
    const module = await WebAssembly.compile(await unpack(by_id('program')));
    const {c, page, string, put, text, error} = await connect(module);
    const catalogue = JSON.parse(string(c.catalogue(page)));
    const recordings = [...document.querySelectorAll('.recording')];
    const now = () => Math.floor(performance.now());
    document.body.classList.remove('starting');
    note('');

    // ---- drawing: once a frame, however many events came ----

    let asked = 0, timer = 0, spoken = 0, scale = 1;
    function draw() {
        asked = 0;
        const ratio = devicePixelRatio, rect = canvas.getBoundingClientRect();
        const width = Math.round(rect.width * ratio), height = Math.round(rect.height * ratio);
        if (canvas.width !== width || canvas.height !== height) {
            canvas.width = width;
            canvas.height = height;
        }
        const pixels = c.resize(page, width, height, ratio), list = c.draw(page);
        scale = pixels / ratio; // CSS pixels of a point
        if (!list)
            return note(error());
        ink.setTransform(pixels, 0, 0, pixels, 0, 0);
        paint(ink, c.memory.buffer, list);
    }
    function changed(yes) {
        if (yes && !asked)
            asked = requestAnimationFrame(draw);
        clearTimeout(timer);
        const wait = c.wait(page, now());
        if (wait >= 0)
            timer = setTimeout(() => changed(c.tick(page, now())), wait);
        if (yes) {
            clearTimeout(spoken);
            spoken = setTimeout(speak, 300);
        }
    }
    function speak() {
        by_id('says').textContent = string(c.says(page));
        write_address();
    }

    // ---- what is shown: a recipe or a recording in each of two panels ----

    const panels = [{}, {}]; // words: what is wanted; shown: what is there; controls
    const waiting = [null, null]; // words to be recorded
    let worker, running = null, place = null;

    function hire() {
        worker = new Worker(URL.createObjectURL(new Blob([document.scripts[document.scripts.length - 1].text])));
        worker.postMessage({module});
        worker.onmessage = ({data}) => {
            running = null;
            if (data.broken) {
                worker.terminate();
                hire();
            }
            if (data.error && waiting[data.panel] === null)
                note(data.error);
            if (data.bytes && panels[data.panel].words === data.words)
                fill(data.panel, data.words, data.bytes);
            record();
        };
    }
    // Begins the next recording; one that nobody wants any more may go on for a moment.
    function record() {
        if (running && waiting[running.panel] !== null) {
            const left = running.since + 250 - now();
            if (left > 0)
                return void setTimeout(record, left + 1);
            worker.terminate();
            hire();
            running = null;
        }
        const panel = running ? -1 : waiting.findIndex(words => words !== null);
        if (panel < 0)
            return;
        running = {panel, since: now()};
        worker.postMessage({panel, words: waiting[panel]});
        waiting[panel] = null;
    }
    // Shows a recording, where the view was or at the place that an address names.
    function fill(panel, words, bytes) {
        const state = panels[panel], same = state.kernel === words.split(' ')[0];
        if (!put(bytes) || !c.load(page, panel, bytes.length, same && state.shown !== words))
            note(error());
        Object.assign(state, {shown: words, kernel: words.split(' ')[0]});
        arrive();
    }
    // Goes to the place that an address names once all is there that it names.
    function arrive() {
        if (place !== null && panels.every(p => !p.words || p.words === p.shown)) {
            c.go(page, text(place));
            place = null;
        }
        if (!article)
            document.title = 'Bankscope: ' + panels.map(p => p.words).filter(words => words).join(' and ');
        changed(true);
    }
    // Wants a recipe, a recording (@1, @2) or nothing ('') in a panel.
    async function want(panel, words) {
        panels[panel].words = words;
        waiting[panel] = null;
        const block = words.startsWith('@') && recordings[words.slice(1) - 1];
        if (block) {
            const bytes = await unpack(block);
            return panels[panel].words === words && fill(panel, words, bytes);
        }
        if (!words || words.startsWith('@')) {
            c.close(page, panel);
            panels[panel].shown = panels[panel].words = panels[panel].kernel = '';
            return arrive();
        }
        waiting[panel] = words;
        record();
    }

    // ---- the controls ----

    const form = by_id('controls');
    const both = element('input', {type: 'checkbox', checked: true});
    const together = element('label', {}, both, ' turn what both have together');
    form.append(...panels.map((panel, p) => panel.box = element('fieldset', {},
        element('legend', {textContent: p ? 'Beside it' : 'Kernel'}))), together);
    form.addEventListener('submit', event => event.preventDefault());

    // What a panel's controls say, as a recipe.
    function words_of(panel) {
        const {kernel, params, input, argument, seed} = panels[panel].recipe;
        let words = kernel;
        for (const [name, value] of Object.entries(params))
            words += ` ${name}=${value}`;
        words += ` --input ${input}` + (argument ? `='${argument.replaceAll("'", '')}'` : '');
        return words + ` --seed ${seed}`;
    }
    // Takes a change of a panel's controls: whatever else has that parameter follows.
    function turn(panel, name, value) {
        for (const [p, other] of panels.entries()) {
            if (p !== panel && !(both.checked && other.recipe && (name in other.recipe.params ||
                ['input', 'argument', 'seed'].includes(name))))
                continue;
            const recipe = other.recipe, known = catalogue.find(k => k.name === recipe.kernel);
            if (name === 'input' && !known.inputs.includes(value))
                continue;
            if (name in recipe.params)
                recipe.params[name] = value;
            else
                recipe[name] = value;
            if (name === 'w' && 'u' in recipe.params && recipe.params.u % value) // a multiple of w
                recipe.params.u = Math.max(1, Math.round(recipe.params.u / value)) * value;
            for (const refresh of other.refresh)
                refresh();
            accept(p);
        }
    }
    // Records what the controls say, if it is a recipe.
    function accept(panel) {
        const full = string(c.recipe(page, text(words_of(panel))));
        if (!full)
            return note(error());
        note('');
        want(panel, JSON.parse(full).text);
    }
    function row(name, help, ...inputs) {
        for (const input of inputs)
            input.ariaLabel = `${name}: ${help}`;
        return element('div', {className: 'row', title: help}, element('span', {textContent: name}), ...inputs);
    }
    function options(words) {
        return words.map(word => element('option', {textContent: word, value: word}));
    }
    function param_row(panel, param) {
        const {recipe, refresh} = panels[panel];
        const {name, words, lowest, highest, standard, help} = param;
        if (words) {
            const select = element('select', {}, ...options(words));
            refresh.push(() => select.value = recipe.params[name]);
            select.addEventListener('input', () => turn(panel, name, select.value));
            return row(name, help, select);
        }
        const steps = {min: lowest, step: 1, max: Math.min(highest, Math.max(64, 4 * standard))};
        const range = element('input', {type: 'range'});
        const number = element('input', {type: 'number', min: lowest, max: highest});
        refresh.push(() => {
            const step = name === 'u' ? +recipe.params.w || 1 : 1; // threads are whole warps
            Object.assign(range, steps, {step, min: name === 'u' ? step : lowest});
            number.step = step;
            range.value = recipe.params[name];
            if (document.activeElement !== number || +number.value !== +recipe.params[name])
                number.value = recipe.params[name];
        });
        range.addEventListener('input', () => turn(panel, name, range.value));
        number.addEventListener('input', () => number.value !== '' && turn(panel, name, number.value));
        return row(name, help, range, number);
    }
    // Builds the controls of a panel anew, for what is wanted in it.
    function build(panel) {
        const state = panels[panel], recipe = state.recipe;
        const known = recipe && catalogue.find(kernel => kernel.name === recipe.kernel);
        state.refresh = [];
        const select = element('select', {ariaLabel: panel ? 'beside it' : 'kernel'},
            ...(panel ? [element('option', {value: '', textContent: 'nothing'})] : []),
            ...recordings.map((block, i) => element('option',
                {value: '@' + (i + 1), textContent: block.dataset.name})),
            ...options(catalogue.map(kernel => kernel.name)));
        select.value = recipe ? recipe.kernel : state.words;
        select.addEventListener('input', () => choose(panel, select.value));
        const rows = [select];
        if (known) {
            rows.push(element('p', {textContent: known.summary}));
            rows.push(...known.params.map(param => param_row(panel, param)));
            const input = element('select', {}, ...options(known.inputs));
            const numbers = element('input', {placeholder: '2,4,2,...'});
            const seed = element('input', {type: 'number', min: 0});
            const list = row('numbers', 'of the input', numbers);
            state.refresh.push(() => {
                input.value = recipe.input;
                numbers.value = recipe.argument;
                list.hidden = !['splits', 'family'].includes(recipe.input);
                seed.value = recipe.seed;
            });
            input.addEventListener('input', () => turn(panel, 'input', input.value));
            numbers.addEventListener('change', () => turn(panel, 'argument', numbers.value));
            seed.addEventListener('input', () => seed.value !== '' && turn(panel, 'seed', seed.value));
            rows.push(row('input', 'what the kernel works on', input), list,
                      row('seed', 'of random inputs', seed));
            rows.push(element('p', {textContent: known.look}));
        }
        state.box.replaceChildren(state.box.firstChild, ...rows);
        together.hidden = !panels.every(panel => panel.recipe);
        for (const refresh of state.refresh)
            refresh();
    }
    // Takes the words of an address or of a menu for a panel.
    function choose(panel, words) {
        const state = panels[panel], other = panels[1 - panel].recipe;
        state.recipe = null;
        if (words && !words.startsWith('@')) {
            const full = string(c.recipe(page, text(words)));
            if (!full) {
                note(error());
                words = '';
            } else {
                state.recipe = JSON.parse(full);
                words = state.recipe.text;
                if (both.checked && other && !words.includes(' ')) // a kernel alone
                    for (const name of Object.keys(state.recipe.params))
                        if (name in other.params && !isNaN(other.params[name])) {
                            state.recipe.params[name] = other.params[name];
                            words = words_of(panel);
                        }
            }
        }
        state.words = words;
        build(panel);
        if (state.recipe)
            accept(panel);
        else
            want(panel, words);
    }

    // ---- the address: what is shown, and where ----

    // Of a page in which kernels are written (write.js): one is, or is about to be.
    const writes = () => typeof write_kernels === 'function' && !article &&
        (document.body.classList.contains('writing') || /^#(k=|write$)/.test(location.hash));

    // What the address is known to be; else Back or a link was used, and what is shown is about to change.
    let here = location.hash, written = '';
    const escape_word = word => encodeURIComponent(word).replaceAll('%20', '+').replaceAll('%3D', '=')
        .replaceAll('%2C', ',').replaceAll('%40', '@');
    function write_address() {
        if (place !== null || location.hash !== here ||
            /fronting|listing|reading|writing|unshared/.test(document.body.className))
            return;
        let address = '#a=' + escape_word(panels[0].words);
        if (panels[1].words && c.shown(page, 1))
            address += '&b=' + escape_word(panels[1].words);
        for (const line of string(c.place(page)).split('\n').filter(line => line)) {
            const at = line.indexOf(' ');
            address += '&' + line.slice(0, at) + '=' + escape_word(line.slice(at + 1));
        }
        if (address === written)
            return;
        written = address;
        try {
            history.replaceState(null, '', address);
        } catch { // some browsers allow a few in a minute
        }
        here = location.hash;
    }
    function read_address() {
        if (fronts() || writes())
            return;
        const wanted = new Map();
        for (const part of location.hash.slice(1).split('&')) {
            const at = part.indexOf('=');
            try {
                wanted.set(part.slice(0, at), decodeURIComponent(part.slice(at + 1).replaceAll('+', ' ')));
            } catch { // not from us
            }
        }
        const a = wanted.get('a'), b = wanted.get('b');
        wanted.delete('a');
        wanted.delete('b');
        const where = location.hash.length > 1 || !by_id('place')
            ? [...wanted].filter(([, value]) => !value.includes('\n'))
                .map(([name, value]) => `${name} ${value}\n`).join('')
            : by_id('place').dataset.words;
        if (article && !a)
            return;
        const first = recordings.length ? '@1' : 'thrust-merge w=12 u=24 E=5 --input worst';
        const second = recordings.length ? recordings.length > 1 ? '@2' : ''
                                         : 'cf-merge w=12 u=24 E=5 --input worst';
        begin_at(a || first, a ? b || '' : second, where);
    }
    function close_all() {
        for (const [number, state] of panels.entries()) { // none lends the other its parameters
            c.close(page, number);
            Object.assign(state, {shown: '', kernel: '', words: '', recipe: null});
        }
    }
    // Shows one or two recipes or recordings, at a place as page_place tells it ('': the worst step).
    function begin_at(a, b, where) {
        here = location.hash;
        place = where || null;
        if (article) {
            document.body.classList.remove('reading', 'unshared');
            by_id('shut').hidden = false;
        }
        close_all();
        panels[1].words = b; // is to come
        choose(0, a);
        choose(1, b);
    }
    // A picture that is opened from the text is an entry of the browser's history: Back comes back to the text.
    let beside = false, opener = null;
    function shut() {
        document.body.classList.add('reading');
        by_id('shut').hidden = form.hidden = true;
        written = '';
        opener?.focus();
    }
    addEventListener('hashchange', () => {
        written = here = location.hash;
        read_address();
        beside = article && !document.body.classList.contains('reading'); // Forward
    });
    if (article) {
        addEventListener('popstate', () => {
            if (beside)
                shut();
            beside = false;
        });
        article.addEventListener('click', ({target}) => {
            if (!target.classList.contains('live'))
                return;
            try {
                history.pushState(null, '', location.href);
                beside = true;
            } catch { // some browsers allow a few in a minute
            }
            opener = target;
            begin_at(target.dataset.a, target.dataset.b, target.dataset.place);
            canvas.focus();
        });
        by_id('shut').addEventListener('click', () => {
            shut();
            if (beside)
                history.back();
            else
                history.replaceState(null, '', '#');
            beside = false;
        });
    }

    // ---- keys and pointer ----

    const wishes = [() => {}, () => {}, () => save('png'), () => {}];
    function press(key) {
        changed(c.press(page, text(key), now()));
        wishes[c.wish(page)]?.();
        if (panels[0].shown && !c.shown(page, 0) && c.shown(page, 1)) // closed by a key
            begin_at(panels[1].words, '', string(c.place(page)));
        else if (panels[1].shown && !c.shown(page, 1))
            choose(1, '');
    }
    const key_names = {' ': 'Space', Enter: 'Return'};
    document.addEventListener('keydown', event => {
        const elsewhere = event.target !== document.body && event.target !== canvas;
        if (elsewhere || event.ctrlKey || event.altKey || event.metaKey || event.key === 'Tab')
            return;
        if (/^F\d+$/.test(event.key))
            return;
        const name = key_names[event.key] ?? event.key.replace('Arrow', '');
        press(event.shiftKey && name.length > 1 ? 'Shift+' + name : name);
        event.preventDefault();
    });
    document.querySelector('nav').addEventListener('click', event => {
        const key = event.target.dataset.key;
        if (key)
            press(key);
    });
    for (const button of document.querySelectorAll('nav button'))
        button.ariaLabel = button.title;

    const point = event => [event.offsetX / scale, event.offsetY / scale];
    const fingers = new Map();
    let spread = 0, began = null; // where a finger went down on the picture
    canvas.addEventListener('pointerdown', event => {
        if (event.button !== 0)
            return;
        canvas.setPointerCapture(event.pointerId);
        fingers.set(event.pointerId, event);
        spread = 0;
        c.move(page, ...point(event));
        changed(c.button(page, ...point(event), fingers.size === 1));
        began = fingers.size === 1 && event.pointerType === 'touch' && c.idle(page) ? event : null;
    });
    canvas.addEventListener('pointermove', event => {
        if (fingers.has(event.pointerId))
            fingers.set(event.pointerId, event);
        if (fingers.size < 2)
            return changed(c.move(page, ...point(event)));
        const [one, two] = fingers.values(); // zoom about the point between them
        const apart = Math.hypot(one.offsetX - two.offsetX, one.offsetY - two.offsetY);
        if (spread && apart < 1.25 * spread && apart > 0.8 * spread)
            return;
        c.move(page, (one.offsetX + two.offsetX) / 2 / scale, (one.offsetY + two.offsetY) / 2 / scale);
        if (spread)
            press(apart > spread ? '+' : '-');
        spread = apart;
    });
    const up = event => {
        fingers.delete(event.pointerId);
        changed(c.button(page, ...point(event), false));
        const along = began ? event.offsetX - began.offsetX : 0;
        if (Math.abs(along) > 40 && Math.abs(along) > 2 * Math.abs(event.offsetY - began.offsetY))
            press(along < 0 ? 'Right' : 'Left'); // as pages are turned
        began = null;
    };
    canvas.addEventListener('pointerup', up);
    canvas.addEventListener('pointercancel', event => up(event, began = null));
    canvas.addEventListener('pointerleave', () => changed(c.leave(page)));
    canvas.addEventListener('wheel', event => {
        event.preventDefault();
        press(event.deltaY < 0 ? 'Wheel+Up' : 'Wheel+Down');
    }, {passive: false});

    // ---- saving and sharing ----

    function give(blob, extension) {
        const names = panels.map(p => p.words.split(' ')[0]).filter(name => name);
        const link = element('a', {href: URL.createObjectURL(blob),
            download: names.join('-').replace(/[^\w-]/g, '') + '.' + extension});
        link.click();
        setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    }
    function save(kind) {
        const list = c.still(page);
        if (!list)
            return note('there is no picture to save');
        if (kind === 'svg')
            return give(new Blob([string(c.svg(page))], {type: 'image/svg+xml'}), 'svg');
        const [width, height] = new Uint32Array(c.memory.buffer, list, 6).subarray(4);
        const ratio = Math.max(2, scale * devicePixelRatio);
        const sheet = element('canvas', {width: width / 100 * ratio, height: height / 100 * ratio});
        const on_sheet = sheet.getContext('2d', {alpha: false});
        on_sheet.scale(ratio, ratio);
        paint(on_sheet, c.memory.buffer, list);
        sheet.toBlob(blob => give(blob, 'png'));
    }
    by_id('svg').addEventListener('click', () => save('svg'));
    by_id('png').addEventListener('click', () => save('png'));
    by_id('share').addEventListener('click', async () => {
        write_address();
        try {
            await navigator.clipboard.writeText(location.href);
            note('the link is in the clipboard: it shows what you see', true);
        } catch {
            note('copy the address of this page: it shows what you see', true);
        }
    });
    by_id('fold').addEventListener('click', event => {
        form.hidden = !form.hidden;
        event.target.ariaExpanded = String(!form.hidden);
    });

    if (matchMedia('(max-width: 700px)').matches && !article)
        by_id('fold').click();
    new ResizeObserver(() => changed(true)).observe(canvas);
    hire();
    const front = article ? () => false : front_page({by_id, recordings, show: (a, b) => begin_at(a, b, ''), leave: () => {
        close_all();
        changed(true);
    }});
    const list = article ? () => false : launch_list({by_id, recordings, leave: () => {
        close_all();
        changed(true);
    }});
    const fronts = () => front() || list();
    const show_place = (bytes, where) => { // beside the article, of what is not in it
        document.body.classList.remove('reading');
        document.body.classList.add('unshared'); // no link has it
        by_id('shut').hidden = false;
        close_all();
        place = where;
        Object.assign(panels[0], {words: '@written', recipe: null});
        fill(0, '@written', bytes);
    };
    if (article && typeof do_exercises === 'function')
        do_exercises({article, show_bytes: show_place});
    else if (typeof write_kernels === 'function')
        write_kernels({program: {c, page, string, text, error}, canvas, by_id, shown: () => panels[0].words, leave: () => {
            close_all();
            changed(true);
        }, show_bytes: bytes => {
            Object.assign(panels[0], {words: '@written', recipe: null});
            fill(0, '@written', bytes);
        }});
    read_address();
    if (!article && !writes())
        canvas.focus();
}
