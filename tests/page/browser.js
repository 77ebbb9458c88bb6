// browser.js - drives a headless Chromium from node, over pipes: for the tests of the page and bench_page.
'use strict';
const {spawn} = require('child_process');
const fs = require('fs'), os = require('os'), path = require('path');

// The browser, or null where there is none.
function find() {
    for (const name of ['chromium', 'chromium-browser', 'google-chrome'])
        for (const folder of process.env.PATH.split(':'))
            if (fs.existsSync(path.join(folder, name)))
                return path.join(folder, name);
    return null;
}

// Opens a page of that size. Returns functions that act in it.
async function open(url, width = 1280, height = 800, ratio = 1) {
    const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'bankscope-browser-'));
    const browser = spawn(find(), ['--headless=new', '--no-sandbox', '--disable-gpu', '--no-first-run',
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
    const sleep = ms => new Promise(done => setTimeout(done, ms));
    let first; // the page that it begins with
    while (!(first = (await send('Target.getTargets')).targetInfos.find(target => target.type === 'page')))
        await sleep(20);
    session = (await send('Target.attachToTarget', {targetId: first.targetId, flatten: true})).sessionId;
    for (const domain of ['Page', 'Runtime', 'Log'])
        await send(domain + '.enable');
    await send('Emulation.setDeviceMetricsOverride',
               {width, height, deviceScaleFactor: ratio, mobile: width < 500});
    const evaluate = async expression => {
        const {result, exceptionDetails} = await send('Runtime.evaluate',
            {expression, awaitPromise: true, returnByValue: true});
        if (exceptionDetails)
            throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
        return result.value;
    };
    const page = {
        evaluate, sleep, send, heard,
        go: async address => {
            await send('Page.navigate', {url: address});
        },
        // Waits until the expression is true.
        until: async (expression, seconds = 10) => {
            for (const end = Date.now() + 1000 * seconds; Date.now() < end; await sleep(20))
                if (await evaluate(expression).catch(() => false))
                    return true;
            throw new Error(`after ${seconds} s still not: ${expression}`);
        },
        key: async (key, modifiers = 0) => {
            const typed = key.length === 1 ? {text: key} : {};
            await send('Input.dispatchKeyEvent', {type: 'keyDown', key, code: key, modifiers, ...typed});
            await send('Input.dispatchKeyEvent', {type: 'keyUp', key, code: key, modifiers});
        },
        mouse: (type, x, y, more = {}) => send('Input.dispatchMouseEvent', {type, x, y, ...more}),
        picture: async file => {
            const {data} = await send('Page.captureScreenshot', {format: 'png'});
            fs.writeFileSync(file, Buffer.from(data, 'base64'));
        },
        // What the browser complains of: exceptions and breaches of the page's policy.
        complaints: () => heard.filter(e => e.method === 'Runtime.exceptionThrown' ||
            (e.method === 'Log.entryAdded' && e.params.entry.level === 'error'))
            .map(e => e.params.entry?.text ?? e.params.exceptionDetails.exception?.description),
        close: async () => {
            await send('Browser.close').catch(() => {});
            await ended;
            fs.rmSync(profile, {recursive: true, force: true, maxRetries: 5});
        },
    };
    await page.go(url);
    return page;
}

module.exports = {find, open};
