# SPDX-License-Identifier: GPL-2.0 OR MIT
# `bfq doctor` predicts the shares of groups that all read as much as they can, and what is measured
# is within two points of that: under our elevator, the kernel's own bfq, io.cost and mq-deadline,
# and where weights get lost on the way.
# modes: deterministic
# limit_s: 300

[ -x /bin/bfq ] || skip "the bfq command was not built"
mount_cgroup2
echo +memory >"$cgroup_root/cgroup.subtree_control"
mkdir -p /etc/systemd/system

# compare WHAT SECONDS GROUP...: compares the shares of the groups; GROUP=BELOW has the reader in
# another group, below.
compare() {
    local what=$1 seconds=$2 group competing= reading= measured
    shift 2
    for group; do
        competing="$competing ${group%=*}" reading="$reading ${group#*=}"
    done
    for group in $reading; do
        in_group "$group" exec fio --filename=/dev/disk --name=job --thread --direct=1 \
            --ioengine=io_uring --rw=randread --bs=4k --iodepth=16 --time_based --runtime=1000 \
            --output=/dev/null &
    done
    for group in $competing; do
        until [ "$(reads disk "$group")" -gt 0 ]; do sleep 0.1; done
    done
    diagnose disk
    sleep 3
    count_reads disk "$seconds" $competing
    empty $reading
    wait
    for group in $competing; do
        measured=$(awk -v group="$group" '{total += $2} $1 == group {own = $2}
            END {printf "%.4g", own * 100 / total}' /run/reads)
        what="$what, $group $(predicted "$group") % predicted, $measured % measured"
        expect_within "share of $group" "$(calculate "$(predicted "$group") - 2")" \
            "$(calculate "$(predicted "$group") + 2")" "$measured"
    done
    seen "$what"
}

# share_by_elevator NAME: has the disk shared by weights, with room for all requests of all groups,
# and in bfq's case strictly: else requests of some fill the pauses of others.
share_by_elevator() {
    choose disk "$1"
    tune disk low_latency 0
    [ "$1" != bfq ] || tune disk strict_guarantees 1
    echo 256 >/sys/block/disk/queue/nr_requests
}

# weigh FILE: writes the weights of a, b, b/x and b/y.
weigh() {
    local pair
    for pair in a:100 b:300 b/x:100 b/y:200; do
        echo "${pair#*:}" >"$cgroup_root/${pair%:*}/$1"
    done
}

load_elevator
slow_disk disk
share_by_elevator $policy
make_group a
make_group b
echo "+io +memory" >"$cgroup_root/b/cgroup.subtree_control"
make_group b/x
make_group b/y
weigh io.bfq.weight
compare $policy 15 a b/x b/y
expect_equal "findings" "" "$(findings)"

# No scheduler decides: b/y loses most of what it asked for.
choose disk mq-deadline
compare mq-deadline 15 a b/x b/y
expect_equal "findings" "elevator-ignores-weights disk, /b/y" "$(findings)"

# io.cost decides, for which the disk is a little slower than it is.
choose disk none
number=$(device_number disk)
echo "$number ctrl=user model=linear rbps=900000 rseqiops=200 rrandiops=200 wbps=900000" \
    "wseqiops=200 wrandiops=200" >"$cgroup_root/io.cost.model"
echo "$number enable=1 ctrl=user rpct=0 wpct=0 min=100 max=100" >"$cgroup_root/io.cost.qos"
weigh io.weight
compare io.cost 15 a b/x b/y
echo "$number enable=0" >"$cgroup_root/io.cost.qos"

# The kernel's own bfq.
choose disk none
unload_elevator
insmod /bfq/stock.ko
! grep -qw tfq /sys/block/disk/queue/scheduler || wrong "the kernel's bfq is ours"
weigh io.bfq.weight
share_by_elevator bfq
compare "the kernel's bfq" 15 a b/x b/y
expect_equal "findings" "" "$(findings)"
choose disk none
for group in b/x b/y a b; do drop_group $group; done
unload_elevator
load_elevator

# Weights that get lost on the way: squeezed, in a file that is not read, below where groups
# compete, beside sibling trees, and of a group without the controller.
share_by_elevator $policy
for group in system user media.slice; do make_group $group; done
for group in system system/one; do
    [ -e "$cgroup_root/$group" ] || make_group $group
    echo "+io +memory" >"$cgroup_root/$group/cgroup.subtree_control"
done
make_group system/squeezed 181
echo 1000 >"$cgroup_root/system/squeezed/io.weight"
make_group system/unread
echo 400 >"$cgroup_root/system/unread/io.weight"
make_group system/one/container 500
make_group media.slice/film.service
printf '[Service]\nIOWeight=300\n' >/etc/systemd/system/film.service
compare lost 40 system/squeezed system/unread system/one/container user \
    media.slice=media.slice/film.service
expect_equal "findings" "controller-not-enabled /media.slice/film.service
sibling-tree-takes-half disk, /system/squeezed
weight-below-the-fork disk, /system/one/container
weight-in-file-nobody-reads disk, /system/unread
weight-squeezed disk, /system/squeezed" "$(findings)"
