#!/bin/sh
# The drawings in lessons, made of letters and digits: each is computed again from a recording.
. tests/support/tap.sh

"$BANKSCOPE" help lesson >/dev/null 2>&1 || {
    skip "drawings" "this build has no cmark"
    finish
    exit
}

# drawing LESSON WORD: the block of text in it that holds WORD
drawing() {
    awk -v word="$2" '/^```/ { if (within && index(text, word)) printf "%s", text
            within = /^```text/; text = ""; next }
        within { text = text $0 "\n" }' "$TREE/lessons/$1/lesson.md"
}
# accessed STAGE SUBJECT...: a line "round thread bank word list value" for each word accessed in the stage's rounds
accessed() {
    stage=$1
    shift
    "$BANKSCOPE" run "$@" -o "$WORK/it.jsonl" >/dev/null || return
    # shellcheck disable=SC2086 # $block: none or two words
    "$BANKSCOPE" export "$WORK/it.jsonl" --stage "$stage" --rounds all $block -o "$WORK/it.csv" >/dev/null || return
    awk -F, '!/^#/ && $1 != "recording" && $13 != "" { print $5, $11, $7, $8, $9, $12 }' "$WORK/it.csv"
    rm -f "$WORK/it.csv" "$WORK/it.jsonl"
}
block=
same() { # compares standard input with the drawing, blanks at ends of lines aside
    sed 's/ *$//' >"$WORK/made"
    drawing "$1" "$2" | sed 's/ *$//' | diff - "$WORK/made"
}

path() {
    accessed merge thrust-merge w=4 u=4 E=3 --input splits=2,1,0,3 | sort -n -k 6 | awk '
        { a = a + 0; b = b + 0; is[a, b] = $2; if ($5 == "A") a++; else b++ }
        END {
            is[a, b] = "*"
            print "                   taken from A\n                   0 1 2 3 4 5 6"
            for (y = 0; y <= b; y++) {
                line = sprintf("%s   %d  ", y ? "            " : "taken from B", y)
                for (x = 0; x <= a; x++)
                    line = line " " ((x, y) in is ? is[x, y] : ".")
                print line
            }
        }' | same 10-merge "taken from B"
}
ok "lesson 10: the path of the merge" path

construction() {
    accessed merge thrust-merge w=12 u=12 E=5 --input worst | awk '
        { who[$4] = $2; list[$4] = $5 }
        END {
            print "                               beach"
            print "bank   0  1  2  3  4  5  6 |  7  8  9 10 11"
            for (word = 0; word < 60; word++) {
                if (word % 12 == 0)
                    line = sprintf("%-5s", list[word] != list[word - 1] ? list[word] : "")
                line = line sprintf("%3d", who[word]) (word % 12 == 6 ? " |" : "")
                if (word % 12 == 11)
                    print line
            }
        }' | same 11-worst-case "beach"
}
ok "lesson 11: who reads which word of the worst case" construction

network() {
    for step in 0 1 2 3 4 5; do
        accessed step-$step batcher-sort w=4 u=4 n=8 | awk -v step=$step '{ print step, $2, $4 }' | sort -u
    done | sort -n -k1,1 -k2,2 -k3,3 | awk '
        BEGIN { step = -1 }
        $1 != step || $2 != thread { step = $1; thread = $2; letter[$1]++; first = $3 }
        { is[$1, $3] = substr("abcd", letter[$1], 1); apart[$1] = $3 - first }
        END {
            print "step      0  1  2  3  4  5"
            line = "distance"
            for (s = 0; s < 6; s++)
                line = line sprintf("%3d", apart[s])
            print line
            for (word = 0; word < 8; word++) {
                line = "word " word "  "
                for (s = 0; s < 6; s++)
                    line = line sprintf("%3s", (s, word) in is ? is[s, word] : ".")
                print line
            }
        }' | same 13-shear-sort "distance"
}
ok "lesson 13: Batcher's network" network

circle() {
    block="--block 5" accessed gather-1 cf-sort4 w=8 u=16 n=500 | awk '$2 == 6 { value[$3] = $6; list[$3] = $5 }
        END {
            for (height = 8; height >= 1; height--) {
                line = sprintf("%2d ", height)
                for (i = 7; i < 15; i++) {
                    rank = 0
                    for (b in value)
                        rank += value[b] + 0 <= value[i % 8] + 0
                    line = line "  " (rank >= height ? "#" : " ")
                }
                print line
            }
            line = "   "; banks = "   "
            for (i = 7; i < 15; i++) {
                line = line "  " list[i % 8]
                banks = banks "  " i % 8
            }
            print line "   list\n" banks "   bank"
        }' | same 16-fast-sort "bank"
}
ok "lesson 16: the circle of thread 6" circle

best_way() {
    accessed merge thrust-merge w=8 u=16 E=3 --input hardest | awk '$5 == "A" && $2 < 8 { taken[$2]++ }
        END {
            for (t = 0; t <= 8; t++) {
                at[t] = state % 8
                state += taken[t]
            }
            print "taken from A,\nmodulo 8"
            for (s = 7; s >= 0; s--) {
                line = "     " s " "
                for (t = 0; t <= 8; t++)
                    line = line "  " (at[t] == s ? "*" : ".")
                print line
            }
            print "thread   0  1  2  3  4  5  6  7  end"
        }' | same 17-hardest "modulo 8"
}
ok "lesson 17: the best way through the states" best_way

# Two lessons draw a matrix beside its banks.
matrix() {
    drawing "$1" "the same words in banks" >"$WORK/drawn"
    drawing "$1" "its words in banks" >>"$WORK/drawn"
    awk '/^row/ {
            for (i = 0; i < 4; i++) {
                bad += $(3 + i) != 4 * $2 + i || $(9 + i) != $8 + 4 * i
                n++
            }
        }
        END { print n, bad; exit !(n == 16 && !bad) }' "$WORK/drawn"
}
ok "lesson 02: a matrix beside its banks" matrix 02-strides
ok "lesson 04: the same" matrix 04-transpose

# Lesson 15 draws two pages of zeros and ones: A's is the same on the left, turned upside down, and sorted by columns
# on the right; rows differ by one zero at most on the left, and by two on the right.
draws_pages() {
    sed -n '/^upside down/,/^```/p' "$TREE/lessons/15-bcf-sort/lesson.md" | awk 'BEGIN { n = 0 } NF == 8 {
            for (i = 1; i <= 8; i++)
                is[n, i] = $i
            left[n] = 4 - $1 - $2 - $3 - $4
            right[n] = 4 - $5 - $6 - $7 - $8
            n++
        }
        END {
            for (r = 0; r < n; r++) {
                for (i = 1; i <= 4; i++)
                    bad += is[r, i] != is[i <= 2 ? n - 1 - r : r, i + 4]
                for (i = 5; i <= 8; i++)
                    bad += r && is[r, i] < is[r - 1, i] # columns ascend
                bad += is[n - 1, 5] > is[0, 6] || is[n - 1, 7] > is[0, 8]
                for (q = 0; q < n; q++) {
                    most_left = left[r] - left[q] > most_left ? left[r] - left[q] : most_left
                    most_right = right[r] - right[q] > most_right ? right[r] - right[q] : most_right
                }
            }
            print n, bad, most_left, most_right
            exit !(n == 4 && !bad && most_left == 1 && most_right == 2)
        }'
}
ok "lesson 15: upside down, rows differ by one zero at most" draws_pages
finish
