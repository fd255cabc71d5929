# SPDX-License-Identifier: GPL-2.0 OR MIT
# A device of device mapper on two disks with the elevator: its requests are split where they cross
# from one disk to the other, are issued as clones without a process, and still belong to their
# group.
# modes: normal slub

modprobe dm-mod || skip "no device mapper"
load_elevator
memory_disk one
memory_disk two submit_queues=2
choose one $policy
choose two $policy
# The borders are at odd places, the second disk's pieces in falling order.
mapped=$(mapped create seams "20008:linear:/dev/one 0" "20024:linear:/dev/two 40000" \
    "30000:linear:/dev/one 20008" "30040:linear:/dev/two 0")
trap 'mapped remove seams' EXIT
expect_equal "sectors" 100072 "$(cat "/sys/block/$mapped/size")"

mount_cgroup2
make_group a
details=/sys/module/bfq/parameters/detailed_statistics
[ ! -e $details ] || echo 1 >$details
in_group a fio_verify /run/out --filename="/dev/$mapped" --iodepth=8 \
    --name=random --rw=randwrite --bs=4k --offset=0 --size=10m \
    --name=sequential --rw=write --bs=128k --offset=10m --size=24m \
    --name=mixed --rw=randrw --bs=512-64k --offset=36m --size=12m
for disk in one two; do
    expect_equal "in flight on $disk at the end" 0 "$(in_flight $disk)"
    [ ! -e $details ] || expect_within "sectors of the group on $disk" 40000 1e9 \
        "$(sed -n "s/^$(device_number $disk) .*bfq.sectors=\([0-9]*\).*/\1/p" \
            "$cgroup_root/a/io.stat")"
done

# The mapped device shows the contents of the disks.
for piece in "20008 one 20008" "20032 two 40024"; do
    read -r from disk at <<-END
	$piece
	END
    [ "$disk" = two ] || from=$((20008 + 20024))
    dd if="/dev/$mapped" bs=512 skip="$from" count=64 iflag=direct 2>/dev/null >/run/mapped
    dd if="/dev/$disk" bs=512 skip="$at" count=64 iflag=direct 2>/dev/null >/run/direct
    cmp /run/mapped /run/direct || wrong "sector $from is not sector $at of $disk"
done
seen "46 MB written and read back over three seams"
