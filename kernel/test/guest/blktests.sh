# SPDX-License-Identifier: GPL-2.0 OR MIT
# The task `blktests`: loads the tested elevator, and switches to the Debian on the disk with the
# serial number `root`, which runs $tests of blktests (blktests/inside.sh).

. /test/lib/elevator.sh
load_elevator
# block/014 lets requests wait for 30 s: this is the kernel's own default.
echo 120 >/proc/sys/kernel/hung_task_timeout_secs
modprobe kyber-iosched
modprobe ext4
root=$(grep -lx root /sys/block/*/serial | cut -d/ -f4)
mkdir /new
mount -t ext4 "/dev/$root" /new
cp -a /onto-root/. /new
cp -a /test /etc/boot.conf /new
for name in proc sys dev run; do
    mount -o move "/$name" "/new/$name"
done
export tests limit_s
exec switch_root /new /bin/bash /test/blktests/inside.sh
