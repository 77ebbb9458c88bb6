// compile.js - the compiler and the machine (kernel.c), in the worker of a page in which kernels are written.

let compiling; // the module, as an instance
async function connect_compiler(module) {
    const wasi = {};
    for (const wanted of WebAssembly.Module.imports(module))
        wasi[wanted.name] = () => 8;
    wasi.proc_exit = () => { throw new Error('out of memory'); };
    const c = (await WebAssembly.instantiate(module, {wasi_snapshot_preview1: wasi})).exports;
    c._initialize();
    return {c, k: c.create()};
}

// What a launch that was said of a source before can still be said of.
const signature_of = ({kernels, dynamic}) => JSON.stringify([dynamic, kernels.map(k => [k.name, k.parameters])]);

// {compiler: module} first; then {compiler: null, id, source, files, launch, same}, files being what it may include:
// [[name, text], ...] or null, launch being executed at once if the kernels have the signature `same`; {compiler: null, id,
// launch, given, result}, given being the bytes of the array that the launch so calls, result
// the number of the array that is wanted back; or {compiler: null, id, exercise} (exercise.js).
let filed = false;
async function compile_work({compiler, id, source, files, launch, same, given, result, exercise}) {
    if (compiler) {
        compiling = connect_compiler(compiler);
        return;
    }
    const answer = {id}, since = performance.now();
    try {
        const {c, k} = await compiling;
        const string = at => {
            const bytes = new Uint8Array(c.memory.buffer);
            return at ? decoder.decode(bytes.subarray(at, bytes.indexOf(0, at))) : null;
        };
        const put = words => {
            const letters = encoder.encode(words), at = c.room(k, letters.length);
            new Uint8Array(c.memory.buffer).set(letters, at);
            return letters.length;
        };
        const bytes = () => {
            const at = c.bytes(k);
            return new Uint8Array(c.memory.buffer).slice(at, at + c.byte_count(k));
        };
        if (exercise)
            exercise_work({c, k, put, string, bytes}, exercise, answer);
        if (source !== undefined) {
            for (const file of filed ? [] : files ?? [])
                c.file(k, put(file.join('\0')));
            filed ||= !!files;
            const length = put(source);
            answer.compiled = JSON.parse(string(c.compile(k, length)));
            answer.compiled.ms = performance.now() - since;
        }
        if (launch && (!answer.compiled || (answer.compiled.kernels.length && signature_of(answer.compiled) === same))) {
            answer.ran = true;
            put(launch);
            if (given) {
                const at = c.given(k, given.length);
                new Uint8Array(c.memory.buffer).set(given, at);
            }
            const told = string(c.run(k));
            if (told) {
                answer.told = JSON.parse(told);
                answer.bytes = bytes();
                const at = result && c.array(k, result.number);
                if (at)
                    answer.result = new Uint8Array(c.memory.buffer).slice(at, at + result.bytes);
            } else {
                answer.refused = string(c.error(k));
            }
        }
    } catch (trouble) {
        answer.refused = 'this needs more memory than a page has; choose smaller arrays or a smaller grid';
        answer.broken = true;
    }
    answer.ms = performance.now() - since;
    postMessage(answer);
}
