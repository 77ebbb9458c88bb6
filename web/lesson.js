// lesson.js - lessons on a page: questions, hints, what a student has done, which the browser keeps.

// Shows a lesson as far as the first question that is not done.
function pace(lesson) {
    let waits = false;
    for (const block of lesson.querySelectorAll('section:not(.exercise) > :not(section)')) {
        block.hidden = waits;
        waits ||= block.classList.contains('quiz') && !('done' in block.dataset);
    }
}

// What was answered in a lesson, kept by its questions: a list of what was typed, "h" for a hint.
function answers_of(lesson) {
    const kept = `bankscope-answers-${location.pathname}#${lesson.id}`;
    let all = {};
    try {
        all = Object(JSON.parse(localStorage.getItem(kept)));
    } catch { // nothing is kept, or not by us
    }
    return {
        of: question => Array.isArray(all[question]) ? all[question].slice(0, 20).map(String) : [],
        keep(question, typed) {
            all[question] = typed;
            try {
                localStorage.setItem(kept, JSON.stringify(all));
            } catch { // a browser that keeps nothing
            }
        },
        forget: () => localStorage.removeItem(kept),
        any: () => Object.keys(all).length > 0,
    };
}

// What is said in the lesson's language; English where the lesson is.
function says(lesson, english) {
    const word = [...lesson.querySelectorAll('template.word')].find(({title}) => title === english);
    return word?.content.textContent ?? english;
}

// Judges the answers of a question as lesson_reply of teach/play.c does; begins with those that are kept.
function ask(form, kept) {
    const right = form.dataset.answer, choices = +form.dataset.choices;
    const said = form.querySelector('.said'), hint = form.querySelector('.hint');
    const question = form.querySelector('.question').textContent, typed_so_far = [];
    const text = selector => form.querySelector('template' + selector)?.content.cloneNode(true) ?? '';
    const say = english => says(form.closest('.lesson'), english);
    const letter = choice => String.fromCharCode(97 + +choice);
    let wrong = 0, told = false;
    function finish(...words) {
        said.replaceChildren(...words, ' ', text('.because'));
        for (const control of form.querySelectorAll('button, input'))
            control.disabled = true;
        form.dataset.done = '';
        const section = form.closest('section');
        pace(form.closest('.lesson'));
        if (section.querySelector('.quiz:not([data-done])'))
            return;
        for (const later of section.querySelectorAll('.later')) {
            later.previousElementSibling.remove(); // hidden, it would be printed
            later.hidden = false;
        }
        for (const button of section.querySelectorAll('.live'))
            button.disabled = false;
    }
    function answer_is() {
        const label = choices && form.querySelector(`[value="${right}"]`).parentNode;
        return say('The answer is %s.').replace('%s', () => choices ? label.textContent.trim() : right);
    }
    function give_hint() {
        const idea = text('.idea');
        if (told || !idea.textContent)
            return finish(answer_is());
        told = true;
        said.replaceChildren(idea);
    }
    function judge(typed) {
        const shown = choices ? letter(typed) : typed;
        form.dataset.typed = (form.dataset.typed ? form.dataset.typed + ' ' : '') + shown;
        if (+typed === +right)
            return finish(`${shown}: ${say('right.')}`);
        const nudge = text(`[data-when="${+typed}"]`), words = [`${shown}: ${say('not so.')} `, nudge, nudge && ' '];
        wrong++;
        if (wrong >= 3 || (choices && wrong >= choices - 1))
            return finish(...words, answer_is());
        if (!nudge || wrong > 1 || told) { // once told, it stays
            told = true;
            words.push(text('.idea'));
        }
        said.replaceChildren(...words);
    }
    function take(typed) {
        typed_so_far.push(typed);
        if (typed === 'h')
            give_hint();
        else
            judge(typed);
    }
    hint.addEventListener('click', () => {
        take('h');
        kept.keep(question, typed_so_far);
    });
    form.addEventListener('submit', event => {
        event.preventDefault();
        const typed = choices ? form.querySelector(':checked')?.value : form.querySelector('.number').value.trim();
        if (!/^-?\d+$/.test(typed ?? ''))
            return void (said.textContent = say(choices ? 'Choose one.' : 'Type a whole number.'));
        take(typed);
        kept.keep(question, typed_so_far);
        said.scrollIntoView({block: 'nearest'});
    });
    for (const typed of kept.of(question))
        if (!('done' in form.dataset) && /^(h|-?\d+)$/.test(typed))
            take(typed);
}

// Makes a lesson's questions ask. Who comes back goes on, and may begin anew.
function play(lesson) {
    const kept = answers_of(lesson);
    for (const form of lesson.querySelectorAll('.quiz'))
        ask(form, kept);
    do_labs(lesson);
    pace(lesson);
    if (!kept.any())
        return;
    const again = element('button', {textContent: says(lesson, 'forget my answers'), className: 'forget'});
    again.addEventListener('click', () => {
        kept.forget();
        location.reload();
    });
    lesson.querySelector('h2').after(element('p', {}, again));
}
