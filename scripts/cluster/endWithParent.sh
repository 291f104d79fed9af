# Ends a process group when standard input closes, which happens however the parent program ends, kill -9 included.
# Usage: sh endWithParent.sh process-group-leader

# Only standard input ends the group, not signals to this script.
trap '' HUP INT TERM

while read -r _; do :; done
kill -TERM "-$1" || exit 0
seconds=0
while [ "$seconds" -lt 12 ]; do
  sleep 1
  kill -0 "-$1" || exit 0
  seconds=$((seconds + 1))
done
kill -KILL "-$1"
