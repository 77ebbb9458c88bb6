#!/bin/sh
# Lessons in other languages: texts alone change, and a translation that changes more is refused.
. tests/support/tap.sh

"$BANKSCOPE" help lesson >/dev/null 2>&1 || {
    skip "translations" "this build has no cmark"
    finish
    exit
}

# ---- those that come with the program

for file in "$TREE"/lessons/*/*.po; do
    language=$(basename "$file" .po) name=$(basename "$(dirname "$file")")
    same_answers() { # letters of choices, and numbers
        for student in Ada Bob; do
            "$BANKSCOPE" lesson --answers "$name" --student "$student" >"$WORK/english" &&
                "$BANKSCOPE" lesson --answers "$name" --student "$student" --language "$language" >"$WORK/other" || return
            for one in english other; do
                sed -n 's/^  = \([a-f]\)) .*/\1/p; s/^  = \([0-9-]*\)$/\1/p' "$WORK/$one" >"$WORK/$one.answers"
            done
            diff "$WORK/english.answers" "$WORK/other.answers" && grep -q . "$WORK/other.answers" || return
        done
    }
    ok "$name in $language has the same answers" same_answers
    differs() { # each question and note is another text
        grep -v '^  = ' "$WORK/english" >"$WORK/english.texts"
        grep -v '^  = ' "$WORK/other" >"$WORK/other.texts"
        [ "$(wc -l <"$WORK/english.texts")" -eq "$(wc -l <"$WORK/other.texts")" ] &&
            ! grep -Fxf "$WORK/english.texts" "$WORK/other.texts"
    }
    ok "$name in $language has other questions and notes" differs
    plays() {
        yes h 2>/dev/null | "$BANKSCOPE" lesson "$name" --language "$language" >"$WORK/played" || return
        ! grep -nE '[{}]| $|Rows:|answer is|Exercise:' "$WORK/played"
    }
    ok "$name in $language plays to the end" plays
done

# What players say: every call in the sources, and the lists that such calls take.
says() {
    {
        cat "$TREE"/teach/*.c "$TREE"/teach/class/*.c "$TREE"/commands/lesson*.c | tr '\n' ' ' |
            grep -oE 'lesson_says\([^"()]*"([^"\\]|\\.)*"( *"([^"\\]|\\.)*")*( *: *lesson_says)?' |
            sed -E 's/^lesson_says\([^"]*"//; s/" *"//g; s/"[^"]*$//'
        for list in "teach/describe.c lesson_axes" "teach/page.c put_words"; do
            sed -n "/${list#* }(const/,/};/p" "$TREE/${list% *}" | tr '\n' ' ' | sed 's/" *"//g' |
                grep -oE '"[^"]+"' | tr -d '"'
        done
        sed -n 's/^- //p' "$TREE/lessons/glossary.md"
    } | sort -u
}
for file in "$TREE"/lessons/*.po; do
    complete() {
        says >"$WORK/says"
        sed -n 's/^msgid "\(.*\)"$/\1/p' "$file" | grep . | sort >"$WORK/there"
        [ "$(wc -l <"$WORK/says")" -gt 60 ] && diff "$WORK/says" "$WORK/there"
    }
    ok "$(basename "$file") has what players say and the glossary, and nothing else" complete
done

# ---- choosing

run_it "$BANKSCOPE" lesson strides --language de
ok "a lesson in German" grep -q '^[0-9]* Minuten, geschätzt nach der Länge, und [0-9]* für die Übung' "$WORK/stdout"
ok "and nothing is complained of" test ! -s "$WORK/stderr"
run_it env LANG=de_DE.UTF-8 LC_ALL=de_DE.UTF-8 LANGUAGE=de "$BANKSCOPE" lesson strides
ok "only when it is asked for" grep -q '^Strides ' "$WORK/stdout"
run_it "$BANKSCOPE" lesson banks --language de
ok "one that is not translated is in English" grep -q '^What a bank is$' "$WORK/stdout"
ok "and says so in a line" grep -qx 'bankscope lesson: in English, since there is no de.po: 01-banks' "$WORK/stderr"
run_it "$BANKSCOPE" lesson --language de
ok "the list has what there is" sh -c 'grep -q "^02-strides.*Schrittweiten" "$1" && grep -q "^01-banks.*What" "$1"' - "$WORK/stdout"
run_it "$BANKSCOPE" lesson glossary --language de
ok "the glossary" grep -q '^Warp: 32 Threads' "$WORK/stdout"
for bad in de/../x ../de deutsch d De de_; do
    refuses "$bad is no language" 2 "is not the name of a language" "$BANKSCOPE" lesson strides --language "$bad"
done

# ---- one of one's own

mkdir "$WORK/own"
cat >"$WORK/own/lesson.md" <<'END'
# Own title

## Page one

```draw
n = 2, 3
```

There are {n} of 12 words in `tile`.

```text
bank 0   0  4   {not filled in}
bank 1   1  5
```

```c
int bank;
```

```quiz
How many?
- all => n == 0
- 42 => n > 0
if a: Not all {n}.
idea: Count them.
because: Since {n} is 50 % of it.
```
END
cd "$WORK" || exit
ok "a template is written" "$BANKSCOPE" lesson ./own -o own.pot
if have msgfmt; then
    ok "which gettext reads" msgfmt -o /dev/null own.pot
else
    skip "which gettext reads" "no msgfmt"
fi
ok "it has each text once, and no number alone" sh -c 'grep -c "^msgid \"[^\"]" own.pot | grep -x 9'
echo mine >mine.pot
refuses "a file that is none of ours stays" 1 "mine.pot" "$BANKSCOPE" lesson ./own -o mine.pot
ok "a template again" "$BANKSCOPE" lesson ./own -o own.pot
# translated: each text with an x before it
awk '/^msgid "./ { text = substr($0, 8) } /^msgstr ""/ && text { print "msgstr \"x " text; text = ""; next } 1' own.pot >good.po
try() { # try SED...: the translation, changed
    sed "$@" good.po >own/xx.po
    "$BANKSCOPE" lesson ./own --language xx
}
run_it try ''
ok "it is shown" grep -qx 'x There are 2 of 12 words in tile.' stdout
ok "with its choices" grep -qx '  b) 42' stdout
ok "its drawing is translated, and stays one" grep -A 1 -x ' *x bank 0   0  4   {not filled in}' stdout
ok "its code is not" grep -x ' *int bank;' stdout
wrong() { # wrong NAME PATTERN SED...
    case_of=$1 says=$2
    shift 2
    refuses "$case_of" 1 "$says" try "$@"
}
wrong "a text is missing" 'xx.po: there is nothing for line 20 of lesson.md, "Count them."' '/"Count them/,+1d'
wrong "a text is not translated" 'there is nothing for line 1 .*"Own title"' '/^msgstr "x Own/s/".*/""/'
wrong "a text is only guessed" 'there is nothing for line 1 .*"Own title"' '/^msgid "Own/s/^/#, fuzzy\n/'
wrong "the lesson says something else by now" 'there is nothing for line 3' '/^msgid "Page/s/one/two/'
wrong "a number is changed" 'xx.po:[0-9]+: 12 is not in both' '/^msgstr/s/12/13/'
wrong "a number is missing" '50 is not in both' '/^msgstr/s/50 //'
wrong "a number is added" '7 is not in both' '/^msgstr "x Count/s/x/7/'
wrong "a placeholder is changed" '[{]n[}] is not in both' '/^msgstr "x There/s/{n}/{m}/'
wrong "a placeholder is added" '[{]n[}] is not in both' '/^msgstr "x Count/s/x/{n}/'
wrong "code is changed" 'tile. is not in both' '/^msgstr/s/`tile`/`kachel`/'
wrong "a brace is left open" '[{] is not in both' '/^msgstr "x Count/s/x/{/'
wrong "a text is very long" 'longer than 1200 bytes' "/^msgstr \"x Count/s/x/$(printf '%01300d' 0 | tr 0 y)/"
wrong "a quote is missing" 'xx.po:[0-9]+: expected a text in double quotes' '/^msgstr "x Count/s/"$//'
wrong "it is another format" 'expected msgid, msgstr' '1s/.*/title = "x"/'
wrong "a msgid is alone" 'msgid without msgstr' '$s/.*//'
run_it try '/^msgid "Count/s/"Count/""\n"Co" \n"unt/'
ok "a text may go over several lines" test "$status" -eq 0
for bytes in 0 1 100 1000; do
    head -c "$bytes" /dev/urandom >own/xx.po
    run_it "$BANKSCOPE" lesson ./own --language xx
    ok "$bytes bytes of nonsense are refused" refused_as_wanted 1 "xx.po:"
done
head -c 600000 /dev/zero | tr '\0' '#' >own/xx.po
refuses "a translation without end" 1 "larger than" "$BANKSCOPE" lesson ./own --language xx

# What players say keeps what is filled in.
mkdir data
ln -s "$TREE"/* data
rm data/lessons
cp -r "$TREE/lessons" data/lessons
said() { # said SED
    sed "$1" "$TREE/lessons/de.po" >data/lessons/de.po
    BANKSCOPE_DATA=$WORK/data "$BANKSCOPE" lesson strides --language de
}
refuses "a %d that is missing" 1 'de.po:[0-9]+: %d is not in both' said '/^msgstr "%d Minuten, geschätzt/s/%d//'
refuses "a %n that is added" 1 'de.po:[0-9]+: %n is not in both' said '/^msgstr "so nicht/s/so/%n/'
refuses "%d and %s exchanged" 1 'de.po:[0-9]+: %' said '/^msgstr "%d von %d  %s/s/%d von %d  %s/%s von %d  %d/'
run_it said '/^msgid "right/,+1d'
ok "one that is missing is in English" test "$status" -eq 0

# ---- on paper

if "$BANKSCOPE" help export >/dev/null 2>&1 && have pdftotext; then
    on_paper() {
        "$BANKSCOPE" lesson strides --language de --answers -o de.pdf && pdftotext de.pdf - | tr '\n' ' ' >said.txt &&
            grep -q 'Zeilen: Bänke' said.txt && grep -q 'Antwort: 12' said.txt && grep -q 'Sagen .* 1:' said.txt &&
            ! grep -E 'Answer|Hint:|If they|Rows: banks' said.txt
    }
    ok "a handout in German" on_paper
else
    skip "a handout in German" "no pdftotext"
fi
finish
