# SPDX-License-Identifier: GPL-2.0 OR MIT
# The module stays while a disk uses it, unloads afterwards, and can be loaded and unloaded
# repeatedly.
# modes: normal slub

memory_disk disk
load_elevator
choose disk $policy
rmmod bfq 2>/dev/null && wrong "it goes although a disk uses it"
fio_verify /run/out --filename=/dev/disk --size=1m --name=write --rw=write
choose disk none
unload_elevator
for round in 1 2 3 4 5 6 7 8 9 10; do
    load_elevator
    choose disk $policy
    fio_run /run/out --filename=/dev/disk --size=256k --name=read --rw=randread
    choose disk mq-deadline
    unload_elevator
done
load_elevator
choose disk $policy
drop_disk disk
unload_elevator || wrong "it stays although its disk is gone"
seen "refused in use; $round times loaded and unloaded; gone after its disk"
