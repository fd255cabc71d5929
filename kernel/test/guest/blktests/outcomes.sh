# SPDX-License-Identifier: GPL-2.0 OR MIT
# Turns the output of blktests' `check` into lines for the results (inside.sh).

# outcomes NAME COMPLAINT: a complaint of the kernel makes a passed test a failed one.
outcomes() {
    local description
    description=$(sed -n 's/^DESCRIPTION="\(.*\)"$/\1/p' "tests/$1")
    awk -v test="$1" -v description="($description)" -v complaint="$2" '
        # The line of a verdict: NAME => DEVICE (CONDITION) (DESCRIPTION)   [VERDICT]
        match($0, /\[(passed|failed|not run)\]$/) && /^[a-z]+\// {
            tell()
            verdict = substr($0, RSTART + 1, RLENGTH - 2)
            if (verdict == "not run") verdict = "skipped"
            name = substr($0, 1, RSTART - 1)
            at = index(name, description)
            if (at) name = substr(name, 1, at - 1)
            sub(/ +$/, "", name)
            # A whole group that is skipped.
            sub(/\*\*\*/, substr(test, index(test, "/") + 1), name)
            next
        }
        # Indented lines are reasons, differences to the expected output (the lines that agree and
        # the path of the rest are skipped), and times, which have columns.
        /^    / && !/^    (---|\+\+\+|@@| |\.\.\.|\(Run )/ && !/^    [A-Za-z ]+  / {
            sub(/^ +/, "")
            why = why (why == "" ? "" : "; ") $0
        }
        function tell() {
            if (name == "") return
            if (verdict == "passed" && complaint != "") {
                verdict = "failed"
                why = complaint
            }
            printf "outcome %s\t%s\t%s\n", name, verdict, verdict == "passed" ? "" : why
            told = 1
            why = ""
        }
        END {
            tell()
            if (!told) printf "outcome %s\tfailed\tit ends without a verdict: %s\n", test, why
        }'
}
