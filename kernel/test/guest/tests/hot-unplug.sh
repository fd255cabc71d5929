# SPDX-License-Identifier: GPL-2.0 OR MIT
# A disk is taken away while it works: its requests end, with an error, and nothing hangs.
# modes: normal slub

load_elevator
modprobe sd_mod
rounds=6
for round in $(seq $rounds); do
    modprobe scsi_debug dev_size_mb=16 ndelay=2000000 max_queue=8 || skip "no scsi_debug"
    disk=$(scsi_disk)
    choose "$disk" bfq
    fio_run /run/out --filename="/dev/$disk" --size=4m --time_based --runtime=20 --ioengine=psync \
        --name=writes --rw=randwrite --bs=4k --numjobs=16 \
        --name=reads --rw=randread --bs=4k --numjobs=16 >/dev/null 2>&1 &
    fio=$!
    wait_for_io "$disk" || wrong "round $round: nothing in flight"
    sleep 0.5
    # By turns the disk alone and the whole host goes.
    if [ $((round % 2)) = 0 ]; then
        echo 1 >"/sys/block/$disk/device/delete"
    else
        echo -1 >/sys/bus/pseudo/drivers/scsi_debug/add_host
    fi
    wait $fio && wrong "round $round: fio did not notice"
    [ -e "/sys/block/$disk" ] && wrong "round $round: the disk is still there"
    rmmod scsi_debug
done
seen "$rounds disks taken away under load"
