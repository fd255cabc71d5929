# SPDX-License-Identifier: GPL-2.0 OR MIT
# `bfq doctor` about control groups of version 1: buffered writes are the root group's, and
# processes that are sorted in version 2 are not told apart.
# modes: normal

[ -x /bin/bfq ] || skip "the bfq command was not built"
mount_blkio || skip "this kernel has no blkio controller of version 1"
load_elevator
memory_disk disk
choose disk $policy
tune disk low_latency 0
mkdir -p /run/unified
mount -t cgroup2 cgroup2 /run/unified
mkdir /run/unified/film.service
mkdir "$cgroup_root/db.service" "$cgroup_root/batch.service"
echo 200 >"$cgroup_root/db.service/blkio.bfq.weight"
inhabit db.service batch.service
use disk db.service batch.service
expect_findings disk "buffered-writes-charged-to-root disk"
(
    echo 0 >/run/unified/film.service/cgroup.procs
    exec sleep 100000
) &
until grep -q . /run/unified/film.service/cgroup.procs; do usleep 10000; done
expect_findings disk "v1-beside-v2" "buffered-writes-charged-to-root disk"
xargs kill </run/unified/film.service/cgroup.procs
while grep -q . /run/unified/film.service/cgroup.procs; do usleep 10000; done
rmdir /run/unified/film.service
umount /run/unified
seen "found:$found"
