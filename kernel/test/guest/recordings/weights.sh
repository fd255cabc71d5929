# SPDX-License-Identifier: GPL-2.0 OR MIT
# Weights of groups and priorities of processes are written while all of them do I/O.

make_group a 100
make_group b 100
null_disk disk queue_mode=2 irqmode=2 completion_nsec=2370000 hw_queue_depth=1 size=16384
echo 1 >/sys/block/disk/queue/rotational
begin disk low_latency=0
paced a count=300 at_mib=0
paced a count=300 at_mib=2048 later=60:1 wait_us=20000
paced b count=300 at_mib=4096 wait_us=40000
paced - count=300 at_mib=6144 later=80:7 wait_us=60000
usleep 500000
weigh_marked a 400
usleep 300000
weigh_marked b 1
weigh_marked a 200
usleep 300000
weigh_marked b 1000
wait
finish weights 1 a=100 b=100
drop_disk disk
drop_group a
drop_group b
