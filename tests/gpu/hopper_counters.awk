# counters.csv of tests/gpu/hopper.sh to tests/data/h100-hopper-counters.tsv: of each case what the counters say.
#     awk -f tests/gpu/hopper_counters.awk counters.csv > tests/data/h100-hopper-counters.tsv
function value(name) { return name in at ? field[at[name]] : "-" }
BEGIN {
    OFS = "\t"
    count = split("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld " \
        "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st " \
        "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom smsp__inst_executed_op_ldsm smsp__inst_executed_pipe_tma " \
        "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldsm smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_stsm " \
        "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_gmma l1tex__t_requests_pipe_lsu_mem_global_op_ld " \
        "l1tex__t_requests_pipe_lsu_mem_global_op_st", wanted, " ")
    line = "# tests/gpu/hopper.sh on an H100 (80 GB, driver 580.159.04): case, sums of"
    for (i = 1; i <= count; i++)
        line = line (i > 1 ? "," : "") " " wanted[i]
    print line
}
/^"ID"/ {
    n = split(substr($0, 2, length($0) - 2), name, "\",\"")
    for (i = 1; i <= n; i++)
        at[name[i]] = i
}
/^"[0-9]/ {
    split(substr($0, 2, length($0) - 2), field, "\",\"")
    row = field[at["Kernel Name"]]
    sub(/\(.*/, "", row)
    for (i = 1; i <= count; i++) {
        number = value(wanted[i] ".sum")
        gsub(/,/, "", number)
        row = row OFS number
    }
    print row
}
