# SPDX-License-Identifier: GPL-2.0 OR MIT
# Measures what an I/O costs, in instructions: runs the guest's measurement and prints a table for
# each kernel.

workloads=(one processes groups saturated)

# build_fifo RELEASE: builds an elevator that does nothing, the least possible cost, to
# $build_dir/RELEASE/fifo.ko.
build_fifo() {
    local release=$1 dir=$vm_dir/$1/fifo
    mkdir -p "$dir"
    ln -sfn "$build_dir/$release/private" "$dir/private"
    ln -sfn "$kernel_dir/glue" "$dir/glue"
    ln -sf "$test_dir"/floor/{fifo.c,Kbuild} "$dir"
    make --no-print-directory -C "/lib/modules/$release/build" "M=$dir" modules \
        >"$dir/build.log" 2>&1 || fail "fifo.ko does not build for $release; see $dir/build.log"
    cp "$dir/fifo.ko" "$build_dir/$release/fifo.ko"
}

# cost_of_kernel SERIES RELEASE: to $log_dir/SERIES.cost.results.
cost_of_kernel() {
    build_fifo "$2"
    measure_in_guest "$1" "$2" cost 1800
}

# cost_table SERIES: instructions per I/O, their ratio to `none`, and what they are more than it,
# where that was measured.
cost_table() {
    tr -d '\r' <"$log_dir/$1.cost.results" | awk -v series="$1" -v workloads="${workloads[*]}" '
        $1 == "cost" {
            if (!($2 in seen)) names[++count] = $2
            seen[$2] = 1
            cost[$2, $3] = $4
        }
        END {
            split(workloads, workload, " ")
            printf "Linux %-8s", series
            for (w = 1; w in workload; w++) printf "%30s", workload[w]
            print ""
            for (n = 1; n <= count; n++) {
                printf "%-14s", names[n]
                for (w = 1; w in workload; w++) {
                    base = cost["none", workload[w]]
                    value = cost[names[n], workload[w]]
                    if (!value) printf "%30s", "-"
                    else if (!base) printf "%14d%16s", value, ""
                    else printf "%14d%7.2f x%+7d", value, value / base, value - base
                }
                print ""
            }
        }'
}

# check_order SERIES: fails if `none` costs more or less at the end of the boot than at its
# beginning, by more than a hundredth: then the other figures depend on their place, too.
check_order() {
    tr -d '\r' <"$log_dir/$1.cost.results" | awk '
        $1 == "cost" && $2 == "none" {first[$3] = $4}
        $1 == "cost" && $2 == "none-again" {
            compared++
            if ($4 > first[$3] * 1.01 || $4 < first[$3] * 0.99) bad++
        }
        END {exit bad || !compared}'
}

# cost_json SERIES...: all figures, for programs.
cost_json() {
    local series separator=""
    echo '{"unit": "instructions per I/O", "kernels": {'
    for series; do
        printf '%s"%s": {' "$separator" "$series"
        separator=$',\n'
        tr -d '\r' <"$log_dir/$series.cost.results" | awk '
            $1 == "cost" && $2 != last {
                printf "%s\n  \"%s\": {", last == "" ? "" : "},", $2
                last = $2
                comma = ""
            }
            $1 == "cost" {printf "%s\"%s\": %d", comma, $3, $4; comma = ", "}
            END {printf "%s\n", last == "" ? "" : "}"}'
        printf '}'
    done
    printf '\n}}\n'
}

# cost: all kernels side by side; out/kernel/cost.json besides.
cost() {
    local series
    on_all_kernels cost "cost tfq saturated"
    for series in "${all_series[@]}"; do
        cost_table "$series"
        echo
        check_order "$series" ||
            fail "on $series the order of the measurements matters: none and none-again differ"
    done
    cost_json "${all_series[@]}" >"$log_dir/cost.json"
}
