# SPDX-License-Identifier: GPL-2.0 OR MIT
# Measures the elevators with 1, 2, 4 and 8 processors of the guest, one boot for each, and prints
# what each gets against mq-deadline and the kernel's own bfq: of ten rounds, in which the elevators
# take turns, the median of the ratios, and the second smallest and the second largest, between
# which the true median is in 98 of 100 cases.

# processors_of_kernel SERIES RELEASE: to $log_dir/SERIES.processors.results.
processors_of_kernel() {
    local series=$1 release=$2 initrd processors
    local results=$log_dir/$series.processors.results
    rm -f "$results"
    for processors in 1 2 4 8; do
        initrd=$(initramfs "$release" processors <<<"task=processors
elevator=ours
mode=normal")
        boot normal "$release" "$initrd" "$log_dir/$series.processors.log" "$results.one" 1200
        grep -a '^processors' "$results.one" >>"$results" ||
            fail "nothing was measured; see $log_dir/$series.processors.log"
    done
    rm "$results.one"
}

# processors_table SERIES
processors_table() {
    tr -d '\r' <"$log_dir/$1.processors.results" | awk -v series="$1" '
        function sort(values, count, i, j, value) {
            for (i = 2; i <= count; i++) {
                value = values[i]
                for (j = i - 1; j && values[j] > value; j--) values[j + 1] = values[j]
                values[j + 1] = value
            }
        }
        function ratio(n, name, base, round, count, values) {
            for (round = 1; round <= rounds; round++)
                if (iops[n, round, name] && iops[n, round, base])
                    values[++count] = iops[n, round, name] / iops[n, round, base]
            if (count < 4) return "-"
            sort(values, count)
            return sprintf("%.2f (%.2f to %.2f)",
                (values[int((count + 1) / 2)] + values[int(count / 2) + 1]) / 2,
                values[2], values[count - 1])
        }
        {
            if (!($2 in seen)) processors[++sizes] = $2
            seen[$2] = 1
            iops[$2, $3, $4] = $5
            if ($3 > rounds) rounds = $3
        }
        END {
            names = split("bfq-stock bfq-ours tfq tfq-no-loans", name, " ")
            printf "Linux %s, %d rounds\n%-12s%-14s%24s%26s\n", series, rounds, "processors",
                "elevator", "against mq-deadline", "against the stock bfq"
            for (s = 1; s <= sizes; s++)
                for (i = 1; i <= names; i++)
                    printf "%-12d%-14s%24s%26s\n", processors[s], name[i],
                        ratio(processors[s], name[i], "mq-deadline"),
                        ratio(processors[s], name[i], "bfq-stock")
        }'
}

# processors: one kernel after the other, for they need all processors of this machine.
processors() {
    local series
    for series in "${all_series[@]}"; do
        processors_of_kernel "$series" "${releases[$series]}"
        processors_table "$series"
        echo
    done
}
