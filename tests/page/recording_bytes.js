// recording_bytes.js PAGE.html TRACE.jsonl - whether what the page makes of a trace that a person opens is, byte for
// byte, what `export` put into a page of it.
'use strict';
const fs = require('fs'), path = require('path'), vm = require('vm'), zlib = require('zlib');
const [, , page, trace] = process.argv;
const context = vm.createContext({encoder: new TextEncoder()});
vm.runInContext(fs.readFileSync(path.join(__dirname, '../../web/front.js'), 'utf8'), context);
const opened = Buffer.from(context.pack_lines(fs.readFileSync(trace, 'utf8')));
const [, block] = /class="recording"[^>]*>([^<]+)</.exec(fs.readFileSync(page, 'utf8'));
let exported = Buffer.from(block, 'base64');
if (exported[0] === 0x1f)
    exported = zlib.gunzipSync(exported);
if (!opened.equals(exported)) {
    console.log(`${opened.length} bytes, and not the ${exported.length} of the page`);
    process.exit(1);
}
