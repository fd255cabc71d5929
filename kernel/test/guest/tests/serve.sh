# SPDX-License-Identifier: GPL-2.0 OR MIT
# `bfq serve` beside the kernel's own client of NBD: a disk that it serves has an ext4 on it, in
# which fsx and fio find again what they wrote, from the disk, too; checks find nothing wrong, and
# all is there on the disk itself when the server has gone. No module of ours takes part.
# modes: normal
# limit_s: 300

[ -x /bin/bfq ] || skip "the bfq command was not built"
[ -x /bin/nbd-client ] || skip "nbd-client is not in the guest"
[ -b /dev/vda ] || skip "this machine has no virtio disk"
modprobe ext4 || skip "no ext4"
modprobe nbd nbds_max=1 || skip "no nbd"
mkdir -p /run/mnt /run/serve

bfq serve --socket /run/serve/nbd.sock /dev/vda >/run/serve/log 2>&1 &
server=$!
for attempt in $(seq 600); do
    [ ! -S /run/serve/nbd.sock ] || break
    sleep 0.1
done
# Two connections, as the server says that a flush on one covers what was written on the other.
nbd-client -unix /run/serve/nbd.sock /dev/nbd0 -C 2
expect_equal "size" "$(cat /sys/block/vda/size)" "$(cat /sys/block/nbd0/size)"
mkfs.ext4 -q /dev/nbd0
mount -t ext4 -o discard /dev/nbd0 /run/mnt

# contents DISK: the checksums of what the disk has, read from it.
contents() {
    sync
    echo 3 >/proc/sys/vm/drop_caches
    (cd /run/mnt && md5sum data fsx)
}
fsx -q -S 1 -N 1000 -f /test/fsx.toml -P /run/serve /run/mnt/fsx ||
    wrong "fsx: $(tail -n 3 /run/test/log)"
[ "$(stat -c %s /run/mnt/fsx)" -gt 0 ] || wrong "fsx has left an empty file"
fio_verify /run/out --directory=/run/mnt --size=2m --direct=0 --ioengine=psync \
    --name=synced --rw=randwrite --bs=4k --fsync=8 \
    --name=lazy --rw=write --bs=64k
dd if=/dev/urandom of=/run/mnt/data bs=64k count=64 2>/dev/null
sums=$(cd /run/mnt && md5sum data fsx)
expect_equal "checksums from the disk" "$sums" "$(contents)"
umount /run/mnt
e2fsck -fn /dev/nbd0 || wrong "the file system is damaged: exit code $?"
mount -t ext4 -o discard /dev/nbd0 /run/mnt
expect_equal "checksums after mounting again" "$sums" "$(contents)"
umount /run/mnt
seen "ext4, $(awk '{print $16}' /sys/block/nbd0/stat) flushes" \
    "and $(awk '{print $12}' /sys/block/nbd0/stat) trims by NBD"
[ "$(awk '{print $16}' /sys/block/nbd0/stat)" -gt 0 ] || wrong "no flushes"
nbd-client -d /dev/nbd0
kill "$server"
status=0
wait "$server" || status=$?
expect_equal "the server's exit code" 0 "$status"
rmmod nbd

mount -t ext4 -o ro /dev/vda /run/mnt
expect_equal "checksums without the server" "$sums" "$(contents)"
umount /run/mnt
