# SPDX-License-Identifier: GPL-2.0 OR MIT
# The task `record`, in the deterministic mode: situations that the stock module meets, and what it
# says and does in them. Each file in recordings/ is one; $only is part of the names of those wanted.
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
