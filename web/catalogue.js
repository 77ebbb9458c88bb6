
// catalogue.js - the catalogue's kernels in the editor: their own files, which simt_machine.h makes plain CUDA, with the
// launches that their recipes (catalogue.h) prepare.

// {name: text} of kernels/ and of what it includes; make-page put them into one block, each behind "@@ NAME".
let catalogue_files;
function files_of_catalogue() {
    return catalogue_files ??= unpack(document.getElementById('files')).then(bytes => {
        const pieces = decoder.decode(bytes).split(/^@@ (.*)\n/m), files = {};
        for (let i = 1; i < pieces.length; i += 2)
            files[pieces[i]] = pieces[i + 1];
        return files;
    });
}
const file_of_kernel = name => `kernels/${name.replaceAll('-', '_')}.cu`;
// What a source may include; nothing, if it includes none of it.
async function files_for(source) {
    if (!/^\s*#\s*include\s*"(kernels|instrument|sort)\//m.test(source))
        return null;
    return Object.entries(await files_of_catalogue()).filter(([name]) => !name.endsWith('.cu'));
}

// program: the page's, as connect gives it. Recipes are lists of words.
function catalogue_launches({c, page, text, string, error}) {
    const catalogue = JSON.parse(string(c.catalogue(page)));
    // The recipe in full ({kernel, params, input, argument, launches, seed, text}), or {refused}.
    function full(words) {
        const said = string(c.recipe(page, text(words.join(' '))));
        return said ? JSON.parse(said) : {refused: error()};
    }
    // A launch of it, by number, before which the others run: {is_last, number, words, bytes}, or {refused}.
    function prepare(words, wanted) {
        const {launches, refused} = full(words), number = Math.max(0, Math.min(wanted, launches - 1));
        if (refused)
            return {refused};
        const said = string(c.launch(page, text(words.join(' ')), number, 0));
        if (!said)
            return {refused: error()};
        const told = JSON.parse(said), at = c.bytes(page);
        return {...told, number, is_last: number === launches - 1, bytes: new Uint8Array(c.memory.buffer).slice(at, at + told.bytes)};
    }
    // What is wrong with the result, which the last launch wrote: '' if nothing.
    function judge(words, number, result) {
        const recipe = encoder.encode(words.join(' ') + '\0'), all = new Uint8Array(recipe.length + result.length);
        all.set(recipe);
        all.set(result, recipe.length);
        const at = c.room(page, all.length);
        new Uint8Array(c.memory.buffer).set(all, at);
        return string(c.launch(page, at, number, result.length)) ?? error();
    }
    // Rows of a form, labelled(name, ...controls), which call changed(words).
    function rows(words, labelled, changed) {
        const recipe = full(words), known = catalogue.find(k => k.name === words[0]);
        if (recipe.refused || !known)
            return [];
        function put(name, value) {
            const params = {...recipe.params, ...name in recipe.params && {[name]: value}};
            if (name === 'w' && params.u % value) // a multiple of w
                params.u = Math.max(1, Math.round(params.u / value)) * value;
            const {input, seed} = {...recipe, ...name in recipe.params || {[name]: value}};
            const all = [words[0], ...Object.entries(params).map(([p, v]) => `${p}=${v}`), '--input', input, '--seed', seed];
            const wanted = full(all);
            changed(wanted.refused ? all : wanted.text.split(' '));
        }
        function choice(name, list, value) {
            const select = element('select', {ariaLabel: name}, ...list.map(w => element('option', {textContent: w})));
            select.value = value;
            select.addEventListener('change', () => put(name, select.value));
            return labelled(name, select);
        }
        function number(name, value, most, title) {
            const input = element('input', {type: 'number', value, min: 0, max: most, title, ariaLabel: name});
            input.addEventListener('change', () => /^\d+$/.test(input.value) && put(name, input.value));
            return labelled(name, input);
        }
        return [...known.params.map(p => p.words ? choice(p.name, p.words, recipe.params[p.name])
                    : number(p.name, recipe.params[p.name], p.highest, p.help)),
                choice('input', known.inputs.filter(i => i !== 'splits' && i !== 'file'), recipe.input),
                number('seed', recipe.seed, 1e9, 'of random inputs')];
    }
    return {full, names: catalogue.map(k => k.name), prepare, judge, rows};
}
