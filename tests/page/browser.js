// browser.js - a page in a headless Chromium or Firefox, and the claims that a script makes of it. As a program,
// browser.js BROWSER: status 0 where there is that browser.
'use strict';
const fs = require('fs'), os = require('os'), path = require('path');
const BROWSERS = {
    chromium: {names: ['chromium', 'chromium-browser', 'google-chrome'], start: './chromium.js'},
    firefox: {names: ['firefox', 'firefox-esr'], start: './firefox.js'},
};
const sleep = ms => new Promise(done => setTimeout(done, ms));

// The browser's file, or null where there is none.
function find(browser = 'chromium') {
    for (const name of BROWSERS[browser].names)
        for (const folder of process.env.PATH.split(':'))
            if (fs.existsSync(path.join(folder, name)))
                return path.join(folder, name);
    return null;
}

/* Opens a page of that size in pixels of CSS; what it downloads goes to the folder downloads. Its functions, which are
 * to be awaited: evaluate(expression), go(address), key(name), click(x, y), picture(file), and complaints(): exceptions
 * and breaches of the page's policy. Drivers have more, which their files tell. */
async function open(url, {browser = 'chromium', width = 1280, height = 800, ratio = 1, downloads} = {}) {
    const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'bankscope-browser-'));
    const driver = await require(BROWSERS[browser].start).start(find(browser), profile, {width, height, ratio, downloads});
    await driver.go(url);
    return {
        ...driver, sleep,
        // Waits until the expression is true.
        until: async (expression, seconds = 30) => {
            for (const end = Date.now() + 1000 * seconds; Date.now() < end; await sleep(20))
                if (await driver.evaluate(expression).catch(() => false))
                    return true;
            throw new Error(`after ${seconds} s still not: ${expression}`);
        },
        // Loads the page anew; the one that is about to go still has all that a script may look for.
        reload: async () => {
            await driver.evaluate('(window.old = true, location.reload())').catch(() => {});
            while (await driver.evaluate('window.old !== undefined').catch(() => true))
                await sleep(20);
        },
        close: async () => {
            await driver.close();
            fs.rmSync(profile, {recursive: true, force: true, maxRetries: 5});
        },
    };
}

// Prints "ok WORDS" if what can be done, else "not ok WORDS" and why.
async function claim(words, what) {
    try {
        await what();
        console.log('ok ' + words);
    } catch (trouble) {
        console.log(`not ok ${words} (${trouble.message})`);
    }
}
function must(good, what) {
    if (!good)
        throw new Error(what);
}

module.exports = {find, open, claim, must};
if (require.main === module)
    process.exit(find(process.argv[2]) ? 0 : 1);
