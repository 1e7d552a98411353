# SPDX-License-Identifier: Apache-2.0
# What the scripts share: where things are kept, and how they speak. Sourced, not run.
#
# Whatever is downloaded or made once lies in a cache outside the clone, so that a second clone on
# the same machine has nothing to fetch.

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/scalene-dev
SID=${SCALENE_SYSTEM:-$CACHE/sid} # the folder with another system
# The test packages belong to one list of pins: a changed list is another folder.
VENV=$CACHE/venv-$(cksum <"$ROOT/script/requirements.txt" | cut -d' ' -f1)
NOTEBOOKS_VENV=$CACHE/notebooks-$(cksum <"$ROOT/script/notebooks-requirements.txt" | cut -d' ' -f1)
WHEEL_VENV=$CACHE/wheel-$(cksum <"$ROOT/script/wheel-requirements.txt" | cut -d' ' -f1)

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }
die() {
    say "$*"
    exit 1
}

# Runs a command as root: as it is, or by sudo.
as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}
can_be_root() { [ "$(id -u)" = 0 ] || command -v sudo >/dev/null; }
