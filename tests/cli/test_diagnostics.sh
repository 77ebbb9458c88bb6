#!/bin/sh
# program: conflicts and faults as messages that editors and services read.
# shellcheck disable=SC2016 # back quotes and dollars as they are
. tests/support/tap.sh
. tests/support/cuda.sh
mkdir -p "$WORK/a folder" && cd "$WORK/a folder" || exit 1

cat >race.cu <<'END'
__global__ void k(int *o)
{
    __shared__ int s[64], t[32][32];
    s[threadIdx.x] = threadIdx.x;
    o[threadIdx.x] = s[63 - threadIdx.x];
    if (threadIdx.x < 32)
        t[threadIdx.x][0] = o[0];
    __syncthreads();
    o[threadIdx.x] += t[threadIdx.x % 32][0];
}
int main()
{
    int *d;
    cudaMalloc(&d, 256);
    k<<<1, 64>>>(d);
    cudaDeviceSynchronize();
}
END
run_it timeout 60 "$BANKSCOPE" run --compiler clang --jobs 1 race.cu --leaks --diagnostics gcc
cp ../stdout gcc
ok "faults set the status" test "$status" -eq 1
ok "a conflict is a warning, with its column" grep -Eq \
    "^race.cu:7:[0-9]+: warning: 32-way bank conflict in 't', 32 passes \(1 without conflicts\): 1 store of k \[bank-conflict\]$" gcc
ok "a race is an error" grep -Eq '^race.cu:4:[0-9]+: error: a store of .* \[race\]$' gcc
ok "a remark is a warning" grep -Eq ': warning: .* \[leak\]$' gcc
ok "all lines are of that form" sh -c '! grep -Evq "^(race.cu:[0-9]+:([0-9]+:)?|bankscope:) (warning|error): .* \[[a-z-]+\]$" gcc'
ok "they come by line" sh -c 'cut -d: -f2 gcc | grep "^[0-9]" | sort -nc'
ok "faults are told once" sh -c '! grep -q "race.cu:" ../stderr'
column=$(sed -n 's/^race.cu:7:\([0-9]*\): warning: .*/\1/p' gcc)
ok "the column is that of the access" test "$(sed -n 7p race.cu | cut -c "$column")" = '='

# Of two accesses in a line, the column is that of the worse one, in whichever launch.
cat >two.cu <<'END'
__global__ void k(int *o, int a, int b)
{
    __shared__ int t[1024];
    for (int i = threadIdx.x; i < 1024; i += 32)
        t[i] = i;
    __syncwarp();
    o[threadIdx.x] = t[threadIdx.x * a] ^ t[threadIdx.x * b];
}
int main()
{
    int *d;
    cudaMalloc(&d, 128);
    k<<<1, 32>>>(d, 2, 1);
    k<<<1, 32>>>(d, 1, 32);
    cudaDeviceSynchronize();
}
END
run_it timeout 60 "$BANKSCOPE" run --compiler clang --jobs 1 two.cu --diagnostics gcc
ok "warnings alone leave the status" test "$status" -eq 0
worse=$(sed -n 's/^two.cu:7:\([0-9]*\): warning: .*/\1/p' ../stdout)
ok "of two accesses, the worse one has the column" test "$(sed -n 7p two.cu | cut -c "$worse-" | cut -d ']' -f 1)" = \
    't[threadIdx.x * b'

# As VS Code's $gcc matcher and others have it.
matcher='^(.*):([0-9]+):([0-9]*):?[[:space:]]+(warning|error):[[:space:]]+(.*)$'
ok "a problem matcher takes each line with a place" test \
    "$(grep -Ec "$matcher" gcc)" -eq "$(grep -c '^race.cu' gcc)"
if have vim; then
    timeout 30 vim -es -u NONE -N -c 'set errorformat=%f:%l:%c:\ %t%*[^:]:\ %m,%f:%l:\ %t%*[^:]:\ %m' -c 'cgetfile gcc' \
        -c 'call writefile(map(filter(getqflist(), "v:val.valid"), {_, e -> bufname(e.bufnr) . " " . e.lnum . " " . e.col . " " . e.type}), "read")' \
        -c 'qall!' </dev/null
    ok "vim's errorformat reads place and kind" grep -qx "race.cu 7 $column w" read
    ok "... of each line with a place" test "$(grep -c . read)" -eq "$(grep -c '^race.cu' gcc)"
else
    skip "vim's errorformat reads them" "needs vim"
fi

run_it timeout 60 "$BANKSCOPE" run --compiler clang --jobs 1 "$PWD/race.cu" --diagnostics sarif=race.sarif
ok "SARIF beside the table" grep -q '^line  ' ../stdout
ok "a place outside of the folder is a URI" jq -e '[.runs[0].results[].locations[0].physicalLocation.artifactLocation.uri] |
    all(startswith("file:///") and endswith("/a%20folder/race.cu"))' race.sarif
run_it timeout 60 "$BANKSCOPE" run --compiler clang --jobs 1 race.cu --leaks --diagnostics sarif
cp ../stdout race.sarif
jq -c '.runs[0].results |= map(select(.locations != []))' race.sarif >named.sarif
# What the schema of SARIF 2.1.0 requires of what is written here: properties that must be there, their types, the values
# that they may have, and none that the schema does not know.
ok "SARIF has the structure of its schema" jq -e '
    def only($names): keys - $names == [];
    def text: type == "object" and only(["text"]) and (.text | type == "string" and length > 0);
    def index: type == "number" and . >= 0 and . == floor;
    only(["$schema", "version", "runs"]) and .version == "2.1.0" and (.["$schema"] | startswith("https://")) and
    (.runs | type == "array" and length == 1) and
    (.runs[0] | only(["tool", "results", "columnKind"]) and
        (.columnKind | . == "utf16CodeUnits" or . == "unicodeCodePoints") and
        (.tool | only(["driver"]) and (.driver | only(["name", "version", "rules"]) and (.name | type == "string") and
            (.version | type == "string") and
            (.rules | type == "array" and (unique_by(.id) | length) == (map(.id) | length)) and
            (.rules | all(only(["id", "shortDescription"]) and (.id | type == "string") and (.shortDescription | text))))) and
        (.tool.driver.rules as $rules | .results | type == "array" and length > 2 and all(
            only(["ruleId", "ruleIndex", "level", "message", "locations", "properties"]) and
            (.ruleIndex | index) and .ruleId == $rules[.ruleIndex].id and
            (.level | . == "warning" or . == "error") and (.message | text) and
            (.locations | type == "array" and all(only(["physicalLocation"]) and
                (.physicalLocation | only(["artifactLocation", "region"]) and
                    (.artifactLocation | only(["uri"]) and (.uri | type == "string" and (contains(" ") | not))) and
                    (.region | only(["startLine", "startColumn"]) and (.startLine | index and . > 0) and
                        ((.startColumn // 1) | index and . > 0)))) ) and
            ((.properties // {}) | type == "object"))))' race.sarif
ok "with the same messages as gcc" test "$(jq -r '.runs[0].results[] | .level + ": " + .message.text + " [" + .ruleId + "]"' race.sarif | sort)" = \
    "$(sed 's/^[^ ]* //' gcc | sort)"
ok "a relative place is one" jq -e '.runs[0].results[0].locations[0].physicalLocation.artifactLocation.uri == "race.cu"' named.sarif
ok "numbers come as properties" jq -e '.runs[0].results[] | select(.ruleId == "bank-conflict").properties |
    .kernel == "k" and .passes - .conflicts <= 2 and .conflicts >= 31' race.sarif
run_it timeout 60 "$BANKSCOPE" run --compiler clang race.cu --diagnostics sarif=race.sarif
ok "it may be written anew" jq -e .version race.sarif
refuses "another form" 2 "diagnostics is 'msvc'; it must be gcc or sarif" "$BANKSCOPE" run race.cu --diagnostics msvc
refuses "gcc's lines have no file" 2 'goes to standard output' "$BANKSCOPE" run race.cu --diagnostics gcc=file

finish
