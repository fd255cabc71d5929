# SPDX-License-Identifier: GPL-2.0 OR MIT
# Processes of ioprio 0 to 7 have weights 80 to 10 and get shares accordingly: exactly with
# strict_guarantees; without it, requests of the lightest one fill the pauses of the others.
# modes: deterministic
# limit_s: 300

about_bfq "strict_guarantees"
load_elevator
slow_disk disk
choose disk $policy
tune disk low_latency 0
jobs=
for level in 0 1 2 3 4 5 6 7; do
    jobs="$jobs --name=p$level --prioclass=2 --prio=$level"
done

# measure STRICT TURN_MS TOLERANCE LAST: checks the shares of the levels up to LAST, within TOLERANCE
# percent.
measure() {
    tune disk strict_guarantees "$1"
    tune disk timeout_sync "$2"
    # shellcheck disable=SC2086
    fio_run /run/out --filename=/dev/disk --rw=randread --bs=4k --iodepth=8 --time_based \
        --runtime=60 $jobs
    awk -F';' '{print substr($3, 2), $6}' /run/out | sort >/run/kib
    total=$(awk '{sum += $2} END {print sum}' /run/kib)
    shares=
    while read -r level kib; do
        share=$(calculate "100 * $kib / $total")
        wanted=$(calculate "100 * (80 - 10 * $level) / 360")
        shares="$shares $share"
        [ "$level" -gt "$4" ] || expect_within "strict_guarantees=$1: share of ioprio $level" \
            "$(calculate "$wanted * (1 - $3 / 100)")" \
            "$(calculate "$wanted * (1 + $3 / 100)")" "$share"
    done </run/kib
    seen "strict_guarantees=$1:$shares %"
}

# Turns so short that one more or less is no percent of a share. Each end of one is a pause to be
# filled, so they have their usual length where pauses are.
measure 1 25 5 7
measure 0 125 12 6
