#!/bin/bash
# SPDX-License-Identifier: MIT
# package-tree.sh FOLDER: as root in a minimal tree of Debian: the packages of FOLDER are installed
# with their dependencies, run, and purged. To be run by the step packages of scripts/test.
set -eu
folder=$1
export DEBIAN_FRONTEND=noninteractive

# all that there is, but for what lasts only until the next start, and what apt and dpkg write down
files() {
	find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /run -o -path /tmp \
		-o -path "$folder" -o -path /var/cache -o -path /var/log -o -path /var/lib/apt \
		-o -path /var/lib/dpkg \) -prune -o -print | sort
}

quietly() {
	"$@" >"$folder/log" 2>&1 || { tail -n 20 "$folder/log"; echo "failed: $*"; exit 1; }
}

quietly apt-get update
for deb in "$folder"/*.deb; do
	quietly apt-get satisfy -y --no-install-recommends \
		"$(dpkg-deb -f "$deb" Depends | sed 's/uroce ([^)]*), //')"
done
files >"$folder/before"
quietly apt-get install -y --no-install-recommends "$folder"/*.deb
[ "$(rdmash -c 'expect -value uroce0 {dict get [device] name}' 2>&1 | grep -c '^ok 1')" = 1 ]
quietly uroce rdmash -q --device uroce0 /usr/share/rdmash/examples/write-read.rdma
quietly uroce vtrace -q rdmash -q -c device
quietly uroce status
quietly apt-get purge -y rdmash uroce
files >"$folder/after"
diff "$folder/before" "$folder/after" || { echo 'failed: something is left'; exit 1; }
echo "$(. /etc/os-release && echo "$PRETTY_NAME"): installed, run, purged"
