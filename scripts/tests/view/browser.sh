#!/bin/bash
# SPDX-License-Identifier: MIT
# browser.sh RDMASH [DIR]: browser.py where there is a Chromium. Exit status 77 where there is none.
set -u
rdmash=$1 here=$(cd "$(dirname "$0")" && pwd)
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
	{ echo "no Chromium (apt-get install chromium): skipped"; exit 77; }
dir=$(mktemp -d) && cd "$dir" || exit
trap 'rm -rf "$dir"' EXIT
bash "$here/../on.sh" uroce timeout 150 python3 "$here/browser.py" "$rdmash" "$browser" "${@:2}"
