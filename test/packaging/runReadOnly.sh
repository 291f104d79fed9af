# Runs the packed server as a container would: as another user without capabilities, on a root that cannot be written to, except /tmp and
# the data folder. Needs root.
# Usage: sh runReadOnly.sh packed-folder   (unpacked by scripts/packServer.mjs, with an empty folder "data")

set -e
exec unshare --mount --propagation private sh -euc '
  mount --bind "$1" /mnt
  mount --bind "$1/data" /mnt/data
  chown nobody /mnt/data
  mount -t tmpfs -o mode=1777 tmpfs /tmp
  mount -o remount,bind,ro /
  mount -o remount,bind,ro /mnt
  for folder in / /mnt/app /mnt/cache /var; do
    if touch "$folder/probe" 2>/dev/null; then echo "$folder can be written to"; exit 1; fi
  done
  cd /mnt/app
  exec setpriv --reuid nobody --regid nogroup --clear-groups --bounding-set=-all --inh-caps=-all --no-new-privs \
    node server/dist/main.js
' sh "$1"
