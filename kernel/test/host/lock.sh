# SPDX-License-Identifier: GPL-2.0 OR MIT
# Measures how often an I/O takes the lock of its device, and for how long: runs the guest's
# measurement and prints a table for each kernel.

# lock_of_kernel SERIES RELEASE: to $log_dir/SERIES.lock.results.
lock_of_kernel() {
    local series=$1 release=$2 initrd
    initrd=$(initramfs "$release" lock <<<"task=lock
elevator=ours
mode=deterministic")
    boot deterministic "$release" "$initrd" "$log_dir/$series.lock.log" \
        "$log_dir/$series.lock.results" 900
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
    for series in "${all_series[@]}"; do
        lock_of_kernel "$series" "${releases[$series]}" &
    done
    wait
    for series in "${all_series[@]}"; do
        grep -q '^lock tfq crowded' "$log_dir/$series.lock.results" ||
            fail "the measurement on $series was not completed; see $log_dir/$series.lock.log"
        lock_table "$series"
        echo
    done
}
