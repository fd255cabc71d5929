# SPDX-License-Identifier: GPL-2.0 OR MIT
# Measurements in instructions: a task of the guest in the deterministic mode, on all kernels side
# by side.

# measure_in_guest SERIES RELEASE TASK LIMIT_S [FOLDER]: the task's lines go to
# $log_dir/SERIES.TASK.results; the files of the folder are added to the guest.
measure_in_guest() {
    local log=$log_dir/$1.$3 initrd
    initrd=$(initramfs "$2" "$3" ${5:+"$5"} <<<"task=$3
elevator=ours
mode=deterministic")
    boot deterministic "$2" "$initrd" "$log.log" "$log.results" "$4"
}

# on_all_kernels TASK LAST: runs TASK_of_kernel SERIES RELEASE for each, and fails if one of them
# did not come to the line that begins with LAST.
on_all_kernels() {
    local series
    for series in "${all_series[@]}"; do
        "${1}_of_kernel" "$series" "${releases[$series]}" &
    done
    wait
    for series in "${all_series[@]}"; do
        grep -q "^$2" "$log_dir/$series.$1.results" ||
            fail "the measurement on $series was not completed; see $log_dir/$series.$1.log"
    done
}
