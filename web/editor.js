// editor.js - a text with line numbers, colours and messages below its lines, in which one writes a kernel.

// What makes an editor of a text with colours behind it and numbers beside it. first: the number of its first line.
// marks() says what is told of lines: {bad: Map(line: words), cost: Map(line: words)}.
function edit({code, numbers, sheet, text, first = 1, marks, edited}) {
    let here = 0, leaves = false;
    function paint_text() {
        const {bad, cost} = marks(), out = document.createDocumentFragment();
        const side = document.createDocumentFragment();
        coloured(text.value).forEach((line, i) => {
            const number = i + first;
            for (const [kind, words] of line)
                out.append(kind ? element('span', {className: kind, textContent: words}) : words);
            if (bad.has(number))
                out.append(element('span', {className: 'told', textContent: bad.get(number)}));
            else if (cost.has(number))
                out.append(element('span', {className: 'cost', textContent: cost.get(number)}));
            out.append('\n');
            const mark = bad.has(number) ? 'bad' : here === number ? 'here' : '';
            side.append(mark ? element('span', {className: mark, textContent: number}) : String(number), '\n');
        });
        sheet.replaceChildren(out);
        numbers.replaceChildren(side);
    }
    // Shows a line; select: the text is to be edited there.
    function go(line, select) {
        if (line < first)
            return;
        here = line;
        paint_text();
        const height = parseFloat(getComputedStyle(sheet).lineHeight), top = (line - first) * height;
        if (top < code.scrollTop || top > code.scrollTop + code.clientHeight - 3 * height)
            code.scrollTop = top - code.clientHeight / 3;
        if (select && !matchMedia('(max-width: 700px)').matches) {
            const lines = text.value.split('\n'), at = line - first;
            const from = lines.slice(0, at).join('\n').length + (at > 0);
            text.focus({preventScroll: true});
            text.setSelectionRange(from, from + (lines[at]?.length ?? 0));
        }
    }
    text.addEventListener('input', () => {
        here = 0;
        edited();
    });
    const type = words => document.execCommand('insertText', false, words);
    text.addEventListener('keydown', event => {
        const before = text.value.slice(0, text.selectionStart), line = before.slice(before.lastIndexOf('\n') + 1);
        if (event.key === 'Escape') {
            leaves = true;
            return;
        }
        if (event.key === 'Tab' && !leaves && !event.ctrlKey && !event.altKey) {
            event.preventDefault();
            if (event.shiftKey)
                outdent(before, line);
            else
                type(' '.repeat(4 - line.length % 4));
        } else if (event.key === 'Enter' && !event.isComposing) {
            event.preventDefault();
            type('\n' + line.match(/^\s*/)[0] + (/\{\s*$/.test(line) ? '    ' : ''));
        } else if (event.key === '}' && /^ {4,}$/.test(line)) {
            event.preventDefault();
            text.setSelectionRange(text.selectionStart - 4, text.selectionEnd);
            type('}');
        }
        leaves = false;
    });
    function outdent(before, line) {
        const spaces = Math.min(4, line.match(/^ */)[0].length), from = before.length - line.length;
        const at = text.selectionStart;
        if (!spaces)
            return;
        text.setSelectionRange(from, from + spaces);
        document.execCommand('delete');
        text.setSelectionRange(at - spaces, at - spaces);
    }
    return {paint_text, go};
}

// Lets somebody save a text as a file.
function give_text(words, name) {
    const link = element('a', {download: name, href: URL.createObjectURL(new Blob([words], {type: 'text/plain'}))});
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
