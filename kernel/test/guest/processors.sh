# SPDX-License-Identifier: GPL-2.0 OR MIT
# The task `processors`: random reads of 4 KiB, a process with 32 of them on each processor, from a
# null_blk that has a hardware queue for each and answers at once, under each elevator in turn, ten
# rounds; tfq with and without its loans to programs that start, as each of these does. Writes lines
# to the results:
#
#   processors COUNT ROUND ELEVATOR IOPS

. /test/lib/elevator.sh
. /test/lib/disk.sh
. /test/lib/fio.sh

processors=$(nproc)
rounds=10

# measure ROUND NAME ELEVATOR [TUNABLE VALUE]
measure() {
    choose disk "$3" || return
    [ $# = 3 ] || tune disk "$4" "$5"
    fio_run /run/out --filename=/dev/disk --name=job --rw=randread --bs=4k --norandommap \
        --randrepeat=1 --numjobs="$processors" --iodepth=32 --time_based --runtime=1 || return
    fio_value /run/out job read_iops |
        awk -v line="processors $processors $1 $2" '{sum += $1} END {print line, sum}' >&4
    choose disk none
}

null_disk disk queue_mode=2 irqmode=0 size=1024 submit_queues="$processors"
for round in $(seq $rounds); do
    measure "$round" mq-deadline mq-deadline
    for elevator in stock ours; do
        load_elevator && measure "$round" "bfq-$elevator" bfq
        if [ "$elevator" = ours ]; then
            measure "$round" tfq tfq
            measure "$round" tfq-no-loans tfq low_latency 0
        fi
        unload_elevator
    done
done
