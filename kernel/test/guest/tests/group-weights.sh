# SPDX-License-Identifier: GPL-2.0 OR MIT
# io.bfq.weight: what it accepts, which errors it gives, what it shows (specification, 6.3, and
# docs/decisions.md: overrides stay when the default changes; 0 and `default` both remove one).
# modes: normal

load_elevator
memory_disk disk
memory_disk other
choose disk $policy
choose other none
mount_cgroup2
make_group a
echo +io >"$cgroup_root/a/cgroup.subtree_control"
make_group a/b
file="$cgroup_root/a/io.bfq.weight"
[ -e "$file" ] || absent "io.bfq.weight"
[ -e "$cgroup_root/io.bfq.weight" ] && wrong "the root has a weight"
expect_equal "of a new group" "default 100" "$(cat "$file")"
disk=$(device_number disk)
other=$(device_number other)

# Written | the answer | what is read afterwards, lines joined by commas.
checked=0
while IFS='|' read -r text answer shown; do
    text=$(echo "$text" | sed "s/DISK/$disk/; s/OTHER/$other/")
    shown=$(echo "$shown" | sed "s/DISK/$disk/")
    expect_equal "'$text'" "$answer" "$(write_to "$file" "$text")"
    expect_equal "shown after '$text'" "$shown" "$(paste -sd, "$file")"
    checked=$((checked + 1))
done <<'END'
300|ok|default 300
default 400|ok|default 400
 500 \n|ok|default 500
0x64|ok|default 100
0144|ok|default 100
+7|ok|default 7
1|ok|default 1
1000|ok|default 1000
1001|ERANGE|default 1000
0|ERANGE|default 1000
default 0|ERANGE|default 1000
default 1001|ERANGE|default 1000
default 8 and more|ok|default 8
default x|EINVAL|default 8
abc|EINVAL|default 8
-1|EINVAL|default 8
\n|ERANGE|default 8
DISK 200|ok|default 8,DISK 200
100|ok|default 100,DISK 200
DISK 1001|ERANGE|default 100,DISK 200
DISK x|EINVAL|default 100,DISK 200
DISK|EINVAL|default 100,DISK 200
DISK default|ok|default 100
DISK 300 and more|ok|default 100,DISK 300
DISK 0|ok|default 100
OTHER 200|EOPNOTSUPP|default 100
4095:7 200|ENODEV|default 100
4095:7 x|EINVAL|default 100
END

# A group keeps its weight while the disk has another elevator.
write_to "$file" "$disk 200"
expect_equal "of the group below" "default 100" "$(cat "$cgroup_root/a/b/io.bfq.weight")"
expect_equal "of the group below, written" ok "$(write_to "$cgroup_root/a/b/io.bfq.weight" 50)"
expect_equal "of the group above" "default 100,$disk 200" "$(paste -sd, "$file")"
seen "$checked writes"
