# SPDX-License-Identifier: GPL-2.0 OR MIT
# Processes of ioprio 0 to 7 have weights 80 to 10 and get shares accordingly: exactly with
# strict_guarantees; without it, requests of the lightest one fill the pauses of the others.
# modes: deterministic
# limit_s: 400

about_bfq "strict_guarantees"
load_elevator
slow_disk disk
choose disk $policy
tune disk low_latency 0
jobs=
for level in 0 1 2 3 4 5 6 7; do
    jobs="$jobs --name=p$level --prioclass=2 --prio=$level"
done

# A turn, the time for which a process may keep the disk; which one the end of the measurement cuts
# is chance.
turn_s=0.125

# measure STRICT SECONDS TOLERANCE LAST: checks the shares of the levels up to LAST, within
# TOLERANCE percent and a turn.
measure() {
    tune disk strict_guarantees "$1"
    # shellcheck disable=SC2086
    fio_run /run/out --filename=/dev/disk --rw=randread --bs=4k --iodepth=8 --time_based \
        --runtime="$2" $jobs
    awk -F';' '{print substr($3, 2), $6}' /run/out | sort >/run/kib
    total=$(awk '{sum += $2} END {print sum}' /run/kib)
    shares=
    while read -r level kib; do
        share=$(calculate "100 * $kib / $total")
        wanted=$(calculate "100 * (80 - 10 * $level) / 360")
        shares="$shares $share"
        off=$(calculate "$wanted * $3 / 100 + 100 * $turn_s / $2")
        [ "$level" -gt "$4" ] || expect_within "strict_guarantees=$1: share of ioprio $level" \
            "$(calculate "$wanted - $off")" "$(calculate "$wanted + $off")" "$share"
    done </run/kib
    seen "strict_guarantees=$1:$shares %"
}

# So long that a turn is less than the tolerance for the lightest.
measure 1 100 5 7
measure 0 60 12 6
