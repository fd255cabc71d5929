# SPDX-License-Identifier: GPL-2.0 OR MIT
# Measures how often an I/O takes the lock of its device, and for how long: runs the guest's
# measurement and prints a table for each kernel.

# lock_of_kernel SERIES RELEASE: to $log_dir/SERIES.lock.results.
lock_of_kernel() {
    measure_in_guest "$1" "$2" lock 900
}

# lock_table SERIES
lock_table() {
    tr -d '\r' <"$log_dir/$1.lock.results" | awk -v series="$1" '
        BEGIN {
            printf "Linux %-8s%-12s%14s%14s%14s%14s%14s\n", series, "", "acquisitions",
                "in vain", "instructions", "of a hold", "the longest"
        }
        $1 == "lock" {
            printf "%-14s%-12s%14.2f%14.2f%14.0f%14.0f%14d\n", $2, $3, $5 / $4, $8 / $4,
                $6 / $4, $6 / $5, $7
        }'
}

# lock: the kernels side by side.
lock() {
    local series
    on_all_kernels lock "lock tfq crowded"
    for series in "${all_series[@]}"; do
        lock_table "$series"
        echo
    done
}
