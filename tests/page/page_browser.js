// page_browser.js PAGE FOLDER - uses the page in a headless Chromium, as a person does; prints a line
// "ok CLAIM" or "not ok CLAIM" for each claim.
'use strict';
const {open, claim, must} = require('./browser.js');
const [, , file, folder] = process.argv, url = 'file://' + file;
const fs = require('fs');
const says = "document.getElementById('says').textContent";
const said = words => `${says}.includes(${JSON.stringify(words)})`;
const note = "document.getElementById('note').textContent";
// Sets a control and tells the page, as typing does.
const type = (label, value) => `{const i = document.querySelector(
    'select[aria-label^=${JSON.stringify(label)}], [type=number][aria-label^=${JSON.stringify(label)}]');
    i.value = ${JSON.stringify(String(value))}; i.dispatchEvent(new Event('input', {bubbles: true}));}`;


(async () => {
    const page = await open(url + '#a=stride+w=12+u=12+s=6+rounds=4&stage=read&round=0');
    await claim('a link is opened', () => page.until(said('stride: read, round 0')));
    await claim('it steps', async () => {
        await page.key('ArrowRight');
        await page.until(said('stride: read, round 1'));
    });
    await claim('the address follows', () => page.until("location.hash.includes('round=1')"));
    await claim('parameters record anew, and the place stays', async () => {
        await page.until(said('6 passes'));
        await page.evaluate(type('s:', 4));
        await page.until(said('round 1, warp 0: 4 passes'));
        must((await page.evaluate('location.hash')).includes('s=4'), 'no s=4 in the address');
    });
    await claim('a wrong parameter is a word', async () => {
        await page.evaluate(type('s:', 0));
        await page.until(`${note}.includes('from 1 to')`);
        await page.evaluate(type('s:', 4));
        await page.until(`${note} === ''`);
    });
    await claim('what a page cannot hold is refused with a word', async () => {
        await page.go(url + '#a=cf-sort+n=4000000');
        await page.until(`${note}.includes('more than a page can hold')`, 60);
    });
    await claim('two kernels race', async () => {
        await page.go(url + '#a=thrust-merge+w=12+u=12+E=5+--input+worst&b=cf-merge+w=12+u=12+E=5+--input+worst');
        await page.until(said('thrust-merge: merge, round 0, warp 0: 5 passes'));
        must(await page.evaluate(said('cf-merge: gather')) && !await page.evaluate(said('stride')),
            await page.evaluate(says));
        must(!await page.evaluate("document.querySelector('#controls > label').hidden"), 'both can be turned');
        await page.key('r');
        await page.key('ArrowRight');
        await page.until(said('cf-merge: gather, round 1'));
        must(await page.evaluate(said('thrust-merge: merge, round 0')), await page.evaluate(says));
        await page.until("location.hash.includes('pass=1')");
    });
    await claim('the mouse tells why', async () => {
        const box = await page.evaluate(
            "(({x, y, width}) => ({x, y, width}))(document.querySelector('canvas').getBoundingClientRect())");
        await page.mouse('mouseMoved', box.x + 60, box.y + 80);
        await page.until(`/word \\d+, list/.test(${says})`);
    });
    await claim('a kernel is chosen from the menu', async () => {
        await page.evaluate(type('kernel', 'transpose'));
        await page.until(said('transpose: '));
    });
    await claim('hostile links stay text', async () => {
        for (const hash of ['#a=<img src=x onerror=document.title=666>', '#a=%3Cscript%3Edocument.title=666%3C/script%3E',
            '#a=stride&stage=<b>&round=99999999999999&warp=-5&theme=<i>&label=%00', '#a=@99&b=@1', '#%E0%A4%A', '#a=' + 'x'.repeat(100000),
            '#a=stride&pass=999999999999&thread=4294967297&panel=7', '#a=stride+w=99999999999999999999&round=%0Atheme+dark']) {
            await page.go(url + hash);
            await page.sleep(150);
            must(!(await page.evaluate('document.title')).includes('666') &&
                 !await page.evaluate("document.querySelector('main img, main script, main b, main i') !== null"), hash.slice(0, 60));
        }
        await page.go(url + '#a=stride+w=12+u=12+s=6');
        await page.until(said('stride: read'));
    });
    await claim('the keyboard alone reaches everything', async () => {
        const reached = new Set();
        for (let i = 0; i < 60; i++) {
            await page.key('Tab');
            reached.add(await page.evaluate('document.activeElement.tagName + (document.activeElement.title || document.activeElement.ariaLabel || document.activeElement.id)'));
        }
        for (const wanted of ['SELECTkernel', 'BUTTONCopy a link that shows what you see', 'BUTTONOne step on'])
            must(reached.has(wanted), 'not ' + wanted);
        must([...reached].some(name => name.startsWith('CANVAS')), 'not the picture');
    });
    await claim('a key that closes a panel closes its controls', async () => {
        await page.go(url + '#a=stride+w=12+u=12+s=6&b=transpose+w=12+u=12');
        await page.until(`${said('stride: ')} && ${said('transpose: ')}`);
        await page.evaluate("document.querySelector('canvas').focus()");
        await page.key('x');
        await page.until("location.hash.startsWith('#a=transpose') && document.querySelector('select').value === 'transpose'");
        must(!await page.evaluate(said('stride: ')), await page.evaluate(says));
    });
    await claim('what stands above the picture is told in words', async () => {
        await page.key('?');
        await page.until(said('one step back, one step on'));
        await page.key('s');
        await page.until(`/^(read|write): \\d+ conflicts; \\d of 2/.test(${says})`);
        await page.key('Escape');
        await page.until(said('transpose: '));
        const {nodes} = await page.send('Accessibility.getFullAXTree');
        const picture = nodes.find(node => node.role?.value === 'application');
        must(picture?.description?.value.includes('transpose: '), 'the picture has no description');
        must(nodes.filter(node => ['button', 'slider', 'spinbutton', 'combobox'].includes(node.role?.value))
            .every(node => node.name.value), 'a control has no name');
    });
    await claim('fingers tap, swipe and pinch', async () => {
        const touch = (type, ...points) => page.send('Input.dispatchTouchEvent',
            {type, touchPoints: points.map(([x, y], id) => ({x, y, id}))});
        await page.send('Emulation.setDeviceMetricsOverride', {width: 390, height: 844, deviceScaleFactor: 3, mobile: true});
        await page.send('Emulation.setTouchEmulationEnabled', {enabled: true, maxTouchPoints: 5});
        await page.go('about:blank');
        await page.go(url + '#a=stride+w=12+u=12+s=6+rounds=4&stage=read&round=0');
        await page.until(said('stride: read, round 0'));
        must(await page.evaluate("document.documentElement.scrollWidth <= 390"), 'wider than the screen');
        await touch('touchStart', [70, 120]);
        await touch('touchEnd');
        await page.until(`location.hash.includes('thread=') && /^thread \\d+: /.test(${says})`);
        await touch('touchStart', [300, 200]);
        for (let x = 280; x > 100; x -= 40)
            await touch('touchMove', [x, 205]);
        await touch('touchEnd');
        await page.until(said('round 1, warp 0'));
        await touch('touchStart', [180, 250]);
        await touch('touchStart', [180, 250], [220, 250]);
        for (let half = 20; half < 120; half += 10)
            await touch('touchMove', [200 - half, 250], [200 + half, 250]);
        await touch('touchEnd');
        await touch('touchStart', [300, 250]); // now it moves the picture
        for (let x = 280; x > 100; x -= 40)
            await touch('touchMove', [x, 255]);
        await touch('touchEnd');
        await page.sleep(400);
        must(await page.evaluate("location.hash.includes('round=1')"), 'it stepped');
        await page.send('Emulation.setTouchEmulationEnabled', {enabled: false});
        await page.send('Emulation.setDeviceMetricsOverride', {width: 1280, height: 800, deviceScaleFactor: 1, mobile: false});
    });
    const front = "!document.getElementById('front').hidden && document.getElementById('front').checkVisibility()";
    await claim('a page that is asked for nothing says what there is', async () => {
        await page.go('about:blank');
        await page.go(url);
        await page.until(front);
        must(!await page.evaluate("document.querySelector('nav').checkVisibility()"), 'it has buttons without a picture');
        must(await page.evaluate("location.hash === '' && document.querySelectorAll('.gallery a').length > 20"), 'no gallery');
        must(await page.evaluate("document.getElementById('front').scrollHeight <= 800"), 'more than a screen');
    });
    await claim('... and links to the lessons where they are beside it, and only there', async () => {
        const there = fs.existsSync(decodeURI(new URL('bankscope-lessons.html', url).pathname));
        const links = await page.evaluate("document.getElementById('lessons-one').hasAttribute('href')");
        must(!links || there, 'it links to a page that is not there');
    });
    await claim('each recipe of the gallery is one', async () => {
        for (const hash of await page.evaluate("[...document.querySelectorAll('#see a')].map(a => a.hash)")) {
            await page.evaluate(`document.querySelector('#see a[href=${JSON.stringify(hash)}]').click()`);
            const kernel = /a=([\w-]+)/.exec(hash)[1], other = /b=([\w-]+)/.exec(hash)?.[1];
            await page.until(`${says}.includes('${kernel}: ') && location.hash.includes('&b=') === ${!!other}`);
            must(await page.evaluate(`${note} === '' && document.querySelector('canvas').checkVisibility()`), hash);
            await page.evaluate("document.querySelector('h1 a').click()"); // and back
            await page.until(front);
        }
    });
    // Opens files, as a person who drops them does: names and texts.
    const drop = files => page.evaluate(`{const t = new DataTransfer();
        for (const [name, text] of ${JSON.stringify(files)})
            t.items.add(new File([text], name));
        document.body.dispatchEvent(new DragEvent('drop', {dataTransfer: t, bubbles: true, cancelable: true}));}`);
    if (fs.existsSync(folder + '/merge.jsonl')) {
        const text = name => fs.readFileSync(`${folder}/${name}`, 'utf8');
        await claim('a recording is dropped', async () => {
            await drop([['some where.jsonl', text('merge.jsonl')]]);
            await page.until(said('thrust-merge: '));
            must(!await page.evaluate(front), 'the first screen stays');
            must(await page.evaluate("document.querySelector('select').value === '@1' && " +
                "document.querySelector('select').selectedOptions[0].textContent === 'some where'"), 'the menu has it not');
        });
        await claim('... with its arrays and global memory; two stand side by side', async () => {
            await drop([['a.jsonl', text('out.jsonl')], ['b.jsonl', text('merge.jsonl')]]);
            await page.until(`${said('both: ')} && ${said('thrust-merge: ')}`);
        });
        await claim('... or a page that was exported', async () => {
            await page.evaluate("document.querySelector('h1 a').click()");
            await drop([['x.html', text('opened.html')]]);
            await page.until(said('cf-merge: '));
        });
        await claim('what is none is a word with its line', async () => {
            for (const [file, words] of [['not one\n', 'no recording'], ['{}\n', 'no recording'], ['', 'is empty'],
                    ['<!doctype html><p>', 'holds no recording'], [text('merge.jsonl').replace('"lane":[0', '"lane":[-1'), 'line 2: "lane"'],
                    [text('merge.jsonl').replace('"warp":12', '"warp":12.5'), 'not whole'],
                    [text('merge.jsonl').replace('"addr":[', '"addr":[4000000000,').replace('"addr":[4000000000,0', '"addr":[4000000000'), 'addr']]) {
                await drop([['some.jsonl', file]]);
                await page.until(`${note}.includes(${JSON.stringify(words)})`);
                await page.evaluate("document.getElementById('note').textContent = ''");
            }
        });
    }
    await claim('a browser that cannot show it is told', async () => {
        const gone = await page.send('Page.addScriptToEvaluateOnNewDocument', {source: 'delete globalThis.WebAssembly'});
        await page.go('about:blank');
        await page.go(url);
        await page.until(`${note}.includes('cannot show the page') && ${note}.includes('Firefox')`);
        must(!await page.evaluate("document.querySelector('nav').checkVisibility()"), 'it has buttons that do nothing');
        await page.send('Page.removeScriptToEvaluateOnNewDocument', gone);
    });
    if (fs.existsSync(folder + '/hostile.html')) {
        await claim('a hostile recording stays text', async () => {
            await page.go(`file://${folder}/hostile.html`);
            await page.until(said('<img src=x onerror=document.title=666>: </script><script>'));
            await page.until(said('cf-merge: '));
            await page.key('s'); // the list of stages
            await page.sleep(200);
            must(!(await page.evaluate('document.title')).includes('666'), 'it ran');
            must(await page.evaluate("document.images.length === 0 && document.scripts.length === 4"), 'it is markup');
            must(await page.evaluate("location.hash.includes('theme=dark')"), 'no --theme');
            must(await page.evaluate("document.querySelector('select').options[1].textContent === 'cf-merge.jsonl: cf-merge'"),
                 'the menu does not tell which launch');
            must(await page.evaluate("document.querySelector('#controls > label').hidden"), 'nothing can be turned');
        });
        await claim('a million accesses are opened', async () => {
            await page.go(`file://${folder}/million.html`);
            await page.until(said('read, round 700, warp 0'));
        });
        await claim('a recording stands beside a kernel, and comes back', async () => {
            await page.evaluate(type('beside it', 'stride'));
            await page.until(`/round 700.*stride: /.test(${says}) && location.hash.includes('a=@1&b=stride')`);
            await page.evaluate(type('kernel', 'wide'));
            await page.until(said('wide: '));
            await page.evaluate(type('kernel', '@1'));
            await page.until(`location.hash.includes('a=@1') && !${said('wide: ')}`);
        });
    }
    if (fs.existsSync(folder + '/lesson.html')) {
        // Answers a question: a wrong number with wrong = 1, else the right one. Returns the reply.
        const answer = (quiz, wrong) => page.evaluate(`{
            const quiz = document.querySelectorAll('.quiz')[${quiz}], right = +quiz.dataset.answer;
            if (+quiz.dataset.choices)
                quiz.querySelectorAll('[type=radio]')[(right + ${wrong}) % +quiz.dataset.choices].checked = true;
            else
                quiz.querySelector('.number').value = right + ${1000 * wrong};
            quiz.querySelector('button').click();
            quiz.querySelector('.said').textContent;
        }`);
        const picture = "[...document.querySelectorAll('figure')].find(f => f.querySelector('.later'))";
        const counted = `(${picture}.querySelector('figcaption').innerText.match(/Right: how many passes/g) ?? []).length`;
        await claim('a lesson hides what it asks for, and shows it once it is answered', async () => {
            await page.go(`file://${folder}/lesson.html`);
            await page.until("document.querySelector('main > article .quiz') !== null && document.images[0].complete");
            must(await page.evaluate('[...document.images].every(i => i.hidden || i.naturalWidth > 0)'), 'a broken picture');
            must(await page.evaluate(`${picture}.querySelector('.later').hidden && ${picture}.querySelector('.live').disabled`), 'told');
            must(await page.evaluate(counted) === 0, 'explains numbers that are not there');
            const bare = "[...document.querySelectorAll('figcaption > :first-child')].filter(c => /Cells: words[.]$/.test(c.textContent)).length";
            must(await page.evaluate(bare) === 1, 'says that a picture without threads has some');
            const count = await page.evaluate("document.querySelectorAll('.quiz').length");
            must(/not so/.test(await answer(0, 1)), 'wrong is right');
            const shown = "[...document.querySelectorAll('.quiz')].filter(q => q.checkVisibility()).length";
            must(await page.evaluate(shown) === 1, 'it goes on before the question is answered');
            for (let quiz = 0; quiz < count; quiz++)
                must(/right\.|The answer is/.test(await answer(quiz, 0)), 'right is wrong');
            must(await page.evaluate(`!${picture}.querySelector('.later').hidden && !${picture}.querySelector('.live').disabled`), 'not shown');
            must(await page.evaluate(counted) === 1, 'does not explain its numbers');
            must(await page.evaluate("[...document.images].every(i => !i.hidden)"), 'would be printed twice');
        });
        await claim('its recordings can be stepped through', async () => {
            await page.evaluate("document.querySelector('.live').click()");
            await page.until(says + ".startsWith('stride: read, round ')");
            await page.evaluate("document.getElementById('shut').click()");
            must(await page.evaluate("document.querySelector('canvas').clientWidth === 0"), 'still open');
        });
        await claim('Back comes back from a picture to the text', async () => {
            await page.until("!/#a=/.test(location.href)");
            await page.evaluate("document.querySelector('.live').click()");
            await page.until(says + ".startsWith('stride: read, round ') && /#a=/.test(location.href)");
            await page.evaluate("history.back()");
            await page.until("document.body.classList.contains('reading') && !/#a=/.test(location.href)");
            await page.evaluate("history.forward()");
            await page.until("!document.body.classList.contains('reading')");
            await page.evaluate("history.back()");
            await page.until("document.body.classList.contains('reading')");
        });
        await claim('answers survive a reload, until they are forgotten', async () => {
            const state = "[...document.querySelectorAll('.quiz')].map(q => ('done' in q.dataset) + q.querySelector('.said').textContent).join('|')";
            const before = await page.evaluate(state);
            must(before.includes('true'), before);
            await page.reload();
            await page.until("document.querySelector('.forget') !== null");
            must(await page.evaluate(state) === before, await page.evaluate(state));
            await page.evaluate("document.querySelector('.forget').click()");
            await page.until("document.querySelector('.quiz .said') !== null && document.querySelector('.forget') === null");
            must(!(await page.evaluate(state)).includes('true'), await page.evaluate(state));
        });
    }
    if (fs.existsSync(folder + '/german.html'))
        await claim('a translated lesson replies in its language', async () => {
            await page.go(`file://${folder}/german.html`);
            await page.until("document.querySelector('main > article .quiz') !== null");
            const reply = value => page.evaluate(`{
                const quiz = document.querySelector('.quiz');
                quiz.querySelector('.number').value = ${value};
                quiz.querySelector('button').click();
                quiz.querySelector('.said').textContent;
            }`);
            const [none, wrong, right] = [await reply('""'), await reply(99), await reply('+quiz.dataset.answer')];
            must(none === 'Tippen Sie eine ganze Zahl.' && wrong.startsWith('99: so nicht. ') &&
                right.startsWith('12: richtig. Alle 12'), [none, wrong, right].join('; '));
        });
    if (fs.existsSync(folder + '/course.html')) {
        /* Plays a lesson in the page: of three questions, one is answered after a hint, one wrongly first, and
         * one wrongly until the answer is told. Returns what does not hold. */
        const play = lesson => {
            const forms = [...lesson.querySelectorAll('.quiz')], trouble = [];
            const must = (good, number, what) => good || trouble.push(`question ${number + 1}: ${what}`);
            forms.forEach((form, i) => {
                const right = +form.dataset.answer, choices = +form.dataset.choices;
                const said = () => form.querySelector('.said').textContent;
                const text = name => form.querySelector('template' + name)?.content.textContent ?? '';
                const answer = value => {
                    if (choices)
                        form.querySelector(`[value="${value}"]`).checked = true;
                    else
                        form.querySelector('.number').value = value;
                    form.querySelector('button').click();
                };
                const wrong = [...form.querySelectorAll('[data-when]')].map(t => +t.dataset.when);
                for (let value = 0; wrong.length < 3; value++)
                    if (value !== right && !wrong.includes(value) && (!choices || value < choices))
                        wrong.push(value);
                    else if (choices && value >= choices)
                        break;
                must(form.checkVisibility(), i, 'is not there');
                must(!forms[i + 1]?.checkVisibility(), i, 'the next one is there, too');
                form.querySelector('button').click();
                must(/^(Type a whole number|Choose one)/.test(said()), i, 'no answer is an answer');
                if (i % 3 === 0 && text('.idea')) {
                    form.querySelector('.hint').click();
                    must(said() === text('.idea'), i, `the hint is ${said()}`);
                }
                for (const value of i % 3 === 0 ? [] : wrong.slice(0, i % 3 === 1 ? 1 : 3)) {
                    if ('done' in form.dataset)
                        break;
                    answer(value);
                    must(said().includes('not so') && said().includes(text(`[data-when="${value}"]`)), i,
                        `${value}: ${said()}`);
                }
                if (!('done' in form.dataset)) {
                    answer(right);
                    must(said().includes(': right.'), i, `${right}: ${said()}`);
                }
                must('done' in form.dataset && said().endsWith(text('.because')), i, `done: ${said()}`);
            });
            const gone = [...lesson.querySelectorAll('section:not(.exercise) > *')].filter(b => b.hidden && !b.nextElementSibling?.matches('.later'));
            must(forms.length >= 4 && gone.length === 0, forms.length, `${gone.length} blocks are missing at the end`);
            must([...lesson.querySelectorAll('.live')].every(b => !b.disabled), forms.length, 'a picture cannot be opened');
            return trouble;
        };
        await page.go(`file://${folder}/course.html`);
        await page.until("document.querySelector('main > article .quiz') !== null && [...document.querySelectorAll('.quiz')].some(q => !q.checkVisibility())", 60);
        for (const name of await page.evaluate("[...document.querySelectorAll('.lesson')].map(l => l.id)"))
            await claim(`lesson ${name} is played to its end`, async () => {
                const trouble = await page.evaluate(`(${play})(document.getElementById('${name}'))`);
                must(trouble.length === 0, trouble.join('; '));
            });
    }
    if (fs.existsSync(folder + '/lab.txt')) {
        const lab = "document.querySelector('.lab')", said = `${lab}.querySelector('.said').textContent`;
        const plain = words => words.replace(/\s+/g, ' ').trim();
        await claim('what is measured is told as in the text player', async () => {
            for (const line of fs.readFileSync(folder + '/lab.txt', 'utf8').trim().split('\n')) {
                const [numbers, words] = line.split(/: (.*)/);
                await page.evaluate(`{
                    const form = ${lab};
                    form.querySelectorAll('input.number').forEach((ask, i) => ask.value = '${numbers}'.split(' ')[i]);
                    form.querySelector('button').click();
                }`);
                const told = plain(await page.evaluate(`[...${lab}.querySelectorAll('.said p')].map(p => p.textContent).join(' ')`));
                must(told === plain(words), `${numbers}: ${told}, not ${words}`);
            }
        });
        await claim('the numbers come from a file of ncu, too', async () => {
            const choose = text => page.evaluate(`{
                const file = ${lab}.querySelector('[type=file]'), chosen = new DataTransfer();
                chosen.items.add(new File([${JSON.stringify(text)}], 'lab.csv'));
                file.files = chosen.files;
                file.dispatchEvent(new Event('change'));
            }`);
            const csv = fs.readFileSync(folder + '/ncu-lab.csv', 'utf8');
            await choose(csv);
            await page.until(`${said}.includes('2080 of 16640')`);
            await choose(csv.replaceAll('smsp__inst_executed_op_shared_ld', 'x'));
            await page.until(`${said} === 'This file has no smsp__inst_executed_op_shared_ld.sum.'`);
            await page.evaluate(`${lab}.querySelector('.number').value = '1.5', ${lab}.querySelector('button').click()`);
            must(await page.evaluate(said) === 'Type whole numbers.', await page.evaluate(said));
            await page.evaluate(`${lab}.querySelector('.hint').click()`);
            await page.until(`${said}.includes('32 of 1024')`);
        });
    }
    await claim('the browser has nothing to complain of', async () => {
        const heard = await page.complaints();
        must(heard.length === 0, heard.join('; '));
    });
    await page.close();
})().catch(trouble => {
    console.log('not ok ' + trouble.message);
    process.exit(1);
});
