# SPDX-License-Identifier: GPL-2.0 OR MIT
# `bfq doctor` says nothing of a machine on which nothing is wrong, and then, of one thing after the
# other that is made wrong, that alone. What it can mend it mends, and undoes that.
# modes: normal

[ -x /bin/bfq ] || skip "the bfq command was not built"
load_elevator
make_services
units=/etc/systemd/system
mkdir -p $units
memory_disk disk
disk_of_groups disk
queue=/sys/block/disk/queue
number=$(device_number disk)
expect_findings disk
expect_equal "shares" "66.7 33.3" "$(predicted $db) $(predicted $batch)"

# Settings of the disk.
choose disk mq-deadline
expect_findings disk "elevator-ignores-weights disk, /$db"
expect_mended disk elevator-ignores-weights $queue/scheduler
choose disk $policy
expect_findings disk "low-latency-on-server disk"
expect_mended disk low-latency-on-server $queue/iosched/low_latency
tune disk low_latency 0
if [ "$(uname -r | cut -d. -f1,2)" != 6.1 ]; then
    echo 75000 >$queue/wbt_lat_usec
    expect_findings disk "wbt-beside-weights disk"
    expect_mended disk wbt-beside-weights $queue/wbt_lat_usec
    echo 0 >$queue/wbt_lat_usec
fi
echo 0 >$queue/rq_affinity
expect_findings disk "rq-affinity-off disk"
expect_mended disk rq-affinity-off $queue/rq_affinity
echo 1 >$queue/rq_affinity

# Whoever is not root is told the same, and what could not be read.
choose disk mq-deadline
echo "ann:x:1000:1000::/home/ann:/bin/sh" >/etc/passwd
echo "ann:x:1000:" >/etc/group
start-stop-daemon -S -c ann -x /bin/bfq -- doctor disk >/run/diagnosis || true
expect_equal "findings without root" "elevator-ignores-weights disk, /$db" "$(findings)"
grep -A1 'for want of rights' /run/diagnosis | grep -q /proc/PID/io || wrong "it read all"
choose disk $policy
tune disk low_latency 0

# Values of weights.
echo 400 >"$cgroup_root/$batch/io.weight"
expect_findings disk "weight-in-file-nobody-reads disk, /$batch"
expect_mended disk weight-in-file-nobody-reads "$cgroup_root/$batch/io.bfq.weight"
echo 136 >"$cgroup_root/$batch/io.bfq.weight"
echo 500 >"$cgroup_root/$batch/io.weight"
expect_findings disk "weight-squeezed disk, /$batch"
echo 110 >"$cgroup_root/$batch/io.weight"
echo 100 >"$cgroup_root/$batch/io.bfq.weight"
expect_findings disk "weight-squeezed disk, /$batch"
echo 100 >"$cgroup_root/$batch/io.weight"
printf '[Service]\nStartupIOWeight=500\n' >$units/batch.service
expect_findings disk "weight-of-start-only disk, /$batch"
printf '[Service]\nIOWeight=800\n' >$units/batch.service
expect_findings disk "unit-weight-not-arrived disk, /$batch"
echo 800 >"$cgroup_root/$batch/io.weight"
expect_findings disk "unit-weight-not-arrived disk, /$batch"
printf '[Service]\nIOWeight=0\n' >$units/batch.service
echo 100 >"$cgroup_root/$batch/io.weight"
expect_findings disk
rm $units/batch.service

# Places of weights.
make_group system.slice/one.scope
echo "+io +memory" >"$slice/one.scope/cgroup.subtree_control"
make_group system.slice/one.scope/container 500
inhabit system.slice/one.scope/container
use disk system.slice/one.scope/container
expect_findings disk "weight-below-the-fork disk, /system.slice/one.scope/container"
empty system.slice/one.scope/container
expect_findings disk "weight-away-from-processes /system.slice/one.scope/container"
drop_group system.slice/one.scope/container
drop_group system.slice/one.scope
make_group system.slice/docker.service 20
make_group system.slice/docker-4f.scope
inhabit system.slice/docker.service system.slice/docker-4f.scope
use disk system.slice/docker-4f.scope
expect_findings disk "weight-away-from-processes /system.slice/docker.service"
empty system.slice/docker.service system.slice/docker-4f.scope
drop_group system.slice/docker.service
drop_group system.slice/docker-4f.scope
make_group user.slice
inhabit user.slice
use disk user.slice
expect_findings disk "sibling-tree-takes-half disk, /$db"
echo 300 >"$cgroup_root/user.slice/io.bfq.weight"
expect_findings disk
empty user.slice
drop_group user.slice
echo 200 >"$slice/io.bfq.weight"
(
    dd if=/dev/disk of=/dev/null bs=64k count=32 iflag=direct
    exec sleep 100000
) &
beside=$!
until [ "$(cat /proc/$beside/comm)" = sleep ]; do usleep 10000; done
expect_findings disk "processes-beside-groups disk, /system.slice"
kill $beside
echo 100 >"$slice/io.bfq.weight"
make_group media.slice
mkdir "$cgroup_root/media.slice/film.service"
printf '[Service]\nIOWeight=300\n' >$units/film.service
inhabit media.slice/film.service
expect_findings disk "controller-not-enabled /media.slice/film.service"
empty media.slice/film.service
rm $units/film.service
own=user.slice/user-1000.slice/user@1000.service/app.slice/film.service
units_of_ann=/home/ann/.config/systemd/user
mkdir -p "$cgroup_root/$own" $units_of_ann
printf '[Service]\nIOWeight=300\n' >$units_of_ann/film.service
inhabit $own
expect_findings disk "controller-not-enabled /$own"
empty $own
rm $units_of_ann/film.service

# Other controllers.
echo "$number enable=1" >"$cgroup_root/io.cost.qos"
expect_findings disk "io-cost-beside disk"
choose disk none
echo 300 >"$cgroup_root/$batch/io.weight"
expect_findings disk "weight-in-file-nobody-reads disk, /$db"
expect_mended disk weight-in-file-nobody-reads "$cgroup_root/$db/io.weight"
echo 100 >"$cgroup_root/$batch/io.weight"
echo "$number enable=0" >"$cgroup_root/io.cost.qos"
disk_of_groups disk
if [ -e "$slice/io.latency" ]; then
    echo "$number target=10000" >"$cgroup_root/$db/io.latency"
    expect_findings disk "io-latency-beside disk, /$db"
    echo "$number target=0" >"$cgroup_root/$db/io.latency"
else
    seen "not tried, as this kernel has no io.latency: io-latency-beside"
fi
echo -memory >"$slice/cgroup.subtree_control"
expect_findings disk "buffered-writes-charged-to-root disk, /$db"
echo +memory >"$slice/cgroup.subtree_control"
expect_findings disk
seen "found:$found; mended and undone:$mended"
