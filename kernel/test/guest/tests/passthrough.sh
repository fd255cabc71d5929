# SPDX-License-Identifier: GPL-2.0 OR MIT
# SCSI commands that a program sends itself bypass the scheduler, while reads and writes go on.
# modes: normal slub

load_elevator
modprobe sd_mod
modprobe scsi_debug dev_size_mb=32 ndelay=100000 || skip "no scsi_debug"
disk=$(scsi_disk)
choose "$disk" $policy
fio_verify /run/out --filename="/dev/$disk" --size=4m --time_based --runtime=5 --iodepth=8 \
    --name=random --rw=randwrite --bs=4k &
fio=$!
commands=0
while kill -0 $fio 2>/dev/null; do
    passthrough "/dev/$disk" 50
    commands=$((commands + 50))
done
wait $fio || wrong "fio: $(tail -1 /run/out)"
expect_equal "in flight at the end" 0 "$(in_flight "$disk")"
seen "$commands commands beside verified writes"
