// page_firefox.js PAGE FOLDER - uses the page in a headless Firefox, by way of its Marionette protocol;
// prints a line "ok CLAIM" or "not ok CLAIM" for each claim. Without Firefox it prints "none".
'use strict';
const {spawn, spawnSync} = require('child_process');
const fs = require('fs'), net = require('net'), os = require('os'), path = require('path');
const [, , file, folder] = process.argv, url = 'file://' + file;
const says = "document.getElementById('says').textContent";
const sleep = ms => new Promise(done => setTimeout(done, ms));

// Starts a Firefox. Its messages are [0, number, name, parameters], answers [1, number, error, result],
// each after its length and a colon.
async function start(program, profile) {
    fs.writeFileSync(path.join(profile, 'user.js'), 'user_pref("marionette.port", 0);\n' +
        'user_pref("dom.w3c_touch_events.enabled", 1);\nuser_pref("app.update.enabled", false);\n');
    const browser = spawn(program, ['--headless', '--marionette', '--no-remote', '--profile', profile],
                          {stdio: 'ignore', env: {...process.env, HOME: profile}});
    const ended = new Promise(done => browser.on('exit', done));
    process.on('exit', () => browser.kill());
    const active = path.join(profile, 'MarionetteActivePort'); // it writes its port there
    for (let i = 0; i < 600 && !fs.existsSync(active); i++)
        await sleep(100);
    const socket = net.connect(+fs.readFileSync(active, 'utf8'), '127.0.0.1'), waiting = new Map();
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
    const send = (name, parameters = {}) => new Promise((good, bad) => {
        const text = JSON.stringify([0, ++count, name, parameters]);
        waiting.set(count, [good, bad]);
        socket.write(Buffer.byteLength(text) + ':' + text);
    });
    await send('WebDriver:NewSession');
    return {send, close: async () => {
        await send('Marionette:Quit', {flags: ['eForceQuit']}).catch(() => {});
        socket.destroy();
        await ended;
    }};
}

(async () => {
    const program = ['firefox', 'firefox-esr'].find(name => spawnSync('sh', ['-c', `command -v ${name}`]).status === 0);
    if (!program)
        return console.log('none');
    const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'bankscope-firefox-'));
    const {send, close} = await start(program, profile);
    const go = address => send('WebDriver:Navigate', {url: 'about:blank'})
        .then(() => send('WebDriver:Navigate', {url: address}));
    const evaluate = async expression =>
        (await send('WebDriver:ExecuteScript', {script: `return (${expression})`, args: []})).value;
    const until = async expression => {
        for (const end = Date.now() + 60000; Date.now() < end; await sleep(50))
            if (await evaluate(expression).catch(() => false))
                return;
        throw new Error('still not: ' + expression);
    };
    const act = (type, more, ...actions) => send('WebDriver:PerformActions',
        {actions: [{type, id: type, ...more, actions}]});
    const key = value => act('key', {}, {type: 'keyDown', value}, {type: 'keyUp', value});
    const claim = async (words, what) => {
        try {
            await what();
            console.log('ok ' + words);
        } catch (trouble) {
            console.log(`not ok ${words} (${trouble.message})`);
        }
    };
    await claim('in Firefox a link is opened', async () => {
        await go(url + '#a=stride+w=12+u=12+s=6+rounds=4&stage=read&round=0');
        await until(`${says}.includes('stride: read, round 0')`);
    });
    await claim('in Firefox keys step', async () => {
        await key('\uE014'); // the right arrow
        await until(`${says}.includes('round 1, ') && location.hash.includes('round=1')`);
    });
    await claim('in Firefox parameters record anew', async () => {
        await evaluate(`(() => {
            const input = document.querySelector('[type=number][aria-label^="s:"]');
            input.value = 4;
            input.dispatchEvent(new Event('input', {bubbles: true}));
        })()`);
        await until(`${says}.includes('round 1, warp 0: 4 passes')`);
    });
    await claim('in Firefox a finger swipes', async () => {
        const box = await evaluate("(({x, y}) => [x, y])(document.querySelector('canvas').getBoundingClientRect())");
        const at = (x, duration) => ({type: 'pointerMove', x: Math.round(box[0] + x), y: Math.round(box[1] + 150), duration});
        await act('pointer', {parameters: {pointerType: 'touch'}}, at(250, 0), {type: 'pointerDown', button: 0},
                  at(60, 100), {type: 'pointerUp', button: 0});
        await until(`${says}.includes('round 2, ')`);
    });
    if (fs.existsSync(folder + '/hostile.html'))
        await claim('in Firefox a hostile recording stays text', async () => {
            await go(`file://${folder}/hostile.html`);
            await until(`${says}.includes('<img src=x onerror=document.title=666>: ')`);
            await sleep(200);
            if ((await evaluate('document.title')).includes('666') || await evaluate('document.images.length'))
                throw new Error('it is markup');
        });
    await close();
    fs.rmSync(profile, {recursive: true, force: true, maxRetries: 5});
})().catch(trouble => {
    console.log('not ok ' + trouble.message);
    process.exit(1);
});
