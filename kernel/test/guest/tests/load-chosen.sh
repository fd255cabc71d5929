# SPDX-License-Identifier: GPL-2.0 OR MIT
# Who finds the elevator in the list of a disk can choose it, although the module is still being
# loaded then: at boot udev chooses for one disk while it is loaded for another. What takes long is
# to make the files of many cgroups. A refusal would leave the disk without a scheduler.
# modes: normal slub
# limit_s: 180

[ "$elevator" = ours ] || skip "how the kernel's own bfq is loaded is the kernel's affair"
groups=1500
memory_disk disk
mount_cgroup2
(cd $cgroup_root && mkdir $(seq $groups))
load_elevator &
loading=$!
# Nothing but what the shell does itself: a process would come too late.
set +x
until read -r listed </sys/block/disk/queue/scheduler && [ "${listed#*"$policy"}" != "$listed" ]; do
    :
done
echo $policy >/sys/block/disk/queue/scheduler || wrong "choosing it was refused"
! kill -0 $loading 2>/dev/null || seen "it was still being loaded;"
set -x
wait $loading || wrong "the module was not loaded"
expect_equal "elevator" $policy "$(elevator_of disk)"
expect_equal "weight of the last group" "default 100" "$(cat $cgroup_root/$groups/io.bfq.weight)"
(cd $cgroup_root && rmdir $(seq $groups))
seen "chosen with $groups groups"
