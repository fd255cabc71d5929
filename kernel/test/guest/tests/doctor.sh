# SPDX-License-Identifier: GPL-2.0 OR MIT
# `bfq doctor` predicts the shares of groups, two of them below another, and what is measured is
# within two points of that. It finds an elevator that ignores weights, mends it and undoes that.
# modes: deterministic

[ -x /bin/bfq ] || skip "the bfq command was not built"
load_elevator
slow_disk disk
choose disk $policy
tune disk low_latency 0
mount_cgroup2
echo +memory >"$cgroup_root/cgroup.subtree_control"
make_group a 100
make_group b 300
echo "+io +memory" >"$cgroup_root/b/cgroup.subtree_control"
make_group b/x 100
make_group b/y 200
for group in a b/x b/y; do
    in_group $group fio_run /run/${group#*/} --filename=/dev/disk --name=job --rw=randread \
        --bs=4k --iodepth=16 --time_based --runtime=60 &
done
for group in a b/x b/y; do
    until grep -q 'rios=[1-9]' "$cgroup_root/$group/io.stat"; do sleep 0.1; done
done
bfq doctor disk >/run/diagnosis || wrong "it finds something wrong: $(cat /run/diagnosis)"
cat /run/diagnosis
wait
total=0
for group in a b/x b/y; do
    total=$((total + $(fio_value /run/${group#*/} job read_kib)))
done
for group in a b/x b/y; do
    predicted=$(awk -v group="/$group" '$1 == group {print $6}' /run/diagnosis)
    measured=$(calculate "$(fio_value /run/${group#*/} job read_kib) * 100 / $total")
    seen "$group: $predicted % predicted, $measured % measured"
    expect_within "share of $group" "$(calculate "$predicted - 2")" \
        "$(calculate "$predicted + 2")" "$measured"
done

# Groups that have used the disk and still have a process.
choose disk mq-deadline
for group in a b/y; do
    in_group $group sleep 20 &
    until grep -q 'populated 1' "$cgroup_root/$group/cgroup.events"; do sleep 0.1; done
done
bfq doctor disk --fix --journals /run/journals >/run/diagnosis || wrong "something is left"
grep -q 'elevator-ignores-weights' /run/diagnosis || wrong "$(cat /run/diagnosis)"
expect_equal "elevator, mended" bfq "$(elevator_of disk)"
bfq doctor --restore --journals /run/journals
expect_equal "elevator, put back" mq-deadline "$(elevator_of disk)"
wait
