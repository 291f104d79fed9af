# Becomes a program that ends with whoever started it, kill -9 included, where the system can see to that; with bounds on its memory.
# Usage: sh runWithParent.sh kilobytes program [argument…]

ulimit -v "$1" 2>/dev/null
shift
if command -v setpriv >/dev/null 2>&1; then
  exec setpriv --pdeathsig KILL nice -n 5 "$@"
fi
exec nice -n 5 "$@"
