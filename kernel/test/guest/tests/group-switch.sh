# SPDX-License-Identifier: GPL-2.0 OR MIT
# Groups are made and removed, get weights and are read, while the elevator is switched and I/O runs
# in them. No process that did I/O ends meanwhile: 6.1 itself has a race between that and a switch.
# modes: normal slub
# limit_s: 180

load_elevator
memory_disk disk submit_queues=2
choose disk $policy
mount_cgroup2
disk=$(device_number disk)
echo 1 >/sys/module/bfq/parameters/detailed_statistics
fio_verify /run/out --filename=/dev/disk --size=4m --time_based --runtime=25 --iodepth=8 \
    --name=random --rw=randwrite --bs=4k --offset=0 \
    --name=sequential --rw=write --bs=32k --offset=16m &
fio=$!
(
    while kill -0 $fio 2>/dev/null; do
        for name in none "$policy" mq-deadline "$policy"; do
            echo $name >/sys/block/disk/queue/scheduler
            echo $name >>/run/switches
        done
    done
) &
switcher=$!

# Weights of a group: EOPNOTSUPP is right while the disk has another elevator.
set_weights() {
    echo "$2" >"$cgroup_root/$1/io.bfq.weight"
    write_to "$cgroup_root/$1/io.bfq.io_weight" "$disk $((10 * $2))" >>/run/answers
}
round=0
wait_for_requests disk 1 $fio || wrong "fio ended before it did I/O: $(tail -1 /run/out)"
pids=$(pidof fio)
make_group 0
while kill -0 $fio 2>/dev/null; do
    last=$round
    round=$((round + 1))
    make_group $round
    echo +io >"$cgroup_root/$round/cgroup.subtree_control"
    make_group $round/below
    set_weights $round/below $((round % 1000 + 1))
    # On a slow machine there are few rounds, and each of them may meet another elevator.
    until grep -qx ok /run/answers || ! kill -0 $fio 2>/dev/null; do
        set_weights $round/below $((round % 1000 + 1))
    done
    for pid in $pids; do
        echo "$pid" 2>/dev/null >"$cgroup_root/$round/below/cgroup.procs" || true
    done
    cat "$cgroup_root/$round/below/io.stat" "$cgroup_root/$round/below/io.bfq.weight" >/dev/null
    [ ! -d "$cgroup_root/$last/below" ] || drop_group $last/below
    drop_group $last
done
wait $fio || wrong "fio: $(tail -1 /run/out)"
wait $switcher
expect_equal "in flight at the end" 0 "$(in_flight disk)"
expect_equal "other answers" "" "$(grep -vxE 'ok|EOPNOTSUPP' /run/answers | sort -u)"
grep -qx ok /run/answers || wrong "no weight of the disk was ever taken"
seen "$((2 * round)) groups, $(wc -l </run/switches) switches," \
    "$(grep -cx ok /run/answers) overrides"
