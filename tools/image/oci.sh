#!/usr/bin/env bash
# oci.sh PACKAGE.deb OUT [ROOT.tar]: an OCI image of a bare Debian 12 with this package in it, as a layout in the folder
# OUT; or of the root in ROOT.tar, which is made by others then, and needs no root rights.
#
# Of Debian packages alone: mmdebstrap makes the root from the machine's own package sources, umoci makes the image. No
# container runtime and no registry takes part. Needs root and the network, a minute, and as much disk as the image has.
# Two runs on one package and the same state of Debian make the same layer: times are those of the package.
#
# Run it with: podman run oci:OUT:VERSION, or skopeo copy oci:OUT:VERSION docker://YOUR/ringway:VERSION
set -euo pipefail
package=$(realpath "$1")
out=$(realpath -m "$2")
made=${3:-}
[[ -n $made || $(id -u) == 0 ]] || { echo "oci.sh: needs root"; exit 2; }
for tool in ${made:-mmdebstrap} umoci dpkg-deb; do
  [[ $tool != "$made" || -z $made ]] || continue
  command -v "$tool" >/dev/null || { echo "oci.sh: $tool is not installed: apt-get install mmdebstrap umoci"; exit 2; }
done
version=$(dpkg-deb -f "$package" Version | tr '~+' '--')
architecture=$(dpkg-deb -f "$package" Architecture)
# Of the package's root folder.
when=$(dpkg-deb -c "$package" | awk 'NR == 1 { print $4 " " $5 }')
SOURCE_DATE_EPOCH=$(date -u -d "$when" +%s)
export SOURCE_DATE_EPOCH

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

make_root() {
  cp "$package" "$work/ringway.deb"
  # What a container has no use for, and what differs from run to run.
  cat >"$work/clean" <<'CLEAN'
root=$1
rm -rf "$root"/var/lib/apt/lists/* "$root"/var/cache/apt/* "$root"/var/log/* "$root"/tmp/* "$root/ringway.deb" \
  "$root"/var/cache/debconf/*-old "$root"/var/lib/dpkg/*-old "$root/var/cache/ldconfig/aux-cache" "$root/etc/machine-id"
: >"$root/etc/resolv.conf"
: >"$root/etc/hostname"
CLEAN
  mmdebstrap --quiet --variant=minbase --aptopt='APT::Install-Recommends "false"' \
    --dpkgopt=force-unsafe-io --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-include=/usr/share/doc/*/copyright' \
    --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
    --customize-hook="copy-in $work/ringway.deb /" \
    --customize-hook='chroot "$1" apt-get install -qq -y --no-install-recommends /ringway.deb' \
    --customize-hook="sh $work/clean \"\$1\"" \
    bookworm "$work/root.tar" >"$work/log" 2>&1 || { tail -20 "$work/log"; echo "oci.sh: the root could not be made"; exit 1; }
}

root=$made
[[ -n $root ]] || { make_root; root=$work/root.tar; }
rm -rf "$out"
umoci init --layout "$out"
umoci new --image "$out:$version"
umoci raw add-layer --image "$out:$version" --history.created_by "tools/image/oci.sh" "$root"
# The number, not the name: Kubernetes' runAsNonRoot cannot look a name up.
umoci config --image "$out:$version" --config.user 65532:65532 --config.cmd ringway --config.cmd --help \
  --config.env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin --architecture "$architecture" --os linux \
  --config.label org.opencontainers.image.title=ringway --config.label "org.opencontainers.image.version=$version" \
  --created "$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)" --clear=config.entrypoint
umoci gc --layout "$out"
echo "$out:$version"
