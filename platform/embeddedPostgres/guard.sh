# Starts PostgreSQL and stops it when standard input closes, which happens however Parley ends, even by kill -9.
# Usage: sh -c "$(cat guard.sh)" name postgres-binary arguments...
# Parley passes the script's text instead of its path, because the user postgres may not be able to read this folder.

# Only standard input ends the server. Ignored signals stay ignored in children, but PostgreSQL sets its own handlers.
trap '' HUP INT TERM

exec 3<&0 </dev/null
"$@" 3<&- &
server=$!

(
  # read is a builtin, so that killing this subshell leaves no child that holds the input open.
  while read -r _; do :; done <&3
  exec 3<&- >/dev/null 2>&1
  # SIGINT is the fast shutdown: clients are disconnected and all data is written. SIGQUIT exits immediately, and the next start replays
  # the write-ahead log. Neither loses committed data.
  kill -INT "$server"
  for signal in QUIT KILL; do
    seconds=0
    while [ "$seconds" -lt 10 ]; do
      sleep 1
      kill -0 "$server" || exit 0
      seconds=$((seconds + 1))
    done
    kill -"$signal" "$server"
  done
) &
watcher=$!
exec 3<&-

wait "$server"
status=$?
# Otherwise the watcher could signal a later process that has the server's process id.
kill -KILL "$watcher" 2>/dev/null
wait "$watcher" 2>/dev/null
exit "$status"
