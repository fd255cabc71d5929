# SPDX-License-Identifier: GPL-2.0 OR MIT
# workload.sh NAME COUNT: COUNT random reads of 4 KB from /dev/disk, by one process with 32 at a
# time (`one`), by 64 processes (`processes`), or by 64 processes in eight groups (`groups`); or by
# one process with 32 at a time from /dev/slow, which takes fewer than that, so that requests wait
# in the scheduler (`saturated`). For those who count what the lock costs: by one process one after
# the other (`alone`), with 32 at a time, 16 of them submitted at once (`batches`), or as
# `saturated` from a pool smaller than 32, so that requests wait for a place in it (`crowded`).

. /test/lib/cgroup.sh
. /test/lib/fio.sh

# read_disk RESULT COUNT PROCESSES DEPTH [OPTION...]
read_disk() {
    local result=$1 count=$2 processes=$3 depth=$4
    shift 4
    fio_run /run/out."$result" --filename="${disk:-/dev/disk}" --name=job --rw=randread --bs=4k \
        --norandommap --randrepeat=1 --number_ios="$count" --numjobs="$processes" \
        --iodepth="$depth" "$@"
}

case $1 in
    one) read_disk one "$2" 1 32 ;;
    alone) read_disk one "$2" 1 1 ;;
    batches)
        read_disk one "$2" 1 32 --iodepth_batch_submit=16 --iodepth_batch_complete_min=16 \
            --iodepth_batch_complete_max=16
        ;;
    saturated | crowded) disk=/dev/slow read_disk one "$2" 1 32 ;;
    processes) read_disk all $(($2 / 64)) 64 1 ;;
    groups)
        for group in 1 2 3 4 5 6 7 8; do
            in_group g$group read_disk $group $(($2 / 64)) 8 1 &
        done
        wait
        ;;
esac
