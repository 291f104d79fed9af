# Ends a process group when standard input closes, which happens however the program that holds it ends, kill -9 included.
# Usage: sh endWithParent.sh leader-of-the-group

# Only standard input decides.
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
