# SPDX-License-Identifier: GPL-2.0 OR MIT
# A disk hangs while its elevator is taken off, and the weight of a group on it waits for that (on
# 6.1). The weights of other groups and of other disks are written meanwhile: PID 1 writes them for
# each service that it starts.
# modes: normal

load_elevator
modprobe sd_mod
# In ticks, 12 s; it cannot be written before the disk was looked at for partitions.
modprobe scsi_debug dev_size_mb=8 ndelay=100000 || skip "no scsi_debug"
hung=$(scsi_disk)
memory_disk disk
choose "$hung" $policy
choose disk $policy
mount_cgroup2
make_group a
make_group b
until echo 3000 >/sys/bus/pseudo/drivers/scsi_debug/delay; do sleep 0.1; done
dd if=/dev/"$hung" of=/dev/null bs=4096 count=1 iflag=direct &
reading=$!
wait_for_io "$hung"
choose "$hung" none &
switching=$!
sleep 1
write_to "$cgroup_root/a/io.bfq.weight" "$(device_number "$hung") 200" &
writing=$!
sleep 1
expect_equal "a weight on another disk" ok \
    "$(write_to "$cgroup_root/b/io.bfq.weight" "$(device_number disk) 300")"
expect_equal "a weight on all disks" ok "$(write_to "$cgroup_root/b/io.bfq.weight" 400)"
kill -0 $switching || wrong "these weights had to wait for the disk that hangs"
wait $reading
wait $switching
wait $writing
expect_equal "weights" "default 400,$(device_number disk) 300" \
    "$(paste -sd, "$cgroup_root/b/io.bfq.weight")"
seen "weights written while a disk hung"
