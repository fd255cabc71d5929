# SPDX-License-Identifier: GPL-2.0 OR MIT
# A cgroup on twenty disks: a weight on each of them, and figures of each, which need more memory
# than is allocated at first.
# modes: normal slub

disks=20
load_elevator
mount_cgroup2
make_group a
numbers=
for disk in $(seq $disks); do
    memory_disk disk$disk
    choose disk$disk $policy
    numbers="$numbers $(device_number disk$disk)"
done
file="$cgroup_root/a/io.bfq.weight"
weight=200
for number in $numbers; do
    weight=$((weight + 1))
    expect_equal "weight on $number" ok "$(write_to "$file" "$number $weight")"
done
expect_equal "weights shown" "$disks" "$(grep -c ':' "$file")"
expect_equal "weight on the last disk" "$number $weight" "$(grep "^$number " "$file")"
for number in $numbers; do
    expect_equal "no weight on $number" ok "$(write_to "$file" "$number default")"
done
expect_equal "weights at the end" "default 100" "$(cat "$file")"
drop_all_cgroups

if mount_blkio; then
    file="$cgroup_root/blkio.bfq.io_serviced"
    expect_equal "disks with figures" "$disks" "$(grep -c ' Total ' "$file")"
    seen "figures of $disks disks"
fi
seen "weights on $disks disks"
