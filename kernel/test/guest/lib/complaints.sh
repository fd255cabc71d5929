# SPDX-License-Identifier: GPL-2.0 OR MIT
# Messages that no test may leave in the kernel's log: alarms of any kernel, and those of one that
# checks itself.

kernel_complaints='WARNING|\bBUG\b|Oops|Call Trace|unable to handle|corruption|Poison'
kernel_complaints="$kernel_complaints|blocked for more than"
kernel_complaints="$kernel_complaints|rcu.*(stall|starved)|soft lockup|hard LOCKUP"
kernel_complaints="$kernel_complaints|general protection|refcount_t"
kernel_complaints="$kernel_complaints|Objects remaining|<[0-4]>.*bfq: "
kernel_complaints="$kernel_complaints|KASAN: |KFENCE: [a-z-]*:|ODEBUG"
kernel_complaints="$kernel_complaints|possible .*lock|inconsistent lock|suspicious RCU"
kernel_complaints="$kernel_complaints|sleeping function"

# What the kernel says of a module by name when the first one that is not of its own is loaded.
taint='bfq: loading out-of-tree module taints kernel'

# complaints FILE: prints the lines of a log that are complaints.
complaints() { without_foreign_races "$1" | grep -E "$kernel_complaints" | grep -v "$taint"; }

# without_foreign_races FILE: prints a log without the titles of those data races that do not
# concern the module, as the kernel has many of its own. One concerns it if the module is the
# innermost function of an access, or has called the functions that access memory for others (trees,
# lists, copies).
without_foreign_races() {
    awk '/BUG: KCSAN: / {title = $0; next}
        title == "" {print; next}
        /==========/ {title = ""}
        /(read|write|race at).* of [0-9]+ bytes/ {innermost = 1; print; next}
        innermost && /[ ](rb_|__rb_|list_|__list_|llist_|mem|__mem|str)[a-z_]*\+0x/ {print; next}
        innermost && /\[bfq\]/ {print title; title = ""}
        {innermost = 0; print}' "$1"
}
