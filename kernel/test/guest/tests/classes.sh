# SPDX-License-Identifier: GPL-2.0 OR MIT
# Real-time requests come first; idle ones get what is left, but always something.
# modes: deterministic

load_elevator
slow_disk disk
choose disk $policy
tune disk low_latency 0

# shares NAME:CLASS...: prints the KiB each job got in 20 s.
shares() {
    jobs=
    for job; do
        jobs="$jobs --name=${job%:*} --prioclass=${job#*:} --prio=4"
    done
    # shellcheck disable=SC2086
    fio_run /run/out --filename=/dev/disk --rw=randread --bs=4k --iodepth=16 --time_based \
        --runtime=20 $jobs
}

shares real-time:1 best-effort:2
real_time=$(fio_value /run/out real-time read_kib)
best_effort=$(fio_value /run/out best-effort read_kib)
seen "RT $real_time KiB, BE $best_effort KiB"
expect_within "share of RT beside BE" 0.9 1 \
    "$(calculate "$real_time / ($real_time + $best_effort)")"

shares best-effort:2 idle:3
best_effort=$(fio_value /run/out best-effort read_kib) idle=$(fio_value /run/out idle read_kib)
seen "BE $best_effort KiB, IDLE $idle KiB"
expect_within "share of BE beside IDLE" 0.8 1 "$(calculate "$best_effort / ($best_effort + $idle)")"
[ "$idle" -gt 0 ] || wrong "the idle class starves"
