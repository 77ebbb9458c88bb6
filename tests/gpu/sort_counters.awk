# sort_counters.awk - shared-memory passes of the sort's kernels, by what the accesses are, from
#     ncu --section SourceCounters --page source --csv --print-source sass ./sort once int32 20
# A gather's loads have addresses that were just made by a dot product, IDP; the searches' are sums. "fewest" is
# what the same lanes would take without conflicts, so excess is what a profiler calls conflicts.
BEGIN {
    FS = "\",\""
    OFS = "\t"
    print "kernel", "access", "places in the code", "instructions", "passes", "fewest", "conflicts"
}
function flush_kernel(    i, name)
{
    for (i = 1; i <= kinds; i++) {
        name = kind[i]
        if (places[name] && !((kernel, name) in printed))
            print kernel, name, places[name], executed[name], passes[name], fewest[name], \
                passes[name] - fewest[name]
        if (places[name])
            printed[kernel, name] = 1
        delete places[name]
        delete executed[name]
        delete passes[name]
        delete fewest[name]
    }
    delete made_by
}
/^"Kernel Name"/ {
    flush_kernel()
    kernel = $2
    sub(/^void bankscope::/, "", kernel)
    sub(/\(bankscope::caller.*|\(const T.*/, "", kernel)
    gsub(/bankscope::|\(int\)|"/, "", kernel)
    next
}
/^"Address"/ {
    for (i = 1; i <= NF; i++) {
        title = $i
        gsub(/"/, "", title)
        column[title] = i
    }
    next
}
/^"0x/ {
    text = $2
    sub(/^ +/, "", text)
    sub(/^@!?U?P[0-9T] +/, "", text)
    split(text, word, /[ ,]+/)
    op = word[1]
    if (op ~ /^(LDS|STS)/) {
        base = text
        sub(/.*\[/, "", base)
        sub(/[^R0-9].*/, "", base)
        if (op ~ /128/)
            name = op ~ /^L/ ? "tile out, 16 bytes, loads" : "tile out, 16 bytes, stores"
        else if (op ~ /^L/)
            name = made_by[base] == "IDP" ? "gather, loads" : "search, loads"
        else
            name = made_by[base] == "FFMA" ? "rows of both directions in a warp, stores" : "rows, stores"
        if (!(name in known)) {
            known[name] = 1
            kind[++kinds] = name
        }
        places[name]++
        executed[name] += $(column["Instructions Executed"])
        passes[name] += $(column["L1 Wavefronts Shared"])
        fewest[name] += $(column["L1 Wavefronts Shared Ideal"])
    }
    to = word[2]
    sub(/\..*/, "", to)
    if (op !~ /^(STS|STG|BAR|BRA|ISETP)/ && to ~ /^R[0-9]+$/)
        made_by[to] = op ~ /^FFMA/ ? "FFMA" : op ~ /^IDP/ ? "IDP" : op
}
END {
    flush_kernel()
}
