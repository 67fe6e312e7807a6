#!/usr/bin/env bash
# first_contact.sh [--only USER,...] [--reuse DIR] [--ccache DIR]: the first hour of five kinds of users.
#
# In a bare Debian 12 with a fresh clone of what is committed, every shell block of the users' pages is typed as it is
# printed, in order, from the root of the clone; nothing is copied in. Blocks that say why they are not run are left out,
# but not those that only tests leave out (tools/docs/blocks.awk). A user has failed when a command does, or when an
# output speaks of an error that the page does not announce (tools/docs/errors.awk).
#
#   newcomer   README.md
#   operator   docs/quickstart.md, docs/operating.md
#   developer  docs/videos-api.md, docs/images-api.md
#   planner    docs/simulating.md, docs/scaling.md, docs/topology.md
#   deployer   docs/deploy.md, with the package that it makes
#
# Whoever is not the newcomer begins where README's first command leaves him; it is run first if there is no build.
# --reuse keeps Debian, clone and build in DIR, and what the users saw in DIR/seen. --ccache lends the build a compiler
# cache, to read from; times are then no longer a newcomer's. Needs root and the network. Takes the root of a Debian from
# RINGWAY_CHROOT_BASE, or makes one by debootstrap. Everything is mounted and started in namespaces that end with the
# script, however it ends, so that nothing is left but DIR. Exit code 1: somebody has failed.
set -euo pipefail
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

USERS=(newcomer operator developer planner deployer)
declare -A PAGES=(
  [newcomer]="README.md"
  [operator]="docs/quickstart.md docs/operating.md"
  [developer]="docs/videos-api.md docs/images-api.md"
  [planner]="docs/simulating.md docs/scaling.md docs/topology.md"
  [deployer]="docs/deploy.md")
PAGE_LIMIT_S=5400
CLONE=/opt/ringway

die() {
  echo "first_contact: $1; $2" >&2
  exit 2
}

only=$(IFS=,; echo "${USERS[*]}") reuse='' cache=''
while (($#)); do
  case "$1" in
    --only | --reuse | --ccache)
      (($# > 1)) || die "$1 has no value" "say which"
      case "$1" in --only) only=$2 ;; --reuse) reuse=$2 ;; --ccache) cache=$(realpath -e -- "$2") ;; esac
      shift 2
      ;;
    *) die "there is no option '$1'" "there are --only USER,... --reuse DIR --ccache DIR" ;;
  esac
done
IFS=, read -ra chosen <<<"$only"
((${#chosen[@]})) || die "--only names nobody" "there are ${USERS[*]}"
for user in "${chosen[@]}"; do
  [[ -n "${PAGES[$user]:-}" ]] || die "there is no user '$user'" "there are ${USERS[*]}"
done
[[ $(id -u) == 0 ]] || die "only root may make a Debian and change into it" "run it as root"

if [[ -n "$reuse" ]]; then
  mkdir -p "$reuse"
  place=$(realpath -e -- "$reuse")
else
  place=$(mktemp -d "${TMPDIR:-/var/tmp}/ringway-first-contact-XXXXXX")
  # Mounts are in other namespaces; --one-file-system is for the day on which they are not.
  trap 'rm -rf --one-file-system "$place"' EXIT
  trap 'exit 130' INT TERM HUP
fi
root=$place/debian seen=$place/seen
mkdir -p "$seen"

# inside COMMAND...: in the Debian, as on a machine of its own; what it mounts and starts ends with it.
inside() {
  # Whoever kills the script alone ends this too (pdeathsig). The inner shell expands what is in its quotes.
  # shellcheck disable=SC2016
  setpriv --pdeathsig KILL unshare --mount --pid --fork --kill-child --propagation private bash -euc '
    root=$1 cache=$2 max=$3
    shift 3
    mount -t proc proc "$root/proc"
    mount --rbind /dev "$root/dev"
    cp /etc/resolv.conf "$root/etc/resolv.conf"
    lent=()
    if [[ -n "$cache" ]]; then
      mkdir -p "$root/ccache"
      mount --bind "$cache" "$root/ccache"
      lent=(CCACHE_DIR=/ccache CCACHE_READONLY=1 CCACHE_BASEDIR=/opt CCACHE_NOHASHDIR=1 "CCACHE_MAXSIZE=$max"
        CCACHE_SLOPPINESS=time_macros CCACHE_TEMPDIR=/tmp)
    fi
    # Worlds take free ports, so that nobody who has one up on this machine is met.
    chroot "$root" env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
      RINGWAY_FREE_PORTS=1 NO_COLOR=1 "${lent[@]}" "$@" </dev/null
  ' inside "$root" "$cache" "$([[ -z "$cache" ]] || ccache -k max_size)" "$@"
}

make_debian() {
  [[ ! -e "$root/made" ]] || return 0
  rm -rf --one-file-system "$root"
  if [[ -n "${RINGWAY_CHROOT_BASE:-}" ]]; then
    cp -a "$RINGWAY_CHROOT_BASE/." "$root.new"
  else
    command -v debootstrap >/dev/null || die "there is no debootstrap" "apt-get install debootstrap"
    debootstrap --variant=minbase bookworm "$root.new" >"$place/debootstrap.log" ||
      die "debootstrap failed, see $place/debootstrap.log" "is the network there?"
  fi
  mv "$root.new" "$root"
  # Who clones has git.
  local wanted=(git)
  [[ -z "$cache" ]] || wanted+=(ccache)
  # shellcheck disable=SC2016
  inside bash -c 'apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends "$@"' \
    install "${wanted[@]}" >"$place/git.log" 2>&1 ||
    die "git cannot be installed, see $place/git.log" "is the network there?"
  touch "$root/made"
}

# What is committed; a clone that is there from before keeps its build.
make_clone() {
  git -C "$source" bundle create -q "$root/tmp/ringway.bundle" HEAD
  # shellcheck disable=SC2016
  inside bash -euc '
    if [[ -e "$1/.git" ]]; then
      git -C "$1" fetch -q /tmp/ringway.bundle HEAD
      git -C "$1" -c advice.detachedHead=false checkout -q --force --detach FETCH_HEAD
      git -C "$1" clean -qfdx -e build
    else
      git -c advice.detachedHead=false clone -q /tmp/ringway.bundle "$1"
    fi' clone "$CLONE"
}

# blocks PAGE: as a script.
blocks() { awk -v page="$1" -f "$source/tools/docs/blocks.awk" "$root$CLONE/$1"; }

# commands SCRIPT: how many a page has, lines that end in a backslash counted with the next.
commands() {
  awk '/^(set -euo pipefail|echo .== .*)$/ || /^ *(#|$)/ { next } !more { n++ } { more = /\\$/ } END { print n + 0 }' "$1"
}

# verdict USER: what came of his pages, one line; the commands and the exit code of each are in his folder.
verdict() {
  local user=$1 page name code where
  for page in ${PAGES[$user]}; do
    name=${page//\//-}
    code=$(cat "$seen/$user/$name.code" 2>/dev/null || echo "none: it never ended")
    if [[ "$code" != 0 ]]; then
      where=$(sed -n 's/^== //p' "$seen/$user/$name.txt" 2>/dev/null | tail -n 1)
      echo "FAILED at ${where:-$page}, exit code $code"
      return
    fi
    if ! where=$(awk -f "$source/tools/docs/errors.awk" "$root$CLONE/$page" "$seen/$user/$name.txt"); then
      echo "FAILED: $page does not announce: $(head -n 1 <<<"$where")"
      return
    fi
  done
  echo ok
}

# play USER: a shell a page, one machine for all of them, so that a world that a page leaves is there for the next.
play() {
  local user=$1 page name began=$SECONDS count=0 result names=()
  rm -rf "${seen:?}/$user" "$root/tmp/pages"
  mkdir -p "$seen/$user" "$root/tmp/pages"
  for page in ${PAGES[$user]}; do
    name=${page//\//-}
    blocks "$page" >"$root/tmp/pages/$name"
    count=$((count + $(commands "$root/tmp/pages/$name")))
    names+=("$name")
  done
  # shellcheck disable=SC2016
  inside bash -uc '
    cd "$1" || exit 1
    limit=$2
    shift 2
    for page in "$@"; do
      echo "$page" >&2
      timeout "$limit" bash "/tmp/pages/$page" >"/tmp/pages/$page.txt" 2>&1
      echo $? >"/tmp/pages/$page.code"
    done
    [[ ! -e ringway-world ]] || build/bin/ringway down >/dev/null 2>&1' play "$CLONE" "$PAGE_LIMIT_S" \
    "${names[@]}" || true
  cp -r "$root/tmp/pages/." "$seen/$user/"
  result=$(verdict "$user")
  [[ "$result" == ok ]] || failed=1
  table+=$(printf '%-10s %8d %8d  %s' "$user" "$count" $((SECONDS - began)) "$result")$'\n'
}

make_debian
make_clone
failed=0 table=''
if [[ ! -x "$root$CLONE/build/bin/ringway" && "${chosen[0]}" != newcomer ]]; then
  echo "README's first command" >&2
  # shellcheck disable=SC2016
  inside bash -c 'cd "$1" && ./dev demo' first "$CLONE" >"$seen/first.txt" 2>&1 ||
    die "README's first command failed, see $seen/first.txt" "nobody else can begin"
fi
for user in "${chosen[@]}"; do
  echo "-- $user" >&2
  play "$user"
done
printf '%-10s %8s %8s  %s\n%s' USER COMMANDS SECONDS RESULT "$table"
if ((failed)); then
  for user in "${chosen[@]}"; do
    [[ "$(verdict "$user")" == ok ]] && continue
    for text in "$seen/$user/"*.txt; do
      echo "---- $user, ${text##*/}: the last lines"
      tail -n 15 "$text"
    done
  done
fi
exit "$failed"
