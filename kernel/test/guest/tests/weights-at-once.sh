# SPDX-License-Identifier: GPL-2.0 OR MIT
# Many write the weights of one group at once, each for another disk: none is lost or refused, also
# if others use the room that one has just made.
# modes: normal slub

load_elevator
mount_cgroup2
disks=12
for disk in $(seq $disks); do
    null_disk "d$disk" queue_mode=2 irqmode=1 size=1
    choose "d$disk" $policy
done
# override DISK: prints the line that writes, and shows, its weight.
override() { echo "$(device_number "d$1") $((100 + $1))"; }
for disk in $(seq $disks); do override "$disk"; done | sort >/run/test/wanted
rounds=10
for round in $(seq $rounds); do
    make_group "$round"
    writers=
    for disk in $(seq $disks); do
        write_to "$cgroup_root/$round/io.bfq.weight" "$(override "$disk")" >>/run/test/answers &
        writers="$writers $!"
    done
    wait $writers
    expect_equal "weights of group $round" "$(cat /run/test/wanted)" \
        "$(grep -v default "$cgroup_root/$round/io.bfq.weight" | sort)"
done
answers=$(sort /run/test/answers | uniq -c | sed 's/^ *//')
expect_equal "answers" "$((rounds * disks)) ok" "$answers"
seen "$rounds groups with $disks weights at once"
