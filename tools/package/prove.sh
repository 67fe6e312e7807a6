#!/usr/bin/env bash
# prove.sh BASE OLD.deb NEW.deb: installs, starts, upgrades, removes and purges the package in a fresh Debian 12.
#
# BASE is the root of a Debian 12 that has been made by debootstrap (--variant=minbase) and stays as it is. Needs root and
# the network, for the package's dependencies. There is no systemd in a chroot: programs are started as their units
# would, as the package's user, and the units are checked elsewhere (deploy_test). Prints one line a step; ends by itself.
set -euo pipefail
base=$1 old=$2 new=$3
[[ $(id -u) == 0 ]] || { echo "prove: needs root"; exit 2; }
[[ -x $base/bin/bash ]] || { echo "prove: $base is no root of a Debian"; exit 2; }
root=$(mktemp -d "${TMPDIR:-/var/tmp}/ringway-prove-XXXXXX")
cleanup() {
  # Only if nothing is mounted below any more, so that nobody else's files can go.
  umount "$root/proc" "$root/dev" 2>/dev/null || true
  if ! grep -q " $root/" /proc/mounts; then rm -rf "$root"; fi
}
trap cleanup EXIT
cp -a "$base/." "$root/"
mount -t proc proc "$root/proc"
mount --bind /dev "$root/dev"
cp /etc/resolv.conf "$root/etc/resolv.conf"
cp "$old" "$root/tmp/old.deb"
cp "$new" "$root/tmp/new.deb"
cat >"$root/tmp/steps" <<'STEPS'
step() { echo "ok $*"; }
quietly() { "$@" >/tmp/log 2>&1 || { tail -20 /tmp/log; echo "FAILED: $*"; exit 1; }; }
quietly apt-get update
dpkg-query -W -f '${Package}\n' | sort >/tmp/before
quietly apt-get install -y --no-install-recommends /tmp/old.deb
step "installs with $(($(dpkg-query -W | wc -l) - $(wc -l </tmp/before))) packages more than a bare Debian"
for program in ringway ringway-controller ringway-router ringway-worker ringway-preview; do
  ldd /usr/bin/$program | grep "not found" && exit 1
  "$program" --help >/dev/null
done
step "every program finds its libraries: $(ringway --version)"
quietly setpriv --reuid ringway --regid ringway --clear-groups ringway animate --prompt "zoom in slowly" --side 192 --out /tmp/animation.gif
[[ $(head -c 6 /tmp/animation.gif) == GIF89a ]]
step "animates with the model that it brings"
id -u ringway >/dev/null
[[ $(stat -c '%U:%G %a' /etc/ringway) == "root:ringway 750" ]]
step "the user exists, /etc/ringway is root's and its group's"
mkdir -p /var/lib/ringway-controller && chown ringway: /var/lib/ringway-controller
start_and_stop() {
  rm -f /tmp/ports && : >/tmp/daemon.log
  # Not through a function: its subshell would get the signal instead of the daemon.
  setpriv --reuid ringway --regid ringway --clear-groups ringway-controller --topology /etc/ringway/world.yaml --listen 127.0.0.1:0 \
    --http 127.0.0.1:0 --state-dir /var/lib/ringway-controller --port-file /var/lib/ringway-controller/ports >/tmp/daemon.log 2>&1 &
  local controller=$! i
  for i in $(seq 100); do [[ -s /var/lib/ringway-controller/ports ]] && break; sleep 0.1; done
  local grpc
  grpc=$(sed -n 's/^grpc *=* *//p' /var/lib/ringway-controller/ports)
  ringway status --controller "$grpc" >/tmp/status || { cat /tmp/daemon.log; kill $controller; exit 1; }
  grep -q "^controller " /tmp/status
  kill -TERM $controller && wait $controller
  rm -f /var/lib/ringway-controller/ports
}
start_and_stop
step "the controller starts as its user, answers, and stops with exit code 0"
echo "# edited by an operator" >>/etc/ringway/router.env
quietly apt-get install -y --no-install-recommends /tmp/new.deb
grep -q "edited by an operator" /etc/ringway/router.env
step "upgrades from $(dpkg-deb -f /tmp/old.deb Version) to $(dpkg-query -W -f '${Version}' ringway), an edited setting stays"
start_and_stop
step "the new controller starts on the old one's state"
quietly dpkg --verify ringway
quietly apt-get remove -y ringway
[[ ! -e /usr/bin/ringway && ! -e /lib/systemd/system/ringway-router.service && -e /etc/ringway/router.env ]]
step "removal takes the programs and units and leaves the settings"
quietly apt-get purge -y ringway
[[ ! -e /etc/ringway && ! -e /var/lib/ringway-controller ]]
! getent passwd ringway >/dev/null
left=$(find / -xdev -path /proc -prune -o -path /tmp -prune -o -iname '*ringway*' -print)
[[ -z "$left" ]] || { echo "left behind: $left"; exit 1; }
step "a purge leaves nothing"
STEPS
chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive bash -eu /tmp/steps </dev/null
