// exercise_wasm.js KERNEL.wasm BANKSCOPE FOLDER SEED - marks the hand-ins of a folder, NAME of LESSON/, as a page
// does, and says whether `check` gives them the same marks: "ok CLAIM" or "not ok CLAIM".
//
// FOLDER has LESSON/exercise (the folder of an exercise) and LESSON/*.cu (hand-ins).
'use strict';
const fs = require('fs'), path = require('path');
const {spawnSync} = require('child_process');
const [, , wasm, bankscope, folder, seed] = process.argv;
const {c, k, put, string} = require('./kernel_module.js').load(wasm);
const claim = (words, good) => console.log((good ? 'ok ' : 'not ok ') + words);
const read = (...parts) => fs.readFileSync(path.join(folder, ...parts), 'utf8');

function marks_of(source) {
    const length = put(source), told = string(c.grade(k, length, +seed));
    return told ? JSON.parse(told) : {error: string(c.error(k))};
}
// What both say, in one form.
function form(marks) {
    if (!marks.compiled)
        return {error: marks.messages.map(m => `${m.line}:${m.column}: ${m.text}`)[0]};
    return {points: marks.points, of: marks.most, runs: marks.runs, goals: marks.findings.map(f => ({
        goal: f.what, met: f.met, why: f.met ? '' : f.why || 'nothing to measure: no run got there', hint: f.hint}))};
}
function form_native(file) {
    if (file.error)
        return {error: file.error.replace(/^.* does not compile: /, '')};
    return {points: file.points, of: file.of, runs: file.runs, goals: file.goals.map(g => ({
        goal: g.goal, met: g.met, why: g.why ?? '', hint: g.hint ?? ''}))};
}

for (const lesson of fs.readdirSync(folder).sort()) {
    const names = fs.readdirSync(path.join(folder, lesson)).filter(name => name.endsWith('.cu'));
    const texts = ['exercise.txt', 'exercise.cu', 'grading.cu'].map(name => read(lesson, 'exercise', name));
    const length = put(texts.join('\0')), exercise = string(c.exercise(k, length));
    claim(`${lesson}: the exercise is read in WebAssembly`, exercise !== null);
    if (!exercise) {
        console.error(string(c.error(k)));
        continue;
    }
    const {stdout} = spawnSync(bankscope, ['check', '--exercise', path.join(folder, lesson, 'exercise') + '/', '--seed', seed,
        '--json', '-', ...names.map(name => path.join(folder, lesson, name))], {encoding: 'utf8', maxBuffer: 1 << 26});
    const native = JSON.parse(stdout).files;
    let same = 0, missed = 0, shown = 0;
    native.forEach((file, i) => {
        const source = read(lesson, names[i]), marks = marks_of(source);
        const here = JSON.stringify(form(marks)), there = JSON.stringify(form_native(file));
        same += here === there;
        if (here !== there)
            console.error(`${names[i]}:\n  ${here}\n  ${there}`);
        if (marks.missed) {
            missed++;
            const length = put(source), told = string(c.show(k, length, 1));
            const why = told ? '' : string(c.error(k)); // a loop without end may be before any access
            shown += told ? c.byte_count(k) > 100 && /"stage":"\w/.test(told) : /^no access to shared/.test(why);
            if (why)
                console.error(`${names[i]}: ${why}`);
        }
    });
    claim(`${lesson}: ${names.length} hand-ins have the same marks in WebAssembly as natively`, same === names.length);
    claim(`${lesson}: what missed a goal is recorded, or told why not`, shown === missed);
}
claim('what has no marks is told why', marks_of('int x;').error.includes('your part begins'));
claim('an exercise that is none is told why', (() => {
    const length = put('summary x\0y\0z');
    return c.exercise(k, length) === 0 && string(c.error(k)).length > 5;
})());
