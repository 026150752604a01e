# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034,SC2154 # scripts/test reads and sets variables
what[packages]='both .deb made of a source tarball in bare trees of Debian 12 and 13: lintian,
	installed, tested, purged'

# RDMASH_OLD_PACKAGES names a folder with packages of an older version, from which is upgraded.
step_packages() {
	local release dir at=/root/rdmash-packages
	need debootstrap xz-utils || return
	for release in bookworm trixie; do
		dir=$trees/bare-$release
		tree "$dir" "$release" || { fail "$release: no tree"; continue; }
		as_root rm -rf "$dir$at" "$trees/packages"
		as_root cp -a "$dir" "$trees/packages"
		dir=$trees/packages
		as_root mkdir "$dir$at"
		scripts/source-tarball "$state" >/dev/null
		as_root cp "$state"/rdmash-*.tar.xz scripts/tests/packaging/package-tree.sh "$dir$at"
		[ -z "${RDMASH_OLD_PACKAGES-}" ] || as_root cp -r "$RDMASH_OLD_PACKAGES" "$dir$at/old"
		inside "$dir" bash "$at/package-tree.sh" "$at" || fail "$release: packages"
		as_root rm -rf "$dir"
	done
}
