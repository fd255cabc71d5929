# SPDX-License-Identifier: GPL-2.0 OR MIT
# The lock of a device is taken once for a request that comes alone, when it is inserted: what is
# fetched then was chosen in the same hold. It is taken less often where several are submitted at
# once, and where requests wait only for an insertion and a dispatch: the bio of a request that
# continues no other asks for no merge, except by chance of the hash (`boundaries.h`). It is counted
# only on demand.
# modes: deterministic

[ "$elevator" = ours ] || skip "only ours counts"
ios=6400
null_disk disk queue_mode=2 irqmode=0 size=1024
# It takes 8 requests, for 4 ms each: requests have to wait also in a kernel that checks itself.
null_disk slow queue_mode=2 irqmode=2 completion_nsec=4000000 hw_queue_depth=8 size=1024
load_elevator
choose disk $policy
choose slow $policy
echo 256 >/sys/block/slow/queue/nr_requests

acquisitions() { awk '$1 == "acquisitions" {print $2}' "/sys/kernel/debug/bfq/$1/lock"; }

# acquisitions_of WORKLOAD [DISK]: sets `each`, how often an I/O took the lock.
acquisitions_of() {
    local disk=${2:-disk} before
    before=$(acquisitions "$disk")
    sh /test/workload.sh "$1" $ios
    each=$(calculate "($(acquisitions "$disk") - $before) / $ios")
}

acquisitions_of alone
expect_within "acquisitions while it is not counted" 0 0 "$each"
echo Y >/sys/module/bfq/parameters/count_lock
acquisitions_of alone
expect_within "acquisitions of an I/O that comes alone" 0.9 1.1 "$each"
acquisitions_of batches
expect_within "acquisitions of an I/O of 16 submitted at once" 0.05 0.5 "$each"
acquisitions_of saturated slow
expect_within "acquisitions of an I/O that has to wait" 1.9 2.5 "$each"
echo N >/sys/module/bfq/parameters/count_lock
acquisitions_of alone
expect_within "acquisitions when it is not counted any more" 0 0 "$each"
choose disk none
choose slow none
