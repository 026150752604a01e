#!/bin/bash
# SPDX-License-Identifier: MIT
# package-tree.sh FOLDER: as root in a minimal tree of Debian: the packages are made of the source
# tarball in FOLDER, judged by lintian, installed with their dependencies, tested as debian/tests
# says, and purged. An older version in FOLDER/old is installed first. To be run by the step packages
# of scripts/test.
set -eu
folder=$1
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8

# all that there is, but for what lasts only until the next start, and what apt and dpkg write down
files() {
	find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /run -o -path /tmp \
		-o -path "$folder" -o -path /var/cache -o -path /var/log -o -path /var/lib/apt \
		-o -path /var/lib/dpkg \) -prune -o -print | sort
}

quietly() {
	"$@" >"$folder/log" 2>&1 || { tail -n 20 "$folder/log"; echo "failed: $*"; exit 1; }
}

cd "$folder"
quietly apt-get update
quietly apt-get install -y --no-install-recommends dpkg-dev lintian xz-utils
tar -xf rdmash-*.tar.xz
cd rdmash-*/
quietly apt-get build-dep -y --no-install-recommends .
quietly dpkg-buildpackage -us -uc
cd ..
lintian --allow-root --pedantic --fail-on error,warning,pedantic ./*.dsc ./rdmash_*.deb ./uroce_*.deb
for deb in rdmash_*.deb uroce_*.deb; do
	quietly apt-get satisfy -y --no-install-recommends \
		"$(dpkg-deb -f "$deb" Depends | sed 's/uroce ([^)]*), //')"
done
quietly apt-get satisfy -y --no-install-recommends \
	"$(sed -n 's/^Depends: @, //p' rdmash-*/debian/tests/control)"
files >before
if [ -d old ]; then
	quietly apt-get install -y --no-install-recommends ./old/*.deb
	rdmash --version | head -n 1
fi
quietly apt-get install -y --no-install-recommends ./rdmash_*.deb ./uroce_*.deb
rdmash --version | head -n 1
AUTOPKGTEST_TMP=$(mktemp -d)
export AUTOPKGTEST_TMP
for name in $(sed -n 's/^Tests: //p' rdmash-*/debian/tests/control); do
	quietly timeout 120 unshare --net "./$(echo rdmash-*/)debian/tests/$name"
done
rm -r "$AUTOPKGTEST_TMP"
quietly apt-get purge -y rdmash uroce
files >after
diff before after || { echo 'failed: something is left'; exit 1; }
echo "$(. /etc/os-release && echo "$PRETTY_NAME"): made, installed, tested, purged"
