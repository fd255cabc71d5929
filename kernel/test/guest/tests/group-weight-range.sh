# SPDX-License-Identifier: GPL-2.0 OR MIT
# The whole range of weights, in a file of its own as io.weight is iocost's; and what happens to the
# weight for a disk that is removed or gets another elevator (docs/decisions.md).
# modes: normal

load_elevator
memory_disk disk
memory_disk other
choose disk $policy
choose other $policy
mount_cgroup2
make_group a
bfq=$cgroup_root/a/io.bfq.weight
wide=$cgroup_root/a/io.bfq.io_weight
disk=$(device_number disk)
other=$(device_number other)

while IFS='|' read -r file text answer shown; do
    text=$(echo "$text" | sed "s/DISK/$disk/; s/OTHER/$other/")
    shown=$(echo "$shown" | sed "s/DISK/$disk/; s/OTHER/$other/")
    expect_equal "$file <- '$text'" "$answer" "$(write_to "$cgroup_root/a/$file" "$text")"
    expect_equal "$file after '$text'" "$shown" "$(paste -sd, "$bfq")"
    expect_equal "both files after '$text'" "$(cat "$bfq")" "$(cat "$wide")"
done <<'END'
io.bfq.io_weight|10000|ok|default 10000
io.bfq.io_weight|10001|ERANGE|default 10000
io.bfq.weight|1001|ERANGE|default 10000
io.bfq.weight|500|ok|default 500
io.bfq.io_weight|DISK 5000|ok|default 500,DISK 5000
io.bfq.weight|OTHER 5|ok|default 500,DISK 5000,OTHER 5
io.bfq.io_weight|default 20|ok|default 20,DISK 5000,OTHER 5
END

choose disk none
expect_equal "after another elevator was chosen" "default 20,$other 5" "$(paste -sd, "$bfq")"
expect_equal "weight of a disk with another elevator" EOPNOTSUPP "$(write_to "$wide" "$disk 1")"
drop_disk other
expect_equal "after the disk went" "default 20" "$(paste -sd, "$bfq")"
expect_equal "weight of a disk that is gone" ENODEV "$(write_to "$bfq" "$other 5")"
choose disk $policy
expect_equal "after $policy was chosen again" "default 20" "$(paste -sd, "$bfq")"
seen "to 10000; forgotten with the disk or the elevator"
