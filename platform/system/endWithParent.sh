# Ends a process group when standard input closes. That happens whenever the parent program ends, even if it is killed with kill -9.
# Usage: sh endWithParent.sh process-group-leader

# Signals to this script must not end it: only the end of standard input does.
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
