#!/bin/sh
# database: the queries of doc/database.md, run by DuckDB over a small recording, agree with stats.
. tests/support/tap.sh

if ! command -v duckdb >/dev/null; then
    skip "the queries of doc/database.md" "there is no duckdb"
    finish
    exit
fi

"$BANKSCOPE" run thrust-merge w=12 u=24 E=5 --input worst -o "$WORK/worst.jsonl.zst" >"$WORK/run.txt"
"$BANKSCOPE" stats "$WORK/worst.jsonl.zst" --by access --csv >"$WORK/accesses.csv"
awk '/^```sql/ { n++; inside = 1; next } /^```/ { inside = 0 } inside { print >folder "/" n ".sql" }' \
    folder="$WORK" doc/database.md
for query in "$WORK"/*.sql; do
    (cd "$WORK" && duckdb -csv -c "$(cat "$query")") >"$query.csv" 2>"$query.err"
    ok "query $(basename "$query" .sql) runs" test $? -eq 0
done

"$BANKSCOPE" stats "$WORK/worst.jsonl.zst" --csv | sort >"$WORK/stats.csv"
sort "$WORK/1.sql.csv" >"$WORK/totals.csv"
ok "the totals are those of stats" diff "$WORK/stats.csv" "$WORK/totals.csv"
most=$("$BANKSCOPE" stats "$WORK/worst.jsonl.zst" --by round --csv |
    awk -F, '{ sum[$1 "," $2] += $7; if (sum[$1 "," $2] > most) most = sum[$1 "," $2] } END { print most }')
ok "the worst round comes first" test "$(sed -n '2s/.*,//p' "$WORK/3.sql.csv")" -eq "$most"
finish
