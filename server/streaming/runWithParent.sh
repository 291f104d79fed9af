# Replaces itself with a program that ends when its parent ends, even after kill -9, if the system supports that. It also limits the
# program's memory.
# Usage: sh runWithParent.sh kilobytes program [argument…]
# The program can read $SECRET_TEXT at /dev/fd/3 and again at /dev/fd/4. Other users can read the arguments of a process, but not
# these files.

ulimit -v "$1" 2>/dev/null
shift
# A service manager may send SIGTERM to every process of the server. The program ignores it, because the server decides when the program
# ends, and uses SIGINT.
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
