# SPDX-License-Identifier: GPL-2.0 OR MIT
# `bfq doctor` about disks of SCSI, devices above and below the elevator, and a disk in the network:
# of each it says nothing while nothing is wrong, then what is.
# modes: normal

[ -x /bin/bfq ] || skip "the bfq command was not built"
load_elevator
make_services
memory_disk disk
disk_of_groups disk

# A disk of SCSI that is said to rotate; a change of its cache makes the kernel forget that.
if modprobe sd_mod && modprobe scsi_debug dev_size_mb=64; then
    scsi=$(scsi_disk)
    echo 1 >"/sys/block/$scsi/queue/rotational"
    disk_of_groups "$scsi"
    expect_findings "$scsi"
    echo 1 >"/sys/block/$scsi/device/queue_depth"
    expect_findings "$scsi" "depth-one $scsi"
    echo 32 >"/sys/block/$scsi/device/queue_depth"
    cache=$(echo "/sys/block/$scsi"/device/scsi_disk/*/cache_type)
    echo "write through" >"$cache"
    echo 1 >"/sys/block/$scsi/queue/rotational"
    expect_findings "$scsi" "write-cache-off $scsi"
    echo "write back" >"$cache"
    echo 1 >"/sys/block/$scsi/queue/rotational"
    echo 100 >"$cgroup_root/$db/io.bfq.weight"
    choose "$scsi" none
    expect_findings "$scsi" "none-on-slow-disk $scsi"
    expect_mended "$scsi" none-on-slow-disk "/sys/block/$scsi/queue/scheduler"
    echo 200 >"$cgroup_root/$db/io.bfq.weight"
fi

# Devices above and below the elevator.
if modprobe dm-mod; then
    mapped=$(mapped create whole "131072:linear:/dev/disk 0")
    # A mapping shares nothing, and the kernel takes no weight for it.
    expect_equal "a weight for a mapping" EOPNOTSUPP \
        "$(write_to "$cgroup_root/$db/io.bfq.weight" "$(device_number "$mapped") 300")"
    use "$mapped" $db $batch
    expect_findings disk
    mapped remove whole
fi
if modprobe loop && modprobe ext4; then
    zcat /ext4.gz >/dev/disk
    mkdir -p /run/mnt
    mount -t ext4 /dev/disk /run/mnt
    dd if=/dev/zero of=/run/mnt/image bs=64k count=64
    losetup /dev/loop0 /run/mnt/image
    choose loop0 mq-deadline
    use loop0 $db $batch
    expect_findings loop0 "two-schedulers loop0"
    choose loop0 none
    expect_findings loop0
    losetup -d /dev/loop0
    umount /run/mnt
    # It keeps groups for a minute, and version 1 cannot be mounted while there are any.
    rmmod loop
fi
if modprobe raid456; then
    memory_disk one
    memory_disk two
    memory_disk three
    raid5 md7 one two three
    disk_of_groups one
    expect_findings one "layer-above-the-scheduler one"
    echo clear >/sys/block/md7/md/array_state
fi

# A disk in the network, which is this machine's own. It may have several paths: what is chosen is
# the elevator of the path.
if modprobe nvmet-tcp && modprobe nvme-tcp; then
    ip link set lo up
    memory_disk store
    trap 'drop_nvme_target store' EXIT
    nvme_target store /dev/store tcp
    choose nvme0c0n1 $policy
    tune nvme0c0n1 low_latency 0
    use nvme0n1 $db $batch
    expect_findings nvme0n1 "network-disk nvme0c0n1"
    choose nvme0c0n1 none
    expect_findings nvme0n1 "elevator-ignores-weights nvme0c0n1, /$db" "network-disk nvme0c0n1"
    expect_mended nvme0n1 elevator-ignores-weights /sys/block/nvme0c0n1/queue/scheduler
fi
seen "found:$found; mended and undone:$mended"
