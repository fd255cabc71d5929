# SPDX-License-Identifier: GPL-2.0 OR MIT
# low_latency is switched off while queues are raised, one of them in service, and one that is
# not raised is busy; it is switched on again later, and off once more.

null_disk disk queue_mode=2 irqmode=2 completion_nsec=2370000 hw_queue_depth=1 size=16384
echo 1 >/sys/block/disk/queue/rotational
begin disk
paced - count=240 at_mib=0
paced - count=240 at_mib=2048 wait_us=60000
paced - count=30 at_mib=4096 wait_us=100000 think_us=30000 size_kib=16
paced - count=240 at_mib=6144 wait_us=200000 prio=2
paced - count=40 at_mib=8192 wait_us=300000 size_kib=8 write=2 think_us=20000
usleep 450000
tune_marked low_latency 0
usleep 500000
tune_marked low_latency 1
paced - count=80 at_mib=10240
usleep 300000
tune_marked low_latency 0
wait
finish low-latency-off 1
drop_disk disk
