# SPDX-License-Identifier: GPL-2.0 OR MIT
# The kernel loads the module installed in updates/ when bfq is written to a disk's scheduler file
# and no such module is loaded, although the kernel's own exists as well.
# modes: normal slub

[ "$elevator" = ours ] || skip "the kernel's own is not installed in updates/"
modules=/lib/modules/$(uname -r)
trap 'echo /sbin/modprobe >/proc/sys/kernel/modprobe' EXIT
echo /bin/modprobe >/proc/sys/kernel/modprobe

# loaded_version: prints the version of the loaded module; the kernel's own has none.
loaded_version() { cat /sys/module/bfq/version 2>/dev/null || echo none; }
for file in updates/bfq.ko kernel/block/bfq.ko; do
    insmod "$modules/$file"
    loaded_version >>/run/versions
    unload_elevator
done
version=$(head -1 /run/versions)
expect_equal "version of the kernel's own" none "$(tail -1 /run/versions)"
[ "$version" != none ] || wrong "ours has no version"

memory_disk disk
choose disk $policy || wrong "the kernel finds no $policy"
expect_equal "version of what the kernel loaded" "$version" "$(loaded_version)"
[ -e /sys/module/bfq/parameters/recording_kib ] || wrong "it has not our parameters"
insmod "$modules/kernel/block/bfq.ko" 2>/dev/null && wrong "the kernel's own loads beside it"
fio_verify /run/out --filename=/dev/disk --size=1m --name=random --rw=randwrite --bs=4k --iodepth=8

# And once more after it was unloaded.
choose disk none
unload_elevator
choose disk $policy || wrong "the kernel finds it only once"
expect_equal "version of what the kernel loaded again" "$version" "$(loaded_version)"
seen "version $version for $policy-iosched"
