# SPDX-License-Identifier: GPL-2.0 OR MIT
# Messages that no test may leave in the kernel's log: alarms of any kernel, and those of one that
# checks itself.

kernel_complaints='WARNING|\bBUG\b|Oops|Call Trace|unable to handle|corruption|Poison'
kernel_complaints="$kernel_complaints|blocked for more than"
kernel_complaints="$kernel_complaints|rcu.*(stall|starved)|soft lockup|hard LOCKUP"
kernel_complaints="$kernel_complaints|general protection|refcount_t"
kernel_complaints="$kernel_complaints|Objects remaining|<[0-3]>.*bfq: "
kernel_complaints="$kernel_complaints|KASAN: |KFENCE: [a-z-]*:|ODEBUG"
kernel_complaints="$kernel_complaints|possible .*lock|inconsistent lock|suspicious RCU"
kernel_complaints="$kernel_complaints|sleeping function"
