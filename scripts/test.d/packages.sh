# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034,SC2154 # scripts/test reads and sets variables
what[packages]='both .deb made of a source tarball in bare trees of Debian 12 and 13: lintian,
	an upgrade from the packages of an older commit, tested, removed, purged'

# RDMASH_OLD names the older commit.
step_packages() {
	local release dir at=/root/rdmash-packages old=${RDMASH_OLD-HEAD~50}
	need debootstrap xz-utils || return
	git rev-parse -q --verify "$old^{commit}" >/dev/null || { fail "no commit $old"; return; }
	for release in bookworm trixie; do
		dir=$trees/bare-$release
		tree "$dir" "$release" || { fail "$release: no tree"; continue; }
		as_root rm -rf "$dir$at" "$trees/packages"
		as_root cp -a "$dir" "$trees/packages"
		dir=$trees/packages
		as_root mkdir "$dir$at"
		scripts/source-tarball "$state" >/dev/null
		git archive --format=tar --prefix=rdmash/ "$old" >"$state/old.tar"
		as_root cp "$state"/rdmash-*.tar.xz "$state/old.tar" \
			scripts/tests/packaging/package-tree.sh "$dir$at"
		inside "$dir" bash "$at/package-tree.sh" "$at" || fail "$release: packages"
		as_root rm -rf "$dir"
	done
}
