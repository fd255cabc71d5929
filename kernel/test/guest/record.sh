# SPDX-License-Identifier: GPL-2.0 OR MIT
# The task `record`, in the deterministic mode: records what the stock module says and does in each
# situation. Each file in recordings/ is a situation; $only is part of the names of those to run.
# The results are an archive, as text, of a trace and a file of settings for each.

for part in elevator disk cgroup trace; do
    . "/test/lib/$part.sh"
done
mkdir -p /run/recordings
load_elevator
mount_cgroup2
trace_comings_and_goings
for situation in /test/recordings/*"$only"*.sh; do
    echo "recording $situation"
    (. "$situation")
done
tar -c -C /run/recordings . | base64 >&4
echo complete >&4
