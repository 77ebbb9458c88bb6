// bench_page.js PAGE - how fast the page is, in a headless Chromium: opening a million accesses, a
// step on two panels of 32 x 240 words at 1920 x 1080, a parameter that changes.
'use strict';
const {find, open} = require('../page/browser.js');

const spread = ms => {
    ms.sort((a, b) => a - b);
    const at = share => ms[Math.min(ms.length - 1, Math.floor(share * ms.length))].toFixed(1);
    return `p50 ${at(0.5)}, p95 ${at(0.95)}, most ${at(1)}`;
};

(async () => {
    if (!find())
        return console.log('page: no chromium');
    const [, , file, million] = process.argv;
    if (million) {
        const begin = Date.now(), opened = await open('file://' + million);
        const ready = Date.now();
        await opened.until("document.getElementById('says')?.textContent.length > 10");
        console.log(`page: ${Date.now() - ready} ms from the address to a picture in words of a million accesses ` +
                    `(${ready - begin} ms before that to start the browser)`);
        await opened.close();
    }
    const url = 'file://' + file, recipe = kernel => `${kernel}+w=32+u=512+E=15+--input+worst`;
    const page = await open(`${url}#a=${recipe('thrust-merge')}&b=${recipe('cf-merge')}&stage=merge`, {width: 1920, height: 1080});
    await page.until("document.getElementById('says').textContent.includes('cf-merge')");
    await page.evaluate("document.getElementById('fold').click()");
    await page.sleep(500);
    const steps = await page.evaluate(`(async () => {
        const canvas = document.querySelector('canvas'), ink = canvas.getContext('2d'), ms = [];
        window.requestAnimationFrame = draw => (draw(performance.now()), 0); // without the wait for a frame
        for (let i = 0; i < 300; i++) {
            const begin = performance.now();
            canvas.dispatchEvent(new KeyboardEvent('keydown', {key: i % 15 === 14 ? 'Home' : 'ArrowRight', bubbles: true}));
            ink.getImageData(0, 0, 1, 1); // all that is painted is there
            ms.push(performance.now() - begin);
            if (i % 20 === 0)
                await new Promise(done => setTimeout(done, 0));
        }
        return ms;
    })()`);
    console.log('page: 300 steps at 1920 x 1080 pixels, ms from key to picture: ' + spread(steps));
    for (const [name, words, param, values] of [['stride', 'stride+u=512', 's', [3, 4, 5, 6, 7, 8]],
        ['transpose', 'transpose', 'w', [16, 24, 32, 8, 12, 20]], ['cf-merge', recipe('cf-merge'), 'E', [14, 13, 12, 11, 10, 9]]]) {
        await page.go(`${url}#a=${words}`);
        await page.until(`document.getElementById('says').textContent.startsWith('${name}: ')`);
        const changes = await page.evaluate(`(async () => {
            const ms = [], input = document.querySelector('[type=number][aria-label^="${param}:"]');
            for (const value of ${JSON.stringify([...values, ...values])}) {
                const begin = performance.now(), painted = new Promise(done =>
                    window.requestAnimationFrame = draw => (draw(begin), done(performance.now()), 0));
                input.value = value;
                input.dispatchEvent(new Event('input'));
                ms.push(await painted - begin);
            }
            return ms;
        })()`);
        console.log(`page: ${name}, ms from a changed parameter to its picture: ${spread(changes)}`);
    }
    await page.close();
})().catch(trouble => {
    console.log('page: ' + trouble.message);
    process.exit(1);
});
