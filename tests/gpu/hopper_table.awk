# results.tsv of tests/gpu/hopper.sh to tests/data/h100-hopper.tsv: of each case that ran its name, the hash of all words,
# and its first 256 words.
#     awk -f tests/gpu/hopper_table.awk results.tsv > tests/data/h100-hopper.tsv
BEGIN { FS = OFS = "\t"; print "# tests/gpu/hopper.sh on an H100 (80 GB, driver 580.159.04): name, hash of the output, its first words" }
$1 != "cluster_names" && $2 !~ /^failed/ { # cluster_names stores addresses, which are a machine's own
    n = split($3, word, " ")
    words = ""
    for (i = 1; i <= n && i <= 256; i++)
        words = words " " word[i]
    print $1, $2 words
}
