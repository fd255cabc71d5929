# SPDX-License-Identifier: GPL-2.0 OR MIT
# Reports what a test found. A test may find several things wrong; it goes on.

# seen TEXT...: adds to the line about this test.
seen() { echo "$*" >>/run/test/seen; }

# wrong TEXT...: records a failure.
wrong() { echo "$*" >>/run/test/wrong; }

# skip REASON...: ends the test, which is not possible here.
skip() {
    echo "$*" >>/run/test/skip
    exit 0
}

# expect_equal WHAT WANTED GOT: fails the test if the two differ.
expect_equal() { [ "$2" = "$3" ] || wrong "$1: wanted '$2', got '$3'"; }

# expect_within WHAT LOW HIGH GOT: fails the test if GOT is outside of the bounds.
expect_within() {
    awk -v low="$2" -v high="$3" -v got="$4" \
        'BEGIN {exit !(got != "" && got >= low && got <= high)}' ||
        wrong "$1: wanted $2 to $3, got '$4'"
}

# calculate EXPRESSION: prints its value with four digits.
calculate() { awk "BEGIN {printf \"%.4g\", $1}"; }

# write_to FILE TEXT: prints `ok`, or the error the kernel answers with.
write_to() {
    local answer
    if answer=$(write "$1" "$2" 2>&1); then echo ok; else echo "$answer"; fi
}

# absent FILE: ends the test, which needs a file of the tested module's; only the kernel's own bfq
# may lack it.
absent() {
    [ "$elevator" != ours ] || wrong "no $1"
    skip "no $1"
}

# before VERSION: whether the kernel is older than that, two numbers such as 6.10.
before() {
    uname -r | awk -F '[.-]' -v version="$1" \
        '{split(version, than, "."); exit !($1 * 1000 + $2 < than[1] * 1000 + than[2])}'
}
