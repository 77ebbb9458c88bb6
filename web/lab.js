// lab.js - what a student has measured, and what it means: lesson labs (teach/lab.c), in a page.

// The value of an expression over numbers, in the language of teach/expression.c: whole numbers, a quotient rounded
// down, one comparison.
function expression_value(text, numbers) {
    const tokens = text.match(/\d+|[A-Za-z]\w*|[=!<>]=|[-+*/%()<>,]/g) ?? [];
    const absolute = a => a < 0n ? -a : a, gcd = (a, b) => b ? gcd(b, a % b) : absolute(a);
    const divide = (a, b) => {
        if (!b)
            throw new Error('a division by zero');
        return a / b - (a % b && a < 0n !== b < 0n ? 1n : 0n);
    };
    const functions = {gcd, min: (a, b) => a < b ? a : b, max: (a, b) => a > b ? a : b};
    const sums = {'+': (a, b) => a + b, '-': (a, b) => a - b};
    const products = {'*': (a, b) => a * b, '/': divide, '%': (a, b) => a - divide(a, b) * b};
    const comparisons = {'==': (a, b) => a === b, '!=': (a, b) => a !== b, '<': (a, b) => a < b,
        '<=': (a, b) => a <= b, '>': (a, b) => a > b, '>=': (a, b) => a >= b};
    const chain = (operators, next) => {
        let value = next();
        while (Object.hasOwn(operators, tokens[0]))
            value = operators[tokens.shift()](value, next());
        return value;
    };
    const primary = () => {
        const token = tokens.shift();
        if (token === '-')
            return -primary();
        if (token === '(') {
            const value = comparison();
            tokens.shift();
            return value;
        }
        if (Object.hasOwn(functions, token) && tokens[0] === '(') {
            tokens.shift();
            const a = comparison();
            tokens.shift();
            const b = comparison();
            tokens.shift();
            return functions[token](a, b);
        }
        return Object.hasOwn(numbers, token) ? numbers[token] : BigInt(token);
    };
    const sum = () => chain(sums, () => chain(products, primary));
    function comparison() {
        const left = sum();
        return Object.hasOwn(comparisons, tokens[0]) ? BigInt(comparisons[tokens.shift()](left, sum())) : left;
    }
    return comparison();
}

// The records of a CSV file.
function csv_records(text) {
    const records = [[]];
    for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g)) {
        records.at(-1).push(quoted?.replaceAll('""', '"') ?? plain);
        if (end !== ',')
            records.push([]);
    }
    return records;
}

// The sum of a metric over all launches in what ncu --csv has written, or null.
function metric_sum(records, metric) {
    const header = records.find(record => record.includes('Metric Name')) ?? [];
    const name = header.indexOf('Metric Name'), value = header.indexOf('Metric Value');
    const values = records.filter(record => record[name] === metric && /^[\d,]+(\.0*)?$/.test(record[value]));
    return values.length ? values.reduce((sum, record) => sum + BigInt(record[value].replace(/,|\..*/g, '')), 0n) : null;
}

// Makes a lesson's labs reply.
function do_labs(lesson) {
    for (const form of lesson.querySelectorAll('.lab'))
        do_lab(form, english => says(lesson, english));
}

function do_lab(form, say) {
    const asks = [...form.querySelectorAll('input.number')], said = form.querySelector('.said');
    function reply(trouble) {
        const typed = asks.map(ask => ask.value.trim().replaceAll(',', ''));
        if (!typed.every(number => /^\d{1,15}$/.test(number)))
            trouble ??= say('Type whole numbers.');
        if (trouble)
            return void said.replaceChildren(element('p', {textContent: trouble}));
        const numbers = Object.fromEntries(asks.map((ask, i) => [ask.name, BigInt(typed[i])]));
        said.replaceChildren(...[...form.querySelectorAll('template.say')]
            .filter(({dataset}) => expression_value(dataset.if, numbers))
            .map(({content}) => {
                const line = element('p', {}, content.cloneNode(true));
                for (const data of line.querySelectorAll('data'))
                    data.textContent = expression_value(data.value, numbers);
                return line;
            }));
        said.scrollIntoView({block: 'nearest'});
    }
    form.addEventListener('submit', event => {
        event.preventDefault();
        reply();
    });
    form.querySelector('.hint').addEventListener('click', () => {
        for (const ask of asks)
            ask.value = ask.placeholder;
        reply();
    });
    form.querySelector('[type=file]').addEventListener('change', async ({target}) => {
        const records = csv_records(await target.files[0].text());
        const missing = asks.filter(ask => {
            const sum = metric_sum(records, ask.dataset.metric);
            ask.value = sum ?? '';
            return sum === null;
        });
        reply(missing.length ? say('This file has no %s.').replace('%s', missing[0].dataset.metric) : undefined);
    });
}
