# SPDX-License-Identifier: GPL-2.0 OR MIT
# Runs `bfq top` beside a load, and reads its line of JSON.

tracing=/sys/kernel/debug/tracing

# needs_top: skips the test where it cannot be run.
needs_top() {
    [ -x /bin/bfq ] || skip "the bfq command was not built"
    [ -e $tracing/events/block ] || skip "this kernel has no block trace events"
    mkdir -p /run/journals
}

# instances: prints how many instances of tracing there are.
instances() { ls $tracing/instances | wc -l; }

# watch_disk DISK: begins to watch it, until top_ends.
watch_disk() {
    local attempt
    bfq top "$1" --json --interval 3600s --journals /run/journals >/run/top &
    top=$!
    for attempt in $(seq 100); do
        [ "$(instances)" = 0 ] || break
        sleep 0.1
    done
    sleep 1
}

# top_ends: ends it; /run/top has what it told of the whole time, with a line for each `{`.
top_ends() {
    kill -INT $top
    wait $top || wrong "bfq top failed"
    expect_equal "instances of tracing that stay" 0 "$(instances)"
    grep -q '"lost_events":0,' /run/top || wrong "events were lost"
    cat /run/top
    tr '{' '\n' </run/top >/run/top.lines
}

# sum_of BEGINNING TEXT KEY: adds up a figure of those parts that begin so and have the text.
sum_of() {
    awk -v beginning="^$1" -v text="$2" -v key="\"$3\":" '
        $0 ~ beginning && (text == "" || index($0, text)) && (place = index($0, key)) {
            sum += substr($0, place + length(key)) + 0
        }
        END {printf "%.10g\n", sum}' /run/top.lines
}

# of_disk KEY: a figure of the whole disk.
of_disk() { sum_of '' '"waiting_ios":' "$1"; }
# of_program KEY NAME: one that all processes of a name have together.
of_program() { sum_of '"pid":' "\"name\":\"$2\"," "$1"; }
# of_group KEY GROUP: one of a control group.
of_group() { sum_of "\"group\":\"/$2\"" "" "$1"; }
# of_kernel KEY: one that all threads of the kernel have together.
of_kernel() { sum_of '"pid":' '"is_kernel":true' "$1"; }

# whole_us KEY BEGINNING TEXT: a quantile of how long the I/O of the first such part took, in
# microseconds.
whole_us() {
    awk -v key="\"$1\":" -v beginning="^$2" -v text="$3" '
        /^"(group|pid|name)":/ {is_it = $0 ~ beginning && index($0, text)}
        is_it && is_whole {split(substr($0, index($0, key) + length(key)), found, /[,}]/)
            print found[1] / 1000; exit}
        {is_whole = /"whole":$/}' /run/top.lines
}

# expect_quantiles_as_fio NAME RESULT OPERATION BEGINNING TEXT: the median and the 99th percentile
# of the first such part are those that fio found, within 5 %. The two do not count quite the same
# I/Os, and latencies of a slow disk lie in few heaps with nothing between; so a quantile may be
# any between fio's a little below and a little above it.
expect_quantiles_as_fio() {
    local quantile least most told
    for quantile in median p99; do
        least=$(fio_value "$2" job "$3_below_${quantile}_us")
        most=$(fio_value "$2" job "$3_above_${quantile}_us")
        told=$(whole_us ${quantile}_ns "$4" "$5")
        seen "$1: $quantile latency $told us, by fio $least to $most us"
        expect_within "$quantile latency of $1" "$(calculate "$least * 0.95")" \
            "$(calculate "$most * 1.05")" "$told"
    done
}
