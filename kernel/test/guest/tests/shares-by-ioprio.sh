# SPDX-License-Identifier: GPL-2.0 OR MIT
# Processes of ioprio 0 to 7 have weights 80 to 10 and get shares by them.
# modes: deterministic
# limit_s: 300

load_elevator
slow_disk disk
choose disk bfq
tune disk low_latency 0
jobs=
for level in 0 1 2 3 4 5 6 7; do
    jobs="$jobs --name=p$level --prioclass=2 --prio=$level"
done
# shellcheck disable=SC2086
fio_run /run/out --filename=/dev/disk --rw=randread --bs=4k --iodepth=8 --time_based --runtime=120 $jobs
awk -F';' '{print substr($3, 2), $6}' /run/out | sort >/run/kib
total=$(awk '{sum += $2} END {print sum}' /run/kib)
while read -r level kib; do
    weight=$((80 - 10 * level))
    share=$(calculate "100 * $kib / $total")
    wanted=$(calculate "100 * $weight / 360")
    seen "$level: $share %"
    expect_within "share of ioprio $level" "$(calculate "$wanted * 0.9")" "$(calculate "$wanted * 1.1")" "$share"
done </run/kib
