# SPDX-License-Identifier: GPL-2.0 OR MIT
# The last resort: when the core finds that it is wrong, the kernel's log says where in the core, with
# a backtrace through it, the process that was there dies, and the machine lives on.
# modes: crash
# complaints: expected

load_elevator
switch=/sys/module/bfq/parameters/provoke_panic
[ -e $switch ] || skip "this module has no provoke_panic"
memory_disk disk
choose disk mq-deadline
(echo 1 >$switch) && wrong "who provoked it lived on"
dmesg >/run/dmesg
message=$(grep -o 'bfq: the scheduler core panicked at [^ ]*:[0-9]*' /run/dmesg | head -1)
[ -n "$message" ] || wrong "no message of the core"
for entry in 'Call Trace:' 'bfq_core_provoke_panic+' 'bfq_provoke_panic+'; do
    grep -qF "$entry" /run/dmesg || wrong "no '$entry' in the log"
done
fio_verify /run/out --filename=/dev/disk --size=1m --name=after --rw=randwrite --bs=4k --iodepth=8
seen "$message"
