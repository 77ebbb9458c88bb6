// chromium.js - drives a headless Chromium from node, over pipes: for browser.js, which says what a page's functions
// do.
'use strict';
const {spawn} = require('child_process');
const fs = require('fs');
const sleep = ms => new Promise(done => setTimeout(done, ms));
const NUMBERS = {Tab: 9, Enter: 13, Escape: 27, ' ': 32, ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40}; // of Windows

// Starts the program. Returns what acts in its page; send and heard are the protocol's, for what only Chromium does.
async function start(program, profile, {width, height, ratio, downloads = profile}) {
    const browser = spawn(program, ['--headless=new', '--no-sandbox', '--disable-gpu', '--no-first-run',
        '--disable-dev-shm-usage', '--remote-debugging-pipe', `--user-data-dir=${profile}`, 'about:blank'],
        {stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe']});
    const [, , , to, from] = browser.stdio;
    const waiting = new Map(), heard = [];
    let rest = '', count = 0;
    from.on('data', bytes => {
        const parts = (rest + bytes).split('\0');
        rest = parts.pop();
        for (const part of parts.map(JSON.parse)) {
            if (!part.id) {
                heard.push(part);
                continue;
            }
            const [good, bad] = waiting.get(part.id);
            part.error ? bad(new Error(part.error.message)) : good(part.result);
        }
    });
    const ended = new Promise(done => browser.on('exit', done));
    let session;
    const send = (method, params = {}) => new Promise((good, bad) => {
        waiting.set(++count, [good, bad]);
        to.write(JSON.stringify({id: count, method, params, sessionId: session}) + '\0');
    });
    let first; // the page that it begins with
    while (!(first = (await send('Target.getTargets')).targetInfos.find(target => target.type === 'page')))
        await sleep(20);
    session = (await send('Target.attachToTarget', {targetId: first.targetId, flatten: true})).sessionId;
    for (const domain of ['Page', 'Runtime', 'Log'])
        await send(domain + '.enable');
    await send('Emulation.setDeviceMetricsOverride',
               {width, height, deviceScaleFactor: ratio, mobile: width < 500});
    await send('Browser.setDownloadBehavior', {behavior: 'allow', downloadPath: downloads});
    const mouse = (type, x, y, more = {}) => send('Input.dispatchMouseEvent', {type, x, y, ...more});
    return {
        send, heard, mouse,
        evaluate: async expression => {
            const {result, exceptionDetails} = await send('Runtime.evaluate',
                {expression, awaitPromise: true, returnByValue: true});
            if (exceptionDetails)
                throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
            return result.value;
        },
        go: address => send('Page.navigate', {url: address}),
        before: source => send('Page.addScriptToEvaluateOnNewDocument', {source}), // of each page that is opened from now on
        key: async (key, modifiers = 0) => {
            const text = key === 'Enter' ? '\r' : key.length === 1 ? key : undefined;
            const event = {key, code: key === ' ' ? 'Space' : key, modifiers, windowsVirtualKeyCode: NUMBERS[key]};
            await send('Input.dispatchKeyEvent', {type: 'keyDown', ...event, text});
            await send('Input.dispatchKeyEvent', {type: 'keyUp', ...event});
        },
        click: async (x, y) => {
            await mouse('mouseMoved', x, y);
            for (const type of ['mousePressed', 'mouseReleased'])
                await mouse(type, x, y, {button: 'left', clickCount: 1});
        },
        picture: async file => {
            const {data} = await send('Page.captureScreenshot', {format: 'png'});
            fs.writeFileSync(file, Buffer.from(data, 'base64'));
        },
        complaints: () => heard.filter(e => e.method === 'Runtime.exceptionThrown' ||
            (e.method === 'Log.entryAdded' && e.params.entry.level === 'error'))
            .map(e => e.params.entry?.text ?? e.params.exceptionDetails.exception?.description),
        close: async () => {
            await send('Browser.close').catch(() => {});
            await ended;
        },
    };
}

module.exports = {start};
