# SPDX-License-Identifier: GPL-2.0 OR MIT
# A disk now and then serves only half of a read: the block layer requeues the rest, and inserts it
# again at the head.

modprobe sd_mod
modprobe scsi_debug dev_size_mb=8 virtual_gb=16 ndelay=2370000 max_queue=4
disk=$(scsi_disk)
echo 1 >"/sys/block/$disk/queue/rotational"
begin "$disk" low_latency=0
echo 10 >/sys/bus/pseudo/drivers/scsi_debug/every_nth
echo 0x100 >/sys/bus/pseudo/drivers/scsi_debug/opts
paced - count=200 at_mib=0
paced - count=200 at_mib=2048 wait_us=20000
paced - count=200 at_mib=4096 depth=8 wait_us=40000 random=3 size_kib=16
wait
echo 0 >/sys/bus/pseudo/drivers/scsi_debug/opts
finish requeue 4
rmmod scsi_debug
