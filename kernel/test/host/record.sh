# SPDX-License-Identifier: GPL-2.0 OR MIT
# Records in the guest what the stock module says and does: a trace and a file of settings for each
# situation in guest/recordings, to out/kernel/recordings/SERIES.

# record_kernel SERIES RELEASE: records all situations on one kernel.
record_kernel() {
    local series=$1 release=$2 initrd hz
    local results=$log_dir/$series.record.results to=$log_dir/recordings/$series
    hz=$(sed -n 's/^CONFIG_HZ=//p' "$vm_dir/$release/image/boot/config-$release")
    initrd=$(initramfs "$release" record <<<"task=record
elevator=stock
mode=deterministic
series=$series
hz=$hz
only=${ONLY:-}")
    boot deterministic "$release" "$initrd" "$log_dir/$series.record.log" "$results" 1800
    [ "$(tail -1 "$results")" = complete ] ||
        fail "the recordings on $series were not completed; see $log_dir/$series.record.log"
    mkdir -p "$to"
    sed '$d' "$results" | base64 -d | tar -x -C "$to"
    rm "$results"
    echo "$series: $(cd "$to" && echo ./*.trace.gz)"
}

record() {
    local series
    for series in "${all_series[@]}"; do
        record_kernel "$series" "${releases[$series]}"
    done
}
