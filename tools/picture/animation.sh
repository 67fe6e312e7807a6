#!/usr/bin/env bash
# Makes docs/images/animation.webp: the engine's own picture, animated by the bundled model on this machine.
#
# usage: tools/picture/animation.sh     from the root of the checkout, after ./dev build
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
build/bin/ringway animate --prompt "zoom in slowly" --side 360 --frames 32 --fps 16 --seed 3 --out docs/images/animation.webp
