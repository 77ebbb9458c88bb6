#!/bin/sh
# Export: five formats of one drawing, text as text, fonts embedded; bad requests in one line.
. tests/support/tap.sh

if ! "$BANKSCOPE" help export >/dev/null 2>&1; then
    skip "pictures" "this build has no cairo"
    finish
    exit 0
fi

worst=$WORK/worst.jsonl cf=$WORK/cf.jsonl big=$WORK/big.jsonl
"$BANKSCOPE" run thrust-merge -p w=12 -p u=12 -p E=5 --input worst -o "$worst" >/dev/null
"$BANKSCOPE" run cf-merge -p w=12 -p u=12 -p E=5 --input worst -o "$cf" >/dev/null
"$BANKSCOPE" run cf-merge -p w=32 -p u=512 -p E=15 -o "$big" >/dev/null

exports() { # FILE TRACE... [OPTION]...
    file=$1
    shift
    "$BANKSCOPE" export "$@" -o "$file" && [ -s "$file" ]
}
# The drawing as a list, on standard output.
listing() {
    "$BANKSCOPE" export "$@" -o "$WORK/listing.txt" >/dev/null && grep -v '^# ' "$WORK/listing.txt"
}
for format in pdf svg png tex txt; do
    ok "writes .$format" exports "$WORK/side.$format" "$worst" "$cf" --stage merge
done

# Cairo is loaded only for what it draws.
mkdir "$WORK/broken"
echo "no library" >"$WORK/broken/libpangocairo-1.0.so.0"
refuses "cairo that cannot be loaded is named" 1 \
    "needs cairo and Pango.*(invalid ELF|too short).*libpangocairo-1.0-0.*\.svg" \
    env LD_LIBRARY_PATH="$WORK/broken" "$BANKSCOPE" export "$worst" -o "$WORK/none.png"
ok "no picture is left then" test ! -e "$WORK/none.png"
ok "and .svg needs none" env LD_LIBRARY_PATH="$WORK/broken" \
    "$BANKSCOPE" export "$worst" -o "$WORK/some.svg"

# Both traces, all rounds: ten matrices of 12 banks, each bank with its label.
banks_everywhere() {
    grep -c '^text .* faint "11:"$' "$WORK/side.txt"
    [ "$(grep -c '^text .* faint "11:"$' "$WORK/side.txt")" -eq 10 ]
}
ok "all rounds of both are drawn" banks_everywhere
ok "the second trace's stage is the one at the same place" \
    grep -q '"gather: 5 passes, 0 conflicts"' "$WORK/side.txt"
ok "conflicts have a thick edge" grep -q '^box .* bad edge bad-edge' "$WORK/side.txt"
# 25 aligned words and the others that collide: as many as the five rounds have conflicting words.
listing "$cf" --stage gather >"$WORK/gather.list"
ok "no cell of the conflict-free trace conflicts" sh -c \
    'grep -c " good-ink " "$1" | grep -qx 60 && ! grep -q " bad " "$1"' - "$WORK/gather.list"

if have pdffonts pdftotext pdfinfo; then
    # Some font, and each of it embedded as TrueType or CFF.
    embedded_outlines() {
        pdffonts "$1" | awk 'NR > 2 { n++; if (!/TrueType|Type 1C|CID Type 0C/ ||
            !/ yes (yes|no) (yes|no) +[0-9]+ +[0-9]+$/) bad = 1 } END { exit bad || !n }'
    }
    fonts_embedded() {
        pdffonts "$WORK/side.pdf"
        embedded_outlines "$WORK/side.pdf"
    }
    ok "PDF fonts are embedded outlines, none is Type 3" fonts_embedded
    # Fonts that come as CFF (URW's do) are embedded as Type 1C.
    if have fc-list && [ -n "$(fc-list ':fontformat=CFF')" ]; then
        cff_embedded() {
            cat >"$WORK/fonts.conf" <<END
<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><include>/etc/fonts/fonts.conf</include>
<selectfont><rejectfont><pattern><patelt name="fontformat"><string>TrueType</string></patelt></pattern>
</rejectfont></selectfont></fontconfig>
END
            FONTCONFIG_FILE=$WORK/fonts.conf exports "$WORK/cff.pdf" "$worst" "$cf" --stage merge &&
                pdffonts "$WORK/cff.pdf" && pdffonts "$WORK/cff.pdf" | grep -q 'Type 1C' &&
                embedded_outlines "$WORK/cff.pdf"
        }
        ok "CFF fonts are, too" cff_embedded
    else
        skip "CFF fonts are embedded" "no such font is installed"
    fi
    # Every text of the drawing is found in the PDF, as often as it is drawn.
    same_words() {
        sed -n 's/^text .* "\(.*\)"$/\1/p' "$WORK/side.txt" | tr -s ' ' '\n' | sort >"$WORK/drawn"
        pdftotext -raw "$WORK/side.pdf" - | tr -s ' \f' '\n\n' | grep . | sort >"$WORK/found"
        diff "$WORK/drawn" "$WORK/found"
    }
    ok "pdftotext finds every number" same_words
    ok "the page is 178 mm wide" sh -c \
        'pdfinfo "$1" | grep -Eq "Page size: +504\.5[67][0-9]* x"' - "$WORK/side.pdf"
    exports "$WORK/one.pdf" "$cf" --stage gather --round 2 >/dev/null
    ok "one matrix is 85 mm wide" sh -c \
        'pdfinfo "$1" | grep -Eq "Page size: +240\.94[0-9]* x"' - "$WORK/one.pdf"
else
    skip "PDF fonts and texts" "poppler-utils are not installed"
fi
svg_texts() {
    drawn=$(grep -c '^text' "$WORK/side.txt")
    written=$(grep -c '<text .*</text>' "$WORK/side.svg")
    echo "$drawn texts drawn, $written written"
    [ "$drawn" -eq "$written" ]
}
ok "SVG texts are text elements" svg_texts
# Boxes with their fills and edges, which SVG draws half outside: a frame has no fill.
svg_boxes() {
    for format in svg txt; do
        exports "$WORK/frame.$format" "$worst" --stage merge --note 'frame 0-1, 2-4' || return
    done
    awk '$1 == "box" {
        thick = $7 == "edge" ? $9 : 0
        print $6, thick, $2 + thick / 2, $3 + thick / 2, $4 - thick, $5 - thick
    }' "$WORK/frame.txt" >"$WORK/boxes"
    awk -F '"' '/^<rect/ { print $10, $14 + 0, $2, $4, $6, $8 }' "$WORK/frame.svg" | paste -d ' ' "$WORK/boxes" - | awk '
        { other = $1 != $7 }
        { for (i = 2; i <= 6; i++) other += ($i - $(i + 6)) ^ 2 > 1e-5 }
        other { print; wrong++ }
        END { exit wrong > 0 }' && grep -q '^none ' "$WORK/boxes"
}
ok "SVG boxes are where the list has them, with its fills and edges" svg_boxes
# Lines with their ends, how thick they are, and dots where they have some.
svg_lines() {
    for format in svg txt; do
        exports "$WORK/lines.$format" cf-merge w=9 u=9 E=6 --stage gather --note 'top 1-2: m' || return
    done
    awk '$1 == "line" {
        print $2, $3, $4, $5, $7, ($8 == "dotted" ? sprintf("%.4g %.4g", 1.2 * $7, 1.4 * $7) : "solid")
    }' "$WORK/lines.txt" >"$WORK/lines"
    awk -F '"' '/^<line .*\/>$/ {
        split($14, dash, " ")
        print $2, $4, $6, $8, $12, ($13 ~ / stroke-dasharray=/ ? sprintf("%.4g %.4g", dash[1], dash[2]) : "solid")
    }' "$WORK/lines.svg" | diff "$WORK/lines" - && grep -q solid "$WORK/lines" && grep -vq solid "$WORK/lines"
}
ok "SVG lines are as in the list, and dotted where they are" svg_lines
if have rsvg-convert; then
    ok "SVG can be drawn" rsvg-convert "$WORK/side.svg" -o "$WORK/svg.png"
fi
if have pdflatex; then
    compiles() {
        cd "$WORK" && pdflatex -interaction=batchmode -halt-on-error "$1.tex" && [ -s "$1.pdf" ]
    }
    cp "$WORK/side.tex" "$WORK/alone.tex"
    ok "TikZ compiles with plain pdflatex" compiles alone
    printf '%s\n' '\documentclass{article}' '\usepackage{tikz}' '\begin{document}' 'A \input{side.tex}' \
        '\end{document}' >"$WORK/paper.tex"
    ok "TikZ can be input into a paper" compiles paper
else
    skip "TikZ compiles" "pdflatex is not installed"
fi

# Names out of a file are text, not markup: in SVG, in TeX, and broken UTF-8 in both.
printf '%s\n' '{"format":"bankscope-trace","version":1,"kernel":"a_b^c%d$e#f{g}h~i&j<k|l>m\\n\"o\u00e9 ]]>","backend":"host","device":"","banks":4,"bank_bytes":4,"warp":4,"threads":4,"blocks":1,"shared_bytes":64,"params":{"w_":4,"x":"\\end{document}"},"input":"random","seed":1,"stages":["<read>"]}' \
    '{"stage":"<read>","round":0,"slot":0,"block":0,"warp":0,"op":"load","bytes":4,"lane":[0,1],"addr":[0,16]}' \
    '{"end":true,"warp_accesses":1,"dropped":0}' >"$WORK/odd.jsonl"
for format in svg tex pdf; do
    ok "odd names in .$format" exports "$WORK/odd.$format" "$WORK/odd.jsonl" --width 178
done
if have rsvg-convert; then
    ok "SVG with odd names is well-formed" rsvg-convert "$WORK/odd.svg" -o "$WORK/odd.png"
fi
if have pdflatex; then
    ok "TikZ with odd names compiles" compiles odd
    if have pdftotext; then
        ok "TikZ shows odd names as they are" sh -c \
            'pdftotext "$1" - | grep -F "c%d\$e#f{g}h" | grep -qF "i&j<k|l>m\\n"' - "$WORK/odd.pdf"
    fi
fi

# Options.
ok "a block of 512 threads fits, without the other warps' columns" \
    exports "$WORK/big.txt" "$big" --stage gather --warp 9 --round 0-3
ok "a warp's matrix has 15 columns of words" sh -c \
    'grep -c "^text .* centre .* \(good-ink\|ink\) \"[0-9]*\"$" "$1" | grep -qx $((4 * 480))' - \
    "$WORK/big.txt"
listing "$cf" --stage gather --round 1 --label address >"$WORK/addresses"
ok "addresses" grep -q '"59"' "$WORK/addresses"
"$BANKSCOPE" run wide -p w=8 -p u=16 -p bytes=8 -p s=3 -o "$WORK/wide.jsonl" >/dev/null
listing "$WORK/wide.jsonl" --label value >"$WORK/values"
ok "values of eleven digits have room" sh -c '[ "$(grep -c "\"[0-9]\{11\}\"$" "$1")" = 16 ]' - \
    "$WORK/values"
"$BANKSCOPE" export "$big" --width 20 -o "$WORK/tiny.txt" >/dev/null 2>"$WORK/stderr"
ok "cells without room for their text are spoken of" \
    grep -q 'cells are too small for their text; a larger --width' "$WORK/stderr"
ok "themes colour the same drawing" sh -c '"$1" export "$2" --theme dark -o "$3" >/dev/null &&
    "$1" export "$2" -o "$4" >/dev/null && sed -i "/^# /d" "$3" "$4" && cmp "$3" "$4"' - "$BANKSCOPE" "$cf" "$WORK/a.txt" \
    "$WORK/b.txt"
listing "$cf" --width 120 >"$WORK/page"
ok "width in millimetres" grep -q '^page 340\.157 ' "$WORK/page"

# Bad requests: status 2 and the choices; what cannot be done: status 1.
export_() {
    "$BANKSCOPE" export "$@"
}
refuses "no trace" 2 'which trace' export_ -o x.pdf
refuses "no output" 2 '-o FILE' export_ "$cf"
refuses "unknown format" 2 'x\.bmp.*\.pdf, \.svg, \.png, \.tex, \.txt, \.csv, \.json, \.html, \.gif, \.webm, \.mp4' \
    export_ "$cf" -o x.bmp
refuses "unknown stage names the nearest and all" 2 "gathr.*'gather'.*load, search, gather, store" \
    export_ "$cf" -o "$WORK/x.pdf" --stage gathr
refuses "round out of range" 2 'rounds 0 to 4' export_ "$cf" -o "$WORK/x.pdf" --stage gather --round 5
refuses "broken round" 2 "'3-1'" export_ "$cf" -o "$WORK/x.pdf" --round 3-1
refuses "warp out of range" 2 'warps 0 to 15' export_ "$big" -o "$WORK/x.pdf" --warp 16
refuses "block out of range" 2 'blocks 0 to 0' export_ "$big" -o "$WORK/x.pdf" --block 1
refuses "width out of range" 2 'width' export_ "$cf" -o "$WORK/x.pdf" --width 5
refuses "unknown theme" 2 'light, print or dark' export_ "$cf" -o "$WORK/x.pdf" --theme neon
refuses "unknown label" 2 'thread, address or value' export_ "$cf" -o "$WORK/x.pdf" --label lane
    export_ "$cf" "$cf" "$cf" "$cf" "$cf" -o "$WORK/x.pdf"
refuses "no such trace" 1 'none\.jsonl' export_ "$WORK/none.jsonl" -o "$WORK/x.pdf"
refuses "no such folder" 1 'cannot write' export_ "$cf" -o "$WORK/no/x.pdf"
for format in pdf svg png tex txt; do
    ln -sf /dev/full "$WORK/full.$format"
    [ -e /dev/full ] && refuses "full disk, .$format" 1 'cannot write .*full.*No space' \
        export_ "$cf" -o "$WORK/full.$format"
done

# Titles: whatever the width, all of what was recorded, of each recording.
says_all() { # WIDTH
    "$BANKSCOPE" export thrust-merge w=16 u=32 E=7 --input worst thrust-merge w=16 u=32 E=7 --width "$1" \
        --rounds 1,3 -o "$WORK/titles.txt" >/dev/null 2>&1 || return 1
    sed -n 's/^text .* bold ink "\(.*\)"$/\1/p' "$WORK/titles.txt" | grep '[a-z]' | paste -sd ' ' >"$WORK/titles"
    grep -qx 'thrust-merge w=16 u=32 E=7 order=model, input worst thrust-merge w=16 u=32 E=7 order=model, input random' \
        "$WORK/titles" && [ "$(grep -c 'rounds 1, 3' "$WORK/titles.txt")" -eq 2 ]
}
for width in 60 85 178; do ok "titles of $width mm say all" says_all $width; done
four_apart() {
    "$BANKSCOPE" export stride s=1 stride s=2 stride s=3 stride s=4 -o "$WORK/four.txt" >/dev/null &&
        [ "$(grep -o 'bold ink ".*s=[1-4]' "$WORK/four.txt" | grep -o 's=[1-4]' | sort -u | wc -l)" -eq 4 ]
}
ok "four recordings in a picture" four_apart
refuses "four in a moving picture" 2 'one or two recordings, not 4' \
    "$BANKSCOPE" export stride s=1 stride s=2 stride s=3 stride s=4 -o "$WORK/x.gif"
coloured() {
    "$BANKSCOPE" export stride --colour good=#123456 --colour bad=abcdef -o "$WORK/hue.svg" >/dev/null &&
        grep -x '.good { fill: #123456 }' "$WORK/hue.svg" && grep -x '.bad { fill: #abcdef }' "$WORK/hue.svg" &&
        "$BANKSCOPE" figure cfmerge-1 --colour good=123456 --preset lncs -o "$WORK/hue.svg" >/dev/null &&
        grep -x '.good { fill: #123456 }' "$WORK/hue.svg" && grep 'width="345.8' "$WORK/hue.svg"
}
ok "colours of a journal, and a figure as wide as a class wants it" coloured
refuses "a role that is none" 2 "ROLE=HEX, and roles are paper, ink" \
    "$BANKSCOPE" export stride --colour green=123456 -o "$WORK/x.svg"
refuses "a colour that is none" 2 "six hexadecimal digits" \
    "$BANKSCOPE" export stride --colour good=12345 -o "$WORK/x.svg"
run_it "$BANKSCOPE" export stride w=32 s=6 --width 22 -o "$WORK/tiny.svg"
ok "text below 5 points is said" grep -q 'the smallest text has [0-4][.0-9]* points' "$WORK/stderr"

# Lists of rounds.
listing "$cf" --stage gather --rounds 3-4,0,2-3 >"$WORK/rounds"
ok "a list of rounds: each once, in order" sh -c \
    'sed -n "s/.*\"round \([0-9]*\):.*/\1/p" "$1" | tr "\n" " " | grep -qx "0 2 3 4 "' - \
    "$WORK/rounds"
ok "the passes are those of the list" grep -q '"gather, rounds 0, 2-4: 4 passes, 0 conflicts"' "$WORK/rounds"
refuses "a broken list of rounds" 2 "'0,,2'" export_ "$cf" -o "$WORK/x.pdf" --rounds 0,,2
refuses "no round of the list" 2 'rounds 0 to 4' export_ "$cf" -o "$WORK/x.pdf" --stage gather \
    --rounds 5,7-9

# Kernels, recorded first: the same picture as of their traces.
kernels() {
    "$BANKSCOPE" export thrust-merge w=12 u=12 E=5 --input worst cf-merge w=12 u=12 E=5 --input worst \
        --stage merge -o "$WORK/kernels.txt" &&
        grep -v '^# ' "$WORK/side.txt" | diff - "$WORK/kernels.txt" >"$WORK/differ"
    [ "$(grep -c '^[<>]' "$WORK/differ")" -eq 1 ] && grep '^> # bankscope export thrust-merge .*; Bankscope [0-9]' \
        "$WORK/differ"
}
ok "kernels are recorded, and drawn like traces" kernels

# Figures of one's own.
own() { # ARGUMENT...: the list of a picture of merge's first round
    listing "$worst" --stage merge --rounds 0 "$@" >"$WORK/own"
    cat "$WORK/own"
}
has() { # PATTERN ARGUMENT...
    has_pattern=$1
    shift
    own "$@" | tee "$WORK/.has" && grep -q "$has_pattern" "$WORK/.has"
}
has_not() {
    has_not_pattern=$1
    shift
    own "$@" && ! grep -q "$has_not_pattern" "$WORK/own"
}
count_is() { # NUMBER PATTERN ARGUMENT...
    count_wanted=$1 count_pattern=$2
    shift 2
    own "$@" >/dev/null
    echo "$(grep -c "$count_pattern" "$WORK/own") of $count_pattern"
    [ "$(grep -c "$count_pattern" "$WORK/own")" -eq "$count_wanted" ]
}
ok "a title" has 'bold ink "My merge"' --title 'My merge'
ok "no title" has_not 'thrust-merge' --title ''
ok "degrees at the ends of rows" has 'bold bad-edge "[0-9]*"' --title x
ok "no legend unless asked for" has_not 'accessed now' --title x
ok "a legend of the lists that there are" count_is 4 'faint "\(accessed now.*\|list [AB]\)"' --legend on
ok "in own words, and without what has none" count_is 3 'faint "\(served\|waits\|left\)"' \
    --legend served,waits,left,
ok "some banks, and dots for the others" count_is 4 'faint "[0-9]*:"' --banks 0-2,11
ok "dots are three for each column run" has '^box .* faint$' --banks 0-2,11
ok "banks that are neighbours need no dots between" has_not '^box .* 2\.[0-9]* 2\.[0-9]* faint$' \
    --banks 0-5,6-11
ok "some columns" count_is 24 'centre .*ink "[0-9]*"' --columns 0,2 --title x
ok "a bracket and its words" has 'text .* centre 7 ink "m = 2"' --note 'top 1-2: m = 2'
ok "a word in a cell" has '"xy"' --note 'cell 14: xy'
ok "a frame" has '^box .* none edge cursor' --note 'frame 0-1, 2-4'
ok "a preset is the class's column" has '^page 251\.05' --preset ieee-column
higher() {
    "$BANKSCOPE" export "$worst" --stage merge --per-row 1 --preset ieee-page \
        -o "$WORK/rows.txt" >"$WORK/said" 2>"$WORK/high"
    cat "$WORK/high"
    grep -q 'picture is [0-9]* mm high, and a page 245 mm' "$WORK/high"
}
ok "higher than a page is said" higher
refuses "banks that there are not" 1 'banks 0 to 11' export_ "$cf" -o "$WORK/x.pdf" --banks 12-14
refuses "columns that there are not" 1 'none of the columns' export_ "$cf" -o "$WORK/x.pdf" --columns 99
refuses "a broken list of banks" 2 "'3-'" export_ "$cf" -o "$WORK/x.pdf" --banks 3-
refuses "a broken note" 2 "'left of it'" export_ "$cf" -o "$WORK/x.pdf" --note 'left of it'
refuses "no such preset" 2 'must be ieee-column, ieee-page, .*, elsevier-page or lncs ' export_ "$cf" -o "$WORK/x.pdf" --preset ieee
refuses "notes in a moving picture" 2 'note is for pictures that stand still' \
    export_ "$cf" -o "$WORK/x.gif" --note 'top 1: a'
refuses "banks in a page" 2 'banks is for pictures' export_ "$cf" -o "$WORK/x.html" --banks 1

# The file says what it is and how it was made: the command, the recording and its seed, the program.
for format in pdf svg png tex; do
    exports "$WORK/about.$format" "$worst" --stage merge --rounds 0 --title 'Merge & <more>' >/dev/null
done
about() { # FILE WORDS...: each of them is there
    about_file=$1
    shift
    for words; do
        grep -aqF -e "$words" "$about_file" || { echo "no '$words'"; return 1; }
    done
}
ok "SVG says how it was made" about "$WORK/about.svg" '<title>Merge &amp; &lt;more&gt;</title>' \
    'bankscope export ' 'thrust-merge w=12' 'seed 1' 'Bankscope '
ok "PNG, too" about "$WORK/about.png" 'tEXtTitle' 'Merge & <more>' 'bankscope export ' 'seed 1'
ok "and TeX" about "$WORK/about.tex" '% bankscope export' 'seed 1' '% Merge & <more>'
if have pdfinfo; then
    pdf_about() {
        pdfinfo "$WORK/about.pdf" | tee "$WORK/info" && about "$WORK/info" 'Merge & <more>' \
            'bankscope export' 'seed 1' 'Bankscope '
    }
    ok "and PDF" pdf_about
fi
if have identify; then
    ok "a PNG with texts is whole" identify -verbose "$WORK/about.png"
fi
# Moving pictures.
without_ffmpeg() {
    PATH=$WORK/nowhere "$BANKSCOPE" export "$@"
}
refuses "without ffmpeg, its package is named" 1 'no ffmpeg here.*package ffmpeg' \
    without_ffmpeg "$cf" -o "$WORK/x.gif"
refuses "seconds out of range" 2 "'0'.*0\.02 to 60" export_ "$cf" -o "$WORK/x.gif" --step-seconds 0
refuses "a race on paper" 2 "race is for moving pictures" export_ "$cf" -o "$WORK/x.pdf" --race
refuses "seconds on paper" 2 "seconds is for moving pictures" export_ "$cf" -o "$WORK/x.pdf" --step-seconds 1
refuses "pixels of what has none" 2 'dpi is for .png' export_ "$cf" -o "$WORK/x.svg" --dpi 100
if have ffmpeg ffprobe convert; then
    # video FILE: its frames, their size, and how long it takes
    video() {
        ffprobe -v error -count_frames -of default=nw=1:nk=1 -show_entries \
            stream=width,height,nb_read_frames:format=duration "$1" | tr '\n' ' '
    }
    moves() { # FILE WANTED [ARGUMENT]...
        moves_file=$1 moves_wanted=$2
        shift 2
        "$BANKSCOPE" export "$@" -o "$moves_file" && video "$moves_file" | tee "$moves_file.said" &&
            grep -q "$moves_wanted" "$moves_file.said"
    }
    # 25 passes of a quarter of a second, and the last one stays for two more; then steps.
    ok "a race moves: a frame for each pass" moves "$WORK/race.gif" '^720 [0-9]* 25 8\.0' \
        "$worst" "$cf" --stage merge --race --step-seconds 0.25
    ok "steps move: a frame for each round" moves "$WORK/steps.gif" '^506 [0-9]* 5 ' \
        "$cf" --stage gather --width 178
    # Four banks, dots and one bank instead of twelve.
    higher_than() { # FILE WHOLE: a picture of fewer rows
        read -r _ own_height _ <"$1.said"
        read -r _ whole_height _ <"$2.said"
        echo "$own_height instead of $whole_height"
        [ "$own_height" -lt "$whole_height" ]
    }
    ok "of some banks and columns" moves "$WORK/crop.gif" '^506 [0-9]* 5 ' \
        "$cf" --stage gather --width 178 --banks 0-3,11 --columns 0-1
    ok "which take less room" higher_than "$WORK/crop.gif" "$WORK/steps.gif"
    refuses "banks that it has not" 1 'banks 0 to 11' export_ "$cf" -o "$WORK/x.gif" --banks 12
    refuses "columns that it has not" 1 'columns 0 to [0-9]+, and none' export_ "$cf" -o "$WORK/x.gif" --columns 9
    refuses "more columns than fit" 1 'fewer --columns' export_ "$big" -o "$WORK/x.gif" \
        --width 60 --columns all
    ok "of a list of rounds" moves "$WORK/list.gif" '^506 [0-9]* 3 ' \
        "$cf" --stage gather --width 178 --rounds 0,2-3
    for format in webm mp4; do
        ok "a .$format: five rounds of half a second" moves "$WORK/steps.$format" \
            '^506 [0-9]* 5 2\.5' "$cf" --stage gather --width 178 --dpi 72
    done
    # Word 0 is of list A and waits in no round but 0; cells have their theme's colours.
    cell() { # FILE: the colour within the top left cell
        ffmpeg -v error -y -i "$1" -vf 'select=eq(n\,3)' -vframes 1 "$WORK/frame.png" &&
            convert "$WORK/frame.png" -crop 1x1+42+60 txt:- | sed -n 's/.*\(#[0-9A-F]\{6\}\).*/\1/p'
    }
    exact() {
        list_a=$(sed -n 's/.*\.list-a *{ *fill: *\(#[0-9a-fA-F]*\).*/\1/p' "$WORK/side.svg" | head -n 1)
        shown=$(cell "$WORK/steps.gif")
        echo "list A is $list_a, the cell $shown"
        [ "$list_a" ] && [ "$shown" = "$(echo "$list_a" | tr a-f A-F)" ]
    }
    ok "a GIF has the theme's colours" exact
    printf kept >"$WORK/kept.gif"
    run_it "$BANKSCOPE" export "$cf" -o "$WORK/kept.gif" --rounds 77
    ok "what fails leaves the file of before" grep -qx kept "$WORK/kept.gif"
    for format in gif webm mp4; do
        ln -sf /dev/full "$WORK/full.$format"
        [ -e /dev/full ] && refuses "full disk, .$format" 1 'cannot write .*full.*No space' \
            export_ "$cf" --stage gather --dpi 72 -o "$WORK/full.$format"
    done
else
    skip "moving pictures" "ffmpeg and imagemagick are not installed"
fi

# A sort's later launches are later blocks: the picture is of the first that uses the stage.
run_it "$BANKSCOPE" run thrust-sort -p w=4 -p u=8 -p E=3 -p n=96 -o "$WORK/sort.jsonl"
run_it listing "$WORK/sort.jsonl" --stage merge-5
ok "a stage that block 0 does not have is drawn" grep -q '"merge-5, block 8, warp 0:' "$WORK/stdout"

# A cut trace is drawn, and says that it was cut.
head -n 20 "$cf" >"$WORK/cut.jsonl"
run_it "$BANKSCOPE" export "$WORK/cut.jsonl" -o "$WORK/cut.pdf"
ok "a cut trace is drawn and reported" sh -c '[ "$1" -eq 1 ] && grep -q cut "$2" && [ -s "$3" ]' - \
    "$status" "$WORK/stderr" "$WORK/cut.pdf"
head -n 1 "$cf" >"$WORK/empty.jsonl"
run_it "$BANKSCOPE" export "$WORK/empty.jsonl" -o "$WORK/empty.pdf"
ok "an empty trace is refused" sh -c '[ "$1" -eq 1 ] && grep -q "is cut before its first warp access; record it again" "$2"' - \
    "$status" "$WORK/stderr"
thin_edges() { # two digits of 0.6 of their size, between edges that leave room for them
    "$BANKSCOPE" export thrust-merge w=32 u=32 E=5 --input worst --stage merge --width 85 -o "$WORK/thin.txt" &&
        awk '/^box .* bad edge bad-edge / { if (!w) { w = $4; thick = $9 } }
            /^text .* bad-ink "[0-9][0-9]"$/ { if ($5 > size) size = $5 }
            END { print w, thick, size; exit !(w > 5 && thick > 0.3 && size > 5 && 1.2 * size + 2 * thick < w) }' "$WORK/thin.txt"
}
ok "two digits have room between the edges of a conflict" thin_edges

# ---- raw TeX

raw_tex() { # the user's words as they are; all others spelt for TeX
    "$BANKSCOPE" export "$@" --stage gather --title 'Case $\alpha_\uparrow \ge E$' --note 'top 0-1: $w_0$ \& more' \
        --note 'cell 0: $\beta$' --legend '\emph{served}' -o "$WORK/raw.tex" 2>&1 &&
        grep -F 'Case $\alpha_\uparrow \ge E$}' "$WORK/raw.tex" && grep -F '{\color{bs-ink}$w_0$ \& more}' "$WORK/raw.tex" &&
        grep -F '\emph{served}' "$WORK/raw.tex"
}
not_raw() {
    ! raw_tex cf-merge w=12 u=12 E=5 && grep -F 'Case \$\textbackslash{}alpha' "$WORK/raw.tex"
}
ok "--raw-tex leaves the user's words to TeX" raw_tex cf-merge w=12 u=12 E=5 --raw-tex
have pdflatex && kpsewhich tikz.sty >/dev/null &&
    ok "and it compiles" sh -c 'cd "$1" && pdflatex -halt-on-error -interaction=batchmode raw.tex' - "$WORK"
ok "without it, they are spelt for TeX" not_raw
refuses "--raw-tex is for TeX" 2 '--raw-tex is for .tex, not for .*x\.pdf' \
    "$BANKSCOPE" export stride --raw-tex -o "$WORK/x.pdf"

# ---- the picture's cells as numbers

as_numbers() { # each of w E words is read in one round; a conflict is where a bank serves several
    "$BANKSCOPE" export thrust-merge w=12 u=12 E=5 --input worst --stage merge -o "$WORK/cells.csv" &&
        head -n 1 "$WORK/cells.csv" | grep '^# bankscope export .*; Bankscope [0-9]' || return 1
    awk -F, '/^#/ { next } $1 == "recording" { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $at["now"] { now++; words[$at["word"]]++; row = $at["round"] "," $at["bank"]; ways[row]++; said[row] = said[row] $at["now"] }
        $at["word"] % 12 != $at["bank"] || $at["sharers"] != ($at["now"] ? 1 : "") { print; bad = 1 }
        END { for (w in words) n++
              for (r in ways) { bad += (ways[r] > 1) != (said[r] ~ /conflict/); if (ways[r] > 1) bad += said[r] ~ /alone/ }
              print now, n; exit bad || now != 60 || n != 60 }' "$WORK/cells.csv"
}
ok "cells as CSV" as_numbers
if have jq; then
    same_numbers() {
        "$BANKSCOPE" export thrust-merge w=12 u=12 E=5 --input worst --stage merge -o "$WORK/cells.json" &&
            jq -r '.cells[] | [.round, .bank, .word, .list, .thread, .value, .now] | @tsv' "$WORK/cells.json" \
                >"$WORK/of-json" && jq -e '.made_by | test("; Bankscope [0-9]")' "$WORK/cells.json" &&
            sed 1,2d "$WORK/cells.csv" | awk -F, -v OFS='\t' '{ print $5, $7, $8, $9, $11, $12, $13 }' |
            diff - "$WORK/of-json"
    }
    ok "cells as JSON are the same" same_numbers
else
    skip "cells as JSON" "no jq"
fi
only_some() {
    "$BANKSCOPE" export stride w=8 u=8 s=3 --stage read --banks 2-3 --rounds 0 -o "$WORK/cells.csv" &&
        sed 1,2d "$WORK/cells.csv" | cut -d, -f7 | sort -u | paste -sd ' ' | grep -x '2 3'
}
ok "only of the banks asked for" only_some
many() {
    set -- stride
    for s in 1 2 3 4 5 6 7; do set -- "$@" stride s=$s; done
    shift
    "$BANKSCOPE" export "$@" --stage read -o "$WORK/many.csv" && "$BANKSCOPE" export "$@" -o "$WORK/many.txt" &&
        sed 1,2d "$WORK/many.csv" | cut -d, -f1,3 | sort -u | paste -sd ' ' |
        grep -x '0,read 1,read 2,read 3,read 4,read 5,read 6,read' &&
        [ "$(grep -o 'bold ink ".*s=[1-7]' "$WORK/many.txt" | grep -o 's=[1-7]' | sort -u | wc -l)" -eq 7 ]
}
ok "seven recordings in one picture" many
third_by_name() { # not the stage of the same number
    "$BANKSCOPE" export thrust-merge w=12 u=12 E=5 --input worst thrust-merge w=12 u=12 E=5 thrust-merge w=12 u=24 E=5 \
        -o "$WORK/third.csv" && sed 1,2d "$WORK/third.csv" | cut -d, -f3 | sort -u | grep -x merge
}
ok "the third shows the first's stage" third_by_name
refuses "too many recordings are named" 2 "'a17' is one too many: 16 recordings at most" \
    "$BANKSCOPE" export a1 a2 a3 a4 a5 a6 a7 a8 a9 a10 a11 a12 a13 a14 a15 a16 a17 -o "$WORK/x.pdf"

finish
