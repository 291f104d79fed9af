# Becomes a program that ends with whoever started it, kill -9 included, where the system can see to that; with bounds on its memory.
# Usage: sh runWithParent.sh kilobytes program [argument…]

ulimit -v "$1" 2>/dev/null
shift
# A service manager may send SIGTERM to every process of the server. The server decides when this one ends, and uses SIGINT.
if env --block-signal=TERM true 2>/dev/null; then
  set -- env --block-signal=TERM "$@"
fi
if command -v setpriv >/dev/null 2>&1; then
  exec setpriv --pdeathsig KILL nice -n 5 "$@"
fi
exec nice -n 5 "$@"
