#!/bin/bash
# SPDX-License-Identifier: MIT
# readme-tree.sh: as root in a minimal tree of Debian: the commands of the README that build and
# install, exactly as they are written, one by one. To be run by the step readme of scripts/test, in a
# tree that is deleted afterwards.
set -eu
cd "$(dirname "$0")/../../.."
export DEBIAN_FRONTEND=noninteractive

block() {
	awk -v heading="$1" -f scripts/tests/docs/block.awk README.md
}

# type_lines DIR: runs each line of stdin there, as somebody does who types it
type_lines() {
	local line
	while read -r -u 3 line; do
		echo "$line"
		(cd "$1" && bash -euo pipefail -c "$line") </dev/null >/tmp/said 2>&1 ||
			{ tail -n 20 /tmp/said; echo "failed: $line"; exit 1; }
	done 3<&0
}

works() { # RDMASH
	"$1" -q -c 'expect -value uroce0 {dict get [device] name}' >/tmp/said 2>&1 ||
		{ cat /tmp/said; echo "failed: $1"; exit 1; }
}

# where a person says yes
echo 'APT::Get::Assume-Yes "true";' >/etc/apt/apt.conf.d/yes
apt-get -qq update
apt-get -qq install --no-install-recommends sudo >/tmp/said 2>&1 || { cat /tmp/said; exit 1; }
block '# rdmash' | grep -vx scripts/test | type_lines . # scripts/test: the step debian
works build/rdmash
block '## Building' | type_lines .
works /usr/local/bin/rdmash
# shellcheck disable=SC2016  # those of Markdown
grep -oE '`sudo apt install [^`]+`' README.md | tr -d '`' | type_lines ..
works /usr/bin/rdmash
echo "$(. /etc/os-release && echo "$PRETTY_NAME"): built, installed, packed and installed from packages"
