# SPDX-License-Identifier: GPL-2.0 OR MIT
# Groups are made and removed under I/O, and processes move from group to group.
# modes: normal slub

load_elevator
memory_disk disk submit_queues=2
choose disk $policy
mount_cgroup2
for group in a b c; do
    make_group $group
done
fio_verify /run/out --filename=/dev/disk --size=4m --time_based --runtime=12 --iodepth=8 \
    --name=random --rw=randwrite --bs=4k --offset=0 \
    --name=sequential --rw=write --bs=32k --offset=16m &
fio=$!
# The verifying jobs are moved between groups, while others run in groups of their own, which are
# removed.
churn "$cgroup_root" /dev/disk 150 &
first=$!
churn "$cgroup_root" /dev/disk 150 &
second=$!
moves=0
while kill -0 $fio 2>/dev/null; do
    for group in a b c; do
        for pid in $(pidof fio); do
            echo "$pid" 2>/dev/null >"$cgroup_root/$group/cgroup.procs" && moves=$((moves + 1))
        done
        sleep 0.1
    done
done
wait $fio || wrong "fio: $(tail -1 /run/out)"
wait $first || wrong "churn stopped"
wait $second || wrong "churn stopped"
expect_equal "in flight at the end" 0 "$(in_flight disk)"
seen "300 groups made and removed, $moves moves under I/O"
