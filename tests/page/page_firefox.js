// page_firefox.js PAGE FOLDER - uses the page in a headless Firefox, as page_browser.js does in Chromium; prints a
// line "ok CLAIM" or "not ok CLAIM" for each claim.
'use strict';
const fs = require('fs');
const {open, claim, must} = require('./browser.js');
const [, , file, folder] = process.argv, url = 'file://' + file;
const says = "document.getElementById('says').textContent";

(async () => {
    const page = await open(url + '#a=stride+w=12+u=12+s=6+rounds=4&stage=read&round=0', {browser: 'firefox'});
    await claim('in Firefox a link is opened', () => page.until(`${says}.includes('stride: read, round 0')`));
    await claim('in Firefox keys step', async () => {
        await page.key('ArrowRight');
        await page.until(`${says}.includes('round 1, ') && location.hash.includes('round=1')`);
    });
    await claim('in Firefox parameters record anew', async () => {
        await page.evaluate(`(() => {
            const input = document.querySelector('[type=number][aria-label^="s:"]');
            input.value = 4;
            input.dispatchEvent(new Event('input', {bubbles: true}));
        })()`);
        await page.until(`${says}.includes('round 1, warp 0: 4 passes')`);
    });
    await claim('in Firefox a finger swipes', async () => {
        const box = await page.evaluate("(({x, y}) => [x, y])(document.querySelector('canvas').getBoundingClientRect())");
        const at = (x, duration) => ({type: 'pointerMove', x: Math.round(box[0] + x), y: Math.round(box[1] + 150), duration});
        await page.act('pointer', {parameters: {pointerType: 'touch'}}, at(250, 0), {type: 'pointerDown', button: 0},
                  at(60, 100), {type: 'pointerUp', button: 0});
        await page.until(`${says}.includes('round 2, ')`);
    });
    if (fs.existsSync(folder + '/hostile.html'))
        await claim('in Firefox a hostile recording stays text', async () => {
            await page.go(`file://${folder}/hostile.html`);
            await page.until(`${says}.includes('<img src=x onerror=document.title=666>: ')`);
            await page.sleep(200);
            must(!(await page.evaluate('document.title')).includes('666') && await page.evaluate('document.images.length') === 0,
                 'it is markup');
        });
    await page.close();
})();
