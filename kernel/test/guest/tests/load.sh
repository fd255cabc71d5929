# SPDX-License-Identifier: GPL-2.0 OR MIT
# The module loads, is listed by its name, can be chosen, and unloads.
# modes: normal slub

memory_disk disk
load_elevator
grep -qw "$policy" /sys/block/disk/queue/scheduler || wrong "$policy is not offered"
choose disk $policy
seen "$(xargs </sys/block/disk/queue/scheduler)"
[ -d /sys/block/disk/queue/iosched ] || wrong "no tunables"
choose disk none
unload_elevator
grep -qw "$policy" /sys/block/disk/queue/scheduler && wrong "$policy is offered after unloading"
true
