#!/usr/bin/env bash
# Sinew, bevy_animation and three.js on the same clips, one after the other on one core: JSON rows on stdout.
#
#   SINEW_SHARED=... SINEW_NODE=... bench/peers/run.sh [--only CLIP] [--rounds N] [--milliseconds N]
#
# SINEW_NODE is where three is installed; without it three.js is left out. CORE is the core to use, 1 if unset.
set -euo pipefail
cd "$(dirname "$0")"
cargo build --quiet --release
pin=(taskset -c "${CORE:-1}")
command -v taskset >/dev/null || pin=()
"${pin[@]}" "${CARGO_TARGET_DIR:-target}/release/sinew-peers" "$@"
if [ -n "${SINEW_NODE:-}" ]; then "${pin[@]}" node three.mjs "$SINEW_NODE" "$@"; fi
