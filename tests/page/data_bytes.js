// data_bytes.js PAGE.html ID FILE - whether the page unpacks, from its data block ID, the bytes of FILE.
'use strict';
const fs = require('fs'), path = require('path'), vm = require('vm'), zlib = require('zlib');
const [, , page, id, file] = process.argv;
const script = fs.readFileSync(path.join(__dirname, '../../web/page.js'), 'utf8');
const context = vm.createContext({});
vm.runInContext(/^function bytes_of\([^]*?^}$/m.exec(script)[0], context);
const [, signs] = new RegExp(`id="${id}">([^<]+)<`).exec(fs.readFileSync(page, 'utf8'));
if (!zlib.gunzipSync(context.bytes_of(signs)).equals(fs.readFileSync(file))) {
    console.log(`${page}: ${id} is not ${file}`);
    process.exit(1);
}
