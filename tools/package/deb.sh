#!/usr/bin/env bash
# deb.sh BIN OUT: a Debian package of the programs in BIN, written into OUT; prints its path.
#
# The version is that of CMakeLists.txt: exactly on the tag vVERSION, else with "~git" and the commit, which sorts before
# it. RINGWAY_DEB_VERSION overrides it. Two runs on one commit make the same bytes. `./dev package` builds and calls this.
set -euo pipefail
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
bin=$(cd "$1" && pwd)
mkdir -p "$2"
out=$(cd "$2" && pwd)
deploy=$source/deploy

release=$(sed -n 's/^project(ringway VERSION \([0-9.]*\).*/\1/p' "$source/CMakeLists.txt")
commit=$(git -C "$source" rev-parse --short=10 HEAD 2>/dev/null || echo unknown)
when=$(git -C "$source" log -1 --format=%ct 2>/dev/null || echo 0)
version=$release~git$(date -u -d "@$when" +%Y%m%d%H%M).$commit
if [[ $(git -C "$source" describe --exact-match --tags 2>/dev/null) == "v$release" ]]; then version=$release; fi
version=${RINGWAY_DEB_VERSION:-$version}
architecture=$(dpkg --print-architecture)
export SOURCE_DATE_EPOCH=$when

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root
programs=(ringway ringway-controller ringway-router ringway-worker ringway-preview)

for program in "${programs[@]}"; do
  install -D "$bin/$program" "$root/usr/bin/$program"
  strip --strip-unneeded "$root/usr/bin/$program"
done
install -D -m 644 -t "$root/lib/systemd/system" "$deploy"/systemd/*.service
install -D -m 644 -t "$root/etc/ringway" "$deploy"/systemd/*.env
# The world of the examples, so that a controller starts as installed; yours goes in its place.
install -D -m 644 "$source/topology/local.yaml" "$root/etc/ringway/world.yaml"
install -D -m 644 -t "$root/usr/share/ringway/topology" "$source"/topology/*.yaml
# The bundled model, where engine/bundled_model.h looks for it beside an installed program.
model=$source/engine/weights/student
[[ -d "$model" ]] || model=$source/engine/weights/teacher
(cd "$model" && find . -type f -exec install -D -m 644 {} "$root/usr/share/ringway/model/{}" \;)
# Those that draw pictures, where engine/bundled_pictures.h looks for them. What the student shares with its teacher is
# links, relative and within the folder, and stays so.
if compgen -G "$source/engine/weights/scenes/*/model_index.json" >/dev/null; then
  scenes=$root/usr/share/ringway/scenes
  mkdir -p "$scenes"
  (cd "$source/engine/weights/scenes" && find . \( -type f -o -type l \) -print0 | tar --null -T - -c) | tar -C "$scenes" -x
  find "$scenes" -type f -exec chmod 644 {} +
fi

# From the programs where they will lie, so that defaults in the manuals are files of this package and not of the checkout.
"$root/usr/bin/ringway" man "$root/usr/share/man/man1" >/dev/null
python3 "$source/tools/docs/flags.py" --man "$release" "$root/usr/bin" "$root/usr/share/man/man8"
sed -i -e "s|$root||g" -e 's|docs/\([a-z-]*\.md\)|/usr/share/doc/ringway/\1|g' "$root"/usr/share/man/man?/*
gzip -9n "$root"/usr/share/man/man?/*
mkdir -p "$root"/usr/share/{bash-completion/completions,zsh/vendor-completions,fish/vendor_completions.d}
"$bin/ringway" completion bash >"$root/usr/share/bash-completion/completions/ringway"
"$bin/ringway" completion zsh >"$root/usr/share/zsh/vendor-completions/_ringway"
"$bin/ringway" completion fish >"$root/usr/share/fish/vendor_completions.d/ringway.fish"

doc=$root/usr/share/doc/ringway
install -D -m 644 -t "$doc" "$source"/docs/*.md "$source"/docs/*.svg "$source/CHANGELOG.md" "$deploy/debian/copyright"
# What the pages link to and name as files, in the folders that these have in the checkout, where docs/ is the root.
cp -r "$source"/docs/{decisions,images,plots} "$doc/"
mkdir -p "$doc/deploy" "$doc/sim"
cp -r "$deploy"/{haproxy,helm,kubernetes,observability,sim,systemd} "$doc/deploy/"
cp -r "$source"/sim/{live,scaling,scenarios,traces} "$doc/sim/"
ln -s ../../ringway/topology "$doc/topology"
install -D -m 644 "$source/bench/peers/scenario.yaml" "$doc/bench/peers/scenario.yaml"
for read_me in {engine/weights,engine/weights/scenes,tools/training,tools/training/pictures}/README.md; do install -D -m 644 "$source/$read_me" "$doc/$read_me"; done
sed -i 's|](\.\./|](|g' "$doc"/*.md
sed -i -e 's|](\.\./\.\./docs/|](../../|g' "$doc"/{engine/weights,tools/training}/README.md
sed -i -e 's|](\.\./\.\./\.\./docs/|](../../../|g' "$doc"/{engine/weights/scenes,tools/training/pictures}/README.md
sed -i 's|](docs/|](|g' "$doc/CHANGELOG.md"
find "$doc" -type f -exec chmod 644 {} +
printf 'ringway (%s) stable; urgency=medium\n\n  * Built from %s.\n\n -- The Ringway authors <ringway@localhost>  %s\n' \
  "$version" "$commit" "$(date -u -R -d "@$when")" | gzip -9n >"$doc/changelog.gz"

# Needs a debian/control to look at, but nothing of it.
mkdir -p "$work/shlibs/debian"
printf 'Source: ringway\n\nPackage: ringway\nArchitecture: any\n' >"$work/shlibs/debian/control"
depends=$(cd "$work/shlibs" && dpkg-shlibdeps -O "${programs[@]/#/$root/usr/bin/}" | sed -n 's/^shlibs:Depends=//p')

mkdir -p "$root/DEBIAN"
install -m 755 -t "$root/DEBIAN" "$deploy"/debian/{postinst,prerm,postrm}
(cd "$root" && find etc -type f | sort | sed 's|^|/|') >"$root/DEBIAN/conffiles"
(cd "$root" && find usr lib -type f -print0 | sort -z | xargs -0 md5sum) >"$root/DEBIAN/md5sums"
sed -e "s/@VERSION@/$version/" -e "s/@ARCHITECTURE@/$architecture/" -e "s/@DEPENDS@/$depends/" \
  -e "s/@INSTALLED_KB@/$(du -sk --apparent-size "$root" | cut -f1)/" "$deploy/debian/control.in" >"$root/DEBIAN/control"
find "$root" -type d -exec chmod 755 {} +
find "$root" -exec touch -h -d "@$when" {} +
package=$out/ringway_${version}_$architecture.deb
# Most of the time of a run; without effort nothing is compressed.
effort=${RINGWAY_DEB_EFFORT:-6}
compression=(-Zxz -z"$effort")
if [[ "$effort" == 0 ]]; then compression=(-Znone); fi
dpkg-deb --root-owner-group "${compression[@]}" --build "$root" "$package" >/dev/null
echo "$package"
