# SPDX-License-Identifier: GPL-2.0 OR MIT
# The lock of a device is taken once for the insertion and once for the dispatch of a request that
# comes alone, and not for its completion; less often where several are submitted at once. It is
# counted only on demand.
# modes: deterministic

[ "$elevator" = ours ] || skip "only ours counts"
ios=6400
null_disk disk queue_mode=2 irqmode=0 size=1024
load_elevator
choose disk $policy

acquisitions() { awk '$1 == "acquisitions" {print $2}' /sys/kernel/debug/bfq/disk/lock; }

# acquisitions_of WORKLOAD: sets `each`, how often an I/O took the lock.
acquisitions_of() {
    local before
    before=$(acquisitions)
    sh /test/workload.sh "$1" $ios
    each=$(calculate "($(acquisitions) - $before) / $ios")
}

acquisitions_of alone
expect_within "acquisitions while nobody counts" 0 0 "$each"
echo Y >/sys/module/bfq/parameters/count_lock
acquisitions_of alone
expect_within "acquisitions of an I/O that comes alone" 1.9 2.1 "$each"
acquisitions_of batches
expect_within "acquisitions of an I/O of 16 submitted at once" 0.5 1.5 "$each"
echo N >/sys/module/bfq/parameters/count_lock
acquisitions_of alone
expect_within "acquisitions when nobody counts any more" 0 0 "$each"
choose disk none
