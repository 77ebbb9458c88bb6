// exercise_browser.js BROWSER PAGES SOLUTIONS FOLDER - does exercises in lessons' pages (PAGES/01-banks.html, ...), as
// a student does; prints "ok CLAIM" or "not ok CLAIM". Pictures, and the file that is handed
// in, go to FOLDER.
'use strict';
const fs = require('fs'), path = require('path');
const {open, claim, must} = require('./browser.js');
const [, , browser, pages, solutions, folder] = process.argv;
const url = name => 'file://' + path.join(pages, name + '.html');
const solution = name => fs.readFileSync(path.join(solutions, name + '.cu'), 'utf8');
const inside = selector => `document.querySelector('.exercise ${selector}')`;
async function press(page, words) { // once it can be pressed
    const button = `[...document.querySelectorAll('.exercise button')].find(b => b.textContent === '${words}')`;
    await page.until(`!${button}.disabled && !${button}.hidden`, 30);
    await page.evaluate(button + '.click()');
}
const score = inside('.score') + '.textContent', says = "document.getElementById('says').textContent";
const opened = '!' + inside('.text') + '.closest("[hidden]") && ' + score + ' !== undefined';

async function write(page, text) { // as typing does: undo knows of it
    await page.evaluate(`(() => { const t = ${inside('.text')}; t.scrollIntoView(); t.focus(); t.select(); })()`);
    await page.evaluate(`document.execCommand('insertText', false, ${JSON.stringify(text)})`);
}

async function banks(width, height) {
    const page = await open(url('01-banks'), {browser, width, height, ratio: width < 500 ? 2 : 1, downloads: folder});
    const called = `${width} px: `;
    await page.until(opened, 30);
    await claim(called + 'the part is there to be edited, and no solution', async () => {
        const part = await page.evaluate(inside('.text') + '.value');
        must(part.includes('return 4 * t + k') && !part.includes('your part'), part);
        must(!(await page.evaluate("document.documentElement.textContent")).includes('return k * u + t'), 'a solution');
        // On a phone the lines of a comment are paragraphs.
        const first = (await page.evaluate(inside('.given') + '.textContent')).split('\n').find(line => line.includes('Each of the u'));
        must(first.startsWith(' * Each') && (width < 700) === (first.length > 100), first);
    });
    await claim(called + 'as handed out, it misses goals, each with a reason, and points to them', async () => {
        await press(page, 'Check');
        await page.until(`${score}.includes('5 of 7 goals met, 0 of 2 points')`, 30);
        const missed = await page.evaluate(inside('.missed') + '.textContent');
        must(/write: no bank conflicts.*bank 0 serves 4 words.*neighbouring lanes/s.test(missed), missed);
    });
    await claim(called + 'the picture of the first missed access', async () => {
        if (width < 700)
            await press(page, 'Show where');
        await page.until(`${says}.includes('write') && ${says}.includes('4 passes')`, 20);
        await page.picture(path.join(folder, `missed-${width}.png`));
    });
    await claim(called + 'hints come one by one', async () => {
        const count = `${inside('.clues')}.children.length`;
        await press(page, 'Hint');
        await page.until(`${count} === 1`);
        await press(page, 'Hint');
        await page.until(`${count} === 2`);
        must((await page.evaluate(inside('.clues') + '.textContent')).includes('which numbers should be neighbours') ||
            (await page.evaluate(inside('.clues') + '.children[0].textContent')).includes('Look at one round'), 'no hint');
    });
    await claim(called + 'what does not compile is told at its line', async () => {
        await write(page, '__device__ int point_word(int u, int t, int k)\n{\n    retrun t;\n}\n');
        await press(page, 'Check');
        await page.until(`${inside('.messages')}.textContent.includes("'retrun' is not known")`, 20);
        const line = +(await page.evaluate(inside('.messages') + '.textContent')).match(/^(\d+):/)[1];
        const marked = await page.evaluate(inside('.numbers .bad') + '.textContent');
        must(+marked === line, `${marked}, not ${line}`);
    });
    await claim(called + 'a loop without end ends', async () => {
        await write(page, '__device__ int point_word(int u, int t, int k)\n{\n    while (u) t++;\n    return t;\n}\n');
        await press(page, 'Check');
        await page.until(`${inside('.findings')}.textContent.includes('does not end within')`, 60);
    });
    await claim(called + 'Run shows the banks of what is there', async () => {
        await write(page, solution('01-banks'));
        await press(page, 'Run');
        await page.until(`${score}.includes('The picture: w=32') && ${says}.includes('1 pass')`, 20);
    });
    await claim(called + 'solved, it has all points', async () => {
        await press(page, 'Check');
        await page.until(`${score}.includes('All 7 goals met, 2 of 2 points')`, 30);
        await page.picture(path.join(folder, `solved-${width}.png`));
    });
    if (browser === 'chromium')
        await claim(called + 'printed, it has the part and no buttons', async () => {
            await page.send('Emulation.setEmulatedMedia', {media: 'print'});
            const seen = selector => `[...document.querySelectorAll('${selector}')].filter(e => e.checkVisibility()).length`;
            must(await page.evaluate(seen('.exercise .colours')) === 1, 'no part');
            must(await page.evaluate(seen('article button, .exercise .text')) === 0, 'a button');
            const [code, part] = await page.evaluate(`[${inside('.code')}.clientHeight, ${inside('.colours')}.clientHeight]`);
            must(code >= part, `${part} pixels in ${code}`);
            await page.send('Emulation.setEmulatedMedia', {media: ''});
        });
    await claim(called + 'work is kept over a reload', async () => {
        await page.reload();
        await page.until(`${opened} && ${inside('.text')}.value === ${JSON.stringify(solution('01-banks'))}`, 30);
    });
    await claim(called + 'a file to hand in comes out', async () => {
        const file = path.join(folder, 'Ada-Lovelace.cu');
        fs.rmSync(file, {force: true});
        await page.evaluate(`${inside('.whose')}.value = 'Ada Lovelace'`);
        await press(page, 'Save the file');
        let text = '';
        for (let i = 0; i < 200 && !text; i++, await page.sleep(50))
            text = fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '';
        must(text.startsWith('/* exercise: 01-banks */\n/* handed in by: Ada Lovelace */\n'), text.slice(0, 100));
    });
    await claim(called + 'the browser has nothing to complain of', async () => {
        const heard = await page.complaints();
        must(heard.length === 0, heard.join('; '));
    });
    await page.close();
}

(async () => {
    await banks(1280, 800);
    await banks(390, 780);
    for (const [name, width, height] of [['02-strides', 390, 780], ['04-transpose', 1280, 800]]) {
        const page = await open(url(name), {browser, width, height});
        await page.until(opened, 30);
        const beside = width > 700; // the picture comes by itself
        await claim(`${name} to full marks, ${width} px`, async () => {
            if (beside) {
                await press(page, 'Check');
                await page.until(`/ passes, [1-9]\\d* conflict/.test(${says})`, 60);
            }
            await write(page, solution(name));
            await press(page, 'Check');
            await page.until(`/All \\d+ goals met, (\\d+) of \\1 point/.test(${score})`, 60);
            if (beside) // and does not stay that of what had conflicts
                await page.until(`${says}.includes(': 1 pass, 0 conflicts') && ${score}.includes('Well done. The picture: ')`, 30);
            await page.picture(path.join(folder, `${name}-${width}.png`));
        });
        await page.close();
    }
    const page = await open(url('de'), {browser});
    await page.until(opened, 30);
    await claim('around the exercise, a German page is in German', async () => {
        const texts = "[...document.querySelectorAll('.exercise button')].map(b => b.textContent).join()";
        const named = "[...document.querySelectorAll('.exercise :is([title], [placeholder], [aria-label])')]" +
            ".map(e => e.title || e.placeholder || e.ariaLabel).join()";
        const buttons = await page.evaluate(texts), names = await page.evaluate(named);
        must(buttons === 'Ausführen,Prüfen,Hinweis,Neu beginnen,Zeigen, wo,Datei speichern', buttons);
        must(!/your|file|mark|wrong/i.test(names), names);
        await write(page, solution('02-strides'));
        await press(page, 'Prüfen');
        await page.until(`/^Alle (\\d+) Ziele erreicht, (\\d+) von \\2 Punkten \\(\\d+ Läufe\\)[.] Gut gemacht[.] Das Bild: w=/.test(${score})`, 60);
        await page.picture(path.join(folder, 'de.png'));
    });
    await page.close();
})();
