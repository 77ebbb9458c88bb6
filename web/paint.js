// paint.js - paints the drawing list that the program makes (page.c).

const families = "'Liberation Sans', Arial, Helvetica, 'DejaVu Sans', sans-serif";
const code_families = "'Liberation Mono', 'DejaVu Sans Mono', monospace";
const faces = [['', families], ['bold ', families], ['', code_families], ['', families],
               ['bold ', families]];
const aligns = ['left', 'center', 'right'];

// Paints the list at `list` (page.c: list_of) with the scale that the context has.
function paint(ink, memory, list) {
    const bytes = new Uint8Array(memory), f32 = new Float32Array(memory);
    const u32 = new Uint32Array(memory);
    const [count, items, texts, theme, width, height] = u32.subarray(list >> 2, (list >> 2) + 6);
    const colours = [];
    const colour = role => colours[role] ??=
        '#' + (u32[(theme >> 2) + role] & 0xffffff).toString(16).padStart(6, '0');
    let fill = -1, font = '', align = -1;
    const use = role => {
        if (role !== fill)
            ink.fillStyle = colour(fill = role);
    };
    use(1); // paper
    ink.fillRect(0, 0, width / 100, height / 100);
    for (let i = 0, at = items; i < count; i++, at += 32) {
        const word = at >> 2, shape = bytes[at], role = bytes[at + 1], edge = bytes[at + 2];
        const x = f32[word + 2], y = f32[word + 3], w = f32[word + 4], h = f32[word + 5];
        const thick = f32[word + 6];
        if (shape === 0) {
            if (role) {
                use(role);
                ink.fillRect(x, y, w, h);
            }
            if (edge) {
                ink.strokeStyle = colour(edge);
                ink.lineWidth = thick;
                ink.strokeRect(x + thick / 2, y + thick / 2, w - thick, h - thick);
            }
        } else if (shape === 1) {
            ink.strokeStyle = colour(role);
            ink.lineWidth = thick;
            ink.setLineDash(bytes[at + 5] ? [1.2 * thick, 1.4 * thick] : []);
            ink.beginPath();
            ink.moveTo(x, y);
            ink.lineTo(x + w, y + h);
            ink.stroke();
            ink.setLineDash([]);
        } else if (shape === 2) { // marks and turned texts are in charts, not in pages
            const from = texts + u32[word + 7], face = bytes[at + 4];
            let to = from, words = '';
            while (bytes[to] > 0 && bytes[to] < 128)
                words += String.fromCharCode(bytes[to++]);
            if (bytes[to])
                words = decoder.decode(bytes.subarray(from, bytes.indexOf(0, to)));
            use(role);
            const wanted = `${faces[face][0]}${thick}px ${faces[face][1]}`;
            if (wanted !== font)
                ink.font = font = wanted;
            if (bytes[at + 3] !== align)
                ink.textAlign = aligns[align = bytes[at + 3]];
            ink.fillText(face > 2 ? words.replaceAll('`', '') : words, x, y);
        }
    }
}
