# SPDX-License-Identifier: GPL-2.0 OR MIT
# Measures what an I/O costs while a program watches the disk, in instructions: `bfq top` beside
# those of others. They are taken from the host, with their libraries.

watching_packages=(blktrace trace-cmd linux-perf bpftrace iotop-c)

# The longest that the guest may take.
watching_limit_s=2400

# watching_folder FOLDER: puts the programs there.
watching_folder() {
    local program path library
    for program in blktrace blkparse trace-cmd perf bpftrace iotop-c; do
        path=$(PATH=$PATH:/usr/sbin type -P "$program")
        install -D "$path" "$1/bin/$program"
        for library in $(ldd "$path" | grep -o '/[^ ]*'); do
            install -D "$library" "$1$library"
        done
    done
}

# watching_of_kernel SERIES RELEASE: to $log_dir/SERIES.watching.results.
watching_of_kernel() {
    local folder=$vm_dir/$2/watching memory_mib=4096
    rm -rf "$folder"
    watching_folder "$folder"
    measure_in_guest "$1" "$2" watching "$watching_limit_s" "$folder"
    rm -rf "$folder"
}

# watching_table SERIES: instructions per I/O; what they are more than without a program, and that
# in parts of what `bfq top` adds.
watching_table() {
    tr -d '\r' <"$log_dir/$1.watching.results" | awk -v series="$1" '
        $1 == "lost" && $3 > 0 {print $2 " lost " $3 " events"}
        $1 == "watching" && $3 == "nothing" {base[$2] = $4}
        $1 == "watching" && $3 == "top" && $2 == "none" {top = $4 - base[$2]}
        $1 == "watching" {row[++rows] = $2; program[rows] = $3; cost[rows] = $4}
        END {
            printf "Linux %-8s %-16s %14s %8s %8s\n", series, "watched by", "instructions",
                "added", "/ top"
            for (r = 1; r <= rows; r++) {
                added = cost[r] - base[row[r]]
                part = top ? added / top : 0
                printf "%-14s %-16s %14d %+8d %8.2f\n", row[r], program[r], cost[r], added, part
            }
        }'
}

# watching: all kernels side by side.
watching() {
    local series
    on_all_kernels watching "watching none nothing-again"
    for series in "${all_series[@]}"; do
        watching_table "$series"
    done
}
