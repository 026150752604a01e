#!/bin/bash
# SPDX-License-Identifier: MIT
# package-tree.sh FOLDER: as root in a minimal tree of Debian: the packages are made of the source
# tarball in FOLDER and judged by reuse and lintian; those of the older sources in FOLDER/old.tar are installed and
# upgraded to them; then they are tested as debian/tests says, removed and purged. To be run by the step
# packages of scripts/test.
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

# make_packages FOLDER: what the sources in it need to be built, and the packages beside it
make_packages() {
	cd "$1"
	quietly apt-get build-dep -y --no-install-recommends .
	quietly dpkg-buildpackage -us -uc
	cd "$OLDPWD"
}

install_debs() {
	quietly apt-get install -y --no-install-recommends "$@"
	dpkg-query -W rdmash uroce
	rdmash --version | head -n 1
}

cd "$folder"
quietly apt-get update
quietly apt-get install -y --no-install-recommends dpkg-dev lintian xz-utils
tar -xf rdmash-*.tar.xz
if [ "$(. /etc/os-release && echo "$VERSION_ID")" -ge 13 ]; then # Debian 12's reuse does not know REUSE.toml
	quietly apt-get install -y --no-install-recommends reuse
	quietly reuse --root "$(echo rdmash-*/)" lint
	! grep ERROR log || { echo 'failed: reuse lint'; exit 1; }
fi
make_packages rdmash-*/
lintian --allow-root --pedantic --fail-on error,warning,pedantic ./*.dsc ./rdmash_*.deb ./uroce_*.deb
mkdir old
tar -xf old.tar -C old
sed -i '1s/(.*)/(0.0~old)/' old/rdmash/debian/changelog # older than the new ones, whatever it says
make_packages old/rdmash
for deb in rdmash_*.deb uroce_*.deb; do
	quietly apt-get satisfy -y --no-install-recommends \
		"$(dpkg-deb -f "$deb" Depends | sed 's/uroce ([^)]*), //')"
done
quietly apt-get satisfy -y --no-install-recommends \
	"$(sed -n 's/^Depends: @, //p' rdmash-*/debian/tests/control)"
files >before
install_debs ./old/rdmash_*.deb ./old/uroce_*.deb
install_debs ./rdmash_*.deb ./uroce_*.deb
AUTOPKGTEST_TMP=$(mktemp -d)
export AUTOPKGTEST_TMP
for name in $(sed -n 's/^Tests: //p' rdmash-*/debian/tests/control); do
	quietly timeout 120 unshare --net "./$(echo rdmash-*/)debian/tests/$name"
	echo "debian/tests/$name: passed"
done
rm -r "$AUTOPKGTEST_TMP"
quietly apt-get remove -y rdmash uroce
files >after
diff before after || { echo 'failed: something is left after remove'; exit 1; }
quietly dpkg --purge rdmash uroce # which apt no longer knows
files >after
diff before after || { echo 'failed: something is left after purge'; exit 1; }
echo "$(. /etc/os-release && echo "$PRETTY_NAME"): made, upgraded, tested, removed, purged"
