// launches_browser.js PAGE VALUE BROWSER - a page with the launches of a program, used as a person does. VALUE is what the
// first load from shared memory of the launch with the most conflicts puts in lane 0's register, "0x42000000 (32)".
'use strict';
const {open, claim, must} = require('./browser.js');

(async () => {
    const page = await open('file://' + process.argv[2], {browser: process.argv[4], width: 1400, height: 800});
    const rows = name => page.evaluate(`[...document.querySelectorAll('#launches td.${name}')].map(td => td.textContent).join()`);
    await claim('it begins with the launches, those with the most conflicts first', async () => {
        await page.until(`document.querySelectorAll('#launches tbody tr').length === 3`);
        must(await rows('kernel') === 'naive,padded,swizzled', await rows('kernel'));
        must(await rows('conflicts') === '8928,0,0', await rows('conflicts'));
        must(await rows('shape') === '3x3 x 32x8,3x3 x 32x8,3x3 x 32x8', await rows('shape'));
    });
    await claim('without a picture', async () => {
        must(await page.evaluate(`document.querySelector('canvas').getBoundingClientRect().height === 0`), 'there is one');
    });
    await claim('a heading orders them', async () => {
        await page.evaluate(`document.querySelector('#launches th.kernel button').click()`);
        must(await rows('launch') === '0,1,2', await rows('launch'));
        await page.evaluate(`document.querySelector('#launches th.passes button').click()`);
        must(await rows('passes') === '9504,576,576', await rows('passes'));
    });
    await claim('a click shows a launch', async () => {
        await page.sleep(500); // longer than the picture's words, and with them the address, wait
        must(await page.evaluate('location.hash') === '', 'the list has the address of a picture');
        await page.evaluate(`document.querySelectorAll('#launches td.kernel a')[1].click()`);
        await page.until(`/padded/.test(document.getElementById('says').textContent)`);
        must(await page.evaluate(`document.getElementById('launches').hidden`), 'the list is still there');
    });
    await claim('Back comes back to the list', async () => {
        await page.sleep(1500); // the address says where the picture is once it rests
        await page.evaluate('history.back()');
        await page.until(`!document.getElementById('launches').hidden`);
    });
    await claim('Forward shows the launch again', async () => {
        await page.evaluate('history.forward()');
        await page.until(`document.getElementById('launches').hidden && /padded/.test(document.getElementById('says').textContent)`);
        await page.evaluate('history.back()');
        await page.until(`!document.getElementById('launches').hidden`);
    });
    await claim('so does the link in the head', async () => {
        await page.evaluate(`document.querySelectorAll('#launches td.kernel a')[0].click()`);
        await page.until(`/naive/.test(document.getElementById('says').textContent)`);
        await page.evaluate(`document.getElementById('back').click()`);
        await page.until(`!document.getElementById('launches').hidden`);
    });
    await claim('below the PTX stand the registers of a lane', async () => {
        await page.evaluate(`(paint => {
            window.drawn = [];
            CanvasRenderingContext2D.prototype.fillText = function (words, ...at) {
                drawn.push(words);
                paint.call(this, words, ...at);
            };
            document.querySelectorAll('#launches td.kernel a')[0].click();
        })(CanvasRenderingContext2D.prototype.fillText)`);
        await page.until(`drawn.some(words => words.startsWith('naive'))`);
        await page.key('i');
        await page.until(`drawn.includes('registers in lane 0')`);
        must(await page.evaluate(`drawn.includes('${process.argv[3]}')`), 'not ' + process.argv[3] + ': ' +
            await page.evaluate(`drawn.filter(words => /^0x/.test(words)).join('; ')`));
        await page.evaluate(`document.getElementById('back').click()`);
        await page.until(`!document.getElementById('launches').hidden`);
    });
    await claim('on a telephone it does not scroll sideways, and a name has a line of its own', async () => {
        const small = await open('file://' + process.argv[2], {browser: process.argv[4], width: 412, height: 800});
        await small.until(`document.querySelectorAll('#launches tbody tr').length === 3`);
        const [all, seen, name, row] = await small.evaluate(`(list => [list.scrollWidth, list.clientWidth,
            ...['td.kernel', 'tbody tr'].map(part => list.querySelector(part).clientWidth)])(document.getElementById('launches'))`);
        await small.close();
        must(all <= seen && name > 0.9 * row, [all, seen, name, row].join());
    });
    await claim('nothing breaks the policy', async () => {
        const complaints = await page.complaints();
        must(!complaints.length, complaints.join('; '));
    });
    await page.close();
})();
