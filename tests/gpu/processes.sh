#!/bin/sh
# processes.sh [FOLDER [KEPT]] - records programs of several processes on one GPU (processes.cu, processes.py): each
# launch is there, with the counts that its process says and its process, and what is missing is said. FOLDER (build/gpu)
# holds bankscope, its library for recording, processes, launches and launches.cubin. KEPT gets reports and what was
# said. Prints a line for each program; the last counts what is wrong, and so does the status. Needs python3 ($PYTHON),
# with torch for some.
set -u
here=$(cd "$(dirname "$0")" && pwd)
folder=${1:-$here/../../build/gpu}
kept=${2:-}
python=${PYTHON:-python3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
wrong=0

# recorded KERNEL < REPORT: "process STRIDE LAUNCHES" of each process, by what was recorded: the stride is that which
# the passes of loads tell.
# shellcheck disable=SC2016 # python's
recorded='
import collections, json, sys
kernel, loads, stores = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
launches = [l for l in json.load(sys.stdin)["launches"] if l["kernel"].startswith(kernel)]
of = collections.defaultdict(list)
for l in launches:
    of[l["process"]].append(l)
for process, own in sorted(of.items()):
    whole = [l for l in own if not l.get("stopped")]
    passes = {l["load"]["passes"] for l in whole}
    if len(passes) != 1 or any(l["load"]["instructions"] != loads or l["store"]["passes"] != stores for l in whole):
        print("bad", process, [(l["load"], l["store"]) for l in whole][:4])
    else:
        print("process", passes.pop() // loads, len(own))
numbers = [l["launch"] for l in launches]
if numbers != sorted(set(numbers)) or sorted(of) != sorted(set(of)):
    print("bad numbers", numbers)
'

# record NAME SECONDS WORD...
record() {
    name=$1
    shift
    seconds=$1
    shift
    began=$(date +%s%N)
    timeout -k 2 "$seconds" "$folder/bankscope" run --json="$work/$name.json" --csv="$work/$name.csv" -- "$@" \
        >"$work/$name.said" 2>"$work/$name.errors"
    got=$?
    took=$((($(date +%s%N) - began) / 1000000))
    [ -z "$kept" ] || cp "$work/$name".* "$kept"
}

# verdict WHAT VERDICT: says what was tried.
verdict() {
    case $2 in
    right*) ;;
    *) wrong=$((wrong + 1)) ;;
    esac
    printf '%s\t%s\t%d ms\n' "$1" "$2" "$took"
}

# compare NAME STATUS KERNEL LOADS STORES NOTE: whether what was recorded is what the processes said. NOTE: a pattern
# that standard error must have; "": nothing of ours may be there.
compare() {
    sed -n 's/^process /process /p' "$work/$1.said" | sort >"$work/wanted"
    "$python" -c "$recorded" "$3" "$4" "$5" <"$work/$1.json" 2>&1 | sort >"$work/got"
    if [ "$got" -ne "$2" ]; then
        verdict "$1" "WRONG: status $got: $(head -c 300 "$work/$1.errors" | tr '\n' ' ')"
    elif [ ! -s "$work/wanted" ] || ! cmp -s "$work/wanted" "$work/got"; then
        verdict "$1" "WRONG: said $(tr '\n' ';' <"$work/wanted") recorded $(head -c 300 "$work/got" | tr '\n' ';')"
    elif [ -n "$6" ] && ! grep -q "$6" "$work/$1.errors"; then
        verdict "$1" "WRONG: no '$6' in: $(head -c 300 "$work/$1.errors" | tr '\n' ' ')"
    elif [ -z "$6" ] && grep '^bankscope' "$work/$1.errors" | grep -qv 'are waited for'; then
        verdict "$1" "WRONG: says $(head -c 300 "$work/$1.errors" | tr '\n' ' ')"
    else
        verdict "$1" "right: $(wc -l <"$work/got") processes"
    fi
}

ours() { # HOW N STATUS NOTE
    record "$1-$2" 60 "$folder/processes" "$1" "$2"
    compare "$1-$2" "$3" strided 8 256 "$4"
}
ours rank 1 0 ""
ours exec 4 0 ""
ours fork 4 0 ""
ours exec 8 0 ""
ours _exit 3 0 "^bankscope run: 3 processes of the program ended by a signal or _exit"
ours killed 3 0 "^bankscope run: 3 processes of the program ended by a signal or _exit"
ours again 3 0 "^bankscope run: 2 processes of the program ended by a signal or _exit"
ours none 3 0 ""
ours used 2 0 ""
ours orphans 3 0 ""

# Killed in the midst of launches: those that are there are right.
record flood 60 "$folder/processes" flood 3
"$python" -c "$recorded" strided 8 256 <"$work/flood.json" >"$work/got" 2>&1
if grep -q bad "$work/got" || [ "$(grep -c '^process' "$work/got")" -ne 3 ] ||
    ! grep -q '^bankscope run: 3 processes of the program ended by a signal' "$work/flood.errors"; then
    verdict flood-3 "WRONG: $(head -c 300 "$work/got" "$work/flood.errors" | tr '\n' ';')"
else
    verdict flood-3 "right: $(tr '\n' ';' <"$work/got")"
fi

# --launch, of the launches of all processes
timeout -k 2 60 "$folder/bankscope" run --launch 4 --json="$work/one.json" -- "$folder/processes" exec 4 \
    >"$work/one.said" 2>"$work/one.errors"
one=$("$python" -c 'import json, sys; print([(l["launch"], l["recorded_blocks"]) for l in json.load(sys.stdin)["launches"]])' \
    <"$work/one.json")
case $one in
"[(4, 4)]") verdict launch "right" ;;
*) verdict launch "WRONG: $one $(head -c 300 "$work/one.errors")" ;;
esac

# Programs that launch in all ways, beside each other: their kernels' sums are those that they print.
# shellcheck disable=SC2016 # the inner shell expands them
record beside 90 sh -c 'for way in streams graphs graphs graphs graphs threads; do "$1" $way "$1.cubin" & done; wait' _ "$folder/launches"
# shellcheck disable=SC2016 # the dollars are awk's
sum='{ instructions[$1] += $2; passes[$1] += $3 } END { for (s in passes) print s, instructions[s], passes[s] }'
awk '/^[0-9]+ [0-9]+$/ { print $1, $2, $1 * $2 }' "$work/beside.said" | awk "$sum" | sort -n >"$work/wanted"
"$python" -c 'import json, sys
for l in json.load(sys.stdin)["launches"]:
    if "strided<" in l["kernel"]:
        print(l["kernel"].split("<")[1].split(">")[0], *(l["load"][k] + l["store"][k] for k in ("instructions", "passes")))
' <"$work/beside.json" | awk "$sum" | sort -n >"$work/got"
if [ "$got" -eq 0 ] && [ "$(wc -l <"$work/wanted")" -gt 1 ] && cmp -s "$work/wanted" "$work/got"; then
    verdict beside "right: $("$python" -c 'import json, sys; print(len(json.load(sys.stdin)["launches"]))' \
        <"$work/beside.json") launches"
else
    verdict beside "WRONG: status $got $(diff "$work/wanted" "$work/got" | head -n 4 | tr '\n' ';')"
fi

if "$python" -c 'import torch; hasattr(torch.cuda, "_compile_kernel") or __import__("cupy")' 2>"$work/errors"; then
    theirs() { # NAME STATUS NOTE WORD...
        name=$1 status=$2 note=$3
        shift 3
        record "$name" 40 "$@"
        compare "$name" "$status" column 1 32 "$note"
    }
    # Their strides are 32; processes say their ranks.
    recorded=$(printf '%s' "$recorded" | sed 's|print("process", passes.pop() // loads, len(own))|print("process", len(own) - 1, len(own)) if passes == {32} else print("bad", passes)|')
    theirs spawn 0 "" "$python" "$here/processes.py" spawn 2
    theirs fork 0 "^bankscope run: 2 processes of the program ended by a signal or _exit" \
        "$python" "$here/processes.py" fork 2
    theirs forkserver 0 "^bankscope run: 2 processes of the program ended by a signal or _exit" \
        "$python" "$here/processes.py" forkserver 2
    theirs torch 0 "" "$python" "$here/processes.py" torch 2
    theirs torchrun 0 "" env GLOO_SOCKET_IFNAME=lo "$python" -m torch.distributed.run --standalone --nproc-per-node 2 \
        "$here/processes.py" rank 2
else
    echo "no torch: $(tail -n 1 "$work/errors")"
fi
echo "$wrong wrong"
[ "$wrong" -eq 0 ]
