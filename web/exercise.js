
// exercise.js - exercises of lessons, done where they are read: an editor for the marked part, its run as a
// picture, the marks that `check` gives, and a file to hand in. It stands behind write.js in one script;
// the editor is that of editor.js, and page.js calls do_exercises.

// ---- the worker ----

let exercise_there = ''; // the texts that the module has

// {texts: [table, code, grading], source, seed} for marks; {texts, source, show: missed} for a recording.
function exercise_work({c, k, put, string, bytes}, {texts, source, seed, show}, answer) {
    const all = texts.join('\0');
    let hints = null;
    if (all !== exercise_there) {
        const length = put(all);
        hints = string(c.exercise(k, length));
        if (!hints) {
            answer.refused = string(c.error(k));
            return;
        }
        exercise_there = all;
        answer.exercise = JSON.parse(hints);
    }
    if (source === undefined)
        return;
    const length = put(source);
    const told = string(show === undefined ? c.grade(k, length, seed) : c.show(k, length, show));
    if (!told) {
        answer.refused = string(c.error(k));
    } else if (show === undefined) {
        answer.marks = JSON.parse(told);
    } else {
        answer.seen = JSON.parse(told);
        answer.bytes = bytes();
    }
}

// ---- the page ----

function do_exercises({article, show_bytes}) {
    let worker = null, asked = 0;
    const waiting = new Map(); // id: what takes the answer
    async function ask_worker(exercise) {
        worker ??= hire_compiler(data => {
            const take = waiting.get(data.id);
            waiting.delete(data.id);
            if (data.broken) { // what it leaves behind cannot be trusted
                worker.then(w => w.terminate());
                worker = null;
            }
            take?.(data);
        });
        const id = ++asked;
        (await worker).postMessage({compiler: null, id, exercise});
        return new Promise(take => waiting.set(id, take));
    }
    for (const section of article.querySelectorAll('.exercise'))
        do_exercise(section, ask_worker, show_bytes);
}

function do_exercise(section, ask_worker, show_bytes) {
    const {name, student} = section.dataset, given = section.querySelector('.given');
    const whole = given.textContent, lines = whole.split('\n');
    const texts = ['.table', '.grading'].map(kind => section.querySelector('template' + kind).content.textContent);
    texts.splice(1, 0, whole);
    const begins = lines.findIndex(line => line.includes('[your part begins]'));
    const ends = lines.findIndex(line => line.includes('[your part ends]'));
    const before = lines.slice(0, begins + 1).join('\n') + '\n', after = lines.slice(ends).join('\n');
    const part = lines.slice(begins + 1, ends).join('\n'), kept = 'bankscope-exercise-' + name;
    let marks = null, refused = '', hints = [], told = 0, busy = false, seed = 0;

    // In the lesson's language; each %s is a value.
    const say = (english, ...values) => says(section.closest('.lesson'), english).replace(/%s/g, () => values.shift());
    const button = (words, act, title) => {
        const made = element('button', {type: 'button', textContent: say(words), title: title ? say(title) : ''});
        made.addEventListener('click', act);
        return made;
    };
    const numbers = element('pre', {className: 'numbers', ariaHidden: 'true'});
    const sheet = element('pre', {className: 'colours', ariaHidden: 'true'});
    const text = element('textarea', {className: 'text', spellcheck: false, autocapitalize: 'off', wrap: 'off',
        ariaLabel: say('Your part; Escape, then Tab leaves it')});
    text.setAttribute('autocomplete', 'off');
    const code = element('div', {className: 'code'}, numbers, element('div', {className: 'sheet'}, sheet, text));
    const messages = element('ol', {className: 'messages', ariaLabel: say('What is wrong')});
    const findings = element('ul', {className: 'findings'});
    const score = element('p', {className: 'score', role: 'status'}), clues = element('ol', {className: 'clues'});
    const whose = element('input', {className: 'whose', placeholder: say('your name'), ariaLabel: say('your name'),
        value: student, readOnly: student !== '', maxLength: 100});
    const run = button('Run', () => record(false), 'Run your part, and see its banks');
    const check = button('Check', grade, 'The marks that bankscope check will give');
    const hint = button('Hint', give_hint), again = button('Begin again', begin_again);
    const save = button('Save the file', hand_in, 'The file to hand in');
    const where = button('Show where', () => record(true));
    const prose = matchMedia('(max-width: 700px)').matches; // where a line of a comment has no room, as paragraphs
    given.textContent = before.trimEnd().replace(/([^\s*])\n \* (?=\S)/g, prose ? '$1 ' : '$&');
    section.append(code, messages,
        element('div', {className: 'bar'}, run, check, hint, element('span', {className: 'gap'}), again),
        score, where, findings, clues, element('div', {className: 'bar'}, whose, save),
        element('p', {className: 'small', textContent: say('The marks here are advice: your teacher\'s ' +
            'check of the saved file counts. Your text is kept in this browser.')}));

    const {paint_text, go} = edit({code, numbers, sheet, text, edited, first: begins + 2, marks: () => {
        const bad = new Map();
        for (const {line, text: words} of marks?.messages ?? [])
            if (!bad.has(line))
                bad.set(line, words);
        for (const finding of marks?.findings ?? []) {
            const line = !finding.met && /: line (\d+): (.*)/.exec(finding.why);
            if (line && !bad.has(+line[1]))
                bad.set(+line[1], line[2]);
        }
        return {bad, cost: new Map()};
    }});
    const source = () => before + text.value + (text.value.endsWith('\n') ? '' : '\n') + after;

    function tell() {
        messages.replaceChildren(...(marks?.messages ?? []).map(({line, column, text: words}) => {
            const item = element('li', {textContent: (line ? `${line}:${column}: ` : '') + words});
            item.addEventListener('click', () => go(line, true));
            return item;
        }), ...(refused ? [element('li', {textContent: refused})] : []));
        findings.replaceChildren(...(marks?.compiled ? marks.findings : []).map(finding => {
            const {what, met, measured, why, hint: words} = finding;
            const item = element('li', {className: met ? 'met' : 'missed'},
                element('b', {textContent: (met ? '\u2713 ' : '\u2717 ') + say(met ? 'ok:' : 'not yet:') + ' '}), what);
            if (!met)
                item.append(element('p', {textContent: measured || why ? why : say('nothing to measure: no run got there')}));
            if (words)
                item.append(element('p', {textContent: words}));
            return item;
        }));
        const met = marks?.findings.filter(finding => finding.met).length;
        score.textContent = busy ? say('running ...')
            : !marks ? '' : !marks.compiled ? say('It does not compile.')
            : met === marks.findings.length
                ? say('All %s goals met, %s of %s points (%s runs). Well done.', met, marks.points, marks.most, marks.runs)
                : say('%s of %s goals met, %s of %s points. (Seed %s.)', met, marks.findings.length, marks.points, marks.most, seed);
        where.hidden = busy || !marks?.missed;
        run.disabled = check.disabled = busy;
        paint_text();
    }
    async function ask(words) {
        busy = true;
        refused = '';
        tell();
        const answer = await ask_worker({texts, ...words});
        busy = false;
        refused = answer.refused ?? '';
        if (answer.exercise)
            hints = answer.exercise.hints;
        return answer;
    }
    async function grade() {
        const words = source();
        seed = crypto.getRandomValues(new Uint32Array(1))[0];
        const answer = await ask({source: words, seed});
        marks = words === source() ? answer.marks ?? null : null; // edited meanwhile
        tell();
        if (marks?.compiled && (!matchMedia('(max-width: 700px)').matches || !document.body.classList.contains('reading')))
            record(true, true);
    }
    // Shows a run: the one that missed something in the marks, or the first. quiet: where it cannot be shown, the
    // marks say why.
    async function record(graded, quiet) {
        if (!graded)
            marks = null;
        const {seen, bytes} = await ask({source: source(), show: marks?.missed ? 1 : 0});
        if (quiet)
            refused = '';
        tell();
        if (!bytes)
            return;
        show_bytes(bytes, ['stage', 'round', 'slot', 'block', 'warp'].map(key => `${key} ${seen[key]}\n`).join(''));
        score.scrollIntoView({block: 'center'}); // beside the picture the text is narrower
        score.textContent += (score.textContent ? ' ' : '') + say('The picture: %s.', seen.words);
        if (!graded && seen.why) {
            refused = `${seen.words}: ${seen.why}`;
            messages.replaceChildren(element('li', {textContent: refused}));
        }
    }
    async function give_hint() {
        if (!hints.length)
            await ask({});
        if (told < hints.length)
            clues.append(element('li', {textContent: hints[told++]}));
        hint.disabled = told >= hints.length;
        tell();
    }
    function hand_in() {
        const clean = words => words.replace(/[*/\\\p{C}]/gu, ' ').trim();
        const replies = [...section.closest('.lesson').querySelectorAll('.quiz')]
            .map((form, i) => form.dataset.typed ? `${i + 1}: ${form.dataset.typed}` : '').filter(words => words);
        // Only the student for whom the page was made has numbers of his own.
        const who = clean(whose.value), sign = student ? 'student' : 'handed in by';
        give_text(`/* exercise: ${name} */\n` + (who ? `/* ${sign}: ${who} */\n` : '') +
            (replies.length ? `/* answers: ${clean(replies.join('; '))} */\n` : '') + source(),
            (who.replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-|-$/g, '') || name) + '.cu');
    }
    function begin_again() {
        text.focus();
        text.select();
        document.execCommand('insertText', false, part); // which undo takes back
    }
    function edited() {
        marks = null;
        refused = '';
        tell();
        try {
            localStorage.setItem(kept, JSON.stringify({text: text.value}));
        } catch { // a browser that keeps nothing
        }
    }
    let words = part;
    try {
        const state = JSON.parse(localStorage.getItem(kept));
        words = typeof state?.text === 'string' && state.text.length < MOST_TEXT ? state.text : part;
    } catch { // nothing is kept
    }
    text.value = words;
    tell();
}
