// lesson_browser.js PAGES [BROWSER] - plays lessons' pages (PAGES/02-strides.html, ...) in a headless Chromium, or in
// BROWSER, to the end by keyboard alone; prints "ok CLAIM" or "not ok CLAIM".
'use strict';
const path = require('path');
const {open, claim, must} = require('./browser.js');
const [, , pages, browser = 'chromium'] = process.argv;
const says = "document.getElementById('says').textContent";

// What has the focus, if the page has it and not the browser's own bars: its place among all that can be reached, and whether a person sees it and that it has the focus.
const focused = `(() => {
    const a = document.activeElement, ring = a.closest('.code') ?? a, style = getComputedStyle(ring);
    const {top, bottom} = a.getBoundingClientRect(), quiz = a.closest('.quiz');
    return {here: document.hasFocus(), what: a.tagName + (a.className || a.textContent.slice(0, 20)), place: [...document.querySelectorAll('*')].indexOf(a),
        ring: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0,
        seen: bottom > 0 && top < innerHeight, body: a === document.body, type: a.disabled ? '' : a.type,
        quiz: [...document.querySelectorAll('.quiz')].indexOf(quiz), right: quiz?.dataset.answer, at: a.value};
})()`;
const ready = "document.querySelector('.quiz .number') && !document.body.classList.contains('starting')";
const open_questions = "[...document.querySelectorAll('.quiz:not([data-done])')].length";

// Presses Tab until what has the focus is wanted.
async function tab_to(page, wanted, most = 200) {
    for (let i = 0; i < most; i++) {
        await page.key('Tab');
        const now = await page.evaluate(focused);
        if (now.here && wanted(now))
            return now;
        if (now.type === 'textarea') // where Tab indents
            await page.key('Escape');
    }
    throw new Error('Tab does not come there');
}

// A browser scrolls to what has the focus, and draws the ring, a moment later.
async function is_shown(page, what) {
    await page.until(`(now => now.ring && now.seen)(${focused})`, 5).catch(async () => {
        const {ring, seen} = await page.evaluate(focused);
        throw new Error(`${what}: ${ring ? '' : 'no ring'} ${seen ? '' : 'not on the screen'}`);
    });
}

async function answer(page) {
    let now = await tab_to(page, it => it.quiz >= 0 && (it.type === 'text' || it.type === 'radio'));
    if (now.type === 'radio') {
        await page.key(' ');
        for (let i = 0; i < 9 && now.at !== now.right; i++) {
            await page.key('ArrowDown');
            now = await page.evaluate(focused);
        }
    } else {
        for (const letter of now.right)
            await page.key(letter);
    }
    await page.key('Enter');
    await page.until(`'done' in document.querySelectorAll('.quiz')[${now.quiz}].dataset`);
    const said = await page.evaluate(`document.querySelectorAll('.quiz')[${now.quiz}].querySelector('.said').textContent`);
    must(/: right\./.test(said), said);
}

async function play(name, width) {
    const url = 'file://' + path.join(pages, name + '.html');
    const page = await open(url, {browser, width, height: 800});
    const called = `${browser}, ${width} px, ${name}: `;
    await page.until(ready);
    await claim(called + 'a wrong answer, typed, is told why', async () => {
        const now = await tab_to(page, it => it.quiz === 0 && it.type === 'text');
        await page.key('7');
        await page.key('Enter');
        await page.until("/^7: not so\\./.test(document.querySelector('.quiz .said').textContent)");
        must((await page.evaluate(focused)).place === now.place, 'the focus is elsewhere');
        await page.evaluate("document.querySelector('.quiz .number').select()");
        await page.key('Escape');
    });
    await claim(called + 'what Tab comes to is in order, on the screen, and has a ring', async () => {
        await page.reload();
        await page.until(ready);
        for (let i = 0, place = -1; i < 12; i++) {
            await page.key('Tab');
            const now = await page.evaluate(focused);
            if (now.body || now.place < place || now.type === 'textarea')
                break;
            must(now.place > place, `${now.what} comes late`);
            await is_shown(page, now.what);
            place = now.place;
        }
        await tab_to(page, it => it.type === 'textarea');
        await is_shown(page, 'the editor');
        await page.key('Escape');
    });
    await claim(called + 'every question is answered, to the end', async () => {
        await page.reload(); // to begin at the top
        await page.until(ready);
        for (let left = await page.evaluate(open_questions); left; left--) {
            await answer(page);
            const now = await page.evaluate(open_questions);
            must(now === left - 1, `${now} of ${left} are open`);
        }
    });
    await claim(called + 'no option of a command is broken after its hyphen, at whatever width', async () => {
        const broken = await page.evaluate(`(() => {
            const broken = [], options = [...document.querySelectorAll('figcaption code span')];
            for (let width = 60; width < 320; width += 4)
                for (const option of options) {
                    option.parentElement.style.cssText = 'display: inline-block; width: ' + width + 'px';
                    if (option.getClientRects().length !== 1)
                        broken.push(option.textContent + ' at ' + width);
                }
            document.querySelectorAll('figcaption code').forEach(code => code.removeAttribute('style'));
            return options.length ? broken : ['there is no option'];
        })()`);
        must(broken.length === 0, broken.join(', '));
    });
    // In Firefox, Tab has gone on to the browser's own bars by now, from which its protocol does not come back.
    if (browser === 'chromium')
        await claim(called + 'a picture opens, is stepped through, and closes where it was opened', async () => {
            await page.go(url + '?again'); // it begins at the top, and the answers are kept
            await page.until(`location.search && ${ready} && ${open_questions} === 0`);
            const from = await tab_to(page, it => it.what === 'BUTTONlive');
            await page.key('Enter');
            await page.until(`${says}.includes(', round ') && document.activeElement.tagName === 'CANVAS'`);
            const first = await page.evaluate(says);
            await page.key('ArrowLeft');
            await page.until(`${says} !== ${JSON.stringify(first)}`);
            await page.key('ArrowRight');
            await page.until(`${says} === ${JSON.stringify(first)}`);
            await tab_to(page, it => it.what === 'BUTTONClose');
            await page.key('Enter');
            await page.until("document.body.classList.contains('reading')");
            const to = await page.evaluate(focused);
            must(to.place === from.place, `the focus is at ${to.what}`);
        });
    must((await page.complaints()).length === 0, 'the browser complains');
    await page.close();
}

(async () => {
    await play('02-strides', 1280);
    await play('04-transpose', 390);
})();
