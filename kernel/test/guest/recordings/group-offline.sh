# SPDX-License-Identifier: GPL-2.0 OR MIT
# Groups go while requests of processes that were in them wait and are in the disk, sync and async
# ones: a group below another one, then the next one and what both are in, at last one with queues
# of all classes and of many finish times.

make_group a 200
echo +io >"$cgroup_root/a/cgroup.subtree_control"
make_group a/x 300
make_group a/y 100
make_group b 1000
null_disk disk queue_mode=2 irqmode=2 completion_nsec=2370000 hw_queue_depth=4 size=16384
echo 1 >/sys/block/disk/queue/rotational
begin disk low_latency=0 max_budget=2048
paced a/x count=384 at_mib=0 depth=48
deep=$!
paced a/x count=150 at_mib=1024 wait_us=30000 think_us=6000 size_kib=16
pausing=$!
paced a/x count=120 at_mib=1536 wait_us=40000 size_kib=16 write=2
writer=$!
paced a/y count=120 at_mib=2048 wait_us=20000 prio=2
alone=$!
paced - count=120 at_mib=3072 wait_us=60000
usleep 200000
move $deep b
move $pausing a/y
move $writer -
drop_marked a/x
usleep 200000
move $alone -
move $pausing b
drop_marked a/y
drop_marked a
members='' place=3072
for member in "class=1 depth=2 think_us=20000" "class=1 wait_us=200000 count=144" \
    "class=1 wait_us=200000 count=144" prio=0 "prio=1 random=5" "prio=2 size_kib=16" \
    "prio=6 depth=24 size_kib=32" prio=7 "prio=7 count=16 think_us=500000" "class=3 depth=4"; do
    place=$((place + 1024))
    # shellcheck disable=SC2086 # several words
    paced b count=72 at_mib=$place depth=8 $member
    members="$members $!"
done
usleep 250000
for member in $members $deep $pausing; do
    move "$member" -
done
drop_marked b
wait
finish group-offline 4 a=200 a/x=300 a/y=100 b=1000
drop_disk disk
