// firefox.js - drives a headless Firefox from node by its Marionette protocol: for browser.js, which says what a
// page's functions do.
'use strict';
const {spawn} = require('child_process');
const fs = require('fs'), net = require('net'), path = require('path');
const sleep = ms => new Promise(done => setTimeout(done, ms));
const KEYS = {Enter: '\uE007', Tab: '\uE004', Escape: '\uE00C', ArrowLeft: '\uE012', ArrowUp: '\uE013',
    ArrowRight: '\uE014', ArrowDown: '\uE015'};

// Connects to the port. Messages are [0, number, name, parameters], answers [1, number, error, result], each after
// its length and a colon. Returns the function that sends one.
function connect(port) {
    const socket = net.connect(port, '127.0.0.1'), waiting = new Map();
    let rest = Buffer.alloc(0), count = 0;
    socket.on('data', bytes => {
        rest = Buffer.concat([rest, bytes]);
        for (let colon; (colon = rest.indexOf(58)) > 0;) {
            const end = colon + 1 + Number(rest.subarray(0, colon));
            if (rest.length < end)
                return;
            const [kind, number, bad, good] = [].concat(JSON.parse(rest.subarray(colon + 1, end)));
            rest = rest.subarray(end);
            if (kind === 1)
                waiting.get(number)[bad ? 1 : 0](bad ? new Error(bad.message) : good);
        }
    });
    socket.on('error', () => {});
    return (name, parameters = {}) => new Promise((good, bad) => {
        const text = JSON.stringify([0, ++count, name, parameters]);
        waiting.set(count, [good, bad]);
        socket.write(Buffer.byteLength(text) + ':' + text);
    });
}

// Starts the program. What is downloaded goes to the profile, or to downloads. Returns what acts in its page.
async function start(program, profile, {width, height, downloads = profile}) {
    const settings = {'marionette.port': 0, 'dom.w3c_touch_events.enabled': 1, 'app.update.enabled': false,
        'browser.download.folderList': 2, 'browser.download.dir': downloads, 'browser.download.alwaysOpenPanel': false};
    fs.writeFileSync(path.join(profile, 'user.js'), Object.entries(settings).map(([name, value]) =>
        `user_pref("${name}", ${JSON.stringify(value)});\n`).join(''));
    const browser = spawn(program, ['--headless', '--marionette', '--remote-allow-system-access', '--no-remote',
        '--profile', profile], {stdio: 'ignore', env: {...process.env, HOME: profile}});
    const ended = new Promise(done => browser.on('exit', done));
    process.on('exit', () => browser.kill());
    const active = path.join(profile, 'MarionetteActivePort'); // it writes its port there
    for (let i = 0; i < 600 && !fs.existsSync(active); i++)
        await sleep(100);
    const send = connect(+fs.readFileSync(active, 'utf8'));
    await send('WebDriver:NewSession');
    const run = async (script, ...args) => (await send('WebDriver:ExecuteScript', {script, args})).value;
    // In the browser itself, rather than in its page.
    const inside = async (script, ...args) => {
        await send('Marionette:SetContext', {value: 'chrome'});
        const value = await run(script, ...args);
        await send('Marionette:SetContext', {value: 'content'});
        return value;
    };
    // A window is never as narrow as a phone; its page is.
    await send('WebDriver:SetWindowRect', {width: Math.max(width, 600), height: height + 200});
    await inside(`const {style} = gBrowser.selectedBrowser;
        for (const [name, pixels] of [['width', arguments[0]], ['height', arguments[1]]])
            for (const which of ['', 'min-', 'max-'])
                style.setProperty(which + name, pixels + 'px');`, width, height);
    const act = (type, more, ...actions) => send('WebDriver:PerformActions', {actions: [{type, id: type, ...more, actions}]});
    return {
        act,
        evaluate: expression => run('return eval(arguments[0])', expression),
        go: address => send('WebDriver:Navigate', {url: address}),
        key: name => act('key', {}, ...['keyDown', 'keyUp'].map(type => ({type, value: KEYS[name] ?? name}))),
        click: (x, y) => act('pointer', {parameters: {pointerType: 'mouse'}},
            {type: 'pointerMove', x: Math.round(x), y: Math.round(y)},
            {type: 'pointerDown', button: 0}, {type: 'pointerUp', button: 0}),
        picture: async file => fs.writeFileSync(file,
            Buffer.from((await send('WebDriver:TakeScreenshot', {full: false})).value, 'base64')),
        complaints: () => inside(`return Services.console.getMessageArray().filter(m => m instanceof Ci.nsIScriptError &&
            !(m.flags & Ci.nsIScriptError.warningFlag) && m.sourceName.startsWith('file:')).map(m => m.errorMessage)`),
        close: async () => {
            await send('Marionette:Quit', {flags: ['eForceQuit']}).catch(() => {});
            await ended;
        },
    };
}

module.exports = {start};
