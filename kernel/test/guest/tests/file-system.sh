# SPDX-License-Identifier: GPL-2.0 OR MIT
# Requests without a process behind them, and flushes: a journalling file system, written back by
# kernel threads, and a loop device on top of it.
# modes: normal slub

modprobe ext4 || skip "no ext4"
load_elevator
memory_disk disk cache_size=4
choose disk $policy
zcat /ext4.gz >/dev/disk
mkdir -p /run/mnt
mount -t ext4 /dev/disk /run/mnt
dd if=/dev/urandom of=/run/mnt/data bs=64k count=64 2>/dev/null
sum=$(md5sum </run/mnt/data)
fio_verify /run/out --directory=/run/mnt --size=2m --direct=0 --ioengine=psync \
    --name=synced --rw=randwrite --bs=4k --fsync=8 \
    --name=lazy --rw=write --bs=64k
if modprobe loop; then
    dd if=/dev/zero of=/run/mnt/image bs=64k count=64 2>/dev/null
    losetup /dev/loop0 /run/mnt/image
    fio_verify /run/out --filename=/dev/loop0 --size=2m --name=loop --rw=randwrite --bs=4k \
        --iodepth=8
    losetup -d /dev/loop0
    seen "a loop device"
fi
sync
echo 3 >/proc/sys/vm/drop_caches
expect_equal "checksum from the disk" "$sum" "$(md5sum </run/mnt/data)"
umount /run/mnt
mount -t ext4 /dev/disk /run/mnt
expect_equal "checksum after mounting again" "$sum" "$(md5sum </run/mnt/data)"
umount /run/mnt
flushes=$(disk_stat disk 16)
[ "$flushes" -gt 0 ] || wrong "no flushes"
seen "ext4, $flushes flushes"
