# SPDX-License-Identifier: GPL-2.0 OR MIT
# main.sh NAME: the process of one test. The log shows each command; the first one that fails
# unexpectedly ends the test.

for part in report elevator disk fio cgroup doctor top; do
    . "/test/lib/$part.sh"
done
set -ex
. "/test/tests/$1.sh"
