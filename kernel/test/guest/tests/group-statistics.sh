# SPDX-License-Identifier: GPL-2.0 OR MIT
# Weights and statistics of cgroup v1: blkio.bfq.* (specification, 6.3 and 6.7).
# modes: normal

load_elevator
memory_disk disk
choose disk $policy
mount_blkio || skip "this kernel has no blkio controller of version 1"
make_group a
make_group a/b
dir="$cgroup_root/a"
[ -e "$dir/blkio.bfq.weight" ] || absent "blkio.bfq.weight"
disk=$(device_number disk)

while IFS='|' read -r name text answer shown; do
    text=$(echo "$text" | sed "s/DISK/$disk/")
    shown=$(echo "$shown" | sed "s/DISK/$disk/")
    expect_equal "$name <- '$text'" "$answer" "$(write_to "$dir/blkio.bfq.$name" "$text")"
    expect_equal "$name after '$text'" "$shown" "$(paste -sd, "$dir/blkio.bfq.$name")"
done <<'END'
weight|300|ok|300
weight|0x64|ok|100
weight|0|ERANGE|100
weight|1001|ERANGE|100
weight|x|EINVAL|100
weight_device|DISK 200|ok|default 100,DISK 200
weight_device|DISK default|ok|default 100
weight_device|DISK 1001|ERANGE|default 100
weight_device|250|ok|default 250
END

# 1 MB is written and 256 KB are read, request by request, in the group and in the one below.
for group in a a/b; do
    in_group $group fio_run /run/out --ioengine=psync --filename=/dev/disk --bs=4k --name=write \
        --rw=write --size=1m \
        --name=read --rw=randread --size=256k
done

# value FILE FIELD: prints the disk's value.
value() {
    awk -v disk="$disk" -v field="$2" '$1 == disk && $2 == field {print $3}' "$dir/blkio.bfq.$1"
}
while read -r file field wanted; do
    expect_equal "$file $field" "$wanted" "$(value "$file" "$field")"
done <<'END'
io_service_bytes Write 1048576
io_service_bytes Read 262144
io_service_bytes Total 1310720
io_serviced Write 256
io_serviced Read 64
io_service_bytes_recursive Write 2097152
io_service_bytes_recursive Total 2621440
io_serviced_recursive Total 640
END

# A removed group leaves its figures to the group above.
drop_group a/b
expect_equal "recursive after the group below went" 640 "$(value io_serviced_recursive Total)"
expect_equal "the group's own" 320 "$(value io_serviced Total)"
seen "weights, bytes and requests of a group and of the one below"
