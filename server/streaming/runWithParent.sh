# Becomes a program that ends with whoever started it, kill -9 included, where the system can see to that; with bounds on its memory.
# Usage: sh runWithParent.sh kilobytes program [argument…]
# What stands in $SECRET_TEXT it can read at /dev/fd/3, and once more at /dev/fd/4: other users can read arguments, but not these.

ulimit -v "$1" 2>/dev/null
shift
# A service manager may send SIGTERM to every process of the server. The server decides when this one ends, and uses SIGINT.
if env --block-signal=TERM true 2>/dev/null; then
  set -- env --block-signal=TERM "$@"
fi
exec 3<<END 4<<END
$SECRET_TEXT
END
$SECRET_TEXT
END
unset SECRET_TEXT
if command -v setpriv >/dev/null 2>&1; then
  exec setpriv --pdeathsig KILL nice -n 5 "$@"
fi
exec nice -n 5 "$@"
