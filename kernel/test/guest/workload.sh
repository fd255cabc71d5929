# SPDX-License-Identifier: GPL-2.0 OR MIT
# workload.sh NAME COUNT: COUNT random reads of 4 KB from /dev/disk, by one process with 32 at a
# time (`one`), by 64 processes (`processes`), or by 64 processes in eight groups (`groups`).

. /test/lib/cgroup.sh
. /test/lib/fio.sh

read_disk() {
    fio_run /run/out."$1" --filename=/dev/disk --name=job --rw=randread --bs=4k --norandommap \
        --randrepeat=1 --number_ios="$2" --numjobs="$3" --iodepth="$4"
}

case $1 in
    one) read_disk one "$2" 1 32 ;;
    processes) read_disk all $(($2 / 64)) 64 1 ;;
    groups)
        for group in 1 2 3 4 5 6 7 8; do
            in_group g$group read_disk $group $(($2 / 64)) 8 1 &
        done
        wait
        ;;
esac
